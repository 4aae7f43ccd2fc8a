//! What Keras has beside layers and models: its small data sets, from files that the user has.
//! Users find it under `tf::keras`.

pub mod datasets;
pub(crate) mod shuffle;
