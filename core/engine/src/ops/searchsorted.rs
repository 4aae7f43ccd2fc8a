//! `searchsorted`: where values belong in sorted rows, by halving; indices, so no gradient.
//! TensorFlow's `tf.searchsorted`, with rows that are a batch of their own on both sides.

use super::ordered::{for_ordered, put};
use super::{public, reshape_to};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use crate::tensor::Tensor;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{CudaCall, Kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use std::ops::Range;

/// On which side of equal elements a value belongs.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([1, 2, 2, 3]);
/// assert_eq!(tf::searchsorted(&x, &tf::constant([2]), tf::Side::Left).to_vec::<i32>(), [1]);
/// assert_eq!(tf::searchsorted(&x, &tf::constant([2]), tf::Side::Right).to_vec::<i32>(), [3]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Side {
    /// Before them.
    #[default]
    Left,
    /// Behind them.
    Right,
}

/// Inputs: sorted rows `[rows, length]` and values `[rows, count]`.
#[derive(Clone)]
struct Searchsorted {
    right: bool,
    to: DType,
}

/// Values that are worth a chunk.
const CHUNK: usize = 4096;

impl Op for Searchsorted {
    identity!("searchsorted", { "right": Bool = |this| this.right, "out_type": DType = |this| this.to });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::NUMBERS)?;
        if !DTypes::of(&[DType::I32, DType::I64]).has(self.to) {
            return Err(Error::invalid_argument("searchsorted", "indices cannot be given in this dtype")
                .got(self.to)
                .expected("int32 or int64"));
        }
        let (rows, values) = (cx.shape(0).dim(0), cx.shape(1).dim(0));
        if !rows.can_equal(values) {
            return Err(Error::invalid_argument("searchsorted", "there are not as many rows of values as sorted rows")
                .got(format!("{values} rows of values, {rows} sorted rows"))
                .help("values of any shape are searched in one sorted row if they are reshaped to one row too"));
        }
        if rows != values {
            cx.constraints.push(rows, values);
        }
        cx.output(self.to, *cx.shape(1));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(call.outputs[0].len().div_ceil(CHUNK).min(64))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let own = part(call.outputs[0].len(), chunk, self.work(call).phases[0], 1);
        let (len, count) = (call.inputs[0].dims()[1], call.inputs[1].dims()[1]);
        // SAFETY: dense views of the inferred types; chunks write disjoint parts.
        unsafe { for_ordered!(call.inputs[0].dtype, T => self.run::<T>(call, own, len, count)) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (rows, values, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        // SAFETY: dense views of the inferred types.
        unsafe {
            call.elements(&SEARCH, &[rows.dtype, out.dtype], out.len(), |arguments| {
                arguments.views(&[rows, values, out]);
                arguments.sizes(&[rows.dims()[1], values.dims()[1]]);
                arguments.value(i32::from(self.right));
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("an index does not change with small changes of the values")
    }
}

impl Searchsorted {
    /// Searches for the values `own`, of which `count` belong to each sorted row of `len`.
    ///
    /// # Safety
    /// As `Op::cpu`, for elements of type `T`.
    unsafe fn run<T: Copy + PartialOrd>(&self, call: &CpuCall<'_>, own: Range<usize>, len: usize, count: usize) {
        let (rows, values) = (call.inputs[0].ptr.cast::<T>(), call.inputs[1].ptr.cast::<T>());
        for i in own {
            // SAFETY: by the caller's promise.
            let (row, value) = unsafe { (std::slice::from_raw_parts(rows.add(i / count * len), len), *values.add(i)) };
            // What is not in order, such as NaN, is passed over as TensorFlow's comparisons do.
            #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "NaN is neither less nor greater")]
            let at = match self.right {
                true => row.partition_point(|&v| !(value < v)),
                false => row.partition_point(|&v| v < value),
            };
            // SAFETY: inside the output.
            unsafe { put(&call.outputs[0], i, at) };
        }
    }
}

static SEARCH: Kernel = Kernel {
    name: "searchsorted",
    text: &[r#"
extern "C" __global__ void searchsorted(index_t count, const T0* rows, const T0* values, T1* to, index_t length,
                                        index_t each, int right) {
  ELEMENTS(i, count) {
    const T0* row = rows + i / each * length;
    const auto value = wide(values[i]);
    index_t low = 0, size = length;
    while (size > 0) {
      const index_t half = size / 2;
      const auto other = wide(row[low + half]);
      const bool behind = right ? !(value < other) : other < value;
      low = behind ? low + half + 1 : low;
      size = behind ? size - half - 1 : half;
    }
    to[i] = (T1)low;
  }
}
"#],
};

/// Rows of the last axis as a matrix.
#[track_caller]
fn matrix(x: &Tensor, what: &str) -> Result<Tensor> {
    let Some(last) = x.rank().checked_sub(1) else {
        return Err(Error::invalid_argument("searchsorted", format!("{what} must have an axis"))
            .got(x.ty())
            .expected("at least one axis"));
    };
    let rows = Shape::from_dims(&x.shape().sizes()[..last])?.element_count();
    reshape_to(x, &Shape::from_dims(&[rows, x.shape().dim(last)])?)
}

/// Where values belong in one sorted row, for operations that are made of it.
#[track_caller]
pub(super) fn search_row(row: &Tensor, values: &Tensor, side: Side) -> Result<Tensor> {
    let one = |x: &Tensor| reshape_to(x, &Shape::from_dims(&[Dim::ONE, x.shape().element_count()])?);
    let found = execute1(&Searchsorted { right: side == Side::Right, to: DType::I32 }, &[&one(row)?, &one(values)?])?;
    reshape_to(&found, values.shape())
}

public! {
    /// For each value the place in its sorted row before which it could be put in, `int32`. The rows of the last axis of both tensors go
    /// together, so all other axes must have as many elements; one sorted row takes one row of values.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let edges = tf::constant([-1, 3, 5, 10]);
    /// let places = tf::searchsorted(&edges, &tf::constant([0, 4, 10]), tf::Side::Left);
    /// assert_eq!(places.to_vec::<i32>(), [1, 2, 3]);
    /// ```
    pub fn searchsorted, try_searchsorted(sorted_sequence, values: &Tensor, side: Side) -> Tensor {
        try_searchsorted_as(sorted_sequence, values, side, DType::I32)
    }

    /// As [`searchsorted`], with places of dtype `out_type`: `int32` or `int64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let place = tf::searchsorted_as(&tf::constant([1.0, 2.0]), &tf::constant([1.5]), tf::Side::Left, tf::int64);
    /// assert_eq!(place.to_vec::<i64>(), [1]);
    /// ```
    pub fn searchsorted_as, try_searchsorted_as(sorted_sequence, values: &Tensor, side: Side, out_type: DType) -> Tensor {
        let (rows, wanted) = (matrix(sorted_sequence, "the sorted sequence")?, matrix(values, "the values")?);
        let found = execute1(&Searchsorted { right: side == Side::Right, to: out_type }, &[&rows, &wanted])?;
        reshape_to(&found, values.shape())
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use tf::Side::{Left, Right};

    #[test]
    fn batches_edges_and_refusals() {
        let rows = tf::constant([[1, 3, 3], [2, 5, 9]]);
        let values = tf::constant([[3, 0], [9, 10]]);
        assert_eq!(tf::searchsorted(&rows, &values, Left).to_vec::<i32>(), [1, 0, 2, 3]);
        assert_eq!(tf::searchsorted(&rows, &values, Right).to_vec::<i32>(), [3, 0, 3, 3]);
        assert_eq!(tf::searchsorted(&tf::zeros([0]), &tf::constant([2.0]), Left).to_vec::<i32>(), [0]);
        assert_eq!(tf::searchsorted(&tf::zeros([2]), &tf::zeros([0]), Left).shape(), [0]);
        assert!(tf::try_searchsorted(&rows, &tf::constant([1]), Left).is_err());
        assert!(tf::try_searchsorted(&rows, &tf::constant(1), Left).is_err());
        assert!(tf::try_searchsorted(&tf::constant([1]), &tf::constant([1.0]), Left).is_err());
        assert!(tf::try_searchsorted_as(&rows, &values, Left, tf::DType::I8).is_err());
    }
}
