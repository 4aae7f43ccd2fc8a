//! [`Nest`]: values made of tensors, variables and host values, which traced functions take, return and keep as state.
//! Derive it for structs and enums of your own.

use super::Leaves;
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::dtype::DType;
use kernels::shape::{Dim, Shape};
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

/// A structure of tensors: what goes into, out of and around a traced function, TensorFlow's nested structures.
///
/// Tensors, variables, numbers and texts are nests; so are tuples, arrays, `Vec`, maps, `Option`, `Result` and `Box` of them,
/// and structs and enums that derive it.
///
/// ```
/// use eagerflow::Tensor;
/// // The trait and its derive macro.
/// use eagerflow::Nest;
///
/// #[derive(Nest)]
/// struct State {
///     hidden: Tensor,
///     memory: (Tensor, Tensor),
///     steps: usize,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a structure of tensors",
    label = "`Nest` is not implemented for `{Self}`",
    note = "derive it: `#[derive(Nest)]`; traced functions take and return tensors, numbers, tuples, arrays, `Vec`, `Option` and `Result` of them"
)]
pub trait Nest: 'static {
    /// Tells the parts in order; the derive macro writes it.
    fn visit(&self, leaves: &mut Leaves<'_>);

    /// The same structure with another tensor in place of each, taken in the order of [`visit`](Self::visit).
    #[must_use]
    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self
    where
        Self: Sized;

    /// The structure of these tensors, taken in the order of [`visit`](Self::visit), where the type alone tells its form: that of a list
    /// or of a number beside the tensors it does not.
    #[doc(hidden)]
    fn of_tensors(_tensors: &mut dyn Iterator<Item = Tensor>) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Becomes a value of the graph, for lists that a graph makes longer; with placeholders instead of its items unless
    /// `values`. Whether anything changed.
    #[doc(hidden)]
    fn stage(&mut self, _values: bool) -> crate::Result<bool> {
        Ok(false)
    }

    /// The value that gives an error back, if there is one: the `Err` of a `Result` of the library.
    #[doc(hidden)]
    fn failed(error: crate::Error) -> crate::Result<Self>
    where
        Self: Sized,
    {
        Err(error)
    }

    /// Takes the place of another value of its variable: what is known of that one's items, a list then knows of its own.
    #[doc(hidden)]
    fn replaces(&self, _other: &Self)
    where
        Self: Sized,
    {
    }
}

impl Nest for Tensor {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        leaves.tensor(self);
    }
    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        with(self)
    }
    fn of_tensors(tensors: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
        tensors.next()
    }
}

impl Nest for Variable {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        leaves.variable(self);
    }
    fn map(&self, _: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.clone()
    }
}

macro_rules! host_values {
    ($($t:ty),*) => {$(
        impl Nest for $t {
            fn visit(&self, leaves: &mut Leaves<'_>) {
                leaves.value(self);
            }
            fn map(&self, _: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
                self.clone()
            }
        }
    )*};
}

host_values!(bool, char, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, String, DType, Shape, Dim);
host_values!((), std::time::Duration, std::path::PathBuf, std::cmp::Ordering);

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Nest for $t {
            fn visit(&self, leaves: &mut Leaves<'_>) {
                // By bits: a nan is the same value as before, and -0.0 is another one than 0.0.
                leaves.value(&self.to_bits());
            }
            fn map(&self, _: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
                *self
            }
        }
    )*};
}

floats!(f32, f64, crate::f16, crate::bf16);

impl<T: ?Sized + 'static> Nest for PhantomData<T> {
    fn visit(&self, _: &mut Leaves<'_>) {}
    fn map(&self, _: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Self
    }
}

impl<T: Nest> Nest for Box<T> {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        (**self).visit(leaves);
    }
    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Self::new((**self).map(with))
    }
}

impl<T: Nest> Nest for Option<T> {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        leaves.value(&self.is_some());
        leaves.form(if self.is_some() { &"`Some(..)`" } else { &"`None`" });
        if let Some(value) = self {
            value.visit(leaves);
        }
    }
    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.as_ref().map(|value| value.map(with))
    }
}

/// The `Ok` side is the structure. An error leaves the function by `?` or `return`; it is never kept as state.
impl<T: Nest, E: 'static> Nest for Result<T, E> {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        leaves.value(&self.is_ok());
        match self {
            Ok(value) => value.visit(leaves),
            Err(error) => leaves.error(error),
        }
    }
    #[track_caller]
    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        match self {
            Ok(value) => Ok(value.map(with)),
            Err(_) => kernels::error::OrFail::or_fail(Err(crate::Error::invalid_argument(
                "tf_function",
                "an `Err` cannot be kept by a branch or loop of the graph",
            )
            .help("leave the function with it: `return Err(..)` or `?` under a host condition"))),
        }
    }
    fn failed(error: crate::Error) -> crate::Result<Self> {
        let mut error = Some(error);
        let given: &mut dyn Any = &mut error;
        if let Some(own) = given.downcast_mut::<Option<E>>().and_then(Option::take) {
            return Ok(Err(own));
        }
        error.map_or_else(|| Err(crate::Error::internal("tf_function", "an error is gone")), Err)
    }
}

impl<T: Nest> Nest for Vec<T> {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        visit_slice(self, leaves);
    }
    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.iter().map(|item| item.map(with)).collect()
    }
}

/// The form of a list.
struct Items(usize);

impl fmt::Display for Items {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count) = self;
        write!(f, "a list of {count} item{}", if *count == 1 { "" } else { "s" })
    }
}

/// Tells the items of a list.
pub(crate) fn visit_slice<T: Nest>(items: &[T], leaves: &mut Leaves<'_>) {
    leaves.value(&items.len());
    leaves.form(&Items(items.len()));
    for (i, item) in items.iter().enumerate() {
        leaves.item(i, item);
    }
}

impl<T: Nest, const N: usize> Nest for [T; N] {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        visit_slice(self, leaves);
    }
    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.each_ref().map(|item| item.map(with))
    }
}

/// Maps are structures by their keys, in order.
macro_rules! maps {
    ($($map:ident $(: $bound:ident)? => |$this:ident| $sorted:expr),*) => {$(
        impl<K: Hash + Ord + Clone $(+ $bound)? + 'static, T: Nest> Nest for $map<K, T> {
            fn visit(&self, leaves: &mut Leaves<'_>) {
                leaves.value(&self.len());
                leaves.form(&Items(self.len()));
                let $this = self;
                for (i, (key, item)) in $sorted.into_iter().enumerate() {
                    leaves.value(key);
                    leaves.item(i, item);
                }
            }
            fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
                let $this = self;
                $sorted.into_iter().map(|(key, item)| (key.clone(), item.map(with))).collect()
            }
        }
    )*};
}

maps!(BTreeMap => |this| this.iter(), HashMap: Eq => |this| {
    let mut all: Vec<(&K, &T)> = this.iter().collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    all
});

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Nest),*> Nest for ($($name,)*) {
            fn visit(&self, leaves: &mut Leaves<'_>) {
                $(leaves.item($index, &self.$index);)*
            }
            fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
                ($(self.$index.map(with),)*)
            }
            fn of_tensors(tensors: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
                Some(($($name::of_tensors(tensors)?,)*))
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

/// Asks a type for its structure of tensors, in code of the derive macro: a type that is none answers nothing, so that the compiler tells of it
/// where its tensors are visited and not once more.
#[doc(hidden)]
#[derive(Debug)]
pub struct ByType<T>(PhantomData<T>);

impl<T> ByType<T> {
    #[allow(clippy::new_without_default, reason = "generated code calls it")]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Nest> ByType<T> {
    pub fn of_tensors(&self, tensors: &mut dyn Iterator<Item = Tensor>) -> Option<T> {
        T::of_tensors(tensors)
    }
}

/// The answer of types that are no structures of tensors.
#[doc(hidden)]
pub trait NoStructure<T> {
    fn of_tensors(&self, _tensors: &mut dyn Iterator<Item = Tensor>) -> Option<T> {
        None
    }
}

impl<T> NoStructure<T> for ByType<T> {}
