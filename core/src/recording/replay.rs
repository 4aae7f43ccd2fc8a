//! Traces a function with symbols in place of sizes, counts the reads of sizes, and runs the recorded list again.
//! The tests of symbolic sizes call [`trace`], and [`Trace::run`] with the numbers of a call.

use super::{List, Value};
use crate::execute::{execute, with_recorder};
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, PinHook, Shape, Symbol, set_pin_hook};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::rc::Rc;

/// Which sizes of the sample inputs share a symbol. Sizes 0 and 1 stay numbers, as they have traces of their own, and so
/// does 2, with which samples write sizes that must be known, such as the number of coordinates in an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Naming {
    /// Equal sizes are one symbol, as a tracer guesses that has seen one call.
    BySize,
    /// Every size is a symbol of its own; what must be equal becomes a constraint.
    Apart,
}

/// A function as a list of operations.
pub(crate) struct Trace {
    list: Rc<List>,
    /// Numbers of the inputs, and their types with symbols.
    inputs: Vec<(usize, TensorType)>,
    /// What the function gave back.
    pub outputs: Vec<Tensor>,
    /// Every read of a symbolic size as a number: which size, and where.
    pub pins: Vec<String>,
}

/// The pins of the trace of this thread, and the numbers that they are given.
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
pub(crate) fn trace(
    samples: &[Tensor],
    naming: Naming,
    body: impl FnOnce(&[Tensor]) -> Result<Vec<Tensor>>,
) -> Result<Trace> {
    struct Restore(Option<PinHook>);
    impl Drop for Restore {
        fn drop(&mut self) {
            set_pin_hook(self.0);
        }
    }
    let list = Rc::new(List::default());
    let mut names = Names { naming, numbers: Vec::new() };
    let mut symbols = Vec::new();
    for sample in samples {
        symbols.push(list.symbol(&TensorType::new(sample.dtype(), names.shape(sample.shape())?)));
    }
    PINS.set(Pins { found: Vec::new(), numbers: names.numbers });
    let _restore = Restore(set_pin_hook(Some(note_pin)));
    let outputs = with_recorder(list.clone(), || body(&symbols))?;
    let inputs = symbols.iter().map(|s| (list.number(s), *s.ty())).collect();
    Ok(Trace { list, inputs, outputs, pins: PINS.take().found })
}

/// The numbers that stand for symbols in one run.
#[derive(Default)]
struct Sizes(HashMap<Symbol, usize>);

impl Sizes {
    /// Learns what a value's size tells of a symbol; an error where the trace said otherwise.
    fn learn(&mut self, traced: &Shape, real: &Shape, what: &str) -> Result<()> {
        let contradiction = || Error::internal(what, "the trace inferred another shape").got(real).expected(traced);
        if traced.rank() != real.rank() {
            return Err(contradiction());
        }
        for (traced, &size) in traced.iter().zip(real.dims()) {
            for symbol in traced.symbols() {
                if traced == name_of(symbol) {
                    self.0.entry(symbol).or_insert(size);
                }
            }
            if traced.bind(&|s| self.0.get(&s).copied())?.known_value() != Some(size) {
                return Err(contradiction());
            }
        }
        Ok(())
    }
}

fn name_of(symbol: Symbol) -> Dim {
    match symbol {
        Symbol::Guarded(i) => Dim::symbol(i),
        Symbol::Unbacked(i) => Dim::unbacked(i),
    }
}

impl Trace {
    /// Runs the list with tensors in place of the inputs, and checks every inferred shape against the real one.
    pub fn run(&self, feeds: &[Tensor]) -> Result<Vec<Tensor>> {
        let mut sizes = Sizes::default();
        let mut values: HashMap<usize, Tensor> = HashMap::new();
        for ((number, ty), feed) in self.inputs.iter().zip(feeds) {
            sizes.learn(&ty.shape, feed.shape(), "input")?;
            values.insert(*number, feed.clone());
        }
        for node in self.list.nodes.borrow().iter() {
            let find = |value: &Value| match value {
                Value::Symbol(number) => values[number].clone(),
                Value::Outside(tensor) => tensor.clone(),
            };
            let inputs: Vec<Tensor> = node.inputs.iter().map(find).collect();
            let op = node.op.bind(&|s| sizes.0.get(&s).copied())?;
            let results = execute(&*op, &inputs.iter().collect::<Vec<_>>()).map_err(|e| e.at(node.location))?;
            for (result, (number, ty)) in results.into_iter().zip(&node.outputs) {
                sizes.learn(&ty.shape, result.shape(), op.name())?;
                values.insert(*number, result);
            }
        }
        for &(a, b) in self.list.equal.borrow().iter() {
            let bound = [a, b].map(|d| d.bind(&|s| sizes.0.get(&s).copied()));
            let [a, b] = [bound[0].as_ref().ok(), bound[1].as_ref().ok()];
            if a != b {
                return Err(Error::internal("trace", format!("a constraint does not hold: {a:?} and {b:?}")));
            }
        }
        let real = |t: &Tensor| match t.is_symbol() {
            true => values[&self.list.number(t)].clone(),
            false => t.clone(),
        };
        Ok(self.outputs.iter().map(real).collect())
    }

    /// The operations that were recorded.
    pub fn operations(&self) -> Vec<&'static str> {
        self.list.nodes.borrow().iter().map(|node| node.op.name()).collect()
    }
}
