//! Kernels that are known before they are needed: while a thread collects, operations on a GPU do all but queue work, and say
//! which kernels they would launch; these are then compiled together. Traced functions collect theirs before they first run.

use super::driver::{Address, Function};
use super::gpu;
use super::memory::rounded;
use super::program::Wanted;
use crate::device::DeviceId;
use crate::error::Result;
use std::cell::{Cell, RefCell};

thread_local! {
    static COLLECTING: Cell<bool> = const { Cell::new(false) };
    static NOTED: RefCell<Vec<(DeviceId, Wanted)>> = const { RefCell::new(Vec::new()) };
    /// The next address that stands for memory.
    static NEXT: Cell<Address> = const { Cell::new(NOWHERE) };
}

/// Where nothing lies; aligned as all memory is.
const NOWHERE: Address = 1 << 56;

/// Whether this thread only collects kernels: then nothing may be queued, and no element read.
#[inline]
pub fn collecting() -> bool {
    COLLECTING.get()
}

/// Runs `work` as if this thread collected nothing.
pub(super) fn not_collecting<T>(work: impl FnOnce() -> T) -> T {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            COLLECTING.set(self.0);
        }
    }
    let _back = Back(COLLECTING.replace(false));
    work()
}

/// Notes a kernel; what stands for it is never launched.
pub(super) fn note(device: DeviceId, wanted: Wanted) -> Function {
    NOTED.with_borrow_mut(|noted| {
        if noted.iter().all(|(other, w)| *other != device || w.form != wanted.form) {
            noted.push((device, wanted));
        }
    });
    Function::NONE
}

/// An address that stands for so many bytes, of which there are none.
pub(super) fn stand_in(bytes: usize) -> Address {
    let address = NEXT.get();
    NEXT.set(address + rounded(bytes) as Address);
    address
}

/// Compiles the kernels that `work` would launch on this thread, each GPU's together. Tensors that it makes on a GPU have no
/// memory: they must not outlive it, nor come into variables that do.
///
/// # Errors
/// Those of the compiler.
pub fn collect(work: impl FnOnce()) -> Result<()> {
    if collecting() {
        work();
        return Ok(());
    }
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            COLLECTING.set(false);
            NEXT.set(NOWHERE);
        }
    }
    let end = End;
    COLLECTING.set(true);
    work();
    drop(end);
    let mut noted = NOTED.take();
    while let Some((device, _)) = noted.first() {
        let (device, mut own) = (*device, Vec::new());
        noted = noted
            .into_iter()
            .filter_map(|(of, w)| {
                if of == device {
                    own.push(w);
                    None
                } else {
                    Some((of, w))
                }
            })
            .collect();
        if let Some(index) = device.gpu_index() {
            gpu::gpu(index)?.provide(own)?;
        }
    }
    Ok(())
}
