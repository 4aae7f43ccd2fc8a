//! What kernels for convolutions with few channels share: how images are cut into tiles that fit shared memory, and what their text
//! begins with. `conv_filter_few.rs` and `conv_few_forward.rs` launch them.

use super::program::{Form, packed};
use crate::backend::cpu::View;
use crate::backend::cpu::conv::ConvGeometry;
use crate::dtype::DType;
use std::fmt::Write;

/// Numbers of 32 bits in the shared memory of a block, as the kernels have it: what every device gives without being asked.
pub(super) const ROOM: usize = 12288;
/// Warps of a block.
pub(super) const WARPS: usize = 8;
/// The most channels, with which a tile of some rows still fits.
const CHANNELS: usize = 64;
/// Products of two numbers from which a kernel for just this convolution is worth being compiled.
const WORK: usize = 1 << 18;
/// The least pixels of an output image that are worth a tile.
const PIXELS: usize = 32;

/// Numbers from a pixel to the next in shared memory: an odd multiple of eight where a warp reads sixteen or more of each pixel, so that it
/// reads from all banks at once.
pub(super) fn pitch(channels: usize) -> usize {
    match channels {
        0..16 => channels,
        _ => channels.next_multiple_of(8) + if channels.next_multiple_of(8).is_multiple_of(16) { 8 } else { 0 },
    }
}

/// Numbers that are copied at once: pixels of so many, and memory that begins there.
pub(super) fn at_once(channels: usize, view: &View) -> usize {
    let fits = |n: &usize| channels.is_multiple_of(*n) && view.ptr.addr().is_multiple_of(4 * n);
    [4, 2].into_iter().find(fits).unwrap_or(1)
}

/// Tiles side by side, and cuts of an image, that are tried at most: the host should not think for long.
const MOST_ACROSS: usize = 16;
const TRIED: usize = 16;

/// How output images are cut into tiles, and tiles into shares of blocks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Walk {
    pub rows: usize,
    pub columns: usize,
    pub down: usize,
    pub across: usize,
}

/// Input pixels that the windows of some outputs reach.
fn reached(outputs: usize, stride: usize, taps: usize, dilation: usize) -> usize {
    (outputs - 1) * stride + (taps - 1) * dilation + 1
}

impl Walk {
    /// The tiles that should take the least time, if any fit: `numbers` of shared memory are needed for an output at least, `room` of
    /// them for a tile, which takes `cycles`.
    pub fn new(
        g: &ConvGeometry,
        numbers: usize,
        room: impl Fn(&Self) -> usize,
        cycles: impl Fn(&Self) -> usize,
    ) -> Option<Self> {
        let most = ROOM / numbers;
        let fitting = (1..=g.out_w.min(MOST_ACROSS)).flat_map(|across| {
            let columns = g.out_w.div_ceil(across);
            let least = g.out_h.div_ceil((most / columns).max(1));
            let downs = (least..=g.out_h).take(TRIED);
            downs.map(move |down| Self { rows: g.out_h.div_ceil(down), columns, down, across })
        });
        let fitting = fitting.filter(|walk| walk.rows * walk.columns <= most && room(walk) <= ROOM);
        fitting.take(TRIED).min_by_key(|walk| walk.down * walk.across * cycles(walk))
    }

    pub fn inputs(&self, g: &ConvGeometry) -> usize {
        reached(self.rows, g.stride_h, g.k_h, g.dilation_h) * reached(self.columns, g.stride_w, g.k_w, g.dilation_w)
    }

    pub fn tiles(&self, g: &ConvGeometry) -> usize {
        g.batch * self.down * self.across
    }

    /// `struct Walk` of the kernels, ten sizes of 32 bits, then two of 64: a block has `each` tiles.
    pub fn words(&self, g: &ConvGeometry, each: usize) -> [i64; 7] {
        let pair = |a: usize, b: usize| (a as u32 as u64 | (b as u64) << 32) as i64;
        [
            pair(g.in_h, g.in_w),
            pair(g.out_h, g.out_w),
            pair(g.pad_top, g.pad_left),
            pair(self.rows, self.columns),
            pair(self.down, self.across),
            self.tiles(g) as i64,
            each as i64,
        ]
    }
}

/// Whether channels are few, work is enough, and sizes fit the kernel's numbers and the form's bits.
pub(super) fn is_few(g: &ConvGeometry) -> bool {
    let work = g.batch * g.out_h * g.out_w * g.k_h * g.k_w * g.in_c * g.out_c;
    let small = [g.k_h, g.k_w, g.stride_h, g.stride_w, g.dilation_h, g.dilation_w];
    let image = (g.in_h * g.in_w * g.in_c).max(g.out_h * g.out_w * g.out_c);
    work >= WORK
        && g.out_h * g.out_w >= PIXELS
        && g.in_c.max(g.out_c) <= CHANNELS
        && small.iter().all(|&n| n < 256)
        && g.pad_top.max(g.pad_left) < 1 << 16
        && g.out_h.max(g.out_w) < 1 << 14
        && image < 1 << 30
}

/// All that the text depends on.
pub(super) fn form(text: &'static str, g: &ConvGeometry, tensor: bool, vectors: [usize; 2]) -> Form {
    let bytes = |all: &[usize]| all.iter().fold(0, |word, &byte| word << 8 | byte as u64);
    Form {
        of: text.as_ptr().addr(),
        attributes: bytes(&[g.k_h, g.k_w, g.stride_h, g.stride_w, g.dilation_h, g.dilation_w, usize::from(tensor)]),
        types: packed(&[DType::F32]),
        layout: bytes(&[g.in_c, g.out_c, vectors[0], vectors[1]]),
    }
}

/// How the text of every such kernel begins.
pub(super) fn defined(g: &ConvGeometry, tensor: bool, vectors: [usize; 2]) -> String {
    let mut text = String::from("typedef float T0;\ntypedef float A0;\n");
    for (name, value) in [
        ("IN_C", g.in_c),
        ("OUT_C", g.out_c),
        ("K_H", g.k_h),
        ("K_W", g.k_w),
        ("STRIDE_H", g.stride_h),
        ("STRIDE_W", g.stride_w),
        ("DILATION_H", g.dilation_h),
        ("DILATION_W", g.dilation_w),
        ("TENSOR", usize::from(tensor)),
        ("X_PITCH", pitch(g.in_c)),
        ("X_VECTOR", vectors[0]),
        ("Y_VECTOR", vectors[1]),
    ] {
        let _ = writeln!(text, "#define {name} {value}");
    }
    text
}
