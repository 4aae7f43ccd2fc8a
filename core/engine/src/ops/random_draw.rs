//! `random_draw`, `stateless_draw`: numbers of any distribution from a Philox stream; no gradient flows.
//! TensorFlow's `tf.random` functions, element for element: from a generator, whose state is a resource input and moves
//! on, or from a seed.

use kernels::backend::cpu::philox::{self, Philox};
use kernels::backend::cpu::{CpuCall, View, Work, part};
use kernels::backend::cuda::{self, CudaCall};
use kernels::dtype::{DType, DTypes, bf16, f16};
use kernels::error::{Error, Result};
use crate::op::{Access, Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::Shape;
use std::ops::Range;
use std::sync::Arc;

mod bounded;
mod device;
mod gamma_slope;
mod law;
mod parameters;
mod skip;

pub(crate) use bounded::BoundedNormalDraw;
pub(crate) use device::PHILOX;
use device::Source;
pub(crate) use law::Law;
pub(crate) use parameters::{ParameterDraw, Process};
pub(crate) use skip::GeneratorSkip;

/// Input: a generator's state, three int64 words.
#[derive(Clone)]
pub(crate) struct RandomDraw {
    pub law: Law,
    pub shape: Shape,
    pub dtype: DType,
}

impl RandomDraw {
    /// An error unless it can run.
    pub fn check(&self) -> Result<()> {
        self.law.check(self.dtype)
    }
}

/// Input: a seed of two integers.
#[derive(Clone)]
pub(crate) struct StatelessDraw {
    pub law: Law,
    pub shape: Shape,
    pub dtype: DType,
}

/// An error while work is captured: a state of the host would not move when it runs again.
fn stays_on_host(op: &str) -> Result<()> {
    match cuda::capturing() {
        false => Ok(()),
        true => Err(Error::failed_precondition(op, "the host's state does not move with captured work")),
    }
}

/// Elements that one chunk draws.
const CHUNK: usize = 16 * 1024;

fn chunks(law: Law, out: &View) -> usize {
    // Each step of a shuffle depends on those before.
    if law == Law::Order { 1 } else { out.len().div_ceil(CHUNK).max(1) }
}

/// Draws the elements of `range` from a stream.
///
/// # Safety
/// The output is dense, of the law's dtype, and nobody else uses this range.
unsafe fn draw(law: Law, stream: Philox, out: &View, range: Range<usize>) {
    macro_rules! target {
        ($t:ty) => {
            // SAFETY: by the caller's promise.
            unsafe { std::slice::from_raw_parts_mut(out.ptr.cast::<$t>().add(range.start), range.len()) }
        };
    }
    macro_rules! real {
        ($t:ty, $from:expr) => {{
            let [a, b]: [$t; 2] = law.reals().map($from);
            match law {
                Law::Normal { .. } => philox::normal(stream, range.start, b, a, target!($t)),
                Law::Truncated { .. } => philox::truncated_normal(stream, range.start, b, a, target!($t)),
                _ => philox::uniform(stream, range.start, b - a, a, target!($t)),
            }
        }};
    }
    macro_rules! integer {
        ($t:ty) => {{
            let [low, high] = law.integers().map(|v| v as $t);
            match law {
                // The type rule refused empty ranges.
                Law::Integers { .. } => philox::uniform_int(stream, range.start, low, high, target!($t)),
                _ => philox::uniform_full(stream, range.start, target!($t)),
            }
        }};
    }
    match out.dtype {
        DType::I64 if law == Law::Order => {
            let order = philox::shuffle(stream, out.len());
            target!(i64).iter_mut().zip(order).for_each(|(to, from)| *to = from as i64);
        }
        DType::F64 => real!(f64, |v| v),
        DType::F16 => real!(f16, f16::from_f64),
        DType::BF16 => real!(bf16, bf16::from_f64),
        DType::I32 => integer!(i32),
        DType::I64 => integer!(i64),
        DType::U32 => integer!(u32),
        DType::U64 => integer!(u64),
        _ => real!(f32, |v| v as f32),
    }
}

/// The attributes of a draw.
macro_rules! draw_identity {
    ($name:literal) => {
        identity!($name, {
            "law": Text = |this| this.law.label(),
            "shape": Shape = |this| &this.shape,
            "dtype": DType = |this| this.dtype,
            "a": Float = |this| this.law.reals()[0],
            "b": Float = |this| this.law.reals()[1],
            "low": Int = |this| this.law.integers()[0],
            "high": Int = |this| this.law.integers()[1],
        });

        fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
            Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, ..self.clone() })))
        }
    };
}

impl Op for RandomDraw {
    draw_identity!("random_draw");

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.resource(0)?;
        self.law.check(self.dtype)?;
        cx.output(self.dtype, self.shape);
        Ok(())
    }

    fn access(&self, _: usize) -> Access {
        Access::Update
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        // The state moves on in a phase of its own, after every chunk has read it.
        Work { scratch: 0, phases: [chunks(self.law, &call.outputs[0]), 1, 0, 0, 0] }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let out = &call.outputs[0];
        // SAFETY: the state is three int64 words that only this call sees; chunks are disjoint parts of the output.
        unsafe {
            let state = call.inputs[0].ptr.cast::<[i64; 3]>();
            let (stream, next) = self.law.advance(*state, out.len());
            match phase {
                0 => draw(self.law, stream, out, part(out.len(), chunk, chunks(self.law, out), philox::BATCH)),
                _ => *state = next,
            }
        }
        Ok(())
    }

    /// A state moves on where it lies: on the host at no cost, on a device as part of captured work.
    fn takes_from_host(&self, _: usize) -> bool {
        true
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (given, out) = (&call.inputs[0], &call.outputs[0]);
        if !call.is_here(0) {
            // SAFETY: the state is three int64 words on the device that only this call sees; the output is fresh.
            return unsafe { device::draw(self.law, call, &Source::State(given)) };
        }
        stays_on_host("random_draw")?;
        // SAFETY: as above, in the host's memory.
        unsafe {
            let state = given.ptr.cast::<[i64; 3]>();
            let (stream, next) = self.law.advance(*state, out.len());
            device::draw(self.law, call, &Source::Stream(stream))?;
            *state = next;
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("random numbers depend on nothing")
    }
}

impl Op for StatelessDraw {
    draw_identity!("stateless_draw");

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        self.law.check(self.dtype)?;
        cx.check_dtype(0, DTypes::of(&[DType::I32, DType::I64]))?;
        let seed = cx.shape(0);
        if seed.rank() != 1 || seed.dim(0).known_value().is_some_and(|n| n != 2) {
            return Err(Error::invalid_argument("stateless_draw", "a seed has two numbers").got(seed).expected("[2]"));
        }
        cx.output(self.dtype, self.shape);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(chunks(self.law, &call.outputs[0]))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let out = &call.outputs[0];
        // SAFETY: a valid seed of the inferred type; chunks are disjoint parts of the output.
        unsafe {
            let seed = call.inputs[0].integers();
            let &[first, second] = &seed[..] else {
                return Err(Error::invalid_argument("stateless_draw", "a seed has two numbers").got(seed.len()));
            };
            let stream = Philox::from_seed([first, second]);
            draw(self.law, stream, out, part(out.len(), chunk, chunks(self.law, out), philox::BATCH));
        }
        Ok(())
    }

    fn takes_from_host(&self, _: usize) -> bool {
        true
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let seed = &call.inputs[0];
        if seed.len() != 2 {
            return Err(Error::invalid_argument("stateless_draw", "a seed has two numbers").got(seed.len()));
        }
        // SAFETY: a valid seed of the inferred type; the output is fresh.
        unsafe {
            let source = match call.is_here(0) {
                true => {
                    let numbers = seed.integers();
                    Source::Stream(Philox::from_seed([numbers[0], numbers[1]]))
                }
                false => Source::Seed(seed),
            };
            device::draw(self.law, call, &source)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("random numbers depend on nothing")
    }
}
