//! Memory that captured loops and branches lend to their bodies: they keep values in it, and the body that reads one for the last time
//! may write over it. `Cond` and `While` lend it while they are captured; `execute` asks who has.

use std::cell::RefCell;

thread_local! {
    static LENT: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Memory that is lent until this is dropped.
pub struct CarriedMemory {
    /// How many addresses were lent before.
    before: usize,
}

/// Lends the memory at these addresses to this thread's operations.
pub fn lend(addresses: impl Iterator<Item = *mut u8>) -> CarriedMemory {
    LENT.with_borrow_mut(|lent| {
        let before = lent.len();
        lent.extend(addresses.map(|address| address.addr()));
        CarriedMemory { before }
    })
}

/// How many loops and branches have lent the memory at an address, one inside the other.
pub fn lenders(address: *mut u8) -> usize {
    LENT.with_borrow(|lent| lent.iter().filter(|lent| **lent == address.addr()).count())
}

impl Drop for CarriedMemory {
    fn drop(&mut self) {
        LENT.with_borrow_mut(|lent| lent.truncate(self.before));
    }
}
