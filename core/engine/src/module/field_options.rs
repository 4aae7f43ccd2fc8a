//! What a module says of a field beside its name: former names, and that nothing below it is trained.
//! `#[module(..)]` and hand-written `visit`s give it to [`Fields::field_with`]; visits carry it along their path.

use super::Module;
use super::fields::{Fields, Name, Path, visit_at};

/// What [`Fields::field_with`] is told of a field.
///
/// ```
/// use eagerflow as tf;
/// use tf::{FieldOptions, Fields, Module, Variable};
/// struct Dense { kernel: Variable, running: Variable }
/// impl Module for Dense {
///     fn visit(&self, fields: &mut Fields<'_>) {
///         // Checkpoints of before have the kernel as `weight` or `w`.
///         fields.field_with("kernel", FieldOptions::new().renamed_from(&["weight", "w"]), &self.kernel);
///         fields.field_with("running", FieldOptions::new().not_trainable(), &self.running);
///     }
/// }
/// let dense = Dense { kernel: Variable::new(1.0), running: Variable::new(0.0) };
/// assert_eq!(dense.trainable_variables().len(), 1);
/// assert_eq!(dense.non_trainable_variables()[0].id(), dense.running.id());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldOptions<'a> {
    pub(super) former: &'a [&'a str],
    pub(super) not_trainable: bool,
}

impl<'a> FieldOptions<'a> {
    /// A field like any other.
    pub const fn new() -> Self {
        Self { former: &[], not_trainable: false }
    }

    /// The names that the field had before, the latest first: a checkpoint that lacks its name is searched for these. A field that was
    /// a part of a part has a path, such as `body/0`.
    #[must_use]
    pub const fn renamed_from(mut self, names: &'a [&'a str]) -> Self {
        self.former = names;
        self
    }

    /// All variables below the field count as not trainable in lists of the module that has it, and of those around it.
    #[must_use]
    pub const fn not_trainable(mut self) -> Self {
        self.not_trainable = true;
        self
    }
}

impl<'a> Path<'a> {
    /// The path of a field or item below this one.
    pub fn below(&'a self, name: Name<'a>) -> Path<'a> {
        self.below_with(name, FieldOptions::new())
    }

    /// As [`below`](Self::below), for a field of which the module says more.
    pub fn below_with(&'a self, name: Name<'a>, options: FieldOptions<'a>) -> Path<'a> {
        let FieldOptions { former, not_trainable } = options;
        Path { above: Some(self), name, former, not_trainable: self.not_trainable || not_trainable }
    }
}

impl Fields<'_> {
    /// A named field, with what else there is to say of it.
    pub fn field_with(&mut self, name: &str, options: FieldOptions<'_>, value: &(impl Module + ?Sized)) {
        visit_at(self.path.below_with(Name::Field(name), options), self.sink, value);
    }
}
