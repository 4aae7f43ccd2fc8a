//! The stage that puts elements of several data sets side by side: `zip`, which ends with the shortest of them.
//! The data set puts it into its pipeline.

use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::error::Result;
use std::sync::Arc;

pub(in crate::data) struct Zip {
    pub inputs: Vec<Arc<dyn Stage>>,
}

impl Stage for Zip {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let ended = from.as_deref_mut().map_or(Ok(false), |from| from.flag())?;
        let begin = |stage| Values::begin(stage, from.as_deref_mut());
        Ok(Box::new(Zipping { passes: self.inputs.iter().map(begin).collect::<Result<_>>()?, ended }))
    }

    fn cardinality(&self) -> Cardinality {
        self.inputs.iter().map(|input| input.cardinality()).fold(Cardinality::Infinite, Cardinality::shorter)
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        let each: Option<Vec<Vec<TensorType>>> = self.inputs.iter().map(|input| input.types()).collect();
        side_by_side(&each?)
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &self.inputs
    }

    fn describe(&self) -> String {
        "zip".to_owned()
    }
}

/// The types of zipped elements. Open sizes of one data set have nothing to do with those of another.
pub(in crate::data) fn side_by_side(each: &[Vec<TensorType>]) -> Option<Vec<TensorType>> {
    let fresh = |types: &Vec<TensorType>| super::map::fresh(types).ok();
    Some(each.iter().map(fresh).collect::<Option<Vec<_>>>()?.concat())
}

struct Zipping {
    passes: Vec<Values>,
    ended: bool,
}

impl Pass for Zipping {
    fn next(&mut self) -> Result<Option<Item>> {
        if self.ended {
            return Ok(None);
        }
        // All of them move on, whichever fails: elements that belong together stay together.
        let (mut element, mut failed) = (Outputs::new(), None);
        for pass in &mut self.passes {
            match pass.next() {
                Ok(Some(values)) => element.extend(values),
                Ok(None) => {
                    self.ended = true;
                    return Ok(None);
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(Some(Item::Values(element))), Err)
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.flag(self.ended);
        self.passes.iter().try_for_each(|pass| pass.save(to))
    }
}
