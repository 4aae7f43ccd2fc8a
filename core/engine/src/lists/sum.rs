//! Sums of lists item by item: cotangents of one list, of which each reader may have contributed a few items or an end.
//! The backward pass adds lists where it adds tensors.

use super::List;
use crate::ops;
use crate::tensor::Tensor;
use kernels::dtype::DType;
use kernels::error::{Error, Result};

impl List {
    /// Adds items to those of their numbers.
    fn add_items(&mut self, items: Vec<(usize, Tensor)>) -> Result<()> {
        for (index, item) in items {
            let before = match self {
                // Not another handle of the item, so that its memory may take the sum.
                Self::Full(items) | Self::First(items) => items.get_mut(index).and_then(Option::take),
                _ => self.get(index)?,
            };
            self.set(index, add(before, Some(item))?, false)?;
        }
        Ok(())
    }

    /// The sum of two cotangents of one list, item by item, lists of lists included.
    pub fn plus(mut self, mut other: Self) -> Result<Self> {
        self.loosen()?;
        other.loosen()?;
        match (self, other) {
            (Self::Few { len, at }, Self::Few { len: other, at: more })
                if at.len() + more.len() <= MOST_FEW && (len == other || len.is_none() || other.is_none()) =>
            {
                let mut sum = Self::Few { len: len.or(other), at };
                sum.add_items(more)?;
                Ok(sum)
            }
            (Self::Few { len: None, at }, Self::Few { len: None, at: more }) => {
                let mut sum = Self::First(Vec::new());
                sum.add_items(at)?;
                sum.add_items(more)?;
                Ok(sum)
            }
            (Self::Few { at, .. }, mut whole @ (Self::Full(_) | Self::First(_)))
            | (mut whole @ (Self::Full(_) | Self::First(_)), Self::Few { at, .. }) => {
                whole.add_items(at)?;
                Ok(whole)
            }
            (mut whole @ (Self::Full(_) | Self::First(_)), Self::First(items))
            | (Self::First(items), mut whole @ Self::Full(_)) => {
                let items = items.into_iter().enumerate().filter_map(|(i, item)| Some((i, item?)));
                whole.add_items(items.collect())?;
                Ok(whole)
            }
            (some @ (Self::Few { .. } | Self::First(_)), Self::Last(none))
            | (Self::Last(none), some @ (Self::Few { .. } | Self::First(_)))
                if none.is_empty() =>
            {
                Ok(some)
            }
            (Self::Few { len: None, at }, Self::Few { len, at: more })
            | (Self::Few { len, at: more }, Self::Few { len: None, at }) => {
                Self::Few { len, at }.plus(Self::Few { len, at: more })
            }
            (few @ Self::Few { .. }, other) => Self::Full(few.spread()?).plus(other),
            (other, few @ Self::Few { .. }) => other.plus(Self::Full(few.spread()?)),
            (Self::Last(a), Self::Last(b)) => Ok(Self::Last(add_ends(a, b)?)),
            (Self::Full(a), Self::Last(b)) | (Self::Last(b), Self::Full(a)) if b.len() <= a.len() => {
                Ok(Self::Full(add_ends(a, b)?))
            }
            (Self::Full(a), Self::Full(b)) if a.len() == b.len() => Ok(Self::Full(add_ends(a, b)?)),
            _ => Err(Error::internal("list_add", "lists of two lengths")),
        }
    }
}

/// Lists of more items are written out.
const MOST_FEW: usize = 8;

/// The sum of two lists aligned at their ends.
fn add_ends(a: Vec<Option<Tensor>>, b: Vec<Option<Tensor>>) -> Result<Vec<Option<Tensor>>> {
    let (mut long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let start = long.len() - short.len();
    for (slot, item) in long[start..].iter_mut().zip(short) {
        *slot = add(slot.take(), item)?;
    }
    Ok(long)
}

fn add(a: Option<Tensor>, b: Option<Tensor>) -> Result<Option<Tensor>> {
    match (a, b) {
        (Some(a), Some(b)) if a.dtype() == DType::Variant => {
            List::take(a, "list_add")?.plus(List::take(b, "list_add")?).map(|list| Some(list.into_tensor()))
        }
        (Some(a), Some(b)) => ops::add_owned(a, &b).map(Some),
        (a, b) => Ok(a.or(b)),
    }
}
