//! Layers, losses, metrics, optimizers and their like against the numbers of real Keras 3, which `tests/golden/keras_*.py` wrote.
//! `cargo test -p eagerflow-tests --test keras` runs it; a class without a row fails.

mod coverage;
mod layer_rows;
mod layers_core;
mod layers_merge;
mod layers_noise;
mod layers_norm;
mod layers_preprocessing;
mod layers_rectifiers;
mod layers_shape;
mod mask_rows;
mod masks;
mod numbers;
mod objects;
