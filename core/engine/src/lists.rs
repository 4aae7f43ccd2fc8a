//! [`List`]: a list of tensors as a value of graphs, TensorFlow's `TensorList`.
//! Loops collect in it what their gradient reads, `TensorArray` and `push` in loops are one, and packs carry several values as one.

pub(crate) mod concat;
pub(crate) mod items;
pub(crate) mod layout;
pub(crate) mod list_op;
pub(crate) mod rows;
mod sum;
pub(crate) mod whole;

pub(crate) use list_op::ListOp;
pub(crate) use rows::Rows;

use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::moved;

/// Tensors by number. In the cotangent of a list, items through which nothing flows are missing.
#[derive(Clone)]
pub(crate) enum List {
    Full(Vec<Option<Tensor>>),
    /// A few items of many: what an element read contributes to the list's cotangent. The cotangent of a list that nothing
    /// flows through has no length.
    Few {
        len: Option<usize>,
        at: Vec<(usize, Tensor)>,
    },
    /// The first items of a list whose others, however many, are missing: many of those without a length.
    First(Vec<Option<Tensor>>),
    /// The last items of a list whose others, however many, are missing.
    Last(Vec<Option<Tensor>>),
    /// A list of numbers, or packs of them, as a loop in registers left it.
    Compact(Rows),
}

/// The cotangent of a list through which nothing flows.
#[track_caller]
pub(crate) fn nothing() -> Tensor {
    List::Last(Vec::new()).into_tensor()
}

/// A list of no items.
#[track_caller]
pub(crate) fn empty() -> Tensor {
    List::Full(Vec::new()).into_tensor()
}

impl List {
    #[track_caller]
    pub fn into_tensor(self) -> Tensor {
        Tensor::object_of(DType::Variant, Box::new(self))
    }

    /// The list behind a handle; a copy of it if someone else holds the handle too.
    pub fn take(handle: Tensor, op: &str) -> Result<Self> {
        match handle.take_owner::<Self>() {
            Ok(list) => Ok(list),
            Err(shared) => {
                let list = shared.as_object::<Self>().cloned().ok_or_else(|| {
                    Error::invalid_argument(op, "the input is not a list")
                        .got(shared.ty())
                        .expected("a list of tensors")
                })?;
                moved::note(|| size_of::<Tensor>() * list.len().unwrap_or(0));
                Ok(list)
            }
        }
    }

    /// The list behind a handle.
    pub fn of<'a>(handle: &'a Tensor, op: &str) -> Result<&'a Self> {
        handle.as_object::<Self>().ok_or_else(|| {
            Error::invalid_argument(op, "the input is not a list").got(handle.ty()).expected("a list of tensors")
        })
    }

    /// The number of items, where it is known.
    pub fn len(&self) -> Option<usize> {
        match self {
            Self::Full(items) => Some(items.len()),
            Self::Few { len, .. } => *len,
            Self::First(_) | Self::Last(_) => None,
            Self::Compact(rows) => rows.len(),
        }
    }

    pub fn push(&mut self, item: Option<Tensor>) -> Result<()> {
        self.loosen()?;
        match self {
            Self::Full(items) | Self::Last(items) => items.push(item),
            Self::Few { .. } | Self::First(_) | Self::Compact(_) => {
                let mut items = std::mem::replace(self, Self::Full(Vec::new())).spread()?;
                items.push(item);
                *self = Self::Full(items);
            }
        }
        Ok(())
    }

    /// Makes tensors of compact items, for an operation that works on them.
    fn loosen(&mut self) -> Result<()> {
        if let Self::Compact(_) = self
            && let Self::Compact(rows) = std::mem::replace(self, Self::Full(Vec::new()))
        {
            *self = rows.into_list()?;
        }
        Ok(())
    }

    /// The last item, or none if it is missing; an error if there is no item.
    pub fn pop(&mut self) -> Result<Option<Tensor>> {
        match self {
            Self::Full(items) => items.pop().ok_or_else(|| Error::out_of_range("list_pop", "the list is empty")),
            Self::Last(items) => Ok(items.pop().flatten()),
            Self::Few { .. } | Self::First(_) => {
                let items = std::mem::replace(self, Self::Full(Vec::new())).spread()?;
                *self = Self::Full(items);
                self.pop()
            }
            Self::Compact(rows) => rows.pop(),
        }
    }

    pub fn get(&self, index: usize) -> Result<Option<Tensor>> {
        match self {
            Self::Full(items) => items.get(index).cloned().ok_or_else(|| outside(READ, index, items.len())),
            Self::Few { len, at } if len.is_none_or(|len| index < len) => {
                Ok(at.iter().find(|(i, _)| *i == index).map(|(_, item)| item.clone()))
            }
            Self::Few { len, .. } => Err(outside(READ, index, len.unwrap_or(0))),
            Self::First(items) => Ok(items.get(index).cloned().flatten()),
            Self::Last(items) if items.is_empty() => Ok(None),
            Self::Compact(rows) => match rows.len() {
                Some(len) if index < len => rows.get(index),
                Some(len) => Err(outside(READ, index, len)),
                None => rows.clone().into_list()?.get(index),
            },
            Self::Last(_) => Err(Error::internal("list_get", "a list without a length")),
        }
    }

    /// Replaces an item; a list grows up to it where `grows`, and where the item is to be missing: the tangent of a list that
    /// is to grow is as short as the list.
    pub fn set(&mut self, index: usize, item: Option<Tensor>, grows: bool) -> Result<()> {
        self.loosen()?;
        match self {
            Self::Full(items) => {
                if index >= items.len() {
                    if !grows && item.is_some() {
                        return Err(outside(WRITE, index, items.len()));
                    }
                    items.resize(index + 1, None);
                }
                items[index] = item;
                Ok(())
            }
            Self::Few { len, at } if len.is_none_or(|len| index < len) => {
                at.retain(|(i, _)| *i != index);
                at.extend(item.map(|item| (index, item)));
                Ok(())
            }
            Self::Few { len, .. } if item.is_none() => {
                *len = Some(index + 1);
                Ok(())
            }
            Self::Few { len, .. } => Err(outside(WRITE, index, len.unwrap_or(0))),
            Self::First(items) => {
                if index >= items.len() {
                    items.resize(index + 1, None);
                }
                items[index] = item;
                Ok(())
            }
            Self::Last(items) if items.is_empty() => {
                if item.is_some() {
                    *self = Self::Few { len: None, at: item.map(|item| (index, item)).into_iter().collect() };
                }
                Ok(())
            }
            Self::Last(_) | Self::Compact(_) => Err(Error::internal("list_set", "a list without a length")),
        }
    }

    fn spread(self) -> Result<Vec<Option<Tensor>>> {
        match self {
            Self::Full(items) | Self::Last(items) => Ok(items),
            Self::Few { len: None, .. } | Self::First(_) | Self::Compact(_) => {
                Err(Error::internal("list", "the end of a list without a length"))
            }
            Self::Few { len: Some(len), at } => {
                let mut items = vec![None; len];
                at.into_iter().for_each(|(i, item)| items[i] = Some(item));
                Ok(items)
            }
        }
    }

    /// All items, of which there are `len`.
    pub fn into_items(mut self, len: usize) -> Result<Vec<Option<Tensor>>> {
        self.loosen()?;
        match &mut self {
            Self::Few { len: open @ None, .. } => *open = Some(len),
            Self::First(items) if items.len() <= len => {
                items.resize(len, None);
                self = Self::Full(std::mem::take(items));
            }
            _ => {}
        }
        let mut items = self.spread()?;
        if items.len() > len {
            return Err(Error::internal("list", format!("{} items of {len}", items.len())));
        }
        // Only the cotangent of a list that nothing flows through may be shorter, and it lacks the first ones.
        items.splice(..0, std::iter::repeat_n(None, len - items.len()));
        Ok(items)
    }
}

#[cold]
pub(crate) fn outside(op: &str, index: usize, len: usize) -> Error {
    Error::out_of_range(op, "the index names no item of the list").got(index).expected(format!("an index below {len}"))
}

/// What the user calls to have an item of a list, in the words of errors.
pub(crate) const READ: &str = "TensorArray.read";
/// What he calls to replace one.
pub(crate) const WRITE: &str = "TensorArray.write";
