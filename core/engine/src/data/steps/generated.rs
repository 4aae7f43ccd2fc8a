//! The stage over an iterator of the host: `from_generator`, whose closure makes a new one for each pass.
//! A pass that is resumed goes over the elements that were given before once more.

use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, guarded};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::sync::Arc;

/// An iterator over elements.
pub(in crate::data) type Elements = Box<dyn Iterator<Item = Result<Outputs>> + Send>;

pub(in crate::data) struct Generated {
    pub step: &'static str,
    pub make: Arc<dyn Fn() -> Result<Elements> + Send + Sync>,
    /// What the elements are told to be.
    pub types: Option<Vec<TensorType>>,
    pub cardinality: Cardinality,
    pub location: &'static Location<'static>,
}

impl Stage for Generated {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let step = self.step;
        let made = guarded(step, || (self.make)()).map_err(|e| e.at(self.location))?;
        let (types, location) = (self.types.clone(), self.location);
        let mut pass = Generating { step, elements: Some(made), given: 0, types, location };
        if let Some(from) = from {
            let (given, ended) = (from.number()?, from.flag()?);
            while pass.given < given {
                if pass.ask().is_none() {
                    return Err(from.damaged("the generator has fewer elements than were given"));
                }
            }
            if ended {
                pass.elements = None;
            }
        }
        Ok(Box::new(pass))
    }

    fn cardinality(&self) -> Cardinality {
        self.cardinality
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.types.clone()
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &[]
    }

    fn describe(&self) -> String {
        self.step.to_owned()
    }
}

struct Generating {
    step: &'static str,
    /// Nothing behind the end.
    elements: Option<Elements>,
    given: u64,
    types: Option<Vec<TensorType>>,
    location: &'static Location<'static>,
}

impl Generating {
    fn ask(&mut self) -> Option<Result<Outputs>> {
        let elements = self.elements.as_mut()?;
        let next = guarded(self.step, || Ok(elements.next()));
        let next = match next {
            Ok(None) => None,
            Ok(Some(element)) => Some(element),
            // Who has panicked is not asked again.
            Err(error) => {
                self.elements = None;
                self.given += 1;
                return Some(Err(error));
            }
        };
        match &next {
            Some(_) => self.given += 1,
            None => self.elements = None,
        }
        next
    }
}

/// An error unless an element is what the data set was told that its elements are.
fn check(step: &str, element: &Outputs, types: &[TensorType]) -> Result<()> {
    let fits = |(tensor, ty): (&crate::Tensor, &TensorType)| {
        tensor.dtype() == ty.dtype
            && tensor.rank() == ty.shape.rank()
            && tensor.shape().iter().zip(ty.shape.iter()).all(|(a, b)| a.can_equal(b))
    };
    if element.len() == types.len() && element.iter().zip(types).all(fits) {
        return Ok(());
    }
    let list = |types: Vec<String>| types.join(", ");
    Err(Error::invalid_argument(step, "an element is not what the data set's elements were said to be")
        .got(list(element.iter().map(|t| t.ty().to_string()).collect()))
        .expected(list(types.iter().map(ToString::to_string).collect())))
}

impl Pass for Generating {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(element) = self.ask() else { return Ok(None) };
        let element = element.and_then(|element| {
            self.types.as_ref().map_or(Ok(()), |types| check(self.step, &element, types)).map(|()| element)
        });
        element.map(|element| Some(Item::Values(element))).map_err(|e| e.at(self.location))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.given);
        to.flag(self.elements.is_none());
        Ok(())
    }
}
