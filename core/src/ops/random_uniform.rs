//! `random_uniform`: numbers between two bounds from a generator's Philox stream; no gradient flows.
//! TensorFlow's `tf.random.uniform` and `Generator.uniform`, element for element; the generator is a resource input.

use crate::backend::cpu::philox::{self, Generator as Stream};
use crate::backend::cpu::{CpuCall, Work, part};
use crate::dtype::{DType, DTypes, bf16, f16};
use crate::error::{Error, Result};
use crate::op::{Access, Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use crate::shape::Shape;
use std::sync::Arc;

/// Input: the generator's state, three int64 words. The bounds are attributes, so that a graph draws anew at each run.
#[derive(Clone)]
pub(crate) struct RandomUniform {
    pub shape: Shape,
    pub dtype: DType,
    pub low: f64,
    pub high: f64,
}

/// Elements that one chunk draws.
const CHUNK: usize = 16 * 1024;

impl Op for RandomUniform {
    identity!("random_uniform", {
        "shape": Shape = |this| &this.shape,
        "dtype": DType = |this| this.dtype,
        "low": Float = |this| this.low,
        "high": Float = |this| this.high,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)?, ..self.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.resource(0)?;
        if !DTypes::FLOATING.has(self.dtype) {
            return Err(Error::invalid_argument("random_uniform", "real numbers need a floating dtype")
                .got(self.dtype)
                .expected(DTypes::FLOATING)
                .help("draw integers with `uniform_int`"));
        }
        cx.output(self.dtype, self.shape);
        Ok(())
    }

    fn access(&self, _: usize) -> Access {
        Access::Update
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        // The state moves on in a phase of its own, after every chunk has read it.
        Work { scratch: 0, phases: [call.outputs[0].len().div_ceil(CHUNK).max(1), 1, 0, 0] }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let out = &call.outputs[0];
        // SAFETY: the state is three int64 words that only this call sees; chunks are disjoint parts of the output.
        unsafe {
            let state = call.inputs[0].ptr.cast::<[i64; 3]>();
            let mut generator = Stream::from_words(*state);
            let stream = generator.draw(out.len() as u64);
            if phase == 1 {
                *state = generator.words();
                return Ok(());
            }
            let range = part(out.len(), chunk, out.len().div_ceil(CHUNK).max(1), philox::BATCH);
            macro_rules! draw {
                ($t:ty, $from:expr) => {{
                    let (low, high): ($t, $t) = ($from(self.low), $from(self.high));
                    let target = std::slice::from_raw_parts_mut(out.ptr.cast::<$t>().add(range.start), range.len());
                    philox::uniform(stream, range.start, high - low, low, target);
                }};
            }
            match self.dtype {
                DType::F64 => draw!(f64, f64::from),
                DType::F16 => draw!(f16, f16::from_f64),
                DType::BF16 => draw!(bf16, bf16::from_f64),
                _ => draw!(f32, |v: f64| v as f32),
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("random numbers depend on nothing")
    }
}
