//! Poolings: the largest value or the mean of windows or of whole inputs, channel by channel; Keras's layers of these names.
//! Models put them between convolutions; they have no variables.

mod adaptive;
mod global;
mod windowed;

pub use adaptive::{
    AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveAveragePooling3D, AdaptiveMaxPooling1D,
    AdaptiveMaxPooling2D, AdaptiveMaxPooling3D,
};
pub use global::{
    GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D, GlobalMaxPooling1D, GlobalMaxPooling2D,
    GlobalMaxPooling3D,
};
pub use windowed::{AveragePooling1D, AveragePooling2D, AveragePooling3D, MaxPooling1D, MaxPooling2D, MaxPooling3D};

use super::second_names;

second_names! {
    MaxPool1D = MaxPooling1D;
    MaxPool2D = MaxPooling2D;
    MaxPool3D = MaxPooling3D;
    AvgPool1D = AveragePooling1D;
    AvgPool2D = AveragePooling2D;
    AvgPool3D = AveragePooling3D;
    GlobalMaxPool1D = GlobalMaxPooling1D;
    GlobalMaxPool2D = GlobalMaxPooling2D;
    GlobalMaxPool3D = GlobalMaxPooling3D;
    GlobalAvgPool1D = GlobalAveragePooling1D;
    GlobalAvgPool2D = GlobalAveragePooling2D;
    GlobalAvgPool3D = GlobalAveragePooling3D;
}
