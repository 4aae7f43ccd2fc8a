//! Data sets in traced functions: arguments and state as any structure of tensors, and `for` over them as a loop of the graph.
//! The code that `#[tf_function]` makes of `for` finds it by the type.

use super::dataset::Dataset;
use super::form::{DatasetElement, Form};
use super::graph_loop;
use super::iterator::DatasetIterator;
use super::pipeline::{Pipeline, Types, named_alike};
use crate::autograph::dispatch::Cond;
use crate::autograph::dispatch::Iterated;
use crate::autograph::dispatch::tiers::*;
use crate::builder;
use crate::structure::{Leaves, Nest};
use crate::structure::{Place, Probe};
use crate::tensor::Tensor;
use kernels::error::{Error, OrFail, Result};

impl<S: DatasetElement> Nest for Dataset<S> {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        leaves.tensor(self.handle());
        // Data sets with elements of the same types are the same to a trace.
        for ty in self.types().and_then(|types| named_alike(&types).ok()).unwrap_or_default() {
            leaves.value(&(ty.dtype, ty.shape));
        }
    }

    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        let handle = with(self.handle());
        let types = if Pipeline::of(&handle, "dataset").is_ok() { None } else { self.types().map(Types::from) };
        Self::made(handle, types, self.form.clone())
    }
}

/// A `for` over a dataset.
#[doc(hidden)]
pub enum Passing<S: DatasetElement> {
    /// Rust goes round.
    Host(DatasetIterator<S>, Option<S>),
    /// The loop is one of the graph, over this iterator.
    Graph(Tensor, Types, Form<S>, ()),
}

impl<S: DatasetElement> Passing<S> {
    /// Begins a pass.
    #[track_caller]
    pub(crate) fn over(dataset: &Dataset<S>) -> Self {
        match builder::current() {
            None => Self::Host(dataset.iter(), None),
            Some(_) => {
                let types = dataset.known_types().or_fail();
                Self::Graph(graph_loop::begin(dataset.handle()).or_fail(), types.into(), dataset.form.clone(), ())
            }
        }
    }

    /// Whether there is another element.
    #[track_caller]
    pub fn advance(&mut self) -> Cond {
        match self {
            Self::Host(iterator, next) => {
                *next = iterator.try_next().or_fail();
                Cond::host(next.is_some())
            }
            Self::Graph(iterator, ..) => Cond::tensor(graph_loop::advance(iterator).or_fail()),
        }
    }

    /// The element that [`advance`](Self::advance) found.
    #[track_caller]
    pub fn item(&mut self) -> S {
        let found: Result<Option<S>> = match self {
            Self::Host(_, next) => Ok(next.take()),
            Self::Graph(iterator, types, form, ()) => {
                graph_loop::element(iterator, types.clone()).and_then(|element| form.put_together(&element)).map(Some)
            }
        };
        found.and_then(|found| found.ok_or_else(|| Error::internal("for", "an element of another form"))).or_fail()
    }

    /// Where the loop stands: the iterator itself knows.
    pub fn place(&mut self) -> Place<'_> {
        match self {
            Self::Host(..) => crate::structure::unset("the iterator", (&&&&&&Probe(&())).table()),
            Self::Graph(_, _, _, nothing) => {
                let table = (&&&&&&Probe(&*nothing)).table();
                crate::structure::place("the iterator", nothing, table)
            }
        }
    }

    /// The same: elements are values.
    pub fn lending_place(&mut self) -> Place<'_> {
        self.place()
    }
}

/// Data sets: by elements.
#[doc(hidden)]
pub trait IterateElements<S: DatasetElement, E> {
    /// A pass over the elements.
    #[track_caller]
    fn iterate(&self, over: E) -> Passing<S>;
}

impl<'a, S: DatasetElement> IterateElements<S, &'a Dataset<S>> for &Iterated<&'a Dataset<S>> {
    #[track_caller]
    fn iterate(&self, over: &'a Dataset<S>) -> Passing<S> {
        Passing::over(over)
    }
}

impl<S: DatasetElement> IterateElements<S, Dataset<S>> for &Iterated<Dataset<S>> {
    #[track_caller]
    fn iterate(&self, over: Dataset<S>) -> Passing<S> {
        Passing::over(&over)
    }
}
