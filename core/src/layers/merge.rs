//! Layers that make one tensor of several: `Concatenate`.
//! Keras's layers of these names; functional models join their branches with them.

use super::base::{Call, Core, Layer, Masking, Outputs, misfit, named, options_of_all, run, within};
use super::copied_by_clone;
use super::node::Node;
use engine::library::Typed;
use engine::{AsTensor, Fields, Module, Tensor};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// Several inputs of a layer, and what comes out for them: a tensor for tensors, a node for nodes.
pub trait LayerInputs {
    /// What comes out.
    type Output;

    /// Goes through a layer.
    ///
    /// # Errors
    /// What the layer refuses.
    #[doc(hidden)]
    #[track_caller]
    fn through(self, layer: &dyn Layer, cx: &Call) -> Result<Self::Output>;
}

/// Lists of tensors.
macro_rules! lists {
    ($([$($generics:tt)*] $list:ty),*) => {$(
        impl<T: AsTensor, $($generics)*> LayerInputs for $list {
            type Output = Tensor;

            #[track_caller]
            fn through(self, layer: &dyn Layer, cx: &Call) -> Result<Tensor> {
                let tensors: Vec<Tensor> = self.iter().map(|x| x.as_tensor().clone()).collect();
                run(layer, &tensors, cx)?.into_first(layer.layer_name())
            }
        }
    )*};
}

lists!([const N: usize] [T; N], [] Vec<T>, [] &[T]);

/// Lists of nodes.
macro_rules! node_lists {
    ($([$($generics:tt)*] $list:ty),*) => {$(
        impl<$($generics)*> LayerInputs for $list {
            type Output = Node;

            #[track_caller]
            fn through(self, layer: &dyn Layer, cx: &Call) -> Result<Node> {
                let nodes: Vec<Node> = self.iter().map(|node| (*node).clone()).collect();
                Node::through(layer, &nodes, cx)?.into_single(layer.layer_name())
            }
        }
    )*};
}

node_lists!([const N: usize] [&Node; N], [const N: usize] [Node; N], [] Vec<Node>, [] &[Node]);

/// Writes the methods of a layer of several inputs and one output.
macro_rules! layer_of_many {
    ($layer:ident) => {
        options_of_all!($layer);

        impl $layer {
            /// The output for several inputs, tensors or nodes of a model.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call<X: LayerInputs>(&self, inputs: X) -> X::Output {
                self.try_call_with(inputs, &Call::inherited()).or_fail()
            }

            /// The output for several inputs.
            ///
            /// # Errors
            /// InvalidArgument where the inputs do not fit each other or the layer, with the layer's name and the shapes.
            #[track_caller]
            pub fn try_call<X: LayerInputs>(&self, inputs: X, training: bool) -> Result<X::Output> {
                self.try_call_with(inputs, &Call::of(training))
            }

            /// The output for several inputs and a context, which may have a mask for each.
            ///
            /// # Errors
            /// As [`try_call`](Self::try_call).
            #[track_caller]
            pub fn try_call_with<X: LayerInputs>(&self, inputs: X, cx: &Call) -> Result<X::Output> {
                let here = Location::caller();
                inputs.through(self, cx).map_err(|e| within(e, self.core.name(), here))
            }
        }
    };
}

/// All inputs one after the other along an axis.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Concatenate;
/// let (x, y) = (tf::ones([2, 3]), tf::zeros([2, 1]));
/// assert_eq!(Concatenate::new().call([&x, &y]).shape(), [2, 4]);
/// ```
#[derive(Clone, Debug)]
pub struct Concatenate {
    core: Core,
    axis: isize,
}

layer_of_many!(Concatenate);
copied_by_clone!(Concatenate);

impl Concatenate {
    /// Along the last axis.
    pub fn new() -> Self {
        Self { core: Core::new("concatenate"), axis: -1 }
    }

    /// Another axis.
    #[must_use]
    pub fn axis(mut self, axis: isize) -> Self {
        self.axis = axis;
        self
    }
}

impl Default for Concatenate {
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for Concatenate {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        if inputs.is_empty() {
            return Err(Error::invalid_argument(self.core.name(), "there is nothing to join").got("no inputs"));
        }
        if let Some(scalar) = inputs.iter().find(|x| x.rank() == 0) {
            return Err(misfit(self.core.name(), "a scalar cannot be joined", scalar.ty(), "[batch, …]"));
        }
        engine::try_concat(inputs, self.axis).map(Outputs::one)
    }
}

impl Module for Concatenate {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.axis);
    }
}
