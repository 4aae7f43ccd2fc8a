//! What shows the gradients of a training: a writer, and variables that tell a traced step when to write and under which step.
//! The callback `TensorBoard` sets one in `Compiled`, whose steps ask it where gradients are applied.

use crate::summary::{self, SummaryWriter};
use engine::library::Named;
use engine::{Gradients, Tensor, Variable, cond};
use kernels::error::Result;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

/// The watch of a training, while it has one.
#[derive(Default)]
pub(super) struct Watches(Mutex<Option<Arc<GradientWatch>>>);

/// Writes histograms of gradients from within steps, when it is told to.
pub(crate) struct GradientWatch {
    writer: SummaryWriter,
    /// Whether the step that runs writes.
    on: Variable,
    /// Under which step.
    step: Variable,
    /// Tells traces of steps with it from others.
    number: u64,
}

impl GradientWatch {
    /// A watch that is off.
    pub fn new(writer: SummaryWriter) -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let (on, step) = (Variable::new(false), Variable::new(Tensor::from(0_i64)));
        Self { writer, on, step, number }
    }

    /// Has the next steps write their gradients as those of an epoch, or not.
    pub fn turn(&self, epoch: Option<usize>) {
        if let Some(epoch) = epoch {
            self.step.assign(&Tensor::from(epoch as i64));
        }
        self.on.assign(epoch.is_some());
    }

    /// Writes gradients, if the step does.
    #[track_caller]
    fn note(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        let failure = RefCell::new(Ok(()));
        let write = || {
            let _default = self.writer.as_default();
            for (at, variable) in variables.iter().enumerate() {
                let Some(gradient) = gradients.get(at) else { continue };
                let tag = format!("{}/gradient", Named::label(variable));
                let written = summary::try_histogram(&tag, gradient, &self.step);
                if written.is_err() {
                    *failure.borrow_mut() = written;
                }
            }
        };
        cond(&self.on.value(), write, || ());
        failure.into_inner()
    }
}

impl Watches {
    pub fn set(&self, watch: Option<Arc<GradientWatch>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = watch;
    }

    fn get(&self) -> Option<Arc<GradientWatch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What tells traces with one watch from those with another, or none.
    pub fn word(&self) -> u64 {
        self.get().map_or(0, |watch| watch.number)
    }

    /// Writes gradients, if they are watched and the step does.
    #[track_caller]
    pub fn note(&self, gradients: &Gradients, variables: &[Variable]) -> Result<()> {
        self.get().map_or(Ok(()), |watch| watch.note(gradients, variables))
    }
}
