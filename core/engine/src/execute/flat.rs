//! Element-wise operations of several instructions over small dense operands of one shape: types, views and loops are
//! settled once per operation and dtypes. `elementwise` tries this way before the general one, which fills its cache.

use super::elementwise::{SHARE, weight};
use crate::meaning::{Cache, Key};
use crate::op::Op;
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::Isa;
use kernels::backend::cpu::tile::{Loops, Tiled, fault_error, loops_of};
use kernels::error::Result;
use kernels::scalar::Program;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// A program that the operation's type rule let through for operands of one shape, whichever that is.
struct Ready {
    program: Rc<Program>,
    loops: Loops,
    isa: Isa,
    weight: usize,
}

thread_local! {
    static READY: RefCell<Cache<Rc<Ready>>> = const { RefCell::new(Cache::new()) };
}

/// Whether the operands are dense and have one shape; all but the first may be scalars too.
///
/// Type rules of element-wise operations then depend on dtypes alone, and the result has the first one's shape.
#[inline]
fn fits(inputs: &[&Tensor]) -> bool {
    let Some(first) = inputs.first() else { return false };
    let like = |t: &Tensor| t.rank() == 0 || std::ptr::eq(t, *first) || t.shape() == first.shape();
    inputs.iter().all(|t| t.is_contiguous() && !t.is_symbol() && like(t))
}

/// Runs the operation if it is known and small; `None` leaves it to the general way.
#[track_caller]
pub(super) fn run(op: &dyn Op, inputs: &[&Tensor], owned: u32) -> Result<Option<Tensor>> {
    if !fits(inputs) {
        return Ok(None);
    }
    let Some(key) = Key::new(op, inputs.iter().map(|t| t.dtype()), 0) else { return Ok(None) };
    let Some(ready) = READY.with_borrow_mut(|all| all.get(&key)) else { return Ok(None) };
    let ty = TensorType::new(ready.program.outputs[0], *inputs[0].shape());
    let bytes = ty.bytes();
    // Large operands that the caller gives up lend their memory; large work is shared between threads.
    if bytes * ready.weight >= SHARE || (owned != 0 && bytes > 4096) || ready.isa != Isa::current() {
        return Ok(None);
    }
    let out = Tensor::uninit(&ty).map_err(|e| e.in_op(op.name()))?;
    let len = ty.shape.num_elements();
    let operands: SmallVec<[_; 4]> =
        inputs.iter().map(|t| (t.data().cast_const(), t.rank() == 0 && len != 1)).collect();
    let tiled = Tiled::flat(&ready.program, &ready.loops, &operands, out.data(), len, ready.isa);
    // SAFETY: dense operands with an element for each of the fresh output's, or with one.
    match unsafe { tiled.run(0..len) } {
        None => Ok(Some(out)),
        Some(step) => Err(fault_error(op.name(), step)),
    }
}

/// Keeps the program of an operation whose type rule accepted these inputs.
pub(super) fn remember(op: &dyn Op, inputs: &[&Tensor], program: &Rc<Program>) {
    let isa = Isa::current();
    if fits(inputs)
        && let Some(key) = Key::new(op, inputs.iter().map(|t| t.dtype()), 0)
        && let Ok(loops) = loops_of(program, isa)
    {
        let ready = Ready { program: program.clone(), loops, isa, weight: weight(program) };
        READY.with_borrow_mut(|all| all.insert(key, Rc::new(ready)));
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate as tf;
    use crate::execute::execute1;
    use crate::op::{Gradient, Kind, Op, identity};
    use crate::tensor::Tensor;
    use kernels::dtype::DTypes;
    use kernels::scalar::{Scalar, Val};

    /// x0 * x1 + x2
    #[derive(Clone)]
    struct Blend;

    impl Op for Blend {
        identity!("blend");

        fn kind(&self) -> Kind {
            Kind::Elementwise { accepts: DTypes::FLOATING, direct: None }
        }

        fn scalar(&self, s: &Scalar, x: &[Val]) -> Val {
            s.add(s.mul(x[0], x[1]), x[2])
        }

        fn gradient(&self) -> Gradient {
            Gradient::Missing
        }
    }

    fn short(inputs: &[&Tensor], owned: u32) -> Option<Vec<f32>> {
        run(&Blend, inputs, owned).unwrap().map(|t| t.to_vec::<f32>())
    }

    #[test]
    fn known_operations_run_the_short_way_with_the_same_bits() {
        // Several tiles and a rest, and one element for all of them.
        let a: Vec<f32> = (0..1300).map(|i| (i as f32 * 0.37).sin()).collect();
        let c: Vec<f32> = (0..1300).map(|i| (i as f32 * 0.11).cos()).collect();
        let expected: Vec<f32> = a.iter().zip(&c).map(|(a, c)| a * 0.3 + c).collect();
        let (a, b, c) = (Tensor::from(a), tf::constant(0.3), Tensor::from(c));
        assert!(short(&[&a, &b, &c], 0).is_none());
        assert_eq!(execute1(&Blend, &[&a, &b, &c]).unwrap().to_vec::<f32>(), expected);
        assert_eq!(short(&[&a, &b, &c], 0), Some(expected));
        // One shape, whichever it is.
        assert_eq!(short(&[&b, &b, &b], 0), Some(vec![0.3 * 0.3 + 0.3]));
        assert_eq!(short(&[&tf::zeros([0, 2]), &b, &tf::zeros([0, 2])], 0), Some(vec![]));
    }

    #[test]
    fn what_is_not_so_simple_goes_the_general_way() {
        let x = tf::ones([2, 700]);
        let b = tf::constant(2.0);
        assert_eq!(execute1(&Blend, &[&x, &b, &x]).unwrap().to_vec::<f32>(), [3.0; 1400]);
        assert!(short(&[&x, &b, &x], 0).is_some());
        assert!(short(&[&b, &x, &x], 0).is_none(), "the first one does not say the result's shape");
        assert!(short(&[&x, &tf::ones([700]), &x], 0).is_none(), "a broadcast");
        assert!(short(&[&tf::ones([700, 2]).t(), &b, &x], 0).is_none(), "strides");
        assert!(short(&[&x, &b, &x], 1).is_none(), "memory to be used again");
        let n = tf::constant([1, 2]);
        assert!(execute1(&Blend, &[&n, &n, &n]).is_err() && short(&[&n, &n, &n], 0).is_none(), "a refused dtype");
    }
}
