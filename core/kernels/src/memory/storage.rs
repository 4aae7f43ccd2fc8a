//! A counted buffer that knows how to give itself back: pooled memory, an adopted `Vec`, or an object behind a handle.
//! Tensors that are too big for their own block, and all views of them, share one [`StorageRef`].

use super::pool::{self, Class};
use crate::error::{Error, Result};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// Bytes kept in front of pooled data for the header, so that one allocation serves both.
const HEADER: usize = 64;

/// The header of a buffer. For pooled memory it lies in the first 64 bytes of the same allocation.
#[repr(C, align(64))]
pub struct Storage {
    refs: AtomicUsize,
    data: *mut u8,
    bytes: usize,
    release: Release,
}

/// How the memory goes back.
enum Release {
    /// Header and data are one block of the caching allocator.
    Pool(Class),
    /// The data belongs to the boxed owner; the header is a box of its own.
    Owner(Box<dyn Any + Send + Sync>),
}

/// A counted reference to a [`Storage`].
pub struct StorageRef(NonNull<Storage>);

// SAFETY: the count is atomic, the owner is Send + Sync, and the bytes are only written while a tensor or variable
// proves that it holds the sole reference (see `StorageRef::is_unique`).
unsafe impl Send for StorageRef {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for StorageRef {}

impl StorageRef {
    /// Uninitialised pooled memory of at least `bytes` bytes, aligned to 64.
    pub fn allocate(bytes: usize) -> Result<Self> {
        let whole = bytes.checked_add(HEADER);
        let Some((base, capacity, class)) = whole.and_then(pool::acquire) else {
            return Err(Error::resource_exhausted("", format!("no memory for a tensor of {bytes} bytes"))
                .help("free tensors that are no longer needed, or use smaller batches"));
        };
        crate::moved::note_memory(bytes);
        let header = base.cast::<Storage>();
        // SAFETY: the block is at least HEADER bytes, aligned to 64, and nobody else has it.
        unsafe {
            header.write(Storage {
                refs: AtomicUsize::new(1),
                data: base.as_ptr().add(HEADER),
                bytes: capacity - HEADER,
                release: Release::Pool(class),
            });
        }
        Ok(Self(header))
    }

    /// Memory that `owner` keeps alive and that nobody else writes.
    ///
    /// # Safety
    /// `data` must be valid for `bytes` bytes as long as `owner` lives, wherever the box is moved to.
    pub unsafe fn adopt(data: *mut u8, bytes: usize, owner: Box<dyn Any + Send + Sync>) -> Self {
        let storage = Storage { refs: AtomicUsize::new(1), data, bytes, release: Release::Owner(owner) };
        Self(NonNull::from(Box::leak(Box::new(storage))))
    }

    /// An object without bytes, for handles.
    pub fn object(owner: Box<dyn Any + Send + Sync>) -> Self {
        // SAFETY: no bytes are claimed.
        unsafe { Self::adopt(NonNull::<u64>::dangling().as_ptr().cast(), 0, owner) }
    }

    fn header(&self) -> &Storage {
        // SAFETY: the header lives while a reference does.
        unsafe { self.0.as_ref() }
    }

    /// First byte of the data.
    #[inline]
    pub fn data(&self) -> *mut u8 {
        self.header().data
    }

    /// Whether this is the only reference, so that the holder may write or take the memory apart.
    #[inline]
    pub fn is_unique(&self) -> bool {
        self.header().refs.load(Ordering::Acquire) == 1
    }

    /// How many references there are, for a holder that knows of the others.
    pub fn holders(&self) -> usize {
        self.header().refs.load(Ordering::Acquire)
    }

    /// The object or adopted owner, if it is a `T`.
    pub fn owner<T: Any>(&self) -> Option<&T> {
        match &self.header().release {
            Release::Owner(owner) => owner.downcast_ref(),
            Release::Pool(_) => None,
        }
    }

    /// Takes the adopted owner out if it is a `T` and this is the only reference; else gives the reference back.
    pub fn into_owner<T: Any>(self) -> std::result::Result<T, Self> {
        if !self.is_unique() || self.owner::<T>().is_none() {
            return Err(self);
        }
        let pointer = self.0;
        std::mem::forget(self);
        // SAFETY: sole reference to a boxed header (an owner is only ever made by `adopt`).
        let storage = unsafe { Box::from_raw(pointer.as_ptr()) };
        match storage.release {
            Release::Owner(owner) => match owner.downcast::<T>() {
                Ok(owner) => Ok(*owner),
                Err(_) => unreachable!("the type was checked above"),
            },
            Release::Pool(_) => unreachable!("pooled memory has no owner"),
        }
    }
}

impl Clone for StorageRef {
    #[inline]
    fn clone(&self) -> Self {
        self.header().refs.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl Drop for StorageRef {
    #[inline]
    fn drop(&mut self) {
        // The last reference need not count down: nobody else can make another one.
        if !self.is_unique() {
            if self.header().refs.fetch_sub(1, Ordering::Release) != 1 {
                return;
            }
            fence(Ordering::Acquire);
        }
        // SAFETY: this was the last reference; the header is read out before its memory goes back.
        unsafe {
            match &self.0.as_ref().release {
                Release::Pool(class) => {
                    let class = *class;
                    pool::release(self.0.cast(), class);
                }
                Release::Owner(_) => drop(Box::from_raw(self.0.as_ptr())),
            }
        }
    }
}
