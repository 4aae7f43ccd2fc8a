//! Arguments of traced functions: each is noted as a part of the call's signature, and replaced by symbols for a trace.
//! Structures of tensors by value and by reference, modules by their variables and settings, others by type.

use crate::autograph::call::Call;
use crate::module::Module;
use crate::structure::Nest;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::Deref;

/// The type of an argument, asked about.
pub struct Arg<T>(PhantomData<fn() -> T>);

impl<T> Arg<T> {
    /// The type of a value.
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }
}

/// Structures of tensors by value.
pub trait NestArgument<T> {
    /// Adds the argument to the call's signature.
    fn note(&self, call: &mut Call<'_>, name: &'static str, value: &T);
    /// The argument as the trace sees it.
    fn traced(&self, call: &Call<'_>, index: usize, value: T) -> T;
}

impl<T: Nest> NestArgument<T> for &&&Arg<T> {
    fn note(&self, call: &mut Call<'_>, name: &'static str, value: &T) {
        call.note_nest(name, value);
    }
    fn traced(&self, call: &Call<'_>, index: usize, value: T) -> T {
        call.symbols(index, &value).unwrap_or(value)
    }
}

/// Structures of tensors by reference: what the trace sees is borrowed from the call, where its copies live.
pub trait NestReference<'c, 'v, T> {
    /// The reference, for as long as the call.
    type Traced;
    /// Adds the argument to the call's signature.
    fn note(&self, call: &mut Call<'v>, name: &'static str, value: &T);
    /// The argument as the trace sees it.
    fn traced(&self, call: &'c Call<'_>, index: usize, value: T) -> Self::Traced;
}

impl<'c, 'v: 'c, T: Nest> NestReference<'c, 'v, &'v T> for &&Arg<&'v T> {
    type Traced = &'c T;
    fn note(&self, call: &mut Call<'v>, name: &'static str, value: &&'v T) {
        call.note_reference(name, *value);
    }
    fn traced(&self, call: &'c Call<'_>, index: usize, value: &'v T) -> &'c T {
        call.symbols(index, value).map_or(value, |copy| call.lend(copy))
    }
}

impl<'c, 'v: 'c, T: Nest> NestReference<'c, 'v, &'v [T]> for &&Arg<&'v [T]> {
    type Traced = &'c [T];
    fn note(&self, call: &mut Call<'v>, name: &'static str, value: &&'v [T]) {
        call.note_slice(name, value);
    }
    fn traced(&self, call: &'c Call<'_>, index: usize, value: &'v [T]) -> &'c [T] {
        call.symbols_of_slice(index, value).map_or(value, |copy| call.lend(copy).as_slice())
    }
}

impl<'c, 'v: 'c, T: Nest> NestReference<'c, 'v, Option<&'v T>> for &&Arg<Option<&'v T>> {
    type Traced = Option<&'c T>;
    fn note(&self, call: &mut Call<'v>, name: &'static str, value: &Option<&'v T>) {
        call.note_option(name, *value);
    }
    fn traced(&self, call: &'c Call<'_>, index: usize, value: Option<&'v T>) -> Option<&'c T> {
        value.map(|value| call.symbols(index, value).map_or(value, |copy| call.lend(copy)))
    }
}

impl<'c, 'v: 'c> NestReference<'c, 'v, &'v str> for &&Arg<&'v str> {
    type Traced = &'v str;
    fn note(&self, call: &mut Call<'v>, name: &'static str, value: &&'v str) {
        call.note_module(name, value);
    }
    fn traced(&self, _: &'c Call<'_>, _: usize, value: &'v str) -> &'v str {
        value
    }
}

/// Modules, by value or reference: their variables and settings are the signature, and traces use them as they are.
pub trait ModuleArgument<T> {
    /// Adds the argument to the call's signature.
    fn note(&self, call: &mut Call<'_>, name: &'static str, value: &T);
    /// The argument as the trace sees it.
    fn traced(&self, call: &Call<'_>, index: usize, value: T) -> T;
}

impl<T: Module> ModuleArgument<T> for &Arg<T> {
    fn note(&self, call: &mut Call<'_>, name: &'static str, value: &T) {
        call.note_module(name, value);
    }
    fn traced(&self, _: &Call<'_>, _: usize, value: T) -> T {
        value
    }
}

/// Host values that are no structures, such as function pointers: by value.
pub trait HashArgument<T> {
    /// Adds the argument to the call's signature.
    fn note(&self, call: &mut Call<'_>, name: &'static str, value: &T);
    /// The argument as the trace sees it.
    fn traced(&self, call: &Call<'_>, index: usize, value: T) -> T;
}

impl<T: Hash> HashArgument<T> for Arg<T> {
    fn note(&self, call: &mut Call<'_>, name: &'static str, value: &T) {
        call.note_words(name, value);
    }
    fn traced(&self, _: &Call<'_>, _: usize, value: T) -> T {
        value
    }
}

/// The type of an argument of which nothing else is known.
#[derive(Debug)]
pub struct Other<T>(PhantomData<fn() -> T>);

impl<T> Deref for Arg<T> {
    type Target = Other<T>;
    fn deref(&self) -> &Other<T> {
        const { &Other(PhantomData) }
    }
}

/// Everything else, such as closures: one that holds nothing is told by its type, for any other each call is traced anew.
pub trait AnyArgument<T> {
    /// Adds the argument to the call's signature.
    fn note(&self, call: &mut Call<'_>, name: &'static str, value: &T);
    /// The argument as the trace sees it.
    fn traced(&self, call: &Call<'_>, index: usize, value: T) -> T;
}

/// A reference holds what it leads to: its own methods are found before those of [`AnyArgument`].
impl<T> Other<&T> {
    /// Adds the argument to the call's signature.
    pub fn note(&self, call: &mut Call<'_>, name: &'static str, _: &&T) {
        call.note_opaque::<T>(name);
    }
    /// The argument as the trace sees it.
    pub fn traced<'t>(&self, _: &Call<'_>, _: usize, value: &'t T) -> &'t T {
        value
    }
}

impl<T> AnyArgument<T> for Other<T> {
    fn note(&self, call: &mut Call<'_>, name: &'static str, _: &T) {
        call.note_opaque::<T>(name);
    }
    fn traced(&self, _: &Call<'_>, _: usize, value: T) -> T {
        value
    }
}
