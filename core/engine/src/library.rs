//! What the library above asks of the engine, and users have no path to: functions, and methods of types that users see, as traits.
//! Layers, losses, metrics and optimizers call it.

pub use crate::autodiff::{EMPTY, gradient_at, map_gradients, pick_gradients};
pub use crate::execute::{Census, Owner, census, layer_scope, named_scope};
pub use crate::function::described::{DescribedGraph, DescribedInput, DescribedNode, DescribedParam};
pub use crate::function::{Training, begin_training, training, with_training};
pub use crate::graph::plan::profile::{Profiling, Span, StepCost, take_spans, trace_spans};
pub use crate::module::{
    Child, DeferredSlots, DeferredValue, End, Object, ObjectGraph, Prepared, SavedState, SlotName, SlotTable,
    StateReader, StateValue, StateWriter, commit_states, prepare_states, save_states,
};
pub use crate::op::cast_help;
pub use crate::ops::functions::try_diagonal_padding;
pub use crate::ops::strings::{fingerprint, message_of, sip_hash, tensor_of_message};
pub use crate::ops::{
    AdamRule, Arithmetic, Element, Few, Formula, Given, OnHost, OwnLoop, Pool, Rule, Windows, apply_gradient_descent,
    apply_gradient_descent_rows, apply_rule, images_help, on_host, ones_of, zeros_of,
};
pub use crate::options;
pub use crate::random::layer_seed;
pub use crate::structure::errors_given_back;
pub use crate::tape::{Cotangent, IdMap};
pub use crate::tensor::{mask_of, set_mask};
pub use crate::variable::{
    HostBytes, VariableConstraint, constraint_of, overwrite, set_constraint, tensor_of_bytes, value_of,
};
pub use kernels::error::OrFail;

use crate::module::{Fields, LazyVariable};
use crate::ops::{self, PerAxis, Sliding};
use crate::tensor::strings::Strings;
use crate::tensor::{Tensor, TensorType};
use crate::variable::Variable;
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::Shape;
use std::any::Any;
use std::sync::{Arc, Weak};

/// A tensor in another dtype; the same handle if it has it.
#[track_caller]
pub fn cast_to(x: &Tensor, dtype: DType) -> Result<Tensor> {
    ops::cast_to(x, dtype)
}

/// A scalar string of any bytes: what sources that read files give for each record.
#[track_caller]
pub fn string_of(bytes: &[u8]) -> Result<Tensor> {
    Tensor::of_string(bytes)
}

/// The same elements under a shape; the same handle if it has it.
#[track_caller]
pub fn reshape_to(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    ops::reshape_to(x, shape)
}

/// A number repeated over a type.
#[track_caller]
pub fn fill_with(ty: &TensorType, value: f64) -> Result<Tensor> {
    ops::fill_with(ty, value)
}

/// The axes as they were listed; `None` for all.
pub fn listed_axes(axes: &ops::Axes) -> Option<&[isize]> {
    axes.listed()
}

/// The convolution of a layer over so many spatial axes, which knows the number of groups also where the channels are not known.
#[track_caller]
pub fn conv_in_groups(axes: usize, x: &Tensor, w: &Tensor, how: &Sliding, groups: usize) -> Result<Tensor> {
    ops::conv_in_groups(axes, x, w, how, groups)
}

/// Whether a tensor is a value of a graph that is being recorded.
pub fn is_recorded(x: &Tensor) -> bool {
    x.is_symbol()
}

/// Shows each string of a tensor in row-major order, without a copy.
///
/// # Errors
/// InvalidArgument for a tensor of another dtype, and what `visit` answers.
pub fn each_string(x: &Tensor, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    Strings::of(x, "each_string")?.each(visit)
}

/// What messages say of a tensor.
pub trait Typed {
    /// Its dtype and sizes.
    fn ty(&self) -> &TensorType;
}

impl Typed for Tensor {
    fn ty(&self) -> &TensorType {
        Tensor::ty(self)
    }
}

/// What messages call a variable.
pub trait Named {
    /// Its name, its path in a module, or the line that made it.
    fn label(&self) -> String;
    /// The same in the middle of a sentence.
    fn wording(&self) -> String;
}

impl Named for Variable {
    fn label(&self) -> String {
        Variable::label(self)
    }

    fn wording(&self) -> String {
        Variable::wording(self)
    }
}

/// Numbers along spatial axes, as layers keep them.
pub trait Along: Sized {
    /// A number for each of so many axes, all at least `least`.
    ///
    /// # Errors
    /// InvalidArgument of the layer that says what is wrong with `what`.
    fn along(self, layer: &str, what: &str, axes: usize, least: i64) -> Result<Self>;

    /// The numbers that were given.
    fn numbers(&self) -> &[i64];
}

impl Along for PerAxis {
    fn along(self, layer: &str, what: &str, axes: usize, least: i64) -> Result<Self> {
        PerAxis::along(self, layer, what, axes, least)
    }

    fn numbers(&self) -> &[i64] {
        PerAxis::numbers(self)
    }
}

/// Tells a module's fields of the values that an optimizer keeps for variables. They count by the number of their table: making
/// some changes no signature.
pub fn visit_slots(fields: &mut Fields<'_>, slots: &Arc<dyn SlotTable>) {
    fields.slots(slots);
}

/// Leaves the value of a checkpoint for a variable that a layer will make; answers the variable where it is made already.
pub fn defer(place: &LazyVariable, value: Arc<dyn DeferredValue>) -> Option<&Variable> {
    place.defer(value)
}

/// The value of a checkpoint that waits for a variable which a layer will make.
pub fn waiting(place: &LazyVariable) -> Option<Arc<dyn DeferredValue>> {
    place.waiting()
}

/// Gives a variable a regularizer, if it has none yet: what a module's losses add for its size.
pub fn set_regularizer(variable: &Variable, regularizer: Arc<dyn Any + Send + Sync>) {
    variable.set_regularizer(regularizer);
}

/// The regularizer of a variable.
pub fn regularizer_of(variable: &Variable) -> Option<&Arc<dyn Any + Send + Sync>> {
    variable.regularizer()
}

/// Whether a variable is frozen, also one that is not meant to be trained: what `set_trainable` of a layer has said.
pub fn is_frozen(variable: &Variable) -> bool {
    variable.is_frozen()
}

/// Tells the trace under way, if there is one, whose a new variable is: the trace must not keep it alive.
pub fn note_owner(variable: &Variable, owner: Weak<dyn Owner>) {
    if let Some(listener) = crate::execute::listener() {
        listener.owned(variable.as_handle(), owner);
    }
}
