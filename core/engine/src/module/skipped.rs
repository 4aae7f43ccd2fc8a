//! Fields that `#[module(skip)]` leaves out and that may change behind a shared reference: cells, whose values can be looked at, and
//! others, of which only the type is known. The derived `visit` tells them; traces look whether loops and branches change them.

use super::fields::{Fields, Path, Sink, visit};
use super::{Module, SavedState};
use crate::tensor::Tensor;
use crate::variable::Variable;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::*;

/// What may change behind a shared reference, and can be looked at.
pub trait Changing {
    /// Tells what it holds, word by word.
    fn tell(&self, word: &mut dyn FnMut(u64));
}

/// The words of a module: settings, and the numbers of variables and tensors.
struct Words<'a>(&'a mut dyn FnMut(u64));

impl Sink for Words<'_> {
    fn variable(&mut self, _: &Path<'_>, id: u64, _: Option<&Variable>) {
        (self.0)(id);
    }
    fn part(&mut self, _: &Path<'_>, _: &Variable) {}
    fn tensor(&mut self, tensor: &Tensor) {
        (self.0)(tensor.id());
    }
    fn word(&mut self, word: u64) {
        (self.0)(word);
    }
    fn wants_words(&self) -> bool {
        true
    }
    fn state(&mut self, _: &Path<'_>, state: &dyn SavedState) {
        if let Some(number) = state.number() {
            (self.0)(number);
        }
    }
}

impl<T: Copy + Module> Changing for Cell<T> {
    fn tell(&self, word: &mut dyn FnMut(u64)) {
        visit(&self.get(), &mut Words(word));
    }
}

impl<T: Module> Changing for RefCell<T> {
    fn tell(&self, word: &mut dyn FnMut(u64)) {
        // One that is borrowed is looked at another time.
        if let Ok(value) = self.try_borrow() {
            visit(&*value, &mut Words(word));
        }
    }
}

macro_rules! atomics {
    ($($t:ty),*) => {$(
        impl Changing for $t {
            fn tell(&self, word: &mut dyn FnMut(u64)) {
                word(self.load(Ordering::Relaxed) as u64);
            }
        }
    )*};
}

atomics!(AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize);
atomics!(AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize);

macro_rules! pointers {
    ($($t:ty),*) => {$(
        impl<T: Changing + ?Sized> Changing for $t {
            fn tell(&self, word: &mut dyn FnMut(u64)) {
                (**self).tell(word);
            }
        }
    )*};
}

pointers!(Box<T>, Rc<T>, Arc<T>, &T);

macro_rules! lists {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<$($generics)*> Changing for $t {
            fn tell(&self, word: &mut dyn FnMut(u64)) {
                self.iter().for_each(|item| item.tell(word));
            }
        }
    )*};
}

lists! {
    [T: Changing] Vec<T>;
    [T: Changing] Option<T>;
    [T: Changing, const N: usize] [T; N];
}

/// A field that is left out, asked about by the code that the derive macro writes.
pub struct Skipped<'a, T: ?Sized>(pub &'a T);

impl<T: ?Sized> fmt::Debug for Skipped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Skipped")
    }
}

/// Of types that can be looked at.
pub trait SkippedChanging {
    /// Tells the field.
    fn tell(&self, fields: &mut Fields<'_>, name: &str, may_change: bool);
}

impl<T: Changing + ?Sized> SkippedChanging for Skipped<'_, T> {
    fn tell(&self, fields: &mut Fields<'_>, name: &str, _: bool) {
        fields.skipped(name, |word| self.0.tell(word));
    }
}

/// Of all others.
pub trait SkippedOther {
    /// Tells the field, if its type is written as that of one which may change.
    fn tell(&self, fields: &mut Fields<'_>, name: &str, may_change: bool);
}

impl<T: ?Sized> SkippedOther for &Skipped<'_, T> {
    fn tell(&self, fields: &mut Fields<'_>, name: &str, may_change: bool) {
        if may_change {
            fields.unseen(name);
        }
    }
}
