//! CUDA text from the scalar language.
