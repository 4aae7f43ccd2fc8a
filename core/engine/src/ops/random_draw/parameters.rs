//! `parameter_draw`: gamma, Poisson, binomial and categorical numbers from a seed, whose parameters are tensors.
//! The `stateless_*` functions of such laws run it; each element has counters of its own, so that any thread may draw it.

use super::device::{self, Source};
use super::gamma_slope::GammaSlope;
use crate::execute::execute1;
use crate::meaning::Nothing;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves, identity};
use crate::ops::{broadcast_to_shape, cast_to};
use crate::{try_multiply, try_reduce_sum};
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::philox::{self, Philox};
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes, bf16, f16};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::Shape;
use std::ops::Range;
use std::sync::Arc;

/// What is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Process {
    /// By alpha.
    Gamma,
    /// By the rate.
    Poisson,
    /// By counts and probabilities, of one shape.
    Binomial,
    /// By logits `[rows, classes]`; the result is `[rows, samples]`.
    Categorical,
}

impl Process {
    fn label(self) -> &'static str {
        match self {
            Self::Gamma => "stateless_gamma",
            Self::Poisson => "stateless_poisson",
            Self::Binomial => "stateless_binomial",
            Self::Categorical => "stateless_categorical",
        }
    }
}

/// Inputs: a seed of two integers, and the parameters, whose shape ends that of the result.
#[derive(Clone)]
pub(crate) struct ParameterDraw {
    pub process: Process,
    pub shape: Shape,
    pub dtype: DType,
}

const PLAIN: DTypes = DTypes::of(&[DType::F16, DType::F32, DType::F64]);
const COUNTS: DTypes = DTypes::of(&[DType::F16, DType::F32, DType::F64, DType::I32, DType::I64]);
const CLASSES: DTypes = DTypes::of(&[DType::I32, DType::I64]);
/// Elements that one chunk draws.
const CHUNK: usize = 2048;

impl Op for ParameterDraw {
    identity!("parameter_draw", {
        "process": Text = |this| this.process.label(),
        "shape": Shape = |this| &this.shape,
        "dtype": DType = |this| this.dtype,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, ..self.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let name = self.process.label();
        let (given, results) = match self.process {
            Process::Gamma => (PLAIN, PLAIN),
            Process::Categorical => (DTypes::FLOATING, CLASSES),
            _ => (PLAIN, COUNTS),
        };
        cx.check_dtype(0, CLASSES).map_err(|e| e.named(name))?;
        for input in 1..cx.len() {
            cx.check_dtype(input, given).map_err(|e| e.named(name))?;
        }
        if !results.has(self.dtype) || (self.process == Process::Gamma && cx.dtype(1) != self.dtype) {
            return Err(Error::invalid_argument(name, "numbers of this distribution do not come in this dtype")
                .got(self.dtype)
                .expected(format!("one of {results}")));
        }
        let seed = cx.shape(0);
        if seed.rank() != 1 || seed.dim(0).known_value().is_some_and(|n| n != 2) {
            return Err(Error::invalid_argument(name, "a seed has two numbers").got(seed).expected("[2]"));
        }
        let parameters = *cx.shape(1);
        let (mine, theirs) = if self.process == Process::Categorical {
            if parameters.rank() != 2 || parameters.dim(1).known_value() == Some(0) {
                return Err(Error::invalid_argument(name, "the logits are not rows of classes")
                    .got(cx.input(1))
                    .expected("[rows, classes] with at least one class"));
            }
            (vec![self.shape.dim(0)], vec![parameters.dim(0)])
        } else {
            let extra = self.shape.rank().checked_sub(parameters.rank());
            let Some(extra) = extra else { return Err(self.no_end(&parameters)) };
            let all = |shape: &Shape, skip: usize| (skip..shape.rank()).map(|axis| shape.dim(axis)).collect::<Vec<_>>();
            (all(&self.shape, extra), all(&parameters, 0))
        };
        for (mine, theirs) in mine.into_iter().zip(theirs) {
            if !mine.can_equal(theirs) {
                return Err(self.no_end(&parameters));
            }
            if mine != theirs {
                cx.constraints.push(mine, theirs);
            }
        }
        cx.output(self.dtype, self.shape);
        Ok(())
    }

    /// Rejections take branches of their own for each element.
    fn runs_on_host(&self) -> bool {
        self.process != Process::Categorical
    }

    fn takes_from_host(&self, index: usize) -> bool {
        index == 0
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let seed = &call.inputs[0];
        if seed.len() != 2 {
            return Err(Error::invalid_argument(self.process.label(), "a seed has two numbers").got(seed.len()));
        }
        // SAFETY: the inferred types; a seed of two numbers.
        unsafe {
            let source = match call.is_here(0) {
                true => {
                    let numbers = seed.integers();
                    Source::Stream(Philox::from_seed([numbers[0], numbers[1]]))
                }
                false => Source::Seed(seed),
            };
            device::classes(call, &source)
        }
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(self.chunks(call))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let (out, name) = (&call.outputs[0], self.process.label());
        // SAFETY: dense views of the inferred types; chunks are disjoint parts of the output.
        unsafe {
            let seed = call.inputs[0].integers();
            let &[first, second] = &seed[..] else {
                return Err(Error::invalid_argument(name, "a seed has two numbers").got(seed.len()));
            };
            let stream = Philox::from_seed([first, second]);
            if self.process == Process::Categorical {
                let rows = out.dims()[0];
                self.classes(stream, call, part(rows, chunk, self.chunks(call), 1));
                return Ok(());
            }
            let own = part(out.len(), chunk, self.chunks(call), 1);
            match call.inputs[1].dtype {
                DType::F16 => self.numbers(stream, call, own, f16::to_f64, f16::from_f64),
                DType::F32 => self.numbers(stream, call, own, f64::from, |v| v as f32),
                _ => self.numbers::<f64>(stream, call, own, |v| v, |v| v),
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        match self.process {
            Process::Gamma => Gradient::Rule,
            _ => Gradient::Stops("whole numbers that are drawn do not change with small changes of the parameters"),
        }
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[1]).and(Saves::outputs(&[0]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        if !g.needs(1) {
            return Ok(());
        }
        let (alpha, drawn) = (g.input(1)?.clone(), g.output(0)?.clone());
        let dtype = alpha.dtype();
        let wide = broadcast_to_shape(&cast_to(&alpha, DType::F64)?, drawn.shape())?;
        let slope = execute1(&GammaSlope, &[&wide, &cast_to(&drawn, DType::F64)?])?;
        let all = try_multiply(&g.dy(0)?, &cast_to(&slope, dtype)?)?;
        let axes: Vec<isize> = (0..(drawn.rank() - alpha.rank()) as isize).collect();
        g.give(1, if axes.is_empty() { all } else { try_reduce_sum(&all, &axes[..])? });
        Ok(())
    }
}

impl ParameterDraw {
    /// An error for parameters that a draw would refuse, whatever the seed.
    pub fn check(&self, parameters: &[Tensor]) -> Result<()> {
        let seed = TensorType::new(DType::I64, Shape::new(&[2])?);
        let types: Vec<&TensorType> = std::iter::once(&seed).chain(parameters.iter().map(Tensor::ty)).collect();
        self.infer(&mut Infer::new(self.name(), &types, &Nothing))
    }

    fn no_end(&self, parameters: &Shape) -> Error {
        Error::invalid_argument(self.process.label(), "the shape does not end with that of the parameters")
            .got(format!("shape {}, parameters {parameters}", self.shape))
    }

    fn chunks(&self, call: &CpuCall<'_>) -> usize {
        let out = &call.outputs[0];
        match self.process {
            Process::Categorical => out.dims()[0].clamp(1, 64),
            _ => out.len().div_ceil(CHUNK).max(1),
        }
    }

    /// Draws the numbers `own`.
    ///
    /// # Safety
    /// As `Op::cpu`, for parameters of type `T`.
    unsafe fn numbers<T: Copy>(
        &self,
        stream: Philox,
        call: &CpuCall<'_>,
        own: Range<usize>,
        wide: impl Fn(T) -> f64,
        narrow: impl Fn(f64) -> T,
    ) {
        let (out, parameters) = (&call.outputs[0], &call.inputs[1]);
        let count = parameters.len().max(1);
        let each = out.len() / count;
        for i in own {
            // All numbers of one parameter follow each other in the stream, whatever their place in the result.
            let (place, index) = (i % count, (i % count * each + i / count) as u64);
            // SAFETY: as many parameters as elements of the last axes; by the caller's promise.
            unsafe {
                let given = |input: usize| wide(call.inputs[input].ptr.cast::<T>().add(place).read());
                let first = given(1);
                let drawn = match self.process {
                    Process::Gamma => philox::gamma(stream, index, first),
                    Process::Poisson => philox::poisson(stream, index, first),
                    _ => {
                        let prob = given(2);
                        let rare = if prob <= 0.5 { prob } else { wide(narrow(1.0 - prob)) };
                        philox::binomial(stream, index, first, prob, rare, wide(narrow(first * rare)))
                    }
                };
                match self.dtype {
                    DType::F16 => out.ptr.cast::<f16>().add(i).write(f16::from_f64(drawn)),
                    DType::F64 => out.ptr.cast::<f64>().add(i).write(drawn),
                    DType::I32 => out.ptr.cast::<i32>().add(i).write(drawn as i32),
                    DType::I64 => out.ptr.cast::<i64>().add(i).write(drawn as i64),
                    _ => out.ptr.cast::<f32>().add(i).write(drawn as f32),
                }
            }
        }
    }

    /// Draws the classes of some rows.
    ///
    /// # Safety
    /// As `Op::cpu`.
    unsafe fn classes(&self, stream: Philox, call: &CpuCall<'_>, rows: Range<usize>) {
        let (logits, out) = (&call.inputs[1], &call.outputs[0]);
        let (count, samples) = (logits.dims()[1], out.dims()[1]);
        let mut sums = Vec::with_capacity(count);
        for row in rows {
            macro_rules! sum {
                ($t:ty, $wide:expr, $lowest:expr) => {{
                    // SAFETY: a row of the logits, by the caller's promise.
                    let row = unsafe { std::slice::from_raw_parts(logits.ptr.cast::<$t>().add(row * count), count) };
                    philox::running_chances(row.iter().map(|&v| $wide(v)), $lowest, &mut sums);
                }};
            }
            match logits.dtype {
                DType::F16 => sum!(f16, f16::to_f64, f16::MIN.to_f64()),
                DType::BF16 => sum!(bf16, bf16::to_f64, bf16::MIN.to_f64()),
                DType::F64 => sum!(f64, |v: f64| v, f64::MIN),
                _ => sum!(f32, f64::from, f64::from(f32::MIN)),
            }
            for sample in 0..samples {
                let i = row * samples + sample;
                let class = philox::category(stream, i as u64, &sums);
                // SAFETY: inside the output; rows are disjoint.
                unsafe {
                    match self.dtype {
                        DType::I32 => out.ptr.cast::<i32>().add(i).write(class as i32),
                        _ => out.ptr.cast::<i64>().add(i).write(class as i64),
                    }
                }
            }
        }
    }
}
