//! `cond`: one of two graphs, chosen by a scalar truth value. TensorFlow's `tf.cond` on recorded branches; its gradient is
//! another `cond`, over what the branch that ran has saved.

use super::captured;
use super::gradient::{cotangent_types, pack};
use crate::builder::Builder;
use crate::execute::{execute, execute_at};
use crate::graph::differentiate::{Pair, differentiate, params_like, replay, seen_outside};
use crate::graph::run::{self, reads_param};
use crate::ir::Graph;
use crate::ir::sizes::Sizes;
use crate::op::{Attr, ControlOp, Flow, Gradient, Infer, Kind, Op, OpRef, Operands, Outputs, Saves, identity};
use crate::ops::zeros_of;
use crate::tape::{Backward, Unseen};
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cuda;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use smallvec::{SmallVec, smallvec};
use std::panic::Location;
use std::sync::Arc;

/// Inputs: the condition, then the parameters that both graphs have.
#[derive(Clone)]
pub(crate) struct Cond {
    pub then: Arc<Graph>,
    pub otherwise: Arc<Graph>,
}

/// Answers an output type of a body: sizes that nobody outside knows are open.
pub(super) fn output_seen(cx: &mut Infer<'_>, ty: &TensorType) -> Result<()> {
    let inputs: Vec<TensorType> = (0..cx.len()).map(|i| *cx.input(i)).collect();
    let ty = seen_outside(ty, &inputs, &mut || cx.unknown_dim())?;
    cx.output(ty.dtype, ty.shape);
    Ok(())
}

/// The type of a value that is one or the other.
pub(crate) fn join(a: &TensorType, b: &TensorType, fresh: &mut dyn FnMut() -> Dim) -> Result<TensorType> {
    if a.dtype != b.dtype || a.shape.rank() != b.shape.rank() {
        return Err(Error::invalid_argument("cond", "the two branches give values of different types")
            .got(format!("{a} and {b}"))
            .expected("one dtype and number of axes"));
    }
    let mut sizes: SmallVec<[Dim; 8]> = SmallVec::new();
    for (x, y) in a.shape.iter().zip(b.shape.iter()) {
        sizes.push(if x == y { x } else { fresh() });
    }
    Ok(TensorType::new(a.dtype, Shape::from_dims(&sizes)?))
}

impl Op for Cond {
    identity!("cond", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("then", Attr::Int(self.then.id as i64));
        visit("else", Attr::Int(self.otherwise.id as i64));
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::BOOL)?;
        if cx.shape(0).rank() != 0 {
            return Err(Error::invalid_argument("cond", "the condition must be a scalar")
                .got(cx.input(0))
                .expected("bool[]")
                .help("reduce it with `reduce_all` or `reduce_any`"));
        }
        for (a, b) in self.then.result_types().zip(self.otherwise.result_types()) {
            let ty = join(a, b, &mut || cx.unknown_dim())?;
            output_seen(cx, &ty)?;
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

impl ControlOp for Cond {
    fn host(&self, mut inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
        let condition = inputs.remove(0);
        if condition.is_away() && cuda::capturing() {
            return captured::branch(self, condition, inputs, sizes);
        }
        let body = if condition.try_item::<bool>()? { &self.then } else { &self.otherwise };
        run::run(body, inputs, &Sizes::within(sizes))
    }

    fn run_for_gradient(
        &self,
        inputs: &[&Tensor],
        needs: &[bool],
        location: &'static Location<'static>,
    ) -> Result<Option<(OpRef, Outputs)>> {
        let pairs = [&self.then, &self.otherwise].map(|body| differentiate(body, &needs[1..], usize::MAX));
        let [then, otherwise] = pairs;
        let rule = CondRule { then: Arc::new(then?), otherwise: Arc::new(otherwise?) };
        let saving = Self { then: saving(&rule.then)?, otherwise: saving(&rule.otherwise)? };
        let _unseen = Unseen::start();
        let outputs = execute_at(&saving, inputs, location)?;
        Ok(Some((OpRef::Shared(Arc::new(rule)), outputs)))
    }

    fn reads(&self, index: usize) -> bool {
        index > 0 && (reads_param(&self.then, index - 1) || reads_param(&self.otherwise, index - 1))
    }

    fn flow(&self) -> Option<Flow> {
        Some(Flow::Branch)
    }

    fn with_bodies(&self, bodies: &[Arc<Graph>]) -> Option<OpRef> {
        let [then, otherwise] = bodies else { return None };
        Some(OpRef::Shared(Arc::new(Self { then: then.clone(), otherwise: otherwise.clone() })))
    }

    fn bodies(&self) -> SmallVec<[&Arc<Graph>; 2]> {
        smallvec![&self.then, &self.otherwise]
    }
}

/// The forward graph of a pair with its saved values as one: results are the bundle, then the results.
pub(super) fn saving(pair: &Pair) -> Result<Arc<Graph>> {
    let _unseen = Unseen::start();
    let builder = Builder::standalone(&pair.forward.name);
    let params = params_like(&builder, &pair.forward);
    builder.record_in(|| {
        let mut results = replay(&pair.forward, &params)?;
        let saved = results.split_off(pair.results);
        results.insert(0, pack(&saved)?);
        Ok(Arc::new(builder.finish(&results)?.graph))
    })
}

/// How a branch is differentiated. Outputs: the bundle of the branch that ran, then the results.
#[derive(Clone)]
struct CondRule {
    then: Arc<Pair>,
    otherwise: Arc<Pair>,
}

impl Op for CondRule {
    identity!("cond", kept);

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, _: &mut Infer<'_>) -> Result<()> {
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0]).and(Saves::outputs(&[0]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let (condition, bundle) = (g.input(0)?.clone(), g.output(0)?.clone());
        let dbundle = g.dy_or_none(0).cloned();
        let second = dbundle.is_some();
        let ways = [&self.then, &self.otherwise].map(|pair| &pair.way(second).given);
        let wanted: Vec<usize> = (0..ways[0].len()).filter(|&i| ways[0][i].is_some() || ways[1][i].is_some()).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        // A branch that gives parts of a tensor adds them to a sum that is handed in, which an outer loop has.
        let pairs = [&self.then, &self.otherwise];
        let summed: Vec<bool> = wanted.iter().map(|&i| pairs.iter().any(|pair| pair.gives_parts(second, i))).collect();
        // Each branch names open sizes its own way.
        let body = |pair: &Pair| {
            let types = cotangent_types(&pair.forward);
            let types: Vec<TensorType> = wanted.iter().map(|&i| types[i]).collect();
            pair.body("gradient", second, &wanted, &types, &summed).map(Arc::new)
        };
        let op = Cond { then: body(&self.then)?, otherwise: body(&self.otherwise)? };
        let mut inputs = vec![condition];
        for &i in &self.then.dys {
            inputs.push(g.dy(1 + i)?);
        }
        inputs.push(bundle);
        inputs.extend(dbundle);
        let of_variables = cotangent_types(&self.then.forward);
        for (&i, _) in wanted.iter().zip(&summed).filter(|(_, summed)| **summed) {
            let ty = Some(g.input_type(1 + i)).filter(|ty| ty.dtype != DType::Resource);
            inputs.push(zeros_of(ty.unwrap_or(&of_variables[i]))?);
        }
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        for (i, dx) in wanted.into_iter().zip(execute(&op, &inputs)?) {
            if g.needs(1 + i) {
                // A branch that gives zeros of its own size may have lost the name of that size.
                g.give(1 + i, dx);
            }
        }
        Ok(())
    }
}
