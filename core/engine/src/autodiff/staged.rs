//! A tape over the recording of a graph: what [`differentiate`](crate::graph::differentiate) writes on and walks back over,
//! several times if need be. It follows exactly the parameters it is told to.

use super::driver::{Entries, Seed, backprop};
use crate::tape::Cotangent;
use crate::tape::slot_table::UNTRACKED;
use crate::tape::tape_memory::{self, TapeData};
use crate::tensor::Tensor;
use kernels::error::Result;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// The tape while it records.
pub(crate) struct StagedTape(Option<Rc<RefCell<TapeData>>>);

impl StagedTape {
    pub fn start<'a>(watched: impl Iterator<Item = &'a Tensor>) -> Self {
        let tape = tape_memory::push(false);
        watched.for_each(|tensor| tape.borrow_mut().follow_always(tensor));
        Self(Some(tape))
    }

    /// Ends the recording.
    pub fn stop(mut self) -> RecordedTape {
        let tape = self.0.take().unwrap_or_default();
        tape_memory::remove(&tape);
        RecordedTape(tape)
    }
}

impl Drop for StagedTape {
    fn drop(&mut self) {
        if let Some(tape) = &self.0 {
            tape_memory::remove(tape);
        }
    }
}

/// What the tape noted.
pub(crate) struct RecordedTape(Rc<RefCell<TapeData>>);

impl RecordedTape {
    /// The cotangents of the sources, given those of the targets.
    pub fn gradient<'a>(
        &self,
        targets: impl Iterator<Item = (&'a Tensor, &'a Tensor)>,
        sources: &[Option<&Tensor>],
    ) -> Result<SmallVec<[Option<Cotangent>; 4]>> {
        let data = self.0.borrow();
        let mut seeds = SmallVec::new();
        for (target, dy) in targets {
            let slot = data.find(target);
            if slot != UNTRACKED {
                seeds.push((slot, Seed::Given(dy.clone())));
            }
        }
        let slots: Vec<u32> = sources.iter().map(|s| s.map_or(UNTRACKED, |t| data.find(t))).collect();
        backprop(&mut Entries::Kept(&data.log), data.count, seeds, &slots)
    }
}
