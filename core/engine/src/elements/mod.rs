//! The elements of tensors on the host: reading them, arrays that are adopted, lent and given back, and their text.
//! Users call these methods of [`Tensor`](crate::Tensor); what lies on a device or in other strides is brought together first.

mod arrays;
mod reads;
pub(crate) mod strings;
pub(crate) mod text;
