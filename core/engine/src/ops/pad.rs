//! `pad`: the tensor with a margin of a constant, or of its own elements mirrored; dx is dy without the margin, to which
//! mirrored margins add what they were made of. TensorFlow's `tf.pad` with `CONSTANT`, `REFLECT` and `SYMMETRIC`.

mod rows;

use super::operand::ToOperand;
use super::reverse::reverse_axes;
use super::slice::{lay_axis, slice_axis};
use super::{AsTensor, add_owned, public};
use kernels::backend::cpu::vector::load_bits;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{self, Around, CudaCall};
use kernels::dtype::DTypes;
use kernels::error::{Error, OrFail, Result};
use crate::execute::execute1;
use crate::meaning::{joined, parts};
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Outputs, identity};
use kernels::shape::{AxisSet, Dim, IntoDim, MAX_RANK, Shape};
use crate::tape::Backward;
use crate::tensor::Tensor;
use rows::Rows;
use smallvec::{SmallVec, smallvec};
use std::panic::Location;
use std::sync::Arc;

/// What [`pad`] puts into the margin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PadMode {
    /// Zeros; [`pad_value`] takes another value.
    #[default]
    Constant,
    /// The elements next to the border, mirrored at the outermost one, which is not repeated.
    Reflect,
    /// The elements next to the border, mirrored with the outermost one repeated.
    Symmetric,
}

/// Inputs: the tensor, and for constants other than zero their value as a scalar.
#[derive(Clone)]
pub(crate) struct Pad {
    before: Shape,
    after: Shape,
    mode: PadMode,
}

impl Op for Pad {
    identity!("pad", {
        "before": Shape = |this| &this.before,
        "after": Shape = |this| &this.after,
        "mode": Int = |this| this.mode as i64,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        let (before, after) = (self.before.bind(lookup)?, self.after.bind(lookup)?);
        Ok(OpRef::Shared(Arc::new(Self { before, after, mode: self.mode })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::MOVABLE)?;
        let mut dims: SmallVec<[Dim; MAX_RANK]> = SmallVec::new();
        for (axis, size) in cx.shape(0).iter().enumerate() {
            let (before, after) = (self.before.dim(axis), self.after.dim(axis));
            let most = match self.mode {
                PadMode::Constant => usize::MAX,
                PadMode::Reflect => size.known_value().map_or(usize::MAX, |s| s.saturating_sub(1)),
                PadMode::Symmetric => size.known_value().unwrap_or(usize::MAX),
            };
            let widest = before.known_value().max(after.known_value());
            if widest.is_some_and(|widest| widest > most) {
                return Err(Error::invalid_argument(
                    "pad",
                    format!("the margin of axis {axis} is wider than its mirror image"),
                )
                .got(format!("{before} and {after} around a size of {size}"))
                .expected(format!("at most {most} on each side")));
            }
            dims.push(size + before + after);
        }
        cx.output(cx.dtype(0), Shape::from_dims(&dims).map_err(|e| e.in_op("pad"))?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(Rows::new(self, call).chunks(call))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let rows = Rows::new(self, call);
        for row in part(rows.count, chunk, rows.chunks(call), 1) {
            // SAFETY: dense views of the inferred types; chunks write disjoint rows.
            unsafe { rows.write(self, call, row) };
        }
        Ok(())
    }

    /// The constant.
    fn takes_from_host(&self, index: usize) -> bool {
        index == 1
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let around = match (self.mode, call.inputs.get(1)) {
            (PadMode::Reflect, _) => Around::Reflected,
            (PadMode::Symmetric, _) => Around::Mirrored,
            (PadMode::Constant, None) => Around::Constant(0),
            (PadMode::Constant, Some(value)) => match call.is_here(1) {
                // SAFETY: a scalar of the dtype in the host's memory.
                true => Around::Constant(unsafe { load_bits(input.dtype.size(), value.ptr) }),
                false => Around::Element(value.ptr),
            },
        };
        // SAFETY: views of the inferred types; the rule made room for the margins.
        unsafe { cuda::frame(call, input, out, |axis| self.margin(axis).0, around) }
    }

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        if inputs.iter().any(|t| t.dtype() != inputs[0].dtype()) {
            return Ok(None);
        }
        let (mut re, mut im): (SmallVec<[Tensor; 2]>, SmallVec<[Tensor; 2]>) = (SmallVec::new(), SmallVec::new());
        for &input in inputs {
            let (a, b) = parts(input)?;
            re.push(a);
            im.push(b);
        }
        let (re, im) = (re.iter().collect::<SmallVec<[&Tensor; 2]>>(), im.iter().collect::<SmallVec<[&Tensor; 2]>>());
        Ok(Some(smallvec![joined(&execute1(self, &re)?, &execute1(self, &im)?)?]))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        if !g.needs(0) {
            return Ok(());
        }
        let shape = g.input_type(0).shape;
        let mut dx = g.dy(0)?;
        for (axis, size) in shape.iter().enumerate() {
            dx = self.fold(&dx, axis, size)?;
        }
        g.give(0, dx);
        Ok(())
    }
}

impl Pad {
    fn margin(&self, axis: usize) -> (usize, usize) {
        (self.before[axis], self.after[axis])
    }

    /// The cotangent without the margins of one axis; mirrored margins are added to where they came from.
    fn fold(&self, dy: &Tensor, axis: usize, size: Dim) -> Result<Tensor> {
        let (before, after) = (self.before.dim(axis), self.after.dim(axis));
        if before + after == Dim::ZERO {
            return Ok(dy.clone());
        }
        let mut dx = slice_axis(dy, axis, before, size)?;
        if self.mode == PadMode::Constant {
            return Ok(dx);
        }
        let skip = usize::from(self.mode == PadMode::Reflect);
        // Where each margin begins in dy, how wide it is, and where its mirror image begins in x.
        let sides = [(Dim::ZERO, before, Dim::known(skip)), (size + before, after, size - after - skip)];
        for (begin, width, place) in sides.into_iter().filter(|(_, width, _)| *width != Dim::ZERO) {
            let mirrored = reverse_axes(&slice_axis(dy, axis, begin, width)?, AxisSet::of(&[axis]))?;
            dx = add_owned(dx, &lay_axis(&mirrored, axis, place, size)?)?;
        }
        Ok(dx)
    }
}

/// What can be written for the margins of [`pad`]: a pair of sizes for each axis, before and after it, in an array, a slice or a
/// vector; an integer tensor of shape `[rank, 2]`; `()` for a scalar.
pub trait IntoPaddings {
    /// The margins before and after each axis.
    #[doc(hidden)]
    #[track_caller]
    fn into_paddings(self) -> Result<Paddings>;
}

/// Margins before and after each axis.
#[doc(hidden)]
pub type Paddings = SmallVec<[[Dim; 2]; MAX_RANK]>;

macro_rules! paddings {
    ($([$($generics:tt)*] [$($bounds:tt)*] $t:ty;)*) => {$(
        impl<$($generics)*> IntoPaddings for $t where $($bounds)* {
            #[track_caller]
            fn into_paddings(self) -> Result<Paddings> {
                let mut all = Paddings::new();
                for [before, after] in self {
                    all.push([before.into_dim()?, after.into_dim()?]);
                }
                Ok(all)
            }
        }
    )*};
}

paddings! {
    [T, const N: usize] [T: IntoDim] [[T; 2]; N];
    ['a, T, const N: usize] [&'a T: IntoDim] &'a [[T; 2]; N];
    ['a, T] [&'a T: IntoDim] &'a [[T; 2]];
    [T] [T: IntoDim] Vec<[T; 2]>;
    ['a, T] [&'a T: IntoDim] &'a Vec<[T; 2]>;
}

impl IntoPaddings for () {
    fn into_paddings(self) -> Result<Paddings> {
        Ok(Paddings::new())
    }
}

impl IntoPaddings for &Tensor {
    #[track_caller]
    fn into_paddings(self) -> Result<Paddings> {
        if self.rank() != 2 || self.shape().dim(1) != Dim::known(2) || !self.dtype().is_integer() {
            return Err(Error::invalid_argument("pad", "a tensor that is no paddings")
                .got(self.ty())
                .expected("integers of shape [rank, 2]: before and after each axis"));
        }
        let flat = super::reshape::flatten(self)?;
        let sizes = super::size_from::sizes_from(&flat)?;
        Ok(sizes.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }
}

impl Pad {
    #[track_caller]
    fn new(paddings: impl IntoPaddings, rank: usize, mode: PadMode) -> Result<Self> {
        let paddings = paddings.into_paddings()?;
        if paddings.len() != rank || paddings.as_flattened().iter().any(|p| p.valid().is_err()) {
            return Err(Error::invalid_argument("pad", "the paddings must give the margins of each axis")
                .got(format!("{paddings:?} for a tensor of rank {rank}"))
                .expected(format!("{rank} pairs of numbers of 0 or more: before and after")));
        }
        let side = |at: usize| Shape::from_dims(&paddings.iter().map(|pair| pair[at]).collect::<SmallVec<[Dim; MAX_RANK]>>());
        Ok(Self { before: side(0)?, after: side(1)?, mode })
    }
}

public! {
    /// The tensor with `paddings[axis]` elements added before and after each axis: zeros, or its own elements mirrored.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::PadMode;
    /// let x = tf::constant([1, 2, 3]);
    /// assert_eq!(tf::pad(&x, [[1, 2]], PadMode::Constant).to_vec::<i32>(), [0, 1, 2, 3, 0, 0]);
    /// assert_eq!(tf::pad(&x, [[2, 1]], PadMode::Reflect).to_vec::<i32>(), [3, 2, 1, 2, 3, 2]);
    /// assert_eq!(tf::pad(&x, [[2, 1]], PadMode::Symmetric).to_vec::<i32>(), [2, 1, 1, 2, 3, 3]);
    /// ```
    pub fn pad, try_pad(x, paddings: impl IntoPaddings, mode: PadMode) -> Tensor {
        execute1(&Pad::new(paddings, x.rank(), mode)?, &[x])
    }
}

/// The tensor with zeros before and behind one axis.
#[track_caller]
pub(super) fn pad_axis(x: &Tensor, axis: usize, before: Dim, behind: Dim) -> Result<Tensor> {
    let mut paddings: Paddings = smallvec![[Dim::ZERO; 2]; x.rank()];
    paddings[axis] = [before, behind];
    execute1(&Pad::new(paddings.to_vec(), x.rank(), PadMode::Constant)?, &[x])
}

/// The tensor with a margin of `value`: a number, or a scalar tensor of its dtype. No gradient flows to the value.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::pad_value(&tf::constant([1, 2]), [[1, 1]], 9).to_vec::<i32>(), [9, 1, 2, 9]);
/// ```
///
/// # Panics
/// As [`try_pad_value`] fails.
#[track_caller]
pub fn pad_value(x: impl AsTensor, paddings: impl IntoPaddings, value: impl ToOperand) -> Tensor {
    try_pad_value(x, paddings, value).or_fail()
}

/// The tensor with a margin of `value`.
///
/// # Errors
/// InvalidArgument for paddings that do not fit the rank or are negative, and a value that is not a scalar of the dtype.
#[track_caller]
pub fn try_pad_value(x: impl AsTensor, paddings: impl IntoPaddings, value: impl ToOperand) -> Result<Tensor> {
    let here = Location::caller();
    with_value(&x.as_tensor(), paddings, value).map_err(|e| e.at(here))
}

#[track_caller]
fn with_value(x: &Tensor, paddings: impl IntoPaddings, value: impl ToOperand) -> Result<Tensor> {
    let value = value.to_operand().tensor("pad", x.dtype())?;
    if value.rank() != 0 {
        return Err(Error::invalid_argument("pad", "the value must be a scalar").got(value.ty()).expected("shape []"));
    }
    execute1(&Pad::new(paddings, x.rank(), PadMode::Constant)?, &[x, &value])
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::PadMode;

    #[test]
    fn gradients() {
        let x = numbers(1, &[3, 4]);
        for mode in [PadMode::Constant, PadMode::Reflect, PadMode::Symmetric] {
            check(&|x| tf::pad(&x[0], [[1, 2], [2, 3]], mode).square(), std::slice::from_ref(&x));
            check(&|x| tf::pad(&x[0], [[2, 0], [0, 0]], mode).square(), std::slice::from_ref(&x));
        }
        check(&|x| tf::pad_value(&x[0], [[1, 1], [0, 1]], 7.0).square(), std::slice::from_ref(&x));
    }

    #[test]
    fn edges_and_refusals() {
        let x = tf::constant([1, 2]);
        assert_eq!(tf::pad(&x, [[0, 0]], PadMode::Reflect).to_vec::<i32>(), [1, 2]);
        assert_eq!(tf::pad(&tf::zeros([0, 2]), [[1, 1], [0, 0]], PadMode::Constant).to_vec::<f32>(), [0.0; 4]);
        assert_eq!(tf::pad(&tf::constant(4), (), PadMode::Symmetric).item::<i32>(), 4);
        assert!(tf::try_pad(&x, [[2, 0]], PadMode::Reflect).is_err());
        assert!(tf::try_pad(&x, [[0, 3]], PadMode::Symmetric).is_err());
        assert!(
            tf::try_pad(&x, [[-1, 0]], PadMode::Constant).is_err() && tf::try_pad(&x, (), PadMode::Constant).is_err()
        );
        assert!(tf::try_pad_value(&x, [[1, 0]], 0.5).is_err());
        assert!(tf::try_pad_value(&x, [[1, 0]], &tf::constant([1, 2])).is_err());
    }

    #[test]
    fn large_ones_agree_with_a_plain_loop() {
        let x = tf::cast(&numbers(5, &[40, 30, 60]), tf::DType::F32);
        let y = tf::pad(&x, [[3, 2], [4, 29], [0, 0]], PadMode::Reflect);
        let (values, got) = (x.to_vec::<f32>(), y.to_vec::<f32>());
        let mirror = |at: isize, n: isize| if at < 0 { -at } else if at >= n { 2 * n - 2 - at } else { at } as usize;
        for (i, got) in got.into_iter().enumerate() {
            let (a, b) = (mirror((i / 60 / 63) as isize - 3, 40), mirror((i / 60 % 63) as isize - 4, 30));
            assert_eq!(got, values[(a * 30 + b) * 60 + i % 60], "{i}");
        }
    }
}
