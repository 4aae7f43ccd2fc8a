//! Shared helpers of the `ui-tests` package.
