//! The graph as a value: typed values, and nodes in program order that compute them.
//! Builders make it, passes rebuild it, and it never changes otherwise.

use crate::op::{Attr, Op, OpRef};
use crate::tensor::{Tensor, TensorType};
use kernels::device::DeviceId;
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{Constraints, Dim, Shape, Symbol};
use smallvec::SmallVec;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

mod by_value;
pub(crate) mod print;
pub(crate) mod sizes;
pub(crate) mod steps;
pub(crate) mod verify;

pub(crate) use by_value::{ByValue, Value};

/// One operation with where its operands come from.
pub(crate) struct Node {
    pub op: OpRef,
    pub inputs: SmallVec<[Value; 3]>,
    pub outputs: SmallVec<[Value; 1]>,
    /// The user's line, which errors at run time name.
    pub location: &'static Location<'static>,
    /// Where it runs, if a guard of the traced function asked for a device.
    pub device: Option<DeviceId>,
    /// The operation of whose gradient it is a part, for checks of numerics.
    pub gradient_of: Option<&'static str>,
    /// The name scope in which it was recorded.
    pub scope: Option<&'static str>,
}

/// Where a node stands in the user's program.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub location: &'static Location<'static>,
    pub device: Option<DeviceId>,
    pub gradient_of: Option<&'static str>,
    pub scope: Option<&'static str>,
}

impl Clone for Node {
    fn clone(&self) -> Self {
        steps::count(1);
        let Self { op, inputs, outputs, location, device, gradient_of, scope } = self;
        let (op, inputs, outputs) = (op.clone(), inputs.clone(), outputs.clone());
        Self { op, inputs, outputs, location, device: *device, gradient_of: *gradient_of, scope: *scope }
    }
}

impl Node {
    /// Where it stands.
    pub fn at(&self) -> At {
        At { location: self.location, device: self.device, gradient_of: self.gradient_of, scope: self.scope }
    }

    /// Whether the operation has sizes among its attributes that are not numbers yet.
    pub fn names_sizes(&self) -> bool {
        names_sizes(&*self.op)
    }
}

/// Whether an operation has sizes among its attributes that are not numbers yet.
pub(crate) fn names_sizes(op: &dyn Op) -> bool {
    let mut open = false;
    op.attributes(&mut |_, attr| {
        if let Attr::Shape(shape) = attr {
            open |= !shape.is_known();
        }
    });
    open
}

/// What is known of the object behind a parameter that is a resource handle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ResourceType {
    pub value: TensorType,
    /// The shape that every value of it has.
    pub shape: Option<Shape>,
}

/// A body: parameters, constants, nodes in program order, results.
///
/// Program order is the order of effects: passes may move only what is pure and total.
#[derive(Clone)]
pub(crate) struct Graph {
    pub name: String,
    pub params: Vec<Value>,
    pub constants: ByValue<Tensor>,
    pub nodes: Vec<Node>,
    pub results: Vec<Value>,
    /// The type of each value, by number.
    pub types: Vec<TensorType>,
    /// What parameters of dtype `resource` stand for.
    pub resources: ByValue<ResourceType>,
    /// Pairs of sizes that operations rely on being equal.
    pub constraints: Constraints,
    /// A number that no other graph has.
    pub id: u64,
}

/// A number for a new graph.
pub(crate) fn fresh_id() -> u64 {
    static IDS: AtomicU64 = AtomicU64::new(1);
    IDS.fetch_add(1, Ordering::Relaxed)
}

/// Numbers for `count` sizes that are known only at run time; no two graphs share one.
pub(crate) fn fresh_sizes(count: u32) -> u32 {
    static SIZES: AtomicU32 = AtomicU32::new(0);
    SIZES.fetch_add(count, Ordering::Relaxed)
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

impl Graph {
    pub fn empty(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            params: Vec::new(),
            constants: ByValue::default(),
            nodes: Vec::new(),
            results: Vec::new(),
            types: Vec::new(),
            resources: ByValue::default(),
            constraints: Constraints::default(),
            id: fresh_id(),
        }
    }

    pub fn ty(&self, value: Value) -> &TensorType {
        &self.types[value.index()]
    }

    pub fn result_types(&self) -> impl Iterator<Item = &TensorType> {
        self.results.iter().map(|&v| self.ty(v))
    }

    pub fn param_types(&self) -> impl Iterator<Item = &TensorType> {
        self.params.iter().map(|&v| self.ty(v))
    }

    pub fn constant(&self, value: Value) -> Option<&Tensor> {
        self.constants.get(value)
    }

    pub fn resource(&self, value: Value) -> Option<ResourceType> {
        self.resources.get(value).copied()
    }

    /// Whether any size is open until the graph runs, of a value or one that an operation names.
    pub fn is_symbolic(&self) -> bool {
        self.types.iter().any(|t| !t.shape.is_known()) || self.nodes.iter().any(|node| node.names_sizes())
    }

    /// Whether a value is a tensor of strings or a variable of them, here or in a body inside.
    pub fn has_strings(&self) -> bool {
        self.types.iter().any(|ty| ty.dtype == DType::String)
            || self.resources.iter().any(|(_, resource)| resource.value.dtype == DType::String)
            || self.nodes.iter().any(|node| node.op.bodies().iter().any(|body| body.has_strings()))
    }

    /// Whether that is so of what a node takes, gives and has inside.
    pub fn node_has_strings(&self, node: &Node) -> bool {
        let strings = |v: &Value| {
            self.ty(*v).dtype == DType::String || self.resource(*v).is_some_and(|r| r.value.dtype == DType::String)
        };
        node.inputs.iter().chain(&node.outputs).any(strings) || node.op.bodies().iter().any(|body| body.has_strings())
    }

    /// Whether that is so here or in a body inside.
    pub fn is_open(&self) -> bool {
        let inner = |node: &Node| node.op.bodies().iter().any(|body| body.is_open());
        self.is_symbolic() || self.nodes.iter().any(inner)
    }

    /// The devices that nodes ask for, here or in bodies inside.
    pub fn devices(&self) -> SmallVec<[DeviceId; 2]> {
        let mut all: SmallVec<[DeviceId; 2]> = SmallVec::new();
        for node in &self.nodes {
            let inner = node.op.bodies().into_iter().flat_map(|body| body.devices());
            for device in node.device.into_iter().chain(inner) {
                if !all.contains(&device) {
                    all.push(device);
                }
            }
        }
        all
    }

    /// All nodes, those of bodies inside bodies included: what does not depend on how often a loop runs.
    pub fn node_count(&self) -> usize {
        let inner = |node: &Node| node.op.bodies().iter().map(|body| body.node_count()).sum::<usize>();
        self.nodes.iter().map(|node| 1 + inner(node)).sum()
    }
}
