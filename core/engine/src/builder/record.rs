//! The builder at `execute`: an operation becomes a node, its results symbols whose types follow from those of the operands.
//! `execute` calls it for each operation while a builder is open.

use super::{Builder, State};
use crate::device;
use crate::execute::{Recorder, gradient_of, scope, view_of};
use crate::ir::steps::count;
use crate::ir::{Graph, Node, Value};
use crate::op::{Facts, Infer, Op, Outputs, Sizes};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::backend::cpu::View;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;
use std::panic::Location;

/// The types with the sizes as another graph names them. A form of the operation that saves values gives those first.
fn renamed(types: SmallVec<[TensorType; 1]>, expected: &[TensorType]) -> SmallVec<[TensorType; 1]> {
    let Some(first) = types.len().checked_sub(expected.len()) else { return types };
    let alike = |(a, b): (&TensorType, &TensorType)| a.dtype == b.dtype && a.shape.rank() == b.shape.rank();
    match types[first..].iter().zip(expected).all(alike) {
        true => types[..first].iter().chain(expected).copied().collect(),
        false => types,
    }
}

struct Known<'a> {
    state: &'a State,
    graph: &'a Graph,
    values: &'a [Value],
    inputs: &'a [&'a Tensor],
}

impl Facts for Known<'_> {
    fn value(&self, index: usize) -> Option<View> {
        let constant = self.graph.constant(self.values[index])?;
        (constant.dtype().size() > 0 && !constant.is_away()).then(|| view_of(constant))
    }

    fn size(&self, index: usize) -> Option<Dim> {
        self.state.sizes.get(&self.values[index]).filter(|sizes| sizes.len() == 1).map(|sizes| sizes[0])
    }

    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)> {
        if let Some(resource) = self.inputs[index].as_object::<Resource>() {
            return Some((resource.ty(), resource.shape));
        }
        self.graph.resource(self.values[index]).map(|r| (r.value, r.shape))
    }
}

impl Recorder for Builder {
    fn record(&self, op: &dyn Op, inputs: &[&Tensor], location: &'static Location<'static>) -> Result<Outputs> {
        let mut values = SmallVec::<[Value; 3]>::new();
        count(1 + inputs.len());
        for input in inputs {
            values.push(self.value_of(input, op.name())?);
        }
        let mut state = self.state.borrow_mut();
        let (types, constraints) = {
            let graph = &state.graph;
            let types: Vec<&TensorType> = values.iter().map(|&v| graph.ty(v)).collect();
            let facts = Known { state: &state, graph, values: &values, inputs };
            let mut cx = Infer::new(op.name(), &types, &facts);
            op.infer(&mut cx)?;
            if self.outer.is_none()
                && !cx.constraints.is_empty()
                && let Some(listener) = crate::execute::listener()
            {
                listener.check_sizes(op, &types, &facts, &cx.constraints)?;
            }
            (cx.outputs, cx.constraints)
        };
        let types = match state.expected.take() {
            Some(expected) => renamed(types, &expected),
            None => types,
        };
        constraints.iter().for_each(|(a, b)| state.graph.constraints.push(a, b));
        let mut symbols = Outputs::new();
        let mut outputs = SmallVec::new();
        for ty in &types {
            let symbol = Tensor::symbol_at(ty, location);
            let value = state.value(*ty);
            state.values.insert(symbol.id(), value);
            outputs.push(value);
            symbols.push(symbol);
        }
        state.note_sizes(op, &values, &outputs);
        let device = device::asked_since(self.root.guards);
        let (gradient_of, scope) = (gradient_of(), scope());
        let node = Node { op: op.keep(), inputs: values, outputs, location, device, gradient_of, scope };
        state.graph.nodes.push(node);
        Ok(symbols)
    }

    /// In this graph or in one around it.
    fn sizes_of(&self, tensor: &Tensor) -> Option<Sizes> {
        let state = self.state.borrow();
        let here = state.values.get(&tensor.id()).and_then(|value| state.sizes.get(value)).cloned();
        here.or_else(|| self.outer.as_ref()?.sizes_of(tensor))
    }

    fn note_size(&self, number: &Tensor, size: Dim) {
        let mut state = self.state.borrow_mut();
        if let Some(&value) = state.values.get(&number.id()) {
            state.sizes.insert(value, Sizes::from_elem(size, 1));
        }
    }
}
