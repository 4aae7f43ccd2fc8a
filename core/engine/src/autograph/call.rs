//! [`Call`]: one call of a traced function. It notes the arguments, runs a trace that fits them, or lets the body be
//! recorded once with symbols in their place, closes that into a trace, and runs it.

use super::borrow_watch::Watched;
use super::dispatch::Written;
use super::nesting::Nesting;
use super::skipped_fields::Watching;
use super::state::Captured;
use crate::builder;
use crate::builder::Builder;
use crate::function::declared;
use crate::function::{Found, Function, Identity, ReusedArguments, Source, Ticket, Tracing, functions_run_eagerly};
use crate::structure::{BoxedState, Instance, Place};
use crate::tensor::TensorType;
use kernels::error::OrFail;
use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

mod argument_copies;
mod note_arguments;
pub(super) mod trace;

/// One call of a function, whose arguments live for `'v` or are copied.
pub struct Call<'v> {
    function: &'static Function,
    instance: Instance,
    /// The function's own line, or the caller's where arguments can be refused.
    location: &'static Location<'static>,
    /// Whether the body runs where it stands: operation by operation, or into the trace around it.
    inline: bool,
    /// Counts the calls in one another, of functions that are recorded in place.
    _nesting: Option<Nesting>,
    arguments: ReusedArguments,
    /// What the body needs where no trace answers.
    body: OnceCell<Box<Body>>,
    _arguments: PhantomData<&'v ()>,
}

/// What is kept while the body runs.
#[derive(Default)]
struct Body {
    session: OnceCell<Session>,
    tracing: RefCell<Option<Tracing>>,
    /// Copies of arguments with symbols in place of tensors, lent to the body.
    lent: RefCell<Vec<Box<dyn Any>>>,
    /// What was lent by `&mut`, its copies, and where they belong.
    exchanged: RefCell<Vec<Exchanged>>,
    /// What modules leave out of their state is watched.
    watching: RefCell<Vec<Watching>>,
    /// The copies themselves, after what refers to them.
    held: RefCell<Vec<BoxedState>>,
}

/// A value lent by `&mut`, of which the body changes a copy.
struct Exchanged {
    own: Place<'static>,
    copy: Place<'static>,
    /// The copy as the body found it.
    before: Captured,
    /// Branches and loops of the graph watch the copy.
    _watched: Watched,
}

/// A trace under way.
struct Session {
    builder: Rc<Builder>,
    /// The function's own line, where its parameters are.
    location: &'static Location<'static>,
    types: Vec<TensorType>,
    /// For each parameter where it comes from.
    sources: RefCell<Vec<Source>>,
    reason: String,
    identity: RefCell<Identity>,
    /// Other threads with such arguments wait; none for a trace that serves this call alone.
    ticket: RefCell<Option<Ticket>>,
    open: Cell<bool>,
    /// For each symbol the tensor of the arguments that it stands for.
    symbols: RefCell<Vec<(u64, usize)>>,
}

impl<'v> Call<'v> {
    /// A call of one instance of a function.
    #[track_caller]
    pub fn new(function: &'static Function, instance: Instance) -> Self {
        let recorded = builder::is_open();
        let inline = recorded || functions_run_eagerly();
        function.register(instance.path());
        let location = Location::caller();
        let mut arguments = ReusedArguments::new();
        if !inline {
            arguments.note_training();
        }
        Self {
            function,
            instance,
            location,
            inline,
            // Not a closure, which would have this file as the place of the panic.
            _nesting: if recorded { Some(Nesting::enter(function, location).or_fail()) } else { None },
            arguments,
            body: OnceCell::new(),
            _arguments: PhantomData,
        }
    }

    fn body(&self) -> &Body {
        self.body.get_or_init(Box::default)
    }

    /// The trace under way, if this call makes one.
    fn session(&self) -> Option<&Session> {
        self.body.get()?.session.get()
    }

    /// Whether anybody asks what the arguments are.
    fn notes(&self) -> bool {
        !self.inline || !self.function.declared.is_empty()
    }

    #[track_caller]
    fn check_declared(&self) {
        if !self.function.declared.is_empty() {
            let fits = declared::check(self.function.declared, self.function.name, &self.arguments);
            fits.map_err(|error| error.at(self.location)).or_fail();
        }
    }

    /// The result, if a trace for these arguments exists.
    #[track_caller]
    pub fn ready<R>(&mut self) -> Option<R> {
        self.ready_and_written(&mut Written::new())
    }

    /// As [`ready`](Self::ready), of a function with `&mut` parameters: their new values are put there.
    #[track_caller]
    pub fn ready_and_written<R>(&mut self, written: &mut Written<'_>) -> Option<R> {
        if self.inline {
            self.check_declared();
            return None;
        }
        let (types, reason, ticket) = loop {
            if let Some(found) = self.find::<R>() {
                return self.run(found, written);
            }
            self.function.register_instance(self.instance.path());
            // What a trace serves is what was declared.
            self.check_declared();
            let (types, reason) = self.function.plan_trace(self.instance.id, &self.arguments);
            if self.arguments.unknown.is_some() {
                break (types, reason, None);
            }
            let ticket = self.function.ticket(self.instance.id, self.pattern(&types), &self.arguments.tensors);
            match ticket {
                // Another thread may have made one since this one looked.
                Some(ticket) => match self.find::<R>() {
                    Some(found) => {
                        drop(ticket);
                        return self.run(found, written);
                    }
                    None => break (types, reason, Some(ticket)),
                },
                None => continue,
            }
        };
        let builder = Builder::function(self.function.name);
        let session = Session {
            builder,
            location: self.function.location,
            types,
            sources: RefCell::default(),
            reason,
            identity: RefCell::new(self.function.identity(self.instance.id, &self.arguments)),
            ticket: RefCell::new(ticket),
            open: Cell::new(false),
            symbols: RefCell::default(),
        };
        for (i, tensor) in self.arguments.tensors.iter().enumerate().filter(|(i, _)| self.arguments.in_module[*i]) {
            session.builder.bind(tensor, &session.types[i]);
            session.sources.borrow_mut().push(Source::Leaf(i));
        }
        let _ = self.body().session.set(session);
        None
    }

    /// A trace that serves this call.
    #[inline]
    fn find<R>(&self) -> Option<Found<'static>> {
        // A trace has what the body made of an argument of which nothing is known: it is for this call alone.
        if self.arguments.unknown.is_some() {
            return None;
        }
        let function: &'static Function = self.function;
        let found = function.find(self.instance.id, &self.arguments.words, &self.arguments.tensors)?;
        found.table.is_of::<R>().then_some(found)
    }

    /// Runs a trace on the arguments, for the last time that they are read.
    #[inline]
    #[track_caller]
    fn run<R>(&mut self, mut found: Found<'static>, written: &mut Written<'_>) -> Option<R> {
        let (trace, seat) = found.parts();
        let ran = match written.places.is_empty() {
            true => trace.run_last(&mut self.arguments, seat, self.location),
            false => trace.run(&self.arguments, self.location),
        };
        let mut outputs = match ran {
            Ok(outputs) => outputs.into_iter(),
            Err(error) => return Some(trace.table.given_back(error).or_fail()),
        };
        let result = trace.result(&mut |old| outputs.next().unwrap_or_else(|| old.clone()));
        for (place, wrote) in written.places.iter_mut().zip(&trace.written) {
            wrote.put(place, &self.arguments.tensors, &mut outputs);
        }
        result
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.give_up();
    }
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Call({:?} of {:?})", self.instance.id, self.function)
    }
}
