//! Everything that the code made by `#[tf_function]` and `#[derive(Nest)]` names, and nothing else does.
//! Hidden from the documentation as `eagerflow::__rt`.

pub use super::dispatch::{
    Arg, Cmp, Cond, Condition, Host, HostTruth, Iterated, Leaves, Logic, Nest, Place, Probe, Print, Save, Saved, Shown,
    Slot, Stream, Table, Thunk, assert, condition, guard, instance, never, place, place_ref, result, unset,
};
pub use crate::tensor::Tensor;
pub use super::native::{Call, Else, Fun, Function, If, Next, Options, Test, Then, While};

/// The traits whose methods are found by auto-reference; generated functions import them without names.
pub mod tiers {
    pub use crate::autograph::dispatch::tiers::*;
}
