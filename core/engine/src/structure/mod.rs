//! The structure of user values as traces see it: tensors at leaves, fields by name, and places where state lies.
//! Arguments of traced functions, the state of branches and loops, and their results are taken apart and put together with it.

pub(crate) mod instance;
pub(crate) mod leaves;
pub(crate) mod list;
pub(crate) mod nest;
pub(crate) mod place;
pub(crate) mod referents;
pub(crate) mod state_vtable;

pub(crate) use instance::type_id;
pub use instance::{Instance, Thunk, instance, never};
pub(crate) use leaves::LeafSink;
pub use leaves::Leaves;
pub(crate) use nest::visit_slice;
pub use nest::{ByType, Nest, NoStructure};
pub use place::{Place, place, place_ref, unset};
pub use referents::{Referents, unless};
pub(crate) use state_vtable::{BoxedState, Kind};
pub use state_vtable::{Probe, Slot, StateVtable, errors_given_back, result};
