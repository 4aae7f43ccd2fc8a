//! Layers that add, take away or repeat rows of sequences, images and volumes: `ZeroPadding`, `Cropping`, `UpSampling`.
//! Models fit sizes to each other with them; they have no variables.

mod cropping;
mod enlarge;
mod margins;
mod padding;
mod up_sampling;

pub use cropping::{Cropping1D, Cropping2D, Cropping3D};
pub use enlarge::{Interpolation, IntoInterpolation};
pub use margins::Margins;
pub use padding::{ZeroPadding1D, ZeroPadding2D, ZeroPadding3D};
pub use up_sampling::{UpSampling1D, UpSampling2D, UpSampling3D};
