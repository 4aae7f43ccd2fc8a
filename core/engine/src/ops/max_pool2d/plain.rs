//! Maximum pooling by plain loops for integers, the numbers that lie where the maxima are, and those places.
//! `max_pool2d` calls the first for dtypes without vector kernels, its second-order gradient and `max_pool_with_argmax` the others.

use kernels::backend::cpu::pool2d::PoolGeometry;
use crate::ops::pooling::cells;

/// One image of maximum pooling.
///
/// # Safety
/// `y` holds the output of the geometry, image `image` of which nobody else uses; `x` is its input.
pub unsafe fn max_pool<T: Copy + Ord>(g: &PoolGeometry, x: &[T], y: *mut T, image: usize, lowest: T) {
    let size = g.out_h * g.out_w * g.channels;
    // SAFETY: by the caller's promise.
    let y = unsafe { std::slice::from_raw_parts_mut(y.add(image * size), size) };
    for (at, y) in y.iter_mut().enumerate() {
        let best = window(g, image, at).map(|cell| x[cell]).max();
        *y = best.unwrap_or(lowest);
    }
}

/// For one image: `out` gets the element of `v` that lies where the window's first maximum of `x` is.
///
/// # Safety
/// As [`max_pool`].
pub unsafe fn pick<T: Copy + PartialOrd + Default>(
    g: &PoolGeometry,
    x: &[T],
    v: &[T],
    out: *mut T,
    image: usize,
) {
    let size = g.out_h * g.out_w * g.channels;
    // SAFETY: by the caller's promise.
    let out = unsafe { std::slice::from_raw_parts_mut(out.add(image * size), size) };
    for (at, out) in out.iter_mut().enumerate() {
        *out = best(g, x, image, at).map_or(T::default(), |cell| v[cell]);
    }
}

/// For one image: `out` gets the number of the element that is the first maximum of the window, counted from the image's first
/// element or from the batch's; -1 where a window has no cells.
///
/// # Safety
/// As [`max_pool`].
pub unsafe fn places<T: Copy + PartialOrd>(g: &PoolGeometry, x: &[T], out: *mut i64, image: usize, batch: bool) {
    let size = g.out_h * g.out_w * g.channels;
    let first = if batch { 0 } else { image * g.in_h * g.in_w * g.channels };
    // SAFETY: by the caller's promise.
    let out = unsafe { std::slice::from_raw_parts_mut(out.add(image * size), size) };
    for (at, out) in out.iter_mut().enumerate() {
        *out = best(g, x, image, at).map_or(-1, |cell| (cell - first) as i64);
    }
}

/// The element that is the first maximum of a window.
fn best<T: Copy + PartialOrd>(g: &PoolGeometry, x: &[T], image: usize, at: usize) -> Option<usize> {
    window(g, image, at).reduce(|old, cell| {
        // A nan, which is not comparable with itself, wins over numbers and stays.
        let nan = |i: usize| x[i].partial_cmp(&x[i]).is_none();
        if x[cell] > x[old] || nan(cell) && !nan(old) { cell } else { old }
    })
}

/// The elements of the input in the window of output element `at` of an image, in row-major order.
fn window(g: &PoolGeometry, image: usize, at: usize) -> impl Iterator<Item = usize> {
    let (pixel, channel) = (at / g.channels, at % g.channels);
    let rows = cells(pixel / g.out_w, g.stride_h, g.k_h, g.pad_top, g.in_h);
    let cols = cells(pixel % g.out_w, g.stride_w, g.k_w, g.pad_left, g.in_w);
    let (h, w, channels) = (g.in_h, g.in_w, g.channels);
    rows.flat_map(move |row| cols.clone().map(move |col| ((image * h + row) * w + col) * channels + channel))
}
