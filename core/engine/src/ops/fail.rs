//! `fail`: ends a call with an error of the user's own, in program order; what `Err(..)` in a branch of a graph becomes.
//! Bodies of traced functions record it where a way through them ends in an `Err`.

use kernels::backend::cpu::CpuCall;
use kernels::error::{Error, Result, OnTheWay};
use crate::execute::execute;
use crate::op::{Attr, Gradient, Infer, Kind, Op, identity};
use std::sync::Arc;

/// Without inputs and outputs.
#[derive(Clone)]
pub(crate) struct Fail {
    error: Arc<Error>,
    /// What the error says, by which two of them are told apart.
    text: Arc<str>,
}

impl Op for Fail {
    identity!("fail", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("error", Attr::Text(&self.text));
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn runs_on_host(&self) -> bool {
        true
    }

    fn infer(&self, _: &mut Infer<'_>) -> Result<()> {
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, _: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        Err(Error::clone(&self.error).returned())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("an error has no result")
    }
}

/// Fails with an error when a graph comes to it.
#[track_caller]
pub(crate) fn fail_with(error: Error) -> Result<()> {
    let text = error.to_string().into();
    execute(&Fail { error: Arc::new(error), text }, &[]).map(drop)
}
