//! Functions recorded with symbols in place of their inputs' sizes: which sizes they read as numbers, and the recorded graph run again,
//! with every inferred type compared with the real one. The tests of symbolic sizes call it.

use crate::builder::Builder;
use crate::execute::execute;
use crate::ir::Graph;
use crate::ir::Node;
use crate::ir::sizes::Sizes;
use crate::op::Kind;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, PinHook, Shape, Symbol, set_pin_hook};
use std::cell::RefCell;
use std::panic::Location;

/// Which sizes of the sample inputs share a symbol. Sizes 0 and 1 stay numbers, as they have traces of their own, and so
/// does 2, with which samples write sizes that must be known, such as the number of coordinates in an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// Equal sizes are one symbol, as a tracer guesses that has seen one call.
    BySize,
    /// Every size is a symbol of its own; what must be equal becomes a constraint.
    Apart,
}

/// A function as a graph.
pub struct Open {
    graph: Graph,
    captures: Vec<Tensor>,
    /// Every read of a symbolic size as a number: which size, and where.
    pub pins: Vec<String>,
}

/// The pins of the recording of this thread, and the numbers that they are given.
#[derive(Default)]
struct Pins {
    found: Vec<String>,
    numbers: Vec<usize>,
}

thread_local! {
    static PINS: RefCell<Pins> = RefCell::default();
}

fn note_pin(size: Dim, at: &'static Location<'static>) -> Result<usize> {
    PINS.with_borrow_mut(|pins| {
        pins.found.push(format!("{size} at {at}"));
        let bound = size.bind(&|s| match s {
            Symbol::Guarded(i) => pins.numbers.get(i as usize).copied(),
            Symbol::Unbacked(_) => None,
        });
        Ok(bound.ok().and_then(Dim::known_value).unwrap_or(2))
    })
}

/// Symbols for sizes.
struct Names {
    naming: Naming,
    numbers: Vec<usize>,
}

impl Names {
    fn name(&mut self, size: usize) -> Dim {
        if size < 3 {
            return Dim::known(size);
        }
        let known = self.numbers.iter().position(|&n| n == size).filter(|_| self.naming == Naming::BySize);
        let index = known.unwrap_or_else(|| {
            self.numbers.push(size);
            self.numbers.len() - 1
        });
        Dim::symbol(index as u32)
    }

    fn shape(&mut self, shape: &Shape) -> Result<Shape> {
        let dims: Vec<Dim> = shape.dims().iter().map(|&size| self.name(size)).collect();
        Shape::from_dims(&dims)
    }
}

/// Records `body` with symbols of the samples' types; rank and dtype are known, sizes are not.
pub fn record_open(
    samples: &[Tensor],
    naming: Naming,
    body: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>>,
) -> Result<Open> {
    struct Restore(Option<PinHook>);
    impl Drop for Restore {
        fn drop(&mut self) {
            set_pin_hook(self.0);
        }
    }
    let builder = Builder::function("open");
    let mut names = Names { naming, numbers: Vec::new() };
    let mut symbols = Vec::new();
    for sample in samples {
        symbols.push(builder.param(&TensorType::new(sample.dtype(), names.shape(sample.shape())?)));
    }
    PINS.set(Pins { found: Vec::new(), numbers: names.numbers });
    let _restore = Restore(set_pin_hook(Some(note_pin)));
    let closed = builder.record_in(|| builder.finish(&body(&symbols)?))?;
    Ok(Open { graph: closed.graph, captures: closed.captures, pins: PINS.take().found })
}

/// Learns what a real shape says of the symbols in a type; an error where the recording said otherwise.
fn learn(sizes: &Sizes<'_>, ty: &TensorType, real: &Shape, what: &str) -> Result<()> {
    let contradiction = || Error::internal(what, "another shape was inferred").got(real).expected(ty.shape);
    if ty.shape.rank() != real.rank() {
        return Err(contradiction());
    }
    sizes.learn(ty, real);
    for (inferred, &size) in ty.shape.iter().zip(real.dims()) {
        if inferred.bind(&|s| sizes.get(s))?.known_value() != Some(size) {
            return Err(contradiction());
        }
    }
    Ok(())
}

impl Open {
    /// Runs the graph with tensors in place of the inputs, operation by operation, and checks every inferred shape against the real
    /// one.
    pub fn run(&self, feeds: &[Tensor]) -> Result<Vec<Tensor>> {
        let sizes = Sizes::default();
        let mut values: Vec<Option<Tensor>> = vec![None; self.graph.types.len()];
        for (&param, feed) in self.graph.params.iter().zip(feeds.iter().chain(&self.captures)) {
            if has_shape(feed) {
                learn(&sizes, self.graph.ty(param), feed.shape(), "input")?;
            }
            values[param.index()] = Some(feed.clone());
        }
        for (value, constant) in &self.graph.constants {
            values[value.index()] = Some(constant.clone());
        }
        for node in &self.graph.nodes {
            let results = self.step(node, &values, &sizes).map_err(|e| e.at(node.location))?;
            for (value, result) in node.outputs.iter().zip(results) {
                if has_shape(&result) {
                    learn(&sizes, self.graph.ty(*value), result.shape(), node.op.name())?;
                }
                values[value.index()] = Some(result);
            }
        }
        let results = self.graph.results.iter().map(|v| values[v.index()].clone());
        results.map(|result| result.ok_or_else(|| Error::internal("open", "a result is missing"))).collect()
    }

    fn step(&self, node: &Node, values: &[Option<Tensor>], sizes: &Sizes<'_>) -> Result<crate::op::Outputs> {
        let op = sizes.bind(&node.op)?;
        let inputs: Vec<Tensor> = node.inputs.iter().filter_map(|v| values[v.index()].clone()).collect();
        match op.kind() {
            Kind::Host => op.host(inputs.into_iter().collect(), sizes),
            _ => execute(&*op, &inputs.iter().collect::<Vec<_>>()),
        }
    }

    /// The operations that were recorded.
    pub fn operations(&self) -> Vec<&'static str> {
        self.graph.nodes.iter().map(|node| node.op.name()).collect()
    }
}

/// Whether a value's shape says something: handles are scalars.
fn has_shape(tensor: &Tensor) -> bool {
    tensor.dtype().size() > 0 || tensor.dtype() == kernels::dtype::DType::String
}
