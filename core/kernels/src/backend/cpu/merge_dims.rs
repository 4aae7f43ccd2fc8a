//! Merging of dimensions that several operands walk through alike, and the odometer over what remains.
//! The tile machine, copies and reductions call it before they choose an inner loop.

use crate::shape::MAX_RANK;
use smallvec::SmallVec;

/// Dimensions after merging, outermost first, with the strides of each operand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collapsed {
    pub dims: SmallVec<[usize; MAX_RANK]>,
    strides: SmallVec<[isize; 24]>,
    operands: usize,
}

impl Collapsed {
    /// The stride of an operand along a merged dimension, in elements.
    #[inline]
    pub fn stride(&self, axis: usize, operand: usize) -> isize {
        self.strides[axis * self.operands + operand]
    }

    /// Whether the operand's elements lie in row-major order without gaps.
    pub fn is_dense(&self, operand: usize) -> bool {
        let mut expected = 1;
        (0..self.dims.len()).rev().all(|axis| {
            let fits = self.stride(axis, operand) == expected || self.dims[axis] == 1;
            expected *= self.dims[axis] as isize;
            fits
        })
    }
}

/// Merges neighbouring dimensions wherever every operand steps through both as through one; drops those of size 1.
///
/// The result has at least one dimension. `stride(operand, dim)` gives element strides; `same(a, b)` can forbid a merge
/// of neighbours for other reasons.
pub fn collapse(
    dims: &[usize],
    operands: usize,
    stride: impl Fn(usize, usize) -> isize,
    same: impl Fn(usize, usize) -> bool,
) -> Collapsed {
    let mut out = Collapsed { dims: SmallVec::new(), strides: SmallVec::new(), operands };
    let mut last_axis = 0;
    for (axis, &dim) in dims.iter().enumerate() {
        if dim == 1 {
            continue;
        }
        let start = out.strides.len().wrapping_sub(operands);
        let merges = !out.dims.is_empty()
            && same(last_axis, axis)
            && (0..operands).all(|o| out.strides[start + o] == stride(o, axis) * dim as isize);
        last_axis = axis;
        if merges {
            if let Some(last) = out.dims.last_mut() {
                *last *= dim;
            }
            (0..operands).for_each(|o| out.strides[start + o] = stride(o, axis));
        } else {
            out.dims.push(dim);
            out.strides.extend((0..operands).map(|o| stride(o, axis)));
        }
    }
    if out.dims.is_empty() {
        out.dims.push(1);
        out.strides.extend((0..operands).map(|_| 0));
    }
    out
}

/// Calls `visit` with the element offset of every index of `dims`, in row-major order.
pub fn for_each_offset(dims: &[usize], strides: &[isize], mut visit: impl FnMut(isize)) {
    for_each_row(dims, strides, |offset, len, stride| {
        for i in 0..len {
            visit(offset + i as isize * stride);
        }
    });
}

/// Calls `visit` with the offset, length and stride of every innermost row, in row-major order.
pub fn for_each_row(dims: &[usize], strides: &[isize], mut visit: impl FnMut(isize, usize, isize)) {
    let Some((&len, outer)) = dims.split_last() else {
        return visit(0, 1, 0);
    };
    if dims.contains(&0) {
        return;
    }
    let stride = strides[dims.len() - 1];
    let mut index = [0usize; MAX_RANK];
    let mut offset = 0isize;
    loop {
        visit(offset, len, stride);
        let mut axis = outer.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            offset += strides[axis];
            if index[axis] < outer[axis] {
                break;
            }
            offset -= strides[axis] * outer[axis] as isize;
            index[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_operands_become_one_run() {
        let strides = [[12, 4, 1], [12, 4, 1]];
        let c = collapse(&[2, 3, 4], 2, |operand, axis| strides[operand][axis], |_, _| true);
        assert_eq!((&c.dims[..], &c.strides[..]), (&[24][..], &[1, 1][..]));
        assert!(c.is_dense(0));
    }

    #[test]
    fn broadcast_bias_keeps_two_dimensions() {
        let strides = [[12, 4, 1], [0, 0, 1]];
        let c = collapse(&[2, 3, 4], 2, |operand, axis| strides[operand][axis], |_, _| true);
        assert_eq!((&c.dims[..], &c.strides[..]), (&[6, 4][..], &[4, 0, 1, 1][..]));
        assert!(c.is_dense(0) && !c.is_dense(1));
    }

    #[test]
    fn offsets_come_in_row_major_order_of_a_transpose() {
        let mut seen = vec![];
        for_each_offset(&[3, 2], &[1, 3], |o| seen.push(o));
        assert_eq!(seen, [0, 3, 1, 4, 2, 5]);
        let mut count = 0;
        for_each_offset(&[], &[], |_| count += 1);
        for_each_offset(&[2, 0], &[0, 1], |_| count += 10);
        assert_eq!(count, 1);
    }
}
