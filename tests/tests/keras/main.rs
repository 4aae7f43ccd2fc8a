//! Layers, losses, metrics, optimizers and their like against the numbers of real Keras 3, which `tests/golden/keras_*.py` wrote.
//! `cargo test -p eagerflow-tests --test keras` runs it; a class without a row fails.

mod attention_facts;
mod coverage;
mod declared;
mod layer_rows;
mod layers_attention;
mod layers_conv;
mod layers_conv_kept;
mod layers_conv_mistakes;
mod layers_core;
mod layers_image_colours;
mod layers_image_parts;
mod layers_images;
mod layers_lookup;
mod layers_merge;
mod layers_noise;
mod layers_norm;
mod layers_preprocessing;
mod layers_rectifiers;
mod layers_recurrent;
mod layers_shape;
mod losses;
mod made_losses;
mod made_metrics;
mod mask_rows;
mod masks;
mod metrics;
mod mistakes;
mod numbers;
mod objects;
mod optimizers;
mod recurrent_facts;
mod schedules;
mod timeseries;
