//! The tensor handle: one counted pointer to a block with type, layout and elements.
//! Operations add their own methods in `ops/`; this floor knows none of them.

mod block;
mod guarded;
mod handle;
pub(crate) mod local;
mod make;
mod masks;
mod read_hook;
mod resource;
pub(crate) mod strings;
mod types;

pub(crate) use guarded::Guard;
pub use handle::TensorRef;
pub(crate) use make::Layout;
pub use masks::{mask_of, set_mask};
pub(crate) use read_hook::{ReadHook, note_read, set_read_hook};
pub use resource::VariableConstraint;
pub(crate) use resource::{Resource, UNNAMED, training_changes};
pub use types::TensorType;

use block::{AWAY, Block, STRIDED, SYMBOL};
use kernels::device::DeviceId;
use kernels::dtype::DType;
use kernels::memory::StorageRef;
use kernels::shape::{Dim, MAX_RANK, Shape, contiguous_strides};
use local::LOCAL;
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

/// A multi-dimensional array of one dtype on one device, as TensorFlow's `tf.Tensor`.
///
/// Tensors are immutable; cloning one copies a pointer. Operations are methods (`x.tanh()`), operators (`&a + &b`)
/// and functions (`tf::tanh(&x)`); each has a `try_` twin that returns a `Result` instead of panicking.
///
/// ```
/// use eagerflow as tf;
/// let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
/// let y = x.matmul(&x) + 1.0;
/// assert_eq!(y.to_vec::<f32>(), [8.0, 11.0, 16.0, 23.0]);
/// assert_eq!(y.shape(), [2, 2]);
/// ```
#[repr(transparent)]
pub struct Tensor(NonNull<Block>);

// SAFETY: the count is atomic, storage is Send + Sync, and a block's fields and elements are only written by whoever
// holds the sole reference.
unsafe impl Send for Tensor {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Tensor {}

// The elements cannot be seen half changed: nobody writes them while a second handle exists.
impl std::panic::UnwindSafe for Tensor {}
impl std::panic::RefUnwindSafe for Tensor {}

impl Tensor {
    #[inline]
    fn block(&self) -> &Block {
        // SAFETY: a handle keeps its block alive and initialised.
        unsafe { self.0.as_ref() }
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.block().ty.dtype
    }

    /// The shape: the size of each dimension.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::zeros([2, 3]).shape(), [2, 3]);
    /// ```
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.block().ty.shape
    }

    /// The number of dimensions; 0 for a scalar.
    #[inline]
    pub fn rank(&self) -> usize {
        self.block().ty.shape.rank()
    }

    /// The number of elements: the product of the dimensions, 1 for a scalar.
    #[inline]
    #[track_caller]
    pub fn num_elements(&self) -> usize {
        self.block().ty.shape.num_elements()
    }

    /// The size of dimension `axis`, which may count from the end. In a traced function it may be a symbol, and stays one:
    /// `x.shape()[i]` and [`Dim::number`] read a number, for which the function is then traced.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::zeros([2, 12]);
    /// assert_eq!(x.reshape([x.dim(0), 4.into(), x.dim(-1) / 4]).shape(), [2, 4, 3]);
    /// ```
    ///
    /// # Panics
    /// If there is no such dimension.
    #[track_caller]
    pub fn dim(&self, axis: isize) -> Dim {
        use kernels::error::OrFail;
        let axis = kernels::shape::resolve_axis("dim", axis, self.rank()).or_fail();
        self.shape().dim(axis)
    }

    /// Dtype and shape together.
    #[inline]
    pub(crate) fn ty(&self) -> &TensorType {
        &self.block().ty
    }

    /// A number that no other tensor of the process has or had. Clones share it; the result of any operation is new.
    #[inline]
    pub fn id(&self) -> u64 {
        self.block().id
    }

    /// The line that made this tensor, for errors about one that is somewhere it should not be.
    pub(crate) fn location(&self) -> &'static std::panic::Location<'static> {
        self.block().location
    }

    #[inline]
    pub(crate) fn device_id(&self) -> DeviceId {
        self.block().device
    }

    /// Whether this is a value of a graph being recorded, without elements.
    #[inline]
    pub(crate) fn is_symbol(&self) -> bool {
        self.block().flags & SYMBOL != 0
    }

    /// Whether the elements lie in the host's memory in row-major order without gaps: false for what lies on a GPU, so that
    /// the short ways of the CPU leave it alone.
    #[inline]
    pub(crate) fn is_contiguous(&self) -> bool {
        self.block().flags & (STRIDED | AWAY) == 0
    }

    /// Whether the elements lie in row-major order without gaps, on whatever device.
    #[inline]
    pub(crate) fn is_row_major(&self) -> bool {
        self.block().flags & STRIDED == 0
    }

    /// Whether the elements lie on a GPU.
    #[inline]
    pub(crate) fn is_away(&self) -> bool {
        self.block().flags & AWAY != 0
    }

    /// The first element's address; the elements may only be read through it, and only on the tensor's device.
    #[inline]
    pub(crate) fn data(&self) -> *mut u8 {
        debug_assert!(!self.is_away(), "the host reads memory of a GPU");
        self.block().data
    }

    /// As [`Tensor::data`] for tensors of any device, by those who do not read through it.
    #[inline]
    pub(crate) fn address(&self) -> *mut u8 {
        self.block().data
    }

    /// Strides in elements.
    pub(crate) fn strides(&self) -> [isize; MAX_RANK] {
        let block = self.block();
        let mut strides = [0; MAX_RANK];
        if block.flags & STRIDED != 0 {
            // SAFETY: the flag says that the strides were written.
            strides = unsafe { block.strides.assume_init() };
        } else {
            contiguous_strides(block.ty.shape.dims(), &mut strides);
        }
        strides
    }

    /// The storage behind the elements; none while they lie in the block.
    pub(crate) fn storage(&self) -> Option<&StorageRef> {
        self.block().storage.as_ref()
    }

    /// Another handle, made by who has this one to himself.
    #[inline]
    pub(crate) fn share(&mut self) -> Self {
        // While this is the only handle nobody else can make or drop one: counting needs no atomic addition.
        let refs = &self.block().refs;
        if refs.load(Ordering::Acquire) != 1 {
            return self.clone();
        }
        refs.store(2, Ordering::Relaxed);
        Self(self.0)
    }

    /// Whether nobody else holds a handle of this very tensor; its elements may be seen by views.
    pub(crate) fn is_only_handle(&self) -> bool {
        self.block().refs.load(Ordering::Acquire) == 1
    }

    /// Whether nobody else can see the elements, so that their memory may be written.
    #[inline]
    pub(crate) fn is_unique(&self) -> bool {
        let block = self.block();
        block.refs.load(Ordering::Acquire) == 1
            && match &block.storage {
                None => true,
                Some(storage) => storage.is_unique() && storage.owner::<ReadOnly>().is_none(),
            }
    }
}

/// Marks adopted memory that must never be written, such as a static or a mapped file.
pub(crate) struct ReadOnly;

impl Tensor {
    /// How many handles share this tensor, on all threads.
    pub(crate) fn handles(&self) -> usize {
        self.block().refs.load(Ordering::Relaxed) as usize
    }
}

impl Clone for Tensor {
    #[inline]
    fn clone(&self) -> Self {
        // Relaxed is enough to add a reference: the one at hand keeps the block alive.
        let before = self.block().refs.fetch_add(1, Ordering::Relaxed);
        if before > u32::MAX / 2 {
            // More than two thousand million forgotten handles: the count would wrap and free live memory.
            std::process::abort();
        }
        Self(self.0)
    }
}

impl Drop for Tensor {
    #[inline]
    fn drop(&mut self) {
        // The last handle need not count down: nobody else can make another one. A load costs far less.
        if self.block().refs.load(Ordering::Acquire) != 1 {
            if self.block().refs.fetch_sub(1, Ordering::Release) != 1 {
                return;
            }
            fence(Ordering::Acquire);
        }
        if self.block().notes.load(Ordering::Relaxed) != 0 {
            masks::forget(self.id());
        }
        let block = self.0.as_ptr();
        // SAFETY: this was the last handle; storage is the only field with a destructor, and the block is not used after.
        unsafe {
            if (*block).storage.is_some() {
                std::ptr::drop_in_place(&raw mut (*block).storage);
            }
            LOCAL.with(|local| local.push(block));
        }
    }
}

#[cfg(test)]
mod tests;
