//! Layers that make one tensor of several: sums, products, extremes, `Concatenate` and `Dot`.
//! Keras's layers of these names; functional models join their branches with them, and nodes have operators through them.

mod arithmetic;
mod concatenate;
mod dot;
mod extremes;
mod operators;
mod rules;

pub use arithmetic::{Add, Average, Multiply, Subtract};
pub use concatenate::Concatenate;
pub use dot::{Dot, DotAxes};
pub use extremes::{Maximum, Minimum};
pub use operators::NodeOperand;

use super::base::run;
use super::node::Node;
use super::{Call, Layer};
use engine::{AsTensor, Tensor};
use kernels::error::Result;

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
        $crate::layers::options_of_all!($layer);

        impl $layer {
            /// The output for several inputs, tensors or nodes of a model.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call<X: $crate::layers::LayerInputs>(&self, inputs: X) -> X::Output {
                kernels::error::OrFail::or_fail(self.try_call_with(inputs, &$crate::layers::Call::inherited()))
            }

            /// The output for several inputs.
            ///
            /// # Errors
            /// InvalidArgument where the inputs do not fit each other or the layer, with the layer's name and the shapes.
            #[track_caller]
            pub fn try_call<X: $crate::layers::LayerInputs>(
                &self,
                inputs: X,
                training: bool,
            ) -> $crate::Result<X::Output> {
                self.try_call_with(inputs, &$crate::layers::Call::of(training))
            }

            /// The output for several inputs and a context, which may have a mask for each.
            ///
            /// # Errors
            /// As [`try_call`](Self::try_call).
            #[track_caller]
            pub fn try_call_with<X: $crate::layers::LayerInputs>(
                &self,
                inputs: X,
                cx: &$crate::layers::Call,
            ) -> $crate::Result<X::Output> {
                let here = std::panic::Location::caller();
                inputs.through(self, cx).map_err(|e| $crate::layers::base::within(e, self.core.name(), here))
            }
        }
    };
}
pub(super) use layer_of_many;
