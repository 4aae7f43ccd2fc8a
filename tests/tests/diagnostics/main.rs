//! What helps where a model does not learn: reports of gradients, and checks for NaN and infinities.
//! `cargo test -p eagerflow-tests --test diagnostics` runs it.

mod numerics;
mod reports;
