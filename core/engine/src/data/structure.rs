//! What an element of a dataset can be: a tensor, a tuple of elements, or a vector of tensors.
//! Datasets keep elements as lists of tensors and give them to users in this form.

use crate::tensor::Tensor;

/// The form of a dataset's elements: `Tensor`, tuples of up to four such forms, or `Vec<Tensor>` at the end.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::Dataset;
/// let (points, names) = (tf::constant([[1.0, 2.0], [3.0, 4.0]]), tf::constant([7, 8]));
/// let pairs: Dataset<(tf::Tensor, tf::Tensor)> = Dataset::from_tensor_slices((points, names));
/// let (point, name) = pairs.iter().next().unwrap();
/// assert_eq!((point.to_vec::<f32>(), name.item::<i32>()), (vec![1.0, 2.0], 7));
/// ```
pub trait Structure: Sized + 'static {
    /// Appends the tensors in order.
    #[doc(hidden)]
    fn flatten(self, out: &mut Vec<Tensor>);
    /// Takes as many tensors as the form has; `None` if there are too few.
    #[doc(hidden)]
    fn unflatten(from: &mut dyn Iterator<Item = Tensor>) -> Option<Self>;
}

impl Structure for Tensor {
    fn flatten(self, out: &mut Vec<Tensor>) {
        out.push(self);
    }
    fn unflatten(from: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
        from.next()
    }
}

impl Structure for Vec<Tensor> {
    fn flatten(self, out: &mut Vec<Tensor>) {
        out.extend(self);
    }
    fn unflatten(from: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
        Some(from.collect())
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Structure),*> Structure for ($($name,)*) {
            fn flatten(self, out: &mut Vec<Tensor>) {
                $(self.$index.flatten(out);)*
            }
            fn unflatten(from: &mut dyn Iterator<Item = Tensor>) -> Option<Self> {
                Some(($($name::unflatten(from)?,)*))
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
