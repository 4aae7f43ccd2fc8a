//! What all layers stand on: the trait, the call with its context, the parts that every layer has, and symbolic nodes.
//! Each layer's file uses the macros here; models, `Sequential` and `fit` know layers by the trait alone.

mod call;
mod core;
mod input;
mod losses;
pub(super) mod macros;
mod names;
mod policy;
mod shapes;
mod weight;

pub use self::call::{Call, Masking};
pub use self::core::{Core, Outputs};
pub use self::input::LayerInput;
pub use self::losses::{add_loss, with_losses};
pub use self::policy::{IntoPolicy, Policy, global_policy, set_global_policy, try_set_global_policy};
pub use self::weight::Weight;

pub(crate) use self::core::{run, run_single};
pub(crate) use self::losses::{CollectedLosses, collected_losses, weight_losses};
pub(super) use self::macros::{buildable, object_option, weights};
pub(crate) use self::macros::{layer, named, options_of_all};
pub(crate) use self::names::next as next_name;
pub(crate) use self::shapes::within;
pub(super) use self::shapes::{channels, dtype_help, known_size, misfit};

use engine::library::{mask_of, set_mask};
use engine::{Copies, Duplicate, Module, Tensor};
use kernels::error::Result;
use std::sync::Arc;

/// What every layer can do: for code that works with any of them, and for layers of one's own.
///
/// Models call the methods `call`, `call_training`, `call_with` and `try_call` that each layer has itself, which take variables as well
/// and need no import. A layer of one's own says what it computes, from one or several tensors, in [`forward`](Self::forward).
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Call, Layer, LayerExt, Outputs};
/// use tf::{Duplicate, Module, Result, Tensor, Variable};
///
/// #[derive(Clone, Module, Duplicate)]
/// struct Scale {
///     factor: Variable,
/// }
///
/// impl Layer for Scale {
///     fn layer_name(&self) -> &str {
///         "scale"
///     }
///     fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
///         Ok(Outputs::one(&inputs[0] * &self.factor))
///     }
/// }
///
/// let layer = Scale { factor: Variable::new(2.0) };
/// assert_eq!(layer.apply(tf::ones([2])).to_vec::<f32>(), [2.0, 2.0]);
/// ```
pub trait Layer: Module + SharedLayer + Send + Sync {
    /// The layer's name: given, or Keras's for its kind with a number from the second of a kind on.
    fn layer_name(&self) -> &str;

    /// The layer's outputs for its inputs. Users call a layer by its `call`, which also casts inputs and hands masks on.
    ///
    /// # Errors
    /// InvalidArgument where the inputs do not fit the layer, with the layer's name and both shapes.
    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs>;

    /// What the layer does with masks of its inputs.
    fn masking(&self) -> Masking {
        Masking::Own
    }

    /// What every layer of the library has: its name, its dtypes, and the regularizer of its output.
    fn core(&self) -> Option<&Core> {
        None
    }
}

/// Handles and deep copies of a layer whose type is not known. Every layer that has `Clone` and [`Duplicate`] has it.
pub trait SharedLayer {
    /// A handle that shares the layer's variables.
    fn shared(&self) -> Arc<dyn Layer>;

    /// A deep copy.
    fn copied(&self, copies: &mut Copies) -> Arc<dyn Layer>;
}

impl<L: Layer + Clone + Duplicate + 'static> SharedLayer for L {
    fn shared(&self) -> Arc<dyn Layer> {
        Arc::new(self.clone())
    }

    fn copied(&self, copies: &mut Copies) -> Arc<dyn Layer> {
        Arc::new(self.duplicate_in(copies))
    }
}

/// Calls of any layer, of one's own too.
pub trait LayerExt: Layer {
    /// The output for an input, a tensor or a [node](crate::layers::Node): what `call` is for the library's layers.
    ///
    /// # Panics
    /// As [`try_apply`](Self::try_apply) fails, at the caller's line.
    #[track_caller]
    fn apply<X: LayerInput>(&self, x: X) -> X::Output
    where
        Self: Sized,
    {
        kernels::error::OrFail::or_fail(self.try_apply(x, &Call::inherited()))
    }

    /// The output for an input.
    ///
    /// # Errors
    /// As [`forward`](Layer::forward), and InvalidArgument for a mask that the layer does not take.
    #[track_caller]
    fn try_apply<X: LayerInput>(&self, x: X, cx: &Call) -> Result<X::Output>
    where
        Self: Sized,
    {
        let here = std::panic::Location::caller();
        x.through(self, cx).map_err(|e| within(e, self.layer_name(), here))
    }

    /// All outputs for several inputs.
    ///
    /// # Errors
    /// As [`try_apply`](Self::try_apply).
    #[track_caller]
    fn try_apply_all(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs>
    where
        Self: Sized,
    {
        let here = std::panic::Location::caller();
        run(self, inputs, cx).map_err(|e| within(e, self.layer_name(), here))
    }
}

impl<L: Layer> LayerExt for L {}

impl dyn Layer + '_ {
    /// The output for an input while the model is trained or not, of a layer whose type is not known.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::{Dense, Dropout, Layer};
    /// let net: Vec<Box<dyn Layer>> = vec![Box::new(Dense::new(16)), Box::new(Dropout::new(0.5)), Box::new(Dense::new(3))];
    /// let mut x = tf::ones([2, 4]);
    /// for layer in &net {
    ///     x = layer.call_training(&x, true);
    /// }
    /// assert_eq!(x.shape(), [2, 3]);
    /// ```
    ///
    /// # Panics
    /// As `try_call` fails, at the caller's line.
    #[track_caller]
    pub fn call_training<X: LayerInput>(&self, x: X, training: bool) -> X::Output {
        kernels::error::OrFail::or_fail(self.try_call(x, training))
    }

    /// The output for an input, of a layer whose type is not known.
    ///
    /// # Errors
    /// As [`forward`](Layer::forward), and InvalidArgument for a mask that the layer does not take.
    #[track_caller]
    pub fn try_call<X: LayerInput>(&self, x: X, training: bool) -> Result<X::Output> {
        let here = std::panic::Location::caller();
        x.through(self, &Call::of(training)).map_err(|e| within(e, self.layer_name(), here))
    }

    /// All outputs for several inputs, of a layer whose type is not known.
    ///
    /// # Errors
    /// As `try_call`.
    #[track_caller]
    pub fn try_call_all(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let here = std::panic::Location::caller();
        run(self, inputs, cx).map_err(|e| within(e, self.layer_name(), here))
    }
}

/// The mask that a tensor carries: which steps of it count, Keras's `_keras_mask`.
///
/// `Embedding` and `Masking` give their outputs one, layers hand it on, and recurrent layers and attention heed it. Operations give
/// tensors without masks.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::ones([2, 3, 4]);
/// tf::layers::set_mask_of(&x, &tf::constant([[true, true, false], [true, false, false]]));
/// assert!(tf::layers::get_mask(&x).is_some());
/// assert!(tf::layers::get_mask(&(&x + 1.0)).is_none());
/// ```
pub fn get_mask(x: &Tensor) -> Option<Tensor> {
    mask_of(x)
}

/// Lets a tensor carry a mask, until the last handle of it is gone.
pub fn set_mask_of(x: &Tensor, mask: &Tensor) {
    set_mask(x, mask);
}
