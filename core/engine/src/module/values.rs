//! What may be a field of a module: variables, tensors, settings, pointers and collections of them.
//! The derived `visit` reaches them through [`Fields`].

use super::{Fields, Module};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::dtype::DType;
use kernels::shape::{Dim, Shape};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

impl Module for Variable {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.variable(self);
    }
}

impl Module for Tensor {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.tensor(self);
    }
}

macro_rules! settings {
    ($($t:ty),*) => {$(
        impl Module for $t {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.value(self);
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
        }
    )*};
}

floats!(f32, f64, crate::f16, crate::bf16);

macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<T: Module + ?Sized> Module for $t {
            fn visit(&self, fields: &mut Fields<'_>) {
                fields.pointed(&**self);
            }
        }
    )*};
}

pointers!(Box<T>, std::rc::Rc<T>, Arc<T>, &T, &mut T);

impl<T: ?Sized> Module for std::marker::PhantomData<T> {
    fn visit(&self, _: &mut Fields<'_>) {}
}

impl<T: Module> Module for Option<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.structure(&self.is_some());
        if let Some(value) = self {
            value.visit(fields);
        }
    }
}

impl<T: Module> Module for OnceLock<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.structure(&self.get().is_some());
        if let Some(value) = self.get() {
            value.visit(fields);
        }
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
}

impl<T: Copy + Module> Module for std::cell::Cell<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.get().visit(fields);
    }
}

impl<T: Module> Module for [T] {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.structure(&self.len());
        for (i, item) in self.iter().enumerate() {
            fields.item(i, item);
        }
    }
}

impl<T: Module> Module for Vec<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.as_slice().visit(fields);
    }
}

impl<T: Module, const N: usize> Module for [T; N] {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.as_slice().visit(fields);
    }
}

impl<K: fmt::Display, T: Module> Module for BTreeMap<K, T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.structure(&self.len());
        for (key, item) in self {
            let name = key.to_string();
            fields.structure(&name);
            fields.field(&name, item);
        }
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Module),*> Module for ($($name,)*) {
            fn visit(&self, fields: &mut Fields<'_>) {
                $(fields.item($index, &self.$index);)*
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
