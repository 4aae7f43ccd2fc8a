//! The memory of one tensor: a 256-byte block with count, type, layout and, for small tensors, the elements themselves.
//! Only `Tensor` and the storage-level constructors beside it look inside.

use super::TensorType;
use super::local::LOCAL;
use kernels::device::DeviceId;
use kernels::memory::StorageRef;
use kernels::shape::MAX_RANK;
use std::alloc::Layout;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::sync::atomic::{AtomicU8, AtomicU32};

/// Bytes of elements that fit into the block itself.
pub(crate) const INLINE: usize = 64;

/// The elements do not lie in row-major order without gaps: `strides` counts.
pub(crate) const STRIDED: u8 = 1;
/// The tensor is a value of a graph being recorded and has no elements.
pub(crate) const SYMBOL: u8 = 2;
/// The elements lie in the memory of a GPU, where the host cannot read them.
pub(crate) const AWAY: u8 = 4;

/// Among the notes: the tensor carries a mask, see [`super::masks`].
pub(crate) const MASKED: u8 = 1;

#[repr(C, align(64))]
pub(crate) struct Block {
    pub refs: AtomicU32,
    pub flags: u8,
    /// What is noted of a tensor while others may hold it, too.
    pub notes: AtomicU8,
    pub device: DeviceId,
    /// First element of the tensor (not of the storage).
    pub data: *mut u8,
    /// None: the elements are in `inline`, or there are none.
    pub storage: Option<StorageRef>,
    pub id: u64,
    pub location: &'static Location<'static>,
    pub ty: TensorType,
    /// Element strides; only written and read under [`STRIDED`].
    pub strides: MaybeUninit<[isize; MAX_RANK]>,
    pub inline: MaybeUninit<[u64; INLINE / 8]>,
}

const LAYOUT: Layout = Layout::new::<Block>();

impl Block {
    /// Memory for a block, from this thread's free list if it has one. Every field is still to be written.
    #[inline]
    pub fn take() -> *mut Block {
        LOCAL.with(|local| match local.pop() {
            Some(block) => block,
            None => Self::from_system(),
        })
    }

    #[cold]
    fn from_system() -> *mut Block {
        // SAFETY: the layout has a size; a null answer is handled.
        let block = unsafe { std::alloc::alloc(LAYOUT) };
        if block.is_null() {
            std::alloc::handle_alloc_error(LAYOUT);
        }
        block.cast()
    }

    /// # Safety
    /// The block came from [`Block::from_system`] and its fields have been dropped.
    pub unsafe fn to_system(block: *mut Block) {
        // SAFETY: by the caller's promise.
        unsafe { std::alloc::dealloc(block.cast(), LAYOUT) }
    }
}
