//! `generator_skip`: moves a generator on as if numbers had been drawn.
//! `Generator::skip` runs it.

use crate::backend::cpu::CpuCall;
use crate::backend::cpu::philox::Generator;
use crate::error::Result;
use crate::op::{Access, Gradient, Infer, Kind, Op, identity};

/// Input: a generator's state, which moves on as if `count` elements had been drawn.
#[derive(Clone)]
pub(crate) struct GeneratorSkip {
    pub count: i64,
}

impl Op for GeneratorSkip {
    identity!("generator_skip", { "count": Int = |this| this.count });

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.resource(0).map(drop)
    }

    fn access(&self, _: usize) -> Access {
        Access::Update
    }

    /// The state lies there.
    fn runs_on_host(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        // SAFETY: the state is three int64 words that only this call sees.
        unsafe {
            let state = call.inputs[0].ptr.cast::<[i64; 3]>();
            let mut generator = Generator::from_words(*state);
            generator.skip(self.count as u64);
            *state = generator.words();
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("random numbers depend on nothing")
    }
}
