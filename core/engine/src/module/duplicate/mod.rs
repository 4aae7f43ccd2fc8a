//! Deep copies: `Duplicate` makes a module with variables of its own, where `Clone` shares them.
//! `#[derive(Duplicate)]` writes it for structs and enums; target networks, ensembles and tries in training use it.

mod copies;
#[cfg(test)]
mod tests;
mod values;

pub use copies::Copies;

/// A deep copy, with variables of their own: Python's `copy.deepcopy` of a model.
///
/// Derive it beside [`Module`](macro@crate::Module). Copies of variables have the values, names and training of theirs; layers that are
/// not built yet have copies that are not. What is shared within the module, by clones of a layer or an
/// [`Arc`](std::sync::Arc), is shared within the copy in the same way. Settings are cloned, and so are fields that are
/// `#[module(skip)]`; `#[duplicate(default)]` gives a field its default instead. What a reference refers to is not copied.
///
/// An optimizer's copy keeps its state by variable: for the variables of the model's copy, if both are copied together, as
/// `(model, optimizer).duplicate()`; else for the variables of the model that there is.
///
/// ```
/// use eagerflow as tf;
/// use tf::{Duplicate, Module, layers::Dense};
///
/// #[derive(Module, Duplicate)]
/// struct Agent {
///     online: Dense,
///     #[module(skip)]
///     #[duplicate(default)]
///     log: std::sync::Mutex<Vec<String>>,
/// }
///
/// let agent = Agent { online: Dense::new(2), log: Default::default() };
/// agent.online.call(tf::ones([1, 3]));
/// let target = agent.duplicate();
/// agent.online.kernel().unwrap().assign(tf::zeros([3, 2]));
/// assert_ne!(target.online.kernel().unwrap().value().to_vec::<f32>(), [0.0; 6]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no deep copy",
    label = "`Duplicate` is not implemented for `{Self}`",
    note = "derive `Duplicate` for it; or mark the field with `#[module(skip)]` or `#[module(value)]`, which clone it, or with `#[duplicate(default)]`"
)]
pub trait Duplicate: Sized {
    /// A deep copy. In a traced function it is made while the function is traced, once, as variables are.
    #[must_use]
    fn duplicate(&self) -> Self {
        let mut copies = Copies::new();
        let copy = self.duplicate_in(&mut copies);
        copies.finish();
        copy
    }

    /// The copy as a part of a larger one: [`Copies`] tells what is copied already. The derive macro writes it.
    #[must_use]
    fn duplicate_in(&self, copies: &mut Copies) -> Self;
}
