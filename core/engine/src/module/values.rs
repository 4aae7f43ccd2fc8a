//! What may be a field of a module: variables, tensors, settings, pointers and collections of them.
//! The derived `visit` reaches them through [`Fields`].

use super::{Fields, Module};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::dtype::DType;
use kernels::shape::{Dim, Shape};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

impl Module for Variable {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.variable(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

impl Module for Tensor {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.tensor(self);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

macro_rules! settings {
    ($($t:ty),*) => {$(
        impl Module for $t {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.value(self);
            }
            fn module_name(&self) -> Option<&'static str> {
                None
            }
        }
    )*};
}

settings!(bool, char, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, str, String, DType, Shape, Dim);
settings!((), std::num::NonZeroUsize, std::time::Duration, std::path::Path, std::path::PathBuf);

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Module for $t {
            fn visit(&self, fields: &mut Fields<'_>) {
                // By bits: a nan is the same setting as before, and -0.0 is another one than 0.0.
                fields.value(&self.to_bits());
            }
            fn module_name(&self) -> Option<&'static str> {
                None
            }
        }
    )*};
}

floats!(f32, f64, crate::f16, crate::bf16);

macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<T: Module + ?Sized> Module for $t {
            fn visit(&self, fields: &mut Fields<'_>) {
                (**self).visit(fields);
            }
            fn module_name(&self) -> Option<&'static str> {
                (**self).module_name()
            }
        }
    )*};
}

pointers!(Box<T>, std::rc::Rc<T>, Arc<T>, &T, &mut T);

impl<T: ?Sized> Module for std::marker::PhantomData<T> {
    fn visit(&self, _: &mut Fields<'_>) {}
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

impl<T: Module> Module for Option<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.is_some());
        if let Some(value) = self {
            value.visit(fields);
        }
    }
    fn module_name(&self) -> Option<&'static str> {
        self.as_ref()?.module_name()
    }
}

impl<T: Module> Module for OnceLock<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.get().is_some());
        if let Some(value) = self.get() {
            value.visit(fields);
        }
    }
    fn module_name(&self) -> Option<&'static str> {
        self.get()?.module_name()
    }
}

impl<T: Module> Module for Mutex<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        match fields.looks_on() {
            // The function under way may hold the lock.
            true => drop(self.try_lock().map(|value| value.visit(fields))),
            false => self.lock().unwrap_or_else(PoisonError::into_inner).visit(fields),
        }
    }
    fn module_name(&self) -> Option<&'static str> {
        self.lock().unwrap_or_else(PoisonError::into_inner).module_name()
    }
}

impl<T: Copy + Module> Module for std::cell::Cell<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.get().visit(fields);
    }
    fn module_name(&self) -> Option<&'static str> {
        self.get().module_name()
    }
}

impl<T: Module> Module for [T] {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.len());
        for (i, item) in self.iter().enumerate() {
            fields.item(i, item);
        }
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

impl<T: Module> Module for Vec<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.as_slice().visit(fields);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

impl<T: Module, const N: usize> Module for [T; N] {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.as_slice().visit(fields);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}
