//! Activations that look at all elements along an axis: softmax and what is like it.
//! Layers apply them; their formulas are Keras's.

use super::activation;
use engine::{keep_dims, try_where};
use kernels::dtype::DType;
use kernels::error::Error;

activation! {
    /// Shares of a whole along an axis: [`softmax`](fn@crate::softmax).
    Softmax, "softmax", {
        /// The axis, the last one unless set.
        axis: isize = -1,
    }, |this, x| x.try_softmax(this.axis)
}

activation! {
    /// The logarithm of the softmax.
    LogSoftmax, "log_softmax", {
        /// The axis, the last one unless set.
        axis: isize = -1,
    }, |this, x| x.try_log_softmax(this.axis)
}

activation! {
    /// The first half times the sigmoid of the second: Dauphin et al. 2017.
    Glu, "glu", {
        /// The axis that is halved, the last one unless set.
        axis: isize = -1,
    }, |this, x| engine::try_glu(x, this.axis)
}

activation! {
    /// The nearest distribution along an axis, most of which is 0: Martins and Astudillo 2016. Keras 3.15 adds up running sums where
    /// the paper has one of them, so its numbers are no distribution where more than one value is left; ours are.
    Sparsemax, "sparsemax", {
        /// The axis, the last one unless set.
        axis: isize = -1,
    }, |this, x| {
        if x.rank() == 0 {
            return Err(Error::invalid_argument("sparsemax", "a scalar has no axis").got("a scalar"));
        }
        let axis = kernels::shape::resolve_axis("sparsemax", this.axis, x.rank())?;
        let sorted = engine::try_sort(x, this.axis, engine::Direction::Descending)?;
        let sums = engine::try_cumsum(&sorted, this.axis)?;
        // 1, 2, … along the axis.
        let count = engine::try_range(1, x.shape().dim(axis) + 1, 1)?;
        let mut column = vec![kernels::shape::Dim::ONE; x.rank()];
        column[axis] = x.shape().dim(axis);
        let count = engine::library::cast_to(&count, if x.dtype().is_floating() { x.dtype() } else { DType::F32 })?;
        let count = engine::library::reshape_to(&count, &kernels::shape::Shape::from_dims(&column)?)?;
        let inside = sorted.try_subtract(&sums.try_subtract(1.0)?.try_divide(&count)?)?.try_greater(0.0)?;
        let number = engine::library::cast_to(&inside, x.dtype())?.try_reduce_sum(keep_dims(this.axis))?;
        let largest = try_where(&inside, &sorted, 0.0)?.try_reduce_sum(keep_dims(this.axis))?;
        let least = largest.try_subtract(1.0)?.try_divide(&number)?;
        x.try_subtract(&least)?.try_maximum(0.0)
    }
}
