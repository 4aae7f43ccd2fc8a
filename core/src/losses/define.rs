//! How losses are declared: a function with its `try_` twin, and a struct with its options.
//! Every file of losses declares its own with these macros.

/// Writes a loss as a function, with its `try_` twin.
macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident, $try_name:ident($labels:ident, $predictions:ident $(, $arg:ident: $ty:ty)*) $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($try_name), "`] answers an error.")]
        #[track_caller]
        pub fn $name(
            $labels: impl engine::AsTensor,
            $predictions: impl engine::AsTensor
            $(, $arg: $ty)*
        ) -> engine::Tensor {
            kernels::error::OrFail::or_fail($try_name($labels, $predictions $(, $arg)*))
        }

        #[doc = concat!("[`", stringify!($name), "`] that answers an error instead of panicking.")]
        ///
        /// # Errors
        /// InvalidArgument for shapes that do not fit each other, predictions that are not floating-point, labels that are no
        /// classes, or an option that is out of range.
        #[track_caller]
        pub fn $try_name(
            $labels: impl engine::AsTensor,
            $predictions: impl engine::AsTensor
            $(, $arg: $ty)*
        ) -> kernels::error::Result<engine::Tensor> {
            // A function lets the caller's location through to the tensors it makes.
            #[track_caller]
            fn body(
                $labels: &engine::Tensor,
                $predictions: &engine::Tensor
                $(, $arg: $ty)*
            ) -> kernels::error::Result<engine::Tensor> $body
            let here = std::panic::Location::caller();
            body(&$labels.as_tensor(), &$predictions.as_tensor() $(, $arg)*).map_err(|e| e.at(here))
        }
    )*};
}
pub(super) use functions;

/// Writes a loss as a struct: options with their defaults, the name that Keras gives it, and the values of the examples. `squeezed`
/// stands before those whose labels and predictions become equal in rank first, as Keras's objects do.
macro_rules! loss {
    (
        $(#[$doc:meta])*
        pub struct $name:ident($text:literal) { $($option:ident: $ty:ty = $default:expr),* $(,)? }
        |$this:tt, $labels:ident, $predictions:ident| $body:block
        $(mask |$mask_this:ident, $mask_labels:ident, $values:ident| $mask:block)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            settings: $crate::losses::loss::Settings,
            $($option: $ty,)*
        }

        impl $name {
            /// The loss with Keras's defaults.
            pub fn new() -> Self {
                Self { settings: $crate::losses::loss::Settings::new($text), $($option: $default,)* }
            }

            /// A name of the user's own, under which training logs show the loss.
            #[must_use]
            pub fn name(mut self, name: impl Into<String>) -> Self {
                self.settings.name = std::borrow::Cow::Owned(name.into());
                self
            }

            /// How the losses of the examples become one number.
            #[must_use]
            pub fn reduction(mut self, reduction: $crate::losses::Reduction) -> Self {
                self.settings.reduction = reduction;
                self
            }

            /// The reduced loss.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call(&self, y_true: impl engine::AsTensor, y_pred: impl engine::AsTensor) -> engine::Tensor {
                kernels::error::OrFail::or_fail(self.try_call(y_true, y_pred, None))
            }

            /// The reduced loss of examples that count by their weight.
            ///
            /// # Panics
            /// As [`try_call`](Self::try_call) fails, at the caller's line.
            #[track_caller]
            pub fn call_weighted(
                &self,
                y_true: impl engine::AsTensor,
                y_pred: impl engine::AsTensor,
                sample_weight: impl engine::AsTensor,
            ) -> engine::Tensor {
                kernels::error::OrFail::or_fail(self.try_call(y_true, y_pred, Some(&sample_weight.as_tensor())))
            }

            /// The reduced loss.
            ///
            /// # Errors
            /// InvalidArgument where labels, predictions and weights do not fit each other, with their shapes.
            #[track_caller]
            pub fn try_call(
                &self,
                y_true: impl engine::AsTensor,
                y_pred: impl engine::AsTensor,
                sample_weight: Option<&engine::Tensor>,
            ) -> kernels::error::Result<engine::Tensor> {
                $crate::losses::loss::called(self, &y_true.as_tensor(), &y_pred.as_tensor(), sample_weight)
            }

            /// One number per example, of labels and predictions as they are.
            #[track_caller]
            fn values(
                &self,
                $labels: &engine::Tensor,
                $predictions: &engine::Tensor,
            ) -> kernels::error::Result<engine::Tensor> {
                let $this = self;
                $body
            }
        }

        engine::library::options::options! { $name:
            /// The dtype that the loss is computed in; without it that of the predictions, `float32` at least.
            pub fn dtype, try_dtype(this, dtype: kernels::dtype::DType) {
                this.settings.dtype = Some($crate::losses::checks::dtype(stringify!($name), dtype)?);
                Ok(this)
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::losses::Loss for $name {
            fn name(&self) -> &str {
                &self.settings.name
            }

            fn reduction(&self) -> $crate::losses::Reduction {
                self.settings.reduction
            }

            #[track_caller]
            fn per_example(
                &self,
                y_true: &engine::Tensor,
                y_pred: &engine::Tensor,
            ) -> kernels::error::Result<engine::Tensor> {
                let (labels, predictions) = $crate::losses::checks::prepared($text, y_true, y_pred, self.settings.dtype)?;
                self.values(&labels, &predictions)
            }

            $(
                #[track_caller]
                fn per_example_masked(
                    &self,
                    y_true: &engine::Tensor,
                    y_pred: &engine::Tensor,
                ) -> kernels::error::Result<(engine::Tensor, Option<engine::Tensor>)> {
                    let $values = $crate::losses::Loss::per_example(self, y_true, y_pred)?;
                    let ($mask_this, $mask_labels) = (self, y_true);
                    let mask: Option<engine::Tensor> = $mask;
                    Ok(($values, mask))
                }
            )?
        }

        impl engine::Module for $name {
            fn visit(&self, fields: &mut engine::Fields<'_>) {
                // Losses behind one pointer may have the same options.
                fields.value(stringify!($name));
                self.settings.visit(fields);
                $(fields.field(stringify!($option), &self.$option);)*
            }
        }

        impl engine::Duplicate for $name {
            fn duplicate_in(&self, _: &mut engine::Copies) -> Self {
                self.clone()
            }
        }
    };
}
pub(super) use loss;
