//! What layers have in common that multiply by a kernel, add a bias and apply an activation: options, variables, and making these.
//! `Dense` and the convolutions have it by the macro here; each finds out itself which kernel an input needs.

use kernels::dtype::DType;
use kernels::error::{Error, Result};

/// Writes the options and methods of such a layer, whose bias has as many elements as its field `$units` says.
macro_rules! weighted {
    ($layer:ident, $units:ident) => {
        impl $layer {
            /// The function applied at the end.
            pub fn activation(mut self, activation: $crate::layers::Activation) -> Self {
                self.activation = activation;
                self
            }

            /// Whether a bias is added.
            pub fn use_bias(mut self, use_bias: bool) -> Self {
                self.use_bias = use_bias;
                self
            }

            #[doc = concat!("The bias `[", stringify!($units), "]`, once it is built.")]
            pub fn bias(&self) -> Option<&$crate::Variable> {
                self.bias.get()
            }

            /// The bias, made if this is the first time, for a layer that has one.
            #[track_caller]
            fn own_bias(&self) -> $crate::Result<Option<&$crate::Variable>> {
                if !self.use_bias {
                    return Ok(None);
                }
                if let Some(bias) = self.bias.get() {
                    return Ok(Some(bias));
                }
                let name = format!("{}/bias", self.name);
                self.bias_initializer.create(&self.bias, &[self.$units], self.dtype, &name).map(Some)
            }

            /// What is left to do with a product.
            #[track_caller]
            fn finish(&self, product: $crate::Tensor) -> $crate::Result<$crate::Tensor> {
                self.activation.apply(match self.own_bias()? {
                    Some(bias) => engine::try_bias_add(&product, bias)?,
                    None => product,
                })
            }

            #[track_caller]
            fn make(&self, input: &$crate::Shape) -> $crate::Result<()> {
                self.kernel_for(&engine::TensorType::new(self.dtype, *input))?;
                self.own_bias().map(drop)
            }
        }

        impl engine::Duplicate for $layer {
            fn duplicate_in(&self, copies: &mut engine::Copies) -> Self {
                let (kernel, bias) = (self.kernel.duplicate_in(copies), self.bias.duplicate_in(copies));
                Self { kernel, bias, ..self.clone() }
            }
        }

        engine::library::options::options! { $layer:
            /// How the kernel starts.
            pub fn kernel_initializer, try_kernel_initializer(this, initializer: $crate::initializers::Initializer) {
                this.kernel_initializer = initializer.checked(stringify!($layer))?;
                Ok(this)
            }

            /// How the bias starts.
            pub fn bias_initializer, try_bias_initializer(this, initializer: $crate::initializers::Initializer) {
                this.bias_initializer = initializer.checked(stringify!($layer))?;
                Ok(this)
            }

            /// The dtype of the variables and the input, `float32` unless set.
            pub fn dtype, try_dtype(this, dtype: $crate::DType) {
                this.dtype = $crate::layers::kernel_and_bias::floating(stringify!($layer), dtype)?;
                Ok(this)
            }
        }
    };
}
pub(super) use weighted;

/// The dtype of a layer's variables, which have gradients.
pub(super) fn floating(layer: &str, dtype: DType) -> Result<DType> {
    match dtype.is_floating() {
        true => Ok(dtype),
        false => Err(Error::invalid_argument(layer, "a layer's variables must be floating-point")
            .got(dtype)
            .expected("float16, bfloat16, float32 or float64")),
    }
}
