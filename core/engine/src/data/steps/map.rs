//! The stage that changes elements: `map`, a function of the user's over each element in turn.
//! Its data set has the form of the function's result; tapes do not see what it computes. In a traced function it is recorded.

use super::one_input;
use crate::builder::{Apart, Builder};
use crate::data::cardinality::Cardinality;
use crate::data::function::{Calls, Function, StepFunction};
use crate::data::order::SharedOrder;
use crate::data::pipeline::named_alike;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::ir::fresh_sizes;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape, Symbol, as_symbol};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

pub(in crate::data) struct Map {
    before: Arc<dyn Stage>,
    function: StepFunction,
    /// Of the results, found when somebody asks.
    types: OnceLock<Option<Vec<TensorType>>>,
}

impl Map {
    pub fn new(before: Arc<dyn Stage>, function: StepFunction) -> Self {
        Self { before, function, types: OnceLock::new() }
    }
}

impl Stage for Map {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let calls = self.function.calls(from.as_deref_mut())?;
        Ok(Box::new(Mapping { before: Values::begin(&self.before, from)?, calls }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        let types = || result_types(&self.function.function, &self.before.types()?);
        self.types.get_or_init(types).clone()
    }

    one_input!();

    fn describe(&self) -> String {
        "map(function)".to_owned()
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.function.order]
    }
}

/// The types of a function's results: it is recorded once. None where it asks for numbers that only elements have.
pub(in crate::data) fn result_types(function: &Function, types: &[TensorType]) -> Option<Vec<TensorType>> {
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
pub(in crate::data) fn fresh(types: &[TensorType]) -> Result<Vec<TensorType>> {
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

struct Mapping {
    before: Values,
    calls: Calls,
}

impl Pass for Mapping {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(values) = self.before.next()? else { return Ok(None) };
        self.calls.call(values).map(|values| Some(Item::Values(values)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.calls.save(to);
        self.before.save(to)
    }
}
