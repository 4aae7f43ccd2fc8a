//! Reading elements back to the host: one number, a vector, or a slice of the tensor's own memory.
//! Users call these; operations work on views instead.

use crate::execute::{dense, on_host, view_of};
use crate::tape::observe_host_read;
use crate::tensor::local::{LOCAL, mode, user_line};
use crate::tensor::{Tensor, note_read};
use kernels::backend::cpu::vector;
use kernels::dtype::{Complex, DType, Element};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

impl Tensor {
    /// Tells tapes that the program reads elements.
    #[inline]
    #[track_caller]
    pub(super) fn note_host_read(&self, how: &'static str) {
        if LOCAL.with(|local| local.has(mode::TAPE)) {
            observe_host_read(self, how, user_line());
        }
    }

    #[track_caller]
    pub(super) fn check_type<T: Element>(&self, op: &'static str) -> Result<&Self> {
        let this = self.numbers(op)?;
        self.note_host_read(op);
        if self.dtype() != T::DTYPE {
            return Err(Error::invalid_argument(op, "the tensor has another element type")
                .got(self.dtype())
                .expected(T::DTYPE)
                .help("convert it with `cast` first"));
        }
        Ok(this)
    }

    /// An error unless there is exactly one element.
    fn single(&self) -> Result<&Self> {
        if self.num_elements() == 1 {
            return Ok(self);
        }
        Err(Error::invalid_argument("item", "only a tensor with one element can be read as a number")
            .got(self.ty())
            .expected("shape [] or a shape of ones")
            .help("index it, reduce it, or use `to_vec`"))
    }

    /// All elements in row-major order.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant([[1, 2], [3, 4]]).to_vec::<i32>(), [1, 2, 3, 4]);
    /// ```
    ///
    /// # Panics
    /// If `T` is not the tensor's element type.
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        self.try_to_vec().or_fail()
    }

    /// All elements in row-major order. Waits for a GPU that computes them.
    ///
    /// # Errors
    /// InvalidArgument if `T` is not the tensor's element type; what failed on the GPU that the elements come from.
    #[track_caller]
    pub fn try_to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let here = Location::caller();
        let this = self.check_type::<T>("to_vec").map_err(|e| e.at(here))?;
        if this.is_away() {
            return on_host(this)?.try_to_vec();
        }
        if let Some(elements) = this.as_slice() {
            return Ok(elements.to_vec());
        }
        let mut out = Vec::with_capacity(self.num_elements());
        let view = view_of(this);
        kernels::backend::cpu::merge_dims::for_each_row(view.dims(), view.strides(), |offset, len, stride| {
            for i in 0..len as isize {
                // SAFETY: offsets of elements of a live tensor of type T.
                out.push(unsafe { element::<T>(view.ptr, offset + i * stride) });
            }
        });
        Ok(out)
    }

    /// The only element of a tensor with one element.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant(3.5).item::<f32>(), 3.5);
    /// ```
    ///
    /// # Panics
    /// If there is not exactly one element, or `T` is not its type.
    #[track_caller]
    #[inline]
    pub fn item<T: Element>(&self) -> T {
        self.try_item().or_fail()
    }

    /// The only element of a tensor with one element; `f32::try_from(&tensor)` is the same.
    ///
    /// # Errors
    /// InvalidArgument if there is not exactly one element, or `T` is not its type.
    #[track_caller]
    pub fn try_item<T: Element>(&self) -> Result<T> {
        let here = Location::caller();
        let this = self.check_type::<T>("item").and_then(Self::single).map_err(|e| e.at(here))?;
        if this.is_away() {
            return on_host(this)?.try_item();
        }
        // SAFETY: one element of type T.
        Ok(unsafe { element::<T>(this.data(), 0) })
    }

    /// The only element, of any dtype of real numbers, as `f64`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant(7).try_to_f64()?, 7.0);
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Errors
    /// InvalidArgument if there is not exactly one element, or it is complex.
    #[track_caller]
    pub fn try_to_f64(&self) -> Result<f64> {
        let here = Location::caller();
        let this = self.numbers("to_f64").and_then(Self::single).map_err(|e| e.at(here))?;
        this.note_host_read("to_f64");
        if this.is_away() {
            return on_host(this)?.try_to_f64();
        }
        if this.dtype().is_complex() {
            return Err(Error::invalid_argument("to_f64", "a complex number is no real number")
                .got(this.ty())
                .help("take a part of it, `real` or `imag`, or read it as it is: `item::<Complex<f32>>()`")
                .at(here));
        }
        // SAFETY: one element of this dtype.
        Ok(vector::to_f64(this.dtype(), unsafe { vector::load_bits(this.dtype().size(), this.data()) }))
    }

    /// The elements of a tensor of integers in row-major order, whichever dtype of integers it is.
    #[track_caller]
    pub(crate) fn integers(&self, op: &str) -> Result<Vec<i64>> {
        let this = self.concrete(op)?;
        let here = if this.is_away() { on_host(this)? } else { this.clone() };
        // SAFETY: a view of a live tensor.
        Ok(unsafe { view_of(&here).integers() })
    }

    /// The elements in the tensor's own memory, in row-major order.
    ///
    /// `None` for a strided tensor or one on a GPU, for another element type than `T`, and for truth values, whose memory may
    /// hold bytes that Rust's `bool` may not.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2], [3, 4]]);
    /// assert_eq!(x.as_slice::<i32>(), Some(&[1, 2, 3, 4][..]));
    /// assert_eq!(tf::transpose(&x, [1, 0]).as_slice::<i32>(), None);
    /// ```
    #[track_caller]
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if self.dtype() != T::DTYPE || self.is_symbol() || !self.is_contiguous() || T::DTYPE == DType::Bool {
            return None;
        }
        note_read(self, Some(Location::caller()));
        self.note_host_read("as_slice");
        // SAFETY: dense elements of type T that live as long as the handle and are never written while it exists;
        // truth values are left out because their memory may hold other bytes than 0 and 1.
        Some(unsafe { std::slice::from_raw_parts(self.data().cast(), self.num_elements()) })
    }

    /// The same elements, in row-major memory.
    #[track_caller]
    pub(crate) fn to_dense(&self) -> Result<Self> {
        dense(self)
    }
}

macro_rules! conversions {
    ($($t:ty)*) => {$(
        /// The only element, as [`Tensor::try_item`].
        impl TryFrom<&Tensor> for $t {
            type Error = Error;

            #[track_caller]
            fn try_from(tensor: &Tensor) -> Result<Self> {
                tensor.try_item()
            }
        }

        /// The only element, as [`Tensor::try_item`].
        impl TryFrom<Tensor> for $t {
            type Error = Error;

            #[track_caller]
            fn try_from(tensor: Tensor) -> Result<Self> {
                tensor.try_item()
            }
        }
    )*};
}

conversions!(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool half::f16 half::bf16 Complex<f32> Complex<f64>);

/// All elements in row-major order, as [`Tensor::try_to_vec`].
impl<T: Element> TryFrom<&Tensor> for Vec<T> {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: &Tensor) -> Result<Self> {
        tensor.try_to_vec()
    }
}

/// All elements in row-major order, as [`Tensor::try_to_vec`].
impl<T: Element> TryFrom<Tensor> for Vec<T> {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: Tensor) -> Result<Self> {
        tensor.try_to_vec()
    }
}

/// Element number `offset` of memory that holds elements of type `T`; a truth value is any byte but 0.
///
/// # Safety
/// The element exists and is initialised.
unsafe fn element<T: Element>(ptr: *const u8, offset: isize) -> T {
    // SAFETY: by the caller's promise. For `bool` the byte is made 0 or 1 before it is read as one.
    unsafe {
        if T::DTYPE == DType::Bool {
            let truth = *ptr.offset(offset) != 0;
            return std::ptr::from_ref(&truth).cast::<T>().read();
        }
        *ptr.cast::<T>().offset(offset)
    }
}
