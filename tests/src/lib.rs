//! Shared helpers of the `tests` package.
