//! What the poolings share: a window's attributes, the output's shape and the kernels' geometry.
//! `max_pool2d` and `avg_pool2d` and their gradients call it.

use super::window::{Padding, Pair, Windows, check_images, check_window};
use kernels::backend::cpu::View;
use kernels::backend::cpu::pool2d::PoolGeometry;
use kernels::backend::cuda::{Arguments, CudaCall, Kernel};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;

/// Windows of a fixed size.
#[derive(Clone, PartialEq, Debug)]
pub struct Pool {
    /// Rows and columns.
    pub size: [i64; 2],
    /// How they slide.
    pub windows: Windows,
}

impl Pool {
    /// Checks a window of this size for an operation.
    ///
    /// # Errors
    /// InvalidArgument for sizes and steps that are not positive, and paddings as large as the window.
    pub fn new(op: &str, size: Pair, strides: Pair, padding: Padding) -> Result<Self> {
        let size = size.sizes(op, "the window's sizes")?;
        if let Padding::Explicit([[top, bottom], [left, right]]) = padding
            && (top.max(bottom) as i64 >= size[0] || left.max(right) as i64 >= size[1])
        {
            return Err(Error::invalid_argument(op, "the padding is as large as the window")
                .got(format!("{padding:?} for a window of {} x {}", size[0], size[1]))
                .expected("less padding than cells, so that every window has a cell of the image"));
        }
        Ok(Self { size, windows: Windows::new(op, strides, Pair::from(1), padding)? })
    }

    /// The shape of the pooled images.
    pub fn output(&self, op: &str, x: &Shape) -> Result<Shape> {
        check_images(op, x)?;
        let window = self.size.map(|n| Dim::known(n as usize));
        check_window(op, &window)?;
        for axis in [0, 1] {
            self.windows.check_fits(op, axis, x.dim(axis + 1), window[axis])?;
        }
        let size = |axis: usize| self.windows.output(axis, x.dim(axis + 1), window[axis]);
        Shape::from_dims(&[x.dim(0), size(0), size(1), x.dim(3)]).map_err(|e| e.in_op(op))
    }

    /// See [`Windows::may_not_fit`].
    pub fn may_not_fit(&self, x: &Shape) -> bool {
        self.windows.may_not_fit(x, self.size.map(|n| Dim::known(n as usize)))
    }

    /// An error unless `dy` has the shape of the pooled images.
    pub fn check_output(&self, op: &str, x: &Shape, dy: &Shape) -> Result<()> {
        let wanted = self.output(op, x)?;
        match dy.rank() == 4 && dy.iter().zip(wanted.iter()).all(|(a, b)| a.can_equal(b)) {
            true => Ok(()),
            false => Err(Error::invalid_argument(op, "the cotangent has not the shape of the pooled images")
                .got(dy)
                .expected(wanted)),
        }
    }

    pub(crate) fn geometry(&self, x: &[usize], y: &[usize]) -> PoolGeometry {
        let [k_h, k_w] = self.size.map(|n| n as usize);
        let [stride_h, stride_w] = [0, 1].map(|axis| self.windows.strides[axis] as usize);
        PoolGeometry {
            batch: x[0],
            in_h: x[1],
            in_w: x[2],
            channels: x[3],
            out_h: y[1],
            out_w: y[2],
            k_h,
            k_w,
            stride_h,
            stride_w,
            pad_top: self.windows.before(0, x[1], k_h, y[1]),
            pad_left: self.windows.before(1, x[2], k_w, y[2]),
        }
    }
}

/// A pooling kernel for single channels, and for as many neighbours as make 16 bytes.
pub(crate) type PoolKernel = [Kernel; 2];

/// Declares a [`PoolKernel`] by its name.
macro_rules! pool_kernel {
    ($name:literal) => {
        $crate::ops::pooling::pool_kernel!(@ $name, "0" "1")
    };
    (@ $name:literal, $($at_once:literal)*) => {
        [$(kernels::backend::cuda::Kernel {
            name: $name,
            text: &[
                concat!("#define AT_ONCE ", $at_once, "\n"),
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/ops/pooling.cuh")),
            ],
        }),*]
    };
}
pub(crate) use pool_kernel;

/// How many channels a thread takes of images that lie as these do: as many as make 16 bytes, or one.
pub(crate) fn at_once(g: &PoolGeometry, views: &[&View]) -> usize {
    let each = views.first().map_or(1, |view| 16 / view.dtype.size());
    let fits = g.channels.is_multiple_of(each) && views.iter().all(|view| view.ptr.addr().is_multiple_of(16));
    if fits { each } else { 1 }
}

/// Runs a pooling kernel with a thread per `each` elements of the last view, see [`at_once`]; the geometry comes first, then what `more`
/// puts there.
///
/// # Safety
/// The views are dense, of the geometry, and what the kernel declares.
pub(crate) unsafe fn run_on_device(
    call: &CudaCall<'_>,
    kernels: &'static PoolKernel,
    each: usize,
    g: &PoolGeometry,
    views: &[&View],
    more: impl FnOnce(&mut Arguments),
) -> Result<()> {
    let (Some(&last), dtype) = (views.last(), call.inputs[0].dtype) else { return Ok(()) };
    let image = [g.in_h, g.in_w, g.channels / each, g.out_h, g.out_w];
    let window = [g.k_h, g.k_w, g.stride_h, g.stride_w, g.pad_top, g.pad_left];
    // `struct Pool`: eleven numbers of 32 bits.
    let sizes: SmallVec<[u32; 12]> = image.iter().chain(&window).map(|&n| n as u32).chain([0]).collect();
    let words: SmallVec<[i64; 6]> =
        sizes.chunks_exact(2).map(|two| (u64::from(two[0]) | u64::from(two[1]) << 32) as i64).collect();
    // SAFETY: by the caller's promise.
    unsafe {
        call.elements(&kernels[usize::from(each > 1)], &[dtype], last.len() / each, |to| {
            to.words(&words);
            more(to);
            to.views(views);
        })
    }
}

/// The cells of window `o` along one axis that lie in the image.
pub(crate) fn cells(o: usize, stride: usize, k: usize, pad: usize, size: usize) -> std::ops::Range<usize> {
    let (low, high) = ((o * stride).max(pad), (o * stride + k).min(size + pad));
    if low < high { low - pad..high - pad } else { 0..0 }
}

/// The attributes of a pooling, for `identity!`.
macro_rules! pool_identity {
    ($name:literal $(, $attr:literal: $kind:ident = |$this:ident| $value:expr)*) => {
        $crate::op::identity!($name, {
            "size": Ints = |this| &this.pool.size,
            "strides": Ints = |this| &this.pool.windows.strides,
            "padding": Ints = |this| &this.pool.windows.padding,
            "same": Bool = |this| this.pool.windows.same,
            $($attr: $kind = |$this| $value,)*
        });
    };
}
pub(crate) use pool_identity;

/// The part of an `impl Op` that the poolings of images have in common.
macro_rules! pooling {
    ($name:literal, $dtypes:expr) => {
        $crate::ops::pooling::pool_identity!($name);

        fn kind(&self) -> $crate::op::Kind {
            $crate::op::Kind::Opaque
        }

        fn may_fail(&self) -> bool {
            false
        }

        fn may_refuse_sizes(&self, inputs: &[&$crate::tensor::TensorType]) -> bool {
            self.pool.may_not_fit(&inputs[0].shape)
        }

        fn infer(&self, cx: &mut $crate::op::Infer<'_>) -> kernels::error::Result<()> {
            cx.check_dtype(0, $dtypes)?;
            let shape = self.pool.output($name, cx.shape(0))?;
            cx.output(cx.dtype(0), shape);
            Ok(())
        }

        fn gradient(&self) -> $crate::op::Gradient {
            $crate::op::Gradient::Rule
        }
    };
}
pub(crate) use pooling;
