//! A loop of the graph while it is recorded: condition, body, the types that fit all rounds, and the flags of jumps out of it.
//! [`While`](super::while_stmt::While) drives it; at the end it records one `while` operation.

use super::disagree::{Disagreement, Way};
use super::dispatch::{Cond, CondValue, Place};
use super::merge::{Side, merge, placeholder, select};
use super::regions::{self, Leave, Target};
use super::state::{self, Captured};
use super::watch::{Hidden, Watch};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::execute::execute_at;
use crate::graph::builder::{self, align};
use crate::graph::control::While;
use crate::graph::control::early_reads::read_early;
use crate::graph::differentiate::replay;
use crate::graph::ir::fresh_sizes;
use crate::graph::{Builder, Graph};
use crate::ops;
use crate::shape::{Dim, Shape, Symbol};
use crate::tensor::local::InName;
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

pub(super) struct StagedLoop {
    outer: Rc<Builder>,
    before: Captured,
    /// What calls have borrowed, before the loop.
    watch: Watch,
    types: Vec<TensorType>,
    /// Sizes among them that this loop has opened.
    opened: Vec<Dim>,
    /// Jumps that were pending when the loop began, with their flags.
    pending: Vec<Leave>,
    breaks: Target,
    continues: Target,
    location: &'static Location<'static>,
    region: usize,
    condition: Option<(Rc<Builder>, Tensor)>,
    params: Vec<Tensor>,
    /// Whether the host's condition is always true, so that only jumps end the loop.
    endless: bool,
    /// What a `break` takes along: names, and how many tensors each has.
    broken: Vec<(&'static str, usize)>,
    /// After the loop: the tensors that only a `break` sets.
    after: Vec<Tensor>,
}

/// The name under which the loop's own value goes.
pub(super) const VALUE: &str = "the value of the loop";

/// The types that values have both before the loop and in it.
fn join_types(outer: &Builder, a: &[Tensor], body: &Builder, b: &[Tensor]) -> Result<Vec<TensorType>> {
    let types = a.iter().zip(b).map(|(a, b)| {
        crate::graph::control::cond::join(&outer.type_of(a)?, &body.type_of(b)?, &mut || Dim::unbacked(fresh_sizes(1)))
    });
    types.collect()
}

/// A type of the body as its surroundings see it: sizes known only at run time are open.
pub(crate) fn opened(ty: &TensorType) -> Result<TensorType> {
    let size = |d: Dim| match d.symbols().iter().any(|s| matches!(s, Symbol::Unbacked(_))) {
        true => Dim::unbacked(fresh_sizes(1)),
        false => d,
    };
    let sizes: SmallVec<[Dim; 8]> = ty.shape.iter().map(size).collect();
    Ok(TensorType::new(ty.dtype, Shape::from_dims(&sizes)?))
}

/// After a pass.
pub(super) enum Ended {
    /// The state's types had to be widened: record condition and body once more.
    Again,
    Over,
    /// The loop is never left to what follows it.
    Left,
}

/// A jump out of the loop, as the loop carries it.
struct Carried {
    target: Target,
    /// Flag and values before the loop.
    first: (Tensor, Vec<Tensor>),
    /// Flag and values after a round.
    round: (Tensor, Vec<Tensor>),
    types: Vec<TensorType>,
}

impl StagedLoop {
    pub fn new(
        head: &[Place<'_>],
        pending: Vec<Leave>,
        broken: Vec<(&'static str, usize)>,
        [breaks, continues]: [Target; 2],
        location: &'static Location<'static>,
    ) -> Result<Self> {
        let outer = builder::current().ok_or_else(|| Error::internal("while", "no graph is being recorded"))?;
        let before = Captured::of(head);
        let types = before.tensors.iter().map(|t| outer.type_of(t)).collect::<Result<_>>()?;
        Ok(Self {
            outer,
            before,
            watch: Watch::now(),
            types,
            opened: Vec::new(),
            pending,
            breaks,
            continues,
            location,
            region: 0,
            condition: None,
            params: Vec::new(),
            endless: false,
            broken,
            after: Vec::new(),
        })
    }

    /// Symbols of the carried types take the place of the state.
    fn enter(&mut self, name: &str, head: &mut [Place<'_>]) {
        let body = self.outer.inside(name);
        self.params = self.types.iter().map(|ty| body.param(ty)).collect();
        self.before.restore(head);
        state::put(head, &self.params);
        self.region = regions::enter(body);
    }

    pub fn begin_condition(&mut self, head: &mut [Place<'_>]) -> Result<()> {
        self.enter("while_cond", head);
        Ok(())
    }

    pub fn end_condition(&mut self, condition: &Cond, head: &mut [Place<'_>]) -> Result<()> {
        self.endless = matches!(condition.value, CondValue::Host(true));
        let condition = match &condition.value {
            CondValue::Host(holds) => crate::constant::try_constant_of(*holds, DType::Bool)?,
            CondValue::Tensor(tensor) => tensor.clone(),
        };
        let fell = regions::settle(self.region, None, Some(vec![condition.clone()]))?;
        let value = fell.and_then(|mut values| values.pop()).unwrap_or(condition);
        self.check_condition(head)?;
        if let Some(closed) = regions::exit(None) {
            self.condition = Some((closed.side.builder, value));
        }
        self.check_lent(head)?;
        self.enter("while_body", head);
        Ok(())
    }

    /// A condition only tells whether to go on: a graph cannot hand on what else it does to the state.
    fn check_condition(&self, head: &[Place<'_>]) -> Result<()> {
        let now = state::tensors(head);
        let changed = now.iter().zip(&self.params).position(|(a, b)| a.id() != b.id());
        let name = match changed {
            Some(at) => self.before.name_of(at),
            None => return Ok(()),
        };
        Err(Error::invalid_argument("while", format!("the condition of this loop assigns `{name}`"))
            .expected("a condition that leaves the loop's variables as they are")
            .help("write `loop { ..; if !condition { break } .. }`, with the assignment in front of the `if`")
            .variable(&name)
            .at(self.location))
    }

    /// What condition and body change, they must change in the state, which is as it was before the loop afterwards.
    fn check_lent(&self, head: &mut [Place<'_>]) -> Result<()> {
        if self.watch.is_empty() {
            return Ok(());
        }
        self.before.restore(head);
        self.watch.check(Hidden::Loop, self.location)
    }

    /// Notes which variables a `break` takes along.
    pub fn note_break(&mut self, carries: &[(&'static str, usize)]) {
        self.broken = carries.to_vec();
    }

    /// The end of the body.
    pub fn end_body(&mut self, head: &mut [Place<'_>], fell: bool) -> Result<Ended> {
        // A list that was made anew in this round.
        state::stage(head, fell)?;
        let values = fell.then(|| state::tensors(head));
        let fell = regions::settle(self.region, Some(self.continues), values)?;
        if let Some(fell) = &fell {
            state::put(head, fell);
            let differs = Disagreement {
                op: "while",
                ways: [Way::Said("before this loop"), Way::Said("after a round of it")],
                yields: &[],
                location: self.location,
            };
            self.before.agree(head, &differs)?;
        }
        let closed = regions::exit(None).ok_or_else(|| Error::internal("while", "the body is not open"))?;
        let Side { builder: body, leaving, .. } = closed.side;
        self.check_lent(head)?;
        if self.widen(&body, fell.as_deref(), &leaving)? {
            self.before.restore(head);
            self.begin_condition(head)?;
            return Ok(Ended::Again);
        }
        self.emit(&body, fell, leaving, head)
    }

    /// What a `break` takes along: for tensors of the carried state their numbers, for others none.
    fn broken_values<'a>(&self, leaving: &'a [Leave]) -> Vec<(Option<usize>, &'a Tensor)> {
        let Some(leave) = leaving.iter().find(|l| l.target == self.breaks) else { return Vec::new() };
        let mut values = leave.values.iter();
        let mut all = Vec::new();
        for &(name, len) in &self.broken {
            let first = self.before.first_of(name);
            all.extend((0..len).zip(values.by_ref()).map(|(i, t)| (first.map(|f| f + i), t)));
        }
        all
    }

    /// The tensors of the carried state with which a `break` leaves.
    fn broken_state(&self, leaving: &[Leave]) -> Vec<(usize, Tensor)> {
        self.broken_values(leaving).into_iter().filter_map(|(at, t)| Some((at?, t.clone()))).collect()
    }

    /// Makes sizes open that differ between the state before and after a round; whether any had to be.
    fn widen(&mut self, body: &Rc<Builder>, fell: Option<&[Tensor]>, leaving: &[Leave]) -> Result<bool> {
        let inside = fell.unwrap_or_default().iter().cloned().enumerate().chain(self.broken_state(leaving));
        let mut found = Vec::new();
        for (i, tensor) in inside {
            found.push((i, body.type_of(&tensor)?, tensor));
        }
        for (i, tensor) in self.broken_state(&self.pending) {
            found.push((i, self.outer.type_of(&tensor)?, tensor));
        }
        let mut widened = false;
        for (i, new, tensor) in found {
            let old = self.types[i];
            if old.dtype != new.dtype || old.shape.rank() != new.shape.rank() {
                return Err(self.type_changes(i, &old, &new, &tensor));
            }
            let mut sizes: SmallVec<[Dim; 8]> = SmallVec::new();
            for (a, b) in old.shape.iter().zip(new.shape.iter()) {
                // A size that is open around the loop is one number there, and another one in each round.
                let differs = a != b && !self.opened.contains(&a);
                widened |= differs;
                sizes.push(if differs { Dim::unbacked(fresh_sizes(1)) } else { a });
                self.opened.extend(differs.then(|| sizes[sizes.len() - 1]));
            }
            self.types[i] = TensorType::new(old.dtype, Shape::from_dims(&sizes)?);
        }
        Ok(widened)
    }

    #[cold]
    fn type_changes(&self, index: usize, old: &TensorType, new: &TensorType, tensor: &Tensor) -> Error {
        let name = self.before.name_of(index);
        let root = name.split('.').next().unwrap_or_default().to_owned();
        let (what, help) = if old.dtype == new.dtype {
            ("number of axes", format!("give `{root}` its final number of axes before the loop"))
        } else {
            ("dtype", format!("declare `{root}` with dtype {}, or convert the new value with `cast`", new.dtype))
        };
        Error::invalid_argument("while", format!("`{name}` has another {what} after a round than before the loop"))
            .got(format!("{old} before, {new} after a round (from {})", tensor.location()))
            .expected("one dtype and number of axes in all rounds")
            .help(help)
            .variable(&name)
            .at(self.location)
    }

    /// Records the loop, and puts its results into the state.
    fn emit(
        &mut self,
        body: &Rc<Builder>,
        fell: Option<Vec<Tensor>>,
        leaving: Vec<Leave>,
        head: &mut [Place<'_>],
    ) -> Result<Ended> {
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

    /// Where a `break` is pending, the state is what it took along.
    fn choose(&self, builder: &Rc<Builder>, leaving: &[Leave], state: &mut [Tensor]) -> Result<()> {
        let (at, new): (Vec<usize>, Vec<Tensor>) = self.broken_state(leaving).into_iter().unzip();
        if at.is_empty() {
            return Ok(());
        }
        let old: Vec<Tensor> = at.iter().map(|&i| state[i].clone()).collect();
        let flag = leaving.iter().find(|l| l.target == self.breaks).and_then(|l| l.flag.as_ref());
        let chosen = match flag {
            Some(flag) => builder.record_again(|| select(flag, &new, &old))?,
            None => new,
        };
        at.into_iter().zip(chosen).for_each(|(i, t)| state[i] = t);
        Ok(())
    }

    /// All jumps out of the loop, with what they carry before it and after a round.
    fn carried(&mut self, body: &Rc<Builder>, leaving: &[Leave]) -> Result<Vec<Carried>> {
        let mut targets: Vec<Target> = leaving.iter().chain(&self.pending).map(|l| l.target).collect();
        targets.sort_unstable();
        targets.dedup();
        let mut all = Vec::new();
        for target in targets {
            let of = |list: &[Leave]| list.iter().find(|l| l.target == target).cloned();
            let (first, round) = (of(&self.pending), of(leaving));
            let values = |list: &[Leave], l: &Leave| match target == self.breaks {
                // The carried state goes its own way.
                true => self
                    .broken_values(list)
                    .into_iter()
                    .filter(|(at, _)| at.is_none())
                    .map(|(_, t)| t.clone())
                    .collect(),
                false => l.values.clone(),
            };
            let first_values: Option<Vec<Tensor>> = first.as_ref().map(|l| values(&self.pending, l));
            let round_values: Option<Vec<Tensor>> = round.as_ref().map(|l| values(leaving, l));
            let types: Vec<TensorType> = match (&first_values, &round_values) {
                (Some(a), Some(b)) => join_types(&self.outer, a, body, b)?,
                (Some(a), None) => a.iter().map(|t| self.outer.type_of(t)).collect::<Result<_>>()?,
                (None, Some(b)) => b.iter().map(|t| opened(&body.type_of(t)?)).collect::<Result<_>>()?,
                (None, None) => Vec::new(),
            };
            let constant = |value: bool| crate::constant::try_constant_of(value, DType::Bool);
            let flag = |l: &Option<Leave>| match l {
                None => constant(false),
                Some(Leave { flag: None, .. }) => constant(true),
                Some(Leave { flag: Some(flag), .. }) => Ok(flag.clone()),
            };
            let own_flag = flag(&first)?;
            let round_flag = flag(&round)?;
            let _param = body.param(&TensorType::scalar(DType::Bool));
            let params: Vec<Tensor> = types.iter().map(|ty| body.param(ty)).collect();
            let first_values = match first_values {
                Some(values) => values,
                None => types.iter().map(|ty| placeholder(&self.outer, ty)).collect::<Result<_>>()?,
            };
            all.push(Carried {
                target,
                first: (own_flag, first_values),
                round: (round_flag, round_values.unwrap_or(params)),
                types,
            });
        }
        Ok(all)
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
            let stopped = vec![crate::constant::try_constant_of(false, DType::Bool)?];
            let sides = [
                Side { builder: stop, leaving: Vec::new(), fell: Some(stopped) },
                Side { builder: go, leaving: Vec::new(), fell: Some(holds) },
            ];
            let merged = merge(&any, sides, None, self.location, &|_| String::new())?;
            Ok::<_, Error>(merged.fell.unwrap_or_default().remove(0))
        })?;
        whole.finish(&[result])
    }

    /// Hands the flags at the loop's end on to where the jumps lead.
    fn leave(&mut self, outputs: &[Tensor], carried: &[Carried]) -> Result<Ended> {
        let mut outputs = outputs.iter().cloned();
        let mut pending = Vec::new();
        let mut breaks = false;
        for jump in carried {
            let flag = outputs.next();
            let values: Vec<Tensor> = outputs.by_ref().take(jump.types.len()).collect();
            if jump.target == self.breaks {
                breaks = true;
                self.after = values;
            } else {
                pending.push(Leave { target: jump.target, flag, values });
            }
        }
        if self.endless && !breaks {
            if let [only] = &mut pending[..] {
                only.flag = None;
            }
            regions::with_top(|top| {
                top.leaving.extend(pending);
                top.left = true;
            });
            return Ok(Ended::Left);
        }
        regions::with_top(|top| {
            top.leaving.extend(pending);
            top.left = false;
        });
        Ok(Ended::Over)
    }

    /// Puts what only a `break` sets into the variables after the loop.
    pub fn put_after(&self, after: &mut [Place<'_>]) -> Result<()> {
        let mut values = self.after.iter();
        for place in after.iter_mut().filter(|p| !self.before.has(p.name)) {
            place.stage(false)?;
            place.replace(&mut |old| values.next().unwrap_or(old).clone());
        }
        Ok(())
    }
}
