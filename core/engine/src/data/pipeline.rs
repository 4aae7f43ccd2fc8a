//! [`Pipeline`]: the steps behind a dataset's handle. Where a function is traced a dataset is a value of the graph, and
//! `dataset`, the operation, makes its pipeline anew in each call, from tensors or from the pipeline before.

use super::dataset::Dataset;
use super::form::Form;
use super::function::Function;
use super::stage::Stage;
use super::steps::map::fresh;
use crate::builder;
use crate::execute::execute1;
use crate::execute::with_stand_ins;
use crate::graph::control::call::Callable;
use crate::ir::sizes::Known;
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Op, Operands, Outputs, identity};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::smallvec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The steps of a dataset.
#[derive(Clone)]
pub(super) struct Pipeline {
    pub stages: Arc<dyn Stage>,
}

impl Pipeline {
    /// A handle of the pipeline.
    #[track_caller]
    pub fn into_handle(self) -> Tensor {
        Tensor::object_of(DType::Variant, Box::new(self))
    }

    /// The pipeline behind a handle.
    pub fn of<'a>(handle: &'a Tensor, op: &str) -> Result<&'a Self> {
        handle.as_object().ok_or_else(|| {
            Error::invalid_argument(op, "the input is no dataset").got(handle.ty()).expected("a dataset")
        })
    }
}

/// The components' types of an element.
pub(super) type Types = Arc<[TensorType]>;

/// The types with a name of its own for each size that is not the same in all elements, the same names for all data sets.
pub(super) fn named_alike(types: &[TensorType]) -> Result<Vec<TensorType>> {
    let mut open: Vec<Dim> = Vec::new();
    let mut named = Vec::new();
    for ty in types {
        let mut sizes = Vec::new();
        for size in ty.shape.iter() {
            if size.is_known() {
                sizes.push(size);
                continue;
            }
            let at = open.iter().position(|d| *d == size).unwrap_or_else(|| {
                open.push(size);
                open.len() - 1
            });
            sizes.push(Dim::unbacked(at as u32));
        }
        named.push(TensorType::new(ty.dtype, Shape::from_dims(&sizes)?));
    }
    Ok(named)
}

impl<S> Dataset<S> {
    pub(super) fn made(handle: Tensor, types: Option<Types>, form: Form<S>) -> Self {
        Self { handle, types, form }
    }

    /// Whether the graph that is open makes what is made of this dataset.
    pub(super) fn in_graph(&self) -> bool {
        self.handle.is_symbol() || builder::current().is_some()
    }

    /// The types of an element, where they are known before the elements are.
    pub(super) fn types(&self) -> Option<Vec<TensorType>> {
        match Pipeline::of(&self.handle, "types") {
            Ok(pipeline) => pipeline.stages.types(),
            Err(_) => self.types.as_ref().map(|types| types.to_vec()),
        }
    }

    /// As [`types`](Self::types), for a graph.
    pub(super) fn known_types(&self) -> Result<Vec<TensorType>> {
        self.types().ok_or_else(|| {
            Error::failed_precondition(
                "dataset",
                "the types of the dataset's elements are not known in a traced function",
            )
            .expected("functions given to `map` that do not read the elements as numbers")
            .help("compute with tensors in `map`, or iterate outside and call the traced function with each batch")
        })
    }

    /// The pipeline, where Rust has to know it.
    #[track_caller]
    pub(super) fn pipeline(&self, what: &str) -> Result<&Pipeline> {
        if self.in_graph() {
            return Err(Error::failed_precondition(
                what,
                "a traced function makes datasets anew in each call of its graph",
            )
            .expected("`for element in &dataset`, which becomes a loop of the graph")
            .help("`enumerate`, `take` and `map` are methods of the dataset, too"));
        }
        Pipeline::of(&self.handle, what)
    }

    pub(super) fn handle(&self) -> &Tensor {
        &self.handle
    }
}

/// What makes a pipeline of the operation's inputs.
type Make = dyn Fn(&[&Tensor]) -> Result<Pipeline> + Send + Sync;

/// Inputs: tensors, or the handle of the dataset before and what a function of its elements captures. Output: a handle.
#[derive(Clone)]
struct MakeDataset {
    step: &'static str,
    make: Arc<Make>,
    /// No two are the same.
    number: u64,
}

impl Op for MakeDataset {
    identity!("dataset", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("step", Attr::Text(self.step));
        visit("number", Attr::Int(self.number as i64));
    }

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.output(DType::Variant, Shape::SCALAR);
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("data depends on nothing")
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for MakeDataset {
    fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        Ok(smallvec![(self.make)(inputs).map_err(|e| e.in_op(self.step))?.into_handle()])
    }
}

/// A dataset made by the graph that is open.
#[track_caller]
pub(super) fn record(
    step: &'static str,
    inputs: &[&Tensor],
    make: impl Fn(&[&Tensor]) -> Result<Pipeline> + Send + Sync + 'static,
) -> Result<Tensor> {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
    execute1(&MakeDataset { step, make: Arc::new(make), number }, inputs)
}

/// A function of elements that was recorded in the graph that is open, with what it captures.
pub(super) struct Recorded {
    callable: Arc<Callable>,
    captures: Operands,
    pub results: Vec<TensorType>,
}

/// Records a function of the user's over values of these types.
#[track_caller]
pub(super) fn record_function(step: &'static str, types: &[TensorType], function: &Function) -> Result<Recorded> {
    let outer = builder::current().ok_or_else(|| Error::internal(step, "no graph is being recorded"))?;
    let body = outer.inside(step);
    let params: Outputs = fresh(types)?.iter().map(|ty| body.param(ty)).collect();
    let results = body.record_in(|| function(params))?;
    let types = results.iter().map(|t| body.type_of(t)).collect::<Result<Vec<_>>>()?;
    let closed = body.finish(&results)?;
    Ok(Recorded {
        callable: Callable::new(Arc::new(closed.graph)),
        captures: closed.captures.into_iter().collect(),
        results: types,
    })
}

/// A data set made by the graph that is open with functions that were recorded in it.
#[track_caller]
pub(super) fn record_with(
    step: &'static str,
    datasets: &[&Tensor],
    functions: &[Recorded],
    make: impl Fn(&[Pipeline], &[Function]) -> Result<Arc<dyn Stage>> + Send + Sync + 'static,
) -> Result<Tensor> {
    let count = datasets.len();
    let parts: Vec<(Arc<Callable>, usize)> = functions.iter().map(|f| (f.callable.clone(), f.captures.len())).collect();
    let inputs: Vec<&Tensor> = datasets.iter().copied().chain(functions.iter().flat_map(|f| &f.captures)).collect();
    record(step, &inputs, move |inputs| {
        let pipelines = inputs[..count].iter().map(|t| Pipeline::of(t, step).cloned()).collect::<Result<Vec<_>>>()?;
        let mut rest = &inputs[count..];
        let mut functions: Vec<Function> = Vec::new();
        for (callable, captures) in &parts {
            let (own, others) = rest.split_at(*captures);
            rest = others;
            let captured: Vec<Tensor> = own.iter().map(|&t| t.clone()).collect();
            let callable = callable.clone();
            functions.push(Arc::new(move |values: Outputs| {
                let mut operands: Operands = values.into_iter().chain(captured.iter().cloned()).collect();
                if let Some(own) = with_stand_ins(&operands.iter().collect::<Vec<_>>()) {
                    operands = own.into_iter().collect();
                }
                callable.run(operands, &Known::new())
            }));
        }
        Ok(Pipeline { stages: make(&pipelines, &functions)? })
    })
}
