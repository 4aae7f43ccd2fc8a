//! Everything that the code made by `#[tf_function]` and `#[derive(Nest)]` names, and nothing else does.
//! Hidden from the documentation as `eagerflow::__rt`.

pub use super::call::Call;
pub use super::dispatch::{
    Arg, Cmp, Cond, Condition, Flag, Host, HostTruth, Iterated, LendingTruth, Logic, Message, Print, Save, Saved,
    Shown, Stream, Written, assert, condition, flag, flag_and, flag_not, flag_or, flag_table, flag_xor, guard, lending,
    save_flag, shown_flag,
};
pub use super::function_body::Fun;
pub use super::if_stmt::{Else, End, If};
pub use super::skipped_fields::Skips;
pub use super::while_stmt::{Next, Test, While};
pub use crate::function::declared::{Declared, Size, Spec};
pub use crate::function::{Function, Options};
pub use crate::structure::list::List;
pub use crate::structure::{
    ByType, Leaves, Nest, NoStructure, Place, Probe, Referents, Slot, StateVtable, Thunk, instance, never, place,
    place_ref, result, unless, unset,
};
pub use crate::tensor::Tensor;
pub use kernels::dtype::DType;

/// The traits whose methods are found by auto-reference; generated functions import them without names.
pub mod tiers {
    pub use crate::autograph::dispatch::tiers::*;
    pub use crate::autograph::skipped_fields::{WatchModule as _, WatchNothing as _};
}
