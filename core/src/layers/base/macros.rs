//! Methods that layers share, written once: calls, names, dtypes, options of variables, `build`.
//! Each layer's file uses those that its kind has; a layer keeps its [`Core`](super::Core) in the field `core`.

/// Writes the methods of a layer of one input and one output.
macro_rules! layer {
    ($layer:ident) => {
        $crate::layers::options_of_all!($layer);

        impl $layer {
            /// The output for an input: a tensor for a tensor, a [node](crate::layers::Node) for a node of a model. It is called as the
            /// model around it is, for training or not; where there is none, as the model is used.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call<X: $crate::layers::LayerInput>(&self, x: X) -> X::Output {
                $crate::layers::LayerExt::apply(self, x)
            }

            /// The output for an input while the model is trained or not: Keras's call with `training=`.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call_training<X: $crate::layers::LayerInput>(&self, x: X, training: bool) -> X::Output {
                self.call_with(x, &$crate::layers::Call::of(training))
            }

            /// The output for an input and a context, which may have a mask.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call_with<X: $crate::layers::LayerInput>(&self, x: X, cx: &$crate::layers::Call) -> X::Output {
                kernels::error::OrFail::or_fail($crate::layers::LayerExt::try_apply(self, x, cx))
            }

            /// The output for an input.
            ///
            /// # Errors
            /// InvalidArgument where an option of the layer is out of range or the input does not fit the layer, with
            /// the layer's name and both shapes.
            #[track_caller]
            pub fn try_call<X: $crate::layers::LayerInput>(&self, x: X, training: bool) -> $crate::Result<X::Output> {
                $crate::layers::LayerExt::try_apply(self, x, &$crate::layers::Call::of(training))
            }
        }
    };
}
pub(crate) use layer;

/// Writes the options that every layer has.
macro_rules! options_of_all {
    ($layer:ident) => {
        $crate::layers::options_of_all!([] $layer);
    };
    ([$($generics:tt)*] $layer:ty) => {
        impl<$($generics)*> $layer {
            /// A name of the user's own, which the layer's variables and errors carry.
            #[must_use]
            pub fn name(mut self, name: impl Into<String>) -> Self {
                self.core.set_name(name.into());
                self
            }

            /// The dtype of the layer: one for computations and variables, or a [`Policy`](crate::layers::Policy), or its name, such as
            /// `"mixed_bfloat16"`; the [global one](crate::layers::global_policy) unless set.
            ///
            /// # Panics
            /// As [`try_dtype`](Self::try_dtype) fails, at the caller's line.
            #[must_use]
            #[track_caller]
            pub fn dtype(self, policy: impl $crate::layers::IntoPolicy) -> Self {
                kernels::error::OrFail::or_fail(self.try_dtype(policy))
            }

            /// As [`dtype`](Self::dtype), for a value that comes from data.
            ///
            /// # Errors
            /// InvalidArgument for a dtype that is not floating, or a name that is none.
            #[track_caller]
            pub fn try_dtype(mut self, policy: impl $crate::layers::IntoPolicy) -> $crate::Result<Self> {
                let here = std::panic::Location::caller();
                let policy = policy.into_policy().and_then(|policy| policy.checked(stringify!($layer)));
                self.core.set_policy(policy.map_err(|e| e.at(here))?);
                Ok(self)
            }

            /// What is added to the loss for the output, by the mean over the batch.
            ///
            /// # Panics
            /// For a name that is none, or a regularizer whose numbers are out of range.
            #[must_use]
            #[track_caller]
            pub fn activity_regularizer(
                mut self,
                regularizer: impl $crate::shared::IntoShared<dyn $crate::regularizers::Regularizer>,
            ) -> Self {
                let here = std::panic::Location::caller();
                self.core.set_activity(kernels::error::OrFail::or_fail(regularizer.into_shared().map_err(|e| e.at(here))));
                self
            }
        }
    };
}
pub(crate) use options_of_all;

/// Writes the two methods of [`Layer`](super::Layer) that are the same for all layers of the library, in the `impl` of it.
macro_rules! named {
    () => {
        fn layer_name(&self) -> &str {
            self.core.name()
        }

        fn core(&self) -> Option<&$crate::layers::Core> {
            Some(&self.core)
        }
    };
}
pub(crate) use named;

/// Writes an option that takes an object or its name, for a field of the layer, with its `try_` twin.
macro_rules! object_option {
    ($layer:ident, $trait:path, $(#[$doc:meta])* $option:ident, $try_option:ident => |$this:ident, $object:ident| $set:expr) => {
        impl $layer {
            $(#[$doc])*
            ///
            /// # Panics
            #[doc = concat!("As [`", stringify!($try_option), "`](Self::", stringify!($try_option), ") fails, at the caller's line.")]
            #[must_use]
            #[track_caller]
            pub fn $option(self, object: impl $crate::shared::IntoShared<dyn $trait>) -> Self {
                kernels::error::OrFail::or_fail(self.$try_option(object))
            }

            #[doc = concat!("As [`", stringify!($option), "`](Self::", stringify!($option), "), for a name that comes from data.")]
            ///
            /// # Errors
            /// InvalidArgument for a name that is none, or an object whose numbers are out of range.
            #[track_caller]
            pub fn $try_option(self, object: impl $crate::shared::IntoShared<dyn $trait>) -> $crate::Result<Self> {
                let here = std::panic::Location::caller();
                let $object = object
                    .into_shared()
                    .map_err(|e| e.variable(concat!(stringify!($layer), "::", stringify!($option))).at(here))?;
                let mut $this = self;
                $set;
                Ok($this)
            }
        }
    };
}
pub(in crate::layers) use object_option;

/// Writes the options of the variables of a layer: initializer, regularizer and constraint of each, by Keras's names.
macro_rules! weights {
    ($layer:ident: $($field:ident, $word:literal => $init:ident, $try_init:ident, $reg:ident, $try_reg:ident, $con:ident, $try_con:ident;)*) => {$(
        $crate::layers::base::macros::object_option!($layer, $crate::initializers::Initializer,
            #[doc = concat!("How the ", $word, " starts: an initializer, or its name, such as `\"he_normal\"`.")]
            $init, $try_init => |this, object| this.$field.initializer = object);
        $crate::layers::base::macros::object_option!($layer, $crate::regularizers::Regularizer,
            #[doc = concat!("What is added to the loss for the ", $word, ": a regularizer, or its name, such as `\"l2\"`.")]
            $reg, $try_reg => |this, object| this.$field.regularizer = Some(object));
        $crate::layers::base::macros::object_option!($layer, $crate::constraints::Constraint,
            #[doc = concat!("What the ", $word, " is kept within after each step: a constraint, or its name, such as `\"non_neg\"`.")]
            $con, $try_con => |this, object| this.$field.constraint = Some(object));
    )*};
}
pub(in crate::layers) use weights;

/// Writes the methods of layers that have variables; their method `make` makes these for a type of input.
macro_rules! buildable {
    ($layer:ident, $new:literal, $example:literal, $count:literal) => {
        impl $layer {
            /// Makes the variables for inputs of a shape, which a layer that is not built so makes on its first call. The
            /// number of examples is not looked at; a layer that is built already stays as it is.
            ///
            /// ```
            /// use eagerflow as tf;
            #[doc = concat!("use tf::{Module, layers::", stringify!($layer), "};")]
            #[doc = concat!("let layer = ", $new, ";")]
            #[doc = concat!("layer.build(", $example, ");")]
            #[doc = concat!("assert_eq!(layer.variables().len(), ", $count, ");")]
            /// ```
            ///
            /// # Panics
            /// As [`try_build`](Self::try_build) fails, at the caller's line.
            #[track_caller]
            pub fn build(&self, input_shape: impl kernels::shape::IntoShape) {
                kernels::error::OrFail::or_fail(self.try_build(input_shape))
            }

            /// Makes the variables for inputs of a shape.
            ///
            /// # Errors
            /// InvalidArgument where inputs of the shape do not fit the layer, with the layer's name and both shapes.
            #[track_caller]
            pub fn try_build(&self, input_shape: impl kernels::shape::IntoShape) -> $crate::Result<()> {
                let here = std::panic::Location::caller();
                let made = match input_shape.into_shape() {
                    Ok(shape) => self.make(&engine::TensorType::new(self.core.compute(), shape)),
                    Err(error) => Err(error),
                };
                made.map_err(|e| $crate::layers::base::within(e.in_op("build"), self.core.name(), here))
            }
        }
    };
}
pub(in crate::layers) use buildable;
