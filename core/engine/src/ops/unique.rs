//! `unique`: the different elements of a vector in the order of their first places, and for each element which of them it is.
//! TensorFlow's `tf.unique` and `tf.unique_with_counts`, numbers, truth values and strings; NaN equals nothing. No gradient flows.

use super::bincount::counts_of;
use super::gather::try_gather;
use super::ordered::{for_ordered, put};
use super::where_indices::indices_of;
use super::{public, reshape_to};
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, Outputs, identity};
use crate::tensor::Tensor;
use crate::tensor::strings::Strings;
use kernels::backend::cpu::CpuCall;
use kernels::backend::cpu::sort::distinct;
use kernels::backend::cuda::{self, CudaCall, Kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::Shape;
use smallvec::smallvec;

/// Outputs: the number of each element's value, and whether the element is the first of it.
#[derive(Clone)]
struct UniqueNumbers {
    to: DType,
}

impl Op for UniqueNumbers {
    identity!("unique", { "out_idx": DType = |this| this.to });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::REAL.and(DTypes::STRING))?;
        if !DTypes::of(&[DType::I32, DType::I64]).has(self.to) {
            return Err(Error::invalid_argument("unique", "indices cannot be given in this dtype")
                .got(self.to)
                .expected("int32 or int64"));
        }
        if cx.shape(0).rank() != 1 {
            return Err(Error::invalid_argument("unique", "only a vector has elements to compare")
                .got(cx.input(0))
                .expected("one axis")
                .help("`reshape(x, [-1])` makes a vector of any tensor"));
        }
        cx.output(self.to, *cx.shape(0));
        cx.output(DType::Bool, *cx.shape(0));
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (x, numbers, firsts) = (&call.inputs[0], &call.outputs[0], &call.outputs[1]);
        // SAFETY: dense views of the inferred types.
        let write = |i: usize, number: usize, first: bool| unsafe {
            put(numbers, i, number);
            firsts.ptr.add(i).write(u8::from(first));
        };
        if x.dtype == DType::Bool {
            // Any byte but 0 is true.
            // SAFETY: a dense view.
            let truths: Vec<u8> =
                unsafe { std::slice::from_raw_parts(x.ptr, x.len()) }.iter().map(|&b| u8::from(b != 0)).collect();
            distinct::numbers(&truths, write);
            return Ok(());
        }
        // SAFETY: a dense view; the pointer of an empty one may dangle but is aligned.
        unsafe {
            for_ordered!(x.dtype, T => {
                distinct::numbers(std::slice::from_raw_parts(x.ptr.cast::<T>(), x.len()), write)
            });
        }
        Ok(())
    }

    fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        Some(self.of_strings(inputs[0]))
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, numbers, firsts) = (&call.inputs[0], &call.outputs[0], &call.outputs[1]);
        let count = x.len();
        if count == 0 {
            return Ok(());
        }
        // For each place in order how many heads come before it, and the same for first elements, each with a word for their sum.
        let lists = call.scratch((3 * count + 2) * 8)?;
        let list = |i: usize| lists.address() + (i * (count + 1) * 8) as u64;
        let (heads, firsts_before, places) = (list(0), list(1), list(2));
        // SAFETY: dense views of the inferred types, and room for the lists.
        unsafe {
            let ordered = cuda::order_rows(call, x, count, false)?;
            call.elements(&HEADS, &[x.dtype], count, |arguments| {
                arguments.view(x);
                [ordered.keys, ordered.order, heads, firsts_before].into_iter().for_each(|a| arguments.address(a));
                arguments.view(firsts);
            })?;
            cuda::starts(call, heads, count)?;
            cuda::starts(call, firsts_before, count)?;
            call.elements(&HEAD_PLACES, &[], count, |arguments| {
                [ordered.order, heads, places].into_iter().for_each(|a| arguments.address(a));
            })?;
            call.elements(&NUMBERS, &[numbers.dtype], count, |arguments| {
                [ordered.order, heads, firsts_before, places].into_iter().for_each(|a| arguments.address(a));
                arguments.view(numbers);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("TensorFlow defines no gradient of `unique`")
    }
}

impl UniqueNumbers {
    fn of_strings(&self, x: &Tensor) -> Result<Outputs> {
        let rows = Strings::of(x, "unique")?.rows()?;
        let (mut numbers, mut firsts) = (vec![0_i64; rows.len()], vec![false; rows.len()]);
        distinct::numbers_of_bytes(&rows, |i, number, first| {
            numbers[i] = number as i64;
            firsts[i] = first;
        });
        let shape = [rows.len()];
        let numbers = super::cast_to(&Tensor::try_from_vec(numbers, shape)?, self.to)?;
        Ok(smallvec![numbers, Tensor::try_from_vec::<bool>(firsts, shape)?])
    }
}

static HEADS: Kernel = Kernel {
    name: "heads",
    text: &[r#"
typedef unsigned long long row_t;

// An element in order is a head if it differs from the one before it; the first of equal ones, since their order is kept.
extern "C" __global__ void heads(index_t count, const T0* x, const row_t* keys, const index_t* order, index_t* heads_at,
                                 index_t* firsts_at, truth* firsts) {
  ELEMENTS(i, count) {
    const auto own = wide(x[order[i]]);
    const bool head = i == 0 || keys[i] != keys[i - 1] || own != own;
    heads_at[i] = head;
    firsts_at[order[i]] = head;
    firsts[order[i]] = truth{(unsigned char)head};
  }
}
"#],
};
static HEAD_PLACES: Kernel = Kernel {
    name: "head_places",
    text: &[r#"
// `before` says of each place in order how many heads come before it.
extern "C" __global__ void head_places(index_t count, const index_t* order, const index_t* before, index_t* places) {
  ELEMENTS(i, count) if (before[i + 1] != before[i]) places[before[i]] = order[i];
}
"#],
};
static NUMBERS: Kernel = Kernel {
    name: "numbers",
    text: &[r#"
extern "C" __global__ void numbers(index_t count, const index_t* order, const index_t* before, const index_t* firsts_before,
                                   const index_t* places, T0* to) {
  ELEMENTS(i, count) to[order[i]] = (T0)firsts_before[places[before[i + 1] - 1]];
}
"#],
};

/// The different elements and the number of each element's value.
#[track_caller]
fn found(x: &Tensor, out_idx: DType) -> Result<[Tensor; 2]> {
    let numbered = execute(&UniqueNumbers { to: out_idx }, &[x])?;
    let places = indices_of(&numbered[1])?;
    let places = reshape_to(&places, &Shape::from_dims(&[places.shape().dim(0)])?)?;
    let values = try_gather(&super::functions::try_stop_gradient(x)?, &places, 0)?;
    Ok([values, numbered[0].clone()])
}

public! {
    /// The different elements of a vector in the order of their first places, and for each element the number of its value, `int32`.
    /// How many values there are is known only when it runs. NaN equals nothing, so each is a value of its own.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (values, numbers) = tf::unique(&tf::constant([1, 1, 2, 4, 4, 1]));
    /// assert_eq!(values.to_vec::<i32>(), [1, 2, 4]);
    /// assert_eq!(numbers.to_vec::<i32>(), [0, 0, 1, 2, 2, 0]);
    /// ```
    pub fn unique, try_unique(x) -> (Tensor, Tensor) {
        try_unique_as(x, DType::I32)
    }

    /// As [`unique`], with numbers of dtype `out_idx`: `int32` or `int64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (_, numbers) = tf::unique_as(&tf::constant(["b", "a", "b"]), tf::int64);
    /// assert_eq!(numbers.to_vec::<i64>(), [0, 1, 0]);
    /// ```
    pub fn unique_as, try_unique_as(x, out_idx: DType) -> (Tensor, Tensor) {
        let [values, numbers] = found(x, out_idx).map_err(|e| e.named("unique"))?;
        Ok((values, numbers))
    }

    /// As [`unique`], and how often each value occurs.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (values, _, counts) = tf::unique_with_counts(&tf::constant([1, 1, 2, 4, 4, 1]));
    /// assert_eq!(values.to_vec::<i32>(), [1, 2, 4]);
    /// assert_eq!(counts.to_vec::<i32>(), [3, 1, 2]);
    /// ```
    pub fn unique_with_counts, try_unique_with_counts(x) -> (Tensor, Tensor, Tensor) {
        try_unique_with_counts_as(x, DType::I32)
    }

    /// As [`unique_with_counts`], with numbers and counts of dtype `out_idx`: `int32` or `int64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (_, _, counts) = tf::unique_with_counts_as(&tf::constant([0.5, 0.5]), tf::int64);
    /// assert_eq!(counts.to_vec::<i64>(), [2]);
    /// ```
    pub fn unique_with_counts_as, try_unique_with_counts_as(x, out_idx: DType) -> (Tensor, Tensor, Tensor) {
        let [values, numbers] = found(x, out_idx).map_err(|e| e.named("unique_with_counts"))?;
        let counts = counts_of(&numbers, values.shape().dim(0), out_idx).map_err(|e| e.named("unique_with_counts"))?;
        Ok((values, numbers, counts))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn values_of_any_kind() {
        let (values, numbers, counts) = tf::unique_with_counts(&tf::constant(["b", "a", "", "b", ""]));
        assert_eq!(values.to_strings(), ["b", "a", ""]);
        assert_eq!((numbers.to_vec::<i32>(), counts.to_vec::<i32>()), (vec![0, 1, 2, 0, 2], vec![2, 1, 2]));
        let (values, numbers) = tf::unique(&tf::constant([false, true, false]));
        assert_eq!((values.to_vec::<bool>(), numbers.to_vec::<i32>()), (vec![false, true], vec![0, 1, 0]));
        let (values, numbers) = tf::unique(&tf::constant([f32::NAN, 0.0, f32::NAN, -0.0]));
        assert_eq!((values.shape()[0], numbers.to_vec::<i32>()), (3, vec![0, 1, 2, 1]));
    }

    #[test]
    fn edges_and_refusals() {
        let (values, numbers, counts) = tf::unique_with_counts(&tf::zeros([0]));
        assert!(values.shape() == [0] && numbers.shape() == [0] && counts.shape() == [0]);
        for x in [tf::constant(1), tf::constant([[1]])] {
            let error = tf::try_unique_with_counts(&x).unwrap_err().to_string();
            assert!(error.contains("unique_with_counts"), "{error}");
        }
        assert!(tf::try_unique_as(&tf::constant([1]), tf::DType::F32).is_err());
        assert!(tf::try_unique(&tf::complex(&tf::ones([1]), &tf::ones([1]))).is_err());
    }
}
