//! Branches and loops inside a plan: their bodies are steps of the same frame, so that a round allocates nothing.
//! Values that a loop carries have a home; what a round computes is written there at once where that is safe, or moved.

use super::compile::{Compiler, Holds};
use super::scope::{Scope, ValueLocation};
use super::{Base, Step};
use crate::graph::passes::sums::through;
use crate::graph::views::{RESULT, changed_in_place};
use crate::ir::{Graph, Node, Value};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::panic::Location;

/// Steps of a body, from a compiler that goes on with others.
fn apart(c: &mut Compiler, emit: impl FnOnce(&mut Compiler) -> Option<()>) -> Option<Vec<Step>> {
    let before = std::mem::take(&mut c.steps);
    let done = emit(c);
    let steps = std::mem::replace(&mut c.steps, before);
    done.map(|()| steps)
}

/// Whether a place shows each element of some memory once, but in another order.
fn is_turned(place: &ValueLocation) -> bool {
    let sizes = place.ty.shape.dims();
    let repeats = sizes.iter().zip(&place.strides).any(|(&size, &stride)| size > 1 && stride == 0);
    place.ty.dtype.size() > 0 && !repeats && !place.is_dense()
}

/// How often each value stands in a list.
fn times(values: &[Value]) -> HashMap<Value, usize> {
    let mut times = HashMap::new();
    values.iter().for_each(|&v| *times.entry(v).or_default() += 1);
    times
}

impl Compiler {
    /// The buffer of input `index` of a node that runs bodies, if the value is used there for the last time: it may be the home of
    /// what the bodies make of it; `once` says that no other input shows it.
    fn left_by(&self, scope: &Scope<'_>, node: &Node, index: usize, at: usize, once: bool) -> Option<ValueLocation> {
        let v = node.inputs[index];
        let place = scope.place(v).filter(|place| place.owned && once && scope.last_use(v) == at)?;
        (self.is_own(&place) && place.offset == 0 && place.is_dense()).then_some(place)
    }

    /// As [`Self::left_by`] for a sum that is a tensor of a slot.
    fn own_sum(&mut self, scope: &Scope<'_>, node: &Node, index: usize, at: usize) -> Option<ValueLocation> {
        let own = self.own(scope, node.inputs[index], at, node.location)?;
        if let Base::Slot(slot) = own.base {
            self.sums.insert(slot);
        }
        Some(own)
    }

    /// A place that outlives the body that computes it.
    fn home(&mut self, scope: &Scope<'_>, v: Value) -> ValueLocation {
        let ty = scope.ty(v);
        match ty.dtype.size() {
            0 => ValueLocation::dense(Base::Slot(self.slot(Holds::Tensor(ty))), ty),
            _ => self.buffer(ty),
        }
    }

    pub(super) fn branch(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        let outer_sums = self.sums.clone();
        let condition = scope.place(node.inputs[0])?;
        let condition = self.pointers(&[condition]).start;
        self.at += 1;
        let (adds, changes) = (through(&node.op), changed_in_place(&node.op));
        let only = scope.only_ones(&node.inputs);
        let mut under: Vec<Option<(ValueLocation, usize)>> = Vec::new();
        for (i, &v) in node.outputs.iter().enumerate() {
            // A tensor of which ways change parts stays where it lies.
            let changed = changes.get(i).copied().flatten();
            let changed = changed.filter(|&index| scope.ty(node.inputs[index]) == scope.ty(v) && only[index]);
            under.push(changed.and_then(|index| {
                self.take_views_apart(scope, node.inputs[index], at);
                let place = self
                    .left_by(scope, node, index, at, true)
                    .or_else(|| if adds[i] == Some(index) { self.own_sum(scope, node, index, at) } else { None })?;
                Some((place, index - 1))
            }));
        }
        let homes: Vec<ValueLocation> = node
            .outputs
            .iter()
            .zip(&under)
            .map(|(&v, under)| under.as_ref().map_or_else(|| self.home(scope, v), |(place, _)| place.clone()))
            .collect();
        let sums: HashMap<usize, ValueLocation> =
            under.iter().flatten().map(|(place, index)| (*index, place.clone())).collect();
        let mut ways = Vec::new();
        for body in node.op.bodies() {
            let mut inner = Scope::new(body, false);
            for (i, &param) in body.params.iter().enumerate() {
                let input = node.inputs[i + 1];
                let place = sums.get(&i).cloned().map_or_else(|| scope.place(input), Some)?;
                let owned = place.owned && only[i + 1] && scope.last_use(input) == at;
                inner.set(param, ValueLocation { owned, ..place });
            }
            let wanted = times(&body.results);
            for (i, (&result, home)) in
                body.results.iter().zip(&homes).enumerate().filter(|(_, (r, _))| wanted[*r] == 1)
            {
                let there = under[i].as_ref().map(|(_, param)| body.params[*param]);
                inner.prefer.insert(result, (home.clone(), there));
            }
            ways.push(apart(self, |c| {
                c.body(&mut inner)?;
                c.bring_home(&mut inner, body, &homes, node.location)
            })?);
        }
        for ((&v, home), under) in node.outputs.iter().zip(&homes).zip(&under) {
            if under.is_some() {
                scope.occupy(home, v);
            }
            self.settle(scope, v, home.clone());
        }
        self.sums = outer_sums;
        let otherwise = ways.pop()?;
        let then = ways.pop()?;
        self.push(Step::Branch { condition, then, otherwise, first: [0; 2] });
        Some(())
    }

    pub(super) fn repeat(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize, carried: usize) -> Option<()> {
        let bodies = node.op.bodies();
        let (test_graph, body_graph): (&Graph, &Graph) = (bodies[0], bodies[1]);
        let outer_sums = self.sums.clone();
        let mut homes = Vec::new();
        let mut stay = Vec::new();
        let adds = through(&node.op);
        let only = scope.only_ones(&node.inputs);
        for i in changed_in_place(&node.op).into_iter().flatten().filter(|&i| only[i]) {
            self.take_views_apart(scope, node.inputs[i], at);
        }
        let given = times(&node.inputs);
        for (i, &v) in node.inputs[..carried].iter().enumerate() {
            let from = scope.place(v)?;
            let same = scope.ty(v) == scope.ty(node.outputs[i]);
            let mut left = if same { self.left_by(scope, node, i, at, only[i]) } else { None };
            if left.is_none() && same && only[i] && adds.get(i).copied().flatten() == Some(i) {
                left = self.own_sum(scope, node, i, at);
            }
            stay.push(left.is_some());
            if let Some(place) = left {
                self.touch(&place);
                homes.push(place);
                continue;
            }
            let home = self.home(scope, v);
            match (from.base, home.base) {
                (_, Base::Slot(to)) => {
                    let (from, last) = self.as_slot(scope, v, at, node.location)?;
                    self.push(Step::Move { from, to, give_up: last && given[&v] == 1, view: None });
                }
                _ => self.copy(&from, &home),
            }
            homes.push(home);
        }
        let mut places = homes.clone();
        for &v in &node.inputs[carried..] {
            let place = scope.place(v)?;
            // What every round reads in another order is put in order once.
            let place = if is_turned(&place) { self.dense_place(place) } else { place };
            places.push(ValueLocation { owned: false, ..place });
        }
        let start = self.at;
        let mut condition = 0;
        let test = apart(self, |c| {
            let mut inner = Scope::new(test_graph, false);
            // The test only looks.
            let looks = |place: &ValueLocation| ValueLocation { owned: false, ..place.clone() };
            test_graph.params.iter().zip(&places).for_each(|(&param, place)| inner.set(param, looks(place)));
            c.body(&mut inner)?;
            let result = inner.place(test_graph.results[0])?;
            condition = c.pointers(&[result]).start;
            c.at += 1;
            Some(())
        })?;
        let body = apart(self, |c| {
            let mut inner = Scope::new(body_graph, false);
            body_graph.params.iter().zip(&places).for_each(|(&param, place)| inner.set(param, place.clone()));
            let wanted = times(&body_graph.results);
            for (i, (&result, home)) in body_graph.results.iter().zip(&homes).enumerate() {
                if wanted[&result] == 1 && home.ty.dtype.size() > 0 {
                    inner.prefer.insert(result, (home.clone(), Some(body_graph.params[i])));
                }
            }
            c.body(&mut inner)?;
            c.bring_home(&mut inner, body_graph, &homes, node.location)
        })?;
        self.sums = outer_sums;
        homes.iter().for_each(|home| self.touch(home));
        self.arena.repeat(start, self.at);
        self.push(Step::Loop { condition, test, body, first: [0; 2] });
        for ((&v, home), stay) in node.outputs.iter().zip(homes).zip(stay) {
            if stay {
                scope.occupy(&home, v);
            }
            scope.set(v, home);
        }
        Some(())
    }

    /// Moves the results of a body to their homes, all at once: one may be another's home.
    fn bring_home(
        &mut self,
        inner: &mut Scope<'_>,
        body: &Graph,
        homes: &[ValueLocation],
        location: &'static Location<'static>,
    ) -> Option<()> {
        let mut lies: HashMap<Base, SmallVec<[usize; 1]>> = HashMap::new();
        homes.iter().enumerate().for_each(|(i, home)| lies.entry(home.base).or_default().push(i));
        let is_home = |base: Base, own: usize| lies.get(&base).is_some_and(|all| all.iter().any(|i| *i != own));
        let wanted = times(&body.results);
        let mut moves = Vec::new();
        for (i, (&result, home)) in body.results.iter().zip(homes).enumerate() {
            let place = inner.place(result)?;
            let stays = place.base == home.base && place.offset == 0 && (home.ty.dtype.size() == 0 || place.is_dense());
            if stays {
                continue;
            }
            if let (Base::Slot(to), 0) = (home.base, home.ty.dtype.size()) {
                let (from, last) = self.as_slot(inner, result, RESULT, location)?;
                let from = if is_home(Base::Slot(from), i) {
                    let apart = self.slot(Holds::Tensor(home.ty));
                    self.push(Step::Move { from, to: apart, give_up: false, view: None });
                    apart
                } else {
                    from
                };
                moves.push((i, place, Some((from, to, last && wanted[&result] == 1))));
            } else if is_home(place.base, i) || place.base == home.base {
                let apart = self.buffer(home.ty);
                self.copy(&place, &apart);
                moves.push((i, apart, None));
            } else {
                moves.push((i, place, None));
            }
        }
        for (i, place, tensors) in moves {
            match tensors {
                Some((from, to, give_up)) => self.push(Step::Move { from, to, give_up, view: None }),
                None => self.copy(&place, &homes[i]),
            }
        }
        Some(())
    }
}
