//! `in_top_k`: whether the prediction of a row's target is among its `k` greatest; truth values, so no gradient.
//! TensorFlow's `tf.math.in_top_k`: ties count as within, and rows with targets or predictions that are no numbers give false.

use super::public;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{CudaCall, Kernel, THREADS, grid};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};

/// Inputs: predictions `[rows, classes]`, and the target of each row.
#[derive(Clone)]
struct InTopK {
    k: i64,
}

/// Elements that are worth a chunk.
const CHUNK: usize = 32 * 1024;

impl Op for InTopK {
    identity!("in_top_k", { "k": Int = |this| this.k });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::of(&[DType::F32]))?;
        cx.check_dtype(1, DTypes::of(&[DType::I32, DType::I64]))?;
        let (predictions, targets) = (cx.shape(0), cx.shape(1));
        if predictions.rank() != 2 || targets.rank() != 1 || !predictions.dim(0).can_equal(targets.dim(0)) {
            return Err(Error::invalid_argument("in_top_k", "the targets do not fit the predictions")
                .got(format!("targets {targets} for predictions {predictions}"))
                .expected("a matrix of predictions, and a target for each of its rows"));
        }
        if predictions.dim(0) != targets.dim(0) {
            cx.constraints.push(predictions.dim(0), targets.dim(0));
        }
        cx.output(DType::Bool, *targets);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(call.inputs[0].len().div_ceil(CHUNK).min(call.outputs[0].len()))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let (rows, classes) = (call.inputs[0].dims()[0], call.inputs[0].dims()[1]);
        let own = part(rows, chunk, self.work(call).phases[0], 1);
        // SAFETY: dense views of the inferred types; chunks write disjoint rows.
        unsafe {
            let predictions = call.inputs[0].as_slice::<f32>();
            let targets = call.inputs[1].part(own.start, own.len()).integers();
            for (row, target) in own.zip(targets) {
                let all = &predictions[row * classes..][..classes];
                let within = usize::try_from(target).ok().and_then(|at| all.get(at)).is_some_and(|&own| {
                    let greater = all.iter().filter(|&&other| other > own).count();
                    all.iter().all(|v| v.is_finite()) && (greater as i64) < self.k
                });
                call.outputs[0].ptr.add(row).write(u8::from(within));
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (rows, classes) = (call.inputs[0].dims()[0], call.inputs[0].dims()[1]);
        if rows == 0 {
            return Ok(());
        }
        // SAFETY: dense views of the inferred types; a block takes row after row.
        unsafe {
            call.launch(&IN_TOP_K, &[call.inputs[1].dtype], grid(rows.min(65_535), THREADS), |arguments| {
                arguments.views(&[&call.inputs[0], &call.inputs[1], &call.outputs[0]]);
                arguments.sizes(&[rows, classes]);
                arguments.value(self.k);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a truth value does not change with small changes of the predictions")
    }
}

static IN_TOP_K: Kernel = Kernel {
    name: "in_top_k",
    text: &[r#"
extern "C" __global__ void in_top_k(const float* predictions, const T0* targets, truth* within, index_t rows,
                                    index_t classes, long long k) {
  __shared__ unsigned long long greater;
  __shared__ unsigned odd;
  for (index_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const index_t target = (index_t)targets[row];
    const bool known = target >= 0 && target < classes;
    const float own = known ? predictions[row * classes + target] : 0.0f;
    if (threadIdx.x == 0) greater = 0, odd = !known;
    __syncthreads();
    unsigned long long found = 0;
    bool all_finite = true;
    for (index_t i = threadIdx.x; i < classes; i += blockDim.x) {
      const float other = predictions[row * classes + i];
      found += other > own;
      all_finite = all_finite && other - other == 0.0f;
    }
    atomicAdd(&greater, found);
    if (!all_finite) atomicAdd(&odd, 1u);
    __syncthreads();
    if (threadIdx.x == 0) within[row] = truth{(unsigned char)(odd == 0 && (long long)greater < k)};
    __syncthreads();
  }
}
"#],
};

public! {
    /// Whether each row's target (this tensor, the number of a class) is among the `k` greatest of the row of `predictions`. Predictions
    /// equal to the target's do not count against it; a target that is no class, or a row with NaN or infinities, gives false.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let predictions = tf::constant([[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]]);
    /// assert_eq!(tf::in_top_k(&tf::constant([1, 1]), &predictions, 2).to_vec::<bool>(), [true, false]);
    /// ```
    pub fn in_top_k, try_in_top_k(targets, predictions: &Tensor, k: i64) -> Tensor {
        execute1(&InTopK { k }, &[predictions, targets])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;

    #[test]
    fn ties_odd_rows_and_refusals() {
        let x = tf::constant([[2.0, 2.0, 1.0], [f32::NAN, 2.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, f32::INFINITY]]);
        assert_eq!(tf::in_top_k(&tf::constant([1, 1, 3, 0]), &x, 1).to_vec::<bool>(), [true, false, false, false]);
        assert_eq!(tf::in_top_k(&tf::constant([2, 2, 2, 2]), &x, 0).to_vec::<bool>(), [false; 4]);
        assert_eq!(tf::in_top_k(&tf::constant([2, 2, 2, 2]), &x, 9).to_vec::<bool>(), [true, false, true, false]);
        assert!(tf::try_in_top_k(&tf::constant([1]), &x, 1).is_err());
        assert!(tf::try_in_top_k(&tf::constant([1.0; 4]), &x, 1).is_err());
    }
}
