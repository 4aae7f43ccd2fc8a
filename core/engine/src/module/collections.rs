//! Collections, cells and long tuples as fields of modules: what [`values`](super::values) has for the plain ones.
//! The derived `visit` reaches them through [`Fields`].

use super::{Fields, Module};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// Items by their numbers.
fn items<'a, T: Module + 'a>(fields: &mut Fields<'_>, count: usize, all: impl Iterator<Item = &'a T>) {
    fields.value(&count);
    for (i, item) in all.enumerate() {
        fields.item(i, item);
    }
}

/// Items by what their keys are displayed as.
fn entries<'a, K: fmt::Display + 'a, T: Module + 'a>(
    fields: &mut Fields<'_>,
    count: usize,
    all: impl Iterator<Item = (&'a K, &'a T)>,
) {
    fields.value(&count);
    for (key, item) in all {
        let name = key.to_string();
        fields.value(&name);
        fields.field(&name, item);
    }
}

macro_rules! collections {
    ($([$($generics:tt)*] $t:ty: |$this:ident, $fields:ident| $visit:expr;)*) => {$(
        impl<$($generics)*> Module for $t {
            fn visit(&self, $fields: &mut Fields<'_>) {
                let $this = self;
                $visit
            }
            fn module_name(&self) -> Option<&'static str> {
                None
            }
        }
    )*};
}

collections! {
    [T: Module] VecDeque<T>: |this, fields| items(fields, this.len(), this.iter());
    [T: Module] BTreeSet<T>: |this, fields| items(fields, this.len(), this.iter());
    [T: Module + Ord, S] HashSet<T, S>: |this, fields| {
        let mut all: Vec<&T> = this.iter().collect();
        all.sort_unstable();
        items(fields, all.len(), all.into_iter());
    };
    [K: fmt::Display, T: Module] BTreeMap<K, T>: |this, fields| entries(fields, this.len(), this.iter());
    // In the order of the keys: that of a hash differs from run to run.
    [K: fmt::Display + Ord, T: Module, S] HashMap<K, T, S>: |this, fields| {
        let mut all: Vec<(&K, &T)> = this.iter().collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        entries(fields, all.len(), all.into_iter());
    };
}

/// Looked at while nobody changes it: the lists of a module are errors meanwhile, and what needs it otherwise panics.
impl<T: Module> Module for RefCell<T> {
    #[track_caller]
    fn visit(&self, fields: &mut Fields<'_>) {
        match self.try_borrow() {
            Ok(value) => value.visit(fields),
            Err(_) => fields.busy(),
        }
    }
    fn module_name(&self) -> Option<&'static str> {
        self.try_borrow().ok()?.module_name()
    }
}

impl<T: Module> Module for RwLock<T> {
    fn visit(&self, fields: &mut Fields<'_>) {
        match fields.looks_on() {
            // The function under way may hold the lock.
            true => drop(self.try_read().map(|value| value.visit(fields))),
            false => self.read().unwrap_or_else(PoisonError::into_inner).visit(fields),
        }
    }
    fn module_name(&self) -> Option<&'static str> {
        self.read().unwrap_or_else(PoisonError::into_inner).module_name()
    }
}

impl<T: Module> Module for OnceCell<T> {
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

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Module),*> Module for ($($name,)*) {
            fn visit(&self, fields: &mut Fields<'_>) {
                $(fields.item($index, &self.$index);)*
            }
            fn module_name(&self) -> Option<&'static str> {
                None
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
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
