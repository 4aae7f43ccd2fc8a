//! Whether an operand is better copied than read where it lies, because its rows lie across the lines of the cache.
//! Element-wise operations and the fused loops of plans ask before they read an operand with strides.

use crate::backend::cpu::View;

/// Elements from which on a copy is worth its memory and its call.
const WORTH: usize = 4096;
/// Elements of a row up to which a loop writes them out, and packs rows about as fast as they are copied.
const SHORT: usize = 16;
/// Elements of the axis that lies dense from which on squares of them are moved at once.
const SIDE: usize = 8;

/// Whether elements that follow each other are apart in memory, while those along another axis lie side by side: as in a transposed
/// matrix. A loop over such an operand touches a line of the cache for each element, and the same lines again in the next rows; a copy
/// goes square by square.
pub fn worth_transposing(view: &View) -> bool {
    let (dims, strides) = (view.dims(), view.strides());
    let Some(last) = (0..dims.len()).rev().find(|&axis| dims[axis] > 1) else { return false };
    let step = strides[last];
    if (-1..=1).contains(&step) || view.len() < WORTH {
        return false;
    }
    // Axes that one loop goes over are one row.
    let mut row = 1;
    for axis in (0..=last).rev() {
        match dims[axis] == 1 || strides[axis] == step * row as isize {
            true => row *= dims[axis],
            false => break,
        }
    }
    let wide = || (0..last).any(|axis| strides[axis] == 1 && dims[axis] >= SIDE);
    // A copy would write out what is repeated.
    let repeats = || (0..last).any(|axis| strides[axis] == 0 && dims[axis] > 1);
    row > SHORT && wide() && !repeats()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    fn worth(dims: &[usize], strides: &[isize]) -> bool {
        worth_transposing(&View::new(std::ptr::dangling_mut(), DType::F32, dims, strides))
    }

    #[test]
    fn transposed_operands_alone_are_worth_a_copy() {
        assert!(worth(&[100, 300], &[1, 100]));
        assert!(worth(&[16, 64, 28, 28], &[64 * 784, 1, 28 * 64, 64]), "channels before pixels");
        assert!(worth(&[16, 64, 8, 8], &[64 * 64, 1, 8 * 64, 64]), "short axes that are one row");
        assert!(worth(&[100, 300, 1], &[1, 100, 5]), "an axis of one element behind");
        for (dims, strides, why) in [
            (&[100, 300][..], &[300, 1][..], "dense"),
            (&[100, 300], &[300, -1], "reversed"),
            (&[100, 300], &[600, 2], "every second element"),
            (&[100, 300], &[1, 0], "one column for all"),
            (&[30, 100, 300], &[0, 1, 100], "a repeated matrix"),
            (&[3, 3000], &[1, 3], "three channels"),
            (&[3000, 3], &[1, 3000], "short rows"),
            (&[20, 30], &[1, 20], "a small one"),
            (&[0, 30], &[1, 1], "an empty one"),
            (&[], &[], "a scalar"),
        ] {
            assert!(!worth(dims, strides), "{why}");
        }
    }
}
