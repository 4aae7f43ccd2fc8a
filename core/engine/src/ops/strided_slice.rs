//! `strided_slice`: a regular part given by begin, end and stride per axis, with TensorFlow's five masks; a view.
//! TensorFlow's `tf.strided_slice`; it is `slice` with the numbers worked out, then new and dropped axes by `reshape`.

use super::slice::Slice;
use super::{public, reshape_to};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use kernels::shape::{Dim, IntoShape, MAX_RANK, Shape};
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// The masks of [`strided_slice`]: bit `i` of each is about entry `i` of begin, end and strides.
///
/// ```
/// use eagerflow as tf;
/// use tf::SliceMasks;
/// let x = tf::constant([[1, 2, 3], [4, 5, 6]]);
/// let masks = SliceMasks { begin: 0b10, end: 0b10, shrink_axis: 0b01, ..SliceMasks::default() };
/// let row = tf::strided_slice(&x, [1, 0], [2, 0], [1, -1], masks);
/// assert_eq!(row.to_vec::<i32>(), [6, 5, 4]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SliceMasks {
    /// The begin is ignored: the slice starts at the near end of the axis.
    pub begin: u32,
    /// The end is ignored: the slice goes to the far end of the axis.
    pub end: u32,
    /// The entry stands for as many whole axes as are left over; at most one bit.
    pub ellipsis: u32,
    /// The entry adds an axis of size 1.
    pub new_axis: u32,
    /// The entry picks the single index `begin`, and the axis is dropped.
    pub shrink_axis: u32,
}

/// What the entries come to: a slice of the input, and the shape under which it is given.
struct Parts {
    begin: SmallVec<[Dim; MAX_RANK]>,
    size: SmallVec<[Dim; MAX_RANK]>,
    steps: SmallVec<[i64; MAX_RANK]>,
    shape: SmallVec<[Dim; MAX_RANK]>,
}

impl Parts {
    /// One axis of the input, kept in the result or not.
    fn axis(&mut self, begin: Dim, size: Dim, step: i64, keep: bool) {
        self.begin.push(begin);
        self.size.push(size);
        self.steps.push(step);
        if keep {
            self.shape.push(size);
        }
    }
}

/// Begin and size of a slice, with begin and end clamped to the axis as TensorFlow clamps them.
fn clamped(begin: Option<Dim>, end: Option<Dim>, stride: isize, whole: Dim) -> (Dim, Dim) {
    let numbers = |at: Option<Dim>| at.is_none_or(|at| at.constant().is_some());
    let (begin, size) = match whole.known_value().filter(|_| numbers(begin) && numbers(end)) {
        Some(whole) => {
            let (begin, end) = (begin.and_then(Dim::constant), end.and_then(Dim::constant));
            let (low, high) = if stride > 0 { (0, whole as isize) } else { (-1, whole as isize - 1) };
            let place = |at: isize| (if at < 0 { at.saturating_add(whole as isize) } else { at }).clamp(low, high);
            let (first, last) = if stride > 0 { (low, high) } else { (high, low) };
            let (begin, end) = (begin.map_or(first, place), end.map_or(last, place));
            let distance = if stride > 0 { end - begin } else { begin - end };
            let size = distance.max(0).unsigned_abs().div_ceil(stride.unsigned_abs());
            (Dim::known(begin.max(0).unsigned_abs()), Dim::known(size))
        }
        None => {
            let minus_one = Dim::ZERO - 1;
            let (low, high) = if stride > 0 { (Dim::ZERO, whole) } else { (minus_one, whole - 1) };
            let place = |at: Dim| match at.constant() {
                Some(number) if number < 0 => (whole - number.unsigned_abs()).max(low).min(high),
                // A size counts from the start. One that turns out negative is refused: it stays what it is.
                _ => at.min(high),
            };
            let (first, last) = if stride > 0 { (low, high) } else { (high, low) };
            let (begin, end) = (begin.map_or(first, place), end.map_or(last, place));
            let distance = if stride > 0 { end - begin } else { begin - end };
            let begin = if numbers(Some(begin)) || stride < 0 { begin.max(Dim::ZERO) } else { begin };
            (begin, distance.max(Dim::ZERO).ceil_div(stride.unsigned_abs()))
        }
    };
    // An empty slice begins anywhere: keep it inside.
    if size == Dim::ZERO { (Dim::ZERO, size) } else { (begin, size) }
}

/// The single index `at` of an axis, checked where the numbers are known (else when they are).
fn picked(entry: usize, at: Dim, whole: Dim) -> Result<Dim> {
    let Some(number) = at.constant() else { return Ok(at) };
    let Some(size) = whole.known_value() else {
        return Ok(if number < 0 { whole - number.unsigned_abs() } else { at });
    };
    let index = if number < 0 { size.checked_sub(number.unsigned_abs()) } else { Some(number.unsigned_abs()) };
    index.filter(|&i| i < size).map(Dim::known).ok_or_else(|| {
        Error::invalid_argument("strided_slice", format!("entry {entry} picks an index outside its axis"))
            .got(format!("index {at} of an axis of size {size}"))
            .expected(format!("an index from -{size} to below {size}"))
    })
}

fn parts(x: &Shape, begin: &[Dim], end: &[Dim], strides: &[isize], masks: SliceMasks) -> Result<Parts> {
    let refuse = |what: &str| {
        Err(Error::invalid_argument("strided_slice", what)
            .got(format!("begin {begin:?}, end {end:?}, strides {strides:?} for {x}")))
    };
    let entries = begin.len();
    if end.len() != entries || strides.len() != entries || entries > 32 {
        return refuse("begin, end and strides must be equally long, with at most 32 entries");
    }
    let has = |mask: u32, entry: usize| mask >> entry & 1 == 1;
    let all = if entries == 32 { u32::MAX } else { (1 << entries) - 1 };
    if (masks.ellipsis & all).count_ones() > 1 {
        return refuse("only one entry can be an ellipsis");
    }
    let is_ellipsis = |entry: usize| has(masks.ellipsis, entry);
    let named = (0..entries).filter(|&e| !is_ellipsis(e) && !has(masks.new_axis, e)).count();
    if named > x.rank() {
        return refuse("there are more entries than axes");
    }
    let mut parts =
        Parts { begin: SmallVec::new(), size: SmallVec::new(), steps: SmallVec::new(), shape: SmallVec::new() };
    let mut axis = 0;
    for entry in 0..entries {
        if is_ellipsis(entry) {
            for _ in 0..x.rank() - named {
                parts.axis(Dim::ZERO, x.dim(axis), 1, true);
                axis += 1;
            }
        } else if has(masks.new_axis, entry) {
            parts.shape.push(Dim::ONE);
        } else {
            let (whole, stride) = (x.dim(axis), strides[entry]);
            axis += 1;
            if stride == 0 {
                return refuse("a stride is 0");
            }
            if has(masks.shrink_axis, entry) {
                if stride < 0 {
                    return refuse("an entry that picks one index must have a positive stride");
                }
                let at = if has(masks.begin, entry) { Dim::ZERO } else { begin[entry] };
                parts.axis(picked(entry, at, whole)?, Dim::ONE, 1, false);
            } else {
                let open = |mask: u32, list: &[Dim]| (!has(mask, entry)).then(|| list[entry]);
                let (begin, size) = clamped(open(masks.begin, begin), open(masks.end, end), stride, whole);
                parts.axis(begin, size, stride as i64, true);
            }
        }
    }
    for rest in axis..x.rank() {
        parts.axis(Dim::ZERO, x.dim(rest), 1, true);
    }
    Ok(parts)
}

public! {
    /// The elements from `begin` up to and without `end` in steps of `strides`, per axis; axes that are not named are
    /// whole. Negative numbers count from the end, and indices beyond an axis are clamped to it. No element is copied. Begin and end
    /// may be sizes and integer tensors that have no number while a function is traced; these count from the start.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([0, 1, 2, 3, 4, 5]);
    /// let odd = tf::strided_slice(&x, [1], [6], [2], tf::SliceMasks::default());
    /// assert_eq!(odd.to_vec::<i32>(), [1, 3, 5]);
    /// ```
    pub fn strided_slice, try_strided_slice(
        x, begin: impl IntoShape, end: impl IntoShape, strides: impl AsRef<[isize]>, masks: SliceMasks
    ) -> Tensor {
        let Parts { begin, size, steps, shape } =
            parts(x.shape(), &begin.into_dims()?, &end.into_dims()?, strides.as_ref(), masks)?;
        let slice = Slice { begin: Shape::from_dims(&begin)?, size: Shape::from_dims(&size)?, steps };
        reshape_to(&execute1(&slice, &[x])?, &Shape::from_dims(&shape).map_err(|e| e.in_op("strided_slice"))?)
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use tf::SliceMasks;

    #[test]
    fn masks_views_and_gradients() {
        let masks = SliceMasks { end: 2, ellipsis: 4, new_axis: 1, shrink_axis: 8, ..SliceMasks::default() };
        let f = |x: &[tf::Tensor]| tf::strided_slice(&x[0], [0, 1, 0, -1], [0; 4], [1; 4], masks).square();
        check(&f, &[numbers(1, &[3, 2, 2])]);
        let x = tf::constant([0, 1, 2, 3, 4, 5]);
        let cut = |begin: isize, end, stride| tf::strided_slice(&x, [begin], [end], [stride], SliceMasks::default());
        assert_eq!(cut(9, -9, -2).to_vec::<i32>(), [5, 3, 1]);
        assert_eq!(cut(-9, 9, 4).to_vec::<i32>(), [0, 4]);
        assert_eq!(cut(4, 2, 1).shape(), [0]);
        assert_eq!(cut(isize::MIN, isize::MAX, isize::MAX).to_vec::<i32>(), [0]);
        assert_eq!(cut(isize::MAX, isize::MIN, isize::MIN).to_vec::<i32>(), [5]);
        let x = tf::ones([600]);
        let part = tf::strided_slice(&x, [2], [-1], [3], SliceMasks::default());
        assert_eq!(part.data(), x.data().wrapping_add(8));
    }

    #[test]
    fn refusals() {
        let x = tf::ones([3, 2]);
        let cut = |begin: &[isize], strides: &[isize], masks| {
            let error = tf::try_strided_slice(&x, begin, vec![2; begin.len()], strides, masks).unwrap_err();
            assert!(error.to_string().contains("strided_slice"), "{error}");
        };
        cut(&[0], &[0], SliceMasks::default());
        cut(&[0, 0, 0], &[1, 1, 1], SliceMasks::default());
        cut(&[0, 0], &[1], SliceMasks::default());
        cut(&[0, 0], &[1, 1], SliceMasks { ellipsis: 3, ..SliceMasks::default() });
        cut(&[3], &[1], SliceMasks { shrink_axis: 1, ..SliceMasks::default() });
        cut(&[0], &[-1], SliceMasks { shrink_axis: 1, ..SliceMasks::default() });
        cut(&[0; 9], &[1; 9], SliceMasks { new_axis: 127, ..SliceMasks::default() });
    }
}
