//! ndarray in both directions: owned arrays are adopted, tensors lend views, and adopted memory goes back to its array.
//! Users call these conversions; elements are copied only where the memory cannot be shared.

use crate::tensor::{Tensor, TensorType};
use kernels::dtype::{DType, Element};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{MAX_RANK, Shape};
use ndarray::{Array, ArrayBase, ArrayD, ArrayView, ArrayViewD, Axis, Data, Dimension, IxDyn, ShapeBuilder};
use std::panic::Location;

impl Tensor {
    /// A tensor over the memory of an owned array, which is not copied if the array is in standard (row-major) layout.
    ///
    /// ```
    /// use eagerflow::{Tensor, ndarray};
    /// let array = ndarray::Array::from_shape_fn((2, 3), |(i, j)| (10 * i + j) as f32);
    /// let memory = array.as_ptr();
    /// let x = Tensor::try_from_array(array)?;
    /// assert_eq!(x.shape(), [2, 3]);
    /// assert_eq!(x.view::<f32>()?.as_ptr(), memory);
    /// # Ok::<(), eagerflow::Error>(())
    /// ```
    ///
    /// # Errors
    /// InvalidArgument for an array with more than 8 axes.
    #[track_caller]
    pub fn try_from_array<T: Element, D: Dimension>(array: Array<T, D>) -> Result<Self> {
        let here = Location::caller();
        let aligned = array.as_ptr().addr().is_multiple_of(T::DTYPE.size().min(8));
        if array.is_empty() || !array.is_standard_layout() || !aligned {
            return Self::try_from_view(array.view());
        }
        let ty = type_of(&array).map_err(|e| e.at(here))?;
        let mut array = array.into_dyn();
        let data = array.as_mut_ptr().cast();
        // SAFETY: the array owns its elements on the heap, wherever its handle is moved; they lie in row-major order
        // from `data` on, and nobody else has them.
        Ok(unsafe { Self::adopt(&ty, data, Box::new(array)) })
    }

    /// A copy of a borrowed array of any layout.
    ///
    /// ```
    /// use eagerflow::{Tensor, ndarray::array};
    /// let x = Tensor::try_from_view(array![[1, 2], [3, 4]].t())?;
    /// assert_eq!(x.to_vec::<i32>(), [1, 3, 2, 4]);
    /// # Ok::<(), eagerflow::Error>(())
    /// ```
    ///
    /// # Errors
    /// InvalidArgument for an array with more than 8 axes, ResourceExhausted without memory.
    #[track_caller]
    pub fn try_from_view<T: Element, D: Dimension>(array: ArrayView<'_, T, D>) -> Result<Self> {
        let here = Location::caller();
        let ty = type_of(&array).map_err(|e| e.at(here))?;
        let out = Self::uninit(&ty).map_err(|e| e.in_op("from_array").at(here))?;
        let target = out.data().cast::<T>();
        for (i, &value) in array.iter().enumerate() {
            // SAFETY: as many elements of this type as the fresh tensor has.
            unsafe { target.add(i).write(value) };
        }
        Ok(out)
    }

    /// The elements as a borrowed array, without a copy: the strides are the tensor's own.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    /// let turned = tf::transpose(&x, [1, 0]);
    /// assert_eq!(turned.view::<f32>()?, tf::ndarray::array![[1.0, 3.0], [2.0, 4.0]].into_dyn());
    /// assert_eq!(x.view::<f32>()?.sum_axis(tf::ndarray::Axis(0)), tf::ndarray::array![4.0, 6.0].into_dyn());
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Errors
    /// InvalidArgument if `T` is not the tensor's element type, FailedPrecondition for a value of a graph being recorded and
    /// for a tensor on a GPU.
    #[track_caller]
    pub fn view<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
        let here = Location::caller();
        self.check_type::<T>("view").and_then(lend).map_err(|e| e.at(here))
    }

    /// The elements as an owned array.
    ///
    /// They are copied, unless their memory was adopted from an array or a vector, all of it belongs to this tensor, and
    /// nobody else holds it.
    ///
    /// ```
    /// use eagerflow::{Tensor, ndarray::Array};
    /// let array = Array::from_elem((100, 100), 1.5);
    /// let memory = array.as_ptr();
    /// let back = Tensor::from(array).into_ndarray::<f64>()?;
    /// assert_eq!(back.as_ptr(), memory);
    /// # Ok::<(), eagerflow::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`view`](Self::view).
    #[track_caller]
    pub fn into_ndarray<T: Element>(self) -> Result<ArrayD<T>> {
        let here = Location::caller();
        self.check_type::<T>("into_ndarray").map_err(|e| e.at(here))?;
        let shape = IxDyn(self.shape().dims());
        let array = match self.give_back_array::<T>() {
            Ok(array) => array.into_shape_with_order(shape),
            Err(tensor) => match tensor.give_back_vec::<T>() {
                Ok(values) => ArrayD::from_shape_vec(shape, values),
                Err(tensor) => ArrayD::from_shape_vec(shape, tensor.try_to_vec().map_err(|e| e.at(here))?),
            },
        };
        array.map_err(|e| Error::internal("into_ndarray", e.to_string()).at(here))
    }

    /// The adopted array behind the elements, if they are all of it, in order, and nobody else holds it.
    fn give_back_array<T: Element>(self) -> std::result::Result<ArrayD<T>, Self> {
        match self.storage().and_then(|s| s.owner::<ArrayD<T>>()).map(|a| (a.as_ptr(), a.len())) {
            Some(place) if self.is_all_of(place) => self.take_owner(),
            _ => Err(self),
        }
    }

    /// As `give_back_array`, for a vector.
    fn give_back_vec<T: Element>(self) -> std::result::Result<Vec<T>, Self> {
        match self.storage().and_then(|s| s.owner::<Vec<T>>()).map(|v| (v.as_ptr(), v.len())) {
            Some(place) if self.is_all_of(place) => self.take_owner(),
            _ => Err(self),
        }
    }

    fn is_all_of<T: Element>(&self, (first, len): (*const T, usize)) -> bool {
        let same = self.address().cast_const().cast() == first && self.num_elements() == len;
        same && self.is_contiguous() && holds_values::<T>(self)
    }
}

/// Whether every byte is a value of `T`: kernels take any byte but 0 for `true`, Rust only 1.
fn holds_values<T: Element>(tensor: &Tensor) -> bool {
    if T::DTYPE != DType::Bool {
        return true;
    }
    let mut all = true;
    let view = crate::execute::view_of(tensor);
    kernels::backend::cpu::merge_dims::for_each_row(view.dims(), view.strides(), |offset, len, stride| {
        // SAFETY: offsets of elements of a live tensor with elements of one byte.
        all &= (0..len as isize).all(|i| unsafe { *view.ptr.offset(offset + i * stride) } <= 1);
    });
    all
}

/// A view of a concrete tensor with elements of type `T`.
fn lend<T: Element>(tensor: &Tensor) -> Result<ArrayViewD<'_, T>> {
    if tensor.is_away() {
        return Err(Error::failed_precondition("view", "the elements lie on another device")
            .got(tensor.device())
            .help("copy them here first: `let here = tensor.cpu();`"));
    }
    let dims = tensor.shape().dims();
    if tensor.num_elements() == 0 {
        return ArrayViewD::from_shape(IxDyn(dims), &[]).map_err(|e| Error::internal("view", e.to_string()));
    }
    if !holds_values::<T>(tensor) {
        return Err(Error::failed_precondition("view", "the memory holds truth values as other bytes than 0 and 1")
            .help("copy the elements with `to_vec` or `into_ndarray`"));
    }
    let mut first = tensor.data().cast_const().cast::<T>();
    let (strides, mut steps) = (tensor.strides(), [0; MAX_RANK]);
    let backward = |axis: usize| dims[axis] > 1 && strides[axis] < 0;
    for axis in 0..dims.len() {
        steps[axis] = strides[axis].unsigned_abs();
        if backward(axis) {
            // An array is made from its lowest address and then turned around.
            first = first.wrapping_offset(strides[axis] * (dims[axis] as isize - 1));
        }
    }
    let shape = IxDyn(dims).strides(IxDyn(&steps[..dims.len()]));
    // SAFETY: from the lowest address on, all elements are inside the tensor's memory, which lives and is not written
    // as long as the tensor is borrowed; they are values of `T`, and strides are not negative.
    let mut view = unsafe { ArrayViewD::from_shape_ptr(shape, first) };
    for axis in (0..dims.len()).filter(|&axis| backward(axis)) {
        view.invert_axis(Axis(axis));
    }
    Ok(view)
}

fn type_of<T: Element, S: Data<Elem = T>, D: Dimension>(array: &ArrayBase<S, D>) -> Result<TensorType> {
    Ok(TensorType::new(T::DTYPE, Shape::new(array.shape()).map_err(|e| e.in_op("from_array"))?))
}

/// Adopts an array in standard layout; others are copied. Panics as [`Tensor::try_from_array`] fails.
impl<T: Element, D: Dimension> From<Array<T, D>> for Tensor {
    #[track_caller]
    fn from(array: Array<T, D>) -> Self {
        Self::try_from_array(array).or_fail()
    }
}

/// Copies. Panics as [`Tensor::try_from_view`] fails.
impl<T: Element, D: Dimension> From<ArrayView<'_, T, D>> for Tensor {
    #[track_caller]
    fn from(array: ArrayView<'_, T, D>) -> Self {
        Self::try_from_view(array).or_fail()
    }
}

/// Copies. Panics as [`Tensor::try_from_view`] fails.
impl<T: Element, S: Data<Elem = T>, D: Dimension> From<&ArrayBase<S, D>> for Tensor {
    #[track_caller]
    fn from(array: &ArrayBase<S, D>) -> Self {
        Self::try_from_view(array.view()).or_fail()
    }
}

/// An array of a fixed number of axes or of any, as [`Tensor::into_ndarray`].
///
/// ```
/// use eagerflow::{self as tf, ndarray::Array2};
/// let array: Array2<f32> = tf::ones([2, 3]).try_into()?;
/// assert_eq!(array.dim(), (2, 3));
/// # Ok::<(), tf::Error>(())
/// ```
impl<T: Element, D: Dimension> TryFrom<Tensor> for Array<T, D> {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: Tensor) -> Result<Self> {
        let here = Location::caller();
        let ty = *tensor.ty();
        tensor.into_ndarray::<T>().map_err(|e| e.at(here))?.into_dimensionality().map_err(|_| {
            Error::invalid_argument("into_ndarray", "the array has another number of axes")
                .got(ty)
                .expected(format!("{} axes", D::NDIM.unwrap_or(0)))
                .at(here)
        })
    }
}

/// A copy of the elements as an array.
impl<T: Element, D: Dimension> TryFrom<&Tensor> for Array<T, D> {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: &Tensor) -> Result<Self> {
        tensor.clone().try_into()
    }
}

#[cfg(test)]
mod tests;
