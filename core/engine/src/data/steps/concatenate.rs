//! The stage that goes over data sets one after the other: `concatenate`.
//! The data set puts it into its pipeline.

use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::tensor::TensorType;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

pub(in crate::data) struct Concatenate {
    pub inputs: Vec<Arc<dyn Stage>>,
}

impl Stage for Concatenate {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let inputs = self.inputs.clone();
        let Some(from) = from else { return Ok(Box::new(Following { inputs, at: 0, pass: None })) };
        let at = from.at_most(inputs.len())?;
        let running = from.flag()? && at < inputs.len();
        let pass = running.then(|| Values::begin(&inputs[at], Some(from))).transpose()?;
        Ok(Box::new(Following { inputs, at, pass }))
    }

    fn cardinality(&self) -> Cardinality {
        self.inputs.iter().map(|input| input.cardinality()).fold(Cardinality::Known(0), Cardinality::plus)
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        let mut each = self.inputs.iter().map(|input| input.types());
        let first = each.next()??;
        each.try_fold(first, |all, next| common(&all, &next?))
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &self.inputs
    }

    fn describe(&self) -> String {
        "concatenate".to_owned()
    }
}

/// The types that elements of both fit, if there are any: sizes that differ are open.
pub(in crate::data) fn common(a: &[TensorType], b: &[TensorType]) -> Option<Vec<TensorType>> {
    let fit = |(a, b): (&TensorType, &TensorType)| a.dtype == b.dtype && a.shape.rank() == b.shape.rank();
    if a.len() != b.len() || !a.iter().zip(b).all(fit) {
        return None;
    }
    let mut open = crate::ir::fresh_sizes(a.iter().map(|ty| ty.shape.rank() as u32).sum());
    let mut size = |(a, b): (Dim, Dim)| {
        if a == b && a.is_known() {
            return a;
        }
        open += 1;
        Dim::unbacked(open - 1)
    };
    let mut both = |(a, b): (&TensorType, &TensorType)| {
        let sizes: Vec<Dim> = a.shape.iter().zip(b.shape.iter()).map(&mut size).collect();
        Some(TensorType::new(a.dtype, Shape::from_dims(&sizes).ok()?))
    };
    a.iter().zip(b).map(&mut both).collect()
}

struct Following {
    inputs: Vec<Arc<dyn Stage>>,
    at: usize,
    pass: Option<Values>,
}

impl Pass for Following {
    fn next(&mut self) -> Result<Option<Item>> {
        while let Some(stage) = self.inputs.get(self.at) {
            if let Some(pass) = &mut self.pass {
                if let Some(values) = pass.next()? {
                    return Ok(Some(Item::Values(values)));
                }
                self.pass = None;
                self.at += 1;
                continue;
            }
            // A data set that cannot begin is one error, behind which the next one follows.
            match Values::begin(stage, None) {
                Ok(pass) => self.pass = Some(pass),
                Err(error) => {
                    self.at += 1;
                    return Err(error);
                }
            }
        }
        Ok(None)
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.at as u64);
        to.flag(self.pass.is_some());
        self.pass.as_ref().map_or(Ok(()), |pass| pass.save(to))
    }
}
