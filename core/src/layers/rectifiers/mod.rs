//! Layers that are one activation each: `ReLU`, `LeakyReLU`, `ELU`, `PReLU`, whose slope is trained, and `Softmax`, which heeds masks.
//! Keras's activation layers beside `Activation`.

mod prelu;
mod softmax;

pub use prelu::PReLU;
pub use softmax::Softmax;

use super::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use super::copied_by_clone;
use crate::activations::{Activation, Elu, LeakyRelu, Relu};
use engine::library::options::{finite, magnitude, options};
use engine::{Fields, Module, Tensor};
use kernels::error::Result;

/// Writes a layer of an activation and its numbers.
macro_rules! of_activation {
    ($(#[$doc:meta])* $layer:ident, $kind:literal, { $($option:ident: $ty:ty = $default:expr),* }, |$this:ident| $activation:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
            $($option: $ty,)*
        }

        layer!($layer);
        copied_by_clone!($layer);

        impl $layer {
            /// With Keras's defaults.
            pub fn new() -> Self {
                Self { core: Core::new($kind), $($option: $default,)* }
            }
        }

        impl Default for $layer {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Passes
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
                let $this = self;
                $activation.apply(&inputs[0]).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                $(fields.field(stringify!($option), &self.$option);)*
            }
        }
    };
}

of_activation! {
    /// The rectifier: values below the threshold become 0, or keep a slope.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::ReLU;
    /// let x = tf::constant([-3.0, -1.0, 0.0, 2.0]);
    /// assert_eq!(ReLU::new().call(&x).to_vec::<f32>(), [0.0, 0.0, 0.0, 2.0]);
    /// assert_eq!(ReLU::new().max_value(1.0).call(&x).to_vec::<f32>(), [0.0, 0.0, 0.0, 1.0]);
    /// ```
    ReLU, "re_lu", { max_value: Option<f64> = None, negative_slope: f64 = 0.0, threshold: f64 = 0.0 }, |this| {
        let relu = Relu::new().negative_slope(this.negative_slope).threshold(this.threshold);
        relu.max_value(this.max_value)
    }
}

options! { ReLU:
    /// The greatest value of the result, at least 0; none unless set.
    pub fn max_value, try_max_value(this, max_value: f64) {
        this.max_value = Some(magnitude("ReLU", "max_value", max_value)?);
        Ok(this)
    }

    /// The slope below the threshold, at least 0; 0 unless set.
    pub fn negative_slope, try_negative_slope(this, negative_slope: f64) {
        this.negative_slope = magnitude("ReLU", "negative_slope", negative_slope)?;
        Ok(this)
    }

    /// Below it values count as negative, at least 0; 0 unless set.
    pub fn threshold, try_threshold(this, threshold: f64) {
        this.threshold = magnitude("ReLU", "threshold", threshold)?;
        Ok(this)
    }
}

of_activation! {
    /// The rectifier with a slope below zero.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::LeakyReLU;
    /// let y = LeakyReLU::new().negative_slope(0.5).call(tf::constant([-3.0, 2.0]));
    /// assert_eq!(y.to_vec::<f32>(), [-1.5, 2.0]);
    /// ```
    LeakyReLU, "leaky_re_lu", { negative_slope: f64 = 0.3 }, |this| LeakyRelu::new().negative_slope(this.negative_slope)
}

options! { LeakyReLU:
    /// The slope below zero, at least 0; 0.3 unless set.
    pub fn negative_slope, try_negative_slope(this, negative_slope: f64) {
        this.negative_slope = magnitude("LeakyReLU", "negative_slope", negative_slope)?;
        Ok(this)
    }
}

of_activation! {
    /// α (eˣ − 1) below zero: Clevert et al. 2016.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::ELU;
    /// assert_eq!(ELU::new().call(tf::constant([0.0, 2.0])).to_vec::<f32>(), [0.0, 2.0]);
    /// ```
    ELU, "elu", { alpha: f64 = 1.0 }, |this| Elu::new().alpha(this.alpha)
}

options! { ELU:
    /// The negative of what it goes to on the left; 1 unless set.
    pub fn alpha, try_alpha(this, alpha: f64) {
        this.alpha = finite("ELU", "alpha", alpha)?;
        Ok(this)
    }
}
