//! Control flow as functions: branches, loops and loops over rows that are given closures, TensorFlow's `tf.cond` and its kin.
//! Users call them; each runs its closures at once, or records them as parts of the graph where a function is traced.

mod branches;
mod case;
mod concrete;
mod cond;
mod fold;
mod host_function;
mod host_operation;
mod map_fn;
mod parts;
mod recompute_grad;
mod rows;
mod switch_case;
mod tensor_spec;
mod while_loop;

pub use branches::{Branches, Cases};
pub use case::case;
pub use concrete::{ConcreteFunction, get_concrete_function, try_get_concrete_function};
pub use cond::cond;
pub use fold::{FirstRow, Initializer, foldl, foldr, scan};
pub use host_function::{host_function, host_function_with_gradient};
pub use map_fn::map_fn;
pub use recompute_grad::recompute_grad;
pub use switch_case::{switch_case, switch_case_with_default};
pub use tensor_spec::TensorSpec;
pub use while_loop::while_loop;
