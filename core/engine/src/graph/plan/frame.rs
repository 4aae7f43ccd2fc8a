//! The frame: what one running call has of its own, and the pool from which concurrent calls take theirs.
//! Its tables hold the addresses of all operands of all steps; a call only fills in those that changed.

use super::{Base, Plan};
use crate::tensor::{Guard, Tensor};
use kernels::backend::cpu::View;
use kernels::error::Result;
use kernels::memory::StorageRef;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

pub(super) struct Frame {
    /// The variables that the call changes, locked while it runs. First, so that a panic unlocks them before their
    /// handles go.
    pub locked: Vec<Guard<'static>>,
    pub views: Vec<View>,
    pub pointers: Vec<*mut u8>,
    pub slots: Vec<Option<Tensor>>,
    /// The parameters of those, in the order of the locks.
    pub order: Vec<(usize, u32)>,
    _arena: Option<StorageRef>,
}

// SAFETY: addresses are of memory that the frame, the plan or the slots' tensors own; locks never stay in a frame that is
// handed to another thread, because `clear` comes first.
unsafe impl Send for Frame {}

impl Frame {
    pub fn new(plan: &Plan) -> Result<Box<Self>> {
        let arena = if plan.arena > 0 { Some(StorageRef::allocate(plan.arena)?) } else { None };
        let start = arena.as_ref().map_or(null_mut(), StorageRef::data);
        let place = |base: &Base, offset: isize| match base {
            Base::Arena(_) => start.wrapping_offset(offset),
            Base::Fixed(address) => std::ptr::with_exposed_provenance_mut::<u8>(*address).wrapping_offset(offset),
            Base::Slot(_) => null_mut(),
        };
        let views = plan.views.iter().map(|(view, base, offset)| view.at(place(base, *offset))).collect();
        let pointers = plan.pointers.iter().map(|(base, offset)| place(base, *offset)).collect();
        let mut slots = vec![None; plan.users.len()];
        plan.constants.iter().for_each(|(slot, tensor)| slots[*slot as usize] = Some(tensor.clone()));
        let resources = plan.params.iter().filter(|p| p.resource.is_some()).count();
        let (locked, order) = (Vec::with_capacity(resources), Vec::with_capacity(resources));
        Ok(Box::new(Self { views, pointers, slots, locked, order, _arena: arena }))
    }

    /// Puts a tensor into a slot and its address into the tables.
    pub fn set(&mut self, plan: &Plan, slot: u32, tensor: Tensor) {
        self.point(plan, slot, tensor.data());
        self.slots[slot as usize] = Some(tensor);
    }

    /// Puts an address into the tables wherever a slot's is wanted.
    #[inline]
    pub fn point(&mut self, plan: &Plan, slot: u32, data: *mut u8) {
        let users = &plan.users[slot as usize];
        for &(view, offset) in &users.views {
            self.views[view as usize].ptr = data.wrapping_offset(offset);
        }
        for &(pointer, offset) in &users.pointers {
            self.pointers[pointer as usize] = data.wrapping_offset(offset);
        }
    }

    /// Lets go of what belongs to the call that is over.
    pub fn clear(&mut self, plan: &Plan) {
        for value in &self.locked {
            // SAFETY: a locked value is the variable's own and nobody else's: `resources::lock` made sure.
            unsafe { value.renew_id() };
        }
        self.locked.clear();
        self.order.clear();
        for (slot, kept) in self.slots.iter_mut().zip(&plan.kept) {
            if !kept {
                *slot = None;
            }
        }
    }
}

/// Frames that are not in use: one that is taken without a lock, and the others.
#[derive(Default)]
pub(super) struct Pool {
    first: AtomicPtr<Frame>,
    // Boxed, because the first place takes them by their address.
    #[allow(clippy::vec_box, reason = "frames move between here and the first place without a copy")]
    others: Mutex<Vec<Box<Frame>>>,
}

/// Frames kept; more calls at once make and drop theirs.
const MOST: usize = 16;

impl Pool {
    pub fn take(&self) -> Option<Box<Frame>> {
        let first = self.first.swap(null_mut(), Ordering::Acquire);
        if !first.is_null() {
            // SAFETY: the pointer came from `Box::into_raw` in `put`, and the swap made it ours alone.
            return Some(unsafe { Box::from_raw(first) });
        }
        self.others.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub fn put(&self, frame: Box<Frame>) {
        let frame = Box::into_raw(frame);
        if self.first.compare_exchange(null_mut(), frame, Ordering::Release, Ordering::Relaxed).is_err() {
            // SAFETY: the pointer was not published.
            let frame = unsafe { Box::from_raw(frame) };
            let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
            if others.len() < MOST {
                others.push(frame);
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.take());
    }
}
