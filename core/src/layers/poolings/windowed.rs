//! `MaxPooling1D` to `MaxPooling3D` and `AveragePooling1D` to `AveragePooling3D`: one value for each window.
//! Models put them between convolutions; the operations are the engine's poolings.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use crate::layers::copied_by_clone;
use crate::layers::spatial::{Batch, IntoPadding, data_format_option};
use engine::library::options::options;
use engine::library::{Along, Pool, Windows};
use engine::{Fields, Module, Padding, Pair, PerAxis, Sliding, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Writes the layer for a number of spatial axes and the engine's function.
macro_rules! pooling {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal) = $pool:path, sizes $sizes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
            batch: Batch,
            pool_size: PerAxis,
            strides: Option<PerAxis>,
            padding: Padding,
        }

        layer!($layer);
        copied_by_clone!($layer);
        data_format_option!($layer);

        impl $layer {
            #[doc = concat!("Windows of `pool_size` ", $sizes, ", side by side.")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(pool_size: impl Into<PerAxis>) -> Self {
                Self::try_new(pool_size).or_fail()
            }

            #[doc = concat!("Windows of `pool_size` ", $sizes, ", which may have no cells.")]
            ///
            /// # Errors
            /// InvalidArgument for a window without cells.
            #[track_caller]
            pub fn try_new(pool_size: impl Into<PerAxis>) -> Result<Self> {
                let here = Location::caller();
                let pool_size = pool_size.into().along(stringify!($layer), "the window's sizes", $axes, 1);
                Ok(Self {
                    core: Core::new($kind),
                    batch: Batch::of($axes),
                    pool_size: pool_size.map_err(|e| e.at(here))?,
                    strides: None,
                    padding: Padding::Valid,
                })
            }

            /// The layer, if its options are possible.
            fn checked(self) -> Result<Self> {
                let layer = stringify!($layer);
                let strides = self.strides.map(|steps| steps.along(layer, "strides", $axes, 1)).transpose()?;
                check(layer, self.pool_size, strides.unwrap_or(self.pool_size), self.padding)?;
                Ok(Self { strides, ..self })
            }
        }

        options! { $layer:
            /// How far a window is from the next: one number, or one for each axis. The window's own size unless set.
            pub fn strides, try_strides(this, strides: impl Into<PerAxis>) {
                this.strides = Some(strides.into());
                this.checked()
            }

            /// What lies around the input, a [`Padding`] or its name; nothing unless set. It counts neither for a largest value nor for
            /// a mean.
            pub fn padding, try_padding(this, padding: impl IntoPadding) {
                let padding = padding.into_padding().and_then(|padding| padding.plain(stringify!($layer)));
                this.padding = padding.map_err(|e| kernels::error::OnTheWay::named(e, stringify!($layer)))?;
                this.checked()
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Refuses
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
                let x = &inputs[0];
                self.batch.check(&self.core, x)?;
                let how = Sliding::new(self.strides.unwrap_or(self.pool_size), self.padding);
                $pool(x, self.pool_size, how.data_format(self.batch.format)).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.batch, self.pool_size, self.strides, self.padding));
            }
        }
    };
}

pooling! {
    /// The largest value of each window of sequences `[batch, steps, channels]`, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::MaxPooling1D;
    /// let x = tf::constant([1.0, 5.0, 2.0, 4.0]).reshape([1, 4, 1]);
    /// assert_eq!(MaxPooling1D::new(2).call(&x).to_vec::<f32>(), [5.0, 4.0]);
    /// assert_eq!(MaxPooling1D::new(2).strides(1).call(&x).to_vec::<f32>(), [5.0, 5.0, 4.0]);
    /// ```
    MaxPooling1D("max_pooling1d", 1) = engine::try_max_pool1d_with, sizes "steps"
}

pooling! {
    /// The largest value of each window of images `[batch, rows, columns, channels]`, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::MaxPooling2D;
    /// let x = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 4.0]), [1, 2, 2, 1]);
    /// assert_eq!(MaxPooling2D::new(2).call(&x).to_vec::<f32>(), [4.0]);
    /// ```
    MaxPooling2D("max_pooling2d", 2) = engine::try_max_pool2d_with, sizes "rows and columns, which may be one number or two"
}

pooling! {
    /// The largest value of each window of volumes `[batch, planes, rows, columns, channels]`, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::MaxPooling3D;
    /// let layer = MaxPooling3D::new([1, 2, 2]).padding("same");
    /// assert_eq!(layer.call(tf::ones([1, 3, 5, 5, 2])).shape(), [1, 3, 3, 3, 2]);
    /// ```
    MaxPooling3D("max_pooling3d", 3) = engine::try_max_pool3d_with, sizes "planes, rows and columns, which may be one number or three"
}

pooling! {
    /// The mean of each window of sequences `[batch, steps, channels]`, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AveragePooling1D;
    /// let x = tf::constant([1.0, 5.0, 2.0, 4.0]).reshape([1, 4, 1]);
    /// assert_eq!(AveragePooling1D::new(2).call(&x).to_vec::<f32>(), [3.0, 3.0]);
    /// ```
    AveragePooling1D("average_pooling1d", 1) = engine::try_avg_pool1d_with, sizes "steps"
}

pooling! {
    /// The mean of each window of images `[batch, rows, columns, channels]`, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AveragePooling2D;
    /// let x = tf::reshape(&tf::constant([1.0, 2.0, 3.0, 4.0]), [1, 2, 2, 1]);
    /// assert_eq!(AveragePooling2D::new((2, 1)).call(&x).to_vec::<f32>(), [2.0, 3.0]);
    /// ```
    AveragePooling2D("average_pooling2d", 2) = engine::try_avg_pool2d_with, sizes "rows and columns, which may be one number or two"
}

pooling! {
    /// The mean of each window of volumes `[batch, planes, rows, columns, channels]`, channel by channel.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AveragePooling3D;
    /// let layer = AveragePooling3D::new(2).strides(1);
    /// assert_eq!(layer.call(tf::ones([1, 3, 5, 5, 2])).shape(), [1, 2, 4, 4, 2]);
    /// ```
    AveragePooling3D("average_pooling3d", 3) = engine::try_avg_pool3d_with, sizes "planes, rows and columns, which may be one number or three"
}

/// Keras's defaults, which the layers of means have not.
macro_rules! defaults {
    ($($layer:ident),*) => {$(
        impl Default for $layer {
            /// Keras's default: windows of size 2.
            fn default() -> Self {
                Self::new(2)
            }
        }
    )*};
}

defaults!(MaxPooling1D, MaxPooling2D, MaxPooling3D);

/// An error where windows of a size cannot slide so.
fn check(layer: &str, size: PerAxis, strides: PerAxis, padding: Padding) -> Result<()> {
    match (size.numbers(), strides.numbers()) {
        // Of images alone it is known which padding is too wide.
        (&[rows, columns], &[down, right]) => {
            Pool::new(layer, Pair::from([rows, columns]), Pair::from([down, right]), padding).map(drop)
        }
        (sizes, _) => Windows::over(layer, sizes.len(), &Sliding::new(strides, padding)).map(drop),
    }
}
