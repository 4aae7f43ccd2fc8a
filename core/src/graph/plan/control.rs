//! Branches and loops inside a plan: their bodies are steps of the same frame, so that a round allocates nothing.
//! Values that a loop carries have a home; what a round computes is written there at once where that is safe, or moved.

use super::compile::{Compiler, Holds};
use super::scope::{Place, Scope};
use super::{Base, Step};
use crate::graph::ir::{Graph, Node, Value};
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
fn is_turned(place: &Place) -> bool {
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
    /// A place that outlives the body that computes it.
    fn home(&mut self, scope: &Scope<'_>, v: Value) -> Place {
        let ty = scope.ty(v);
        match ty.dtype.size() {
            0 => Place::dense(Base::Slot(self.slot(Holds::Tensor(ty))), ty),
            _ => self.buffer(ty),
        }
    }

    pub(super) fn branch(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize) -> Option<()> {
        let condition = scope.place(node.inputs[0])?;
        let condition = self.pointers(&[condition]).start;
        self.at += 1;
        let homes: Vec<Place> = node.outputs.iter().map(|&v| self.home(scope, v)).collect();
        let given = times(&node.inputs);
        let mut ways = Vec::new();
        for body in node.op.bodies() {
            let mut inner = Scope::new(body, false);
            for (i, &param) in body.params.iter().enumerate() {
                let input = node.inputs[i + 1];
                let place = scope.place(input)?;
                let owned = place.owned && given[&input] == 1 && scope.last_use(input) == at;
                inner.set(param, Place { owned, ..place });
            }
            let wanted = times(&body.results);
            for (&result, home) in body.results.iter().zip(&homes).filter(|(r, _)| wanted[*r] == 1) {
                inner.prefer.insert(result, (home.clone(), None));
            }
            ways.push(apart(self, |c| {
                c.body(&mut inner)?;
                c.bring_home(&mut inner, body, &homes, node.location)
            })?);
        }
        for (&v, home) in node.outputs.iter().zip(&homes) {
            self.touch(home);
            scope.set(v, home.clone());
        }
        let otherwise = ways.pop()?;
        let then = ways.pop()?;
        self.push(Step::Branch { condition, then, otherwise, first: [0; 2] });
        Some(())
    }

    pub(super) fn repeat(&mut self, scope: &mut Scope<'_>, node: &Node, at: usize, carried: usize) -> Option<()> {
        let bodies = node.op.bodies();
        let (test_graph, body_graph): (&Graph, &Graph) = (bodies[0], bodies[1]);
        let mut homes = Vec::new();
        let given = times(&node.inputs);
        for &v in &node.inputs[..carried] {
            let from = scope.place(v)?;
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
            places.push(Place { owned: false, ..place });
        }
        let start = self.at;
        let mut condition = 0;
        let test = apart(self, |c| {
            let mut inner = Scope::new(test_graph, false);
            // The test only looks.
            let looks = |place: &Place| Place { owned: false, ..place.clone() };
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
        homes.iter().for_each(|home| self.touch(home));
        self.arena.repeat(start, self.at);
        self.push(Step::Loop { condition, test, body, first: [0; 2] });
        for (&v, home) in node.outputs.iter().zip(homes) {
            scope.set(v, home);
        }
        Some(())
    }

    /// Moves the results of a body to their homes, all at once: one may be another's home.
    fn bring_home(
        &mut self,
        inner: &mut Scope<'_>,
        body: &Graph,
        homes: &[Place],
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
            if let Base::Slot(to) = home.base {
                let (from, last) = self.as_slot(inner, result, usize::MAX, location)?;
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
