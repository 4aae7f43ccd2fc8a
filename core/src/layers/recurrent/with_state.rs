//! Calls of recurrent layers that take the states to begin with and give the last ones: with tensors, and with nodes of a model.
//! `call_with_state` of each recurrent layer is generic over what is here.

use crate::layers::base::run;
use crate::layers::node::Node;
use crate::layers::{Call, Layer};
use engine::{AsTensor, Tensor};
use kernels::error::Result;

/// A sequence that a recurrent layer is called on, and what comes out for it: tensors for a tensor, nodes for a node.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given to a recurrent layer",
    label = "neither a tensor nor a node of a model"
)]
pub trait Sequence {
    /// A tensor or a node.
    type Value;

    /// All outputs of a layer for the sequence and states to begin with.
    ///
    /// # Errors
    /// What the layer refuses.
    #[doc(hidden)]
    #[track_caller]
    fn all(self, layer: &dyn Layer, states: Vec<Self::Value>, cx: &Call) -> Result<Vec<Self::Value>>;
}

impl<X: AsTensor> Sequence for X {
    type Value = Tensor;

    #[track_caller]
    fn all(self, layer: &dyn Layer, states: Vec<Tensor>, cx: &Call) -> Result<Vec<Tensor>> {
        let x = self.as_tensor();
        let inputs: Vec<Tensor> = std::iter::once((*x).clone()).chain(states).collect();
        Ok(run(layer, &inputs, cx)?.to_vec())
    }
}

impl Sequence for &Node {
    type Value = Node;

    #[track_caller]
    fn all(self, layer: &dyn Layer, states: Vec<Node>, cx: &Call) -> Result<Vec<Node>> {
        let inputs: Vec<Node> = std::iter::once(self.clone()).chain(states).collect();
        Ok(Node::through(layer, &inputs, cx)?.0)
    }
}

impl Sequence for Node {
    type Value = Self;

    #[track_caller]
    fn all(self, layer: &dyn Layer, states: Vec<Self>, cx: &Call) -> Result<Vec<Self>> {
        (&self).all(layer, states, cx)
    }
}

/// States to begin with: a list of tensors or nodes, or `()` for zeros, or for those that a stateful layer keeps.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given as states",
    label = "neither a list of tensors nor one of nodes",
    note = "give the states that another call has answered, an array such as `[&h, &c]`, or `()` for the layer's own"
)]
pub trait States<V> {
    /// The list.
    fn states(self) -> Vec<V>;
}

impl<V> States<V> for () {
    fn states(self) -> Vec<V> {
        Vec::new()
    }
}

impl<V> States<V> for Vec<V> {
    fn states(self) -> Self {
        self
    }
}

impl<V, const N: usize> States<V> for [V; N] {
    fn states(self) -> Vec<V> {
        self.into()
    }
}

macro_rules! lent {
    ($([$($generics:tt)*] $list:ty),*) => {$(
        impl<V: Clone, $($generics)*> States<V> for $list {
            fn states(self) -> Vec<V> {
                self.to_vec()
            }
        }
    )*};
}

lent!([] &Vec<V>, [] &[V], [const N: usize] &[V; N]);

impl<V: Clone, const N: usize> States<V> for [&V; N] {
    fn states(self) -> Vec<V> {
        self.into_iter().cloned().collect()
    }
}

/// Writes `build` of a layer that finds its variables by a call: those around cells and layers of any kind.
macro_rules! built_by_call {
    ($layer:ident) => {
        impl $layer {
            /// Makes the variables for inputs of a shape, by a call that is recorded and never run.
            ///
            /// # Panics
            /// As [`try_build`](Self::try_build) fails, at the caller's line.
            #[track_caller]
            pub fn build(&self, input_shape: impl kernels::shape::IntoShape) {
                kernels::error::OrFail::or_fail(self.try_build(input_shape));
            }

            /// Makes the variables for inputs of a shape.
            ///
            /// # Errors
            /// InvalidArgument where inputs of the shape do not fit, with the layer's name and the shapes.
            #[track_caller]
            pub fn try_build(&self, input_shape: impl kernels::shape::IntoShape) -> $crate::Result<()> {
                let here = std::panic::Location::caller();
                let shape = input_shape.into_shape().map_err(|e| e.in_op("build").at(here))?;
                let ty = engine::TensorType::new(self.core.compute(), shape);
                let call = |layer: &Self, x: &engine::Tensor| {
                    $crate::layers::Layer::forward(layer, std::slice::from_ref(x), &$crate::layers::Call::inference())
                };
                engine::try_build(self, ty, call).map_err(|e| $crate::layers::base::within(e, self.core.name(), here))
            }
        }
    };
}
pub(super) use built_by_call;

/// Writes the calls with states, for a layer with the option `return_state`.
macro_rules! calls_with_state {
    ($layer:ident) => {
        impl $layer {
            /// The output for a sequence, and the last states: Keras's call with `initial_state` of a layer with `return_state`.
            /// `initial` is the states to begin with, or `()` for zeros. It is called as the model around it is.
            ///
            /// # Panics
            /// As [`try_call_with_state`](Self::try_call_with_state) fails, at the caller's line.
            #[track_caller]
            pub fn call_with_state<X: $crate::layers::Sequence>(
                &self,
                x: X,
                initial: impl $crate::layers::States<X::Value>,
            ) -> (X::Value, Vec<X::Value>) {
                kernels::error::OrFail::or_fail(self.try_call_with_state(
                    x,
                    initial,
                    &$crate::layers::Call::inherited(),
                ))
            }

            /// The output for a sequence and a context, which may have a mask, and the last states.
            ///
            /// # Errors
            /// InvalidArgument where sequence, mask or states do not fit the layer, with its name and the shapes.
            #[track_caller]
            pub fn try_call_with_state<X: $crate::layers::Sequence>(
                &self,
                x: X,
                initial: impl $crate::layers::States<X::Value>,
                cx: &$crate::layers::Call,
            ) -> $crate::Result<(X::Value, Vec<X::Value>)> {
                let here = std::panic::Location::caller();
                let layer = self.clone().return_state(true);
                let all = x.all(&layer, initial.states(), cx);
                let mut all = all.map_err(|e| $crate::layers::base::within(e, self.core.name(), here))?.into_iter();
                let missing = || kernels::error::Error::internal(self.core.name(), "the layer has given no output");
                let output = all.next().ok_or_else(missing)?;
                Ok((output, all.collect()))
            }
        }
    };
}
pub(super) use calls_with_state;
