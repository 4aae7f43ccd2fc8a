//! Convolution of `int32` images by plain loops, wrapping on overflow: exact, and rare enough not to need more.
//! The `conv2d` operation calls it for that dtype.

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
        let (row, column) = (pixel / g.out_w, pixel % g.out_w);
        y.fill(0);
        for (tap, w) in w.chunks_exact((g.in_c * g.out_c).max(1)).enumerate() {
            let from_top = row * g.stride_h + tap / g.k_w * g.dilation_h;
            let from_left = column * g.stride_w + tap % g.k_w * g.dilation_w;
            let (Some(i), Some(j)) = (from_top.checked_sub(g.pad_top), from_left.checked_sub(g.pad_left)) else {
                continue;
            };
            if i >= g.in_h || j >= g.in_w {
                continue;
            }
            for (&x, w) in x[(i * g.in_w + j) * g.in_c..].iter().zip(w.chunks_exact(g.out_c)) {
                y.iter_mut().zip(w).for_each(|(y, &w)| *y = y.wrapping_add(x.wrapping_mul(w)));
            }
        }
    }
}
