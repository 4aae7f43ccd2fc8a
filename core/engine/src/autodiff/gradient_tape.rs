//! The tapes that users hold: [`GradientTape`] for one gradient, [`PersistentTape`] for several.
//! Both record from their creation on; dropping one, or taking the gradient, ends it.

use super::active_tape::Running;
use super::driver::Entries;
use super::pause::StopRecording;
use super::sources::{Targets, check_any};
use super::{Sources, Watch};
use crate::tape::Gradients;
use crate::tape::tape_memory::TapeData;
use crate::tensor::Tensor;
use crate::tensor::local::{InName, LOCAL, user_line};
use kernels::error::{OrFail, Result};

/// What stands for the gradient of a source that the target does not depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnconnectedGradients {
    /// A missing entry, or an error that names the operation which cut the path.
    #[default]
    None,
    /// Zeros of the source's shape.
    Zero,
}

/// How a gradient is taken.
#[derive(Clone, Debug, Default)]
pub struct GradientOptions {
    pub(super) output_gradients: Option<Vec<Tensor>>,
    pub(super) unconnected: UnconnectedGradients,
}

impl GradientOptions {
    /// Ones as output gradients, no entry for what is not connected.
    pub fn new() -> Self {
        Self::default()
    }

    /// The cotangents of the targets, in place of ones; each has its target's type.
    pub fn output_gradients(mut self, gradients: impl IntoIterator<Item = Tensor>) -> Self {
        self.output_gradients = Some(gradients.into_iter().collect());
        self
    }

    /// What stands for the gradient of a source that the target does not depend on.
    pub fn unconnected_gradients(mut self, what: UnconnectedGradients) -> Self {
        self.unconnected = what;
        self
    }
}

/// Records the operations of this thread for one gradient, as TensorFlow's `tf.GradientTape`.
///
/// Trainable variables are watched when they are read; tensors are watched by [`watch`](Self::watch). Taking the
/// gradient consumes the tape, so that asking twice does not compile; see [`PersistentTape`] for more than one.
///
/// ```
/// use eagerflow as tf;
/// use tf::GradientTape;
/// let w = tf::constant(3.0);
/// let mut tape = GradientTape::new();
/// tape.watch(&w);
/// let loss = &w * &w;
/// let slope = tape.gradient(&loss, &w);
/// assert_eq!(slope.item::<f32>(), 6.0);
/// ```
#[must_use = "a tape records only while it is alive"]
pub struct GradientTape(pub(super) Running);

/// A tape that gives any number of gradients, TensorFlow's `persistent=True`.
///
/// It keeps all activations until it is dropped, and what a gradient did for as long as its answer is held.
///
/// ```
/// use eagerflow as tf;
/// use tf::GradientTape;
/// let x = tf::constant(3.0);
/// let mut tape = GradientTape::persistent();
/// tape.watch(&x);
/// let y = x.square();
/// let z = y.square();
/// assert_eq!(tape.gradient(&z, &x).item::<f32>(), 108.0);
/// assert_eq!(tape.gradient(&y, &x).item::<f32>(), 6.0);
/// ```
#[must_use = "a tape records only while it is alive"]
pub struct PersistentTape(pub(super) Running);

macro_rules! common {
    ($tape:ident) => {
        impl $tape {
            /// Follows tensors or variables from here on; integers carry no gradient and are ignored.
            pub fn watch(&mut self, sources: impl Watch) {
                self.0.watch(&sources);
            }

            /// The handles of the variables that were watched, in the order of their first use.
            pub fn watched_variables(&self) -> Vec<crate::Variable> {
                self.0.0.borrow().watched.iter().cloned().map(crate::Variable::from_handle).collect()
            }

            /// Pauses recording while the guard lives, as `with tape.stop_recording()`.
            ///
            /// # Panics
            /// In a traced function, if the tape began outside of the branch or loop of the graph in which it is to pause: use
            /// [`stop_gradient`](crate::stop_gradient) there.
            #[track_caller]
            pub fn stop_recording(&self) -> StopRecording {
                StopRecording::of(&self.0)
            }

            /// Forgets everything recorded and watched so far; recording goes on.
            ///
            /// # Panics
            /// In a traced function, if the tape began outside of the branch or loop of the graph in which it is to forget.
            #[track_caller]
            pub fn reset(&mut self) {
                let help = "reset the tape outside of the branch or loop, or begin a tape of its own inside of it";
                self.0.began_here("reset", "forget what it recorded", help).or_fail();
                // What is dropped may hold closures that run operations, so it goes when the tape can be looked at.
                let (watch_variables, paused) = (self.0.0.borrow().watch_variables, self.0.0.borrow().paused);
                let began = LOCAL.with(|local| local.upcoming_id());
                drop(self.0.0.replace(TapeData { watch_variables, paused, began, ..TapeData::default() }));
            }
        }
    };
}

common!(GradientTape);
common!(PersistentTape);

impl Default for GradientTape {
    fn default() -> Self {
        Self::new()
    }
}

impl GradientTape {
    /// Starts recording on this thread.
    pub fn new() -> Self {
        Self(Running::start(true))
    }

    /// Starts recording without watching variables by themselves: TensorFlow's `watch_accessed_variables=False`.
    pub fn unwatched() -> Self {
        Self(Running::start(false))
    }

    /// Starts a tape that gives any number of gradients.
    pub fn persistent() -> PersistentTape {
        PersistentTape(Running::start(true))
    }

    /// The gradient of the target (several add up) by the sources; ends the tape.
    ///
    /// # Panics
    /// As [`try_gradient`](Self::try_gradient) fails.
    #[track_caller]
    pub fn gradient<S: Sources>(self, target: impl Targets, sources: S) -> S::Answer {
        self.try_gradient(target, sources).or_fail()
    }

    /// The gradient of the target by the sources; ends the tape.
    ///
    /// # Errors
    /// InvalidArgument for a target that is not floating-point, or (for single sources, arrays and tuples) a source
    /// that the target does not depend on, naming the operation that cut the path. Unimplemented for an operation
    /// without a gradient. In a traced function, InvalidArgument for a tape that is older than the loop it is asked in, where
    /// the gradient goes through what earlier rounds did; the loop tells it when its body has been recorded.
    #[track_caller]
    pub fn try_gradient<S: Sources>(self, target: impl Targets, sources: S) -> Result<S::Answer> {
        self.try_gradient_with(target, sources, &GradientOptions::new())
    }

    /// [`gradient`](Self::gradient) with output gradients, or zeros for what is not connected.
    ///
    /// # Panics
    /// As [`try_gradient`](Self::try_gradient) fails, and for output gradients of another type than the targets'.
    #[track_caller]
    pub fn gradient_with<S: Sources>(self, target: impl Targets, sources: S, options: &GradientOptions) -> S::Answer {
        self.try_gradient_with(target, sources, options).or_fail()
    }

    /// [`try_gradient`](Self::try_gradient) with options.
    ///
    /// # Errors
    /// As [`try_gradient`](Self::try_gradient), and for output gradients of another type than the targets'.
    #[track_caller]
    pub fn try_gradient_with<S: Sources>(
        self,
        target: impl Targets,
        sources: S,
        options: &GradientOptions,
    ) -> Result<S::Answer> {
        let here = user_line();
        let _name = InName::of(Some(here));
        self.list(&target.tensors(), &sources.handles(), options).and_then(S::answer).map_err(|e| e.at(here))
    }

    /// The gradient by one source, or `None` if the target does not depend on it, as TensorFlow answers.
    ///
    /// # Panics
    /// As [`gradient`](Self::gradient), but for a source that is not connected.
    #[track_caller]
    pub fn gradient_or_none(self, target: impl Targets, source: impl super::Differentiable) -> Option<Tensor> {
        let here = user_line();
        let name = InName::of(Some(here));
        let list = self.list(&target.tensors(), &[source.handle()], &GradientOptions::new());
        drop(name);
        list.map_err(|e| e.at(here)).or_fail().get(0)
    }

    fn list(self, targets: &[&Tensor], handles: &[&Tensor], options: &GradientOptions) -> Result<Gradients> {
        check_any(handles)?;
        self.0.stop();
        let mut log = std::mem::take(&mut self.0.0.borrow_mut().log);
        let result = self.0.gradients(targets, handles, options, &mut Entries::Consumed(&mut log));
        // The next tape of this thread uses the lists' memory again; a body that closes around an ended tape finds nothing.
        log.clear();
        self.0.0.borrow_mut().log = log;
        result
    }
}

impl PersistentTape {
    /// The gradient of the target (several add up) by the sources. While the tape is alive this is recorded too, so
    /// gradients of gradients can be asked of the same tape.
    ///
    /// # Panics
    /// As [`GradientTape::gradient`].
    #[track_caller]
    pub fn gradient<S: Sources>(&self, target: impl Targets, sources: S) -> S::Answer {
        self.try_gradient(target, sources).or_fail()
    }

    /// The gradient of the target by the sources.
    ///
    /// # Errors
    /// As [`GradientTape::try_gradient`].
    #[track_caller]
    pub fn try_gradient<S: Sources>(&self, target: impl Targets, sources: S) -> Result<S::Answer> {
        self.try_gradient_with(target, sources, &GradientOptions::new())
    }

    /// [`gradient`](Self::gradient) with options.
    ///
    /// # Panics
    /// As [`GradientTape::gradient_with`].
    #[track_caller]
    pub fn gradient_with<S: Sources>(&self, target: impl Targets, sources: S, options: &GradientOptions) -> S::Answer {
        self.try_gradient_with(target, sources, options).or_fail()
    }

    /// [`try_gradient`](Self::try_gradient) with options.
    ///
    /// # Errors
    /// As [`GradientTape::try_gradient_with`].
    #[track_caller]
    pub fn try_gradient_with<S: Sources>(
        &self,
        target: impl Targets,
        sources: S,
        options: &GradientOptions,
    ) -> Result<S::Answer> {
        let here = user_line();
        let _name = InName::of(Some(here));
        self.list(&target.tensors(), &sources.handles(), options).and_then(S::answer).map_err(|e| e.at(here))
    }

    /// The gradient by one source, or `None` if the target does not depend on it, as TensorFlow answers.
    ///
    /// # Panics
    /// As [`GradientTape::gradient_or_none`].
    #[track_caller]
    pub fn gradient_or_none(&self, target: impl Targets, source: impl super::Differentiable) -> Option<Tensor> {
        let here = user_line();
        let name = InName::of(Some(here));
        let list = self.list(&target.tensors(), &[source.handle()], &GradientOptions::new());
        drop(name);
        list.map_err(|e| e.at(here)).or_fail().get(0)
    }

    fn list(&self, targets: &[&Tensor], handles: &[&Tensor], options: &GradientOptions) -> Result<Gradients> {
        check_any(handles)?;
        self.0.remembered(
            || self.0.with_kept(|entries| self.0.gradients(targets, handles, options, entries)),
            |gradients| gradients.tensors().cloned().collect(),
        )
    }
}
