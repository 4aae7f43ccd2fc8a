//! `dynamic_partition`: the slices of a tensor dealt out to several, each in its order; dx is dy put back together.
//! TensorFlow's `tf.dynamic_partition`: a `gather` in the order of the partitions, then a `split`; how long parts are is known when it runs.

use super::gather::try_gather;
use super::size_from::sizes_from;
use super::split::{Splits, try_split};
use super::{cast_to, public, reshape_to};
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::backend::cpu::CpuCall;
use kernels::backend::cuda::{self, CudaCall, Kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;

/// Input: a vector of partitions. Outputs: the places of its elements, those of partition 0 first, and how many each partition has.
#[derive(Clone)]
struct Dealing {
    partitions: usize,
}

impl Op for Dealing {
    identity!("dynamic_partition", { "num_partitions": Int = |this| this.partitions as i64 });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::of(&[DType::I32]))?;
        cx.output(DType::I32, *cx.shape(0));
        cx.output(DType::I32, Shape::from_dims(&[Dim::known(self.partitions)])?);
        Ok(())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        // SAFETY: dense views of the inferred types; pointers of empty ones may dangle but are aligned.
        let (from, order, counts) = unsafe {
            (
                call.inputs[0].as_slice::<i32>(),
                std::slice::from_raw_parts_mut(call.outputs[0].as_ptr::<i32>(), call.outputs[0].len()),
                std::slice::from_raw_parts_mut(call.outputs[1].as_ptr::<i32>(), self.partitions),
            )
        };
        counts.fill(0);
        for (i, &partition) in from.iter().enumerate() {
            let Some(count) = usize::try_from(partition).ok().and_then(|p| counts.get_mut(p)) else {
                return Err(Error::invalid_argument("dynamic_partition", "a slice belongs to no partition")
                    .got(format!("partition {partition} at {i}"))
                    .expected(format!("0..{}", self.partitions)));
            };
            *count += 1;
        }
        let mut at: Vec<i32> = counts
            .iter()
            .scan(0, |sum, &count| {
                *sum += count;
                Some(*sum - count)
            })
            .collect();
        for (i, &partition) in from.iter().enumerate() {
            let place = &mut at[partition as usize];
            order[*place as usize] = i as i32;
            *place += 1;
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (from, order, counts) = (&call.inputs[0], &call.outputs[0], &call.outputs[1]);
        if from.is_empty() {
            // SAFETY: a dense view of the inferred type.
            return unsafe { cuda::fill(call, counts, 0) };
        }
        // One more for those that belong to none.
        let bits = usize::BITS - self.partitions.leading_zeros();
        // SAFETY: dense views of the inferred types, and keys for each element.
        unsafe {
            let ordered = cuda::order_keys(call, from.len(), bits, |keys| {
                call.elements(&PARTITION_KEYS, &[], from.len(), |arguments| {
                    arguments.faults(call);
                    arguments.view(from);
                    arguments.address(keys);
                    arguments.size(self.partitions);
                })
            })?;
            call.elements(&DEALT, &[], from.len().max(self.partitions), |arguments| {
                [ordered.keys, ordered.order].into_iter().for_each(|a| arguments.address(a));
                arguments.views(&[order, counts]);
                arguments.sizes(&[from.len(), self.partitions]);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("partitions are integers")
    }
}

static PARTITION_KEYS: Kernel = Kernel {
    name: "partition_keys",
    text: &[r#"
extern "C" __global__ void partition_keys(index_t count, Faults* faults, unsigned site, const int* from,
                                          unsigned long long* keys, index_t partitions) {
  ELEMENTS(i, count) {
    const bool known = from[i] >= 0 && from[i] < partitions;
    if (!known) fault(faults, site, PLACE_FAULT, from[i], partitions);
    keys[i] = known ? from[i] : partitions;
  }
}
"#],
};
static DEALT: Kernel = Kernel {
    name: "dealt",
    text: &[r#"
// The first place in order whose key is not below this one.
__device__ inline index_t first_of(const unsigned long long* keys, index_t length, unsigned long long key) {
  index_t low = 0, size = length;
  while (size > 0) {
    const index_t half = size / 2;
    const bool behind = keys[low + half] < key;
    low = behind ? low + half + 1 : low;
    size = behind ? size - half - 1 : half;
  }
  return low;
}

extern "C" __global__ void dealt(index_t count, const unsigned long long* keys, const index_t* order, int* to, int* counts,
                                 index_t length, index_t partitions) {
  ELEMENTS(i, count) {
    if (i < length) to[i] = (int)order[i];
    if (i < partitions) counts[i] = (int)(first_of(keys, length, i + 1) - first_of(keys, length, i));
  }
}
"#],
};

#[track_caller]
fn dealt(x: &Tensor, partitions: &Tensor, count: usize) -> Result<Vec<Tensor>> {
    let op = "dynamic_partition";
    if count == 0 {
        return Err(Error::invalid_argument(op, "slices cannot be dealt out to nothing")
            .got("0 partitions")
            .expected("at least one"));
    }
    let covered = x.shape().sizes().get(..partitions.rank());
    let fits = covered.is_some_and(|sizes| sizes.iter().zip(partitions.shape().iter()).all(|(a, b)| a.can_equal(b)));
    if !fits || !partitions.dtype().is_integer() {
        return Err(Error::invalid_argument(op, "the partitions do not fit the tensor")
            .got(format!("{} for {}", partitions.ty(), x.ty()))
            .expected("integers with the sizes of the tensor's first axes"));
    }
    let slices = partitions.shape().element_count();
    let mut dims: SmallVec<[Dim; MAX_RANK]> = SmallVec::from_slice(&[slices]);
    dims.extend(x.shape().iter().skip(partitions.rank()));
    let flat = reshape_to(x, &Shape::from_dims(&dims)?)?;
    let partitions = reshape_to(&cast_to(partitions, DType::I32)?, &Shape::from_dims(&[slices])?)?;
    let dealing = execute(&Dealing { partitions: count }, &[&partitions])?;
    let ordered = try_gather(&flat, &dealing[0], 0)?;
    let sizes = sizes_from(&dealing[1])?.into_iter().map(Some).collect();
    try_split(&ordered, Splits::Sizes(sizes), 0)
}

public! {
    /// The slices of `x` dealt out to `num_partitions` tensors: slice `i` goes to number `partitions[i]`, behind those before it. The axes
    /// that `partitions` has are the first of `x`, and become one.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let parts = tf::dynamic_partition(&tf::constant([10, 20, 30, 40]), &tf::constant([1, 0, 1, 1]), 2);
    /// assert_eq!(parts[0].to_vec::<i32>(), [20]);
    /// assert_eq!(parts[1].to_vec::<i32>(), [10, 30, 40]);
    /// ```
    pub fn dynamic_partition, try_dynamic_partition(x, partitions: &Tensor, num_partitions: usize) -> Vec<Tensor> {
        dealt(x, partitions, num_partitions).map_err(|e| e.named("dynamic_partition"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_strings_and_refusals() {
        let at = tf::constant([2, 0, 2, 0]);
        check(&|x| tf::dynamic_partition(&x[0], &at, 3)[2].square(), &[numbers(1, &[4, 2])]);
        check(&|x| tf::dynamic_partition(&x[0], &at, 3)[1].square(), &[numbers(1, &[4, 2])]);
        let words = tf::dynamic_partition(&tf::constant(["a", "b", "c", "d"]), &at, 3);
        assert_eq!(words.iter().map(|w| w.to_strings()).collect::<Vec<_>>(), [vec!["b", "d"], vec![], vec!["a", "c"]]);
        let whole = tf::dynamic_partition(&tf::ones([2, 3]), &tf::constant(1), 2);
        assert!(whole[0].shape() == [0, 2, 3] && whole[1].shape() == [1, 2, 3]);
        let x = tf::ones([4]);
        for (at, count) in [(tf::constant([0, 1, 2, 3]), 3), (tf::constant([0, -1, 2, 3]), 9), (tf::constant([0]), 1)] {
            let error = tf::try_dynamic_partition(&x, &at, count).unwrap_err().to_string();
            assert!(error.contains("dynamic_partition"), "{error}");
        }
        assert!(tf::try_dynamic_partition(&x, &at, 0).is_err() && tf::try_dynamic_partition(&x, &x, 2).is_err());
    }
}
