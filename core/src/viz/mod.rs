//! Pictures of trainings, images and results as PNG files, drawn without fonts or libraries of the system. This needs the feature `viz`,
//! which is off by default:
//!
//! ```toml
//! [dependencies]
//! eagerflow = { version = "0.1", features = ["viz"] }
//! ```
//!
//! [`History::plot`](crate::training::History::plot) draws all curves of a training, [`line`](fn@line) those that a program has itself,
//! [`grid`] a batch of images, [`confusion`] how often classes were taken for others. Each file is written under another name and gets its own when
//! it is whole, so that a viewer sees the old picture or the new one. Titles and names have the printable characters of ASCII; others are
//! drawn as boxes.

mod axis;
mod chart;
mod confusion;
mod font;
mod grid;
mod history;
mod line;
mod pen;
mod picture;

pub use confusion::{confusion, try_confusion};
pub use grid::{Grid, grid, try_grid};
pub use line::{Curve, line, try_line};
