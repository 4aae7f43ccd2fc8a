//! `Add`, `Subtract`, `Multiply` and `Average`: layers that compute with their inputs element by element.
//! Keras's layers of these names; residual connections and gates are made of them.

use super::layer_of_many;
use super::rules::{aligned, all_masks, mark, spread_mask};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, named};
use crate::layers::copied_by_clone;
use engine::{Fields, Module, Tensor};
use kernels::error::{Error, Result};

/// Writes a layer of several inputs without options.
macro_rules! merging {
    ($(#[$doc:meta])* $layer:ident, $kind:literal, |$this:ident, $inputs:ident, $cx:ident| $forward:expr) => {
        $(#[$doc])*
        ///
        /// Inputs broadcast behind the batch; those of fewer dimensions get some of size 1 behind it. The output has a mask where all inputs
        /// have one: a step counts where it counts in any of them.
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
        }

        layer_of_many!($layer);
        copied_by_clone!($layer);

        impl $layer {
            /// The layer.
            pub fn new() -> Self {
                Self { core: Core::new($kind) }
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
                Masking::Own
            }

            #[track_caller]
            fn forward(&self, $inputs: &[Tensor], $cx: &Call) -> Result<Outputs> {
                let $this = self;
                $forward.map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
            }
        }
    };
}
pub(super) use merging;

/// All inputs joined by an operation, from the left.
#[track_caller]
pub(super) fn folded(
    layer: &str,
    inputs: &[Tensor],
    join: impl Fn(&Tensor, &Tensor) -> Result<Tensor>,
) -> Result<Tensor> {
    let list = aligned(layer, inputs)?;
    let mut list = list.into_iter();
    let first = list.next().ok_or_else(|| Error::internal(layer, "the inputs are gone"))?;
    list.try_fold(first, |sum, x| join(&sum, &x))
}

merging! {
    /// The sum of all inputs.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Add;
    /// let (x, y) = (tf::constant([[1.0, 2.0]]), tf::constant([[10.0, 20.0]]));
    /// assert_eq!(Add::new().call([&x, &y, &y]).to_vec::<f32>(), [21.0, 42.0]);
    /// ```
    Add, "add", |this, inputs, cx| {
        mark(folded(this.core.name(), inputs, |a, b| a.try_add(b))?, inputs, cx)
    }
}

merging! {
    /// The first of two inputs less the second.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Subtract;
    /// let (x, y) = (tf::constant([[1.0, 2.0]]), tf::constant([[10.0, 20.0]]));
    /// assert_eq!(Subtract::new().call([&x, &y]).to_vec::<f32>(), [-9.0, -18.0]);
    /// assert!(Subtract::new().try_call([&x], false).unwrap_err().to_string().contains("two inputs"));
    /// ```
    Subtract, "subtract", |this, inputs, cx| {
        match inputs.len() {
            2 => mark(folded(this.core.name(), inputs, |a, b| a.try_subtract(b))?, inputs, cx),
            n => Err(Error::invalid_argument(this.core.name(), "the layer has two inputs")
                .got(format!("{n} inputs"))
                .expected(2)),
        }
    }
}

merging! {
    /// The product of all inputs.
    ///
    /// Steps that do not count in an input leave the product as it is there; where they count nowhere, it is 0.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Multiply;
    /// let (x, y) = (tf::constant([[1.0, 2.0]]), tf::constant([[10.0, 20.0]]));
    /// assert_eq!(Multiply::new().call([&x, &y]).to_vec::<f32>(), [10.0, 40.0]);
    /// ```
    Multiply, "multiply", |this, inputs, cx| this.product(inputs, cx)
}

merging! {
    /// The mean of all inputs.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Average;
    /// let (x, y) = (tf::constant([[1.0, 2.0]]), tf::constant([[10.0, 20.0]]));
    /// assert_eq!(Average::new().call([&x, &y]).to_vec::<f32>(), [5.5, 11.0]);
    /// ```
    Average, "average", |this, inputs, cx| {
        let sum = folded(this.core.name(), inputs, |a, b| a.try_add(b))?;
        mark(sum.try_truediv(inputs.len())?, inputs, cx)
    }
}

impl Multiply {
    #[track_caller]
    fn product(&self, inputs: &[Tensor], cx: &Call) -> Result<Tensor> {
        // Those without steps that are left out, which have 1 there.
        let mut counted = Vec::with_capacity(inputs.len());
        for (index, x) in inputs.iter().enumerate() {
            counted.push(match cx.mask_of(inputs, index) {
                Some(mask) => engine::try_where(&spread_mask(&mask, x)?, x, 1)?,
                None => x.clone(),
            });
        }
        let product = mark(folded(self.core.name(), &counted, |a, b| a.try_multiply(b))?, inputs, cx)?;
        let Some(masks) = all_masks(inputs, cx) else { return Ok(product) };
        let spread = masks.iter().zip(inputs).map(|(mask, x)| spread_mask(mask, x)).collect::<Result<Vec<_>>>()?;
        let any = folded(self.core.name(), &spread, |a, b| engine::try_logical_or(a, b))?;
        mark(engine::try_where(&any, &product, 0)?, inputs, cx)
    }
}
