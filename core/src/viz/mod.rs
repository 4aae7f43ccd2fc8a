//! Pictures of trainings, images and results as PNG files, drawn without fonts or libraries of the system. All but [`graph`] needs the
//! feature `viz`, which is off by default:
//!
//! ```toml
//! [dependencies]
//! eagerflow = { version = "0.1", features = ["viz"] }
//! ```
//!
//! [`History::plot`](crate::training::History::plot) draws all curves of a training, [`line`](fn@line) those that a program has itself,
//! [`graph`] writes a traced function in Graphviz' language, with sizes and times; [`grid`] draws a batch of images, [`confusion`] how often classes were taken for others. Each file is written under another name and gets its own when
//! it is whole, so that a viewer sees the old picture or the new one. Titles and names have the printable characters of ASCII; others are
//! drawn as boxes.

#[cfg(feature = "viz")]
mod axis;
#[cfg(feature = "viz")]
mod chart;
#[cfg(feature = "viz")]
mod confusion;
#[cfg(feature = "viz")]
mod font;
mod graph;
#[cfg(feature = "viz")]
mod grid;
#[cfg(feature = "viz")]
mod history;
#[cfg(feature = "viz")]
mod line;
#[cfg(feature = "viz")]
mod pen;
#[cfg(feature = "viz")]
mod picture;

#[cfg(feature = "viz")]
pub use confusion::{confusion, try_confusion};
pub use graph::{graph, try_graph};
#[cfg(feature = "viz")]
pub use grid::{Grid, grid, try_grid};
#[cfg(feature = "viz")]
pub use line::{Curve, line, try_line};
