//! [`Pipeline`]: the steps behind a dataset's handle. Where a function is traced a dataset is a value of the graph, and
//! `dataset`, the operation, makes its pipeline anew in each call, from tensors or from the pipeline before.

use super::dataset::Dataset;
use super::source::Source;
use super::stage::Stage;
use crate::builder;
use crate::execute::execute1;
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Op, Outputs, identity};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::smallvec;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The steps of a dataset.
#[derive(Clone)]
pub(super) struct Pipeline {
    pub source: Arc<Source>,
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
    pub(super) fn with<R>(&self, handle: Tensor, types: Option<Types>) -> Dataset<R> {
        Dataset { handle, types, structure: PhantomData }
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
