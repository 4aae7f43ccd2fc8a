//! `custom_gradient` in graphs: the results of a function's body under a gradient that was recorded from its closure.
//! The tape's [`finish`](crate::custom_gradient::Call::finish) makes it while a function is traced, so that branches, loops and
//! calls around it differentiate it by that closure too.

use super::early_reads::read_early;
use super::gradient::{pack, unpack, variant};
use crate::builder::{self, Closed};
use crate::graph::differentiate::replay;
use crate::ir::sizes::Sizes;
use crate::ir::{Graph, Value};
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Op, Operands, Outputs, Saves, identity};
use crate::tape::{Backward, CustomRule, Unseen};
use crate::tensor::local::InName;
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::collections::HashSet;
use std::panic::Location;
use std::sync::Arc;

/// Inputs: a bundle of what the closure reads, the function's parameters, the results as the body made them. Outputs: the
/// results.
#[derive(Clone)]
pub(crate) struct CustomGradient {
    parameters: usize,
    /// From the cotangents of the results and what the closure reads: the cotangents of parameters.
    backward: Arc<Graph>,
    /// For each parameter which result of `backward` is its cotangent.
    given: Arc<[Option<usize>]>,
    reads: Arc<[TensorType]>,
}

/// Records the results of a function under its own gradient.
pub(crate) fn record(
    inputs: &[&Tensor],
    results: &[Tensor],
    rule: &dyn CustomRule,
    location: &'static Location<'static>,
) -> Result<Vec<Tensor>> {
    let _name = InName::of(Some(location));
    let outer = builder::current().ok_or_else(|| Error::internal(rule.name(), "no graph is being recorded"))?;
    let body = outer.inside("custom_gradient");
    let types = results.iter().map(|t| outer.type_of(t)).collect::<Result<Vec<_>>>()?;
    let dys: Vec<Tensor> = types.iter().map(|ty| body.param(ty)).collect();
    let (mut closed, given) = {
        let _unseen = Unseen::start();
        body.record_in(|| {
            let mut cotangents = Vec::new();
            let mut given = Vec::new();
            for (i, answer) in rule.backward(&dys)?.into_iter().enumerate() {
                given.push(answer.is_some().then_some(cotangents.len()));
                if let Some(dx) = answer {
                    check(rule, i, &dx, inputs[i])?;
                    cotangents.push(dx);
                }
            }
            Ok::<_, Error>((body.finish(&cotangents)?, given))
        })?
    };
    // A bundle holds values: what the closure reads of variables is read here.
    read_early(std::slice::from_mut(&mut closed.graph), dys.len(), &mut closed.captures)?;
    drop_unread(&mut closed, dys.len());
    let reads = closed.captures.iter().map(|t| outer.type_of(t)).collect::<Result<Arc<[_]>>>()?;
    let bundle = pack(&closed.captures)?;
    let op = CustomGradient { parameters: inputs.len(), backward: Arc::new(closed.graph), given: given.into(), reads };
    let operands: Vec<&Tensor> = std::iter::once(&bundle).chain(inputs.iter().copied()).chain(results).collect();
    Ok(crate::execute::execute_at(&op, &operands, location)?.into_vec())
}

/// Leaves out the handles of variables that the closure does not read any more.
fn drop_unread(closed: &mut Closed, own: usize) {
    let graph = &mut closed.graph;
    let used: HashSet<Value> = graph.nodes.iter().flat_map(|n| &n.inputs).chain(&graph.results).copied().collect();
    let kept: Vec<bool> = (closed.captures.iter().zip(&graph.params[own..]))
        .map(|(capture, param)| capture.dtype() != DType::Resource || used.contains(param))
        .collect();
    let mut keeps = kept.iter();
    closed.captures.retain(|_| keeps.next().is_none_or(|kept| *kept));
    let mut keeps = std::iter::repeat_n(&true, own).chain(&kept);
    graph.params.retain(|_| keeps.next().is_none_or(|kept| *kept));
}

/// The closure must answer with the parameter's own type.
fn check(rule: &dyn CustomRule, index: usize, dx: &Tensor, input: &Tensor) -> Result<()> {
    let ty = input.as_object::<Resource>().map_or(*input.ty(), Resource::ty);
    let fits = dx.dtype() == ty.dtype
        && dx.rank() == ty.shape.rank()
        && dx.shape().iter().zip(ty.shape.iter()).all(|(a, b)| a == b || !a.is_known() || !b.is_known());
    if fits {
        return Ok(());
    }
    let what = format!("the custom gradient of `{}` has the wrong type", rule.input_name(index));
    Err(Error::invalid_argument(rule.name(), what)
        .got(dx.ty())
        .expected(ty)
        .help("the closure returns, for each input, a tensor of the input's own dtype and shape"))
}

impl Op for CustomGradient {
    identity!("custom_gradient", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("gradient", Attr::Int(self.backward.id as i64));
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        for i in 1 + self.parameters..cx.len() {
            cx.output(cx.dtype(i), *cx.shape(i));
        }
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[0])
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let first = 1 + self.parameters;
        // Where no parameter is followed, the body's own operations lead to what is.
        if (1..first).all(|i| !g.needs(i)) {
            for i in first..g.len() {
                if let Some(dy) = g.dy_or_none(i - first).cloned().filter(|_| g.needs(i)) {
                    g.give(i, dy);
                }
            }
            return Ok(());
        }
        let mut arguments = Vec::new();
        for i in 0..g.len() - first {
            arguments.push(g.dy(i)?);
        }
        let bundle = g.input(0)?.clone();
        arguments.extend(unpack(&bundle, &self.reads)?);
        let results = replay(&self.backward, &arguments)?;
        for (i, at) in self.given.iter().enumerate() {
            if let Some(at) = at
                && g.needs(1 + i)
            {
                g.give(1 + i, results[*at].clone());
            }
        }
        debug_assert_eq!(bundle.ty(), &variant());
        Ok(())
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for CustomGradient {
    fn host(&self, inputs: Operands, _: &Sizes<'_>) -> Result<Outputs> {
        Ok(inputs.into_iter().skip(1 + self.parameters).collect())
    }

    fn same_as(&self, output: usize) -> Option<usize> {
        Some(1 + self.parameters + output)
    }
}
