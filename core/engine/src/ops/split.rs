//! `split`: a tensor cut into parts along an axis, views without a copy; dx is the parts' dy one after another.
//! TensorFlow's `tf.split`: equal parts, or parts of given sizes of which one may be -1.

use super::slice::laying;
use super::{concat_all, public, reshape_to};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use crate::execute::execute;
use crate::op::{Attr, Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::{Dim, IntoDim, MAX_RANK, Shape, resolve_axis};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use smallvec::smallvec;
use std::sync::Arc;

/// How `split` cuts: into that many equal parts, or into parts of these sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Splits {
    /// So many parts of equal size.
    Parts(usize),
    /// The size of each part; `None` for what the others leave, which one may be.
    Sizes(Vec<Option<Dim>>),
}

/// What can say how to [`split`]: a number of equal parts, or an array, slice or `Vec` of sizes, of which one may be -1, or an integer
/// vector as a tensor.
pub trait IntoSplits {
    /// The cut as a value.
    ///
    /// # Errors
    /// InvalidArgument for a size below -1.
    #[track_caller]
    fn into_splits(self) -> Result<Splits>;
}

impl IntoSplits for Splits {
    fn into_splits(self) -> Result<Splits> {
        Ok(self)
    }
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl IntoSplits for $t {
            fn into_splits(self) -> Result<Splits> {
                match usize::try_from(self) {
                    Ok(parts) => Ok(Splits::Parts(parts)),
                    Err(_) => Err(Error::invalid_argument("split", "no number of parts").got(self).expected("1 or more")),
                }
            }
        }
    )*};
}

numbers!(usize i32 i64);

macro_rules! lists {
    ($([$($generics:tt)*] [$($bounds:tt)*] $t:ty;)*) => {$(
        impl<$($generics)*> IntoSplits for $t where $($bounds)* {
            #[track_caller]
            fn into_splits(self) -> Result<Splits> {
                let mut sizes = Vec::new();
                for size in self {
                    sizes.push(size.into_size()?);
                }
                Ok(Splits::Sizes(sizes))
            }
        }
    )*};
}

lists! {
    [T, const N: usize] [T: IntoDim] [T; N];
    ['a, T, const N: usize] [&'a T: IntoDim] &'a [T; N];
    ['a, T] [&'a T: IntoDim] &'a [T];
    [T] [T: IntoDim] Vec<T>;
    ['a, T] [&'a T: IntoDim] &'a Vec<T>;
}

impl IntoSplits for &Tensor {
    #[track_caller]
    fn into_splits(self) -> Result<Splits> {
        super::size_from::sizes_from(self)?[..].into_splits()
    }
}

/// One output per part.
#[derive(Clone)]
struct Split {
    axis: usize,
    /// So many equal parts, if there are no sizes.
    parts: usize,
    sizes: Vec<Option<Dim>>,
}

impl Op for Split {
    identity!("split", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("axis", Attr::Int(self.axis as i64));
        visit("parts", Attr::Int(self.parts as i64));
        for size in &self.sizes {
            match size.map(|size| Shape::from_dims(&[size])) {
                Some(Ok(size)) => visit("size", Attr::Shape(&size)),
                // The size to be worked out; one that is none was refused when this was made.
                _ => visit("size", Attr::Int(-1)),
            }
        }
    }

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        let mut bound = self.clone();
        for size in bound.sizes.iter_mut().flatten() {
            *size = size.bind(lookup)?;
        }
        Ok(OpRef::Shared(Arc::new(bound)))
    }

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        let whole = *cx.shape(0);
        let sizes = self.cut(whole.dim(self.axis))?;
        let sum = sizes.iter().fold(Dim::ZERO, |sum, &size| sum + size);
        if sum != whole.dim(self.axis) {
            // Whether a size without a number can be cut so is asked when it has one.
            cx.constraints.push(sum, whole.dim(self.axis));
        }
        for size in sizes {
            cx.output(cx.dtype(0), whole.with(self.axis, size)?);
        }
        Ok(())
    }

    fn view(&self, input: &TensorType, strides: &[isize], output: &TensorType) -> Option<Layout> {
        self.views(input, strides, std::slice::from_ref(output))?.pop()
    }

    fn views(&self, _: &TensorType, strides: &[isize], outputs: &[TensorType]) -> Option<Vec<Layout>> {
        let mut begin = 0;
        let layout = |part: &TensorType| {
            let size = part.shape.dim(self.axis).known_value()?;
            let layout = part_layout(strides, begin, self.axis, part);
            begin += size;
            Some(layout)
        };
        outputs.iter().map(layout).collect()
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let sizes = self.cut(g.input_type(0).shape.dim(self.axis))?;
        join(g, self.axis, &sizes, |dy| Ok(dy.clone()))
    }
}

/// The layout of a part of a tensor with these strides, from element `begin` of the axis on.
pub(super) fn part_layout(strides: &[isize], begin: usize, axis: usize, part: &TensorType) -> Layout {
    let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
    layout.strides.iter_mut().zip(strides).for_each(|(to, &from)| *to = from);
    // An empty part has no first element that could be pointed at.
    if part.shape.num_elements() > 0 {
        layout.offset = strides[axis] * begin as isize;
    }
    layout
}

/// Tensors that a call gives at most. Handles alone take memory, also where a huge axis has no elements.
const MOST_PARTS: usize = 1 << 24;

/// An error for more parts than anybody can hold.
pub(super) fn check_parts(op: &str, parts: usize) -> Result<()> {
    if parts <= MOST_PARTS {
        return Ok(());
    }
    Err(Error::resource_exhausted(op, "there is no memory for so many tensors")
        .got(format!("{parts} parts"))
        .expected(format!("at most {MOST_PARTS}")))
}

/// Answers the input's cotangent from those of the outputs, which lie one after another, each brought into the input's rank by
/// `whole`: outputs side by side through which something flows are one part.
pub(super) fn join(
    g: &mut Backward<'_>,
    axis: usize,
    sizes: &[Dim],
    whole: impl Fn(&Tensor) -> Result<Tensor>,
) -> Result<()> {
    let ty = *g.input_type(0);
    let (mut begin, mut at, mut run) = (Dim::ZERO, Dim::ZERO, Vec::with_capacity(sizes.len()));
    for i in 0..=sizes.len() {
        match sizes.get(i).and_then(|_| g.dy_or_none(i)) {
            Some(dy) => run.push(whole(dy)?),
            None if run.is_empty() => {}
            None if run.len() == sizes.len() => {
                let joined = concat_all(&run.iter().collect::<Vec<_>>(), axis)?;
                g.give(0, reshape_to(&joined, &ty.shape)?);
                return Ok(());
            }
            None => {
                let part = concat_all(&std::mem::take(&mut run).iter().collect::<Vec<_>>(), axis)?;
                let shape = ty.shape.with(axis, at - begin)?;
                let laid = laying(&shape, axis, begin, ty.shape.dim(axis))?;
                g.give_part(0, &laid, smallvec![reshape_to(&part, &shape)?]);
            }
        }
        let Some(&size) = sizes.get(i) else { break };
        at = at + size;
        if run.is_empty() {
            begin = at;
        }
    }
    Ok(())
}

impl Split {
    fn new(axis: usize, splits: Splits) -> Result<Self> {
        match splits {
            Splits::Parts(0) => Err(Error::invalid_argument("split", "nothing can be cut into no parts")
                .got("0 parts")
                .expected("at least one part")),
            Splits::Parts(parts) => Ok(Self { axis, parts, sizes: Vec::new() }),
            Splits::Sizes(sizes) => {
                for size in sizes.iter().flatten() {
                    size.valid()?;
                }
                Ok(Self { axis, parts: sizes.len(), sizes })
            }
        }
    }

    /// The size of each part of an axis.
    fn cut(&self, whole: Dim) -> Result<Vec<Dim>> {
        if !self.sizes.is_empty() || self.parts == 0 {
            return given(&self.sizes, whole);
        }
        let size = whole.floor_div(self.parts);
        if whole.is_known() && size * self.parts != whole {
            return Err(Error::invalid_argument("split", "the axis cannot be cut into equal parts")
                .got(format!("size {whole} into {} parts", self.parts))
                .expected(format!("a multiple of {}", self.parts))
                .help("give the sizes of the parts instead"));
        }
        Ok(vec![size; self.parts])
    }
}

/// Given sizes with the open one worked out, checked against the whole.
fn given(sizes: &[Option<Dim>], whole: Dim) -> Result<Vec<Dim>> {
    let refuse = |what: &str| {
        let sizes: Vec<_> = sizes.iter().map(|size| size.map_or_else(|| "-1".into(), |size| size.to_string())).collect();
        Err(Error::invalid_argument("split", what)
            .got(format!("sizes [{}] for an axis of size {whole}", sizes.join(", ")))
            .expected("sizes of 0 or more that add up to the axis, of which one may be -1"))
    };
    let open = sizes.iter().filter(|size| size.is_none()).count();
    if open > 1 {
        return refuse("more than one part is to be worked out");
    }
    let sum = sizes.iter().flatten().fold(Dim::ZERO, |sum, &size| sum + size);
    // With symbols for the sizes or the whole, the parts are checked when these have numbers.
    let fits = match (sum.known_value(), whole.known_value()) {
        (Some(sum), Some(whole)) => if open == 0 { sum == whole } else { sum <= whole },
        _ => sum != Dim::INVALID,
    };
    if !fits {
        return refuse("the sizes do not add up to the axis");
    }
    Ok(sizes.iter().map(|size| size.unwrap_or(whole - sum)).collect())
}

public! {
    /// The parts of `x` along `axis`: equal ones for a number, or parts of the given sizes. No element is copied. Sizes may be integer
    /// tensors and sizes without a number; how many parts there are must be known.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3, 4, 5, 6]);
    /// assert_eq!(tf::split(&x, 3, 0)[1].to_vec::<i32>(), [3, 4]);
    /// assert_eq!(tf::split(&x, [1, -1, 2], 0)[1].to_vec::<i32>(), [2, 3, 4]);
    /// ```
    pub fn split, try_split(x, parts: impl IntoSplits, axis: isize) -> Vec<Tensor> {
        let axis = resolve_axis("split", axis, x.rank())?;
        let split = Split::new(axis, parts.into_splits().map_err(|e| e.in_op("split"))?)?;
        check_parts("split", split.parts)?;
        if split.parts == 0 {
            given(&[], x.shape().dim(axis))?;
            return Ok(Vec::new());
        }
        Ok(execute(&split, &[x])?.into_vec())
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn views_with_gradients() {
        check(&|x| tf::split(&x[0], 2, 0)[1].square(), &[numbers(1, &[4, 2])]);
        check(&|x| tf::split(&x[0], [1, -1, 2], -1)[1].square(), &[numbers(1, &[2, 5])]);
        let x = tf::ones([40, 20]);
        assert_eq!(tf::split(&x, 2, 0)[0].data(), x.data());
        let x = tf::ones([4, 2]);
        assert_eq!(tf::split(&x, [0, 4], 0)[0].shape(), [0, 2]);
        assert_eq!(tf::split(&tf::ones([0]), 3, 0).len(), 3);
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let x = tf::ones([4, 2]);
        for parts in [tf::Splits::Parts(3), tf::Splits::Parts(0)] {
            assert!(tf::try_split(&x, parts, 0).is_err());
        }
        for sizes in [vec![1, 2], vec![-1, -1], vec![5, -1], vec![isize::MAX, isize::MAX, -1]] {
            let error = tf::try_split(&x, sizes, 0).unwrap_err().to_string();
            assert!(error.contains("split") && error.contains("size 4"), "{error}");
        }
        let error = tf::try_split(&x, [6, -2], 0).unwrap_err().to_string();
        assert!(error.contains("split") && error.contains("negative size -2"), "{error}");
        assert!(tf::try_split(&x, 2, 2).is_err());
    }
}
