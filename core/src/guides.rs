//! Guides: how tensors, gradients, functions, models, data, checkpoints, summaries, devices and errors are used, each with examples that run.
//! The crate's first page links to them; the texts lie in `core/guides`.

#[doc = include_str!("../guides/tensors.md")]
pub mod tensors {}

#[doc = include_str!("../guides/gradients.md")]
pub mod gradients {}

#[doc = include_str!("../guides/functions.md")]
pub mod functions {}

#[doc = include_str!("../guides/models.md")]
pub mod models {}

#[doc = include_str!("../guides/datasets.md")]
pub mod datasets {}

#[doc = include_str!("../guides/files.md")]
pub mod files {}
#[doc = include_str!("../guides/images.md")]
pub mod images {}

#[doc = include_str!("../guides/saving.md")]
pub mod saving {}

#[doc = include_str!("../guides/summaries.md")]
pub mod summaries {}

#[doc = include_str!("../guides/devices.md")]
pub mod devices {}

#[doc = include_str!("../guides/errors.md")]
pub mod errors {}
