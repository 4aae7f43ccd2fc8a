//! `invert_permutation`: the place of each number in a permutation of `0..n`; integers, so no gradient.
//! TensorFlow's `tf.math.invert_permutation`; what is no permutation is refused.

use super::ordered::put;
use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::backend::cpu::CpuCall;
use kernels::backend::cuda::{self, CudaCall, Kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};

#[derive(Clone)]
struct InvertPermutation;

impl Op for InvertPermutation {
    identity!("invert_permutation");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::of(&[DType::I32, DType::I64]))?;
        if cx.shape(0).rank() != 1 {
            return Err(Error::invalid_argument("invert_permutation", "a permutation is a vector")
                .got(cx.input(0))
                .expected("one axis"));
        }
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let (x, out) = (&call.inputs[0], &call.outputs[0]);
        let mut known = vec![false; x.len()];
        // SAFETY: a dense view of integers.
        for (i, number) in unsafe { x.integers() }.into_iter().enumerate() {
            let refuse = |what: &str| {
                Err(Error::invalid_argument("invert_permutation", what)
                    .got(number)
                    .expected(format!("each number of 0..{} once", x.len())))
            };
            let at = match usize::try_from(number) {
                Ok(at) if at < known.len() => at,
                _ => return refuse("a number that no place has"),
            };
            if std::mem::replace(&mut known[at], true) {
                return refuse("a number that occurs twice");
            }
            // SAFETY: inside the output, which is as long.
            unsafe { put(out, at, i) };
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, out) = (&call.inputs[0], &call.outputs[0]);
        if x.is_empty() {
            return Ok(());
        }
        // SAFETY: dense views of the inferred types; a word for each number says whether it occurred.
        unsafe {
            let known = call.scratch(x.len() * 4)?;
            call.gpu.set_bytes(known.address(), 0, x.len() * 4)?;
            cuda::fill(call, out, 0)?;
            call.elements(&INVERT, &[x.dtype], x.len(), |arguments| {
                arguments.faults(call);
                arguments.views(&[x, out]);
                arguments.address(known.address());
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a permutation is made of integers")
    }
}

static INVERT: Kernel = Kernel {
    name: "invert_permutation",
    text: &[r#"
extern "C" __global__ void invert_permutation(index_t count, Faults* faults, unsigned site, const T0* x, T0* to,
                                              unsigned* known) {
  ELEMENTS(i, count) {
    const index_t at = (index_t)x[i];
    if (at < 0 || at >= count) fault(faults, site, PLACE_FAULT, at, count);
    else if (atomicAdd(&known[at], 1u) != 0u) fault(faults, site, TWICE_FAULT, at, count);
    else to[at] = (T0)i;
  }
}
"#],
};

public! {
    /// The inverse of a permutation: where each number from 0 up lies in `x`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([3, 4, 0, 2, 1]);
    /// assert_eq!(tf::invert_permutation(&x).to_vec::<i32>(), [2, 4, 3, 0, 1]);
    /// ```
    pub fn invert_permutation, try_invert_permutation(x) -> Tensor {
        execute1(&InvertPermutation, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn what_is_no_permutation() {
        assert_eq!(tf::invert_permutation(&tf::zeros([0]).cast(tf::DType::I64)).shape(), [0]);
        for x in
            [tf::constant([0, 0]), tf::constant([0, 2]), tf::constant([-1, 0]), tf::constant([[0]]), tf::constant(0)]
        {
            assert!(tf::try_invert_permutation(&x).is_err());
        }
        assert!(tf::try_invert_permutation(&tf::constant([0.0])).is_err());
    }
}
