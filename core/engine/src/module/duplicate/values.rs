//! Deep copies of settings, collections, cells and tuples.
//! What a [`Duplicate`] is made of; variables and pointers are in [`copies`](super::copies).

use super::{Copies, Duplicate};
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::shape::{Dim, Shape};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};

macro_rules! cloned {
    ($([$($generics:tt)*] $t:ty),* $(,)?) => {$(
        impl<$($generics)*> Duplicate for $t {
            fn duplicate_in(&self, _: &mut Copies) -> Self {
                self.clone()
            }
        }
    )*};
}

cloned!([] bool, [] char, [] u8, [] u16, [] u32, [] u64, [] u128, [] usize, [] i8, [] i16, [] i32, [] i64, [] i128, [] isize);
cloned!([] f32, [] f64, [] crate::f16, [] crate::bf16, [] String, [] DType, [] Shape, [] Dim, [] Tensor, [] ());
cloned!([] std::num::NonZeroUsize, [] std::time::Duration, [] std::path::PathBuf);
cloned!([T: ?Sized] &T, [T: ?Sized] PhantomData<T>);

macro_rules! made_of_copies {
    ($([$($generics:tt)*] $t:ty: |$this:ident, $copies:ident| $copy:expr;)*) => {$(
        impl<$($generics)*> Duplicate for $t {
            fn duplicate_in(&self, $copies: &mut Copies) -> Self {
                let $this = self;
                $copy
            }
        }
    )*};
}

made_of_copies! {
    [T: Duplicate] Box<T>: |this, copies| Self::new((**this).duplicate_in(copies));
    [T: Duplicate] Option<T>: |this, copies| this.as_ref().map(|value| value.duplicate_in(copies));
    [T: Duplicate] Vec<T>: |this, copies| this.iter().map(|item| item.duplicate_in(copies)).collect();
    [T: Duplicate] VecDeque<T>: |this, copies| this.iter().map(|item| item.duplicate_in(copies)).collect();
    [T: Duplicate, const N: usize] [T; N]: |this, copies| this.each_ref().map(|item| item.duplicate_in(copies));
    [T: Duplicate + Ord] BTreeSet<T>: |this, copies| this.iter().map(|item| item.duplicate_in(copies)).collect();
    [T: Duplicate + Eq + Hash, S: BuildHasher + Clone] HashSet<T, S>: |this, copies| {
        let mut copy = Self::with_capacity_and_hasher(this.len(), this.hasher().clone());
        copy.extend(this.iter().map(|item| item.duplicate_in(copies)));
        copy
    };
    [K: Clone + Ord, T: Duplicate] BTreeMap<K, T>: |this, copies| {
        this.iter().map(|(key, item)| (key.clone(), item.duplicate_in(copies))).collect()
    };
    [K: Clone + Eq + Hash, T: Duplicate, S: BuildHasher + Clone] HashMap<K, T, S>: |this, copies| {
        let mut copy = Self::with_capacity_and_hasher(this.len(), this.hasher().clone());
        copy.extend(this.iter().map(|(key, item)| (key.clone(), item.duplicate_in(copies))));
        copy
    };
    [T: Copy + Duplicate] Cell<T>: |this, copies| Self::new(this.get().duplicate_in(copies));
    [T: Duplicate] RefCell<T>: |this, copies| Self::new(this.borrow().duplicate_in(copies));
    [T: Duplicate] Mutex<T>: |this, copies| {
        Self::new(this.lock().unwrap_or_else(PoisonError::into_inner).duplicate_in(copies))
    };
    [T: Duplicate] RwLock<T>: |this, copies| {
        Self::new(this.read().unwrap_or_else(PoisonError::into_inner).duplicate_in(copies))
    };
    [T: Duplicate] OnceLock<T>: |this, copies| match this.get() {
        Some(value) => Self::from(value.duplicate_in(copies)),
        None => Self::new(),
    };
    [T: Duplicate] OnceCell<T>: |this, copies| match this.get() {
        Some(value) => Self::from(value.duplicate_in(copies)),
        None => Self::new(),
    };
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Duplicate),*> Duplicate for ($($name,)*) {
            fn duplicate_in(&self, copies: &mut Copies) -> Self {
                ($(self.$index.duplicate_in(copies),)*)
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
