//! `split`: a tensor cut into parts along an axis, views without a copy; dx is the parts' dy one after another.
//! TensorFlow's `tf.split`: equal parts, or parts of given sizes of which one may be -1.

use super::slice::laying;
use super::{concat_all, public, reshape_to};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, identity};
use kernels::shape::{Dim, MAX_RANK, resolve_axis};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use smallvec::smallvec;

/// How `split` cuts: into that many equal parts, or into parts of these sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Splits {
    /// So many parts of equal size.
    Parts(usize),
    /// The size of each part; one may be -1 for what the others leave.
    Sizes(Vec<isize>),
}

/// What can say how to [`split`]: a number of equal parts, or an array, slice or `Vec` of sizes.
pub trait IntoSplits {
    /// The cut as a value.
    fn into_splits(self) -> Splits;
}

impl IntoSplits for Splits {
    fn into_splits(self) -> Splits {
        self
    }
}

impl IntoSplits for usize {
    fn into_splits(self) -> Splits {
        Splits::Parts(self)
    }
}

impl<const N: usize> IntoSplits for [isize; N] {
    fn into_splits(self) -> Splits {
        Splits::Sizes(self.to_vec())
    }
}

impl IntoSplits for &[isize] {
    fn into_splits(self) -> Splits {
        Splits::Sizes(self.to_vec())
    }
}

impl IntoSplits for Vec<isize> {
    fn into_splits(self) -> Splits {
        Splits::Sizes(self)
    }
}

/// One output per part.
#[derive(Clone)]
struct Split {
    axis: usize,
    /// So many equal parts, if there are no sizes.
    parts: usize,
    sizes: Vec<i64>,
}

impl Op for Split {
    identity!("split", {
        "axis": Int = |this| this.axis as i64,
        "parts": Int = |this| this.parts as i64,
        "sizes": Ints = |this| &this.sizes,
    });

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::MOVABLE)?;
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
                Ok(Self { axis, parts: sizes.len(), sizes: sizes.iter().map(|&s| s as i64).collect() })
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

/// Given sizes with -1 worked out, checked against the whole.
fn given(sizes: &[i64], whole: Dim) -> Result<Vec<Dim>> {
    let refuse = |what: &str| {
        Err(Error::invalid_argument("split", what)
            .got(format!("sizes {sizes:?} for an axis of size {whole}"))
            .expected("sizes of 0 or more that add up to the axis, of which one may be -1"))
    };
    if sizes.iter().any(|&s| s < -1) {
        return refuse("a part has a negative size");
    }
    let open = sizes.iter().filter(|&&s| s == -1).count();
    // Saturating: a sum that overflows fits no axis.
    let sum = sizes.iter().filter(|&&s| s >= 0).fold(0usize, |sum, &s| sum.saturating_add(s as usize));
    if open > 1 {
        return refuse("more than one part is to be worked out");
    }
    // With a symbol for the whole, the slices are checked when it has its number.
    let fits = whole.known_value().is_none_or(|whole| if open == 0 { sum == whole } else { sum <= whole });
    if !fits || sum > isize::MAX as usize {
        return refuse("the sizes do not add up to the axis");
    }
    Ok(sizes.iter().map(|&s| if s < 0 { whole - sum } else { Dim::known(s as usize) }).collect())
}

public! {
    /// The parts of `x` along `axis`: equal ones for a number, or parts of the given sizes. No element is copied.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([1, 2, 3, 4, 5, 6]);
    /// assert_eq!(tf::split(&x, 3, 0)[1].to_vec::<i32>(), [3, 4]);
    /// assert_eq!(tf::split(&x, [1, -1, 2], 0)[1].to_vec::<i32>(), [2, 3, 4]);
    /// ```
    pub fn split, try_split(x, parts: impl IntoSplits, axis: isize) -> Vec<Tensor> {
        let axis = resolve_axis("split", axis, x.rank())?;
        let split = Split::new(axis, parts.into_splits())?;
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
        for sizes in [vec![1, 2], vec![-1, -1], vec![5, -1], vec![6, -2], vec![isize::MAX, isize::MAX, -1]] {
            let error = tf::try_split(&x, sizes, 0).unwrap_err().to_string();
            assert!(error.contains("split") && error.contains("size 4"), "{error}");
        }
        assert!(tf::try_split(&x, 2, 2).is_err());
    }
}
