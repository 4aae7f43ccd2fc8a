//! The stage that works ahead: `prefetch`, whose thread fills a bounded buffer while elements are used.
//! The thread begins with the first element that is asked for, and ends with the pass.

use super::one_input;
use crate::data::budget::Share;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Rows, Stage, guarded, values};
use crate::data::state::{Saved, save_result, saved_result};
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::{Error, Result};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// How many elements wait at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::data) enum Buffer {
    Fixed(usize),
    /// As many as keep the buffer from running dry, within the budget of all such buffers.
    Tuned,
}

/// How many elements a buffer that is tuned may hold.
const MOST_ELEMENTS: usize = 512;

pub(in crate::data) struct Prefetch {
    pub before: Arc<dyn Stage>,
    pub buffer: Buffer,
}

impl Stage for Prefetch {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let (limit, share) = match self.buffer {
            Buffer::Fixed(size) => (size, None),
            Buffer::Tuned => (2, Some(Share::default())),
        };
        let mut waiting = Waiting { limit, share, ..Waiting::default() };
        if let Some(from) = from.as_deref_mut() {
            for _ in 0..from.count()? {
                waiting.push(saved_result(from)?);
            }
            waiting.ended = from.flag()?;
        }
        let before = self.before.begin(from)?;
        let source = self.before.source().cloned();
        let shared = Arc::new(Shared {
            before: Mutex::new(Before { pass: before, source }),
            waiting: Mutex::new(waiting),
            changed: Condvar::new(),
        });
        Ok(Box::new(Prefetching { shared, thread: None }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }

    one_input!();

    fn describe(&self) -> String {
        match self.buffer {
            Buffer::Fixed(size) => format!("prefetch({size})"),
            Buffer::Tuned => "prefetch(AUTOTUNE)".to_owned(),
        }
    }
}

/// What is read from, by one at a time.
struct Before {
    pass: Box<dyn Pass>,
    source: Option<Arc<dyn Rows>>,
}

#[derive(Default)]
struct Waiting {
    results: VecDeque<Result<Outputs>>,
    limit: usize,
    /// What a buffer that is tuned holds of the budget.
    share: Option<Share>,
    /// Whether all elements were read.
    ended: bool,
    /// Whether the thread is to end.
    stop: bool,
}

impl Waiting {
    fn push(&mut self, result: Result<Outputs>) {
        if let Some(share) = &mut self.share {
            share.take(bytes(&result));
        }
        self.results.push_back(result);
    }

    /// Takes the first; a buffer that was dry before it came grows, if there is room for as much again.
    fn pop(&mut self, dry: bool) -> Option<Result<Outputs>> {
        let result = self.results.pop_front()?;
        if let Some(share) = &mut self.share {
            let own = bytes(&result);
            share.give_back(own);
            let room = self.limit < MOST_ELEMENTS && Share::has_room(own.saturating_mul(self.limit.saturating_mul(2)));
            if dry && room {
                self.limit *= 2;
            }
        }
        Some(result)
    }
}

struct Shared {
    /// Locked before `waiting`, by who needs both.
    before: Mutex<Before>,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, waiting: MutexGuard<'a, Waiting>) -> MutexGuard<'a, Waiting> {
        self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner)
    }

    /// What the thread does: reads while there is room, until the end or until it is told to stop.
    fn read_ahead(&self) {
        loop {
            let mut waiting = self.waiting();
            while !waiting.stop && !waiting.ended && waiting.results.len() >= waiting.limit {
                waiting = self.wait(waiting);
            }
            if waiting.stop || waiting.ended {
                return;
            }
            drop(waiting);
            // Who saves waits for the element that is being read.
            let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
            let next = guarded("prefetch", || {
                let item = before.pass.next()?;
                item.map(|item| values(before.source.as_ref(), item)).transpose()
            });
            let mut waiting = self.waiting();
            match next.transpose() {
                Some(result) => waiting.push(result),
                None => waiting.ended = true,
            }
            drop(waiting);
            drop(before);
            self.changed.notify_all();
        }
    }
}

fn bytes(result: &Result<Outputs>) -> usize {
    result.iter().flatten().map(|tensor| tensor.ty().bytes()).sum()
}

struct Prefetching {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Prefetching {
    fn start(&mut self) -> Result<()> {
        let shared = self.shared.clone();
        let thread = std::thread::Builder::new().name("tf-data-prefetch".to_owned()).spawn(move || shared.read_ahead());
        let thread = thread.map_err(|e| Error::resource_exhausted("prefetch", "no thread could be started").got(e))?;
        self.thread = Some(thread);
        Ok(())
    }
}

impl Pass for Prefetching {
    fn next(&mut self) -> Result<Option<Item>> {
        if self.thread.is_none() && !self.shared.waiting().ended {
            self.start()?;
        }
        let mut waiting = self.shared.waiting();
        let dry = waiting.results.is_empty() && !waiting.ended;
        while waiting.results.is_empty() && !waiting.ended {
            waiting = self.shared.wait(waiting);
        }
        let Some(result) = waiting.pop(dry) else { return Ok(None) };
        drop(waiting);
        self.shared.changed.notify_all();
        result.map(|values| Some(Item::Values(values)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        let before = self.shared.before.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = self.shared.waiting();
        to.number(waiting.results.len() as u64);
        waiting.results.iter().try_for_each(|result| save_result(result, to))?;
        to.flag(waiting.ended);
        before.pass.save(to)
    }
}

impl Drop for Prefetching {
    fn drop(&mut self) {
        self.shared.waiting().stop = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It has no panics: functions of the user's are guarded.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;
    use crate::data::{ram_budget, ram_in_use, set_ram_budget};
    use crate::random::tests::alone;

    #[test]
    fn tuned_buffers_grow_within_the_budget_and_give_all_of_it_back() {
        let _alone = alone();
        let budget = ram_budget();
        let kilobytes = || Ok([tf::zeros([256])].into_iter().collect::<Outputs>());
        let mut waiting = Waiting { limit: 2, share: Some(Share::default()), ..Waiting::default() };
        let limit_after = |waiting: &mut Waiting, dry: bool| {
            waiting.push(kilobytes());
            assert!(ram_in_use() >= 1024);
            assert!(waiting.pop(dry).is_some());
            waiting.limit
        };
        set_ram_budget(0);
        assert_eq!(limit_after(&mut waiting, true), 2, "there is no room");
        set_ram_budget(usize::MAX);
        assert_eq!(limit_after(&mut waiting, false), 2, "it was not dry");
        assert_eq!(limit_after(&mut waiting, true), 4);
        for _ in 0..20 {
            limit_after(&mut waiting, true);
        }
        assert_eq!(waiting.limit, MOST_ELEMENTS);
        set_ram_budget(budget);
        // What a pass still holds is given back with it, and no more.
        waiting.push(kilobytes());
        let mut share = waiting.share.take().unwrap();
        share.give_back(usize::MAX);
        let (before, mut other) = (ram_in_use(), Share::default());
        other.take(1 << 30);
        assert!(ram_in_use() >= 1 << 30);
        drop(other);
        assert!(ram_in_use() < before.saturating_add(1 << 29));
    }
}
