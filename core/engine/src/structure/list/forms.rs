//! What else generated code and users do with a [`List`] as with a `Vec`: index, iterate, compare, show, join.
//! All of it needs the items, which a list of the graph does not have while it is recorded, but for joining them.

use super::List;
use crate::ops::{AsTensor, AsTensors, Tensors};
use kernels::error::Result;
use std::fmt;
use std::ops::{Deref, DerefMut, Index, IndexMut};
use std::slice::SliceIndex;

impl<T> Deref for List<T> {
    type Target = Vec<T>;

    #[track_caller]
    fn deref(&self) -> &Vec<T> {
        self.on_host("what you ask it", HELP)
    }
}

impl<T> DerefMut for List<T> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut Vec<T> {
        self.on_host("what you ask it", HELP);
        &mut self.items
    }
}

impl<T, I: SliceIndex<[T]>> Index<I> for List<T> {
    type Output = I::Output;

    #[track_caller]
    fn index(&self, index: I) -> &I::Output {
        &(**self)[index]
    }
}

impl<T, I: SliceIndex<[T]>> IndexMut<I> for List<T> {
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut I::Output {
        &mut (**self)[index]
    }
}

const HELP: &str = "`push` onto it, and make a tensor of it: `tf::stack(&{}, 0)` or `tf::concat(&{}, 0)`, whose rows \
                    `.at(i)` and `for` give; or use a `TensorArray`, which is read and written by index";

impl<T: AsTensor> AsTensors for List<T> {
    fn as_tensors(&self) -> Result<Tensors<'_>> {
        match &self.staged {
            None => self.items.as_tensors(),
            Some(list) => Ok(Tensors::List(list, self.item_type()?)),
        }
    }
}

const ROUNDS: &str = "go over the rows of a tensor: `for row in tf::stack(&{}, 0)`";

impl<T> IntoIterator for List<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    #[track_caller]
    fn into_iter(self) -> Self::IntoIter {
        let _ = self.on_host("the number of rounds", ROUNDS);
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Self::IntoIter {
        self.on_host("the number of rounds", ROUNDS).iter()
    }
}

impl<'a, T> IntoIterator for &'a mut List<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    #[track_caller]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T> AsRef<[T]> for List<T> {
    #[track_caller]
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: PartialEq<U>, U> PartialEq<List<U>> for List<T> {
    #[track_caller]
    fn eq(&self, other: &List<U>) -> bool {
        **self == **other
    }
}

/// A `Vec` is compared with any of these.
macro_rules! compared {
    ($([$($length:tt)*] $other:ty),*) => {$(
        impl<T: PartialEq<U>, U $($length)*> PartialEq<$other> for List<T> {
            #[track_caller]
            fn eq(&self, other: &$other) -> bool {
                **self == *other
            }
        }
    )*};
}

compared!([] Vec<U>, [] &[U], [, const N: usize] [U; N]);

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.staged {
            None => self.items.fmt(f),
            Some(_) => write!(f, "<`{}`, a list of the graph>", self.name),
        }
    }
}
