//! `space_to_depth` and `depth_to_space`: square blocks of cells become channels, and back; the gradient of each is the other.
//! TensorFlow's `tf.nn.space_to_depth` and `tf.nn.depth_to_space`, channels last or first, made of views. Its `NCHW_VECT_C` is left out.

use super::functions::DataFormat;
use super::transpose::permuted;
use super::window::check_batch;
use super::{public, reshape_to};
use crate::tensor::Tensor;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};

/// The sizes of images, batch, rows, columns and channels, and of a block.
fn checked(op: &str, x: &Tensor, block: i64, format: DataFormat) -> Result<([Dim; 4], usize)> {
    check_batch(op, x.shape(), 2)?;
    let size = usize::try_from(block).ok().filter(|size| (2..=i32::MAX as usize).contains(size)).ok_or_else(|| {
        Error::invalid_argument(op, "a block must have several cells").got(block).expected("a block size of at least 2")
    })?;
    let at = |axis: usize| x.shape().dim(axis);
    Ok(match format {
        DataFormat::ChannelsLast => ([at(0), at(1), at(2), at(3)], size),
        DataFormat::ChannelsFirst => ([at(0), at(2), at(3), at(1)], size),
    })
}

fn divides(op: &str, what: &str, size: Dim, by: usize) -> Result<()> {
    match size.known_value() {
        Some(n) if !n.is_multiple_of(by) => Err(Error::invalid_argument(op, format!("the {what} do not divide into blocks"))
            .got(format!("{n} {what}"))
            .expected(format!("a multiple of {by}"))),
        _ => Ok(()),
    }
}

/// The tensor under sizes, in an order, under sizes again.
#[track_caller]
fn turned(x: &Tensor, apart: &[Dim], order: [usize; 6], whole: [Dim; 4]) -> Result<Tensor> {
    let apart = reshape_to(x, &Shape::from_dims(apart)?)?;
    reshape_to(&permuted(&apart, &order)?, &Shape::from_dims(&whole)?)
}

#[track_caller]
fn to_depth(op: &str, x: &Tensor, block: i64, format: DataFormat) -> Result<Tensor> {
    let ([n, h, w, c], size) = checked(op, x, block, format)?;
    divides(op, "rows", h, size)?;
    divides(op, "columns", w, size)?;
    let (b, rows, columns, deep) = (Dim::known(size), h.floor_div(size), w.floor_div(size), c * size * size);
    match format {
        DataFormat::ChannelsLast => turned(x, &[n, rows, b, columns, b, c], [0, 1, 3, 2, 4, 5], [n, rows, columns, deep]),
        DataFormat::ChannelsFirst => turned(x, &[n, c, rows, b, columns, b], [0, 3, 5, 1, 2, 4], [n, deep, rows, columns]),
    }
}

#[track_caller]
fn to_space(op: &str, x: &Tensor, block: i64, format: DataFormat) -> Result<Tensor> {
    let ([n, rows, columns, deep], size) = checked(op, x, block, format)?;
    let cells = size.checked_mul(size).ok_or_else(|| Error::invalid_argument(op, "the block is too large").got(block))?;
    divides(op, "channels", deep, cells)?;
    let (b, h, w, c) = (Dim::known(size), rows * size, columns * size, deep.floor_div(cells));
    match format {
        DataFormat::ChannelsLast => turned(x, &[n, rows, columns, b, b, c], [0, 1, 3, 2, 4, 5], [n, h, w, c]),
        DataFormat::ChannelsFirst => turned(x, &[n, b, b, c, rows, columns], [0, 3, 4, 1, 5, 2], [n, c, h, w]),
    }
}

public! {
    /// Blocks of `block_size` rows and columns as channels of one cell: the rows of a block come one after the other.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([1, 2, 3, 4]), [1, 2, 2, 1]);
    /// let y = tf::nn::space_to_depth(&x, 2, tf::DataFormat::ChannelsLast);
    /// assert_eq!((y.to_vec::<i32>(), y.shape() == [1, 1, 1, 4]), (vec![1, 2, 3, 4], true));
    /// ```
    pub fn space_to_depth, try_space_to_depth(x, block_size: i64, data_format: DataFormat) -> Tensor {
        to_depth("space_to_depth", x, block_size, data_format).map_err(|e| e.named("space_to_depth"))
    }

    /// The channels of each cell as blocks of `block_size` rows and columns: the reverse of [`space_to_depth`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([1, 2, 3, 4]), [1, 1, 1, 4]);
    /// assert_eq!(tf::nn::depth_to_space(&x, 2, tf::DataFormat::ChannelsLast).shape(), [1, 2, 2, 1]);
    /// ```
    pub fn depth_to_space, try_depth_to_space(x, block_size: i64, data_format: DataFormat) -> Tensor {
        to_space("depth_to_space", x, block_size, data_format).map_err(|e| e.named("depth_to_space"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::DataFormat::{ChannelsFirst, ChannelsLast};

    #[test]
    fn gradients_and_the_way_back() {
        for (format, wide, deep) in [(ChannelsLast, [2, 4, 6, 3], [2, 2, 3, 12]), (ChannelsFirst, [2, 3, 4, 6], [2, 12, 2, 3])] {
            let (x, y) = (numbers(1, &wide), numbers(2, &deep));
            check(&|x| tf::space_to_depth(&x[0], 2, format).square(), std::slice::from_ref(&x));
            check(&|y| tf::depth_to_space(&y[0], 2, format).square(), std::slice::from_ref(&y));
            assert_eq!(tf::space_to_depth(&x, 2, format).shape(), deep);
            let back = tf::depth_to_space(&tf::space_to_depth(&x, 2, format), 2, format);
            assert_eq!(back.to_vec::<f64>(), x.to_vec::<f64>());
        }
    }

    #[test]
    fn refusals() {
        let x = tf::ones([1, 4, 4, 3]);
        assert!(tf::try_space_to_depth(&x, 3, ChannelsLast).unwrap_err().to_string().contains("space_to_depth"));
        assert!(tf::try_space_to_depth(&x, 1, ChannelsLast).is_err() && tf::try_space_to_depth(&x, -2, ChannelsLast).is_err());
        assert!(tf::try_depth_to_space(&x, 2, ChannelsLast).is_err());
        assert!(tf::try_depth_to_space(&tf::ones([4, 4, 4]), 2, ChannelsLast).is_err());
    }
}
