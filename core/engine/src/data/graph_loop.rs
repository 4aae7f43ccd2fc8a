//! A pass over a dataset as a loop of the graph makes it: `iterator_begin` opens it, `iterator_advance` looks for another
//! element before each round, and `iterator_element` takes that element out in the round.
//!
//! TensorFlow's loop takes optional elements; here the element waits in the iterator, so that a loop that is left takes none.

use super::pipeline::Pipeline;
use super::stage::{Pass, values};
use crate::execute::{execute, execute1};
use crate::op::{Attr, ControlOp, Gradient, Infer, Kind, Op, Outputs, identity};
use crate::ops::element_types;
use crate::tape::Unseen;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use smallvec::smallvec;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An iterator of the graph.
struct GraphLoop {
    pipeline: Pipeline,
    state: Mutex<State>,
}

struct State {
    /// Nothing behind the last element.
    stream: Option<Box<dyn Pass>>,
    /// The element of this round.
    element: Option<Outputs>,
}

impl GraphLoop {
    fn of<'a>(handle: &'a Tensor, op: &str) -> Result<&'a Self> {
        handle.as_object().ok_or_else(|| Error::invalid_argument(op, "the input is no iterator").got(handle.ty()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Input: a dataset. Output: an iterator over its elements.
#[derive(Clone)]
struct Begin;

impl Op for Begin {
    identity!("iterator_begin");

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.output(DType::Variant, Shape::SCALAR);
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("data depends on nothing")
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for Begin {
    fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let _unseen = Unseen::start();
        let pipeline = Pipeline::of(inputs[0], "for")?.clone();
        let state = Mutex::new(State { stream: Some(pipeline.stages.begin(None)?), element: None });
        Ok(smallvec![Tensor::object_of(DType::Variant, Box::new(GraphLoop { pipeline, state }))])
    }
}

/// Input: an iterator. Output: whether there is another element, which waits in the iterator.
#[derive(Clone)]
struct Advance;

impl Op for Advance {
    identity!("iterator_advance");

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.output(DType::Bool, Shape::SCALAR);
        Ok(())
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("data depends on nothing")
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for Advance {
    fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let pass = GraphLoop::of(inputs[0], "for")?;
        let mut state = pass.state();
        // Preparing data is no part of what a tape follows.
        let _unseen = Unseen::start();
        let item = match &mut state.stream {
            Some(stream) => stream.next()?,
            None => None,
        };
        let element = item.map(|item| values(pass.pipeline.stages.source(), item)).transpose()?;
        let found = element.is_some();
        if !found {
            state.stream = None;
        }
        state.element = element;
        Ok(smallvec![crate::constant::try_constant_of(found, DType::Bool)?])
    }
}

/// Input: an iterator that has advanced. Outputs: the components of the element.
#[derive(Clone)]
struct Element {
    types: Arc<[TensorType]>,
}

impl Op for Element {
    identity!("iterator_element", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        for ty in self.types.iter() {
            visit("dtype", Attr::DType(ty.dtype));
            visit("shape", Attr::Shape(&ty.shape));
        }
    }

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        element_types(&self.types, cx)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("data depends on nothing")
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for Element {
    fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let element = GraphLoop::of(inputs[0], "for")?.state().element.take();
        let element = element.ok_or_else(|| Error::internal("for", "a round without an element"))?;
        for (tensor, ty) in element.iter().zip(self.types.iter()) {
            let fits = tensor.rank() == ty.shape.rank()
                && tensor.shape().iter().zip(ty.shape.iter()).all(|(a, b)| a.can_equal(b));
            if tensor.dtype() != ty.dtype || !fits {
                return Err(Error::invalid_argument("for", "an element has another type than the dataset's others")
                    .got(tensor.ty())
                    .expected(ty)
                    .help("let `map` give elements of one dtype and shape"));
            }
        }
        Ok(element)
    }
}

/// An iterator over a dataset, in the graph that is open.
#[track_caller]
pub(super) fn begin(dataset: &Tensor) -> Result<Tensor> {
    execute1(&Begin, &[dataset])
}

/// Whether there is another element.
#[track_caller]
pub(super) fn advance(iterator: &Tensor) -> Result<Tensor> {
    execute1(&Advance, &[iterator])
}

/// The element that was found.
#[track_caller]
pub(super) fn element(iterator: &Tensor, types: Arc<[TensorType]>) -> Result<Outputs> {
    execute(&Element { types }, &[iterator])
}
