//! A trace under way: the body begins with symbols for its arguments, and its end becomes a [`Trace`] that runs at once.
//! [`Call`] begins one where no trace serves the arguments.

use super::{Call, Session};
use crate::autograph::state;
use crate::builder::Closed;
use crate::function::Wrote;
use crate::function::{CreatedVariable, Pattern, Source, Trace, Tracing, note_name, note_taken_in, places};
use crate::graph::control::call::Callable;
use crate::graph::passes::pure::writes;
use crate::ir::Graph;
use crate::structure::{BoxedState, Place, StateVtable};
use crate::tape::IdMap;
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::error::{Error, Result};
use std::sync::Arc;

impl Call<'_> {
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

    pub(super) fn pattern(&self, types: &[TensorType]) -> Pattern {
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
    pub(crate) fn close(&self, result: &mut Place<'_>, table: &'static StateVtable) -> Result<()> {
        let Some(session) = self.session() else { return Ok(()) };
        let mut results = state::tensors(std::slice::from_ref(result));
        let (written, more) = self.wrote(session);
        results.extend(more);
        let kept = result.keep().ok_or_else(|| Error::internal("tf_function", "the result cannot be kept"))?;
        let trace = self.make(session, &results, Some(kept), table, written)?;
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

    /// As [`close`](Self::close), of a body whose ways all end in an error: the one of this call.
    pub(crate) fn close_failed(&self, table: &'static StateVtable) -> Error {
        let gone = || Error::internal("tf_function", "a body without a result has not failed");
        let Some(session) = self.session() else { return gone() };
        let ran = self.make(session, &[], None, table, Vec::new());
        match ran.and_then(|trace| trace.run(&self.arguments, self.location)) {
            Ok(_) => gone(),
            Err(error) => error,
        }
    }

    /// Keeps the trace of what was recorded.
    fn make(
        &self,
        session: &Session,
        results: &[Tensor],
        result: Option<BoxedState>,
        table: &'static StateVtable,
        written: Vec<Wrote>,
    ) -> Result<Arc<Trace>> {
        let closed = session.builder.finish(results)?;
        let tracing =
            self.body().tracing.take().ok_or_else(|| Error::internal("tf_function", "no trace is under way"))?;
        check_lasting(&closed, &tracing)?;
        let (pins, owned, reads) = (tracing.pins(), tracing.owned(), tracing.reads());
        for variable in closed.captures.iter().filter(|v| v.as_object::<Resource>().is_some() && v.handles() == 1) {
            // Nobody but the trace keeps it, so that no call finds it as another one left it.
            if owned.iter().all(|owned| owned.id != variable.id()) {
                note_taken_in(variable.id());
            }
        }
        let operands = tracing.operands();
        drop(tracing);
        self.give_up();
        let identity = session.identity.take().and_read(&self.arguments, &reads);
        let mut sources = session.sources.take();
        let places = places(&self.arguments.handles);
        let owned: IdMap<CreatedVariable> = owned.into_iter().map(|owned| (owned.id, owned)).collect();
        for capture in closed.captures {
            sources.push(match (places.get(&capture.id()), owned.get(&capture.id())) {
                (Some(&at), _) if capture.as_object::<Resource>().is_some() => Source::Argument(capture.id(), at),
                (_, Some(owned)) => Source::CreatedVariable(owned.clone(), Arc::default()),
                _ => Source::Outside(capture),
            });
        }
        let identity = identity.and_trained(&sources);
        let recorded = Arc::new(closed.graph);
        let pattern = self.pattern(&session.types);
        let trace = Trace {
            instance: self.instance.id,
            in_order: in_order(&sources, &pattern, &recorded),
            pattern,
            sources,
            callable: Callable::new(recorded.clone()),
            recorded,
            result,
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
        Ok(trace)
    }
}

/// Refuses variables that the body made, changed and dropped: operation by operation each call makes new ones, where the graph
/// would go on with the same.
pub(in crate::autograph) fn check_lasting(closed: &Closed, tracing: &Tracing) -> Result<()> {
    let first = closed.graph.params.len() - closed.captures.len();
    for (variable, &param) in closed.captures.iter().zip(&closed.graph.params[first..]) {
        if variable.handles() > 1 || !tracing.has_made(variable.id()) {
            continue;
        }
        let Some(write) = closed.graph.nodes.iter().find(|node| writes(node, param)) else { continue };
        let what = "the function changes a variable that it makes itself and does not keep";
        return Err(Error::failed_precondition("tf_function", what)
            .got("a variable that every call would make anew, and a graph that is made once")
            .expected("variables that outlive the call, made once")
            .help("make it outside, as a field of a module or an argument, or use a tensor: `let mut x = ..; x = x + 1.0`")
            .variable(Resource::label(variable))
            .at(write.location));
    }
    Ok(())
}

/// Whether a trace's operands are the tensors of the arguments, in their order and of their types.
fn in_order(sources: &[Source], pattern: &Pattern, graph: &Graph) -> bool {
    sources.len() == pattern.leaves.len()
        && sources.iter().enumerate().all(|(i, source)| matches!(source, Source::Leaf(at) if *at == i))
        && graph.param_types().zip(&pattern.leaves).all(|(ty, leaf)| *ty == leaf.ty)
}

impl Session {
    /// The symbol of the next tensor of the arguments.
    pub(super) fn symbol(&self, leaf: &mut usize) -> Tensor {
        let symbol = self.builder.param_at(&self.types[*leaf], self.location);
        self.sources.borrow_mut().push(Source::Leaf(*leaf));
        self.symbols.borrow_mut().push((symbol.id(), *leaf));
        *leaf += 1;
        symbol
    }
}
