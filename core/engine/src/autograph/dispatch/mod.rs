//! Decides by the types of values what generated code means: a tensor's comparison is a tensor, a number's is a `bool`.
//! Stable Rust has no specialisation, so each question is a method found on as many references as its best answer takes.

mod arguments;
mod assertion;
mod compare;
mod condition;
mod exclusive;
mod flag;
mod instance;
mod iterate;
mod leaves;
mod logic;
mod nest;
mod place;
mod print;
mod referents;
mod save;
mod state_vtable;
#[cfg(test)]
mod tests;

pub use arguments::Arg;
pub use assertion::assert;
pub(crate) use assertion::fail_in_graph;
pub use compare::Cmp;
pub(crate) use condition::CondValue;
pub use condition::{Cond, Condition, Host, HostTruth, LendingTruth, condition, guard, lending};
pub use exclusive::Written;
pub(crate) use exclusive::Wrote;
pub use flag::{Flag, flag, flag_and, flag_not, flag_or, flag_table, flag_xor, save_flag, shown_flag};
pub(crate) use instance::type_id;
pub use instance::{Instance, Thunk, instance, never};
pub use iterate::Iterated;
pub(crate) use leaves::LeafSink;
pub use leaves::Leaves;
pub use logic::Logic;
pub use nest::Nest;
pub(crate) use nest::visit_slice;
pub use place::{Place, place, place_ref, unset};
pub use print::{Message, Print, Shown, Stream};
pub use referents::{Lent, unless};
pub use save::{Save, Saved};
pub(crate) use state_vtable::{Kept, Kind};
pub use state_vtable::{Probe, Slot, Table, result};

/// The traits of the tiers, without names: glob imports of them cannot clash with the user's.
pub mod tiers {
    pub use super::arguments::{
        AnyArgument as _, HashArgument as _, ModuleArgument as _, NestArgument as _, NestReference as _,
    };
    pub use super::assertion::{AssertHost as _, AssertTensors as _};
    pub use super::compare::{EqualHost as _, OrderHost as _, TensorLeft as _, TensorRight as _};
    pub use super::exclusive::{ExclusiveHidden as _, ExclusiveNest as _, ExclusiveOther as _};
    pub use super::iterate::{IterateElements as _, IterateHost as _, IterateRows as _};
    pub use super::print::{ShownHost as _, ShownTensor as _};
    pub use super::referents::tiers::{
        LentClone as _, LentCompared as _, LentDeep as _, LentHidden as _, LentNest as _, LentNothing as _,
        LentOwn as _, LentValue as _,
    };
    pub use super::save::{SaveClone as _, SaveLends as _, SaveNest as _, SaveNothing as _, SaveReference as _};
    pub use super::state_vtable::{
        TableOfAny as _, TableOfClone as _, TableOfCompared as _, TableOfNest as _, TableOfReference as _,
        TableOfReferences as _,
    };
}
