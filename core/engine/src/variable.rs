//! Variables: shared, changeable tensors that tapes watch and optimizers update.
//! A variable is a resource handle; its reads and writes are operations like any other.

mod memory;

pub use crate::tensor::VariableConstraint;
pub use memory::{HostBytes, overwrite, tensor_of_bytes, value_of};

use crate::constant::IntoTensor;
use crate::execute::{listener, recording};
use crate::ops::{self, AsTensor, Change, Operand, TensorRef, ToOperand};
use crate::tensor::{Resource, Tensor, UNNAMED};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::Shape;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A value that can be changed, TensorFlow's `tf.Variable`.
///
/// Clones share the value. Its dtype and shape stay as they were at the start. It lives as long as a handle to it. Floats lie on the
/// device where operations run when it is made.
///
/// ```
/// use eagerflow as tf;
/// use tf::Variable;
/// let v = Variable::new([1.0, 2.0]);
/// v.assign_add(&tf::constant([10.0, 20.0]));
/// assert_eq!(v.value().to_vec::<f32>(), [11.0, 22.0]);
/// assert_eq!((&v * 2.0).to_vec::<f32>(), [22.0, 44.0]);
/// ```
#[derive(Clone)]
pub struct Variable(Tensor);

impl Variable {
    /// A trainable variable without a name: messages call it by its path in a module, or by the line that makes it here.
    #[track_caller]
    pub fn new(value: impl IntoTensor) -> Self {
        Self::with(value, UNNAMED, true)
    }

    /// A variable with a name, trainable or not.
    #[track_caller]
    pub fn with(value: impl IntoTensor, name: impl Into<String>, trainable: bool) -> Self {
        let value = value.into_tensor();
        if value.is_symbol() {
            Err(made_of_a_symbol(&value)).or_fail()
        }
        // A copy of its own, so that assignments need not copy what the caller still holds.
        let value = value.concrete("variable").and_then(|v| v.to_dense());
        let value = value.and_then(|v| crate::execute::placed(v, true)).or_fail();
        let shape = *value.shape();
        let handle = Resource::handle(name.into(), value, Some(shape), trainable);
        if recording()
            && let Some(listener) = listener()
        {
            listener.made(&handle);
        }
        Self(handle)
    }

    pub(crate) fn from_handle(handle: Tensor) -> Self {
        Self(handle)
    }

    fn resource(&self) -> &Resource {
        match self.0.as_object::<Resource>() {
            Some(resource) => resource,
            // `with` and `from_handle` only take handles of resources.
            None => unreachable!("a variable's handle holds a resource"),
        }
    }

    /// The present value; tapes on this thread watch a trainable variable from here on.
    #[track_caller]
    pub fn value(&self) -> Tensor {
        ops::read_variable(&self.0).or_fail()
    }

    /// The name given at the start; `"variable"` for one without.
    pub fn name(&self) -> &str {
        &self.resource().name
    }

    /// What messages call it: its name, its path in a module, or the line that made it.
    pub(crate) fn label(&self) -> String {
        Resource::label(&self.0)
    }

    /// The same in the middle of a sentence.
    pub(crate) fn wording(&self) -> String {
        Resource::wording(&self.0)
    }

    /// Tells a variable without a name where a module holds it.
    pub(crate) fn note_path(&self, path: impl FnOnce() -> String) {
        self.resource().note_path(path);
    }

    /// Whether tapes watch it by themselves, and lists of trainable variables, which optimizers are given, have it.
    pub fn trainable(&self) -> bool {
        self.resource().trainable()
    }

    /// Whether somebody has frozen it.
    pub(crate) fn is_frozen(&self) -> bool {
        self.resource().is_frozen()
    }

    /// Freezes the variable, or makes it trainable, also one that was not made so.
    ///
    /// A tape does not watch a frozen variable by itself from the next read on; what was read before is followed as it was, and
    /// [`watch`](crate::GradientTape::watch) asks for a gradient all the same. Lists of trainable variables lack it. An optimizer
    /// updates whatever it is given together with a gradient. Traced functions are traced anew for variables that are frozen, and find
    /// their old trace when that is taken back. [`Module::set_trainable`](crate::Module::set_trainable) freezes a whole module.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (w, b) = (tf::Variable::new(3.0), tf::Variable::new(1.0));
    /// w.set_trainable(false);
    /// let tape = tf::GradientTape::new();
    /// let loss = (&w * &b).square();
    /// let slopes = tape.gradient(&loss, &[w.clone(), b.clone()]);
    /// assert!(slopes.get(0).is_none() && slopes.get(1).is_some());
    /// ```
    pub fn set_trainable(&self, trainable: bool) {
        match trainable {
            true => self.resource().set_meant_to_train(),
            false => self.resource().set_frozen(true),
        }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.resource().dtype
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.resource().ty().shape
    }

    /// A number that no other variable of the process has or had.
    pub fn id(&self) -> u64 {
        self.0.id()
    }

    #[track_caller]
    fn change(&self, value: Operand<'_>, change: Change) -> Result<()> {
        let here = Location::caller();
        // No closure asks for the assignment: inside one the caller would be this file.
        let assigned = match value.tensor("assign", self.dtype()) {
            Ok(value) => ops::assign(&self.0, &value, change),
            Err(e) => Err(e),
        };
        assigned.map_err(|e| e.variable(self.label()).at(here))
    }

    /// Replaces the value by another of the same dtype and shape; a plain number takes the variable's dtype.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let count = tf::Variable::new(1.0);
    /// count.assign(4.0);
    /// count.assign_add(tf::constant(0.5));
    /// assert_eq!(count.value().item::<f32>(), 4.5);
    /// ```
    ///
    /// # Panics
    /// As [`try_assign`](Self::try_assign) fails.
    #[track_caller]
    pub fn assign(&self, value: impl ToOperand) {
        self.try_assign(value).or_fail()
    }

    /// Replaces the value.
    ///
    /// # Errors
    /// InvalidArgument for another dtype or shape, or a number that the dtype cannot hold; the value is then unchanged.
    #[track_caller]
    pub fn try_assign(&self, value: impl ToOperand) -> Result<()> {
        self.change(value.to_operand(), Change::Set)
    }

    /// Adds to the value, in place where nobody else holds it.
    ///
    /// # Panics
    /// As [`try_assign_add`](Self::try_assign_add) fails.
    #[track_caller]
    pub fn assign_add(&self, delta: impl ToOperand) {
        self.try_assign_add(delta).or_fail()
    }

    /// Adds to the value.
    ///
    /// # Errors
    /// As [`try_assign`](Self::try_assign).
    #[track_caller]
    pub fn try_assign_add(&self, delta: impl ToOperand) -> Result<()> {
        self.change(delta.to_operand(), Change::Add)
    }

    /// Subtracts from the value, in place where nobody else holds it.
    ///
    /// # Panics
    /// As [`try_assign_sub`](Self::try_assign_sub) fails.
    #[track_caller]
    pub fn assign_sub(&self, delta: impl ToOperand) {
        self.try_assign_sub(delta).or_fail()
    }

    /// Subtracts from the value.
    ///
    /// # Errors
    /// As [`try_assign`](Self::try_assign).
    #[track_caller]
    pub fn try_assign_sub(&self, delta: impl ToOperand) -> Result<()> {
        self.change(delta.to_operand(), Change::Sub)
    }
}

/// Has optimizers project a variable after each step; for the layer that has just made it.
///
/// # Errors
/// FailedPrecondition for a variable that has a constraint already.
pub fn set_constraint(variable: &Variable, constraint: Arc<dyn VariableConstraint>) -> Result<()> {
    match variable.resource().set_constraint(constraint) {
        true => Ok(()),
        false => Err(Error::failed_precondition("constraint", "the variable has a constraint already")
            .expected("one constraint for each variable, set when it is made")
            .variable(variable.label())),
    }
}

/// What optimizers project a variable to, if anything.
pub fn constraint_of(variable: &Variable) -> Option<Arc<dyn VariableConstraint>> {
    variable.resource().constraint().cloned()
}

#[cold]
fn made_of_a_symbol(value: &Tensor) -> Error {
    let made = value.location();
    let what = "a variable is made of a value that is known only when the graph runs";
    Error::failed_precondition("variable", what)
        .got(format!("{}, of {made}", value.ty()))
        .expected("a first value that is there while the function is traced: a variable in a traced function is made once, not in each call")
        .help(
            "make the variable outside, pass it as an argument, and give it the value in the function: `v.assign(&x)`; for a value \
             that changes within one call write `let mut y = x.clone()`",
        )
}

impl AsTensor for Variable {
    #[track_caller]
    fn as_tensor(&self) -> TensorRef<'_> {
        TensorRef::Owned(self.value())
    }
}

impl Variable {
    /// A variable of its own with the same value, name and training.
    pub(crate) fn copied(&self) -> Self {
        let copy = Self::with(self.resource().read(), self.name(), true);
        copy.resource().set_training_of(self.resource());
        if let Some(regularizer) = self.resource().regularizer() {
            copy.resource().set_regularizer(regularizer.clone());
        }
        if let Some(constraint) = self.resource().constraint() {
            copy.resource().set_constraint(constraint.clone());
        }
        copy
    }

    /// Whether it was trainable when it was made.
    pub(crate) fn made_trainable(&self) -> bool {
        self.resource().made_trainable()
    }

    /// Freezes it as part of a module, or takes that back.
    pub(crate) fn set_frozen(&self, frozen: bool) {
        self.resource().set_frozen(frozen);
    }

    /// Gives it a regularizer, as the library above keeps it, if it has none yet.
    pub(crate) fn set_regularizer(&self, regularizer: std::sync::Arc<dyn std::any::Any + Send + Sync>) {
        self.resource().set_regularizer(regularizer);
    }

    /// What adds to a loss for its size, as the library above keeps it.
    pub(crate) fn regularizer(&self) -> Option<&std::sync::Arc<dyn std::any::Any + Send + Sync>> {
        self.resource().regularizer()
    }

    /// The handle of its resource, which tapes and graphs know it by.
    pub(crate) fn as_handle(&self) -> &Tensor {
        &self.0
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.resource().read();
        let name = match self.name() {
            UNNAMED => self.label(),
            name => format!("'{name}'"),
        };
        write!(f, "<Variable {name} shape={} dtype={}>\n{value}", value.shape(), value.dtype())
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.resource().read(), f)
    }
}

#[cfg(test)]
mod tests {
    use crate::{self as tf, Tensor, Variable};

    /// Every operator between a variable, given up or lent, and whatever may stand on the other side.
    macro_rules! operators {
        ($($op:tt)*) => {$(
            let (v, w, x) = (|| Variable::new(7.0), Variable::new(4.0), tf::constant(4.0));
            let plain: f32 = 7.0 $op 4.0;
            let all: [Tensor; 12] = [
                v() $op w.clone(), v() $op &w, &v() $op w.clone(), &v() $op &w,
                v() $op x.clone(), v() $op &x, &v() $op x.clone(), &v() $op &x,
                v() $op 4.0, v() $op 4, &v() $op 4.0, &v() $op 4,
            ];
            let turned: f32 = 4.0 $op 7.0;
            let right: [Tensor; 8] = [
                x.clone() $op v(), &x $op v(), x.clone() $op &v(), &x $op &v(),
                4.0 $op v(), 4.0 $op &v(), 4 $op v(), 4 $op &v(),
            ];
            assert!(all.iter().all(|y| y.item::<f32>() == plain), stringify!($op));
            assert!(right.iter().all(|y| y.item::<f32>() == turned), stringify!($op));
        )*};
    }

    #[test]
    fn operators_take_variables_on_either_side_given_up_or_lent() {
        operators!(+ - * / %);
        assert_eq!((-Variable::new(2.0)).item::<f32>(), (-&Variable::new(2.0)).item::<f32>());
        assert!(!(!Variable::with(true, "truth", false)).item::<bool>());
        let v = Variable::new([1.0, 2.0]);
        let tape = tf::GradientTape::new();
        let y = v.clone() * v.clone();
        assert_eq!(tape.gradient(&y, &v).to_vec::<f32>(), [2.0, 4.0]);
        let mut x = tf::ones(2);
        x += v.clone();
        assert_eq!(x.to_vec::<f32>(), [2.0, 3.0]);
    }
}
