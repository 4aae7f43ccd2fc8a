//! Masks of tensors: which steps of a sequence count, as a tensor that another one carries until it is gone.
//! Layers set and read them, so that a mask travels through whatever is called between two layers.

use super::Tensor;
use super::block::MASKED;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The masks by the ids of the tensors that carry them. Few tensors have one, and those that have none never come here.
static MASKS: LazyLock<Mutex<HashMap<u64, Tensor>>> = LazyLock::new(Mutex::default);

fn masks() -> MutexGuard<'static, HashMap<u64, Tensor>> {
    MASKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets a tensor carry a mask, in place of one that it has.
pub fn set_mask(tensor: &Tensor, mask: &Tensor) {
    // A tensor that is its own mask would never go.
    let mask = if mask.id() == tensor.id() { mask.alias() } else { mask.clone() };
    tensor.block().notes.fetch_or(MASKED, std::sync::atomic::Ordering::Relaxed);
    // The old one may carry a mask itself: it goes when the table is free again.
    let old = masks().insert(tensor.id(), mask);
    drop(old);
}

/// The mask that a tensor carries.
pub fn mask_of(tensor: &Tensor) -> Option<Tensor> {
    match tensor.block().notes.load(std::sync::atomic::Ordering::Relaxed) & MASKED {
        0 => None,
        _ => masks().get(&tensor.id()).cloned(),
    }
}

/// The tensor is gone, or another one now: so is its mask.
#[cold]
pub(super) fn forget(id: u64) {
    let old = masks().remove(&id);
    drop(old);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_lives_as_long_as_its_tensor() {
        let x = crate::ones([2, 3]);
        assert!(mask_of(&x).is_none());
        let mask = crate::ones([2]);
        set_mask(&x, &mask);
        let id = x.id();
        assert_eq!(mask_of(&x.clone()).map(|m| m.id()), Some(mask.id()));
        // What is computed from it carries none.
        assert!(mask_of(&(&x + 1.0)).is_none() && mask_of(&x.reshape([6])).is_none());
        drop(x);
        assert!(!masks().contains_key(&id));
    }

    #[test]
    fn memory_that_is_used_again_has_no_mask() {
        let x = crate::ones([2, 3]);
        set_mask(&x, &crate::ones([2]));
        let id = x.id();
        let y = x + 1.0;
        assert!(mask_of(&y).is_none() && !masks().contains_key(&id));
    }

    #[test]
    fn a_mask_may_carry_a_mask() {
        let (x, y, z) = (crate::ones(1), crate::ones(2), crate::ones(3));
        set_mask(&y, &z);
        set_mask(&x, &y);
        drop(y);
        set_mask(&x, &x);
        assert_eq!(mask_of(&x).unwrap().shape(), [1]);
        drop(x);
        assert_eq!(z.handles(), 1);
    }
}
