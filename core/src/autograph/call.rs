//! [`Call`]: one call of a traced function. It notes the arguments, runs a trace that fits them, or lets the body be
//! recorded once with symbols in their place, closes that into a trace, and runs it.

use super::dispatch::{Instance, Nest, Place, Table, type_id};
use super::state;
use crate::error::{OrFail, Result};
use crate::function::{Function, Lent, Pattern, Source, Trace, Tracing, functions_run_eagerly};
use crate::graph::Builder;
use crate::graph::builder;
use crate::graph::control::call::Callable;
use crate::module::Module;
use crate::tensor::{Resource, Tensor, TensorType};
use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

/// One call of a function.
pub struct Call {
    function: &'static Function,
    instance: Instance,
    location: &'static Location<'static>,
    /// Whether the body runs where it stands: operation by operation, or into the trace around it.
    inline: bool,
    arguments: Lent,
    session: OnceCell<Session>,
    tracing: RefCell<Option<Tracing>>,
    /// Copies of arguments with symbols in place of tensors, lent to the body.
    lent: RefCell<Vec<Box<dyn Any>>>,
}

/// A trace under way.
struct Session {
    builder: Rc<Builder>,
    types: Vec<TensorType>,
    /// For each parameter where it comes from.
    sources: RefCell<Vec<Source>>,
    reason: String,
    open: Cell<bool>,
}

impl Call {
    /// A call of one instance of a function.
    #[track_caller]
    pub fn new(function: &'static Function, instance: Instance) -> Self {
        let inline = builder::current().is_some() || functions_run_eagerly();
        function.register(instance.path());
        Self {
            function,
            instance,
            location: Location::caller(),
            inline,
            arguments: Lent::new(),
            session: OnceCell::new(),
            tracing: RefCell::new(None),
            lent: RefCell::default(),
        }
    }

    /// The result, if a trace for these arguments exists.
    #[track_caller]
    pub fn ready<R>(&mut self) -> Option<R> {
        if self.inline {
            return None;
        }
        if let Some(trace) = self.function.find(self.instance.id, &self.arguments.words, &self.arguments.tensors)
            && trace.table.is_of::<R>()
        {
            let mut outputs = trace.run_last(&mut self.arguments, self.location).or_fail().into_iter();
            return trace.table.copy_as(&trace.result, &mut |old| outputs.next().unwrap_or_else(|| old.clone()));
        }
        let (types, reason) = self.function.plan_trace(self.instance.id, &self.arguments);
        let builder = Builder::function(self.function.name);
        let session = Session { builder, types, sources: RefCell::default(), reason, open: Cell::new(false) };
        for (i, tensor) in self.arguments.tensors.iter().enumerate().filter(|(i, _)| self.arguments.in_module[*i]) {
            session.builder.bind(tensor, &session.types[i]);
            session.sources.borrow_mut().push(Source::Leaf(i));
        }
        let _ = self.session.set(session);
        None
    }

    pub(crate) fn note_nest<T: Nest>(&mut self, name: &'static str, value: &T) {
        if !self.inline {
            self.arguments.nest(name, |leaves| value.visit(leaves));
        }
    }

    pub(crate) fn note_slice<T: Nest>(&mut self, name: &'static str, values: &[T]) {
        if !self.inline {
            self.arguments.nest(name, |leaves| super::dispatch::visit_slice(values, leaves));
        }
    }

    pub(crate) fn note_option<T: Nest>(&mut self, name: &'static str, value: Option<&T>) {
        if !self.inline {
            self.arguments.nest(name, |leaves| {
                leaves.value(&value.is_some());
                if let Some(value) = value {
                    value.visit(leaves);
                }
            });
        }
    }

    pub(crate) fn note_module(&mut self, name: &'static str, module: &dyn Module) {
        if !self.inline {
            self.arguments.module(name, module);
        }
    }

    pub(crate) fn note_opaque(&mut self, name: &'static str) {
        if !self.inline {
            self.arguments.opaque(name);
        }
    }

    /// A copy of argument `index` whose tensors are symbols, while a trace is made.
    pub(crate) fn symbols<T: Nest>(&self, index: usize, value: &T) -> Option<T> {
        let session = self.session.get()?;
        let mut leaf = self.arguments.first[index];
        Some(value.map(&mut |_| session.symbol(&mut leaf)))
    }

    pub(crate) fn symbols_of_slice<T: Nest>(&self, index: usize, values: &[T]) -> Option<Vec<T>> {
        let session = self.session.get()?;
        let mut leaf = self.arguments.first[index];
        Some(values.iter().map(|value| value.map(&mut |_| session.symbol(&mut leaf))).collect())
    }

    /// Keeps a copy for as long as the call.
    pub(crate) fn lend<T: 'static>(&self, value: T) -> &T {
        let value = Box::new(value);
        let address: *const T = &raw const *value;
        self.lent.borrow_mut().push(value);
        // SAFETY: the box is only dropped with the call, and nobody moves or changes what is in it.
        unsafe { &*address }
    }

    /// The body begins: whether it is recorded for this call.
    pub(crate) fn begin_body(&self) -> bool {
        let Some(session) = self.session.get() else { return false };
        let pattern = self.pattern(session);
        let sizes = pattern.fits(&self.arguments.words, &self.arguments.types()).unwrap_or_default();
        *self.tracing.borrow_mut() = Some(Tracing::start(sizes));
        session.builder.open();
        session.open.set(true);
        true
    }

    fn pattern(&self, session: &Session) -> Pattern {
        let mut leaves = self.arguments.leaves();
        leaves.iter_mut().zip(&session.types).for_each(|(leaf, ty)| leaf.ty = *ty);
        Pattern { leaves, words: self.arguments.words.clone() }
    }

    /// The trace is not wanted any more.
    pub(crate) fn give_up(&self) {
        if let Some(session) = self.session.get()
            && session.open.replace(false)
        {
            session.builder.close();
            *self.tracing.borrow_mut() = None;
        }
    }

    /// The body has ended with a result of symbols: keeps the trace, and puts the results of its first run there.
    pub(crate) fn close(&self, result: &mut Place<'_>, table: &'static Table) -> Result<()> {
        let Some(session) = self.session.get() else { return Ok(()) };
        let results = state::tensors(std::slice::from_ref(result));
        let closed = session.builder.finish(&results)?;
        let pins = self.tracing.borrow().as_ref().map(Tracing::pins).unwrap_or_default();
        let owned = self.tracing.borrow().as_ref().map(Tracing::owned).unwrap_or_default();
        self.give_up();
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
        let trace = Trace {
            instance: self.instance.id,
            pattern: self.pattern(session),
            sources,
            callable: Callable::new(recorded.clone()),
            recorded,
            result: result.keep().ok_or_else(|| crate::Error::internal("tf_function", "the result cannot be kept"))?,
            table,
            reason: session.reason.clone(),
            pins,
        };
        let trace = self.function.keep(trace);
        let outputs = trace.run(&self.arguments, self.location)?;
        state::put(std::slice::from_mut(result), &outputs);
        Ok(())
    }
}

impl Session {
    /// The symbol of the next tensor of the arguments.
    fn symbol(&self, leaf: &mut usize) -> Tensor {
        let symbol = self.builder.param(&self.types[*leaf]);
        self.sources.borrow_mut().push(Source::Leaf(*leaf));
        *leaf += 1;
        symbol
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.give_up();
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Call({:?} of {:?})", type_id::<Self>(), self.function)
    }
}
