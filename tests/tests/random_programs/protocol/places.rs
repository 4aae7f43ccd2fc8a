//! The variables of a program as places, with the tables of their types, and copies of them to put back.
//! Branches and loops hand them to the protocol objects.

use super::super::program::*;
use super::super::values::Env;
use eagerflow::__rt::autograph::tiers::*;
use eagerflow::__rt::autograph::{self as rt, List, Place, Slot, StateVtable};
use eagerflow::{Nest, Tensor, TensorArray};

pub fn table<T: Nest>() -> &'static StateVtable {
    (&&&&&Slot::<T>::new()).table()
}

impl Env {
    /// The places of some variables.
    pub fn places(&mut self, mask: Mask) -> Vec<Place<'_>> {
        let has = |var: usize| mask >> var & 1 == 1;
        let mut places = Vec::new();
        for (var, tensor) in self.plain.iter_mut().enumerate().filter(|(var, _)| has(*var)) {
            places.push(rt::place(NAMES[var], tensor, table::<Tensor>()));
        }
        if has(LIST) {
            places.push(rt::place(NAMES[LIST], &mut self.list, table::<Vec<Tensor>>()));
        }
        if has(PAIR) {
            places.push(rt::place(NAMES[PAIR], &mut self.pair, table::<(Tensor, Tensor)>()));
        }
        if has(ARRAY) {
            places.push(rt::place(NAMES[ARRAY], &mut self.array, table::<TensorArray>()));
        }
        if has(ALL) {
            places.push(rt::place(NAMES[ALL], &mut self.all, table::<List<Tensor>>()));
        }
        if has(PARTS) {
            places.push(rt::place(NAMES[PARTS], &mut self.parts, table::<List<Tensor>>()));
        }
        for (label, tensor) in self.counters.iter_mut().enumerate().filter(|(label, _)| has(COUNTERS + label)) {
            places.push(rt::place(NAMES[COUNTERS + label], tensor, table::<Tensor>()));
        }
        for (label, number) in self.hosts.iter_mut().enumerate().filter(|(label, _)| has(HOSTS + label)) {
            places.push(rt::place(NAMES[HOSTS + label], number, table::<i32>()));
        }
        places
    }

    /// Copies of the plain variables of a mask, to put back.
    pub fn save(&self, mask: Mask) -> impl FnOnce(&mut Env) + use<> {
        let (plain, list, pair) = (self.plain.clone(), self.list.clone(), self.pair.clone());
        let (array, counters) = (self.array.clone(), self.counters.clone());
        let (all, parts) = (self.all.clone(), self.parts.clone());
        move |env| {
            let has = |var: usize| mask >> var & 1 == 1;
            (0..plain.len()).filter(|var| has(*var)).for_each(|var| env.plain[var] = plain[var].clone());
            (0..LABELS).filter(|l| has(COUNTERS + l)).for_each(|l| env.counters[l] = counters[l].clone());
            if has(LIST) {
                env.list = list;
            }
            if has(PAIR) {
                env.pair = pair;
            }
            if has(ARRAY) {
                env.array = array;
            }
            if has(ALL) {
                env.all = all;
            }
            if has(PARTS) {
                env.parts = parts;
            }
        }
    }
}
