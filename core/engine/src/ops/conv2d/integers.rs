//! Convolution of `int32` images by plain loops, and the transposed one, wrapping on overflow: exact, and rare enough not to need more.
//! The `conv2d` operation and its gradient by images call them for that dtype.

use kernels::backend::cpu::conv::ConvGeometry;

/// Images are independent.
pub(super) fn chunks(g: &ConvGeometry) -> usize {
    g.batch
}

/// One image.
///
/// # Safety
/// `x`, `w` and `y` hold the dense tensors of the geometry, and nobody else uses image `image` of `y`.
pub(super) unsafe fn forward(g: &ConvGeometry, x: *const i32, w: *const i32, y: *mut i32, image: usize) {
    let out_size = g.out_h * g.out_w * g.out_c;
    if image >= g.batch || out_size == 0 {
        return;
    }
    let in_size = g.in_h * g.in_w * g.in_c;
    // SAFETY: by the caller's promise.
    let (x, w, y) = unsafe {
        let x = std::slice::from_raw_parts(x.add(image * in_size), in_size);
        let w = std::slice::from_raw_parts(w, g.depth() * g.out_c);
        (x, w, std::slice::from_raw_parts_mut(y.add(image * out_size), out_size))
    };
    for (pixel, y) in y.chunks_exact_mut(g.out_c).enumerate() {
        y.fill(0);
        for (tap, w) in w.chunks_exact((g.in_c * g.out_c).max(1)).enumerate() {
            let Some(at) = read(g, pixel, tap) else { continue };
            for (&x, w) in x[at * g.in_c..].iter().zip(w.chunks_exact(g.out_c)) {
                y.iter_mut().zip(w).for_each(|(y, &w)| *y = y.wrapping_add(x.wrapping_mul(w)));
            }
        }
    }
}

/// One image of the transposed convolution.
///
/// # Safety
/// As [`forward`], with `dx` to be written.
pub(super) unsafe fn input_gradient(g: &ConvGeometry, dy: *const i32, w: *const i32, dx: *mut i32, image: usize) {
    let in_size = g.in_h * g.in_w * g.in_c;
    if image >= g.batch || in_size == 0 {
        return;
    }
    let out_size = g.out_h * g.out_w * g.out_c;
    // SAFETY: by the caller's promise.
    let (dx, w, dy) = unsafe {
        let dx = std::slice::from_raw_parts_mut(dx.add(image * in_size), in_size);
        let w = std::slice::from_raw_parts(w, g.depth() * g.out_c);
        (dx, w, std::slice::from_raw_parts(dy.add(image * out_size), out_size))
    };
    dx.fill(0);
    for (pixel, dy) in dy.chunks_exact(g.out_c.max(1)).enumerate() {
        for (tap, w) in w.chunks_exact((g.in_c * g.out_c).max(1)).enumerate() {
            let Some(at) = read(g, pixel, tap) else { continue };
            for (dx, w) in dx[at * g.in_c..].iter_mut().zip(w.chunks_exact(g.out_c)) {
                *dx = dy.iter().zip(w).fold(*dx, |sum, (&dy, &w)| sum.wrapping_add(dy.wrapping_mul(w)));
            }
        }
    }
}

/// The pixel of its image that a tap reads for a pixel of the output, if it is inside.
fn read(g: &ConvGeometry, pixel: usize, tap: usize) -> Option<usize> {
    let from_top = pixel / g.out_w * g.stride_h + tap / g.k_w * g.dilation_h;
    let from_left = pixel % g.out_w * g.stride_w + tap % g.k_w * g.dilation_w;
    let (i, j) = (from_top.checked_sub(g.pad_top)?, from_left.checked_sub(g.pad_left)?);
    (i < g.in_h && j < g.in_w).then_some(i * g.in_w + j)
}
