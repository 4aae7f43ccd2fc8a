//! `generator_skip`: moves a generator on as if numbers had been drawn.
//! `Generator::skip` runs it.

use super::{device, stays_on_host};
use kernels::backend::cpu::philox::Generator;
use kernels::backend::cpu::{CpuCall, View};
use kernels::backend::cuda::CudaCall;
use kernels::error::Result;
use crate::op::{Access, Gradient, Infer, Kind, Op, identity};

/// Input: a generator's state, which moves on as if `count` elements had been drawn.
#[derive(Clone)]
pub(crate) struct GeneratorSkip {
    pub count: i64,
}

impl GeneratorSkip {
    /// Moves on a state in the host's memory.
    ///
    /// # Safety
    /// Three int64 words that only this call sees.
    unsafe fn skip(&self, state: &View) {
        let state = state.ptr.cast::<[i64; 3]>();
        // SAFETY: by the caller's promise.
        unsafe {
            let mut generator = Generator::from_words(*state);
            generator.skip(self.count as u64);
            *state = generator.words();
        }
    }
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

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        // SAFETY: the state is three int64 words that only this call sees.
        unsafe { self.skip(&call.inputs[0]) };
        Ok(())
    }

    /// A state moves on where it lies.
    fn takes_from_host(&self, _: usize) -> bool {
        true
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let state = &call.inputs[0];
        // SAFETY: three int64 words that only this call sees, on the device or here.
        unsafe {
            match call.is_here(0) {
                false => device::skip(call, state, self.count as u64 as u128 * Generator::PER_ELEMENT)?,
                true => {
                    stays_on_host(self.name())?;
                    self.skip(state);
                }
            }
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("random numbers depend on nothing")
    }
}
