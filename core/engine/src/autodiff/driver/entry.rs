//! One entry of a tape on the walk backwards: cotangents of its outputs become those of its inputs, by the entry's rule.
//! The walk calls [`step`]; an input that was broadcast gets its sum here, once for all operations.

use super::BackwardPass;
use super::inspect::inspect;
use crate::execute::execute1;
use crate::meaning::Derivatives;
use crate::op::{Attr, Gradient, Op};
use crate::ops;
use crate::tape::Contribution;
use crate::tape::log::{Noted, Rule, Saved};
use crate::tape::{Backward, CustomRule};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Symbol};
use smallvec::SmallVec;

/// One entry whose inputs depend on a source. Element-wise operations and reads, which are most, go on without lists.
#[inline]
pub(super) fn step(noted: Noted<'_>, walk: &mut BackwardPass<'_>) -> Result<()> {
    match noted.rule() {
        Rule::Elementwise(derivatives) => match walk.incoming(noted.output_slots()[0])? {
            Some(dy) => elementwise(noted, derivatives, &dy.into_dense()?, walk),
            None => Ok(()),
        },
        Rule::Read => match walk.incoming(noted.output_slots()[0])? {
            // The variable's cotangent is that of the value read: rows of an embedding stay rows.
            Some(dy) => walk.accumulate(noted.input_slots()[0], inspect(noted.rule().name(), 0, dy)?),
            None => Ok(()),
        },
        Rule::Op(op) => general(noted, walk, |dys, needs| by_rule(noted, &**op, dys, needs)),
        Rule::Custom(rule) => general(noted, walk, |dys, needs| custom(noted, &**rule, dys, &needs)),
        Rule::Spent => Err(Error::internal("gradient", "an entry of the tape was used before")),
    }
}

type Cotangents = SmallVec<[Option<Tensor>; 1]>;
type Needs = SmallVec<[bool; 4]>;

/// An entry with a rule of its own, which takes the cotangents of all outputs and answers those of all inputs.
fn general(
    noted: Noted<'_>,
    walk: &mut BackwardPass<'_>,
    rule: impl FnOnce(Cotangents, Needs) -> Result<Given>,
) -> Result<()> {
    let mut dys = Cotangents::new();
    for &output in noted.output_slots() {
        dys.push(walk.incoming(output)?.map(Contribution::into_dense).transpose()?);
    }
    if dys.iter().all(Option::is_none) {
        return Ok(());
    }
    let mut needs = Needs::new();
    noted.input_slots().iter().for_each(|&slot| needs.push(walk.wants(slot)));
    for (i, cotangent) in rule(dys, needs)?.into_iter().enumerate() {
        if let Some(cotangent) = cotangent {
            walk.accumulate(noted.input_slots()[i], inspect(noted.rule().name(), i, cotangent)?)?;
        }
    }
    Ok(())
}

type Given = SmallVec<[Option<Contribution>; 4]>;

#[cold]
fn no_gradient(op: &str) -> Error {
    Error::unimplemented(op, "this operation has no gradient")
        .help("wrap it in a `#[custom_gradient]` function, or keep it out of the differentiated path")
}

fn by_rule(noted: Noted<'_>, op: &dyn Op, dys: Cotangents, needs: Needs) -> Result<Given> {
    if op.gradient() == Gradient::Missing {
        return Err(no_gradient(op.name()));
    }
    let mut g = Backward::new(op.name(), noted, dys, needs);
    op.backward(&mut g)?;
    let given = g.into_given();
    for (i, dx) in given.iter().enumerate() {
        if let Some(Contribution::Dense(dx)) = dx
            && noted.input_type(i).dtype != DType::Resource
        {
            check(op.name(), i, dx, noted.input_type(i))?;
        }
    }
    Ok(given)
}

/// A rule must answer with the input's own type; anything else is a mistake in the library. A size that is known only when
/// the graph runs may have another name in a body of the graph.
fn check(op: &str, index: usize, dx: &Tensor, ty: &TensorType) -> Result<()> {
    let open = |d: Dim| d.symbols().iter().any(|s| matches!(s, Symbol::Unbacked(_)));
    let same = |(a, b): (Dim, Dim)| a == b || open(a) || open(b);
    let found = dx.ty();
    if found == ty
        || found.dtype == ty.dtype
            && found.shape.rank() == ty.shape.rank()
            && found.shape.iter().zip(ty.shape.iter()).all(same)
    {
        return Ok(());
    }
    Err(Error::internal(op, format!("the gradient of input {index} has the wrong type")).got(dx.ty()).expected(ty))
}

/// Element-wise operations differentiate their meaning; each partial derivative is one fused operation.
fn elementwise(noted: Noted<'_>, derivatives: &Derivatives, dy: &Tensor, walk: &mut BackwardPass<'_>) -> Result<()> {
    let saved = noted.saved();
    for (i, info) in derivatives.by.iter().enumerate() {
        let slot = noted.input_slots()[i];
        let Some(info) = info.as_ref().filter(|_| walk.wants(slot)) else { continue };
        if info.missing {
            // The innermost operation of a derivative of a derivative is the one that the user called.
            let mut name = info.op.name().to_string();
            info.op.attributes(&mut |attribute, value| {
                if let ("of", Attr::Text(of)) = (attribute, value) {
                    name = of.to_string();
                }
            });
            return Err(no_gradient(&name));
        }
        let dx = match info.identity {
            true => dy.clone(),
            false => {
                // Inputs and the output at the most, and `dy` behind them.
                let mut inputs = [dy; 8];
                let count = info.operands.len();
                if count < inputs.len() {
                    inputs.iter_mut().zip(&info.operands).for_each(|(to, &at)| *to = &saved[at as usize]);
                    execute1(&*info.op, &inputs[..=count])?
                } else {
                    let mut inputs: Vec<&Tensor> = info.operands.iter().map(|&at| &saved[at as usize]).collect();
                    inputs.push(dy);
                    execute1(&*info.op, &inputs)?
                }
            }
        };
        let dx = ops::sum_to(dx, noted.input_type(i))?;
        walk.accumulate(slot, inspect(derivatives.op.name(), i, Contribution::Dense(dx))?)?;
    }
    Ok(())
}

/// As [`elementwise`] for a cotangent of ones: 1 * x is x, to the last bit, so the factors are the products.
pub(super) fn factors(noted: Noted<'_>, mut saved: Saved, walk: &mut BackwardPass<'_>) -> Result<()> {
    let Rule::Elementwise(derivatives) = noted.rule() else { return Ok(()) };
    walk.ones = None;
    walk.shares = true;
    for (i, info) in derivatives.by.iter().enumerate() {
        let slot = noted.input_slots()[i];
        let Some(info) = info.as_ref().filter(|_| walk.wants(slot)) else { continue };
        let at = info.operands[0];
        let again = derivatives.by[i + 1..].iter().flatten().any(|later| later.operands[0] == at);
        let factor = &mut saved[at as usize];
        let Some(factor) = (if again { factor.clone() } else { factor.take() }) else { continue };
        let dx = ops::sum_to(factor, noted.input_type(i))?;
        walk.accumulate(slot, inspect(derivatives.op.name(), i, Contribution::Dense(dx))?)?;
    }
    Ok(())
}

fn custom(noted: Noted<'_>, rule: &dyn CustomRule, dys: Cotangents, needs: &[bool]) -> Result<Given> {
    let mut dense: SmallVec<[Tensor; 2]> = SmallVec::new();
    for (i, dy) in dys.into_iter().enumerate() {
        dense.push(match dy {
            Some(dy) => dy,
            None => ops::zeros_of(noted.output_type(i))?,
        });
    }
    let answers = rule.backward(&dense)?;
    let mut given = Given::new();
    for (i, answer) in answers.into_iter().enumerate() {
        let Some(dx) = answer.filter(|_| needs[i]) else {
            given.push(None);
            continue;
        };
        let ty = noted.input_type(i);
        if dx.ty() != ty {
            let what = format!("the custom gradient of `{}` has the wrong type", rule.input_name(i));
            return Err(Error::invalid_argument(rule.name(), what)
                .got(dx.ty())
                .expected(ty)
                .help("the closure returns, for each input, a tensor of the input's own dtype and shape"));
        }
        given.push(Some(Contribution::Dense(dx)));
    }
    Ok(given)
}
