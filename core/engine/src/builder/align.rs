//! Bodies of one operation take the same operands: what one of them captures, the others get as parameters too.
//! Whoever records a branch or a loop calls it with the finished bodies.

use super::Closed;
use crate::ir::{ResourceType, Value};
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use std::collections::{HashMap, HashSet};

/// Gives finished bodies the same captures in the same order, as further parameters; gives these captures.
pub(crate) fn align(closed: &mut [Closed]) -> Result<Vec<Tensor>> {
    let mut all: Vec<(Tensor, TensorType, Option<ResourceType>)> = Vec::new();
    let mut known: HashSet<u64> = HashSet::new();
    for body in closed.iter() {
        let own = body.graph.params.len() - body.captures.len();
        for (tensor, &value) in body.captures.iter().zip(&body.graph.params[own..]) {
            if known.insert(tensor.id()) {
                all.push((tensor.clone(), *body.graph.ty(value), body.graph.resource(value)));
            }
        }
    }
    for body in closed.iter_mut() {
        let own = body.graph.params.len() - body.captures.len();
        let given = body.graph.params.split_off(own);
        let given: HashMap<u64, Value> = body.captures.iter().map(Tensor::id).zip(given).collect();
        for (tensor, ty, resource) in &all {
            let value = match given.get(&tensor.id()) {
                Some(&value) => value,
                None => {
                    body.graph.types.push(*ty);
                    let value = Value(body.graph.types.len() as u32 - 1);
                    body.graph.resources.extend(resource.map(|r| (value, r)));
                    value
                }
            };
            body.graph.params.push(value);
        }
    }
    Ok(all.into_iter().map(|(tensor, ..)| tensor).collect())
}
