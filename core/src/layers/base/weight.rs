//! A variable of a layer, with what it starts as, what its size adds to the loss, and what it is kept within.
//! Layers have one for each variable and make it when the first input tells its shape.

use super::Core;
use crate::constraints::Constraint;
use crate::initializers::Initializer;
use crate::regularizers::Regularizer;
use crate::shared::Shared;
use engine::library::{VariableConstraint, constraint_of, set_constraint, set_regularizer};
use engine::{Copies, Duplicate, Fields, LazyVariable, Module, TensorType, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::sync::Arc;

/// A variable of a layer that is made when its shape is known.
#[derive(Clone, Debug)]
pub struct Weight {
    place: LazyVariable,
    name: &'static str,
    pub(crate) initializer: Shared<dyn Initializer>,
    pub(crate) regularizer: Option<Shared<dyn Regularizer>>,
    pub(crate) constraint: Option<Shared<dyn Constraint>>,
    trainable: bool,
}

impl Weight {
    /// A variable of a name that starts as the library's initializer of a name makes it.
    pub(crate) fn new(name: &'static str, initializer: impl Initializer + 'static) -> Self {
        let type_name = std::any::type_name_of_val(&initializer);
        let initializer = Shared::new(Arc::new(initializer) as Arc<dyn Initializer>, type_name);
        Self { place: LazyVariable::new(), name, initializer, regularizer: None, constraint: None, trainable: true }
    }

    /// A variable that is not trained, such as a running mean.
    pub(crate) fn fixed(name: &'static str, initializer: impl Initializer + 'static) -> Self {
        Self { trainable: false, ..Self::new(name, initializer) }
    }

    /// A variable of the same options that is not made yet.
    pub(crate) fn anew(&self) -> Self {
        Self { place: LazyVariable::new(), ..self.clone() }
    }

    /// The variable, once it is made.
    pub fn get(&self) -> Option<&Variable> {
        self.place.get()
    }

    /// The variable, made of a shape if this is the first time.
    ///
    /// # Errors
    /// InvalidArgument for dtypes without gradients, or where the initializer does not make the shape.
    #[track_caller]
    pub(crate) fn make(&self, core: &Core, shape: &[usize]) -> Result<&Variable> {
        if let Some(variable) = self.place.get() {
            return Ok(variable);
        }
        let dtype = core.policy().checked(core.name())?.variable_dtype();
        self.make_of(core, dtype, shape)
    }

    /// As [`make`](Self::make), of a dtype of its own, such as a number that counts.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    #[track_caller]
    pub(crate) fn make_of(&self, core: &Core, dtype: DType, shape: &[usize]) -> Result<&Variable> {
        if let Some(variable) = self.place.get() {
            return Ok(variable);
        }
        self.make_with(core, dtype, shape, |ty| self.initializer.make(ty))
    }

    #[track_caller]
    fn make_with(
        &self,
        core: &Core,
        dtype: DType,
        shape: &[usize],
        initial: impl Fn(&TensorType) -> Result<engine::Tensor>,
    ) -> Result<&Variable> {
        let ty = TensorType::new(dtype, Shape::new(shape)?);
        let name = format!("{}/{}", core.name(), self.name);
        let initial = || self.checked(initial(&ty)?, &ty);
        let variable = match self.trainable {
            true => self.place.get_or_create(&name, &ty, initial)?,
            false => self.place.get_or_build(|| Ok(Variable::with(initial()?, name, false)))?,
        };
        if let Some(regularizer) = &self.regularizer {
            set_regularizer(variable, Arc::new(regularizer.clone()));
        }
        if let Some(constraint) = &self.constraint
            && constraint_of(variable).is_none()
        {
            set_constraint(variable, Arc::new(Kept(constraint.clone())))?;
        }
        Ok(variable)
    }

    /// As [`make`](Self::make), of a kernel whose axes of inputs and outputs are not those of a dense layer.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    #[track_caller]
    pub(crate) fn make_between(&self, core: &Core, shape: &[usize], axes: [&[usize]; 2]) -> Result<&Variable> {
        if let Some(variable) = self.place.get() {
            return Ok(variable);
        }
        let dtype = core.policy().checked(core.name())?.variable_dtype();
        self.make_with(core, dtype, shape, |ty| self.initializer.make_between(ty, axes[0], axes[1]))
    }

    #[track_caller]
    fn checked(&self, value: engine::Tensor, ty: &TensorType) -> Result<engine::Tensor> {
        match engine::library::Typed::ty(&value) == ty {
            true => Ok(value),
            false => Err(Error::invalid_argument(
                self.initializer.name(),
                "the initializer gave another type than it was asked for",
            )
            .got(engine::library::Typed::ty(&value))
            .expected(ty)),
        }
    }

    /// What of it counts in a signature beside the variable.
    fn word(&self) -> (u64, Option<u64>, Option<u64>) {
        let (regularizer, constraint) = (self.regularizer.as_ref(), self.constraint.as_ref());
        (self.initializer.word(), regularizer.map(Shared::word), constraint.map(Shared::word))
    }
}

/// A constraint as optimizers ask for it.
#[derive(Debug)]
struct Kept(Shared<dyn Constraint>);

impl VariableConstraint for Kept {
    fn project(&self, value: &engine::Tensor) -> Result<engine::Tensor> {
        self.0.project(value)
    }
}

impl Duplicate for Weight {
    fn duplicate_in(&self, copies: &mut Copies) -> Self {
        Self { place: self.place.duplicate_in(copies), ..self.clone() }
    }
}

impl Module for Weight {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.word());
        self.place.visit(fields);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
