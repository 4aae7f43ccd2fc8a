//! What `case` and `switch_case` choose from: tuples, arrays and lists of closures, with or without conditions.
//! The functions take them as one list of boxed closures.

use crate::autograph::rt::{Cond, Condition, condition};

/// A closure of any type.
pub type Branch<'f, R> = Box<dyn FnOnce() -> R + 'f>;

/// Closures without arguments that give an `R`: a tuple of them, an array or a `Vec`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of closures",
    label = "not a tuple, array or `Vec` of closures that give `{R}`",
    note = "write `(|| a, || b)`"
)]
pub trait Branches<'f, R> {
    /// The closures in order.
    #[doc(hidden)]
    fn list(self) -> Vec<Branch<'f, R>>;
}

/// Pairs of a condition and a closure that gives an `R`: a tuple of pairs, an array or a `Vec`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of conditions with closures",
    label = "not a tuple, array or `Vec` of pairs `(condition, closure)`",
    note = "write `((x < 1.0, || a), (x < 2.0, || b))`, with commas also behind a single pair"
)]
pub trait Cases<'f, R> {
    /// The pairs in order.
    #[doc(hidden)]
    #[track_caller]
    fn list(self) -> Vec<(Cond, Branch<'f, R>)>;
}

impl<'f, R, F: FnOnce() -> R + 'f> Branches<'f, R> for Vec<F> {
    fn list(self) -> Vec<Branch<'f, R>> {
        self.into_iter().map(|f| Box::new(f) as Branch<'f, R>).collect()
    }
}

impl<'f, R, F: FnOnce() -> R + 'f, const N: usize> Branches<'f, R> for [F; N] {
    fn list(self) -> Vec<Branch<'f, R>> {
        self.into_iter().map(|f| Box::new(f) as Branch<'f, R>).collect()
    }
}

impl<'f, R, C: Condition, F: FnOnce() -> R + 'f> Cases<'f, R> for Vec<(C, F)> {
    #[track_caller]
    fn list(self) -> Vec<(Cond, Branch<'f, R>)> {
        let mut list: Vec<(Cond, Branch<'f, R>)> = Vec::new();
        for (pred, f) in self {
            list.push((condition(&pred), Box::new(f)));
        }
        list
    }
}

impl<'f, R, C: Condition, F: FnOnce() -> R + 'f, const N: usize> Cases<'f, R> for [(C, F); N] {
    #[track_caller]
    fn list(self) -> Vec<(Cond, Branch<'f, R>)> {
        Vec::from(self).list()
    }
}

macro_rules! tuples {
    ($($f:ident $c:ident $index:tt),*) => {
        impl<'f, R, $($f: FnOnce() -> R + 'f),*> Branches<'f, R> for ($($f,)*) {
            fn list(self) -> Vec<Branch<'f, R>> {
                vec![$(Box::new(self.$index) as Branch<'f, R>),*]
            }
        }
        impl<'f, R, $($c: Condition, $f: FnOnce() -> R + 'f),*> Cases<'f, R> for ($(($c, $f),)*) {
            #[track_caller]
            fn list(self) -> Vec<(Cond, Branch<'f, R>)> {
                vec![$((condition(&self.$index.0), Box::new(self.$index.1) as Branch<'f, R>)),*]
            }
        }
    };
}

tuples!(F0 C0 0);
tuples!(F0 C0 0, F1 C1 1);
tuples!(F0 C0 0, F1 C1 1, F2 C2 2);
tuples!(F0 C0 0, F1 C1 1, F2 C2 2, F3 C3 3);
tuples!(F0 C0 0, F1 C1 1, F2 C2 2, F3 C3 3, F4 C4 4);
tuples!(F0 C0 0, F1 C1 1, F2 C2 2, F3 C3 3, F4 C4 4, F5 C5 5);
tuples!(F0 C0 0, F1 C1 1, F2 C2 2, F3 C3 3, F4 C4 4, F5 C5 5, F6 C6 6);
tuples!(F0 C0 0, F1 C1 1, F2 C2 2, F3 C3 3, F4 C4 4, F5 C5 5, F6 C6 6, F7 C7 7);
