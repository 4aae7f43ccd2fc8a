//! The tapes that users hold: [`GradientTape`] for one gradient, [`PersistentTape`] for several.
//! Both record from their creation on; dropping one, or taking the gradient, ends it.

use super::driver::{Entries, backprop, reachable};
use super::record::{self, Entry, TapeData, UNTRACKED};
use super::sources::Targets;
use super::{Cotangent, Gradients, Sources, Watch};
use crate::error::{Error, OrFail, Result};
use crate::ops;
use crate::tensor::{Resource, Tensor, TensorType};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

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
    output_gradients: Option<Vec<Tensor>>,
    unconnected: UnconnectedGradients,
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
/// It keeps all activations until it is dropped.
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

/// A tape on this thread's list.
pub(super) struct Running(pub(super) Rc<RefCell<TapeData>>);

impl Drop for Running {
    fn drop(&mut self) {
        record::remove(&self.0);
        record::recycle(std::mem::take(&mut self.0));
    }
}

/// Keeps a tape from recording until it is dropped.
#[must_use = "the tape pauses only while the guard is alive"]
pub struct StopRecording(Rc<RefCell<TapeData>>);

impl Drop for StopRecording {
    fn drop(&mut self) {
        self.0.borrow_mut().paused -= 1;
    }
}

impl Running {
    pub(super) fn start(watch_variables: bool) -> Self {
        Self(record::push(watch_variables))
    }

    fn watch(&self, sources: &(impl Watch + ?Sized)) {
        let mut data = self.0.borrow_mut();
        sources.for_each(&mut |tensor| record::watch(&mut data, tensor));
    }

    /// Ends recording; what was recorded stays.
    pub(super) fn stop(&self) {
        record::remove(&self.0);
    }

    /// Takes the entries out while `walk` runs, because its own operations may be recorded on this very tape, and puts
    /// them back before those, also after a panic in a gradient rule.
    pub(super) fn with_kept<R>(&self, walk: impl FnOnce(&mut Entries<'_>) -> R) -> R {
        struct Restore<'a>(&'a RefCell<TapeData>, Vec<Entry>);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                if let Ok(mut data) = self.0.try_borrow_mut() {
                    self.1.append(&mut data.entries);
                    data.entries = std::mem::take(&mut self.1);
                }
            }
        }
        let kept = Restore(&self.0, std::mem::take(&mut self.0.borrow_mut().entries));
        walk(&mut Entries::Kept(&kept.1))
    }

    /// The cotangents of `handles`, from those of `targets`.
    pub(super) fn walk(
        &self,
        targets: &[Tensor],
        seeds: SmallVec<[Tensor; 1]>,
        handles: &[Tensor],
        entries: &mut Entries<'_>,
    ) -> Result<SmallVec<[Option<Cotangent>; 4]>> {
        let (seeds, sources, slots) = {
            let data = self.0.borrow();
            let mut found: SmallVec<[(u32, Tensor); 1]> = SmallVec::new();
            for (target, seed) in targets.iter().zip(seeds) {
                match data.find(target) {
                    UNTRACKED => {}
                    slot => found.push((slot, seed)),
                }
            }
            (found, handles.iter().map(|h| data.find(h)).collect::<SmallVec<[u32; 8]>>(), data.count)
        };
        backprop(entries, slots, seeds, &sources)
    }

    /// The gradients of `targets` by `handles`, walking over `entries`.
    fn gradients(
        &self,
        targets: &[Tensor],
        handles: &[Tensor],
        options: &GradientOptions,
        entries: &mut Entries<'_>,
    ) -> Result<Gradients> {
        // Making the seeds runs operations, which this tape may record: so it is looked at afterwards.
        let mut list = self.walk(targets, seeds(targets, options)?, handles, entries)?;
        let reasons = reasons(&self.0.borrow(), entries.list(), targets, handles, &list);
        if options.unconnected == UnconnectedGradients::Zero {
            for (entry, handle) in list.iter_mut().zip(handles) {
                if entry.is_none() {
                    *entry = Some(Cotangent::Dense(ops::zeros_of(&value_type(handle))?));
                }
            }
        }
        Ok(Gradients { list, reasons })
    }

    /// For each missing gradient, why it is missing, where that is known.
    pub(super) fn reasons(
        &self,
        targets: &[Tensor],
        handles: &[Tensor],
        list: &[Option<Cotangent>],
    ) -> Vec<Option<String>> {
        let data = self.0.borrow();
        reasons(&data, &data.entries, targets, handles, list)
    }
}

/// The type of a source's value: its own, or that of the variable.
pub(super) fn value_type(handle: &Tensor) -> TensorType {
    handle.as_object::<Resource>().map_or(*handle.ty(), Resource::ty)
}

fn reasons(
    data: &TapeData,
    entries: &[Entry],
    targets: &[Tensor],
    handles: &[Tensor],
    list: &[Option<Cotangent>],
) -> Vec<Option<String>> {
    if list.iter().all(Option::is_some) {
        return Vec::new();
    }
    let behind = targets.iter().find_map(|t| data.cuts.get(&t.id()));
    let one = |handle: &Tensor| {
        let slot = data.find(handle);
        if !value_type(handle).dtype.is_floating() {
            return Some("the source is not floating-point".to_owned());
        }
        if slot == UNTRACKED {
            return Some("the tape does not follow it: `watch` it before it is used".to_owned());
        }
        let cut = behind.or_else(|| {
            if data.stopped.is_empty() {
                return None;
            }
            let from = reachable(entries, data.count, &[slot]);
            let reached = |slots: &[u32]| slots.iter().any(|&s| s != UNTRACKED && from[s as usize]);
            data.stopped.iter().find(|(slots, _)| reached(slots)).map(|(_, cut)| cut)
        })?;
        let at = cut.location;
        Some(format!("`{}` at {}:{} stops the gradient: {}", cut.op, at.file(), at.line(), cut.reason))
    };
    list.iter().zip(handles).map(|(entry, handle)| if entry.is_none() { one(handle) } else { None }).collect()
}

/// The cotangents that the targets start from.
fn seeds(targets: &[Tensor], options: &GradientOptions) -> Result<SmallVec<[Tensor; 1]>> {
    if let Some(given) = &options.output_gradients
        && given.len() != targets.len()
    {
        return Err(Error::invalid_argument("gradient", "one output gradient per target is needed")
            .got(given.len())
            .expected(targets.len()));
    }
    let seed = |(i, target): (usize, &Tensor)| match &options.output_gradients {
        Some(given) if given[i].ty() != target.ty() => {
            Err(Error::invalid_argument("gradient", "an output gradient has not its target's type")
                .got(given[i].ty())
                .expected(target.ty()))
        }
        Some(given) => Ok(given[i].clone()),
        None if !target.dtype().is_floating() => {
            Err(Error::invalid_argument("gradient", "the target is not floating-point")
                .got(target.ty())
                .expected("float16, bfloat16, float32 or float64")
                .help("differentiate before the conversion to integers"))
        }
        None => ops::ones_of(target.ty()),
    };
    targets.iter().enumerate().map(seed).collect()
}

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
            pub fn stop_recording(&self) -> StopRecording {
                self.0.0.borrow_mut().paused += 1;
                StopRecording(self.0.0.clone())
            }

            /// Forgets everything recorded and watched so far; recording goes on.
            pub fn reset(&mut self) {
                // What is dropped may hold closures that run operations, so it goes when the tape can be looked at.
                let fresh = TapeData { watch_variables: self.0.0.borrow().watch_variables, ..TapeData::default() };
                let paused = self.0.0.borrow().paused;
                drop(self.0.0.replace(TapeData { paused, ..fresh }));
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
    /// without a gradient.
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
        let here = Location::caller();
        self.list(&target.tensors(), &sources.handles(), options).and_then(S::answer).map_err(|e| e.at(here))
    }

    /// The gradient by one source, or `None` if the target does not depend on it, as TensorFlow answers.
    ///
    /// # Panics
    /// As [`gradient`](Self::gradient), but for a source that is not connected.
    #[track_caller]
    pub fn gradient_or_none(self, target: impl Targets, source: impl super::Differentiable) -> Option<Tensor> {
        self.list(&target.tensors(), &[source.handle().clone()], &GradientOptions::new()).or_fail().get(0)
    }

    fn list(self, targets: &[Tensor], handles: &[Tensor], options: &GradientOptions) -> Result<Gradients> {
        self.0.stop();
        let mut entries = std::mem::take(&mut self.0.0.borrow_mut().entries);
        let result = self.0.gradients(targets, handles, options, &mut Entries::Consumed(&mut entries));
        // The next tape of this thread uses the list's memory again.
        entries.clear();
        self.0.0.borrow_mut().entries = entries;
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
        let here = Location::caller();
        self.list(&target.tensors(), &sources.handles(), options).and_then(S::answer).map_err(|e| e.at(here))
    }

    /// The gradient by one source, or `None` if the target does not depend on it, as TensorFlow answers.
    ///
    /// # Panics
    /// As [`GradientTape::gradient_or_none`].
    #[track_caller]
    pub fn gradient_or_none(&self, target: impl Targets, source: impl super::Differentiable) -> Option<Tensor> {
        self.list(&target.tensors(), &[source.handle().clone()], &GradientOptions::new()).or_fail().get(0)
    }

    fn list(&self, targets: &[Tensor], handles: &[Tensor], options: &GradientOptions) -> Result<Gradients> {
        self.0.with_kept(|entries| self.0.gradients(targets, handles, options, entries))
    }
}
