//! `Lambda`: a closure as a layer, for what is no layer of its own.
//! Keras's `Lambda`; `Sequential` and functional models take it, and the operators of nodes are made of it.

use super::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use super::copied_by_clone;
use super::merge::LayerInputs;
use engine::library::set_mask;
use engine::{Fields, Module, Tensor};
use kernels::error::Result;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Function = dyn Fn(&[Tensor], &Call) -> Result<Tensor> + Send + Sync;
type MaskRule = dyn Fn(&Tensor, Option<&Tensor>) -> Option<Tensor> + Send + Sync;

/// A closure over tensors as a layer.
///
/// The shape of what it gives is found by calling it with symbols, so Keras's `output_shape` is not needed; what `arguments` would tell,
/// the closure captures. Variables that it captures are no part of the model: a layer of one's own, with a field for each, is.
/// Two layers made of closures are two layers for a traced function, even where the closures are alike.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Lambda;
/// let double = Lambda::new(|x| x * 2.0);
/// assert_eq!(double.call(&tf::constant([1.0, 3.0])).to_vec::<f32>(), [2.0, 6.0]);
/// let (a, b) = (tf::input([4]), tf::input([4]));
/// let distance = Lambda::of_many(|x, _| Ok(tf::reduce_sum((&x[0] - &x[1]).square(), -1)));
/// assert_eq!(distance.call_all([&a, &b]).sizes(), [None]);
/// ```
#[derive(Clone)]
pub struct Lambda {
    core: Core,
    function: Arc<Function>,
    mask: Option<Arc<MaskRule>>,
    /// By which it is told from other closures.
    number: u64,
}

layer!(Lambda);
copied_by_clone!(Lambda);

impl Lambda {
    /// A layer of a closure of one tensor.
    pub fn new(function: impl Fn(&Tensor) -> Tensor + Send + Sync + 'static) -> Self {
        Self::of_many(move |inputs, _| Ok(function(&inputs[0])))
    }

    /// A layer of a closure that may fail, of several tensors and what the call is told: whether the model is trained, and masks.
    pub fn of_many(function: impl Fn(&[Tensor], &Call) -> Result<Tensor> + Send + Sync + 'static) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { core: Core::new("lambda"), function: Arc::new(function), mask: None, number }
    }

    /// What mask the output carries, by the first input and its mask. Without such a rule the layer refuses inputs with masks.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::{Embedding, Lambda, get_mask};
    /// let words = Embedding::new(10, 4).mask_zero(true).call(tf::constant([[3, 0]]));
    /// let scaled = Lambda::new(|x| x * 0.5).mask(|_, mask| mask.cloned());
    /// assert_eq!(get_mask(&scaled.call(&words)).unwrap().to_vec::<bool>(), [true, false]);
    /// ```
    #[must_use]
    pub fn mask(mut self, rule: impl Fn(&Tensor, Option<&Tensor>) -> Option<Tensor> + Send + Sync + 'static) -> Self {
        self.mask = Some(Arc::new(rule));
        self
    }

    /// The output for several inputs, tensors or nodes of a model.
    ///
    /// # Panics
    /// As [`try_call_all`](Self::try_call_all) fails, at the caller's line.
    #[track_caller]
    pub fn call_all<X: LayerInputs>(&self, inputs: X) -> X::Output {
        kernels::error::OrFail::or_fail(self.try_call_all(inputs, &Call::inherited()))
    }

    /// The output for several inputs.
    ///
    /// # Errors
    /// What the closure answers, and InvalidArgument for masks without a rule.
    #[track_caller]
    pub fn try_call_all<X: LayerInputs>(&self, inputs: X, cx: &Call) -> Result<X::Output> {
        let here = std::panic::Location::caller();
        inputs.through(self, cx).map_err(|e| super::base::within(e, self.core.name(), here))
    }

    /// The same under a name that says what it is, with a number from the second on.
    pub(super) fn called(mut self, kind: &'static str) -> Self {
        self.core.set_name(super::base::next_name(kind));
        self
    }
}

impl Layer for Lambda {
    named!();

    fn masking(&self) -> Masking {
        if self.mask.is_some() { Masking::Own } else { Masking::Refuses }
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let mut y = (self.function)(inputs, cx)?;
        if let Some(rule) = &self.mask {
            // An input that is given back has a mask of its own, which the rule may take away.
            if inputs.iter().any(|x| x.id() == y.id()) {
                y = engine::try_identity(&y)?;
            }
            if let Some(mask) = inputs.first().and_then(|x| rule(x, cx.mask_of(inputs, 0).as_ref())) {
                set_mask(&y, &mask);
            }
        }
        Ok(Outputs::one(y))
    }
}

impl Module for Lambda {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.number);
    }
}

impl fmt::Debug for Lambda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lambda").field("name", &self.core.name()).field("masks", &self.mask.is_some()).finish()
    }
}
