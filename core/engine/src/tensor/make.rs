//! How blocks come into being: uninitialised outputs, views, adopted memory, handles of objects, and graph symbols.
//! `execute` and the conversions call these; nothing here looks at elements.

use super::block::{AWAY, Block, INLINE, STRIDED, SYMBOL};
use super::local::LOCAL;
use super::{Tensor, TensorType};
use kernels::device::DeviceId;
use kernels::error::{Error, Result};
use kernels::memory::StorageRef;
use kernels::shape::{MAX_RANK, Shape, contiguous_strides};
use std::any::Any;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Where the elements of a view lie within the storage of its base: element strides and the first element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layout {
    pub strides: [isize; MAX_RANK],
    /// Elements from the base's first element to the view's.
    pub offset: isize,
}

impl Tensor {
    /// A tensor of the given type whose elements are not yet written.
    ///
    /// The caller writes every element before anyone reads one.
    #[inline]
    #[track_caller]
    pub(crate) fn uninit(ty: &TensorType) -> Result<Self> {
        let bytes = ty.bytes();
        let block = Block::take();
        // SAFETY: a fresh block; each field that anybody reads is written here.
        unsafe {
            let (data, storage) = if bytes <= INLINE {
                ((&raw mut (*block).inline).cast(), None)
            } else {
                match StorageRef::allocate(bytes) {
                    Ok(storage) => (storage.data(), Some(storage)),
                    Err(error) => {
                        LOCAL.with(|local| local.push(block));
                        return Err(error.got(ty));
                    }
                }
            };
            fill_header(block, ty, data, storage, 0);
            Ok(Self(NonNull::new_unchecked(block)))
        }
    }

    /// As [`Tensor::uninit`], of an operation at `location`.
    pub(crate) fn uninit_at(ty: &TensorType, location: &'static Location<'static>) -> Result<Self> {
        let tensor = Self::uninit(ty)?;
        // SAFETY: this is the only handle of a fresh block.
        unsafe { (*tensor.0.as_ptr()).location = location };
        Ok(tensor)
    }

    /// As [`Tensor::uninit`], in the memory of a GPU.
    #[track_caller]
    pub(crate) fn uninit_on(gpu: &'static kernels::backend::cuda::Gpu, ty: &TensorType) -> Result<Self> {
        let buffer = gpu.allocate(ty.bytes())?;
        let data = std::ptr::without_provenance_mut(buffer.address() as usize);
        // SAFETY: the buffer owns the memory; the host never reads through the address, which the flag says.
        let storage = unsafe { StorageRef::adopt(data, ty.bytes(), Box::new(buffer)) };
        let tensor = Self::with_storage(ty, data, storage);
        // SAFETY: this is the only handle of a fresh block.
        unsafe {
            (*tensor.0.as_ptr()).flags = AWAY;
            (*tensor.0.as_ptr()).device = gpu.id;
        }
        Ok(tensor)
    }

    /// A tensor over memory that `owner` keeps alive, in row-major order.
    ///
    /// # Safety
    /// `data` is aligned for the dtype, holds all elements, and stays valid as long as `owner` lives wherever it is
    /// moved; nobody else writes it.
    #[track_caller]
    pub(crate) unsafe fn adopt(ty: &TensorType, data: *mut u8, owner: Box<dyn Any + Send + Sync>) -> Self {
        // SAFETY: by the caller's promise.
        let storage = unsafe { StorageRef::adopt(data, ty.bytes(), owner) };
        Self::with_storage(ty, data, storage)
    }

    /// A scalar handle of an object with state.
    #[track_caller]
    pub(crate) fn object(object: Box<dyn Any + Send + Sync>) -> Self {
        Self::object_of(kernels::dtype::DType::Resource, object)
    }

    /// A handle of the given dtype, `Resource` or `Variant`, that owns an object.
    #[track_caller]
    pub(crate) fn object_of(dtype: kernels::dtype::DType, object: Box<dyn Any + Send + Sync>) -> Self {
        Self::object_with(&TensorType::scalar(dtype), object)
    }

    /// A tensor whose elements an object holds.
    #[track_caller]
    pub(crate) fn object_with(ty: &TensorType, object: Box<dyn Any + Send + Sync>) -> Self {
        debug_assert!(ty.dtype.size() == 0);
        let storage = StorageRef::object(object);
        Self::with_storage(ty, storage.data(), storage)
    }

    #[track_caller]
    fn with_storage(ty: &TensorType, data: *mut u8, storage: StorageRef) -> Self {
        let block = Block::take();
        // SAFETY: a fresh block, all read fields written.
        unsafe {
            fill_header(block, ty, data, Some(storage), 0);
            Self(NonNull::new_unchecked(block))
        }
    }

    /// The object behind a handle, if it is a `T`.
    pub(crate) fn as_object<T: Any>(&self) -> Option<&T> {
        self.storage()?.owner()
    }

    /// Takes the adopted owner of the elements out, if it is an `O` and nobody else holds it; else gives the tensor back.
    pub(crate) fn take_owner<O: Any>(self) -> std::result::Result<O, Self> {
        if self.block().refs.load(Ordering::Acquire) != 1 {
            return Err(self);
        }
        // SAFETY: the block lives as long as the handle.
        let storage = unsafe { &raw mut (*self.0.as_ptr()).storage };
        // SAFETY: this is the only handle, so nobody else reads or writes the block.
        match unsafe { (*storage).take() }.map(StorageRef::into_owner::<O>) {
            Some(Ok(owner)) => Ok(owner),
            Some(Err(kept)) => {
                // SAFETY: as above.
                unsafe { *storage = Some(kept) };
                Err(self)
            }
            None => Err(self),
        }
    }

    /// Another tensor over the same elements, with a new id. Small tensors are copied with their block.
    ///
    /// The layout must stay within the base's elements; operations guarantee it by construction.
    #[track_caller]
    pub(crate) fn with_layout(&self, ty: &TensorType, layout: &Layout) -> Self {
        debug_assert!(!self.is_symbol());
        let block = Block::take();
        let base = self.block();
        // SAFETY: a fresh block; the inline copy takes whole blocks, so that any layout stays inside it.
        unsafe {
            let byte_offset = layout.offset * ty.dtype.size() as isize;
            let data = match &base.storage {
                Some(_) => base.data.wrapping_offset(byte_offset),
                None => {
                    (*block).inline = base.inline;
                    let within = base.data.offset_from((&raw const base.inline).cast()) + byte_offset;
                    (&raw mut (*block).inline).cast::<u8>().wrapping_offset(within)
                }
            };
            let mut dense = [0; MAX_RANK];
            let dims = ty.shape.dims();
            contiguous_strides(dims, &mut dense);
            // The stride of a dimension of size one is never used, so it does not make a tensor strided.
            let flags = match dims.iter().enumerate().all(|(i, &d)| d <= 1 || layout.strides[i] == dense[i])
                || ty.shape.num_elements() == 0
            {
                true => 0,
                false => STRIDED,
            };
            fill_header(block, ty, data, base.storage.clone(), flags | base.flags & AWAY);
            (*block).device = base.device;
            (*block).strides = MaybeUninit::new(layout.strides);
            Self(NonNull::new_unchecked(block))
        }
    }

    /// The same elements under a new id.
    #[track_caller]
    pub(crate) fn alias(&self) -> Self {
        self.with_layout(self.ty(), &Layout { strides: self.strides(), offset: 0 })
    }

    /// As [`Tensor::alias`], of an operation at `location`.
    pub(crate) fn alias_at(&self, location: &'static Location<'static>) -> Self {
        let alias = self.alias();
        // SAFETY: this is the only handle of a fresh block.
        unsafe { (*alias.0.as_ptr()).location = location };
        alias
    }

    /// A value of the graph being recorded: a type without elements.
    #[track_caller]
    pub(crate) fn symbol(ty: &TensorType) -> Self {
        let block = Block::take();
        // SAFETY: a fresh block, all read fields written; nothing reads the data of a symbol.
        unsafe {
            fill_header(block, ty, std::ptr::null_mut(), None, SYMBOL);
            Self(NonNull::new_unchecked(block))
        }
    }

    /// As [`Tensor::symbol`], of an operation at `location`.
    pub(crate) fn symbol_at(ty: &TensorType, location: &'static Location<'static>) -> Self {
        let symbol = Self::symbol(ty);
        // SAFETY: this is the only handle of a fresh block.
        unsafe { (*symbol.0.as_ptr()).location = location };
        symbol
    }

    /// Gives this tensor a new identity after its memory was overwritten.
    ///
    /// # Safety
    /// The caller holds the only handle.
    pub(crate) unsafe fn renew_id(&self) {
        if self.block().notes.swap(0, Ordering::Relaxed) != 0 {
            super::masks::forget(self.id());
        }
        // SAFETY: by the caller's promise nobody reads the field meanwhile.
        unsafe { (*self.0.as_ptr()).id = LOCAL.with(|local| local.fresh_id()) };
    }

    /// An error unless the elements can be read, which they will be.
    #[track_caller]
    pub(crate) fn concrete(&self, op: &str) -> Result<&Self> {
        if self.is_symbol() {
            return Err(Error::failed_precondition(op, "a value of a graph being recorded has no elements yet").help(
                "return the tensor from the recorded function and read it there; a helper that decides by it gets \
                     `#[tf_function]` and compares the tensor itself: `if x > 0.0`",
            ));
        }
        if self.dtype().size() == 0 && self.dtype() != kernels::dtype::DType::String {
            return Err(
                Error::invalid_argument(op, "a resource handle has no elements").help("read the variable first")
            );
        }
        super::note_read(self, Some(std::panic::Location::caller()));
        Ok(self)
    }

    /// As [`concrete`](Self::concrete) for elements that are numbers or truth values.
    #[track_caller]
    pub(crate) fn numbers(&self, op: &str) -> Result<&Self> {
        if self.dtype() == kernels::dtype::DType::String {
            return Err(Error::invalid_argument(op, "strings are no numbers")
                .got(self.ty())
                .help("read them with `to_strings` or `to_byte_strings`; `strings::to_number` makes numbers of them"));
        }
        self.concrete(op)
    }

    /// The row-major layout of a shape.
    pub(crate) fn dense_layout(shape: &Shape) -> Layout {
        let mut strides = [0; MAX_RANK];
        contiguous_strides(shape.dims(), &mut strides);
        Layout { strides, offset: 0 }
    }
}

/// Writes all fields but `strides` and `inline`.
///
/// # Safety
/// `block` is fresh memory from [`Block::take`].
#[inline(always)]
#[track_caller]
unsafe fn fill_header(block: *mut Block, ty: &TensorType, data: *mut u8, storage: Option<StorageRef>, flags: u8) {
    // SAFETY: the memory is valid and unused, so plain writes drop nothing.
    unsafe {
        (&raw mut (*block).refs).write(AtomicU32::new(1));
        (&raw mut (*block).flags).write(flags);
        (&raw mut (*block).notes).write(AtomicU8::new(0));
        (&raw mut (*block).device).write(DeviceId::CPU);
        (&raw mut (*block).data).write(data);
        (&raw mut (*block).storage).write(storage);
        (&raw mut (*block).id).write(LOCAL.with(|local| local.fresh_id()));
        (&raw mut (*block).location).write(Location::caller());
        (&raw mut (*block).ty).write(*ty);
    }
}
