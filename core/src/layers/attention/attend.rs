//! [`Attend`]: what attention is called on, by name: queries, values, keys, a mask, and whether what comes later is hidden.
//! The layers' `call_attention` and `call_with_scores` take one, of tensors or of nodes of a model.

use crate::layers::base::run;
use crate::layers::node::Node;
use crate::layers::{Call, Layer};
use engine::{AsTensor, Tensor};
use kernels::error::Result;

/// Tensors or nodes.
pub trait Attended: Clone {
    /// All outputs of a layer.
    ///
    /// # Errors
    /// What the layer refuses.
    #[doc(hidden)]
    #[track_caller]
    fn through(layer: &dyn Layer, inputs: &[Self], cx: &Call) -> Result<Vec<Self>>
    where
        Self: Sized;
}

impl Attended for Tensor {
    #[track_caller]
    fn through(layer: &dyn Layer, inputs: &[Self], cx: &Call) -> Result<Vec<Self>> {
        Ok(run(layer, inputs, cx)?.to_vec())
    }
}

impl Attended for Node {
    #[track_caller]
    fn through(layer: &dyn Layer, inputs: &[Self], cx: &Call) -> Result<Vec<Self>> {
        Ok(Self::through(layer, inputs, cx)?.0)
    }
}

/// What may be given to [`Attend`]: anything that is a tensor, or a node of a model.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be attended to",
    label = "neither a tensor nor a node of a model"
)]
pub trait IntoAttended {
    /// A tensor or a node.
    type Value: Attended;

    /// The tensor or node.
    fn attended(self) -> Self::Value;
}

impl<X: AsTensor> IntoAttended for X {
    type Value = Tensor;

    fn attended(self) -> Tensor {
        (*self.as_tensor()).clone()
    }
}

impl IntoAttended for &Node {
    type Value = Node;

    fn attended(self) -> Node {
        self.clone()
    }
}

impl IntoAttended for Node {
    type Value = Self;

    fn attended(self) -> Self {
        self
    }
}

/// One call of a layer of attention.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Attend, MultiHeadAttention};
/// let attention = MultiHeadAttention::new(2, 4);
/// let (words, image) = (tf::ones([1, 5, 8]), tf::ones([1, 9, 6]));
/// let y = attention.call_attention(Attend::new(&words, &image));
/// assert_eq!(y.shape(), [1, 5, 8]);
///
/// let causal = MultiHeadAttention::new(2, 4);
/// let (y, scores) = causal.call_with_scores(Attend::new(&words, &words).causal(true));
/// assert_eq!(y.shape(), [1, 5, 8]);
/// assert_eq!(scores.shape(), [1, 2, 5, 5]);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Attend<V = Tensor> {
    query: V,
    value: V,
    key: Option<V>,
    mask: Option<V>,
    pub(super) causal: bool,
}

impl<V: Attended> Attend<V> {
    /// Queries, and the values that they choose among; values are the keys too, unless told otherwise.
    pub fn new(query: impl IntoAttended<Value = V>, value: impl IntoAttended<Value = V>) -> Self {
        Self { query: query.attended(), value: value.attended(), key: None, mask: None, causal: false }
    }

    /// The keys that queries are compared with.
    pub fn key(mut self, key: impl IntoAttended<Value = V>) -> Self {
        self.key = Some(key.attended());
        self
    }

    /// Truth values that say which query may see which key: Keras's `attention_mask`, `[batch, queries, keys]`.
    pub fn mask(mut self, mask: impl IntoAttended<Value = V>) -> Self {
        self.mask = Some(mask.attended());
        self
    }

    /// Whether a query sees no key behind its own place: Keras's `use_causal_mask`.
    pub fn causal(mut self, causal: bool) -> Self {
        self.causal = causal;
        self
    }

    /// Whether there is a mask among the inputs.
    pub(super) fn is_masked(&self) -> bool {
        self.mask.is_some()
    }

    /// Query, value, key and mask, those that there are.
    pub(super) fn inputs(self) -> Vec<V> {
        [Some(self.query), Some(self.value), self.key, self.mask].into_iter().flatten().collect()
    }
}

/// What a call is told beside its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Told {
    pub causal: bool,
    pub scores: bool,
    /// Whether the last input is a mask of pairs.
    pub masked: bool,
}

/// Writes the calls of a layer of attention, which has `core` and `told`.
macro_rules! attention_calls {
    ($layer:ident) => {
        $crate::layers::options_of_all!($layer);

        impl $layer {
            /// The output for `[query, value]` or `[query, value, key]`, tensors or nodes of a model, as the model around is called.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call<X: $crate::layers::merge::LayerInputs>(&self, inputs: X) -> X::Output {
                kernels::error::OrFail::or_fail(self.try_call_with(inputs, &$crate::layers::Call::inherited()))
            }

            /// The output for `[query, value]` or `[query, value, key]`.
            ///
            /// # Errors
            /// InvalidArgument where the inputs do not fit each other or the layer, with the layer's name and the shapes.
            #[track_caller]
            pub fn try_call<X: $crate::layers::merge::LayerInputs>(
                &self,
                inputs: X,
                training: bool,
            ) -> $crate::Result<X::Output> {
                self.try_call_with(inputs, &$crate::layers::Call::of(training))
            }

            /// The output for inputs and a context, which may have a mask for each.
            ///
            /// # Errors
            /// As [`try_call`](Self::try_call).
            #[track_caller]
            pub fn try_call_with<X: $crate::layers::merge::LayerInputs>(
                &self,
                inputs: X,
                cx: &$crate::layers::Call,
            ) -> $crate::Result<X::Output> {
                let here = std::panic::Location::caller();
                inputs.through(self, cx).map_err(|e| $crate::layers::base::within(e, self.core.name(), here))
            }

            /// The output for queries, values, keys and masks by name, as the model around is called.
            ///
            /// # Panics
            /// As [`try_call_attention`](Self::try_call_attention) fails, at the caller's line.
            #[track_caller]
            pub fn call_attention<V: $crate::layers::Attended>(&self, attend: $crate::layers::Attend<V>) -> V {
                kernels::error::OrFail::or_fail(self.try_call_attention(attend, &$crate::layers::Call::inherited()))
            }

            /// The output for queries, values, keys and masks by name, and a context.
            ///
            /// # Errors
            /// As [`try_call`](Self::try_call), and for a mask that does not fit.
            #[track_caller]
            pub fn try_call_attention<V: $crate::layers::Attended>(
                &self,
                attend: $crate::layers::Attend<V>,
                cx: &$crate::layers::Call,
            ) -> $crate::Result<V> {
                let here = std::panic::Location::caller();
                let mut all = self
                    .told(attend, false, cx)
                    .map_err(|e| $crate::layers::base::within(e, self.core.name(), here))?;
                Ok(all.swap_remove(0))
            }

            /// The output and the scores, after the softmax: Keras's call with `return_attention_scores`.
            ///
            /// # Panics
            /// As [`try_call_with_scores`](Self::try_call_with_scores) fails, at the caller's line.
            #[track_caller]
            pub fn call_with_scores<V: $crate::layers::Attended>(&self, attend: $crate::layers::Attend<V>) -> (V, V) {
                kernels::error::OrFail::or_fail(self.try_call_with_scores(attend, &$crate::layers::Call::inherited()))
            }

            /// The output and the scores, for a context.
            ///
            /// # Errors
            /// As [`try_call_attention`](Self::try_call_attention).
            #[track_caller]
            pub fn try_call_with_scores<V: $crate::layers::Attended>(
                &self,
                attend: $crate::layers::Attend<V>,
                cx: &$crate::layers::Call,
            ) -> $crate::Result<(V, V)> {
                let here = std::panic::Location::caller();
                let mut all =
                    self.told(attend, true, cx).map_err(|e| $crate::layers::base::within(e, self.core.name(), here))?;
                let scores = all.swap_remove(1);
                Ok((all.swap_remove(0), scores))
            }

            /// Whether a plain call gives the scores behind its output; [`call_with_scores`](Self::call_with_scores) always does.
            #[must_use]
            pub fn return_attention_scores(mut self, return_attention_scores: bool) -> Self {
                self.told.scores = return_attention_scores;
                self
            }

            /// Whether in a plain call a query sees no key behind its own place.
            #[must_use]
            pub fn use_causal_mask(mut self, use_causal_mask: bool) -> Self {
                self.told.causal = use_causal_mask;
                self
            }

            #[track_caller]
            fn told<V: $crate::layers::Attended>(
                &self,
                attend: $crate::layers::Attend<V>,
                scores: bool,
                cx: &$crate::layers::Call,
            ) -> $crate::Result<Vec<V>> {
                let causal = attend.causal || self.told.causal;
                let told = $crate::layers::attention::attend::Told { causal, scores, masked: attend.is_masked() };
                V::through(&Self { told, ..self.clone() }, &attend.inputs(), cx)
            }
        }
    };
}
pub(super) use attention_calls;
