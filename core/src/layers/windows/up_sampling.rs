//! `UpSampling1D`, `UpSampling2D`, `UpSampling3D`: each step, pixel or cell several times, or values between them.
//! Decoders make their inputs larger with them; `enlarge` has what they compute.

use super::enlarge::{Interpolation, IntoInterpolation, interpolated, repeated};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use crate::layers::copied_by_clone;
use crate::layers::spatial::{Batch, data_format_option};
use engine::library::Along;
use engine::library::options::options;
use engine::{Fields, Module, PerAxis, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;

/// Writes the layer for a number of spatial axes; that of images has an interpolation.
macro_rules! up_sampling {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal), sizes $sizes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
            batch: Batch,
            size: PerAxis,
            interpolation: Interpolation,
        }

        layer!($layer);
        copied_by_clone!($layer);

        impl $layer {
            #[doc = concat!("A layer that makes its input `size` times as large, ", $sizes, ".")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(size: impl Into<PerAxis>) -> Self {
                Self::try_new(size).or_fail()
            }

            /// As [`new`](Self::new), for a size that comes from data.
            ///
            /// # Errors
            /// InvalidArgument for sizes below 1.
            #[track_caller]
            pub fn try_new(size: impl Into<PerAxis>) -> Result<Self> {
                let here = Location::caller();
                let size = size.into().along(stringify!($layer), "`size`", $axes, 1).map_err(|e| e.at(here))?;
                let interpolation = Interpolation::Nearest;
                Ok(Self { core: Core::new($kind), batch: Batch::of($axes), size, interpolation })
            }
        }

        impl Default for $layer {
            /// Keras's default: twice as large.
            fn default() -> Self {
                Self::new(2)
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
                let sizes: Vec<usize> = self.size.numbers().iter().map(|&n| n as usize).collect();
                if self.interpolation == Interpolation::Nearest {
                    return repeated(x, self.batch.first(), &sizes).map(Outputs::one);
                }
                interpolated(x, self.batch.first(), &sizes, self.interpolation, self.core.compute()).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.batch, self.size, self.interpolation));
            }
        }
    };
}

up_sampling! {
    /// Each step of sequences `[batch, steps, channels]` several times.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::UpSampling1D;
    /// let x = tf::constant([1.0, 2.0]).reshape([1, 2, 1]);
    /// assert_eq!(UpSampling1D::new(3).call(&x).to_vec::<f32>(), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    /// ```
    UpSampling1D("up_sampling1d", 1), sizes "one number"
}

up_sampling! {
    /// Images `[batch, rows, columns, channels]` made larger: each pixel several times, or values between pixels.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::UpSampling2D;
    /// let x = tf::constant([0.0, 4.0]).reshape([1, 1, 2, 1]);
    /// assert_eq!(UpSampling2D::new((1, 2)).call(&x).to_vec::<f32>(), [0.0, 0.0, 4.0, 4.0]);
    /// let smooth = UpSampling2D::new((1, 2)).interpolation("bilinear");
    /// assert_eq!(smooth.call(&x).to_vec::<f32>(), [0.0, 1.0, 3.0, 4.0]);
    /// ```
    UpSampling2D("up_sampling2d", 2), sizes "one number, or one for rows and one for columns"
}

up_sampling! {
    /// Each cell of volumes `[batch, planes, rows, columns, channels]` several times.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::UpSampling3D;
    /// assert_eq!(UpSampling3D::new([1, 2, 3]).call(tf::ones([1, 2, 2, 2, 3])).shape(), [1, 2, 4, 6, 3]);
    /// ```
    UpSampling3D("up_sampling3d", 3), sizes "one number, or one for each axis"
}

data_format_option!(UpSampling2D);
data_format_option!(UpSampling3D);

options! { UpSampling2D:
    /// How values between pixels come about, an [`Interpolation`] or Keras's name of one, such as `"bilinear"`; pixels are repeated unless
    /// set. All but the repetition give floats.
    pub fn interpolation, try_interpolation(this, interpolation: impl IntoInterpolation) {
        this.interpolation = interpolation.into_interpolation().map_err(|e| kernels::error::OnTheWay::named(e, "UpSampling2D"))?;
        Ok(this)
    }
}
