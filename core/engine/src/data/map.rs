//! The stage that changes elements: `map`, a function of the user's over each element in turn.
//! Its dataset has the form of the function's result; tapes do not see what it computes. In a traced function it is recorded.

use super::pipeline::{Pipeline, named_alike, record};
use super::source::Source;
use super::stage::{Item, Stage, Stream};
use super::state::Saved;
use crate::builder::{self, Apart, Builder};
use crate::graph::control::call::Callable;
use crate::ir::fresh_sizes;
use crate::ir::sizes::Known;
use crate::module::StateWriter;
use crate::op::{Operands, Outputs};
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape, Symbol, as_symbol};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// A function over the tensors of an element.
pub(super) type Function = Arc<dyn Fn(Outputs) -> Result<Outputs> + Send + Sync>;

pub(super) struct Map {
    before: Arc<dyn Stage>,
    source: Arc<Source>,
    function: Function,
    /// Of the results, found when somebody asks.
    types: OnceLock<Option<Vec<TensorType>>>,
}

impl Map {
    pub fn new(before: Arc<dyn Stage>, source: Arc<Source>, function: Function) -> Self {
        Self { before, source, function, types: OnceLock::new() }
    }

    fn over(&self, before: Box<dyn Stream>) -> Box<dyn Stream> {
        Box::new(Mapping { before, source: self.source.clone(), function: self.function.clone() })
    }
}

impl Stage for Map {
    fn open(&self) -> Box<dyn Stream> {
        self.over(self.before.open())
    }

    fn resume(&self, from: &mut Saved<'_>) -> Result<Box<dyn Stream>> {
        Ok(self.over(self.before.resume(from)?))
    }

    fn len(&self) -> Option<usize> {
        self.before.len()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.types.get_or_init(|| result_types(&self.function, &self.before.types()?)).clone()
    }

    fn before(&self) -> Option<&dyn Stage> {
        Some(&*self.before)
    }

    fn describe(&self) -> String {
        "map".to_owned()
    }
}

/// The types of a function's results: it is recorded once. None where it asks for numbers that only elements have.
fn result_types(function: &Function, types: &[TensorType]) -> Option<Vec<TensorType>> {
    let types = fresh(types).ok()?;
    let _apart = Apart::reading(None);
    let builder = Builder::standalone("map");
    let params: Outputs = types.iter().map(|ty| builder.param(ty)).collect();
    let recorded = catch_unwind(AssertUnwindSafe(|| {
        builder.record_in(|| function(params)?.iter().map(|t| builder.type_of(t)).collect::<Result<Vec<_>>>())
    }));
    recorded.ok()?.ok()
}

/// The types with fresh names for the sizes that are not the same in all elements.
fn fresh(types: &[TensorType]) -> Result<Vec<TensorType>> {
    let names = fresh_sizes(types.iter().map(|ty| ty.shape.rank() as u32).sum());
    let named = named_alike(types)?;
    let size = |d: Dim| match as_symbol(d) {
        Some(Symbol::Unbacked(at)) => Dim::unbacked(names + at),
        _ => d,
    };
    let renamed = |ty: &TensorType| {
        let sizes: Vec<Dim> = ty.shape.iter().map(size).collect();
        Ok(TensorType::new(ty.dtype, Shape::from_dims(&sizes)?))
    };
    named.iter().map(renamed).collect()
}

/// `map` in the graph that is open: the function is recorded once, with what it captures of the graph.
#[track_caller]
pub(super) fn record_map(
    dataset: &Tensor,
    types: &[TensorType],
    function: &Function,
) -> Result<(Tensor, Vec<TensorType>)> {
    let outer = builder::current().ok_or_else(|| Error::internal("map", "no graph is being recorded"))?;
    let body = outer.inside("map");
    let params: Outputs = fresh(types)?.iter().map(|ty| body.param(ty)).collect();
    let results = body.record_in(|| function(params))?;
    let types = results.iter().map(|t| body.type_of(t)).collect::<Result<Vec<_>>>()?;
    let closed = body.finish(&results)?;
    let callable = Callable::new(Arc::new(closed.graph));
    let inputs: Vec<&Tensor> = std::iter::once(dataset).chain(&closed.captures).collect();
    let made = record("map", &inputs, move |inputs| {
        let Pipeline { source, stages } = Pipeline::of(inputs[0], "map")?.clone();
        let captured: Vec<Tensor> = inputs[1..].iter().map(|&t| t.clone()).collect();
        let callable = callable.clone();
        let function = move |values: Outputs| {
            let operands: Operands = values.into_iter().chain(captured.iter().cloned()).collect();
            callable.run(operands, &Known::new())
        };
        Ok(Pipeline { stages: Arc::new(Map::new(stages, source.clone(), Arc::new(function))), source })
    })?;
    Ok((made, types))
}

struct Mapping {
    before: Box<dyn Stream>,
    source: Arc<Source>,
    function: Function,
}

impl Stream for Mapping {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(item) = self.before.next()? else { return Ok(None) };
        let values = (self.function)(self.source.values(item)?)?;
        Ok(Some(Item::Values(values)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.before.save(to)
    }
}
