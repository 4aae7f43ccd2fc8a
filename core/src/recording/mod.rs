//! A throw-away recorder for tests: operations become a list of nodes, sizes may be symbols, reads of sizes are counted.
//! The tests of symbolic sizes run such lists again through the door.

mod replay;

pub(crate) use replay::{Naming, trace};

use crate::execute::{Recorder, view_of};
use crate::op::{Facts, Infer, Op, OpRef, Outputs};
use crate::tensor::{Resource, Tensor, TensorType};
use kernels::backend::cpu::View;
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;

/// One operation of the list.
pub(crate) struct Node {
    pub op: OpRef,
    pub inputs: Vec<Value>,
    /// Number and type of each result.
    pub outputs: Vec<(usize, TensorType)>,
    pub location: &'static Location<'static>,
}

/// What an operation reads.
#[derive(Clone)]
pub(crate) enum Value {
    /// The value with this number.
    Symbol(usize),
    /// A tensor from outside: a constant or a handle.
    Outside(Tensor),
}

/// The operations in the order in which they were recorded.
#[derive(Default)]
pub(crate) struct List {
    pub nodes: RefCell<Vec<Node>>,
    values: RefCell<HashMap<u64, usize>>,
    /// Symbols are kept alive so that ids are not taken for others.
    symbols: RefCell<Vec<Tensor>>,
    /// Sizes that must turn out equal.
    pub equal: RefCell<Vec<(Dim, Dim)>>,
}

/// What a recorder knows: types, and the elements of what is no symbol.
struct Types<'a>(&'a [&'a Tensor]);

impl Facts for Types<'_> {
    fn value(&self, index: usize) -> Option<View> {
        let tensor = self.0[index];
        (!tensor.is_symbol() && tensor.dtype().size() > 0).then(|| view_of(tensor))
    }

    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)> {
        let resource = self.0[index].as_object::<Resource>()?;
        Some((resource.ty(), resource.shape))
    }
}

impl List {
    /// A new value of a type.
    #[track_caller]
    pub fn symbol(&self, ty: &TensorType) -> Tensor {
        let symbol = Tensor::symbol(ty);
        let mut symbols = self.symbols.borrow_mut();
        self.values.borrow_mut().insert(symbol.id(), symbols.len());
        symbols.push(symbol.clone());
        symbol
    }

    /// The number of a value of this list.
    pub fn number(&self, symbol: &Tensor) -> usize {
        self.values.borrow()[&symbol.id()]
    }

    fn value(&self, tensor: &Tensor) -> Value {
        match self.values.borrow().get(&tensor.id()) {
            Some(&number) => Value::Symbol(number),
            None => Value::Outside(tensor.clone()),
        }
    }
}

impl Recorder for List {
    fn record(&self, op: &dyn Op, inputs: &[&Tensor], location: &'static Location<'static>) -> Result<Outputs> {
        let types: Vec<_> = inputs.iter().map(|t| t.ty()).collect();
        let facts = Types(inputs);
        let mut cx = Infer::new(op.name(), &types, &facts);
        op.infer(&mut cx)?;
        self.equal.borrow_mut().extend(cx.constraints.iter());
        let inputs = inputs.iter().map(|t| self.value(t)).collect();
        let outputs: Outputs = cx.outputs.iter().map(|ty| self.symbol(ty)).collect();
        let numbers = outputs.iter().map(|t| (self.number(t), *t.ty())).collect();
        self.nodes.borrow_mut().push(Node { op: op.keep(), inputs, outputs: numbers, location });
        Ok(outputs)
    }
}
