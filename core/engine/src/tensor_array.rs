//! [`TensorArray`]: a list of tensors that loops of traced functions write and read by index. TensorFlow's `tf.TensorArray`.
//! Outside of traces it is a plain list; in a graph it is a list value that moves from operation to operation.

mod read;

use crate::builder;
use crate::execute::execute;
use crate::lists::items::Set;
use crate::lists::whole::{Len, Reserve, UnstackList};
use crate::lists::{List, WRITE, outside};
use crate::ops::{AsTensor, Operand, ToOperand};
use crate::structure::{Leaves, Nest};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, OrFail, Result};
use kernels::shape::{Dim, IntoShape, Shape, Symbol};
use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

/// A list of tensors of one dtype and shape, written and read by index, whose length may be known only when a graph runs.
///
/// Writing gives the list anew, as in TensorFlow: assign it to the variable. Every item is written once or more; items that
/// were not written are zeros.
///
/// ```
/// use eagerflow::{self as tf, DType, Tensor, TensorArray, tf_function};
///
/// #[tf_function]
/// fn powers(x: &Tensor, n: &Tensor) -> Tensor {
///     let mut all = TensorArray::new(DType::F32, n);
///     let mut power = tf::constant(1.0);
///     for i in tf::range(0, n, 1) {
///         all = all.write(&i, &power);
///         power = power * x;
///     }
///     all.stack()
/// }
///
/// assert_eq!(powers(&tf::constant(2.0), &tf::constant(4)).to_vec::<f32>(), [1.0, 2.0, 4.0, 8.0]);
/// ```
#[derive(Clone)]
pub struct TensorArray {
    items: Items,
    dtype: DType,
    dynamic: bool,
    /// The shape of an item, known after the first write; shared by all states of the list.
    element: Arc<Mutex<Option<Shape>>>,
}

#[derive(Clone)]
enum Items {
    Host(Arc<Vec<Option<Tensor>>>),
    Graph(Tensor),
}

impl TensorArray {
    /// A list of `size` items.
    ///
    /// # Panics
    /// If `size` is not an integer scalar, or negative.
    #[track_caller]
    pub fn new(dtype: DType, size: impl ToOperand) -> Self {
        Self::try_new(dtype, size).or_fail()
    }

    /// A list of `size` items.
    ///
    /// # Errors
    /// InvalidArgument if `size` is not an integer scalar, or negative.
    #[track_caller]
    pub fn try_new(dtype: DType, size: impl ToOperand) -> Result<Self> {
        let here = Location::caller();
        let items = reserved(size.to_operand()).map_err(|e| e.at(here))?;
        Ok(Self { items, dtype, dynamic: false, element: Arc::default() })
    }

    /// Lets writes behind the end make the list longer, as TensorFlow's `dynamic_size=True`.
    pub fn dynamic(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// Says which shape the items have, for lists that are read before they are written.
    ///
    /// # Panics
    /// If the shape is none.
    #[track_caller]
    pub fn element_shape(self, shape: impl IntoShape) -> Self {
        let shape = shape.into_shape().or_fail();
        *self.element.lock().unwrap_or_else(PoisonError::into_inner) = Some(shape);
        self
    }

    /// The slices of a tensor along its first axis, as a list.
    ///
    /// # Panics
    /// If the tensor is a scalar.
    #[track_caller]
    pub fn unstack(value: impl AsTensor) -> Self {
        let value = value.as_tensor();
        let list = execute(&UnstackList, &[&*value]).or_fail().remove(0);
        let element = Shape::from_dims(&value.shape().sizes()[1..]).or_fail();
        let items = match list.as_object::<List>() {
            Some(List::Full(items)) => Items::Host(Arc::new(items.clone())),
            _ => Items::Graph(list),
        };
        Self { items, dtype: value.dtype(), dynamic: false, element: Arc::new(Mutex::new(Some(element))) }
    }

    /// The list with `value` as item `index`.
    ///
    /// # Panics
    /// As [`try_write`](Self::try_write) fails.
    #[track_caller]
    #[must_use = "writing gives the list anew: assign it, `list = list.write(i, &x)`"]
    pub fn write(self, index: impl ToOperand, value: impl AsTensor) -> Self {
        self.try_write(index, value).or_fail()
    }

    /// The list with `value` as item `index`.
    ///
    /// # Errors
    /// InvalidArgument for a value of another dtype or shape than the other items; OutOfRange for an index behind the end
    /// of a list that is not dynamic.
    #[track_caller]
    pub fn try_write(mut self, index: impl ToOperand, value: impl AsTensor) -> Result<Self> {
        let (here, value) = (Location::caller(), value.as_tensor());
        self.note(&value).map_err(|e| e.at(here))?;
        let index = index.to_operand().tensor(WRITE, DType::I32).map_err(|e| e.at(here))?;
        self.items = match self.items {
            Items::Host(items) if !index.is_symbol() && builder::current().is_none() => {
                let mut items = Arc::try_unwrap(items).unwrap_or_else(|shared| (*shared).clone());
                put(&mut items, &index, &value, self.dynamic).map_err(|e| e.at(here))?;
                Items::Host(Arc::new(items))
            }
            items => {
                let list = staged(items);
                let op = Set { present: true, grows: self.dynamic };
                Items::Graph(execute(&op, &[&list, &index, &value])?.remove(0))
            }
        };
        Ok(self)
    }

    /// The number of items, an `int32` scalar.
    ///
    /// # Panics
    /// Without memory.
    #[track_caller]
    pub fn size(&self) -> Tensor {
        execute(&Len, &[&staged(self.items.clone())]).or_fail().remove(0)
    }

    /// The dtype of the items.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Learns the shape of items from a value that is written.
    fn note(&self, value: &Tensor) -> Result<()> {
        if value.dtype() != self.dtype {
            return Err(Error::invalid_argument(WRITE, "the value has another dtype than the list")
                .got(value.dtype())
                .expected(self.dtype)
                .help("convert it with `cast`"));
        }
        let mut known = self.element.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |d: Dim| d.symbols().iter().any(|s| matches!(s, Symbol::Unbacked(_)));
        match *known {
            Some(shape) if shape.rank() != value.rank() || clash(&shape, value.shape()) => {
                Err(Error::invalid_argument(WRITE, "the value has another shape than the other items")
                    .got(value.shape())
                    .expected(shape))
            }
            Some(_) => Ok(()),
            None => {
                let sizes: Vec<Dim> = value
                    .shape()
                    .iter()
                    .map(|d| if open(d) { Dim::unbacked(crate::ir::fresh_sizes(1)) } else { d })
                    .collect();
                *known = Some(Shape::from_dims(&sizes)?);
                Ok(())
            }
        }
    }

    fn item_type(&self) -> Result<TensorType> {
        let known = *self.element.lock().unwrap_or_else(PoisonError::into_inner);
        let shape = known.ok_or_else(|| {
            Error::failed_precondition("TensorArray", "the shape of the items is not known: nothing was written yet")
                .help("say it: `TensorArray::new(dtype, size).element_shape([..])`")
        })?;
        Ok(TensorType::new(self.dtype, shape))
    }
}

fn clash(a: &Shape, b: &Shape) -> bool {
    a.iter().zip(b.iter()).any(|(x, y)| x.is_known() && y.is_known() && x != y)
}

#[track_caller]
fn number(op: &str, index: &Tensor) -> Result<usize> {
    let index = crate::ops::cast_to(index, DType::I64)?.try_item::<i64>().map_err(|e| e.named(op))?;
    usize::try_from(index).map_err(|_| Error::out_of_range(op, "a negative index").got(index).expected("0 or more"))
}

/// So many items, none of them written.
#[track_caller]
fn reserved(size: Operand<'_>) -> Result<Items> {
    let size = size.tensor("TensorArray", DType::I32)?;
    if builder::current().is_some() {
        return Ok(Items::Graph(execute(&Reserve, &[&size])?.remove(0)));
    }
    let count = crate::ops::cast_to(&size, DType::I64)?.try_item::<i64>().map_err(|e| e.in_op("TensorArray"))?;
    let count = usize::try_from(count)
        .map_err(|_| Error::invalid_argument("TensorArray", "a negative size").got(count).expected("0 or more"))?;
    let mut items = Vec::new();
    lengthen(&mut items, count)?;
    Ok(Items::Host(Arc::new(items)))
}

/// Writes an item; a list that is `dynamic` becomes as long as that takes.
#[track_caller]
fn put(items: &mut Vec<Option<Tensor>>, index: &Tensor, value: &Tensor, dynamic: bool) -> Result<()> {
    let at = number(WRITE, index)?;
    if at >= items.len() {
        if !dynamic {
            return Err(outside(WRITE, at, items.len()));
        }
        lengthen(items, at.saturating_add(1))?;
    }
    items[at] = Some(value.clone());
    Ok(())
}

/// Items that were not written, up to `count`, or an error where memory does not hold as many.
fn lengthen(items: &mut Vec<Option<Tensor>>, count: usize) -> Result<()> {
    items.try_reserve(count - items.len()).map_err(|_| {
        Error::resource_exhausted("TensorArray", "there is no memory for so many items").got(format!("{count} items"))
    })?;
    items.resize(count, None);
    Ok(())
}

/// The list as a value that operations take.
fn staged(items: Items) -> Tensor {
    match items {
        Items::Graph(list) => list,
        Items::Host(items) => {
            List::Full(Arc::try_unwrap(items).unwrap_or_else(|shared| (*shared).clone())).into_tensor()
        }
    }
}

impl Nest for TensorArray {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        match &self.items {
            Items::Graph(list) => leaves.tensor(list),
            Items::Host(items) => leaves.tensor(&List::Full((**items).clone()).into_tensor()),
        }
        leaves.value(&(self.dtype as u8, self.dynamic));
    }
    fn map(&self, with: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        let list = with(&staged(self.items.clone()));
        let items = match list.as_object::<List>() {
            Some(List::Full(items)) => Items::Host(Arc::new(items.clone())),
            _ => Items::Graph(list),
        };
        Self { items, dtype: self.dtype, dynamic: self.dynamic, element: self.element.clone() }
    }
}

impl std::fmt::Debug for TensorArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.items {
            Items::Host(items) => write!(f, "<TensorArray of {} {}>", items.len(), self.dtype),
            Items::Graph(_) => write!(f, "<TensorArray of {}, a value of a graph>", self.dtype),
        }
    }
}
