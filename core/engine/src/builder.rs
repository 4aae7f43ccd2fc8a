//! Recording: a builder takes operations from `execute` in place of the kernels and makes a [`Graph`] of them.
//! Traced functions open one, and each branch or loop body opens another inside it; what it uses of the outside it captures.

use crate::device;
use crate::execute::listener;
use crate::ir::{Graph, ResourceType, Value};
use crate::op::Sizes;
use crate::tape::IdMap;
use crate::tensor::local::{IdMark, LOCAL};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::{Symbol, as_symbol};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::panic::Location;
use std::rc::Rc;

mod align;
mod ancestors;
mod outside;
mod record;
mod sizes;
mod stack;

pub(crate) use align::align;
pub(crate) use ancestors::{Reached, reached};
pub(crate) use outside::Apart;
pub use outside::{executing_eagerly, init_scope};
use stack::OPEN;
pub(crate) use stack::{current, is_open, opened_at, set_aside};

/// What all builders of one trace share.
pub(crate) struct Root {
    /// Tensors with elements that were made after this are constants of the trace; older ones are captured.
    began: Option<IdMark>,
    /// Guards that were in force then: they place calls, not operations of the body.
    guards: u32,
}

/// A graph being recorded.
pub(crate) struct Builder {
    root: Rc<Root>,
    outer: Option<Rc<Builder>>,
    state: RefCell<State>,
}

struct State {
    graph: Graph,
    /// The value that each tensor stands for, by the tensor's id.
    values: IdMap<Value>,
    /// The elements of scalars and vectors of integers that are known as sizes.
    sizes: HashMap<Value, Sizes>,
    /// Tensors of the outside, with the parameters that stand for them.
    captures: Vec<(Tensor, Value)>,
    /// The output types of the operation that comes next, where it is recorded anew from another graph: sizes known only
    /// at run time keep their numbers, by which bodies inside know them.
    expected: Option<SmallVec<[TensorType; 1]>>,
}

/// A finished body with the tensors of the outside that it wants as further arguments.
pub(crate) struct Closed {
    pub graph: Graph,
    /// Sorted as the parameters that follow the builder's own.
    pub captures: Vec<Tensor>,
}

impl Builder {
    fn with(root: Rc<Root>, outer: Option<Rc<Builder>>, name: &str) -> Rc<Self> {
        let graph = Graph::empty(name);
        let state =
            State { graph, values: IdMap::default(), sizes: HashMap::new(), captures: Vec::new(), expected: None };
        Rc::new(Self { root, outer, state: RefCell::new(state) })
    }

    /// The outermost body of a traced function: tensors of the outside become captures.
    pub fn function(name: &str) -> Rc<Self> {
        let root = Root { began: Some(LOCAL.with(|local| local.mark())), guards: device::depth() };
        Self::with(Rc::new(root), None, name)
    }

    /// A body made from other graphs: all tensors with elements are constants of it.
    pub fn standalone(name: &str) -> Rc<Self> {
        Self::with(Rc::new(Root { began: None, guards: device::depth() }), None, name)
    }

    /// A body inside this one.
    pub fn inside(self: &Rc<Self>, name: &str) -> Rc<Self> {
        Self::with(self.root.clone(), Some(self.clone()), name)
    }

    /// A new parameter.
    #[track_caller]
    pub fn param(&self, ty: &TensorType) -> Tensor {
        let symbol = Tensor::symbol(ty);
        self.bind(&symbol, ty);
        symbol
    }

    /// A new parameter of the user's function.
    pub fn param_at(&self, ty: &TensorType, location: &'static Location<'static>) -> Tensor {
        let symbol = Tensor::symbol_at(ty, location);
        self.bind(&symbol, ty);
        symbol
    }

    /// A new parameter that `tensor` stands for from now on.
    pub fn bind(&self, tensor: &Tensor, ty: &TensorType) -> Value {
        let mut state = self.state.borrow_mut();
        let value = state.value(*ty);
        state.graph.params.push(value);
        state.values.insert(tensor.id(), value);
        if let Some(resource) = tensor.as_object::<Resource>() {
            state.graph.resources.push((value, ResourceType { value: resource.ty(), shape: resource.shape }));
        }
        value
    }

    /// A parameter that stands for a resource of this type.
    #[track_caller]
    pub fn resource_param(&self, resource: ResourceType) -> Tensor {
        let symbol = self.param(&TensorType::scalar(kernels::dtype::DType::Resource));
        let mut state = self.state.borrow_mut();
        if let Some(&value) = state.graph.params.last() {
            state.graph.resources.push((value, resource));
        }
        symbol
    }

    /// Whether the tensor is a value of this graph.
    pub fn owns(&self, tensor: &Tensor) -> bool {
        self.state.borrow().values.contains_key(&tensor.id())
    }

    /// Whether the tensor is a value of this graph or of one around it.
    pub fn sees(&self, tensor: &Tensor) -> bool {
        self.owns(tensor) || self.outer.as_ref().is_some_and(|outer| outer.sees(tensor))
    }

    /// The variables that were read after a checkpoint and that tapes would watch, each once.
    pub fn reads_since(&self, checkpoint: usize) -> Vec<Tensor> {
        let state = self.state.borrow();
        let handles: HashMap<Value, &Tensor> = state.captures.iter().map(|(t, v)| (*v, t)).collect();
        let mut found: Vec<Tensor> = Vec::new();
        let mut ids = HashSet::new();
        for node in state.graph.nodes[checkpoint..].iter().filter(|n| matches!(n.op.kind(), crate::op::Kind::Read)) {
            let trainable = |t: &Tensor| t.as_object::<Resource>().is_some_and(|r| r.trainable());
            let handle = handles.get(&node.inputs[0]).copied().filter(|t| trainable(t) && ids.insert(t.id()));
            found.extend(handle.cloned());
        }
        found
    }

    /// How much was recorded so far, for [`Builder::rollback`].
    pub fn checkpoint(&self) -> usize {
        self.state.borrow().graph.nodes.len()
    }

    /// Forgets what was recorded after a checkpoint.
    pub fn rollback(&self, checkpoint: usize) {
        self.state.borrow_mut().graph.nodes.truncate(checkpoint);
    }

    /// The value that a tensor stands for; captures it where it comes from outside.
    pub fn value_of(&self, tensor: &Tensor, op: &str) -> Result<Value> {
        if let Some(&value) = self.state.borrow().values.get(&tensor.id()) {
            return Ok(value);
        }
        if tensor.is_symbol() {
            if !self.outer.as_ref().is_some_and(|outer| outer.sees(tensor)) {
                return Err(escaped(tensor, op));
            }
        } else if self.is_constant(tensor) {
            if self.root.began.is_some()
                && let Some(listener) = listener()
            {
                listener.took_in(tensor.id());
            }
            // Passes and the CPU's plans look at constants; what runs on a GPU brings them there.
            let here = crate::execute::on_host(tensor)?;
            let mut state = self.state.borrow_mut();
            let value = state.value(*tensor.ty());
            state.graph.constants.push((value, here));
            state.values.insert(tensor.id(), value);
            return Ok(value);
        }
        let ty = match &self.outer {
            Some(outer) => {
                let value = outer.value_of(tensor, op)?;
                let state = outer.state.borrow();
                (*state.graph.ty(value), state.graph.resource(value))
            }
            None => (*tensor.ty(), None),
        };
        let value = self.bind(tensor, &ty.0);
        let mut state = self.state.borrow_mut();
        if let (Some(resource), None) = (ty.1, state.graph.resource(value)) {
            state.graph.resources.push((value, resource));
        }
        state.captures.push((tensor.clone(), value));
        Ok(value)
    }

    fn is_constant(&self, tensor: &Tensor) -> bool {
        match &self.root.began {
            None => tensor.as_object::<Resource>().is_none(),
            Some(began) => tensor.dtype() != kernels::dtype::DType::Resource && began.is_before(tensor.id()),
        }
    }

    /// The graph with these results, and what it captured.
    pub fn finish(&self, results: &[Tensor]) -> Result<Closed> {
        let values = results.iter().map(|t| self.value_of(t, "return")).collect::<Result<Vec<_>>>()?;
        let mut state = self.state.borrow_mut();
        let mut graph = std::mem::replace(&mut state.graph, Graph::empty(""));
        graph.results = values;
        // Parameters of the builder first, captures in their order behind.
        let (captures, captured): (Vec<Tensor>, Vec<Value>) = std::mem::take(&mut state.captures).into_iter().unzip();
        let known: HashSet<Value> = captured.iter().copied().collect();
        graph.params.retain(|v| !known.contains(v));
        graph.params.extend(&captured);
        crate::ir::verify::check_in_tests(&graph);
        Ok(Closed { graph, captures })
    }

    /// Says which types the outputs of the next operation have.
    pub fn expect(&self, types: Option<SmallVec<[TensorType; 1]>>) {
        self.state.borrow_mut().expected = types;
    }

    /// The types of the parameters.
    pub fn param_types(&self) -> Vec<TensorType> {
        self.state.borrow().graph.param_types().copied().collect()
    }

    /// The sizes without numbers that a value shows, so that their numbers are learned from it.
    pub fn shown(&self) -> HashSet<Symbol> {
        let state = self.state.borrow();
        state.graph.types.iter().flat_map(|ty| ty.shape.iter().filter_map(as_symbol)).collect()
    }

    /// The type of a tensor as this graph sees it.
    pub fn type_of(&self, tensor: &Tensor) -> Result<TensorType> {
        let value = self.value_of(tensor, "type")?;
        Ok(*self.state.borrow().graph.ty(value))
    }
}

impl State {
    fn value(&mut self, ty: TensorType) -> Value {
        self.graph.types.push(ty);
        Value(self.graph.types.len() as u32 - 1)
    }
}

#[cold]
fn escaped(symbol: &Tensor, op: &str) -> Error {
    // Said here, or the operands that are where they should be would be blamed.
    let name = listener()
        .and_then(|listener| listener.name_of(symbol))
        .unwrap_or_else(|| format!("recorded at {}", symbol.location()));
    Error::failed_precondition(op, "a value was used outside the branch, loop or function in which it was recorded")
        .variable(name)
        .got(format!("{}, recorded at {}", symbol.ty(), symbol.location()))
        .expected("a value that this part of the program computes or is given")
        .help("assign it to a variable declared before the branch or loop, or return it from the function")
}
