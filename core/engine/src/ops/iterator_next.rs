//! `iterator_next`: the next element of a dataset iterator, one output per component; no gradient flows out of it.
//! TensorFlow's `IteratorGetNext`; behind the last element it answers OutOfRange. The data sets' iterators call it.

use kernels::error::{Error, Result};
use crate::execute::execute;
use crate::op::{ControlOp, Attr, Gradient, Infer, Kind, Op, Outputs, identity};
use kernels::shape::{Dim, MAX_RANK, Shape};
use crate::tensor::local::{LOCAL, mode};
use crate::tensor::{Tensor, TensorType};
use smallvec::SmallVec;
use std::sync::Arc;

/// What gives the elements of an iterator; the state lies behind a lock of its own.
pub(crate) trait Elements: Send + Sync {
    /// The components of the next element; `None` behind the last one, from then on for good.
    fn next(&self) -> Result<Option<Outputs>>;
    /// Whether [`next`](Self::next) has answered `None`.
    fn ended(&self) -> bool;
}

/// The object behind an iterator's handle.
struct Iterating(Arc<dyn Elements>);

/// A handle for [`next_element`].
#[track_caller]
pub(crate) fn iterator_handle(elements: Arc<dyn Elements>) -> Tensor {
    Tensor::object(Box::new(Iterating(elements)))
}

/// Input: an iterator's handle. Outputs: the components of an element.
#[derive(Clone)]
pub(crate) struct IteratorNext {
    /// The components' types, where they are known before the elements are; sizes that vary are unbacked symbols.
    pub types: Option<Arc<[TensorType]>>,
}

impl Op for IteratorNext {
    identity!("iterator_next", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        for ty in self.types.iter().flat_map(|types| types.iter()) {
            visit("dtype", Attr::DType(ty.dtype));
            visit("shape", Attr::Shape(&ty.shape));
        }
    }

    fn kind(&self) -> Kind {
        Kind::Control
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let Some(types) = &self.types else {
            return Err(Error::failed_precondition(
                "iterator_next",
                "the types of the dataset's elements are not known",
            )
            .help("a `map` hides them: iterate outside of the recorded function, or map inside of it"));
        };
        element_types(types, cx)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("data depends on nothing")
    }

    fn as_control(&self) -> Option<&dyn ControlOp> {
        Some(self)
    }
}

impl ControlOp for IteratorNext {
    fn control(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        let Some(iterating) = inputs[0].as_object::<Iterating>() else {
            return Err(Error::invalid_argument("iterator_next", "the input is no iterator").got(inputs[0].ty()));
        };
        // Preparing data is no part of what a tape or a forward accumulator follows.
        let _unseen = Unseen::enter();
        match iterating.0.next()? {
            Some(element) => Ok(element),
            None => Err(Error::out_of_range("iterator_next", "the dataset has no more elements")
                .help("iterate over the dataset anew, or `repeat` it")),
        }
    }
}

/// Answers the types of an element: one symbol per size that varies, since components of one batch have the same number of
/// rows.
pub(crate) fn element_types(types: &[TensorType], cx: &mut Infer<'_>) -> Result<()> {
    let mut symbols: SmallVec<[(Dim, Dim); 2]> = SmallVec::new();
    for ty in types {
        let mut dims: SmallVec<[Dim; MAX_RANK]> = SmallVec::new();
        for dim in ty.shape.iter() {
            let known = symbols.iter().find(|(from, _)| *from == dim).map(|(_, to)| *to);
            let to = match known {
                _ if dim.is_known() => dim,
                Some(to) => to,
                None => cx.unknown_dim(),
            };
            if !dim.is_known() && known.is_none() {
                symbols.push((dim, to));
            }
            dims.push(to);
        }
        cx.output(ty.dtype, Shape::from_dims(&dims)?);
    }
    Ok(())
}

/// Keeps tapes and accumulators of this thread from following operations while it lives.
struct Unseen(u32);

impl Unseen {
    fn enter() -> Self {
        LOCAL.with(|local| {
            let before = local.mode.get();
            local.mode.set(before & !(mode::TAPE | mode::FORWARD));
            Self(before)
        })
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        LOCAL.with(|local| local.mode.set(self.0));
    }
}

/// The components of the next element behind a handle.
#[track_caller]
pub(crate) fn next_element(handle: &Tensor, types: Option<Arc<[TensorType]>>) -> Result<Outputs> {
    // A graph would hold one element for ever, and the loop over them would never end.
    if crate::execute::recording() {
        return Err(Error::failed_precondition("iterator_next", "an iterator is asked for an element while a function is traced")
            .expected("a loop over the dataset itself, which becomes a loop of the graph")
            .help("write `for element in &dataset`, with `dataset.enumerate()` or `take` where Rust's adaptors would stand"));
    }
    execute(&IteratorNext { types }, &[handle])
}
