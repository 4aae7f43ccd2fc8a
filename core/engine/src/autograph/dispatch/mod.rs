//! Decides by the types of values what generated code means: a tensor's comparison is a tensor, a number's is a `bool`.
//! Stable Rust has no specialisation, so each question is a method found on as many references as its best answer takes.

mod arguments;
mod assertion;
mod compare;
mod condition;
mod exclusive;
mod flag;
mod iterate;
mod logic;
mod print;
mod save;
#[cfg(test)]
mod tests;

pub use arguments::Arg;
pub use assertion::assert;
pub(crate) use assertion::fail_in_graph;
pub use compare::Cmp;
pub(crate) use condition::CondValue;
pub use condition::{Cond, Condition, Host, HostTruth, LendingTruth, condition, guard, lending};
pub use exclusive::Written;
pub use flag::{Flag, flag, flag_and, flag_not, flag_or, flag_table, flag_xor, save_flag, shown_flag};
pub use iterate::Iterated;
pub use logic::Logic;
pub use print::{Message, Print, Shown, Stream};
pub use save::{Save, Saved};

/// The traits of the tiers, without names: glob imports of them cannot clash with the user's.
pub mod tiers {
    pub use super::arguments::{
        AnyArgument as _, HashArgument as _, ModuleArgument as _, NestArgument as _, NestReference as _,
    };
    pub use super::assertion::{AssertHost as _, AssertTensors as _};
    pub use super::compare::{EqualHost as _, OrderHost as _, TensorLeft as _, TensorRight as _};
    pub use super::exclusive::{ExclusiveHidden as _, ExclusiveNest as _, ExclusiveOther as _};
    pub use super::iterate::{IterateHost as _, IterateRows as _};
    pub use super::print::{ShownHost as _, ShownTensor as _};
    pub use super::save::{SaveClone as _, SaveLends as _, SaveNest as _, SaveNothing as _, SaveReference as _};
    pub use crate::structure::referents::tiers::{
        ReferentsClone as _, ReferentsCompared as _, ReferentsDeep as _, ReferentsHidden as _, ReferentsNest as _,
        ReferentsNothing as _, ReferentsOwn as _, ReferentsValue as _,
    };
    pub use crate::structure::state_vtable::{
        StateVtableOfAny as _, StateVtableOfClone as _, StateVtableOfCompared as _, StateVtableOfNest as _,
        StateVtableOfReference as _, StateVtableOfReferences as _,
    };
}
