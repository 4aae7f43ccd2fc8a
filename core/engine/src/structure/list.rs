//! [`List`]: what `#[tf_function]` makes of a `Vec` that a loop pushes onto. It is that `Vec` as long as Rust goes round; where
//! the loop is one of the graph it becomes a list of the graph, so that `push`, `tf::stack` and `tf::concat` go on working.

mod forms;
mod item;

use super::{Leaves, Nest, type_id, visit_slice};
use crate::execute::execute;
use crate::lists;
use crate::lists::items::{Pack, Push};
use crate::tensor::local::InName;
use crate::tensor::{Tensor, TensorType};
use item::{Item, Known};
use kernels::error::{Error, OrFail, Result};
use std::ops::RangeBounds;

/// A `Vec` that may become a list of the graph.
#[derive(Clone)]
pub struct List<T> {
    name: &'static str,
    items: Vec<T>,
    /// The list as a value of the graph, which then has all items.
    staged: Option<Tensor>,
    /// What is known of the items of the graph's list; shared by all states of the variable.
    item: Known,
}

/// What [`List::extend`] takes, as `Vec`'s: items, and references to those that are copied.
pub trait Given<T> {
    /// The item.
    fn given(self) -> T;
}

impl<T> Given<T> for T {
    fn given(self) -> T {
        self
    }
}

impl<T: Copy> Given<T> for &T {
    fn given(self) -> T {
        *self
    }
}

impl<T> List<T> {
    /// The list of a variable.
    pub fn of(name: &'static str, items: Vec<T>) -> Self {
        Self { name, items, staged: None, item: Known::default() }
    }

    /// The same list, as the value of another variable.
    pub fn renamed(self, name: &'static str) -> Self {
        // What is learnt of its items is not what the other variable is given later.
        let item = self.item.copy();
        Self { name, item, ..self }
    }

    /// Adds an item.
    #[track_caller]
    pub fn push(&mut self, item: T) {
        match &self.staged {
            None => self.items.push(item),
            Some(list) => {
                let list = self.pushed(list, &item).map_err(|e| e.variable(self.name)).or_fail();
                self.staged = Some(list);
            }
        }
    }

    #[track_caller]
    fn pushed(&self, list: &Tensor, item: &T) -> Result<Tensor> {
        let Some(item) = as_tensor(item) else {
            return Err(Error::internal("push", "a list of the graph with items that are no tensors"));
        };
        self.note(item)?;
        Ok(execute(&Push { present: true }, &[list, item])?.remove(0))
    }

    /// Adds items, or copies of what can be copied.
    #[track_caller]
    pub fn extend<A: Given<T>>(&mut self, items: impl IntoIterator<Item = A>) {
        // Not `for_each`: a closure has no caller's line.
        for item in items {
            self.push(item.given());
        }
    }

    /// Adds copies of items.
    #[track_caller]
    pub fn extend_from_slice(&mut self, items: &[T])
    where
        T: Clone,
    {
        self.extend(items.iter().cloned());
    }

    /// Takes all items out.
    pub fn clear(&mut self) {
        self.items.clear();
        if self.staged.is_some() {
            self.staged = Some(lists::empty());
        }
    }

    /// As `Vec`'s; here, so that its arguments may ask the list.
    #[track_caller]
    pub fn insert(&mut self, index: usize, item: T) {
        (**self).insert(index, item);
    }

    /// As [`insert`](Self::insert).
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        (**self).remove(index)
    }

    /// As [`insert`](Self::insert).
    #[track_caller]
    pub fn truncate(&mut self, len: usize) {
        (**self).truncate(len);
    }

    /// As [`insert`](Self::insert).
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        (**self).swap_remove(index)
    }

    /// As [`insert`](Self::insert).
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Vec<T> {
        (**self).split_off(at)
    }

    /// As [`insert`](Self::insert).
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> std::vec::Drain<'_, T> {
        (**self).drain(range)
    }

    /// The number of items.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.on_host("its length", "`tf::shape(&tf::stack(&{}, 0)).at(0)` is its length as a tensor").len()
    }

    /// Whether there are no items.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.on_host("whether it is empty", "count the items in a tensor beside the list").is_empty()
    }

    /// The plain `Vec`, where the list is used by value.
    #[track_caller]
    pub fn into_vec(self) -> Vec<T> {
        let _ = self.on_host("the `Vec` itself", "hand on the tensor `tf::stack(&{}, 0)`, or keep a `TensorArray`");
        self.items
    }

    #[track_caller]
    fn on_host(&self, what: &str, help: &str) -> &Vec<T> {
        if self.staged.is_some() {
            self.only_graph(what, help)
        }
        &self.items
    }

    #[cold]
    #[track_caller]
    fn only_graph(&self, what: &str, help: &str) -> ! {
        let name = self.name;
        let reason = format!("`{name}` is a list of the graph here, and {what} is known only when the graph runs");
        Err(Error::failed_precondition("tf_function", reason)
            .got("a `Vec` that a loop or branch of the graph pushes onto")
            .help(help.replace("{}", name))
            .variable(name))
        .or_fail()
    }

    /// Learns the type of another item.
    fn note(&self, tensor: &Tensor) -> Result<()> {
        self.item.add(&Item::of(tensor)).map_err(|before| {
            Error::invalid_argument("push", "the tensor has another type than the list's other items")
                .got(tensor.ty())
                .expected(format!("{} of {} axes", before.dtype, before.sizes.len()))
                .help("convert it with `cast` or `reshape`, or push it onto a list of its own")
        })
    }

    fn item_type(&self) -> Result<TensorType> {
        match self.item.now() {
            Some(item) => item.ty(),
            None => Err(Error::failed_precondition("tf_function", "nothing was pushed onto the list so far")
                .variable(self.name)
                .expected("a `push` in the text before, which tells the type of the items")
                .help("push a first item before the loop")),
        }
    }
}

/// The item, if it is a tensor.
fn as_tensor<T>(item: &T) -> Option<&Tensor> {
    // SAFETY: `T` is `Tensor`, which has no lifetimes that its identity could leave out.
    (type_id::<T>() == type_id::<Tensor>()).then(|| unsafe { &*std::ptr::from_ref(item).cast::<Tensor>() })
}

impl<T: Nest> Nest for List<T> {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        match &self.staged {
            None => visit_slice(&self.items, leaves),
            Some(list) => {
                leaves.value(&"a list of the graph");
                leaves.tensor(list);
            }
        }
    }

    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        Self {
            name: self.name,
            items: self.items.iter().map(|item| item.map(with)).collect(),
            staged: self.staged.as_ref().map(with),
            item: self.item.clone(),
        }
    }

    fn replaces(&self, other: &Self) {
        if let Some(theirs) = other.item.now().filter(|_| !self.item.is(&other.item)) {
            // Of items of another type a `push` complains.
            let _ = self.item.add(&theirs);
        }
    }

    fn stage(&mut self, values: bool) -> Result<bool> {
        let mut tensors = Vec::new();
        for item in &self.items {
            match as_tensor(item) {
                Some(tensor) => tensors.push(tensor),
                None => return Ok(false),
            }
        }
        if self.staged.is_some() || type_id::<T>() != type_id::<Tensor>() {
            return Ok(false);
        }
        for tensor in &tensors {
            self.note(tensor).map_err(|e| e.variable(self.name))?;
        }
        let len = tensors.len() as u32;
        self.staged = Some(match values && len > 0 {
            true => {
                // No line of the user's says to do this; that of an item is the nearest.
                let _name = InName::of(Some(tensors[0].location()));
                let dtypes = tensors.iter().map(|tensor| tensor.dtype()).collect();
                execute(&Pack { items: (0..len).collect(), dtypes }, &tensors)?.remove(0)
            }
            false => lists::empty(),
        });
        self.items.clear();
        Ok(true)
    }
}
