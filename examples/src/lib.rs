//! What the examples share: pictures of training curves.
//! Each example lies in a folder of its own beside this one.

pub mod plot;
