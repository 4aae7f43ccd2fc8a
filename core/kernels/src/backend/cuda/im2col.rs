//! Convolutions of much work as products of the library: patches of some images at a time are written out, and multiplied
//! while they are still near. `conv.rs` asks here first; small ones, and devices without the library, take tiles.

use super::call::CudaCall;
use super::conv::{by_tensor_cores, geometry, matrix, turned};
use super::library;
use super::product::{Plus, product};
use super::program::Kernel;
use super::strided_copy::{DIVIDED, Moving, moving, unit_of};
use crate::backend::cpu::View;
use crate::backend::cpu::conv::ConvGeometry;
use crate::error::Result;

static PATCHES: Moving = moving!("patches", DIVIDED, include_str!("image.cuh"), include_str!("patches.cuh"));
static GATHER: Kernel =
    Kernel { name: "gather_patches", text: &[DIVIDED, include_str!("image.cuh"), include_str!("gather_patches.cuh")] };

/// Bytes of the patches that are written out at a time: about what the second-level cache of a large device holds.
const NEAR: usize = 64 << 20;
/// Products of two numbers that are worth writing patches out, and the least steps.
const WORK: usize = 1 << 23;
const STEPS: usize = 16;
/// The least columns with which the library is faster than tiles by more than writing and reading patches costs: without tensor cores,
/// and with them for elements of 32 and of 16 bits.
const COLUMNS: [usize; 3] = [48, 32, 32];

/// Groups of images whose patches are written out together.
pub(super) struct Groups<'a> {
    call: &'a CudaCall<'a>,
    g: ConvGeometry,
    images: usize,
    pixels: usize,
    depth: usize,
}

impl<'a> Groups<'a> {
    /// The groups of a convolution, if it is better done so.
    pub fn new(call: &'a CudaCall<'a>, g: &ConvGeometry, like: &View) -> Option<Self> {
        let (pixels, depth) = (g.out_h * g.out_w, g.k_h * g.k_w * g.in_c);
        let work = g.batch * pixels * depth * g.out_c;
        let least = match by_tensor_cores(call, like.dtype) {
            false => COLUMNS[0],
            true => COLUMNS[if like.dtype.size() == 4 { 1 } else { 2 }],
        };
        let worth = like.dtype.is_floating() && work >= WORK && g.out_c >= least && depth >= STEPS;
        if !worth || !library::is_there(call) {
            return None;
        }
        let images = (NEAR / (pixels * depth * like.dtype.size())).clamp(1, g.batch);
        Some(Self { call, g: *g, images, pixels, depth })
    }

    /// Calls `f` for each group with its geometry, and room for its patches as a matrix.
    fn each(&self, like: &View, mut f: impl FnMut(usize, &ConvGeometry, &View) -> Result<()>) -> Result<()> {
        let size = like.dtype.size();
        let scratch = self.call.scratch(self.images * self.pixels * self.depth * size)?;
        let room = View::dense(scratch.address() as usize as *mut u8, like.dtype, &[]);
        for first in (0..self.g.batch).step_by(self.images) {
            let g = ConvGeometry { batch: self.images.min(self.g.batch - first), ..self.g };
            f(first, &g, &matrix(&room, g.batch * self.pixels, self.depth))?;
        }
        Ok(())
    }

    /// The convolution of images `x` with filters `w`.
    ///
    /// # Safety
    /// Dense views of the geometry, valid on the call's device in the order of its stream.
    pub unsafe fn forward(&self, [x, w, y]: [&View; 3]) -> Result<()> {
        self.each(y, |first, g, patches| {
            let y = self.rows(y, first, g, g.out_c);
            // SAFETY: by the caller's promise; the group's images, patches and pixels.
            unsafe {
                self.write(x, first, g, patches)?;
                product(self.call, patches, &matrix(w, self.depth, g.out_c), &y, None)
            }
        })
    }

    /// The gradient by the filters: what the groups give is added up in their order.
    ///
    /// # Safety
    /// As [`Groups::forward`].
    pub unsafe fn filter_gradient(&self, [x, dy, dw]: [&View; 3]) -> Result<()> {
        let dw = matrix(dw, self.depth, self.g.out_c);
        self.each(&dw, |first, g, patches| {
            let plus = Plus { address: dw.ptr.addr() as u64, row_stride: g.out_c };
            let dy = self.rows(dy, first, g, g.out_c);
            // SAFETY: by the caller's promise; the group's images, patches and pixels.
            unsafe {
                self.write(x, first, g, patches)?;
                let patches = turned(patches, g.batch * self.pixels, self.depth);
                product(self.call, &patches, &dy, &dw, (first > 0).then_some(plus))
            }
        })
    }

    /// The gradient by the images: what each patch owes, which the images then gather.
    ///
    /// # Safety
    /// As [`Groups::forward`].
    pub unsafe fn input_gradient(&self, [w, dy, dx]: [&View; 3]) -> Result<()> {
        self.each(dx, |first, g, patches| {
            let (dy, image) = (self.rows(dy, first, g, g.out_c), g.in_h * g.in_w * g.in_c);
            let dx = dx.part(first * image, g.batch * image);
            // SAFETY: by the caller's promise; the group's images, patches and pixels.
            unsafe {
                product(self.call, &dy, &turned(w, self.depth, g.out_c), patches, None)?;
                self.call.elements(&GATHER, &[dx.dtype], dx.len(), |to| {
                    to.words(&geometry(g, 1));
                    to.views(&[patches, &dx]);
                })
            }
        })
    }

    /// The pixels of a group of images, as rows of `columns` elements.
    fn rows(&self, view: &View, first: usize, g: &ConvGeometry, columns: usize) -> View {
        let part = view.part(first * self.pixels * columns, g.batch * self.pixels * columns);
        matrix(&part, g.batch * self.pixels, columns)
    }

    /// # Safety
    /// As [`Groups::forward`].
    unsafe fn write(&self, x: &View, first: usize, g: &ConvGeometry, patches: &View) -> Result<()> {
        let image = g.in_h * g.in_w * g.in_c;
        let (x, size) = (x.part(first * image, g.batch * image), x.dtype.size());
        let unit = unit_of([g.in_c * size, x.ptr.addr(), patches.ptr.addr()]).max(size);
        let (kernel, ty) = PATCHES.of(unit);
        let in_units = ConvGeometry { in_c: g.in_c * size / unit, ..*g };
        // SAFETY: by the caller's promise; channels are whole units.
        unsafe {
            self.call.elements(kernel, &[ty], patches.len() * size / unit, |to| {
                to.words(&geometry(&in_units, 1));
                to.views(&[&x, patches]);
            })
        }
    }
}
