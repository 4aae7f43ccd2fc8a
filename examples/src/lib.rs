//! What the examples share: the handwritten digits that come along with the source.
//! Each example lies in a folder of its own beside this one.

pub mod digits;
