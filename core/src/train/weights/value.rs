//! One value of a safetensors file: its type, how it is turned and converted, and the variable that it is for, made or not.
//! `WeightsLoader` compares values with a model, and reads those that fit.

use engine::library::{DeferredValue, cast_to, tensor_of_bytes};
use engine::{LazyVariable, Tensor, TensorType, Variable};
use formats::safetensors::{Safetensors, Stored};
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::path::Path;
use std::sync::Arc;

/// Where a value goes.
#[derive(Clone)]
pub(super) enum Target {
    Variable(Variable),
    Place(LazyVariable),
}

/// A value of the file, as it will be used.
#[derive(Clone)]
pub(super) struct Value {
    pub name: String,
    pub ty: TensorType,
    pub axes: Option<Vec<usize>>,
    /// Whether it may be converted to another floating dtype.
    pub cast: bool,
}

pub(super) fn type_of(stored: &Stored, name: &str, path: &Path) -> Result<TensorType> {
    let dtype = stored.dtype().ok_or_else(|| {
        Error::unimplemented(path.display().to_string(), "no tensor has the dtype of a value of the file")
            .got(format!("{} of `{name}`", stored.dtype_name()))
    })?;
    let dims: Vec<usize> = stored.shape().iter().map(|&n| n as usize).collect();
    Ok(TensorType::new(dtype, Shape::new(&dims).map_err(|e| e.variable(name))?))
}

impl Value {
    /// The sizes after the axes are turned; none where there are not as many.
    fn turned(&self) -> Option<Vec<usize>> {
        let dims = self.ty.shape.dims();
        match &self.axes {
            None => Some(dims.to_vec()),
            Some(axes) if axes.len() == dims.len() => Some(axes.iter().map(|&axis| dims[axis]).collect()),
            Some(_) => None,
        }
    }

    pub fn turned_text(&self) -> String {
        match (&self.axes, self.turned()) {
            (Some(_), Some(dims)) => format!("{}{dims:?} when turned", self.ty.dtype),
            (Some(axes), None) => format!("{}, which cannot be turned by {axes:?}", self.ty),
            _ => self.ty.to_string(),
        }
    }

    /// The type that a target wants instead, where the value does not fit. That of a layer to be built is told when it is.
    pub fn misfit(&self, target: &Target) -> Option<String> {
        let Target::Variable(variable) = target else { return None };
        let ty = TensorType::new(variable.dtype(), variable.shape());
        (!self.fits(&ty)).then(|| ty.to_string())
    }

    fn fits(&self, ty: &TensorType) -> bool {
        let converts = self.cast && ty.dtype.is_floating() && self.ty.dtype.is_floating();
        (ty.dtype == self.ty.dtype || converts) && self.turned().is_some_and(|dims| dims == ty.shape.dims())
    }

    /// Whether the bytes of the file are the bytes of a variable.
    pub fn is_plain(&self, variable: &Variable) -> bool {
        self.axes.is_none() && self.ty.dtype == variable.dtype()
    }

    /// The value for a variable of this type.
    pub fn read(&self, file: &Safetensors, ty: &TensorType) -> Result<Tensor> {
        let read = tensor_of_bytes(&self.ty, |bytes| file.read_into(&mut [(&self.name, bytes)], 0))?;
        let turned = match &self.axes {
            Some(axes) => engine::try_transpose(&read, axes.iter().map(|&axis| axis as isize).collect::<Vec<isize>>())?,
            None => read,
        };
        cast_to(&turned, ty.dtype)
    }
}

/// A value for a variable that a layer will make.
pub(super) struct WaitingWeight {
    pub file: Arc<Safetensors>,
    pub value: Value,
}

impl DeferredValue for WaitingWeight {
    fn value(&self, label: &str, ty: &TensorType) -> Result<Tensor> {
        if !self.value.fits(ty) {
            return Err(Error::invalid_argument("load_weights", "a loaded value does not fit its variable")
                .got(format!("`{}` is {}", self.value.name, self.value.turned_text()))
                .expected(ty)
                .variable(label));
        }
        self.value.read(&self.file, ty)
    }

    fn taken(&self, _: &Variable) {}
}
