//! `recurrence`: u(i) = b(i) + a(i) * u(i-1) along an axis; its gradient is a recurrence from the other end.
//! The gradients of `cumprod`, which so never divides, and of `cumulative_logsumexp` walk through one.

use super::super::conj::conjugate;
use super::times;
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{CudaCall, Kernel, Lanes};
use kernels::dtype::{Complex, DTypes, bf16, f16, for_dtype};
use kernels::error::Result;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::ops::add_owned;
use crate::tape::Backward;
use std::ops::{Add, Mul};

/// Inputs a and b: u(i) = b(i) + a(i) * u(i-1) along an axis, from u = 0; exclusive gives u(i-1) at place i.
#[derive(Clone)]
pub(in crate::ops) struct Recurrence {
    pub axis: usize,
    pub exclusive: bool,
    pub reverse: bool,
}

/// The most parts of a lane on a GPU: one thread walks over what they come to.
const PARTS: usize = 512;

/// Elements that one chunk walks over, about.
const CHUNK: usize = 32 * 1024;

impl Op for Recurrence {
    identity!("recurrence", {
        "axis": Int = |this| this.axis as i64,
        "exclusive": Bool = |this| this.exclusive,
        "reverse": Bool = |this| this.reverse,
    });

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::FLOATING.and(DTypes::COMPLEX))?;
        cx.output(cx.dtype(0), *cx.shape(0));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let (lanes, len) = self.lanes(call);
        Work::chunks((lanes * len).div_ceil(CHUNK).min(lanes))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        // SAFETY: the same contract.
        unsafe { for_dtype!(call.outputs[0].dtype, T => self.walk::<<T as Wide>::Float>(call, chunk), else {}) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        const TEXT: &str = include_str!("../recurrence.cuh");
        static KERNEL: Kernel = Kernel { name: "recurrence", text: &[TEXT] };
        static STARTS: Kernel = Kernel { name: "recurrence_starts", text: &[TEXT] };
        let (a, b, y) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        if y.dtype.is_complex() {
            static COMPLEX: Kernel =
                Kernel { name: "recurrence_complex", text: &[include_str!("recurrence_complex.cuh")] };
            let (lanes, length) = (y.dims()[..self.axis].iter().product::<usize>(), y.dims()[self.axis]);
            let stride: usize = y.dims()[self.axis + 1..].iter().product();
            // SAFETY: dense tensors of one shape; the arguments are those of the text.
            return unsafe {
                call.elements(&COMPLEX, &[y.dtype], lanes * stride, |arguments| {
                    arguments.views(&[a, b, y]);
                    arguments.sizes(&[length, stride]);
                    arguments.value(i32::from(self.exclusive));
                    arguments.value(i32::from(self.reverse));
                })
            };
        }
        let cut = Lanes::new(call, self.axis, false, PARTS);
        let types = [y.dtype];
        let pass = |parts: u64, totals: bool| {
            // SAFETY: dense tensors of one shape; parts have two numbers for each part.
            unsafe {
                call.elements(&KERNEL, &types, cut.lanes * cut.parts, |arguments| {
                    arguments.views(&[a, b, y]);
                    arguments.sizes(&[cut.lanes, cut.length, cut.stride, cut.part]);
                    arguments.value(i32::from(self.exclusive));
                    arguments.value(i32::from(self.reverse));
                    arguments.address(parts);
                    arguments.value(i32::from(totals));
                })
            }
        };
        if cut.parts == 1 {
            return pass(0, false);
        }
        let parts = call.scratch(cut.lanes * cut.parts * 2 * size_of::<f64>())?;
        pass(parts.address(), true)?;
        // SAFETY: as above.
        unsafe {
            call.elements(&STARTS, &types, cut.lanes, |arguments| {
                arguments.size(cut.parts);
                arguments.address(parts.address());
            })?;
        }
        pass(parts.address(), false)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0, 1])
    }

    /// What u(i) owes, g, is a recurrence from the other end; db = g and da(i) = g(i) * u(i-1); of complex
    /// numbers by the conjugates of a and u.
    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let (a, b, dy) = (g.input(0)?.clone(), g.input(1)?.clone(), g.dy(0)?);
        let back = Self { exclusive: true, reverse: !self.reverse, ..self.clone() };
        let before = match g.needs(0) {
            true => Some(execute1(&Self { exclusive: true, ..self.clone() }, &[&a, &b])?),
            false => None,
        };
        let a = conjugate(&a)?;
        let owed = match self.exclusive {
            true => execute1(&back, &[&a, &dy])?,
            false => add_owned(execute1(&back, &[&a, &times(&a, &dy)?])?, &dy)?,
        };
        if let Some(before) = before {
            g.give(0, times(&owed, &conjugate(&before)?)?);
        }
        if g.needs(1) {
            g.give(1, owed);
        }
        Ok(())
    }
}

impl Recurrence {
    /// Independent lanes, and elements along each.
    fn lanes(&self, call: &CpuCall<'_>) -> (usize, usize) {
        let dims = call.outputs[0].dims();
        let inner: usize = dims[self.axis + 1..].iter().product();
        (dims[..self.axis].iter().product::<usize>() * inner, dims[self.axis])
    }

    /// # Safety
    /// As `Op::cpu`, for elements of type `T`.
    unsafe fn walk<T: Float>(&self, call: &CpuCall<'_>, chunk: usize) {
        let (lanes, len) = self.lanes(call);
        let stride: usize = call.outputs[0].dims()[self.axis + 1..].iter().product();
        let [a, b] = [0, 1].map(|i| call.inputs[i].ptr.cast::<T>());
        let to = call.outputs[0].ptr.cast::<T>();
        for lane in part(lanes, chunk, self.work(call).phases[0], 1) {
            let start = lane / stride * len * stride + lane % stride;
            let mut u = T::Acc::default();
            for step in 0..len {
                let at = start + if self.reverse { len - 1 - step } else { step } * stride;
                // SAFETY: elements of the dense tensors; lanes are disjoint.
                unsafe {
                    let next = (*b.add(at)).wide() + (*a.add(at)).wide() * u;
                    to.add(at).write(T::narrow(if self.exclusive { u } else { next }));
                    u = next;
                }
            }
        }
    }
}

/// An element of a type that carries gradients, computed with in f64.
trait Float: Copy {
    type Acc: Copy + Default + Add<Output = Self::Acc> + Mul<Output = Self::Acc>;
    fn wide(self) -> Self::Acc;
    fn narrow(value: Self::Acc) -> Self;
}

/// The type that stands in for a dtype; the type rule lets only those through that carry gradients.
trait Wide {
    type Float: Float;
}

macro_rules! floats {
    ($($t:ty: $wide:expr, $narrow:expr;)*) => {$(
        impl Float for $t {
            type Acc = f64;
            fn wide(self) -> f64 { $wide(self) }
            fn narrow(value: f64) -> Self { ($narrow as fn(f64) -> $t)(value) }
        }
        impl Wide for $t {
            type Float = $t;
        }
    )*};
    (others $($t:ty)*) => {$(
        impl Wide for $t {
            type Float = f64;
        }
    )*};
}
floats! { f32: f64::from, |v| v as f32; f64: f64::from, |v| v; f16: f64::from, f16::from_f64; bf16: f64::from, bf16::from_f64; }

macro_rules! complex {
    ($($t:ty)*) => {$(
        impl Float for Complex<$t> {
            type Acc = Complex<f64>;
            fn wide(self) -> Complex<f64> { Complex::new(self.re.into(), self.im.into()) }
            fn narrow(value: Complex<f64>) -> Self { Self::new(value.re as $t, value.im as $t) }
        }
        impl Wide for Complex<$t> {
            type Float = Self;
        }
    )*};
}
complex! { f32 f64 }
floats! { others bool i8 i16 i32 i64 u8 u16 u32 u64 }
