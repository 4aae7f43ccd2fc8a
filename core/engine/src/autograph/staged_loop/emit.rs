//! The end of a loop of the graph: condition, body and jumps become one `while` operation.
//! Called when a pass over the body found types that fit all rounds.

use super::jumps::Carried;
use super::{Ended, Leave, Side, StagedLoop, merge, state};
use crate::autodiff::outer_tape::{Rounds, missed};
use crate::builder::Builder;
use crate::builder::{self, align};
use crate::constant::try_constant_of;
use crate::execute::execute_at;
use crate::graph::control::While;
use crate::graph::control::early_reads::read_early;
use crate::graph::differentiate::replay;
use crate::ir::Graph;
use crate::ops;
use crate::structure::Place;
use crate::tensor::local::InName;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::rc::Rc;
use std::sync::Arc;

impl StagedLoop {
    /// Records the loop, and puts its results into the state.
    pub(super) fn emit(
        &mut self,
        body: &Rc<Builder>,
        fell: Option<Vec<Tensor>>,
        leaving: Vec<Leave>,
        head: &mut [Place<'_>],
    ) -> Result<Ended> {
        self.check_tapes(body, fell.as_deref())?;
        let _name = InName::of(Some(self.location));
        let mut state = match &fell {
            Some(fell) => fell.clone(),
            None => self.params.clone(),
        };
        self.choose(body, &leaving, &mut state)?;
        let carried = self.carried(body, &leaving)?;
        let mut first = self.before.tensors.clone();
        self.choose(&self.outer, &self.pending, &mut first)?;
        let mut types = self.types.clone();
        let mut results = state;
        for jump in &carried {
            first.push(jump.first.0.clone());
            first.extend(jump.first.1.iter().cloned());
            types.push(TensorType::scalar(DType::Bool));
            types.extend(&jump.types);
            results.push(jump.round.0.clone());
            results.extend(jump.round.1.iter().cloned());
        }
        let condition = self.whole_condition(&types, &carried)?;
        let mut closed = vec![condition, body.finish(&results)?];
        let mut captures = align(&mut closed)?;
        let mut graphs: Vec<Graph> = closed.into_iter().map(|c| c.graph).collect();
        read_early(&mut graphs, first.len(), &mut captures)?;
        let mut graphs = graphs.into_iter().map(Arc::new);
        let mut next = || graphs.next().ok_or_else(|| Error::internal("while", "a body is missing"));
        let op = While::new(next()?, next()?, first.len());
        let inputs: Vec<&Tensor> = first.iter().chain(&captures).collect();
        let outputs = execute_at(&op, &inputs, self.location)?;
        self.before.restore(head);
        state::put(head, &outputs[..self.types.len()]);
        self.leave(&outputs[self.types.len()..], &carried)
    }

    /// The loop's condition: none of the flags is set, and then the user's own.
    fn whole_condition(&mut self, types: &[TensorType], carried: &[Carried]) -> Result<builder::Closed> {
        let (own, value) =
            self.condition.take().ok_or_else(|| Error::internal("while", "a loop without a condition"))?;
        let own = own.finish(&[value])?;
        let whole = self.outer.inside("while_cond");
        let params: Vec<Tensor> = types.iter().map(|ty| whole.param(ty)).collect();
        let mut arguments = params[..self.types.len()].to_vec();
        arguments.extend(own.captures);
        let result = whole.record_in(|| {
            let mut any: Option<Tensor> = None;
            let mut at = self.types.len();
            for jump in carried {
                any = Some(match any {
                    None => params[at].clone(),
                    Some(any) => ops::functions::try_logical_or(&any, &params[at])?,
                });
                at += 1 + jump.types.len();
            }
            let Some(any) = any else { return Ok(replay(&own.graph, &arguments)?.remove(0)) };
            let side = |name: &str| whole.inside(name);
            let (stop, go) = (side("stop"), side("go"));
            let holds = go.record_in(|| replay(&own.graph, &arguments))?;
            let stopped = vec![try_constant_of(false, DType::Bool)?];
            let sides = [
                Side { builder: stop, leaving: Vec::new(), fell: Some(stopped) },
                Side { builder: go, leaving: Vec::new(), fell: Some(holds) },
            ];
            let merged = merge(&any, sides, None, self.location, &|_| String::new())?;
            Ok::<_, Error>(merged.fell.unwrap_or_default().remove(0))
        })?;
        whole.finish(&[result])
    }

    /// Fails where a tape that is older than the loop was asked inside of it for what earlier rounds did.
    fn check_tapes(&self, body: &Rc<Builder>, fell: Option<&[Tensor]>) -> Result<()> {
        let condition = self.condition.as_ref().map(|(condition, _)| condition);
        let rounds = Rounds { condition, body, first: &self.before.tensors, next: fell };
        let Some(missed) = missed(&rounds) else { return Ok(()) };
        let name = self.before.name_of(missed.state);
        let what = format!(
            "this gradient goes through `{name}`, which comes from earlier rounds of the loop at line {}; what they did is \
             not known while a round is recorded",
            self.location.line()
        );
        Err(Error::invalid_argument("gradient", what)
            .expected("a tape that begins in the round, or one that is asked after the loop")
            .help(format!(
                "take the gradient after the loop, begin the tape inside of it, or write `tf::stop_gradient(&{name})` where \
                 earlier rounds shall not count"
            ))
            .variable(&name)
            .at(missed.location))
    }
}
