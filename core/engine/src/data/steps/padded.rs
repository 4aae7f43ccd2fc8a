//! The stage that fills elements up to one shape and puts them together: `padded_batch`.
//! Each component has the greatest sizes of its batch, or those it is told.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::pipeline::named_alike;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::data::steps::batch::stacked;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::ops;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;
use std::sync::Arc;

/// What elements are filled up to.
#[derive(Clone)]
pub(in crate::data) struct Padding {
    /// For each component, a size or none for the greatest of the batch along each axis; none at all for the greatest throughout.
    pub shapes: Option<Vec<Vec<Option<usize>>>>,
    /// For each component what it is filled with; zeros and empty strings without.
    pub values: Option<Vec<Tensor>>,
}

pub(in crate::data) struct PaddedBatch {
    pub before: Arc<dyn Stage>,
    pub size: usize,
    pub exact: bool,
    pub padding: Padding,
    pub location: &'static Location<'static>,
}

impl Stage for PaddedBatch {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let Self { size, exact, location, .. } = *self;
        let (before, padding) = (Values::begin(&self.before, from)?, self.padding.clone());
        Ok(Box::new(Filling { before, padding, size, exact, location }))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality().map(|count| if self.exact { count / self.size } else { count.div_ceil(self.size) })
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        padded(&self.before.types()?, self.size, self.exact, &self.padding).ok()
    }

    one_input!();

    fn describe(&self) -> String {
        let shapes = self.padding.shapes.as_ref().map_or(String::new(), |shapes| format!(", {shapes:?}"));
        format!("padded_batch{}({}{shapes})", if self.exact { "_exact" } else { "" }, self.size)
    }
}

/// The types of padded batches of elements.
pub(in crate::data) fn padded(
    types: &[TensorType],
    size: usize,
    exact: bool,
    padding: &Padding,
) -> Result<Vec<TensorType>> {
    let types = named_alike(types)?;
    let mut open: u32 = types.iter().map(|ty| ty.shape.rank() as u32).sum();
    let rows = if exact { Dim::known(size) } else { Dim::unbacked(open) };
    let mut batched = Vec::new();
    for (c, ty) in types.iter().enumerate() {
        let mut sizes = vec![rows];
        for (axis, own) in ty.shape.iter().enumerate() {
            let told = padding.shapes.as_ref().and_then(|shapes| *shapes.get(c)?.get(axis)?);
            sizes.push(match (told, own.is_known()) {
                (Some(size), _) => Dim::known(size),
                (None, true) => own,
                (None, false) => {
                    open += 1;
                    Dim::unbacked(open)
                }
            });
        }
        batched.push(TensorType::new(ty.dtype, Shape::from_dims(&sizes)?));
    }
    Ok(batched)
}

struct Filling {
    before: Values,
    padding: Padding,
    size: usize,
    exact: bool,
    location: &'static Location<'static>,
}

impl Pass for Filling {
    fn next(&mut self) -> Result<Option<Item>> {
        let mut elements = Vec::new();
        while elements.len() < self.size {
            match self.before.next()? {
                Some(element) => elements.push(element),
                None => break,
            }
        }
        if elements.is_empty() || self.exact && elements.len() < self.size {
            return Ok(None);
        }
        let batch = self.padding.fill(elements).and_then(|elements| stacked("padded_batch", &elements));
        batch.map(|batch| Some(Item::Values(batch))).map_err(|e| e.at(self.location))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.before.save(to)
    }
}

impl Padding {
    /// The elements, filled up.
    fn fill(&self, mut elements: Vec<Outputs>) -> Result<Vec<Outputs>> {
        let components = elements[0].len();
        for c in 0..components {
            let sizes = self.sizes(&elements, c)?;
            let value = self.values.as_ref().and_then(|values| values.get(c));
            for element in &mut elements {
                element[c] = filled_up(&element[c], &sizes, value)?;
            }
        }
        Ok(elements)
    }

    /// The sizes that component `c` has in the batch.
    fn sizes(&self, elements: &[Outputs], c: usize) -> Result<Vec<usize>> {
        let rank = elements[0][c].rank();
        if let Some(other) = elements.iter().find(|element| element[c].rank() != rank) {
            return Err(Error::invalid_argument(
                "padded_batch",
                format!("component {c} has not the same rank in all elements"),
            )
            .got(format!("{} and {}", elements[0][c].ty(), other[c].ty())));
        }
        let told = match &self.shapes {
            None => vec![None; rank],
            Some(shapes) => shapes.get(c).cloned().unwrap_or_default(),
        };
        if told.len() != rank {
            return Err(Error::invalid_argument(
                "padded_batch",
                format!("the padded shape of component {c} has another rank"),
            )
            .got(format!("{} sizes for {}", told.len(), elements[0][c].ty()))
            .expected(format!("{rank} sizes")));
        }
        let size = |(axis, told): (usize, Option<usize>)| {
            let greatest = elements.iter().map(|element| element[c].shape()[axis]).max().unwrap_or(0);
            match told {
                Some(size) if size < greatest => Err(Error::invalid_argument(
                    "padded_batch",
                    format!("an element is larger than the padded shape along axis {axis}"),
                )
                .got(greatest)
                .expected(format!("at most {size}"))),
                told => Ok(told.unwrap_or(greatest)),
            }
        };
        told.into_iter().enumerate().map(size).collect()
    }
}

/// A tensor with more behind its ends.
fn filled_up(x: &Tensor, sizes: &[usize], value: Option<&Tensor>) -> Result<Tensor> {
    if x.shape().dims() == sizes {
        return Ok(x.clone());
    }
    let value = match value {
        Some(value) if value.dtype() == x.dtype() && value.rank() == 0 => value.clone(),
        Some(value) => {
            return Err(Error::invalid_argument("padded_batch", "the padding value does not fit its component")
                .got(value.ty())
                .expected(format!("{}[]", x.dtype())));
        }
        None if x.dtype() == DType::String => Tensor::from(""),
        None => crate::constant::try_constant_of(0, x.dtype())?,
    };
    // Axis by axis: fillings of strings go the same way.
    let mut whole = x.clone();
    for (axis, &size) in sizes.iter().enumerate() {
        let own = whole.shape()[axis];
        if own < size {
            let mut missing = whole.shape().dims().to_vec();
            missing[axis] = size - own;
            let more = ops::functions::try_broadcast_to(&value, missing)?;
            whole = ops::concat_all(&[&whole, &more], axis)?;
        }
    }
    Ok(whole)
}
