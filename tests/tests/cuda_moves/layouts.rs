//! Copies to other places: joined, repeated and framed tensors, and the gradients of slices.

use super::{SIZES, alike, numbers};
use eagerflow::{self as tf, DType, GradientTape, PadMode, SliceMasks, Tensor};
use eagerflow_tests::cuda::watched_gpu as gpu;

#[test]
fn joined() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL {
        for n in SIZES {
            let parts = || [numbers(&[3, n], dtype), numbers(&[3, 5], dtype), numbers(&[3, 2 * n], dtype)];
            alike(format!("{dtype} {n}"), || tf::concat(&parts(), 1));
            let turned = || parts().map(|part| tf::transpose(&part, []));
            alike(format!("strided {dtype} {n}"), || tf::concat(&turned(), 0));
            alike(format!("strided, inner {dtype} {n}"), || {
                let [a, b] = [&turned()[1], &numbers(&[5, 2], dtype)].map(Tensor::clone);
                tf::concat(&[&a, &b], 1)
            });
        }
    }
}

#[test]
fn joined_from_many() {
    let Some(_gpu) = gpu() else { return };
    for (count, inner) in [(63, 4), (64, 1), (65, 4), (200, 3)] {
        let parts: Vec<Tensor> = (0..count).map(|i| numbers(&[2, i % 7, inner], DType::F32) + i as f32).collect();
        for axis in [0, 1] {
            let some: Vec<&Tensor> = parts.iter().filter(|p| axis == 1 || p.shape()[1] == 3).collect();
            alike(format!("{count} along {axis}"), || tf::concat(&some, axis));
        }
    }
    // Rows that begin at odd places of their tensors cannot be moved in wide units.
    alike("odd places", || {
        let x = numbers(&[9, 8], DType::U8).gpu();
        tf::concat(&[&x.slice([1, 3], [5, 4]), &x.slice([2, 1], [5, 7])], 1)
    });
    alike("large", || tf::concat(&[&numbers(&[300, 100], DType::F64), &numbers(&[300, 41], DType::F64)], 1));
}

/// What asks for elements in order copies whole runs where neighbours lie side by side, in units that their lengths allow.
#[test]
fn brought_into_order() {
    let Some(_gpu) = gpu() else { return };
    for dtype in [DType::F32, DType::BF16, DType::U8, DType::F64] {
        for inner in [1, 3, 8, 64] {
            let x = || numbers(&[2, 5, 3, inner], dtype);
            alike(format!("{dtype} {inner} permuted"), || tf::tile(&tf::transpose(&x(), [0, 2, 1, 3]), [1, 1, 1, 2]));
            alike(format!("{dtype} {inner} sliced"), || {
                tf::concat(&[&x().slice([0, 1, 0, 0], [2, 3, 3, inner as isize]), &x()], 1)
            });
            alike(format!("{dtype} {inner} reshaped"), || tf::transpose(&x(), [2, 0, 1, 3]).reshape([6, -1]));
            alike(format!("{dtype} {inner} turned"), || tf::transpose(&x(), [3, 2, 1, 0]).reshape([-1]));
        }
    }
}

/// Transposed operands are turned by tiles: sides around those of tiles, whole numbers of 16 bytes and others, slices that begin anywhere,
/// repeated rows, and other dimensions around the two.
#[test]
fn turned_by_tiles() {
    let Some(_gpu) = gpu() else { return };
    // Elements of 1, 2, 4, 8 and 16 bytes.
    for dtype in [DType::U8, DType::BF16, DType::F32, DType::F64, DType::C128] {
        let order = |x: &Tensor, axes: &[isize]| tf::transpose(x, axes).reshape([-1]);
        for [rows, columns] in
            [[8, 8], [16, 48], [64, 64], [32, 160], [144, 80], [256, 16], [63, 65], [129, 9], [100, 132]]
        {
            let x = || numbers(&[rows, columns], dtype);
            alike(format!("{dtype} {rows} by {columns}"), || order(&x(), &[1, 0]));
        }
        let x = || numbers(&[3, 48, 2, 64], dtype);
        for axes in [[3, 2, 1, 0], [0, 3, 2, 1], [2, 0, 3, 1], [1, 3, 0, 2]] {
            alike(format!("{dtype} {axes:?}"), || order(&x(), &axes));
        }
        for (begin, size) in [([16, 16], [80, 64]), ([16, 1], [64, 64]), ([1, 16], [64, 48]), ([0, 0], [96, 33])] {
            let part = || numbers(&[112, 96], dtype).slice(begin, size);
            alike(format!("{dtype} from {begin:?}"), || order(&part(), &[1, 0]));
        }
        alike(format!("{dtype} repeated"), || {
            let repeated = tf::broadcast_to(&numbers(&[2, 1, 32], dtype), [2, 48, 32]);
            order(&repeated, &[0, 2, 1])
        });
        alike(format!("{dtype} backwards"), || order(&tf::reverse(&numbers(&[48, 64], dtype), [0]), &[1, 0]));
    }
}

#[test]
fn repeated() {
    let Some(_gpu) = gpu() else { return };
    for dtype in DType::ALL.into_iter().filter(|&d| d != DType::U16) {
        for n in SIZES {
            alike(format!("{dtype} {n}"), || tf::tile(&numbers(&[2, n], dtype), [3, 1]));
            alike(format!("{dtype} {n} inner"), || tf::tile(&numbers(&[n, 3], dtype), [1, 4]));
        }
    }
    alike("none", || tf::tile(&numbers(&[2, 3], DType::F32), [0, 2]));
    alike("scalar", || tf::tile(&numbers(&[], DType::F32), ()));
    alike("eight axes", || tf::tile(&numbers(&[2; 8], DType::I16), [2, 1, 2, 2, 1, 2, 2, 2]));
    alike("all axes", || tf::tile(&numbers(&[2; 8], DType::U8), [2; 8]));
    alike("strided", || tf::tile(tf::transpose(&numbers(&[8, 6], DType::F32), []), [2, 3]));
}

#[test]
fn framed() {
    let Some(_gpu) = gpu() else { return };
    let modes = [PadMode::Constant, PadMode::Reflect, PadMode::Symmetric];
    for dtype in DType::ALL {
        for mode in modes {
            for (shape, paddings) in [
                ([3, 4, 16], [[1, 2], [3, 2], [0, 0]]),
                ([3, 4, 5], [[0, 0], [2, 0], [4, 3]]),
                ([5, 2, 3], [[4, 1], [0, 0], [0, 0]]),
                ([5, 2, 300], [[0, 0], [0, 1], [16, 8]]),
                ([1, 1, 4], [[0, 0], [0, 0], [2, 1]]),
            ] {
                let x = || numbers(&shape, dtype);
                alike(format!("{dtype} {mode:?} {shape:?}"), || tf::pad(&x(), paddings, mode));
            }
        }
        let value = || tf::cast(&tf::constant(1), dtype);
        alike(format!("value {dtype}"), || tf::pad_value(&numbers(&[3, 7], dtype), [[1, 2], [4, 0]], &value()));
    }
    alike("a float", || tf::pad_value(&numbers(&[3, 4], DType::F32), [[1, 2], [4, 4]], -1.5));
    alike("nothing inside", || tf::pad(&numbers(&[0, 2], DType::F32), [[1, 1], [0, 3]], PadMode::Constant));
    alike("scalar", || tf::pad(&numbers(&[], DType::F32), (), PadMode::Symmetric));
    alike("strided", || tf::pad(tf::transpose(&numbers(&[4, 6], DType::F32), []), [[1, 1], [2, 0]], PadMode::Reflect));
}

/// The gradient of a function's sum of squares.
fn gradient(shape: &[usize], dtype: DType, f: impl Fn(&Tensor) -> Tensor) -> Tensor {
    let x = numbers(shape, dtype);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = f(&x);
    tape.gradient(&tf::reduce_sum(&(&y * &y), ()), &x)
}

#[test]
fn gradients_of_movements() {
    let Some(_gpu) = gpu() else { return };
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        for mode in [PadMode::Constant, PadMode::Reflect, PadMode::Symmetric] {
            let f = |x: &Tensor| tf::pad(x, [[1, 2], [2, 3]], mode);
            alike(format!("pad {dtype} {mode:?}"), || gradient(&[3, 4], dtype, f));
        }
        for (begin, size) in [([0, 0], [5, 8]), ([1, 3], [3, 5]), ([4, 0], [1, 8]), ([0, 1], [5, 6]), ([2, 2], [0, 3])]
        {
            let f = |x: &Tensor| tf::slice(x, begin, size);
            alike(format!("slice {dtype} {begin:?}"), || gradient(&[5, 8], dtype, f));
        }
        for (begin, end, stride) in [(0, 40, 2), (39, 0, -3), (1, 40, 7), (5, 6, 9), (39, -41, -1)] {
            let f = |x: &Tensor| tf::strided_slice(x, [begin], [end], [stride], SliceMasks::default());
            alike(format!("steps {dtype} {begin}"), || gradient(&[40, 3], dtype, f));
        }
        let f = |x: &Tensor| tf::tile(x, [2, 3]);
        alike(format!("tile {dtype}"), || gradient(&[2, 3], dtype, f));
        let f = |x: &Tensor| tf::concat(&[x, &tf::transpose(x, []), x], 0);
        alike(format!("concat {dtype}"), || gradient(&[4, 4], dtype, f));
    }
}
