//! The operation behind all Fourier transforms: discrete transforms along some axes, cut or filled up to lengths, of whole spectra or halves.
//! Its adjoint is another one of its kind, which is its gradient. `fft`, `rfft` and `fftnd` have its public forms.

use crate::execute::execute;
use crate::meaning::{joined, parts};
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::fourier::{self, Divided, Half, MOST_AXES, Transform};
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Dims, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// Inputs and outputs are the parts of complex numbers, or real numbers, as `half` says.
#[derive(Clone)]
pub(super) struct Fourier {
    /// The last of them is the one of a half.
    axes: SmallVec<[i64; MOST_AXES]>,
    /// Points along each axis, and sizes of the result.
    lengths: Shape,
    sizes: Shape,
    inverse: bool,
    half: Half,
    twice: bool,
    divided: Divided,
}

impl Fourier {
    fn transform(&self) -> Transform {
        let axes = self.axes.iter().map(|&axis| axis as usize);
        Transform {
            along: axes.zip(self.lengths.dims().iter().copied()).collect(),
            inverse: self.inverse,
            half: self.half,
            twice: self.twice,
            divided: self.divided,
        }
    }

    /// The transform whose matrix is this one's, transposed and conjugated, for operands of a shape.
    fn adjoint(&self, shape: &Shape) -> Result<Self> {
        let sizes: Dims = self.axes.iter().map(|&axis| shape.dim(axis as usize)).collect();
        let half = match self.half {
            Half::Neither => Half::Neither,
            Half::Result => Half::Operand,
            Half::Operand => Half::Result,
        };
        Ok(Self { sizes: Shape::from_dims(&sizes)?, inverse: !self.inverse, half, ..self.clone() })
    }
}

impl Op for Fourier {
    identity!("fourier", {
        "axes": Ints = |this| &this.axes,
        "lengths": Shape = |this| &this.lengths,
        "sizes": Shape = |this| &this.sizes,
        "inverse": Bool = |this| this.inverse,
        "half": Int = |this| this.half as i64,
        "twice": Bool = |this| this.twice,
        "divided": Int = |this| this.divided as i64,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        let (lengths, sizes) = (self.lengths.bind(lookup)?, self.sizes.bind(lookup)?);
        Ok(OpRef::Shared(Arc::new(Self { lengths, sizes, ..self.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.same_dtype()?;
        cx.check_dtype(0, DTypes::of(&[DType::F32, DType::F64]))?;
        let mut shape = *cx.shape(0);
        if cx.len() == 2 {
            let other = *cx.shape(1);
            shape.iter().zip(other.iter()).filter(|(a, b)| a != b).for_each(|(a, b)| cx.constraints.push(a, b));
        }
        for (&axis, size) in self.axes.iter().zip(self.sizes.iter()) {
            shape = shape.with(axis as usize, size).map_err(|e| e.in_op("fft"))?;
        }
        for _ in 0..if self.half == Half::Operand { 1 } else { 2 } {
            cx.output(cx.dtype(0), shape);
        }
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        fourier::work(&self.transform(), call)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        // SAFETY: views of the inferred types, phases, chunks and scratch memory of `work`.
        unsafe { fourier::run(&self.transform(), call, phase, chunk) }
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        Err(Error::unimplemented("fft", "Fourier transforms run on the CPU alone")
            .got(call.gpu.id.device())
            .help("bring the operands there: `x.cpu()`"))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let adjoint = self.adjoint(&g.input_type(0).shape)?;
        let dx = match self.half {
            Half::Operand => execute(&adjoint, &[&g.dy(0)?])?,
            _ => execute(&adjoint, &[&g.dy(0)?, &g.dy(1)?])?,
        };
        for (index, dx) in dx.into_iter().enumerate() {
            if g.needs(index) {
                g.give(index, dx);
            }
        }
        Ok(())
    }
}

/// A transform as its public forms ask for it.
pub(super) struct Wanted {
    pub op: &'static str,
    /// In the order in which they were listed.
    pub axes: SmallVec<[usize; MOST_AXES]>,
    /// Points along each axis.
    pub lengths: Dims,
    pub inverse: bool,
    pub half: Half,
    pub divided: Divided,
}

/// An error unless the tensor is of the numbers that a transform takes and has such axes.
pub(super) fn check(op: &str, x: &Tensor, complex: bool, axes: usize) -> Result<()> {
    let taken = match complex {
        true => DTypes::of(&[DType::C64, DType::C128]),
        false => DTypes::of(&[DType::F32, DType::F64]),
    };
    if !taken.has(x.dtype()) {
        let help = match complex {
            true => "`cast` makes complex numbers of real ones; `rfft` and its kin take real ones",
            false => "`fft` and its kin take complex numbers; `cast` converts others",
        };
        return Err(Error::invalid_argument(op, "the tensor has a dtype this transform does not take")
            .got(x.dtype())
            .expected(format!("one of {taken}"))
            .help(help));
    }
    if x.rank() < axes {
        return Err(Error::invalid_argument(op, "the tensor has fewer axes than are transformed")
            .got(x.shape())
            .expected(format!("at least {axes} axes")));
    }
    Ok(())
}

/// The transform of a tensor whose dtype was checked.
#[track_caller]
pub(super) fn transformed(x: &Tensor, wanted: &Wanted) -> Result<Tensor> {
    if let Some(negative) = wanted.lengths.iter().find(|length| length.valid().is_err()) {
        return Err(Error::invalid_argument(wanted.op, "a transform has no such length").got(negative));
    }
    if wanted.half == Half::Result && wanted.lengths.last() == Some(&Dim::ZERO) {
        return Err(Error::invalid_argument(wanted.op, "the last axis has no numbers to transform")
            .got("a length of 0")
            .expected("at least 1")
            .help("`fft_length` fills an empty axis up with zeros"));
    }
    // A call takes so many axes: the half goes with the last ones, first where it is made and last where it is taken apart.
    let count = wanted.axes.len();
    let early = count.saturating_sub(MOST_AXES);
    match (early, wanted.half) {
        (0, _) => some(x, wanted, 0..count, wanted.half),
        (_, Half::Result) => some(&some(x, wanted, early..count, wanted.half)?, wanted, 0..early, Half::Neither),
        _ => some(&some(x, wanted, 0..early, Half::Neither)?, wanted, early..count, wanted.half),
    }
}

/// The transform along some of the axes.
#[track_caller]
fn some(x: &Tensor, wanted: &Wanted, range: std::ops::Range<usize>, half: Half) -> Result<Tensor> {
    let lengths = &wanted.lengths[range.clone()];
    let mut sizes: Dims = lengths.into();
    if let (Half::Result, Some(last)) = (half, sizes.last_mut()) {
        *last = last.floor_div(2) + 1;
    }
    let op = Fourier {
        axes: wanted.axes[range].iter().map(|&axis| axis as i64).collect(),
        lengths: Shape::from_dims(lengths)?,
        sizes: Shape::from_dims(&sizes)?,
        inverse: wanted.inverse,
        half,
        twice: half == Half::Operand,
        divided: wanted.divided,
    };
    let y = match half {
        Half::Result => execute(&op, &[x])?,
        _ => {
            let (re, im) = parts(x)?;
            execute(&op, &[&re, &im])?
        }
    };
    match &y[..] {
        [re, im] => joined(re, im),
        [y] => Ok(y.clone()),
        _ => Err(Error::internal(wanted.op, "one result or two were expected")),
    }
}
