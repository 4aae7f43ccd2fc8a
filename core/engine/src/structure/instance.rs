//! Which instance of a generic function runs: a number for any type, borrowed ones too.
//! Functions keep their traces apart by it, and places check that a table is of their type.

use std::any::TypeId;
use std::marker::PhantomData;

/// Hides that a type may borrow: `TypeId` asks for `'static`, but tells types apart without their lifetimes.
trait Identify {
    fn id(&self) -> TypeId
    where
        Self: 'static;
}

impl<T: ?Sized> Identify for PhantomData<T> {
    fn id(&self) -> TypeId
    where
        Self: 'static,
    {
        TypeId::of::<T>()
    }
}

/// The identity of a type; lifetimes do not count.
pub(crate) fn type_id<T: ?Sized>() -> TypeId {
    let phantom = PhantomData::<T>;
    let borrowed: &dyn Identify = &phantom;
    // SAFETY: only the trait object's lifetime bound changes; `id` reads nothing through it, and its answer does not
    // depend on lifetimes, which are gone when code is generated.
    let longer = unsafe { std::mem::transmute::<&dyn Identify, &(dyn Identify + 'static)>(borrowed) };
    longer.id()
}

/// The identity of the function instance that a closure is written in: a closure's type has the function's type
/// parameters, those of its `impl`, and those of `impl Trait` arguments.
pub fn instance<F: Fn()>(_: &F) -> Instance {
    Instance { id: type_id::<F>(), closure: std::any::type_name::<F>() }
}

/// An instance of a function.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    pub(crate) id: TypeId,
    closure: &'static str,
}

impl Instance {
    /// The path of the function item.
    pub(crate) fn path(self) -> &'static str {
        self.closure.strip_suffix("::{{closure}}").unwrap_or(self.closure)
    }
}

/// Text that is only made when it is needed.
pub type Thunk<'a> = &'a dyn Fn() -> String;

/// What generated code says where the protocol cannot come.
#[cold]
pub fn never() -> ! {
    unreachable!("a construct without jumps was left by one")
}
