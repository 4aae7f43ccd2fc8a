//! Forward mode: an accumulator carries tangents along with the operations that run on this thread.
//! Each operation's tangent comes from its gradient rule applied twice, so every differentiable operation has one.

use super::active_tape::Running;
use super::driver::{Entries, Seed, backprop};
use super::{Differentiable, outer_tape};
use crate::builder;
use crate::builder::Builder;
use crate::execute::execute1;
use crate::lists::whole::NothingLike;
use crate::ops;
use crate::tape::log::Log;
use crate::tape::slot_table::UNTRACKED;
use crate::tape::tape_memory::{IdMap, TapeData};
use crate::tape::{Cotangent, ForwardMode, Unseen, set_forward_mode, tape_memory};
use crate::tensor::local::{InName, LOCAL, mode};
use crate::tensor::{Resource, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::panic::Location;
use std::rc::Rc;

type Tangents = Rc<RefCell<IdMap<Tensor>>>;

thread_local! {
    static ACCUMULATORS: RefCell<Vec<Tangents>> = const { RefCell::new(Vec::new()) };
}

/// Computes Jacobian-vector products as operations run, as TensorFlow's `tf.autodiff.ForwardAccumulator`.
///
/// ```
/// use eagerflow as tf;
/// use tf::ForwardAccumulator;
/// let x = tf::constant([2.0, 3.0]);
/// let forward = ForwardAccumulator::new(&x, &tf::constant([1.0, 0.0]));
/// let y = x.square();
/// assert_eq!(forward.jvp(&y).unwrap().to_vec::<f32>(), [4.0, 0.0]);
/// ```
#[must_use = "tangents are carried along only while the accumulator is alive"]
pub struct ForwardAccumulator {
    tangents: Tangents,
    /// The body that was recorded when it began.
    began_in: Option<Rc<Builder>>,
}

impl ForwardAccumulator {
    /// Starts with `tangent` as the tangent of `primal`, a tensor or variable of the same type.
    ///
    /// # Panics
    /// If the types differ.
    #[track_caller]
    pub fn new(primal: impl Differentiable, tangent: &Tensor) -> Self {
        Self::try_new(&[(primal.handle(), tangent)]).or_fail()
    }

    /// Starts with several pairs of primals and tangents.
    ///
    /// # Errors
    /// InvalidArgument if the types of a pair differ, or are not floating-point.
    pub fn try_new(pairs: &[(&Tensor, &Tensor)]) -> Result<Self> {
        let mut tangents = IdMap::default();
        for &(primal, tangent) in pairs {
            let ty = primal.as_object::<Resource>().map_or(*primal.ty(), Resource::ty);
            if ty != *tangent.ty() || !ty.dtype.is_differentiable() {
                return Err(Error::invalid_argument(
                    "forward_accumulator",
                    "a tangent must have its primal's floating type",
                )
                .got(tangent.ty())
                .expected(ty));
            }
            tangents.insert(primal.id(), tangent.clone());
        }
        let tangents = Rc::new(RefCell::new(tangents));
        set_forward_mode(&Forward);
        ACCUMULATORS.with_borrow_mut(|all| all.push(tangents.clone()));
        LOCAL.with(|local| local.set_mode(mode::FORWARD, true));
        Ok(Self { tangents, began_in: builder::current() })
    }

    /// The tangent of a tensor computed since; `None` if it does not depend on a primal.
    ///
    /// In a traced function, inside of a loop that began after the accumulator, a target that goes through what earlier rounds
    /// made of a primal is an error, which names the variable: ask after the loop.
    #[track_caller]
    pub fn jvp(&self, target: &Tensor) -> Option<Tensor> {
        if builder::is_open() {
            let tangents = self.tangents.clone();
            let follows = move |id| tangents.borrow().contains_key(&id);
            outer_tape::note_since(self.began_in.as_ref(), Box::new(follows), target);
        }
        self.tangents.borrow().get(&target.id()).cloned()
    }
}

impl Drop for ForwardAccumulator {
    fn drop(&mut self) {
        // An accumulator in a thread-local may end after the list has.
        let _ = ACCUMULATORS.try_with(|all| {
            let mut all = all.borrow_mut();
            all.retain(|other| !Rc::ptr_eq(other, &self.tangents));
            LOCAL.with(|local| local.set_mode(mode::FORWARD, !all.is_empty()));
        });
    }
}

/// Accumulators that do not follow what runs while this lives; a panic brings them back too.
struct Hidden(Vec<Tangents>);

impl Hidden {
    /// Hides the accumulators from number `first` on.
    fn from(first: usize) -> Self {
        Self(ACCUMULATORS.with_borrow_mut(|all| all.split_off(first)))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        ACCUMULATORS.with_borrow_mut(|all| all.append(&mut self.0));
        LOCAL.with(|local| local.set_mode(mode::FORWARD, true));
    }
}

/// What tapes tell of the operations that run while an accumulator lives.
struct Forward;

impl ForwardMode for Forward {
    fn carry(
        &self,
        inputs: &[&Tensor],
        outputs: &[Tensor],
        bundle: bool,
        location: &'static Location<'static>,
        note: &dyn Fn(&mut TapeData),
    ) -> Result<()> {
        carry(inputs, outputs, bundle, location, note)
    }

    fn rename(&self, inner: &[Tensor], outer: &[Tensor]) {
        ACCUMULATORS.with_borrow(|all| {
            for tangents in all {
                for (inner, outer) in inner.iter().zip(outer) {
                    let tangent = tangents.borrow().get(&inner.id()).cloned();
                    if let Some(tangent) = tangent {
                        tangents.borrow_mut().insert(outer.id(), tangent);
                    }
                }
            }
        });
    }

    fn follows(&self, tensor: &Tensor) -> bool {
        ACCUMULATORS.with_borrow(|all| all.iter().any(|tangents| tangents.borrow().contains_key(&tensor.id())))
    }
}

/// Carries the tangents of all accumulators over whatever `note` writes onto an empty tape. If the outputs begin with a bundle
/// of saved values, it has a tangent where somebody differentiates the walk that will read it.
fn carry(
    inputs: &[&Tensor],
    outputs: &[Tensor],
    bundle: bool,
    location: &'static Location<'static>,
    note: &dyn Fn(&mut TapeData),
) -> Result<()> {
    let _name = InName::of(Some(location));
    let on_tape = bundle && tape_memory::tapes().iter().any(|tape| tape.borrow().find(&outputs[0]) != UNTRACKED);
    let count = ACCUMULATORS.with_borrow(Vec::len);
    for i in 0..count {
        let Some(tangents) = ACCUMULATORS.with_borrow(|all| all.get(i).cloned()) else { break };
        let mut given: Vec<Option<Tensor>> = inputs.iter().map(|t| tangents.borrow().get(&t.id()).cloned()).collect();
        if given.iter().all(Option::is_none) {
            continue;
        }
        for (input, given) in inputs.iter().zip(&mut given).filter(|(t, g)| g.is_none() && is_list(t)) {
            *given = Some(nothing_like(input)?);
        }
        let mut scratch = TapeData::default();
        for (input, _) in inputs.iter().zip(&given).filter(|(_, g)| g.is_some()) {
            scratch.follow_always(input);
        }
        note(&mut scratch);
        if scratch.log.len() == 0 {
            continue;
        }
        let unread = bundle && !on_tape && !followed_after(i, inputs);
        // The products below are followed by accumulators started earlier (for second orders), not by this one.
        let hidden = Hidden::from(i);
        let result = push_forward(&scratch.log, scratch.count, &given, outputs, usize::from(unread));
        drop(hidden);
        for (output, tangent) in outputs.iter().zip(result?) {
            if let Some(tangent) = tangent {
                tangents.borrow_mut().insert(output.id(), tangent);
            }
        }
    }
    Ok(())
}

/// Whether an accumulator after number `index` has a tangent for one of the tensors: its products are differentiated.
fn followed_after(index: usize, tensors: &[&Tensor]) -> bool {
    ACCUMULATORS.with_borrow(|all| {
        let follows = |tangents: &Tangents| tensors.iter().any(|t| tangents.borrow().contains_key(&t.id()));
        all[index + 1..].iter().any(follows)
    })
}

fn is_list(tensor: &Tensor) -> bool {
    tensor.dtype() == DType::Variant
}

/// The tangent of a list that depends on no primal. It has the list's length: unlike cotangents, which are read from their
/// ends, tangents are read wherever the list is.
fn nothing_like(list: &Tensor) -> Result<Tensor> {
    let _unseen = Unseen::start();
    execute1(&NothingLike, &[list])
}

/// Output tangents of a log's only entry: the vector-Jacobian product is linear in its vector, and its own gradient by that
/// vector, fed with the input tangents, is the Jacobian-vector product. The outputs before number `first` get none.
fn push_forward(
    log: &Log,
    slots: u32,
    tangents: &[Option<Tensor>],
    outputs: &[Tensor],
    first: usize,
) -> Result<Vec<Option<Tensor>>> {
    let mut dummies = Vec::new();
    let mut seeds = SmallVec::new();
    let noted = log.at(0);
    for (i, &output) in noted.output_slots().iter().enumerate() {
        let dummy = match output {
            UNTRACKED => None,
            _ if i < first => None,
            slot => {
                let dummy = match is_list(&outputs[i]) {
                    true => nothing_like(&outputs[i])?,
                    false => ops::zeros_of(noted.output_type(i))?,
                };
                seeds.push((slot, Seed::Given(dummy.clone())));
                Some(dummy)
            }
        };
        dummies.push(dummy);
    }
    // A tensor that is given twice has one cotangent, the sum over both places: it counts once.
    let mut sources: Vec<u32> = Vec::new();
    for (&slot, tangent) in noted.input_slots().iter().zip(tangents) {
        let counts = tangent.is_some() && !sources.contains(&slot);
        sources.push(if counts { slot } else { UNTRACKED });
    }
    let inner = Running::start(false);
    dummies.iter().flatten().for_each(|d| inner.0.borrow_mut().follow_always(d));
    let products = backprop(&mut Entries::Kept(log), slots, seeds, &sources)?;
    // Rows become dense while the inner tape still records.
    let dense = |c: Option<Cotangent>| c.map(Cotangent::into_dense).transpose();
    let products = products.into_iter().map(dense).collect::<Result<Vec<_>>>()?;
    inner.stop();
    let mut targets = SmallVec::new();
    for (product, tangent) in products.iter().zip(tangents) {
        if let (Some(product), Some(tangent)) = (product, tangent) {
            let slot = inner.0.borrow().find(product);
            if slot != UNTRACKED {
                targets.push((slot, Seed::Given(tangent.clone())));
            }
        }
    }
    let (mut log, count, sources) = {
        let mut data = inner.0.borrow_mut();
        let sources: Vec<u32> = dummies.iter().map(|d| d.as_ref().map_or(UNTRACKED, |d| data.find(d))).collect();
        (std::mem::take(&mut data.log), data.count, sources)
    };
    let result = backprop(&mut Entries::Consumed(&mut log), count, targets, &sources)?;
    result.into_iter().map(dense).collect()
}
