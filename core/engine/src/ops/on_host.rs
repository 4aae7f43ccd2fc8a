//! `on_host`: work of the library above as one operation, done on the host wherever the operands lie: decoders of files, writers of
//! summaries, tables. Whoever writes one implements [`OnHost`]; it then runs at once, in traced functions and in pipelines alike.

use super::print::copied;
use crate::execute::{dense, execute};
use crate::op::{Attr, Gradient, Infer, Kind, Op, OpRef, Outputs};
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::CpuCall;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use std::sync::Arc;

/// Work on the host from tensors to tensors, or with an effect and no result.
pub trait OnHost: Send + Sync + 'static {
    /// What messages and printed graphs call it.
    fn name(&self) -> &'static str;

    /// Its settings in words. Two without an effect that have the same name and settings are taken for one.
    fn settings(&self) -> &str;

    /// Whether it changes something outside, so that a graph keeps it in program order and never leaves it out. It then has no results.
    fn is_effect(&self) -> bool {
        false
    }

    /// The types of the results, or what is wrong with the operands. `unknown` gives a size that only a run tells, which results may
    /// have if an operand or a result is a tensor of strings.
    fn types(&self, inputs: &[&TensorType], unknown: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>>;

    /// Does it. The operands lie on the host, and may be strided.
    fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>>;
}

/// Does the work, or records it in the graph that is open.
///
/// # Errors
/// Those of the work.
#[track_caller]
pub fn on_host(work: Arc<dyn OnHost>, inputs: &[&Tensor]) -> Result<Outputs> {
    match work.is_effect() {
        true => execute(&HostEffect(work), inputs),
        false => execute(&HostWork(work), inputs),
    }
}

/// Work with results.
#[derive(Clone)]
struct HostWork(Arc<dyn OnHost>);

/// Work with an effect.
#[derive(Clone)]
struct HostEffect(Arc<dyn OnHost>);

macro_rules! host_op {
    ($op:ident, $kind:expr) => {
        impl Op for $op {
            fn name(&self) -> &'static str {
                self.0.name()
            }

            fn keep(&self) -> OpRef {
                OpRef::Shared(Arc::new(self.clone()))
            }

            fn as_dyn(&self) -> &dyn Op {
                self
            }

            fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
                visit("settings", Attr::Text(self.0.settings()));
            }

            fn kind(&self) -> Kind {
                $kind
            }

            fn runs_on_host(&self) -> bool {
                true
            }

            fn takes_strides(&self) -> bool {
                true
            }

            fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
                let inputs: Vec<&TensorType> = (0..cx.len()).map(|i| cx.input(i)).collect();
                let types = self.0.types(&inputs, &mut || cx.unknown_dim())?;
                types.iter().for_each(|ty| cx.output(ty.dtype, ty.shape));
                Ok(())
            }

            unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
                // SAFETY: the views of this call are valid.
                unsafe { into_views(&*self.0, call) }
            }

            fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
                Some(checked(&*self.0, inputs))
            }

            fn gradient(&self) -> Gradient {
                Gradient::Stops("the host does it, outside of the library's operations")
            }
        }
    };
}

host_op!(HostWork, Kind::Opaque);
host_op!(HostEffect, Kind::Effect);

/// Does the work and compares the results with their types.
fn checked(work: &dyn OnHost, inputs: &[&Tensor]) -> Result<Outputs> {
    let results = work.run(inputs)?;
    let given: Vec<&TensorType> = inputs.iter().map(|t| t.ty()).collect();
    // Any size will do for one that is not compared. The same ones each time, since symbols are kept for as long as the process lives.
    let mut unknown = u32::MAX;
    let types = work.types(&given, &mut || {
        unknown -= 1;
        Dim::unbacked(unknown)
    })?;
    let fits = |(ty, result): (&TensorType, &Tensor)| {
        let sizes = || ty.shape.iter().zip(result.shape().iter()).all(|(a, b)| !a.is_known() || a == b);
        ty.dtype == result.dtype() && ty.shape.rank() == result.rank() && sizes()
    };
    if types.len() != results.len() || !types.iter().zip(&results).all(fits) {
        let list = |types: Vec<String>| types.join(", ");
        return Err(Error::internal(work.name(), "the results have other types than was said")
            .got(list(results.iter().map(|t| t.ty().to_string()).collect()))
            .expected(list(types.iter().map(ToString::to_string).collect())));
    }
    Ok(results.into_iter().collect())
}

/// Does the work on views, and copies the results to where they belong.
///
/// # Safety
/// Valid views.
unsafe fn into_views(work: &dyn OnHost, call: &CpuCall<'_>) -> Result<()> {
    // SAFETY: by the caller's promise.
    let inputs = call.inputs.iter().map(|view| unsafe { copied(view) }).collect::<Result<Vec<_>>>()?;
    let results = work.run(&inputs.iter().collect::<Vec<_>>())?;
    let fits = |result: &Tensor, i: usize| {
        let view = &call.outputs[i];
        result.dtype() == view.dtype && result.shape().dims() == view.dims()
    };
    if results.len() != call.outputs.len() || !results.iter().enumerate().all(|(i, result)| fits(result, i)) {
        return Err(Error::internal(work.name(), "the results have other types than was said"));
    }
    for (result, view) in results.iter().zip(call.outputs) {
        let result = dense(result)?;
        // SAFETY: a dense tensor on the host, and a dense output of the same type.
        unsafe { std::ptr::copy_nonoverlapping(result.data(), view.ptr, result.ty().bytes()) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;
    use kernels::dtype::DType;
    use kernels::shape::Shape;
    use std::sync::Mutex;

    /// The reversed bytes of a string, as numbers.
    struct Reversed;

    impl OnHost for Reversed {
        fn name(&self) -> &'static str {
            "reversed"
        }
        fn settings(&self) -> &str {
            ""
        }
        fn types(&self, _: &[&TensorType], unknown: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
            Ok(vec![TensorType::new(DType::U8, Shape::from_dims(&[unknown()])?)])
        }
        fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
            let bytes: Vec<u8> = inputs[0].to_byte_strings()[0].iter().rev().copied().collect();
            let count = bytes.len();
            Ok(vec![Tensor::try_from_vec(bytes, [count])?])
        }
    }

    /// Twice the numbers.
    struct Twice;

    impl OnHost for Twice {
        fn name(&self) -> &'static str {
            "twice"
        }
        fn settings(&self) -> &str {
            ""
        }
        fn types(&self, inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
            Ok(vec![*inputs[0]])
        }
        fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
            let twice: Vec<i64> = inputs[0].to_vec::<i64>().iter().map(|n| n * 2).collect();
            Ok(vec![Tensor::try_from_vec(twice, inputs[0].shape().dims())?])
        }
    }

    /// Notes what it is given.
    struct Note;

    static NOTED: Mutex<Vec<f32>> = Mutex::new(Vec::new());

    impl OnHost for Note {
        fn name(&self) -> &'static str {
            "note"
        }
        fn settings(&self) -> &str {
            ""
        }
        fn is_effect(&self) -> bool {
            true
        }
        fn types(&self, _: &[&TensorType], _: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
            Ok(Vec::new())
        }
        fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
            NOTED.lock().unwrap().push(inputs[0].item());
            Ok(Vec::new())
        }
    }

    fn one(work: impl OnHost, x: &Tensor) -> Tensor {
        on_host(Arc::new(work), &[x]).unwrap().into_iter().next().unwrap()
    }

    #[tf::tf_function]
    fn bytes_and_sum(text: &Tensor) -> (Tensor, Tensor) {
        let bytes = one(Reversed, text);
        let sum = tf::reduce_sum(tf::cast(&bytes, tf::int32), ());
        (bytes, sum)
    }

    #[tf::tf_function]
    fn twice(x: &Tensor) -> Tensor {
        one(Twice, &(x + 1)) + 1
    }

    #[tf::tf_function]
    fn notes(x: &Tensor) -> Tensor {
        let y = x * 2.0;
        on_host(Arc::new(Note), &[&y]).unwrap();
        on_host(Arc::new(Note), &[&(&y + 1.0)]).unwrap();
        y
    }

    #[test]
    fn it_runs_at_once_and_in_graphs() {
        assert_eq!(one(Reversed, &tf::constant("abc")).to_vec::<u8>(), b"cba");
        for text in ["abc", "", "longer"] {
            let (bytes, sum) = bytes_and_sum(&tf::constant(text));
            assert_eq!(bytes.to_vec::<u8>(), text.bytes().rev().collect::<Vec<_>>());
            assert_eq!(sum.item::<i32>(), text.bytes().map(i32::from).sum::<i32>());
        }
        assert_eq!(tf::function(bytes_and_sum).trace_count(), 1);
        let rows = Tensor::try_from_vec(vec![1_i64, 2, 3, 4], [2, 2]).unwrap();
        assert_eq!(one(Twice, &tf::transpose(&rows, [1, 0])).to_vec::<i64>(), [2, 6, 4, 8]);
        assert_eq!(twice(&rows).to_vec::<i64>(), [5, 7, 9, 11]);
        for _ in 0..2 {
            notes(&tf::constant(3.0));
        }
        assert_eq!(*NOTED.lock().unwrap(), [6.0, 7.0, 6.0, 7.0]);
    }
}
