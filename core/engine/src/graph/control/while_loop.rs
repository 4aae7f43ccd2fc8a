//! `while`: a graph run as long as another one says so. TensorFlow's `tf.while_loop` on recorded bodies.
//! Under a tape it is recorded in a form that collects what its gradient reads; the gradient is in `while_gradient`.

use super::captured;
use super::cond::output_seen;
use super::gradient::pack;
use super::while_gradient::{Saved, WhileRule};
use crate::builder::Builder;
use crate::execute::{checks_numerics, dense, execute, execute_at, is_number};
use crate::graph::differentiate::{Pair, dependent, differentiate, params_like, replay};
use crate::graph::run::{self, reads_param};
use crate::graph::scalar_loop::{Ran, ScalarLoop};
use crate::ir::Graph;
use crate::ir::sizes::Sizes;
use crate::lists::List;
use crate::lists::items::Push;
use crate::op::{Attr, ControlOp, Flow, Gradient, Infer, Kind, Op, OpRef, Operands, Outputs, identity};
use crate::tape::Unseen;
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cuda;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::{SmallVec, smallvec};
use std::panic::Location;
use std::sync::{Arc, OnceLock};

/// Inputs: `carried` values that change from round to round, then those that stay. Outputs: the carried values at the end.
///
/// Both graphs have all inputs as parameters; `cond` gives a truth value, `body` the carried values of the next round.
#[derive(Clone)]
pub(crate) struct While {
    pub cond: Arc<Graph>,
    pub body: Arc<Graph>,
    pub carried: usize,
    /// The loop in registers, if it is one over numbers; made when it first runs, shared by all copies.
    compiled: Arc<OnceLock<Option<ScalarLoop>>>,
}

impl While {
    /// The loop as a program over registers, if it computes with numbers alone.
    fn in_registers(&self) -> Option<&ScalarLoop> {
        self.compiled.get_or_init(|| ScalarLoop::compile(&self.cond, &self.body, self.carried)).as_ref()
    }
}

/// A loop over numbers as a program over registers.
pub(crate) fn in_registers(op: &dyn Op) -> Option<&ScalarLoop> {
    op.downcast::<While>()?.in_registers()
}

impl Op for While {
    identity!("while", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("cond", Attr::Int(self.cond.id as i64));
        visit("body", Attr::Int(self.body.id as i64));
        visit("carried", Attr::Int(self.carried as i64));
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        if self.body.params.len() != cx.len() || self.cond.params.len() != cx.len() {
            return Err(Error::internal("while", "a body with another number of parameters"));
        }
        for (ty, result) in self.body.param_types().take(self.carried).zip(self.body.result_types()) {
            if ty.dtype != result.dtype || ty.shape.rank() != result.shape.rank() {
                return Err(Error::internal("while", "a value changes its type from round to round")
                    .got(result)
                    .expected(ty));
            }
            output_seen(cx, ty)?;
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for While {
    fn host(&self, mut inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
        if let Some(compiled) = self.in_registers().filter(|_| !checks_numerics()) {
            inputs = match compiled.run(inputs)? {
                Ran::Done(outputs) => return Ok(outputs.into_iter().collect()),
                Ran::Not(inputs) => inputs,
            };
        }
        // What rounds read in another order, or repeated, is put in order once.
        for input in
            inputs.iter_mut().filter(|input| input.dtype().size() > 0 && !input.is_row_major() && !is_number(input))
        {
            *input = dense(input)?;
        }
        if cuda::capturing() {
            return captured::repeat(self, inputs, sizes);
        }
        let fixed: Operands = inputs.drain(self.carried..).collect();
        let mut carried = inputs;
        loop {
            let operands: Operands = carried.iter().chain(&fixed).cloned().collect();
            let sizes = Sizes::within(sizes);
            if !run::run(&self.cond, operands, &sizes)?.remove(0).try_item::<bool>()? {
                return Ok(carried.into_iter().collect());
            }
            carried.extend(fixed.iter().cloned());
            carried = run::run(&self.body, carried, &sizes)?.into_iter().collect();
        }
    }

    fn run_for_gradient(
        &self,
        inputs: &[&Tensor],
        needs: &[bool],
        location: &'static Location<'static>,
    ) -> Result<Option<(OpRef, Outputs)>> {
        let mut active = needs.to_vec();
        // What depends on something active becomes active, round after round.
        loop {
            let depends = dependent(&self.body, &active);
            let grown: Vec<usize> = (0..self.carried).filter(|&i| depends[i] && !active[i]).collect();
            if grown.is_empty() {
                break;
            }
            grown.into_iter().for_each(|i| active[i] = true);
        }
        let pair = differentiate(&self.body, &active, self.carried)?;
        let saved = Saved::of(&pair, self.carried);
        let saving = Self::new(self.saving_cond()?, self.saving_body(&pair, &saved)?, self.carried + 2);
        let _unseen = Unseen::start();
        let count = crate::constant::try_constant_of(0i64, DType::I64)?;
        let list = List::Full(Vec::new()).into_tensor();
        let mut operands: Vec<&Tensor> = vec![&count, &list];
        operands.extend(inputs);
        let mut results = execute_at(&saving, &operands, location)?;
        let mut bundle: Vec<Tensor> = results.drain(..2).collect();
        bundle.extend(saved.fixed().map(|i| inputs[i].clone()));
        results.insert(0, pack(&bundle)?);
        let rule = WhileRule { pair: Arc::new(pair), saved, carried: self.carried };
        Ok(Some((OpRef::Shared(Arc::new(rule)), results)))
    }

    fn reads(&self, index: usize) -> bool {
        reads_param(&self.body, index) || reads_param(&self.cond, index)
    }

    fn flow(&self) -> Option<Flow> {
        Some(Flow::Loop { carried: self.carried })
    }

    fn with_bodies(&self, bodies: &[Arc<Graph>]) -> Option<OpRef> {
        let [cond, body] = bodies else { return None };
        Some(OpRef::Shared(Arc::new(Self::new(cond.clone(), body.clone(), self.carried))))
    }

    fn bodies(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.cond, &self.body]
    }
}

fn count_type() -> TensorType {
    TensorType::scalar(DType::I64)
}

impl While {
    pub fn new(cond: Arc<Graph>, body: Arc<Graph>, carried: usize) -> Self {
        Self { cond, body, carried, compiled: Arc::default() }
    }

    fn saving_cond(&self) -> Result<Arc<Graph>> {
        let _unseen = Unseen::start();
        let builder = Builder::standalone(&self.cond.name);
        builder.param(&count_type());
        builder.param(&super::gradient::variant());
        let params = params_like(&builder, &self.cond);
        builder.record_in(|| Ok(Arc::new(builder.finish(&replay(&self.cond, &params)?)?.graph)))
    }

    /// The body that also counts the rounds and pushes what each saves.
    fn saving_body(&self, pair: &Pair, saved: &Saved) -> Result<Arc<Graph>> {
        let _unseen = Unseen::start();
        let builder = Builder::standalone(&self.body.name);
        let count = builder.param(&count_type());
        let list = builder.param(&super::gradient::variant());
        let params = params_like(&builder, &self.body);
        builder.record_in(|| {
            let mut results = replay(&pair.forward, &params)?;
            let values = results.split_off(pair.results);
            let varying: Vec<Tensor> = saved.varying().map(|i| values[i].clone()).collect();
            let count = crate::ops::functions::try_add(&count, &crate::constant::try_constant_of(1i64, DType::I64)?)?;
            let list = execute(&Push { present: true }, &[&list, &pack(&varying)?])?.remove(0);
            results.splice(0..0, [count, list]);
            Ok(Arc::new(builder.finish(&results)?.graph))
        })
    }
}
