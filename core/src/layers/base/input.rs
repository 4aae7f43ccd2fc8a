//! What may be given to a layer's `call`: tensors, which are computed with at once or recorded, and symbolic nodes of a model.
//! The layers' own methods are generic over it.

use super::{Call, Layer, run_single};
use crate::layers::node::Node;
use engine::{AsTensor, Tensor};
use kernels::error::Result;

/// An input of a layer, and what comes out for it: a tensor for anything that is a tensor, a [`Node`] for a node.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given to a layer",
    label = "neither a tensor nor a node of a model",
    note = "give a tensor, a variable, or a node that `tf::input` or another layer has made"
)]
pub trait LayerInput {
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

impl<X: AsTensor> LayerInput for X {
    type Output = Tensor;

    #[track_caller]
    fn through(self, layer: &dyn Layer, cx: &Call) -> Result<Tensor> {
        run_single(layer, &self.as_tensor(), cx)
    }
}

impl LayerInput for &Node {
    type Output = Node;

    #[track_caller]
    fn through(self, layer: &dyn Layer, cx: &Call) -> Result<Node> {
        Node::through(layer, std::slice::from_ref(self), cx)?.into_single(layer.layer_name())
    }
}

impl LayerInput for Node {
    type Output = Self;

    #[track_caller]
    fn through(self, layer: &dyn Layer, cx: &Call) -> Result<Self> {
        (&self).through(layer, cx)
    }
}
