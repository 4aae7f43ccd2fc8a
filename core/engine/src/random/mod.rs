//! `tf::random`: random tensors from the global state, from generators and from seeds, with TensorFlow's very numbers.
//! User code calls it, and the layers' initialisers; the numbers themselves come from `ops/random_draw`.

mod bounded;
mod generator;
mod global;
mod global_parameters;
mod parameters;
mod seed_generator;
mod stateless;
mod streams;
#[cfg(test)]
pub(crate) mod tests;

pub use crate::ops::functions::{random_index_shuffle, try_random_index_shuffle};
pub use bounded::{stateless_parameterized_truncated_normal, try_stateless_parameterized_truncated_normal};
pub use generator::{Generator, get_global_generator, set_global_generator};
pub use global::{
    normal, set_seed, shuffle, truncated_normal, try_normal, try_shuffle, try_truncated_normal, try_uniform,
    try_uniform_int, uniform, uniform_int,
};
pub use global_parameters::{categorical, gamma, poisson, try_categorical, try_gamma, try_poisson};
pub use parameters::{
    stateless_binomial, stateless_categorical, stateless_gamma, stateless_poisson, try_stateless_binomial,
    try_stateless_categorical, try_stateless_gamma, try_stateless_poisson,
};
pub use seed_generator::SeedGenerator;
pub use stateless::{
    IntoSeed, fold_in, index_shuffle, split, stateless_normal, stateless_shuffle, stateless_truncated_normal,
    stateless_uniform, stateless_uniform_full_int, stateless_uniform_int, try_fold_in, try_split, try_stateless_normal,
    try_stateless_shuffle, try_stateless_truncated_normal, try_stateless_uniform, try_stateless_uniform_full_int,
    try_stateless_uniform_int,
};
pub(crate) use streams::data_seed;
#[doc(hidden)]
pub use streams::layer_seed;
pub use streams::{GlobalState, global};
pub(crate) use streams::{Snapshot, Words};
