//! Copies of permuted, reversed, cut and broadcast views of every size of element, on one thread and on several, element by element.

use super::*;

/// A dense tensor's elements, each told by its place.
fn numbered(len: usize, size: usize) -> Vec<u128> {
    (0..(len * size).div_ceil(16))
        .map(|i| (i as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
        .collect()
}

const DTYPES: [DType; 5] = [DType::U8, DType::F16, DType::F32, DType::F64, DType::C128];

/// Copies a view of `dims` and `strides` over a tensor of `len` elements, `first` of which are skipped, to a dense one.
fn check(dtype: DType, dims: &[usize], strides: &[isize], len: usize, first: usize) {
    let size = dtype.size();
    let source = numbered(len, size);
    let bytes = source.as_ptr().cast::<u8>().cast_mut();
    let from = View::new(bytes.wrapping_add(first * size), dtype, dims, strides);
    let count: usize = dims.iter().product();
    for shared in [false, true] {
        // Memory at either end shows what is written outside; lines of the cache start where the target does.
        let mut target = vec![0u128; (count * size).div_ceil(16) + 16];
        let skip = target.as_ptr().align_offset(64).max(4);
        let start = target[skip..].as_mut_ptr().cast::<u8>();
        let to = View::dense(start, dtype, dims);
        // SAFETY: the strides stay within the source; the target has room.
        unsafe {
            match shared {
                true => copy_shared(&from, &to),
                false => copy(&from, &to),
            }
        }
        let mut index = 0;
        super::super::merge_dims::for_each_offset(dims, strides, |offset| {
            // SAFETY: within both.
            let (a, b) = unsafe {
                let at = from.ptr.wrapping_offset(offset * size as isize);
                (std::slice::from_raw_parts(at, size), std::slice::from_raw_parts(start.add(index * size), size))
            };
            assert_eq!(a, b, "element {index} of {dims:?} {strides:?} {dtype:?} {shared}");
            index += 1;
        });
        // SAFETY: the target is longer than its elements.
        let behind = unsafe { std::slice::from_raw_parts(start.add(count * size), 64) };
        assert!(target[..skip].iter().all(|&x| x == 0) && behind.iter().all(|&x| x == 0), "written outside: {dims:?}");
    }
}

/// The strides of a dense tensor's axes in the order of `perm`.
fn permuted(dims: &[usize], perm: &[usize]) -> (Vec<usize>, Vec<isize>) {
    let mut strides = [0; MAX_RANK];
    crate::shape::contiguous_strides(dims, &mut strides);
    (perm.iter().map(|&axis| dims[axis]).collect(), perm.iter().map(|&axis| strides[axis]).collect())
}

#[test]
fn transposed_matrices_of_every_size() {
    for dtype in DTYPES {
        for rows in [1, 2, 3, 7, 8, 15, 16, 17, 33, 40, 64] {
            for columns in [1, 2, 3, 5, 8, 16, 24, 31, 32, 33, 70] {
                let (dims, strides) = permuted(&[rows, columns], &[1, 0]);
                check(dtype, &dims, &strides, rows * columns, 0);
            }
        }
    }
}

#[test]
fn permuted_axes() {
    for dtype in DTYPES {
        for perm in [[0, 2, 1, 3], [0, 3, 1, 2], [0, 2, 3, 1], [3, 2, 1, 0], [1, 0, 2, 3], [2, 3, 0, 1]] {
            for sizes in [[2, 3, 4, 5], [3, 16, 9, 32], [1, 40, 8, 12], [2, 1, 17, 3]] {
                let (dims, strides) = permuted(&sizes, &perm);
                check(dtype, &dims, &strides, sizes.iter().product(), 0);
            }
        }
    }
}

#[test]
fn reversed_cut_and_broadcast_views() {
    for dtype in DTYPES {
        check(dtype, &[5, 20], &[20, -1], 100, 19);
        check(dtype, &[20, 5], &[-1, 20], 100, 19);
        check(dtype, &[20, 5], &[1, -20], 100, 80);
        check(dtype, &[9, 33], &[0, 1], 33, 0);
        check(dtype, &[33, 9], &[1, 0], 33, 0);
        check(dtype, &[30, 40], &[2, 100], 4200, 7);
        check(dtype, &[30, 10], &[100, 3], 3100, 1);
        check(dtype, &[], &[], 1, 0);
        check(dtype, &[0, 3], &[1, 0], 1, 0);
    }
}

#[test]
fn large_ones_go_past_the_caches() {
    for (rows, columns) in [(1024, 1056), (1040, 1051), (3, 400_000), (400_000, 3), (64, 20_000)] {
        let (dims, strides) = permuted(&[rows, columns], &[1, 0]);
        check(DType::F32, &dims, &strides, rows * columns, 0);
    }
    let (dims, strides) = permuted(&[4, 400, 12, 64], &[0, 2, 1, 3]);
    check(DType::F32, &dims, &strides, 4 * 400 * 12 * 64, 0);
    let (dims, strides) = permuted(&[4, 40, 56, 128], &[0, 3, 1, 2]);
    check(DType::F32, &dims, &strides, 4 * 40 * 56 * 128, 0);
}

#[test]
fn rows_of_elements_apart_of_every_size() {
    for size in [1, 2, 4, 8, 16] {
        for stride in [-3isize, -1, 0, 2, 3, 4, 7] {
            for n in [1, 15, 16, 17, 31, 32, 63, 64, 65, 200] {
                // The first and the last element are at the ends of what is there.
                let elements = (n - 1) * stride.unsigned_abs() + 1;
                let mut words = vec![0u64; (elements * size).div_ceil(8)];
                let words = words.as_mut_ptr().cast::<u8>();
                let byte = |i: usize| (i * 31 % 251) as u8;
                // SAFETY: there is room for all elements.
                (0..elements * size).for_each(|i| unsafe { *words.add(i) = byte(i) });
                let mut to = vec![0u64; 2 * n + 2];
                let first = if stride < 0 { elements - 1 } else { 0 };
                // SAFETY: the elements are there, the places as well.
                unsafe { strided_row(size, words.add(first * size), stride, to.as_mut_ptr().cast(), n) };
                let place = |i: usize| (first as isize + i as isize * stride) as usize * size;
                let want: Vec<u8> = (0..n).flat_map(|i| (0..size).map(move |k| byte(place(i) + k))).collect();
                let got: Vec<u8> = to.iter().flat_map(|word| word.to_ne_bytes()).collect();
                assert_eq!(got[..n * size], want, "{size} bytes, {n} elements {stride} apart");
                assert!(got[n * size..].iter().all(|&byte| byte == 0), "{size} bytes, {n} elements {stride} apart");
            }
        }
    }
}
