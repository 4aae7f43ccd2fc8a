//! A tape at work: it starts, stops, and walks what it noted; both kinds of tape are made of it.
//! What the walk starts from is found here.

use super::driver::{Entries, Seed, backprop};
use super::gradient_tape::{GradientOptions, UnconnectedGradients};
use super::reasons::reasons;
use super::{Watch, outer_tape};
use crate::builder;
use crate::execute::{observed, recording};
use crate::ops;
use crate::tape::log::Log;
use crate::tape::slot_table::UNTRACKED;
use crate::tape::tape_memory::{self, TapeData, Walked};
use crate::tape::{Cotangent, Gradients};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::error::{Error, Result};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// A tape on this thread's list.
pub(super) struct Running(pub(super) Rc<RefCell<TapeData>>);

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        tape_memory::recycle(&self.0);
    }
}

impl Running {
    pub(super) fn start(watch_variables: bool) -> Self {
        Self(tape_memory::push(watch_variables))
    }

    pub(super) fn watch(&self, sources: &(impl Watch + ?Sized)) {
        let mut data = self.0.borrow_mut();
        sources.for_each(&mut |tensor| data.watch(tensor));
    }

    /// Ends recording; what was recorded stays.
    pub(super) fn stop(&self) {
        tape_memory::remove(&self.0);
    }

    /// Takes the entries out while `walk` runs, because its own operations may be recorded on this very tape, and puts
    /// them back before those, also after a panic in a gradient rule.
    pub(super) fn with_kept<R>(&self, walk: impl FnOnce(&mut Entries<'_>) -> R) -> R {
        struct Restore<'a>(&'a RefCell<TapeData>, Log);
        impl Drop for Restore<'_> {
            fn drop(&mut self) {
                if let Ok(mut data) = self.0.try_borrow_mut() {
                    self.1.append(std::mem::take(&mut data.log));
                    data.log = std::mem::take(&mut self.1);
                    data.aside = 0;
                }
            }
        }
        let kept = {
            let mut data = self.0.borrow_mut();
            data.aside = data.log.len();
            Restore(&self.0, std::mem::take(&mut data.log))
        };
        walk(&mut Entries::Kept(&kept.1))
    }

    /// Asks the tape something that it records itself, for gradients of gradients, and remembers that for as long as somebody holds
    /// the answer: a tape that is asked again and again keeps no more than its answers need.
    pub(super) fn remembered<R>(
        &self,
        ask: impl FnOnce() -> Result<R>,
        tensors: impl FnOnce(&R) -> SmallVec<[Tensor; 4]>,
    ) -> Result<R> {
        // What a graph has recorded stays, and the positions of its bodies count on it.
        if recording() {
            return ask();
        }
        let unwanted = self.0.borrow_mut().take_unwanted_walks();
        drop(unwanted);
        let began = Walked::beginning(&self.0.borrow());
        let answer = ask()?;
        began.ended(&mut self.0.borrow_mut(), tensors(&answer));
        Ok(answer)
    }

    /// The cotangents of `handles`, from those of `targets`.
    #[track_caller]
    pub(super) fn walk(
        &self,
        targets: &[&Tensor],
        seeds: SmallVec<[Seed<'_>; 1]>,
        handles: &[&Tensor],
        entries: &mut Entries<'_>,
    ) -> Result<SmallVec<[Option<Cotangent>; 4]>> {
        if observed() && builder::is_open() {
            outer_tape::note(&self.0, targets, handles);
        }
        let mut found: SmallVec<[(u32, Seed<'_>); 1]> = SmallVec::new();
        let mut sources: SmallVec<[u32; 8]> = SmallVec::new();
        let data = self.0.borrow();
        for (target, seed) in targets.iter().zip(seeds) {
            match data.find(target) {
                UNTRACKED => {}
                slot => found.push((slot, seed)),
            }
        }
        handles.iter().for_each(|handle| sources.push(data.find(handle)));
        let slots = data.count;
        drop(data);
        backprop(entries, slots, found, &sources)
    }

    /// The gradients of `targets` by `handles`, walking over `entries`.
    pub(super) fn gradients(
        &self,
        targets: &[&Tensor],
        handles: &[&Tensor],
        options: &GradientOptions,
        entries: &mut Entries<'_>,
    ) -> Result<Gradients> {
        // Making the seeds runs operations, which this tape may record: so it is looked at afterwards.
        let mut list = self.walk(targets, seeds(targets, options)?, handles, entries)?;
        let mut reasons = reasons(&self.0.borrow(), entries.log(), targets, handles, &list);
        if reasons.iter().any(Option::is_none) && builder::is_open() && outer_tape::is_behind(&self.0, targets, handles)
        {
            let what = "the target comes from earlier rounds of a loop of the graph that began after the tape: ask the tape \
                        after the loop";
            reasons.iter_mut().for_each(|reason| *reason = reason.take().or_else(|| Some(what.to_owned())));
        }
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
        targets: &[&Tensor],
        handles: &[&Tensor],
        list: &[Option<Cotangent>],
    ) -> Vec<Option<String>> {
        let data = self.0.borrow();
        reasons(&data, &data.log, targets, handles, list)
    }
}

/// The type of a source's value: its own, or that of the variable.
pub(super) fn value_type(handle: &Tensor) -> TensorType {
    handle.as_object::<Resource>().map_or(*handle.ty(), Resource::ty)
}

/// The cotangents that the targets start from.
fn seeds<'a>(targets: &[&'a Tensor], options: &GradientOptions) -> Result<SmallVec<[Seed<'a>; 1]>> {
    if let Some(given) = &options.output_gradients
        && given.len() != targets.len()
    {
        return Err(Error::invalid_argument("gradient", "one output gradient per target is needed")
            .got(given.len())
            .expected(targets.len()));
    }
    let mut seeds = SmallVec::new();
    for (i, target) in targets.iter().enumerate() {
        seeds.push(match &options.output_gradients {
            Some(given) if given[i].ty() != target.ty() => {
                return Err(Error::invalid_argument("gradient", "an output gradient has not its target's type")
                    .got(given[i].ty())
                    .expected(target.ty()));
            }
            Some(given) => Seed::Given(given[i].clone()),
            None if !target.dtype().is_differentiable() => {
                return Err(Error::invalid_argument("gradient", "the target is not floating-point")
                    .got(target.ty())
                    .expected("float16, bfloat16, float32 or float64")
                    .help("differentiate before the conversion to integers"));
            }
            // What somebody records must be made by operations.
            None if observed() => Seed::Given(ops::ones_of(target.ty())?),
            None => Seed::Ones(target.ty()),
        });
    }
    Ok(seeds)
}
