//! `Cropping1D`, `Cropping2D`, `Cropping3D`: rows taken away at the sides of sequences, images and volumes.
//! Models use them to fit sizes to each other, as U-Nets do.

use super::margins::Margins;
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::copied_by_clone;
use crate::layers::spatial::{Batch, data_format_option};
use engine::library::Typed;
use engine::{Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// Writes the layer for a number of spatial axes; that of sequences has no option for the place of the channels, as in Keras.
macro_rules! cropping {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal), forms $forms:literal, default $number:literal $default:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
            batch: Batch,
            cropping: Margins<$axes>,
        }

        layer!($layer);
        copied_by_clone!($layer);

        impl $layer {
            #[doc = concat!("Takes `cropping` rows away: ", $forms, ".")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(cropping: impl Into<Margins<$axes>>) -> Self {
                Self::try_new(cropping).or_fail()
            }

            /// As [`new`](Self::new), for numbers that come from data.
            ///
            /// # Errors
            /// InvalidArgument for negative numbers.
            #[track_caller]
            pub fn try_new(cropping: impl Into<Margins<$axes>>) -> Result<Self> {
                let here = Location::caller();
                let cropping = cropping.into().checked(stringify!($layer), "cropping").map_err(|e| e.at(here))?;
                Ok(Self { core: Core::new($kind), batch: Batch::of($axes), cropping })
            }
        }

        impl Default for $layer {
            #[doc = $default]
            fn default() -> Self {
                Self::new($number)
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
                cropped(&self.core, self.batch, x, self.cropping.each()).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.batch, self.cropping));
            }
        }
    };
}

cropping! {
    /// Sequences `[batch, steps, channels]` without their first and last steps.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Cropping1D;
    /// let x = tf::constant([1.0, 2.0, 3.0, 4.0]).reshape([1, 4, 1]);
    /// assert_eq!(Cropping1D::new([1, 2]).call(&x).to_vec::<f32>(), [2.0]);
    /// ```
    Cropping1D("cropping1d", 1), forms "one number for both sides, or `[before, behind]`", default 1 "Keras's default: one step on each side."
}

cropping! {
    /// Images `[batch, rows, columns, channels]` without a margin.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Cropping2D;
    /// assert_eq!(Cropping2D::new([[2, 1], [0, 3]]).call(tf::ones([1, 8, 8, 3])).shape(), [1, 5, 5, 3]);
    /// ```
    Cropping2D("cropping2d", 2), forms "one number for all sides, `[rows, columns]`, or `[[top, bottom], [left, right]]`", default 0 "Keras's default: nothing is taken away."
}

cropping! {
    /// Volumes `[batch, planes, rows, columns, channels]` without a margin.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Cropping3D;
    /// assert_eq!(Cropping3D::new([1, 2, 3]).call(tf::ones([1, 8, 8, 8, 3])).shape(), [1, 6, 4, 2, 3]);
    /// ```
    Cropping3D("cropping3d", 3), forms "one number for all sides, one for each axis, or `[before, behind]` for each axis", default 1 "Keras's default: one row on each side of each axis."
}

data_format_option!(Cropping2D);
data_format_option!(Cropping3D);

/// The input without margins, of which something must be left.
#[track_caller]
fn cropped(core: &Core, batch: Batch, x: &Tensor, margins: impl Iterator<Item = [usize; 2]>) -> Result<Tensor> {
    let mut begin = vec![Dim::ZERO; x.rank()];
    let mut sizes = x.shape().sizes().to_vec();
    for (at, [before, behind]) in margins.enumerate() {
        let axis = batch.first() + at;
        let own = x.shape().dim(axis);
        if own.known_value().is_some_and(|own| own <= before + behind) {
            let expected = format!("more than {before} + {behind} in dimension {axis}");
            return Err(misfit(core.name(), "nothing would be left of the input", x.ty(), expected));
        }
        begin[axis] = Dim::known(before);
        sizes[axis] = own - (before + behind);
    }
    engine::try_slice(x, Shape::from_dims(&begin)?, Shape::from_dims(&sizes)?)
}
