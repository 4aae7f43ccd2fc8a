//! [`Fun`]: the body of a traced function, or of a closure in one: where `return` leads, and what the result is made of.
//! A body that runs inside another trace is recorded in place; the outermost one is closed into a graph by its [`Call`].

mod leaving;

use super::call::Call;
use super::mismatch::{Disagreement, Way};
use super::opaque_state::none_hidden;
use super::regions::{self, Target};
use super::returned_error::Failed;
use super::state::{self, Captured};
use crate::structure::{Kind, Place, Slot, StateVtable, place};
use crate::tensor::Tensor;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// The body of a function, or of a closure in one.
pub struct Fun<'c, R> {
    /// The outermost function of a trace; none for one inside, or one that runs operation by operation.
    call: Option<&'c Call<'c>>,
    /// The call whose `&mut` arguments this body changes by way of copies.
    written: Option<&'c Call<'c>>,
    region: Option<usize>,
    target: Target,
    table: &'static StateVtable,
    /// A value that some `return` gave; other results are copies of it with other tensors.
    returned: Option<R>,
    /// Where it did.
    returned_at: &'static Location<'static>,
    /// What was written then to the `&mut` arguments.
    left: Option<Captured>,
    location: &'static Location<'static>,
    /// How many ways were recorded that fail, before the body.
    failed_before: u64,
}

const RESULT: &str = "the result";

impl<'c, R> Fun<'c, R> {
    /// The function's own body.
    #[track_caller]
    pub fn enter(call: &'c Call<'c>, _: Slot<R>, table: &'static StateVtable) -> Self {
        let traces = call.begin_body();
        if traces && table.kind != Kind::Nest {
            Err(Error::invalid_argument(
                "tf_function",
                "the result of a traced function is made of tensors and host values",
            )
            .got(format!("`{}`", (table.type_name)()))
            .help("return tensors, tuples, lists or options of them, or derive `Nest` for the type"))
            .or_fail()
        }
        let mut body = Self::with(traces.then_some(call), table);
        body.written = call.has_copies().then_some(call);
        body
    }

    /// A closure's body.
    #[track_caller]
    pub fn closure(_: Slot<R>, table: &'static StateVtable) -> Self {
        Self::with(None, table)
    }

    #[track_caller]
    fn with(call: Option<&'c Call<'c>>, table: &'static StateVtable) -> Self {
        Self {
            call,
            written: None,
            region: regions::staged().then(regions::enter_inline),
            target: Target::fresh(),
            table,
            returned: None,
            returned_at: Location::caller(),
            left: None,
            location: Location::caller(),
            failed_before: super::returned_error::recorded(),
        }
    }

    /// Whether both branches of a condition may run, so that moved values are needed twice.
    pub fn tracing(&self) -> bool {
        self.region.is_some()
    }

    /// `return value`: the value again where the host leaves.
    #[track_caller]
    pub fn ret(&mut self, value: R) -> Option<R> {
        self.ret_with(value, &mut [])
    }

    /// As [`ret`](Self::ret), of a closure, with what it may have changed of what it captured or was lent.
    #[track_caller]
    pub fn ret_with(&mut self, mut value: R, state: &mut [Place<'_>]) -> Option<R> {
        let Some(region) = self.region else { return Some(value) };
        if let Some(failed) = Failed::of(&place(RESULT, &mut value, self.table)) {
            if self.leaves_natively(region) {
                return Some(self.close_host(value));
            }
            failed.record().or_fail();
            return None;
        }
        if regions::is_native_to(region) {
            regions::abandon(region + 1);
            return Some(self.close_or_give_back(Some(value), state, Location::caller()));
        }
        let tensors = self.tensors(&mut value, state);
        let here = Location::caller();
        self.check(&mut value, state, here).or_fail();
        if self.returned.is_none() {
            (self.returned, self.returned_at) = (Some(value), here);
            self.left = Some(self.with_state(state, |state| Captured::of(state)));
        }
        regions::leave(self.target, tensors);
        None
    }

    /// The end of the body.
    #[track_caller]
    pub fn finish(self, value: R) -> R {
        self.finish_with(value, &mut [])
    }

    /// As [`finish`](Self::finish), of a closure with state.
    #[track_caller]
    pub fn finish_with(mut self, mut value: R, state: &mut [Place<'_>]) -> R {
        if self.region.is_none() {
            return value;
        }
        let here = Location::caller();
        match Failed::of(&place(RESULT, &mut value, self.table)) {
            Some(_) if self.region.is_some_and(|region| self.leaves_natively(region)) => self.close_host(value),
            Some(failed) => {
                failed.record().or_fail();
                self.close_or_give_back(None, state, here)
            }
            None => self.close_or_give_back(Some(value), state, here),
        }
    }

    /// The end of a body whose every path in the graph has left.
    #[track_caller]
    pub fn finish_left(self) -> R {
        self.finish_left_with(&mut [])
    }

    /// As [`finish_left`](Self::finish_left), of a closure with state.
    #[track_caller]
    pub fn finish_left_with(mut self, state: &mut [Place<'_>]) -> R {
        self.close_or_give_back(None, state, Location::caller())
    }

    /// Whether an `Err` leaves the body as Rust has it: no branch of the graph decides of it.
    fn leaves_natively(&self, region: usize) -> bool {
        regions::is_native_to(region) && !regions::has_left()
    }

    /// As [`close`](Self::close); an error that the function returns when its graph runs is given back.
    #[track_caller]
    fn close_or_give_back(&mut self, value: Option<R>, state: &mut [Place<'_>], here: &'static Location<'static>) -> R {
        let table = self.table;
        match self.close(value, state, here) {
            Ok(value) => value,
            Err(error) => table.given_back(error).or_fail(),
        }
    }

    /// What leaves the body beside its result: of a function what it writes to its `&mut` arguments, of a closure its state.
    fn with_state<T>(&self, state: &mut [Place<'_>], with: impl FnOnce(&mut [Place<'_>]) -> T) -> T {
        match self.written {
            Some(call) => call.with_copies(with),
            None => with(state),
        }
    }

    /// The tensors of a result, and of the state behind them.
    fn tensors(&self, value: &mut R, state: &mut [Place<'_>]) -> Vec<Tensor> {
        let mut all = state::tensors(&[place(RESULT, value, self.table)]);
        all.extend(self.with_state(state, |state| state::tensors(state)));
        all
    }

    /// All values that are returned must have one structure, and so must all that are written.
    fn check(&mut self, value: &mut R, state: &mut [Place<'_>], location: &'static Location<'static>) -> Result<()> {
        if self.returned.is_none() {
            return Ok(());
        }
        none_hidden("return", &[place(RESULT, value, self.table)], location)?;
        let ways = [Way::Return(self.returned_at), Way::Said("here")];
        let whose = Disagreement { op: "tf_function", ways, yields: &[], location };
        if let Some(left) = &self.left {
            self.with_state(state, |state| left.agree(state, &whose))?;
        }
        let Some(first) = &mut self.returned else { return Ok(()) };
        Captured::of(&[place(RESULT, first, self.table)]).agree(&[place(RESULT, value, self.table)], &whose)
    }

    /// Leaves with a value that the graph cannot hold: the trace is given up.
    fn close_host(&mut self, value: R) -> R {
        if let Some(region) = self.region.take() {
            regions::abandon(region);
        }
        self.abandon();
        value
    }

    /// The trace is given up, and with it what the body has written; one that is part of another goes on, and has
    /// written what it has.
    fn abandon(&mut self) {
        let written = self.written.take();
        match self.call.take() {
            Some(call) => call.give_up(),
            None => written.into_iter().for_each(Call::hand_back),
        }
    }

    fn close(&mut self, value: Option<R>, state: &mut [Place<'_>], here: &'static Location<'static>) -> Result<R> {
        let Some(region) = self.region else {
            return Err(Error::internal("tf_function", "a body is closed twice"));
        };
        let mut value = value;
        if let Some(value) = &mut value {
            self.check(value, state, here)?;
        }
        let tensors: Option<Vec<Tensor>> = value.as_mut().map(|value| self.tensors(value, state));
        let (fell, watch) = regions::settle_watched(region, Some(self.target), tensors)?;
        regions::exit(None);
        self.region = None;
        if let (None, Some(left)) = (&value, &self.left) {
            self.with_state(state, |state| left.restore(state));
        }
        let Some(mut value) = value.or_else(|| self.returned.take()) else {
            if let Some(call) = self.call.take().filter(|_| super::returned_error::recorded() > self.failed_before) {
                return Err(call.close_failed(self.table));
            }
            return Err(Error::failed_precondition("tf_function", "no way through the function comes to its end")
                .help("a loop without `break`, or errors or panics on all ways?")
                .at(self.location));
        };
        let mut places: [Place<'_>; 1] = [place(RESULT, &mut value, self.table)];
        let own = state::tensors(&places).len();
        if let Some(fell) = &fell {
            state::put(&mut places, fell);
            self.with_state(state, |state| {
                state::put(state, &fell[own.min(fell.len())..]);
                watch.map_or(Ok(()), |(watch, line)| watch.check_rest(state, line))
            })?;
        }
        let written = self.written.take();
        match self.call.take() {
            Some(call) => call.close(&mut places[0], self.table)?,
            None => written.into_iter().for_each(Call::hand_back),
        }
        Ok(value)
    }
}

impl<R> Drop for Fun<'_, R> {
    fn drop(&mut self) {
        if let Some(region) = self.region {
            regions::abandon(region);
        }
        self.abandon();
    }
}
