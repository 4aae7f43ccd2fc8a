//! Shared helpers of the `examples` package.
