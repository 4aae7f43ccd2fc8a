//! `space_to_batch`, `batch_to_space` and `required_space_to_batch_paddings`: blocks of cells become entries of the batch, and back.
//! TensorFlow's `tf.space_to_batch`, `tf.space_to_batch_nd` and `tf.batch_to_space`; made of margins, slices and views, as are their gradients.

use super::pad::{IntoPaddings, PadMode, Paddings, try_pad};
use super::transpose::permuted;
use super::{functions, public, reshape_to, slice_axis, zeros_of};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Dims, IntoShape, MAX_RANK, Shape};
use smallvec::{SmallVec, smallvec};

/// Axes that are taken apart at once: of three, with what lies between them, there are as many as a shape may have.
const AT_ONCE: usize = 3;

/// The blocks along the axes behind the batch, checked, and the margins or crops of these axes.
#[track_caller]
fn checked(
    op: &str,
    what: &str,
    x: &Tensor,
    blocks: impl IntoShape,
    around: impl IntoPaddings,
) -> Result<(Dims, Paddings)> {
    let (blocks, around) = (blocks.into_dims()?, around.into_paddings()?);
    if x.rank() <= blocks.len() {
        return Err(Error::invalid_argument(op, "the tensor has too few dimensions for the blocks")
            .got(format!("{} for {} blocks", x.ty(), blocks.len()))
            .expected("a batch, and an axis for each block"));
    }
    if blocks.iter().any(|block| block.valid().is_err() || *block == Dim::ZERO) {
        return Err(Error::invalid_argument(op, "blocks must have cells")
            .got(format!("{blocks:?}"))
            .expected("sizes of at least 1"));
    }
    if around.len() != blocks.len() || around.as_flattened().iter().any(|n| n.valid().is_err()) {
        return Err(Error::invalid_argument(op, format!("the {what} must be a pair for each block"))
            .got(format!("{around:?} for {} blocks", blocks.len()))
            .expected(format!("{} pairs of numbers of 0 or more: before and after", blocks.len())));
    }
    Ok((blocks, around))
}

/// An error unless a size that is known is a multiple of another.
fn divides(op: &str, what: &str, size: Dim, by: Dim) -> Result<()> {
    let (Some(n), Some(block)) = (size.known_value(), by.known_value()) else { return Ok(()) };
    if n.is_multiple_of(block) {
        return Ok(());
    }
    Err(Error::invalid_argument(op, format!("{what} is no multiple of the block"))
        .got(format!("{size}, in blocks of {by}"))
        .expected(format!("a multiple of {by}")))
}

/// The product of sizes.
fn product(sizes: impl IntoIterator<Item = Dim>) -> Dim {
    sizes.into_iter().fold(Dim::ONE, |all, size| all * size)
}

/// The axes with a block of more than one cell, behind the batch, in groups that are taken apart together; the last group first.
fn groups(blocks: &[Dim]) -> Vec<Vec<usize>> {
    let axes: Vec<usize> = (0..blocks.len()).filter(|&i| blocks[i] != Dim::ONE).map(|i| i + 1).collect();
    axes.rchunks(AT_ONCE).map(<[usize]>::to_vec).collect()
}

/// The sizes of a tensor, where all axes between and behind those of a group are one: `[batch, (before, axis) .., behind]`.
fn merged(shape: &Shape, group: &[usize]) -> SmallVec<[Dim; MAX_RANK]> {
    let mut sizes: SmallVec<[Dim; MAX_RANK]> = smallvec![shape.dim(0)];
    let mut next = 1;
    for &axis in group {
        sizes.push(product((next..axis).map(|i| shape.dim(i))));
        sizes.push(shape.dim(axis));
        next = axis + 1;
    }
    sizes.push(product((next..shape.rank()).map(|i| shape.dim(i))));
    sizes
}

/// Sizes without those of 1 between the axes, the order that takes the blocks to the front, and its reverse.
struct Apart {
    sizes: SmallVec<[Dim; MAX_RANK]>,
    to_front: SmallVec<[usize; MAX_RANK]>,
}

impl Apart {
    /// For a tensor whose axes of a group are `size / block` long, and whose batch is `batch`.
    fn new(shape: &Shape, group: &[usize], blocks: &[Dim], batch: Dim) -> Self {
        let merged = merged(shape, group);
        let mut sizes: SmallVec<[Dim; MAX_RANK]> = smallvec![batch];
        let (mut inner, mut rest): (SmallVec<[usize; MAX_RANK]>, SmallVec<[usize; MAX_RANK]>) = (smallvec![], smallvec![0]);
        for (i, &axis) in group.iter().enumerate() {
            if merged[2 * i + 1] != Dim::ONE {
                rest.push(sizes.len());
                sizes.push(merged[2 * i + 1]);
            }
            rest.push(sizes.len());
            sizes.push(merged[2 * i + 2].floor_div_dim(blocks[axis - 1]));
            inner.push(sizes.len());
            sizes.push(blocks[axis - 1]);
        }
        rest.push(sizes.len());
        sizes.push(merged[2 * group.len() + 1]);
        inner.extend(rest);
        Self { sizes, to_front: inner }
    }

    fn fits(&self) -> bool {
        self.sizes.len() <= MAX_RANK
    }
}

/// A group that can be taken apart at once, or its axes one by one.
fn steps(shape: &Shape, group: Vec<usize>, blocks: &[Dim]) -> Vec<Vec<usize>> {
    match Apart::new(shape, &group, blocks, shape.dim(0)).fits() {
        true => vec![group],
        false => group.into_iter().rev().map(|axis| vec![axis]).collect(),
    }
}

#[track_caller]
fn into_batch(op: &str, x: &Tensor, blocks: &[Dim], paddings: &Paddings) -> Result<Tensor> {
    let mut y = x.clone();
    if paddings.as_flattened().iter().any(|n| *n != Dim::ZERO) {
        let mut margins: Vec<[Dim; 2]> = vec![[Dim::ZERO; 2]];
        margins.extend(paddings.iter().copied());
        margins.resize(x.rank(), [Dim::ZERO; 2]);
        y = try_pad(&y, margins, PadMode::Constant)?;
    }
    for (i, &block) in blocks.iter().enumerate() {
        divides(op, &format!("the size of axis {} with its margins", i + 1), y.shape().dim(i + 1), block)?;
    }
    let padded = *y.shape();
    for step in groups(blocks).into_iter().flat_map(|group| steps(&padded, group, blocks)) {
        let shape = *y.shape();
        let apart = Apart::new(&shape, &step, blocks, shape.dim(0));
        y = permuted(&reshape_to(&y, &Shape::from_dims(&apart.sizes)?)?, &apart.to_front)?;
        let mut sizes: SmallVec<[Dim; MAX_RANK]> = shape.iter().collect();
        for axis in step {
            sizes[0] = sizes[0] * blocks[axis - 1];
            sizes[axis] = sizes[axis].floor_div_dim(blocks[axis - 1]);
        }
        y = reshape_to(&y, &Shape::from_dims(&sizes)?)?;
    }
    Ok(y)
}

#[track_caller]
fn out_of_batch(op: &str, x: &Tensor, blocks: &[Dim], crops: &Paddings) -> Result<Tensor> {
    divides(op, "the batch", x.shape().dim(0), product(blocks.iter().copied()))?;
    let mut whole: SmallVec<[Dim; MAX_RANK]> = x.shape().iter().collect();
    for (i, &block) in blocks.iter().enumerate() {
        let size = x.shape().dim(i + 1) * block;
        let kept = size - crops[i][0] - crops[i][1];
        if kept.valid().is_err() {
            return Err(Error::invalid_argument(op, format!("the crops take more of axis {} than there is", i + 1))
                .got(format!("{} and {} of {size}", crops[i][0], crops[i][1]))
                .expected(format!("at most {size} in all")));
        }
        whole[i + 1] = size;
    }
    let (whole, mut y) = (Shape::from_dims(&whole)?, x.clone());
    let mut all: Vec<Vec<usize>> =
        groups(blocks).into_iter().flat_map(|group| steps(&whole, group, blocks)).collect();
    all.reverse();
    for step in all {
        // As `into_batch` takes it apart, backwards: of the sizes that this step makes.
        let mut sizes: SmallVec<[Dim; MAX_RANK]> = y.shape().iter().collect();
        for &axis in &step {
            sizes[0] = sizes[0].floor_div_dim(blocks[axis - 1]);
            sizes[axis] = sizes[axis] * blocks[axis - 1];
        }
        let made = Shape::from_dims(&sizes)?;
        let apart = Apart::new(&made, &step, blocks, made.dim(0));
        let fronted: SmallVec<[Dim; MAX_RANK]> = apart.to_front.iter().map(|&axis| apart.sizes[axis]).collect();
        let mut back: SmallVec<[usize; MAX_RANK]> = SmallVec::from_elem(0, apart.to_front.len());
        apart.to_front.iter().enumerate().for_each(|(to, &from)| back[from] = to);
        y = reshape_to(&permuted(&reshape_to(&y, &Shape::from_dims(&fronted)?)?, &back)?, &made)?;
    }
    for (i, &[before, after]) in crops.iter().enumerate() {
        if before != Dim::ZERO || after != Dim::ZERO {
            y = slice_axis(&y, i + 1, before, whole.dim(i + 1) - before - after)?;
        }
    }
    Ok(y)
}

public! {
    /// Blocks of cells as entries of the batch: `block_shape` has a size for each axis behind the batch, and `paddings` the zeros before
    /// and after it. TensorFlow's `tf.space_to_batch` and `tf.space_to_batch_nd`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([1, 2, 3, 4]), [1, 2, 2, 1]);
    /// let y = tf::space_to_batch(&x, [2, 2], [[0, 0], [0, 0]]);
    /// assert_eq!(y.shape(), [4, 1, 1, 1]);
    /// assert_eq!(tf::batch_to_space(&y, [2, 2], [[0, 0], [0, 0]]).to_vec::<i32>(), [1, 2, 3, 4]);
    /// ```
    pub fn space_to_batch, try_space_to_batch(x, block_shape: impl IntoShape, paddings: impl IntoPaddings) -> Tensor {
        let (blocks, paddings) =
            checked("space_to_batch", "paddings", x, block_shape, paddings).map_err(|e| e.named("space_to_batch"))?;
        into_batch("space_to_batch", x, &blocks, &paddings).map_err(|e| e.named("space_to_batch"))
    }

    /// Entries of the batch as blocks of cells, the reverse of [`space_to_batch`]; `crops` are the cells before and after each axis that
    /// are left out of the result. TensorFlow's `tf.batch_to_space`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::reshape(&tf::constant([1, 2, 3, 4]), [2, 2]);
    /// assert_eq!(tf::batch_to_space(&x, [2], [[0, 1]]).to_vec::<i32>(), [1, 3, 2]);
    /// ```
    pub fn batch_to_space, try_batch_to_space(x, block_shape: impl IntoShape, crops: impl IntoPaddings) -> Tensor {
        let (blocks, crops) =
            checked("batch_to_space", "crops", x, block_shape, crops).map_err(|e| e.named("batch_to_space"))?;
        out_of_batch("batch_to_space", x, &blocks, &crops).map_err(|e| e.named("batch_to_space"))
    }

    /// The least paddings with which sizes are multiples of blocks, and the crops that undo what they add to `base_paddings` (none for
    /// `None`): `int32` tensors of shape `[axes, 2]` for [`space_to_batch`] and [`batch_to_space`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (paddings, crops) = tf::required_space_to_batch_paddings(&tf::constant([5, 4]), &tf::constant([2, 2]), None);
    /// assert_eq!(paddings.to_vec::<i32>(), [0, 1, 0, 0]);
    /// assert_eq!(crops.to_vec::<i32>(), [0, 1, 0, 0]);
    /// ```
    pub fn required_space_to_batch_paddings, try_required_space_to_batch_paddings(
        input_shape,
        block_shape: &Tensor,
        base_paddings: Option<&Tensor>
    ) -> (Tensor, Tensor) {
        let op = "required_space_to_batch_paddings";
        for sizes in [input_shape, block_shape] {
            if sizes.rank() != 1 || sizes.dtype() != DType::I32 {
                return Err(Error::invalid_argument(op, "sizes are a vector of int32").got(sizes.ty()).expected("int32, one dimension"));
            }
        }
        let pairs = block_shape.shape().push(2)?;
        let zeros = zeros_of(&TensorType::new(input_shape.dtype(), *block_shape.shape()))?;
        let (before, after) = match base_paddings {
            None => (zeros.clone(), zeros.clone()),
            Some(base) if base.rank() == 2 && base.shape().iter().zip(pairs.iter()).all(|(a, b)| a.can_equal(b)) => {
                let column = |i: usize| reshape_to(&slice_axis(base, 1, Dim::known(i), Dim::ONE)?, block_shape.shape());
                (column(0)?, column(1)?)
            }
            Some(base) => {
                return Err(Error::invalid_argument(op, "the paddings must be a pair for each block").got(base.ty()).expected(pairs));
            }
        };
        let sum = functions::try_add(&functions::try_add(input_shape, &before)?, &after).map_err(|e| e.named(op))?;
        let over = functions::try_floormod(&sum, block_shape).map_err(|e| e.named(op))?;
        let missing = functions::try_floormod(&functions::try_subtract(block_shape, &over)?, block_shape)?;
        let paddings = functions::try_stack(&[&before, &functions::try_add(&after, &missing)?], 1)?;
        Ok((paddings, functions::try_stack(&[&zeros, &missing], 1)?))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_the_way_back() {
        let x = numbers(1, &[2, 3, 4, 2]);
        check(&|x| tf::space_to_batch(&x[0], [2, 2], [[1, 0], [0, 2]]).square(), std::slice::from_ref(&x));
        check(&|x| tf::batch_to_space(&x[0], [2, 1], [[1, 2], [0, 1]]).square(), std::slice::from_ref(&x));
        let blocks = [2, 1, 3, 2, 2];
        let x = tf::reshape(&tf::range(0, 2 * 4 * 2 * 3 * 2 * 4, 1), [2, 4, 2, 3, 2, 4]);
        let y = tf::space_to_batch(&x, blocks, [[0, 0]; 5]);
        assert_eq!(y.shape(), [48, 2, 2, 1, 1, 2]);
        // The last block runs fastest, the batch within it.
        assert_eq!(y.to_vec::<i32>()[8..10], [192, 194]);
        assert_eq!(tf::batch_to_space(&y, blocks, [[0, 0]; 5]).to_vec::<i32>(), x.to_vec::<i32>());
    }

    #[test]
    fn edges_and_refusals() {
        let x = tf::ones([4, 4, 4, 1]);
        assert_eq!(tf::space_to_batch(&tf::zeros([0, 4, 3]), [2], [[0, 0]]).shape(), [0, 2, 3]);
        assert_eq!(tf::batch_to_space(&x, [2, 2], [[4, 4], [0, 0]]).shape(), [1, 0, 8, 1]);
        let refused = [
            tf::try_space_to_batch(&x, [3, 2], [[0, 0]; 2]),
            tf::try_space_to_batch(&x, [0, 2], [[0, 0]; 2]),
            tf::try_space_to_batch(&x, [2, 2], [[0, 0]; 1]),
            tf::try_space_to_batch(&x, [2, 2], [[0, 0], [-1, 1]]),
            tf::try_space_to_batch(&x, [2; 4], [[0, 0]; 4]),
        ];
        assert!(refused.into_iter().all(|y| y.unwrap_err().to_string().contains("space_to_batch")));
        assert!(tf::try_batch_to_space(&x, [3, 1], [[0, 0]; 2]).is_err());
        assert!(tf::try_batch_to_space(&x, [2, 2], [[5, 4], [0, 0]]).is_err());
        assert!(tf::try_required_space_to_batch_paddings(&tf::ones([2]), &tf::constant([2, 2]), None).is_err());
    }
}
