//! Layers that bring values to a common mean and variance, or vectors to a common length.
//! Keras's layers of these names; `scaled` has what those with a factor and an offset share.

mod adapted;
mod batch;
mod batch_moments;
mod batch_renorm;
mod group;
mod layer;
mod rms;
mod scaled;
mod spectral;
mod unit;

pub use adapted::Normalization;
pub use batch::BatchNormalization;
pub use group::GroupNormalization;
pub use layer::LayerNormalization;
pub use rms::RMSNormalization;
pub use spectral::SpectralNormalization;
pub use unit::UnitNormalization;

/// What stands for the axes of an option: a number, or several; negative ones count from the last axis. `()` is none.
pub trait IntoAxisList {
    /// The axes.
    fn into_list(self) -> Vec<isize>;
}

impl IntoAxisList for isize {
    fn into_list(self) -> Vec<isize> {
        vec![self]
    }
}

impl IntoAxisList for () {
    fn into_list(self) -> Vec<isize> {
        Vec::new()
    }
}

impl<const N: usize> IntoAxisList for [isize; N] {
    fn into_list(self) -> Vec<isize> {
        self.to_vec()
    }
}

impl IntoAxisList for Vec<isize> {
    fn into_list(self) -> Vec<isize> {
        self
    }
}
