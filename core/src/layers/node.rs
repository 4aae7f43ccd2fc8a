//! [`Node`]: a value of a model that is being put together: a type without elements, and the layer that will compute it.
//! `tf::input` makes the first ones, layers that are called with nodes make the others, and `Functional` runs what lies between.

use super::base::run;
use super::{Call, Layer};
use engine::library::Typed;
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A value of a functional model: Keras's `KerasTensor`.
///
/// Layers that are called with nodes answer nodes, whose shapes are known and whose layers have their variables at once. A size that is
/// not known, as the batch's, is `None`.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Concatenate, Dense};
/// let x = tf::input([784]);
/// let hidden = Dense::new(64).activation("relu").call(&x);
/// assert_eq!(hidden.sizes(), [None, Some(64)]);
/// let y = Dense::new(10).call(Concatenate::new().call([&x, &hidden]));
/// let model = tf::Functional::new(&x, &y);
/// assert_eq!(model.call(tf::ones([2, 784])).shape(), [2, 10]);
/// ```
#[derive(Clone)]
pub struct Node(Arc<Inner>);

struct Inner {
    id: u64,
    ty: TensorType,
    source: NodeSource,
}

/// Where a node comes from.
pub(crate) enum NodeSource {
    /// An input of the model, with its name.
    Input(String),
    /// An output of a layer.
    Layer { step: Arc<Step> },
}

/// One call of a layer.
pub(crate) struct Step {
    /// The number of the first node that it makes; the others follow.
    pub first_id: u64,
    pub layer: Arc<dyn Layer>,
    pub inputs: Vec<Node>,
    pub outputs: usize,
    /// The sizes of the first output.
    pub shape: Option<Vec<Option<usize>>>,
    /// What the call was told of masks; whether it trains, the model is told.
    pub masked_by: Call,
    pub location: &'static Location<'static>,
}

/// So many numbers in a row, of which the first is answered.
fn numbers(count: usize) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(count as u64, Ordering::Relaxed)
}

/// What describes the shape of one example: sizes, of which those may be `None` that are not known.
pub trait IntoInputShape {
    /// The sizes.
    fn into_sizes(self) -> Vec<Option<usize>>;
}

impl<const N: usize> IntoInputShape for [usize; N] {
    fn into_sizes(self) -> Vec<Option<usize>> {
        self.into_iter().map(Some).collect()
    }
}

impl<const N: usize> IntoInputShape for [Option<usize>; N] {
    fn into_sizes(self) -> Vec<Option<usize>> {
        self.to_vec()
    }
}

impl IntoInputShape for usize {
    fn into_sizes(self) -> Vec<Option<usize>> {
        vec![Some(self)]
    }
}

impl IntoInputShape for () {
    fn into_sizes(self) -> Vec<Option<usize>> {
        Vec::new()
    }
}

impl IntoInputShape for Vec<Option<usize>> {
    fn into_sizes(self) -> Self {
        self
    }
}

/// An input of a model, of which `shape` describes one example: Keras's `Input(shape)`. It is `float32`; see [`input_of`] for others.
///
/// ```
/// use eagerflow as tf;
/// let sequence = tf::input([None, Some(8)]);
/// assert_eq!(sequence.sizes(), [None, None, Some(8)]);
/// ```
///
/// # Panics
/// For a shape of too many dimensions.
#[track_caller]
pub fn input(shape: impl IntoInputShape) -> Node {
    input_of(shape, DType::F32)
}

/// As [`input()`], of a dtype: class numbers for an embedding are `int32` or `int64`.
///
/// # Panics
/// For a shape of too many dimensions.
#[track_caller]
pub fn input_of(shape: impl IntoInputShape, dtype: DType) -> Node {
    let here = Location::caller();
    let sizes: Vec<Option<usize>> = std::iter::once(None).chain(shape.into_sizes()).collect();
    type_of(&sizes, dtype)
        .map(|ty| Node::of_input(ty, super::base::next_name("input")))
        .map_err(|e| e.at(here))
        .or_fail()
}

/// A type whose open sizes are symbols by their axes, so that a batch is one in all inputs.
fn type_of(sizes: &[Option<usize>], dtype: DType) -> Result<TensorType> {
    let dim = |(axis, size): (usize, &Option<usize>)| size.map_or(Dim::symbol(axis as u32), Dim::known);
    let dims: Vec<Dim> = sizes.iter().enumerate().map(dim).collect();
    Ok(TensorType::new(dtype, Shape::from_dims(&dims)?))
}

impl Node {
    fn of_input(ty: TensorType, name: String) -> Self {
        Self(Arc::new(Inner { id: numbers(1), ty, source: NodeSource::Input(name) }))
    }

    /// The same input under a name, which `fit` and messages know it by. Nodes that layers made have their layers' names.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        match &self.0.source {
            NodeSource::Input(_) => {
                Self(Arc::new(Inner { id: self.0.id, ty: self.0.ty, source: NodeSource::Input(name.into()) }))
            }
            NodeSource::Layer { .. } => self,
        }
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        self.0.ty.dtype
    }

    /// The sizes, of which those are `None` that only a call knows.
    pub fn sizes(&self) -> Vec<Option<usize>> {
        self.0.ty.shape.iter().map(|dim| dim.known_value()).collect()
    }

    /// The number of dimensions, with the batch.
    pub fn rank(&self) -> usize {
        self.0.ty.shape.rank()
    }

    pub(crate) fn id(&self) -> u64 {
        self.0.id
    }

    pub(crate) fn ty(&self) -> &TensorType {
        &self.0.ty
    }

    pub(crate) fn source(&self) -> &NodeSource {
        &self.0.source
    }

    /// What it is called: its own name for an input, else that of the layer that makes it.
    pub fn label(&self) -> &str {
        match &self.0.source {
            NodeSource::Input(name) => name,
            NodeSource::Layer { step } => step.layer.layer_name(),
        }
    }

    /// The nodes that a layer makes of nodes. The layer is called once with symbols, which tells shapes and makes its variables.
    #[track_caller]
    pub(crate) fn through(layer: &dyn Layer, inputs: &[Self], cx: &Call) -> Result<Nodes> {
        let here = Location::caller();
        let types: Vec<TensorType> = inputs.iter().map(|node| node.0.ty).collect();
        let mut made: Vec<TensorType> = Vec::new();
        engine::try_build(&Built(layer), types, |built, symbols| {
            let outputs = run(built.0, symbols, &Call::inference())?;
            made = outputs.iter().map(|output| *output.ty()).collect();
            Ok(())
        })?;
        let step = Arc::new(Step {
            first_id: numbers(made.len()),
            layer: layer.shared(),
            inputs: inputs.to_vec(),
            outputs: made.len(),
            shape: made.first().map(|ty| ty.shape.iter().map(|dim| dim.known_value()).collect()),
            masked_by: cx.clone(),
            location: here,
        });
        let nodes = made.iter().enumerate().map(|(output, ty)| {
            // What a call makes of open sizes is open, under a symbol of its own axis.
            let sizes: Vec<Option<usize>> = ty.shape.iter().map(|dim| dim.known_value()).collect();
            let source = NodeSource::Layer { step: step.clone() };
            let id = step.first_id + output as u64;
            Ok(Self(Arc::new(Inner { id, ty: type_of(&sizes, ty.dtype)?, source })))
        });
        Ok(Nodes(nodes.collect::<Result<_>>()?))
    }
}

/// A layer as the module that `build` asks whether it is built.
struct Built<'a>(&'a dyn Layer);

impl engine::Module for Built<'_> {
    fn visit(&self, fields: &mut engine::Fields<'_>) {
        self.0.visit(fields);
    }
}

/// The nodes that one call of a layer makes.
pub(crate) struct Nodes(pub Vec<Node>);

impl Nodes {
    /// The first node.
    pub fn into_single(self, layer: &str) -> Result<Node> {
        self.0.into_iter().next().ok_or_else(|| Error::internal(layer, "the layer has given no output"))
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> =
            self.sizes().iter().map(|size| size.map_or("None".to_owned(), |size| size.to_string())).collect();
        write!(f, "Node({} {}[{}])", self.label(), self.dtype(), sizes.join(", "))
    }
}

impl Step {
    /// The outputs of the call for tensors; a copy of the model has another layer for it.
    #[track_caller]
    pub fn run(&self, layer: &dyn Layer, inputs: &[Tensor], training: bool) -> Result<super::Outputs> {
        let cx = self.masked_by.with_training(training);
        run(layer, inputs, &cx).map_err(|e| e.within(layer.layer_name()).at(self.location))
    }

    /// The numbers of the nodes that it makes.
    pub fn output_ids(&self) -> Vec<u64> {
        (0..self.outputs as u64).map(|at| self.first_id + at).collect()
    }
}
