//! `GlobalMaxPooling1D` to `3D` and `GlobalAveragePooling1D` to `3D`: one value for all cells of an input, channel by channel.
//! Models put them between the last convolution and a `Dense`; the mean of sequences heeds masks.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::copied_by_clone;
use crate::layers::spatial::{Batch, data_format_option};
use engine::library::{Typed, cast_to};
use engine::{Axes, Fields, IntoAxes, Module, Tensor, keep_dims};
use kernels::dtype::DType;
use kernels::error::Result;

/// Writes the layer for a number of spatial axes and the engine's function.
macro_rules! global {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal) = $reduce:ident, masks $masking:ident $(, masked $masked:ident)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
            batch: Batch,
            keepdims: bool,
        }

        layer!($layer);
        copied_by_clone!($layer);
        data_format_option!($layer);

        impl $layer {
            /// The layer, whose output is `[batch, channels]`.
            pub fn new() -> Self {
                Self { core: Core::new($kind), batch: Batch::of($axes), keepdims: false }
            }

            /// Whether the spatial dimensions stay, with size 1; they do not unless set.
            #[must_use]
            pub fn keepdims(mut self, keepdims: bool) -> Self {
                self.keepdims = keepdims;
                self
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
                Masking::$masking
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
                let x = &inputs[0];
                self.batch.check(&self.core, x)?;
                $(
                    if let Some(mask) = cx.mask_of(inputs, 0) {
                        return $masked(&self.core, self.batch, x, &mask, self.keepdims).map(Outputs::one);
                    }
                )?
                let _ = cx;
                x.$reduce(spatial(self.batch, self.keepdims)).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.batch, self.keepdims));
            }
        }
    };
}

global! {
    /// The largest value over all steps, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GlobalMaxPooling1D;
    /// let x = tf::constant([[[1.0, 2.0], [3.0, -1.0]]]);
    /// assert_eq!(GlobalMaxPooling1D::new().call(&x).to_vec::<f32>(), [3.0, 2.0]);
    /// ```
    GlobalMaxPooling1D("global_max_pooling1d", 1) = try_reduce_max, masks Refuses
}

global! {
    /// The largest value over all pixels, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GlobalMaxPooling2D;
    /// let x = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 6.0]), [1, 2, 2, 1]);
    /// assert_eq!(GlobalMaxPooling2D::new().call(&x).to_vec::<f32>(), [6.0]);
    /// ```
    GlobalMaxPooling2D("global_max_pooling2d", 2) = try_reduce_max, masks Refuses
}

global! {
    /// The largest value over all cells of volumes, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GlobalMaxPooling3D;
    /// assert_eq!(GlobalMaxPooling3D::new().call(tf::ones([2, 3, 3, 3, 4])).shape(), [2, 4]);
    /// ```
    GlobalMaxPooling3D("global_max_pooling3d", 3) = try_reduce_max, masks Refuses
}

global! {
    /// The mean over all steps, channel by channel; with a mask `[batch, steps]` over those that count.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::{Call, GlobalAveragePooling1D};
    /// let (x, layer) = (tf::constant([[[1.0, 2.0], [3.0, 4.0]]]), GlobalAveragePooling1D::new());
    /// assert_eq!(layer.call(&x).to_vec::<f32>(), [2.0, 3.0]);
    /// let first = Call::inference().mask(tf::constant([[true, false]]));
    /// assert_eq!(layer.call_with(&x, &first).to_vec::<f32>(), [1.0, 2.0]);
    /// ```
    GlobalAveragePooling1D("global_average_pooling1d", 1) = try_reduce_mean, masks Ends, masked masked_mean
}

global! {
    /// The mean over all pixels, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GlobalAveragePooling2D;
    /// let x = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 6.0]), [1, 2, 2, 1]);
    /// assert_eq!(GlobalAveragePooling2D::new().call(&x).to_vec::<f32>(), [3.0]);
    /// ```
    GlobalAveragePooling2D("global_average_pooling2d", 2) = try_reduce_mean, masks Refuses
}

global! {
    /// The mean over all cells of volumes, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::GlobalAveragePooling3D;
    /// let layer = GlobalAveragePooling3D::new().keepdims(true);
    /// assert_eq!(layer.call(tf::ones([2, 3, 3, 3, 4])).shape(), [2, 1, 1, 1, 4]);
    /// ```
    GlobalAveragePooling3D("global_average_pooling3d", 3) = try_reduce_mean, masks Refuses
}

/// The spatial dimensions.
fn spatial(batch: Batch, keepdims: bool) -> Axes {
    let first = batch.first() as isize;
    let axes: Vec<isize> = (first..first + batch.axes as isize).collect();
    if keepdims { keep_dims(axes) } else { axes.into_axes() }
}

/// The mean over the steps that count: none of them makes it nan, as in Keras.
#[track_caller]
fn masked_mean(core: &Core, batch: Batch, x: &Tensor, mask: &Tensor, keepdims: bool) -> Result<Tensor> {
    if mask.rank() != 2 {
        return Err(misfit(core.name(), "the mask is none for sequences", mask.ty(), "[batch, steps]"));
    }
    let counts = cast_to(&mask.try_expand_dims(batch.channels() as isize)?, DType::Bool)?;
    let axes = || spatial(batch, keepdims);
    let kept = engine::try_select(&counts, x, 0.0)?;
    let number = cast_to(&counts, x.dtype())?.try_reduce_sum(axes())?;
    kept.try_reduce_sum(axes())?.try_divide(&number)
}
