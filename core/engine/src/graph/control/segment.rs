//! `segment`: a part of a graph with plans of its own, so that one size that depends on values does not keep the rest
//! from being planned. The pass `outline` makes it; only the executor that runs node by node meets it.

use super::call::Callable;
use super::cond::output_seen;
use crate::graph::passes::size_uses::named;
use crate::graph::run::reads_param;
use crate::ir::Graph;
use crate::ir::sizes::{Known, Sizes};
use crate::op::{Attr, ControlOp, Flow, Gradient, Infer, Kind, Op, Operands, Outputs, identity};
use kernels::error::Result;
use kernels::shape::Symbol;
use std::sync::Arc;

/// Inputs and outputs: the graph's parameters and results.
#[derive(Clone)]
pub(crate) struct Segment {
    callable: Arc<Callable>,
    /// Sizes that its operations name.
    symbols: Arc<[Symbol]>,
}

impl Segment {
    pub fn new(graph: Graph) -> Self {
        let mut symbols: Vec<Symbol> = graph.nodes.iter().flat_map(named).collect();
        shown(&graph, &mut symbols);
        symbols.sort_unstable();
        symbols.dedup();
        Self { callable: Callable::part_of_one(Arc::new(graph)), symbols: symbols.into() }
    }
}

/// The part of a graph with plans of its own that an operation stands for.
pub(crate) fn part(op: &dyn Op) -> Option<&Callable> {
    op.downcast::<Segment>().map(|segment| &*segment.callable)
}

/// The symbols in types, those of bodies included.
fn shown(graph: &Graph, symbols: &mut Vec<Symbol>) {
    graph.types.iter().for_each(|ty| ty.shape.iter().for_each(|size| symbols.extend(size.symbols())));
    graph.nodes.iter().flat_map(|node| node.op.bodies()).for_each(|body| shown(body, symbols));
}

impl Op for Segment {
    identity!("segment", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("graph", Attr::Int(self.callable.graph.id as i64));
    }

    fn kind(&self) -> Kind {
        Kind::Host
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        self.callable.graph.result_types().try_for_each(|ty| output_seen(cx, ty))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Missing
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for Segment {
    fn host(&self, inputs: Operands, sizes: &Sizes<'_>) -> Result<Outputs> {
        let known: Known = self.symbols.iter().filter_map(|&s| Some((s, sizes.get(s)?))).collect();
        self.callable.run(inputs, &known)
    }

    fn reads(&self, index: usize) -> bool {
        reads_param(&self.callable.graph, index)
    }

    fn flow(&self) -> Option<Flow> {
        Some(Flow::Call)
    }

    fn bodies(&self) -> smallvec::SmallVec<[&Arc<Graph>; 2]> {
        smallvec::smallvec![&self.callable.graph]
    }
}
