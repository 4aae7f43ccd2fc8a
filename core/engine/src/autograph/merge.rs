//! Two sides of a branch become one: a `cond` gives the values with which either side goes on, and for each pending jump
//! whether it is taken and what it takes along. Regions call it where a branch or a continuation ends.

use super::regions::{Leave, Target};
use crate::builder::Builder;
use crate::execute::execute_at;
use crate::graph::control::Cond;
use crate::ops;
use crate::tensor::local::InName;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape, Symbol};
use smallvec::SmallVec;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

/// One side of a branch, recorded but not finished.
pub(crate) struct Side {
    pub builder: Rc<Builder>,
    pub leaving: Vec<Leave>,
    /// The values with which it goes on, if it does.
    pub fell: Option<Vec<Tensor>>,
}

/// Both sides as one.
pub(crate) struct Merged {
    pub fell: Option<Vec<Tensor>>,
    pub leaving: Vec<Leave>,
}

impl Side {
    /// Lets the paths that jumped `here` go on with what they took along.
    pub fn rejoin(mut self, here: Option<Target>) -> Result<Self> {
        let Some(at) = self.leaving.iter().position(|leave| Some(leave.target) == here) else { return Ok(self) };
        let leave = self.leaving.remove(at);
        // Where jumps are pending, the rest is a region of its own, which has been merged before.
        if self.fell.is_some() {
            return Err(Error::internal("tf_function", "a path goes on while it may have left"));
        }
        self.fell = Some(leave.values);
        Ok(self)
    }
}

/// `a` where the flag is set, else `b`; computed by a branch, so that nothing flows from the other one.
pub(crate) fn select(flag: &Tensor, a: &[Tensor], b: &[Tensor]) -> Result<Vec<Tensor>> {
    if a.len() != b.len() {
        return Err(structure_differs(a.len(), b.len()));
    }
    let outer = crate::builder::current().ok_or_else(|| Error::internal("tf_function", "no graph is open"))?;
    let side =
        |values: &[Tensor]| Side { builder: outer.inside("keep"), leaving: Vec::new(), fell: Some(values.to_vec()) };
    let merged = merge(flag, [side(a), side(b)], None, flag.location(), &|_| String::new())?;
    Ok(merged.fell.unwrap_or_default())
}

#[cold]
fn structure_differs(a: usize, b: usize) -> Error {
    Error::invalid_argument("tf_function", "the values of two branches have different structures")
        .got(format!("{a} and {b} tensors"))
        .expected("the same tuple, list or struct of tensors on both ways")
}

/// Whether any of the jumps is taken.
pub(crate) fn guard_flag(pending: &[Leave]) -> Result<Tensor> {
    let mut any: Option<Tensor> = None;
    for flag in pending.iter().filter_map(|leave| leave.flag.as_ref()) {
        any = Some(match any {
            None => flag.clone(),
            Some(any) => ops::functions::try_logical_or(&any, flag)?,
        });
    }
    any.ok_or_else(|| Error::internal("tf_function", "a jump that is taken for sure, on a path that goes on"))
}

/// A value that nobody will read, of the type of one that somebody might.
pub(super) fn placeholder(builder: &Rc<Builder>, ty: &TensorType) -> Result<Tensor> {
    let mut sizes: SmallVec<[Dim; 8]> = SmallVec::new();
    for size in ty.shape.iter() {
        let open = size.symbols().iter().any(|s| matches!(s, Symbol::Unbacked(_)));
        sizes.push(if open { Dim::ZERO } else { size });
    }
    let ty = TensorType::new(ty.dtype, Shape::from_dims(&sizes)?);
    builder.record_again(|| match ty.dtype {
        DType::Resource => {
            Err(Error::unimplemented("tf_function", "a variable cannot be chosen by a branch of the graph"))
        }
        _ => ops::zeros_of(&ty),
    })
}

/// Merges the sides of a branch on `condition` in the graph that is open.
pub(crate) fn merge(
    condition: &Tensor,
    sides: [Side; 2],
    here: Option<Target>,
    location: &'static Location<'static>,
    name: &dyn Fn(usize) -> String,
) -> Result<Merged> {
    let _name = InName::of(Some(location));
    let [then, otherwise] = sides;
    let (then, otherwise) = (then.rejoin(here)?, otherwise.rejoin(here)?);
    let mut results: [Vec<Tensor>; 2] = [Vec::new(), Vec::new()];
    let fell = match (&then.fell, &otherwise.fell) {
        (None, None) => None,
        (Some(a), Some(b)) if a.len() != b.len() => return Err(structure_differs(a.len(), b.len()).at(location)),
        (a, b) => Some(add_values(&mut results, [&then, &otherwise], [a.as_deref(), b.as_deref()])?),
    };
    let mut targets: Vec<Target> = then.leaving.iter().chain(&otherwise.leaving).map(|l| l.target).collect();
    targets.sort_unstable();
    targets.dedup();
    let mut jumps = Vec::new();
    for target in targets {
        let of = |side: &Side| side.leaving.iter().find(|l| l.target == target).cloned();
        let (a, b) = (of(&then), of(&otherwise));
        let certain = |l: &Option<Leave>| l.as_ref().is_some_and(|l| l.flag.is_none());
        let flag = match (certain(&a), certain(&b)) {
            (true, true) => None,
            (true, false) if b.is_none() => Some(Flag::Condition(true)),
            (false, true) if a.is_none() => Some(Flag::Condition(false)),
            _ => {
                let flags = [flag_of(a.as_ref())?, flag_of(b.as_ref())?];
                let [x, y] = flags;
                results[0].push(x);
                results[1].push(y);
                Some(Flag::Result(results[0].len() - 1))
            }
        };
        let values = [a.as_ref().map(|l| &l.values[..]), b.as_ref().map(|l| &l.values[..])];
        if let [Some(a), Some(b)] = values
            && a.len() != b.len()
        {
            return Err(structure_differs(a.len(), b.len()).at(location));
        }
        let values = add_values(&mut results, [&then, &otherwise], values)?;
        jumps.push((target, flag, values));
    }
    let label = |at: usize| {
        let here = fell.iter().flatten().position(|p| matches!(p, Picked::Output(o) if *o == at));
        here.map_or_else(String::new, name)
    };
    check_types(&results, [&then, &otherwise], &label).map_err(|e| e.at(location))?;
    let outputs = emit(condition, [&then.builder, &otherwise.builder], results, location)?;
    let pick = |places: Vec<Picked>| places.into_iter().map(|p| p.of(&outputs)).collect::<Vec<_>>();
    let mut leaving = Vec::new();
    for (target, flag, values) in jumps {
        let flag = match flag {
            None => None,
            Some(Flag::Result(at)) => Some(outputs[at].clone()),
            Some(Flag::Condition(true)) => Some(condition.clone()),
            Some(Flag::Condition(false)) => Some(ops::functions::try_logical_not(condition)?),
        };
        leaving.push(Leave { target, flag, values: pick(values) });
    }
    Ok(Merged { fell: fell.map(pick), leaving })
}

/// Both sides must give each value in one dtype and number of axes; the error names the user's variable.
fn check_types(results: &[Vec<Tensor>; 2], sides: [&Side; 2], name: &dyn Fn(usize) -> String) -> Result<()> {
    for (i, (a, b)) in results[0].iter().zip(&results[1]).enumerate() {
        let (x, y) = (sides[0].builder.type_of(a)?, sides[1].builder.type_of(b)?);
        if x.dtype == y.dtype && x.shape.rank() == y.shape.rank() {
            continue;
        }
        let name = name(i);
        let whose = if name.is_empty() { "a value".to_owned() } else { format!("`{name}`") };
        let what = if x.dtype == y.dtype { "number of axes" } else { "dtype" };
        return Err(Error::invalid_argument(
            "if",
            format!("{whose} has another {what} after one branch than after the other"),
        )
        .got(format!("{x} (from {}) and {y} (from {})", a.location(), b.location()))
        .expected("one dtype and number of axes after both branches")
        .help("convert one of them with `cast`, or give it the same number of axes with `reshape`")
        .variable(&name));
    }
    Ok(())
}

/// Where the flag of a jump comes from.
enum Flag {
    Result(usize),
    /// The condition itself, or its opposite.
    Condition(bool),
}

/// A merged value: an output, or the same tensor on both sides.
enum Picked {
    Output(usize),
    Same(Tensor),
}

impl Picked {
    fn of(self, outputs: &[Tensor]) -> Tensor {
        match self {
            Self::Output(at) => outputs[at].clone(),
            Self::Same(tensor) => tensor,
        }
    }
}

fn flag_of(leave: Option<&Leave>) -> Result<Tensor> {
    match leave {
        None => crate::constant::try_constant_of(false, DType::Bool),
        Some(Leave { flag: None, .. }) => crate::constant::try_constant_of(true, DType::Bool),
        Some(Leave { flag: Some(flag), .. }) => Ok(flag.clone()),
    }
}

/// Adds values of both sides to the results, with placeholders on a side that has none.
fn add_values(
    results: &mut [Vec<Tensor>; 2],
    sides: [&Side; 2],
    values: [Option<&[Tensor]>; 2],
) -> Result<Vec<Picked>> {
    let count = values[0].or(values[1]).map_or(0, <[_]>::len);
    let mut picked = Vec::new();
    for i in 0..count {
        let pair = [values[0].map(|v| &v[i]), values[1].map(|v| &v[i])];
        let one = pair[0].or(pair[1]).ok_or_else(|| Error::internal("tf_function", "a value without a side"))?;
        let same = pair.iter().all(|v| v.is_none_or(|v| v.id() == one.id()));
        if same && crate::builder::current().is_some_and(|b| b.sees(one) || !one.is_symbol()) {
            picked.push(Picked::Same(one.clone()));
            continue;
        }
        for at in 0..2 {
            results[at].push(match pair[at] {
                Some(value) => value.clone(),
                None => {
                    let ty = sides[1 - at].builder.type_of(one)?;
                    placeholder(&sides[at].builder, &ty)?
                }
            });
        }
        picked.push(Picked::Output(results[0].len() - 1));
    }
    Ok(picked)
}

/// Finishes both builders with their results and records the branch.
fn emit(
    condition: &Tensor,
    builders: [&Rc<Builder>; 2],
    results: [Vec<Tensor>; 2],
    location: &'static Location<'static>,
) -> Result<Vec<Tensor>> {
    let mut closed = Vec::new();
    for (builder, results) in builders.into_iter().zip(&results) {
        closed.push(builder.finish(results)?);
    }
    if results[0].is_empty() && closed.iter().all(|c| c.graph.nodes.is_empty()) {
        return Ok(Vec::new());
    }
    let captures = crate::builder::align(&mut closed)?;
    let mut closed = closed.into_iter();
    let mut next =
        || closed.next().map(|c| Arc::new(c.graph)).ok_or_else(|| Error::internal("cond", "a side is missing"));
    let op = Cond { then: next()?, otherwise: next()? };
    let inputs: Vec<&Tensor> = std::iter::once(condition).chain(&captures).collect();
    Ok(execute_at(&op, &inputs, location)?.into_vec())
}
