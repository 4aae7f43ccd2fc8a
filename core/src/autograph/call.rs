//! [`Call`]: one call of a traced function. It notes the arguments, runs a trace that fits them, or lets the body be
//! recorded once with symbols in their place, closes that into a trace, and runs it.

use super::dispatch::{Instance, Kept, Nest, Place, Table, Written, Wrote};
use super::nesting::Nesting;
use super::regions;
use super::state::{self, Captured};
use super::watch::Watched;
use crate::error::{OrFail, Result};
use crate::function::declared;
use crate::function::{
    Found, Function, Identity, Lent, Pattern, Source, Ticket, Trace, Tracing, functions_run_eagerly, note_name,
};
use crate::graph::builder;
use crate::graph::control::call::Callable;
use crate::graph::{Builder, Graph};
use crate::module::Module;
use crate::tensor::{Resource, Tensor, TensorType};
use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::hash::Hash;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

/// One call of a function, whose arguments live for `'v` or are copied.
pub struct Call<'v> {
    function: &'static Function,
    instance: Instance,
    location: &'static Location<'static>,
    /// Whether the body runs where it stands: operation by operation, or into the trace around it.
    inline: bool,
    /// Counts the calls in one another, of functions that are recorded in place.
    _nesting: Option<Nesting>,
    arguments: Lent,
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
    /// The copies themselves, after what refers to them.
    held: RefCell<Vec<Kept>>,
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
        Self {
            function,
            instance,
            location,
            inline,
            _nesting: recorded.then(|| Nesting::enter(function, location).or_fail()),
            arguments: Lent::new(),
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
        if written.0.is_empty() {
            let mut outputs = trace.run_last(&mut self.arguments, seat, self.location).or_fail().into_iter();
            return trace.table.copy_as(&trace.result, &mut |old| outputs.next().unwrap_or_else(|| old.clone()));
        }
        let mut outputs = trace.run(&self.arguments, self.location).or_fail().into_iter();
        let result = trace.table.copy_as(&trace.result, &mut |old| outputs.next().unwrap_or_else(|| old.clone()));
        for (place, wrote) in written.0.iter_mut().zip(&trace.written) {
            wrote.put(place, &self.arguments.tensors, &mut outputs);
        }
        result
    }

    pub(crate) fn note_nest<T: Nest>(&mut self, name: &'static str, value: &T) {
        if self.notes() {
            self.arguments.nest(name, |leaves| value.visit(leaves));
        }
    }

    /// As [`note_nest`](Self::note_nest); of a tensor the call takes no handle.
    #[inline]
    pub(crate) fn note_reference<T: Nest>(&mut self, name: &'static str, value: &'v T) {
        let any: &'v dyn Any = value;
        match any.downcast_ref::<Tensor>() {
            // SAFETY: the tensor lives for `'v`, which outlives the call and so its arguments.
            Some(tensor) if self.notes() => unsafe { self.arguments.lend(name, tensor) },
            Some(_) => {}
            None => self.note_nest(name, value),
        }
    }

    pub(crate) fn note_slice<T: Nest>(&mut self, name: &'static str, values: &[T]) {
        if self.notes() {
            self.arguments.nest(name, |leaves| super::dispatch::visit_slice(values, leaves));
        }
    }

    pub(crate) fn note_option<T: Nest>(&mut self, name: &'static str, value: Option<&T>) {
        if self.notes() {
            self.arguments.nest(name, |leaves| {
                leaves.value(&value.is_some());
                if let Some(value) = value {
                    value.visit(leaves);
                }
            });
        }
    }

    pub(crate) fn note_module(&mut self, name: &'static str, module: &dyn Module) {
        if self.notes() {
            self.arguments.module(name, module);
        }
    }

    pub(crate) fn note_words(&mut self, name: &'static str, value: &impl Hash) {
        if self.notes() {
            self.arguments.nest(name, |leaves| leaves.value(value));
        }
    }

    pub(crate) fn note_opaque<T>(&mut self, name: &'static str) {
        if self.notes() {
            self.arguments.opaque::<T>(name);
        }
    }

    /// A copy of argument `index` whose tensors are symbols, while a trace is made.
    pub(crate) fn symbols<T: Nest>(&self, index: usize, value: &T) -> Option<T> {
        let session = self.session()?;
        let mut leaf = self.arguments.first[index];
        Some(value.map(&mut |_| session.symbol(&mut leaf)))
    }

    pub(crate) fn symbols_of_slice<T: Nest>(&self, index: usize, values: &[T]) -> Option<Vec<T>> {
        let session = self.session()?;
        let mut leaf = self.arguments.first[index];
        Some(values.iter().map(|value| value.map(&mut |_| session.symbol(&mut leaf))).collect())
    }

    /// Keeps a copy for as long as the call.
    pub(crate) fn lend<T: 'static>(&self, value: T) -> &T {
        let value = Box::new(value);
        let address: *const T = &raw const *value;
        self.body().lent.borrow_mut().push(value);
        // SAFETY: the box is only dropped with the call, and nobody moves or changes what is in it.
        unsafe { &*address }
    }

    /// Whether the body is given copies of what was lent by `&mut`: while it is recorded, a jump in a branch goes on with
    /// the rest, so that what is there at the end is not what was there at each `return`.
    pub(crate) fn copies(&self) -> bool {
        self.session().is_some() || regions::staged()
    }

    /// Keeps a value where it does not move, for as long as the call.
    pub(crate) fn hold<T>(&self, value: T) -> *mut T {
        let kept = Kept::new(value);
        let address = kept.address().cast();
        self.body().held.borrow_mut().push(kept);
        address
    }

    /// Notes a value lent by `&mut` and its copy.
    ///
    /// # Safety
    /// Both are there as long as the call, and nobody uses them when the body has ended.
    pub(crate) unsafe fn exchange(&self, own: Place<'_>, copy: Place<'_>) {
        // SAFETY: by the caller's promise.
        let (own, mut copy) = unsafe { (own.forever(), copy.forever()) };
        let before = Captured::of(std::slice::from_ref(&copy));
        // SAFETY: the copy is there as long as the call; the body uses it on this thread, and not while it calls a protocol
        // object.
        let watched = unsafe { Watched::new(&mut copy) };
        self.body().exchanged.borrow_mut().push(Exchanged { own, copy, before, _watched: watched });
    }

    /// Whether anything was lent by `&mut` of which there is a copy.
    pub(crate) fn has_copies(&self) -> bool {
        self.body.get().is_some_and(|body| !body.exchanged.borrow().is_empty())
    }

    /// Calls `with` for the copies of what was lent by `&mut`, as the body has changed them so far.
    pub(crate) fn with_copies<T>(&self, with: impl FnOnce(&mut [Place<'_>]) -> T) -> T {
        let mut exchanged = self.body().exchanged.borrow_mut();
        let mut copies: Vec<Place<'_>> = exchanged.iter_mut().map(|e| e.copy.reborrow()).collect();
        with(&mut copies)
    }

    /// Gives the user what the body has made of the copies.
    pub(crate) fn hand_back(&self) {
        let Some(body) = self.body.get() else { return };
        for exchanged in body.exchanged.borrow_mut().iter_mut() {
            if let Some(value) = exchanged.copy.keep() {
                exchanged.own.restore(&value);
            }
        }
    }

    /// What a trace leaves in the places that were lent, and the tensors among it that are results of its graph.
    fn wrote(&self, session: &Session) -> (Vec<Wrote>, Vec<Tensor>) {
        let symbols = session.symbols.borrow();
        let mut results = Vec::new();
        let exchanged = self.body().exchanged.borrow();
        let wrote = exchanged.iter().map(|exchanged| {
            let tensors = state::tensors(std::slice::from_ref(&exchanged.copy));
            let source = |t: &Tensor| symbols.iter().find(|(id, _)| *id == t.id()).map(|(_, leaf)| *leaf);
            let sources: Vec<Option<usize>> = tensors.iter().map(source).collect();
            results.extend(tensors.into_iter().zip(&sources).filter(|(_, s)| s.is_none()).map(|(t, _)| t));
            let same = exchanged.before.same_structure(&exchanged.copy);
            Wrote { changed: (!same).then(|| exchanged.copy.keep()).flatten(), table: exchanged.copy.table(), sources }
        });
        let wrote = wrote.collect();
        (wrote, results)
    }

    /// The body begins: whether it is recorded for this call.
    pub(crate) fn begin_body(&self) -> bool {
        let Some(session) = self.session() else { return false };
        let pattern = self.pattern(&session.types);
        let sizes = pattern.fits(&self.arguments.words, &self.arguments.types()).unwrap_or_default();
        *self.body().tracing.borrow_mut() = Some(Tracing::start(sizes));
        for &(id, leaf) in session.symbols.borrow().iter() {
            note_name(id, || self.arguments.leaf_name(leaf));
        }
        session.builder.open();
        session.open.set(true);
        true
    }

    fn pattern(&self, types: &[TensorType]) -> Pattern {
        let mut leaves = self.arguments.leaves();
        leaves.iter_mut().zip(types).for_each(|(leaf, ty)| leaf.ty = *ty);
        Pattern { leaves, words: self.arguments.words.clone() }
    }

    /// The trace is not wanted any more.
    pub(crate) fn give_up(&self) {
        if let Some(body) = self.body.get()
            && let Some(session) = body.session.get()
            && session.open.replace(false)
        {
            session.builder.close();
            *body.tracing.borrow_mut() = None;
        }
    }

    /// The body has ended with a result of symbols: keeps the trace, and puts the results of its first run there.
    pub(crate) fn close(&self, result: &mut Place<'_>, table: &'static Table) -> Result<()> {
        let Some(session) = self.session() else { return Ok(()) };
        let mut results = state::tensors(std::slice::from_ref(result));
        let (written, more) = self.wrote(session);
        results.extend(more);
        let closed = session.builder.finish(&results)?;
        let pins = self.body().tracing.borrow().as_ref().map(Tracing::pins).unwrap_or_default();
        let owned = self.body().tracing.borrow().as_ref().map(Tracing::owned).unwrap_or_default();
        let reads = self.body().tracing.borrow().as_ref().map(Tracing::reads).unwrap_or_default();
        let operands = self.body().tracing.borrow().as_ref().map(Tracing::operands).unwrap_or_default();
        self.give_up();
        let identity = session.identity.take().and_read(&self.arguments, &reads);
        let mut sources = session.sources.take();
        for capture in closed.captures {
            let own = self.arguments.handles.iter().position(|h| h.id() == capture.id());
            let made = owned.iter().find(|o| o.id == capture.id());
            sources.push(match (own, made) {
                (Some(at), _) if capture.as_object::<Resource>().is_some() => Source::Argument(capture.id(), at),
                (_, Some(owned)) => Source::Owned(owned.clone(), Arc::default()),
                _ => Source::Outside(capture),
            });
        }
        let recorded = Arc::new(closed.graph);
        let pattern = self.pattern(&session.types);
        let trace = Trace {
            instance: self.instance.id,
            in_order: in_order(&sources, &pattern, &recorded),
            pattern,
            sources,
            callable: Callable::new(recorded.clone()),
            recorded,
            result: result.keep().ok_or_else(|| crate::Error::internal("tf_function", "the result cannot be kept"))?,
            table,
            written,
            once: self.arguments.unknown.is_some(),
            reason: session.reason.clone(),
            pins,
            operands,
            identity,
        };
        let trace = self.function.keep(trace);
        session.ticket.take();
        let mut outputs = trace.run(&self.arguments, self.location)?.into_iter();
        result.replace(&mut |old| outputs.next().unwrap_or_else(|| old.clone()));
        for (exchanged, wrote) in self.body().exchanged.borrow_mut().iter_mut().zip(&trace.written) {
            // The copy has everything but the tensors: also what a trace does not look at.
            let mut tensors = wrote.tensors(&self.arguments.tensors, &mut outputs);
            exchanged.copy.replace(&mut |old| tensors.next().flatten().unwrap_or_else(|| old.clone()));
        }
        self.hand_back();
        Ok(())
    }
}

/// Whether a trace's operands are the tensors of the arguments, in their order and of their types.
fn in_order(sources: &[Source], pattern: &Pattern, graph: &Graph) -> bool {
    sources.len() == pattern.leaves.len()
        && sources.iter().enumerate().all(|(i, source)| matches!(source, Source::Leaf(at) if *at == i))
        && graph.param_types().zip(&pattern.leaves).all(|(ty, leaf)| *ty == leaf.ty)
}

impl Session {
    /// The symbol of the next tensor of the arguments.
    fn symbol(&self, leaf: &mut usize) -> Tensor {
        let symbol = self.builder.param_at(&self.types[*leaf], self.location);
        self.sources.borrow_mut().push(Source::Leaf(*leaf));
        self.symbols.borrow_mut().push((symbol.id(), *leaf));
        *leaf += 1;
        symbol
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
