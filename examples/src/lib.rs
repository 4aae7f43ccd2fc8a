//! What the examples share: options of the command line, a text as numbers, and pictures of curves.
//! Each example lies in a folder of its own beside this one.

pub mod command_line;
pub mod plot;
pub mod text;
