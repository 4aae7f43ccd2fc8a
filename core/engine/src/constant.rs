//! Tensors from Rust values: scalars, nested arrays, vectors and slices, and adopted vectors.
//! `tf::constant` takes f32, i32 and bool, so that bare literals have TensorFlow's dtypes; `Tensor::from` takes all.

use crate::ops::NumberOf;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::{Complex, DType, Element, Number};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::IntoShape;
use std::panic::Location;

mod into;

pub use into::IntoTensor;

/// A number or a string, or a nested array, vector or slice of them, whose rows all have the same length.
#[diagnostic::on_unimplemented(
    message = "a tensor cannot be made of `{Self}`",
    label = "no number or string, nor an array, vector or slice of them",
    note = "`usize` and `isize` are no types of elements: write `n as i64`"
)]
pub trait Nested {
    /// The numbers' type, or that of strings.
    type Item: Part;
    /// Appends the sizes of all dimensions.
    #[doc(hidden)]
    fn sizes(&self, out: &mut Vec<usize>);
    /// Appends the numbers in row-major order; answers false where a row's sizes are not `sizes`.
    #[doc(hidden)]
    fn flatten(&self, sizes: &[usize], out: &mut Vec<Self::Item>) -> bool;
}

/// One element of what tensors are made of: a number, a truth value or a string.
#[doc(hidden)]
pub trait Part: Sized {
    /// The dtype of a tensor of these.
    const DTYPE: DType;
    /// The element as a number; a string is none.
    fn number(&self) -> Option<Number>;
    /// A tensor of these elements.
    #[track_caller]
    fn tensor(values: Vec<Self>, shape: &[usize]) -> Result<Tensor>;
}

impl Part for String {
    const DTYPE: DType = DType::String;

    fn number(&self) -> Option<Number> {
        None
    }

    #[track_caller]
    fn tensor(values: Vec<Self>, shape: &[usize]) -> Result<Tensor> {
        Tensor::of_strings(&values, &shape.into_shape().map_err(|e| e.in_op("constant"))?)
    }
}

impl Nested for str {
    type Item = String;
    fn sizes(&self, _: &mut Vec<usize>) {}
    fn flatten(&self, sizes: &[usize], out: &mut Vec<String>) -> bool {
        out.push(self.to_owned());
        sizes.is_empty()
    }
}

impl Nested for String {
    type Item = Self;
    fn sizes(&self, _: &mut Vec<usize>) {}
    fn flatten(&self, sizes: &[usize], out: &mut Vec<Self>) -> bool {
        self.as_str().flatten(sizes, out)
    }
}

macro_rules! scalars {
    ($($t:ty)*) => {$(
        impl Part for $t {
            const DTYPE: DType = <$t as Element>::DTYPE;
            fn number(&self) -> Option<Number> {
                Some(Element::number(*self))
            }
            #[track_caller]
            fn tensor(values: Vec<Self>, shape: &[usize]) -> Result<Tensor> {
                of_vec("constant", values, shape)
            }
        }

        impl Nested for $t {
            type Item = $t;
            fn sizes(&self, _: &mut Vec<usize>) {}
            fn flatten(&self, sizes: &[usize], out: &mut Vec<$t>) -> bool {
                out.push(*self);
                sizes.is_empty()
            }
        }
    )*};
}

scalars!(f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool half::f16 half::bf16 Complex<f32> Complex<f64>);

impl<T: Nested> Nested for [T] {
    type Item = T::Item;
    fn sizes(&self, out: &mut Vec<usize>) {
        out.push(self.len());
        if let Some(first) = self.first() {
            first.sizes(out);
        }
    }
    fn flatten(&self, sizes: &[usize], out: &mut Vec<T::Item>) -> bool {
        let Some((&len, rest)) = sizes.split_first() else { return false };
        len == self.len() && self.iter().all(|row| row.flatten(rest, out))
    }
}

macro_rules! rows {
    ($($generics:tt => $t:ty),*) => {$(
        rows!(@one $generics $t);
    )*};
    (@one [$($g:tt)*] $t:ty) => {
        impl<$($g)*> Nested for $t {
            type Item = T::Item;
            fn sizes(&self, out: &mut Vec<usize>) {
                self[..].sizes(out);
            }
            fn flatten(&self, sizes: &[usize], out: &mut Vec<T::Item>) -> bool {
                self[..].flatten(sizes, out)
            }
        }
    };
}

rows!([T: Nested, const N: usize] => [T; N], [T: Nested] => Vec<T>);

impl<T: Nested + ?Sized> Nested for &T {
    type Item = T::Item;
    fn sizes(&self, out: &mut Vec<usize>) {
        (**self).sizes(out);
    }
    fn flatten(&self, sizes: &[usize], out: &mut Vec<T::Item>) -> bool {
        (**self).flatten(sizes, out)
    }
}

/// What bare literals can be: `f32`, `i32`, `bool` and strings, and arrays, vectors and slices of them. With only these to
/// choose from, rustc reads `1.0` as `f32`.
#[diagnostic::on_unimplemented(
    message = "`constant` takes `f32`, `i32`, `bool` and strings, not `{Self}`",
    label = "neither `f32`, `i32`, `bool` nor a string, nor an array, vector or slice of them",
    note = "`Tensor::from(value)` keeps `f64`, `i64`, `u8` and all other types of numbers; `constant_of(value, DType::F32)` converts",
    note = "`usize` and `isize` are no types of elements: `Tensor::from(n as i64)`"
)]
pub trait Literal: Nested {}
impl Literal for f32 {}
impl Literal for i32 {}
impl Literal for bool {}
impl Literal for str {}
impl Literal for String {}
// As Python's complex numbers are `complex128`.
impl Literal for Complex<f64> {}
impl<T: Literal> Literal for [T] {}
impl<T: Literal, const N: usize> Literal for [T; N] {}
impl<T: Literal> Literal for Vec<T> {}
impl<T: Literal + ?Sized> Literal for &T {}

/// A tensor from a number or a string, or from nested arrays, vectors or slices of `f32`, `i32`, `bool` or strings.
///
/// Bare float literals are `float32` and bare integers `int32`, as in TensorFlow. Strings of bytes that are not UTF-8 come by
/// [`Tensor::try_from_byte_strings`]. Other dtypes: [`Tensor::from`], or
/// [`constant_of`]. Where operations run on a GPU, floats lie there from the start, unless they are one number.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::constant(1.5).dtype(), tf::DType::F32);
/// assert_eq!(tf::constant([[1, 2, 3], [4, 5, 6]]).shape(), [2, 3]);
/// assert_eq!(tf::constant(vec![true, false]).dtype(), tf::DType::Bool);
/// assert_eq!(tf::constant(["a", "b"]).dtype(), tf::string);
/// ```
///
/// # Panics
/// If rows have different lengths, or there are more than 8 dimensions.
#[track_caller]
pub fn constant<N: Literal>(value: N) -> Tensor {
    try_constant(value).or_fail()
}

/// [`constant`] that answers an error instead of panicking.
///
/// ```
/// use eagerflow as tf;
/// assert!(tf::try_constant(vec![vec![1, 2], vec![3]]).is_err());
/// ```
///
/// # Errors
/// InvalidArgument if rows have different lengths, or there are more than 8 dimensions.
#[track_caller]
pub fn try_constant<N: Literal>(value: N) -> Result<Tensor> {
    try_from_nested(&value).and_then(|made| crate::execute::placed(made, false))
}

/// A tensor of a given dtype from a number or nested arrays of numbers, as `tf.constant(value, dtype)`.
///
/// What the dtype cannot hold is refused: a fraction for integers, a number out of their range, numbers for truth values and
/// truth values for numbers. Floats are rounded to the dtype's digits. [`Tensor::cast`] converts whatever there is.
///
/// ```
/// use eagerflow as tf;
/// assert_eq!(tf::constant_of([1.5, 2.5], tf::DType::F64).to_vec::<f64>(), [1.5, 2.5]);
/// ```
///
/// # Panics
/// If rows have different lengths, there are more than 8 dimensions, or the dtype cannot hold a number.
#[track_caller]
pub fn constant_of<N: Nested>(value: N, dtype: DType) -> Tensor {
    try_constant_of(value, dtype).or_fail()
}

/// [`constant_of`] that answers an error instead of panicking.
///
/// # Errors
/// As [`try_constant`], and InvalidArgument for a dtype that holds no numbers, or not these.
#[track_caller]
pub fn try_constant_of<N: Nested>(value: N, dtype: DType) -> Result<Tensor> {
    let here = Location::caller();
    if let DType::Resource | DType::Variant = dtype {
        return Err(Error::invalid_argument("constant", "a handle holds no numbers").at(here));
    }
    let (flat, sizes) = flattened(&value)?;
    let own = <N::Item as Part>::DTYPE;
    if own != dtype && (own == DType::String || dtype == DType::String) {
        return Err(Error::invalid_argument("constant", "strings are no numbers, and numbers no strings")
            .got(format!("{own} for a tensor of {dtype}"))
            .help("`as_string` writes numbers as strings, `strings::to_number` reads them")
            .at(here));
    }
    // Numbers become floats as near as may be; everything else must fit.
    let rounded = own != DType::Bool && (dtype.is_complex() || (dtype.is_floating() && !own.is_complex()));
    if own != dtype && !rounded {
        let mut numbers = flat.iter().filter_map(Part::number);
        numbers.try_for_each(|number| number.bits("constant", dtype).map(drop)).map_err(|e| e.at(here))?;
    }
    let made = Part::tensor(flat, &sizes).and_then(|made| crate::ops::cast_to(&made, dtype));
    made.and_then(|made| crate::execute::placed(made, false)).map_err(|e| e.at(here))
}

#[track_caller]
fn try_from_nested<N: Nested>(value: &N) -> Result<Tensor> {
    let (flat, sizes) = flattened(value)?;
    Part::tensor(flat, &sizes)
}

/// The numbers in order, and the sizes.
#[track_caller]
fn flattened<N: Nested>(value: &N) -> Result<(Vec<N::Item>, Vec<usize>)> {
    let mut sizes = Vec::new();
    value.sizes(&mut sizes);
    let mut flat = Vec::new();
    if !value.flatten(&sizes, &mut flat) {
        return Err(Error::invalid_argument("constant", "the rows have different lengths")
            .expected(format!("all rows like the first: {sizes:?}"))
            .at(Location::caller()));
    }
    Ok((flat, sizes))
}

/// A tensor over the memory of a vector; small ones are copied into the tensor's own block.
#[track_caller]
fn of_vec<T: Element>(op: &str, values: Vec<T>, shape: impl IntoShape) -> Result<Tensor> {
    let here = Location::caller();
    let shape = shape.into_shape().map_err(|e| e.in_op(op).at(here))?;
    if shape.num_elements() != values.len() {
        return Err(Error::invalid_argument(op, "the shape has another number of elements than the vector")
            .got(format!("{} values", values.len()))
            .expected(format!("{} for shape {shape}", shape.num_elements()))
            .at(here));
    }
    let ty = TensorType::new(T::DTYPE, shape);
    // A copy costs less than keeping an owner for so little. Kernels move complex numbers whole, which asks for whole places.
    if ty.bytes() <= 256 || !values.as_ptr().addr().is_multiple_of(T::DTYPE.size().min(8)) {
        let out = Tensor::uninit(&ty).map_err(|e| e.in_op(op).at(here))?;
        // SAFETY: as many elements of this type as the fresh tensor has.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), out.data().cast::<T>(), values.len()) };
        return Ok(out);
    }
    let mut values = values;
    let data = values.as_mut_ptr().cast();
    // SAFETY: the vector owns the memory wherever its handle is moved, and nobody else has it.
    Ok(unsafe { Tensor::adopt(&ty, data, Box::new(values)) })
}

impl Tensor {
    /// A tensor over the memory of a vector, which is not copied unless it is small.
    ///
    /// ```
    /// use eagerflow::Tensor;
    /// let x = Tensor::try_from_vec(vec![1u8, 2, 3, 4], [2, 2]).unwrap();
    /// assert_eq!(x.shape(), [2, 2]);
    /// assert!(Tensor::try_from_vec(vec![1u8, 2, 3], [2, 2]).is_err());
    /// ```
    ///
    /// # Errors
    /// InvalidArgument if the shape has another number of elements.
    #[track_caller]
    pub fn try_from_vec<T: Element>(values: Vec<T>, shape: impl IntoShape) -> Result<Self> {
        of_vec("from_vec", values, shape)
    }

    /// A copy of a slice.
    ///
    /// ```
    /// use eagerflow::Tensor;
    /// let values = [1.5_f64; 6];
    /// assert_eq!(Tensor::try_from_slice(&values, [3, 2])?.shape(), [3, 2]);
    /// # Ok::<(), eagerflow::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`try_from_vec`](Self::try_from_vec).
    #[track_caller]
    pub fn try_from_slice<T: Element>(values: &[T], shape: impl IntoShape) -> Result<Self> {
        of_vec("from_slice", values.to_vec(), shape)
    }
}

/// Nested arrays, vectors and slices of any element type, without a conversion: `Tensor::from([1.0f64, 2.0])`.
impl<N: Nested> From<N> for Tensor {
    #[track_caller]
    fn from(value: N) -> Self {
        try_from_nested(&value).or_fail()
    }
}

/// A vector of what an iterator gives.
///
/// ```
/// use eagerflow::Tensor;
/// let squares: Tensor = (1..=4).map(|i| i * i).collect();
/// assert_eq!(squares.to_vec::<i32>(), [1, 4, 9, 16]);
/// ```
impl<T: Element> FromIterator<T> for Tensor {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values: Vec<T> = values.into_iter().collect();
        let len = values.len();
        of_vec("from_iter", values, len).or_fail()
    }
}

#[cfg(test)]
mod tests;
