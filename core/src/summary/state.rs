//! What a thread's summaries go by: the default writer, the default step, and whether any are recorded.
//! Guards change it for as long as they live; every summary asks.

use super::step::{IntoStep, Step};
use super::writer::SummaryWriter;
use engine::{Tensor, executing_eagerly};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

thread_local! {
    static STATE: RefCell<State> = const { RefCell::new(State { writer: None, step: Step::Default, condition: None }) };
}

struct State {
    writer: Option<SummaryWriter>,
    step: Step,
    condition: Option<Condition>,
}

/// Whether summaries are recorded, as [`record_if`] was told.
#[derive(Clone)]
pub enum Condition {
    /// Always or never.
    Always(bool),
    /// As a tensor of a truth value says.
    Tensor(Tensor),
    /// As a closure says, which is asked for each summary; in a traced function, while it is traced.
    Ask(Rc<dyn Fn() -> Self>),
}

/// What [`record_if`] takes: `bool`, a tensor of one, or a closure that gives either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no condition",
    label = "expected `bool`, a `Tensor`, or a closure"
)]
pub trait IntoCondition {
    /// The condition.
    #[doc(hidden)]
    fn into_condition(self) -> Condition;
}

impl IntoCondition for bool {
    fn into_condition(self) -> Condition {
        Condition::Always(self)
    }
}

impl IntoCondition for Tensor {
    fn into_condition(self) -> Condition {
        Condition::Tensor(self)
    }
}

impl IntoCondition for &Tensor {
    fn into_condition(self) -> Condition {
        Condition::Tensor(self.clone())
    }
}

impl<R: IntoCondition, F: Fn() -> R + 'static> IntoCondition for F {
    fn into_condition(self) -> Condition {
        Condition::Ask(Rc::new(move || self().into_condition()))
    }
}

/// What a condition comes to at a line of the program.
pub enum Recorded {
    /// It is known now.
    Now(bool),
    /// A value of the graph that is recorded tells when it runs.
    Then(Tensor),
}

impl Condition {
    fn resolve(&self) -> Result<Recorded> {
        match self {
            Self::Always(on) => Ok(Recorded::Now(*on)),
            Self::Ask(ask) => ask().resolve(),
            Self::Tensor(tensor) if tensor.dtype() != DType::Bool || tensor.rank() != 0 => {
                Err(Error::invalid_argument("record_if", "the condition is no truth value")
                    .got(format!("{} {}", tensor.dtype(), tensor.shape()))
                    .expected("bool []"))
            }
            Self::Tensor(tensor) if engine::library::is_recorded(tensor) => Ok(Recorded::Then(tensor.clone())),
            Self::Tensor(tensor) => tensor.try_item::<bool>().map(Recorded::Now),
        }
    }
}

/// Runs `f` with the default writer, if there is one and summaries are or may be recorded.
pub fn with_writer<R>(f: impl FnOnce(&SummaryWriter, Recorded) -> Result<R>) -> Result<Option<R>> {
    let (writer, condition) = STATE.with_borrow(|state| (state.writer.clone(), state.condition.clone()));
    let Some(writer) = writer else { return Ok(None) };
    match condition.map_or(Ok(Recorded::Now(true)), |condition| condition.resolve())? {
        Recorded::Now(false) => Ok(None),
        recorded => f(&writer, recorded).map(Some),
    }
}

/// Runs `f` with the default writer without a look at conditions, if there is a writer and no condition, and nothing is traced.
/// `None` where the long way must be gone.
#[inline]
pub fn with_plain_writer<R>(f: impl FnOnce(&SummaryWriter) -> R) -> Plain<R> {
    STATE.with_borrow(|state| match (&state.writer, &state.condition) {
        (None, _) => Plain::NoWriter,
        (Some(writer), None) if executing_eagerly() => Plain::Done(f(writer)),
        _ => Plain::Other,
    })
}

/// What came of [`with_plain_writer`].
pub enum Plain<R> {
    /// There is no default writer.
    NoWriter,
    /// There is one, and it was used.
    Done(R),
    /// It is not that simple.
    Other,
}

/// The step itself, or the default one in place of [`Step::Default`].
pub fn or_default(step: Step) -> Step {
    match step {
        Step::Default => STATE.with_borrow(|state| state.step.clone()),
        step => step,
    }
}

/// The default step if it is a number.
pub fn default_number() -> Option<i64> {
    STATE.with_borrow(|state| match state.step {
        Step::Number(number) => Some(number),
        _ => None,
    })
}

/// Sets the step of this thread's summaries that are given `()`: a number, or a variable that is read for each. In a traced function a
/// number is the one of the trace, a variable the one of each call.
/// `tf.summary.experimental.set_step` of TensorFlow.
///
/// ```
/// use eagerflow as tf;
/// let step = tf::Variable::new(tf::Tensor::from(0_i64));
/// tf::summary::set_step(&step);
/// step.assign(&tf::Tensor::from(5_i64));
/// assert_eq!(tf::summary::get_step(), Some(5));
/// tf::summary::set_step(());
/// assert_eq!(tf::summary::get_step(), None);
/// ```
pub fn set_step(step: impl IntoStep) {
    let step = step.into_step();
    let before = STATE.with_borrow_mut(|state| std::mem::replace(&mut state.step, step));
    // Outside of the borrow: a variable that ends may run code of its own.
    drop(before);
}

/// The default step of this thread's summaries, if one is set; `None` too for a variable that a traced function is reading.
pub fn get_step() -> Option<i64> {
    let step = or_default(Step::Default);
    match step.read() {
        Ok(super::step::Read::Number(number)) => Some(number),
        _ => None,
    }
}

/// Makes a writer the default one of this thread, for good; answers the one before.
pub(super) fn replace_writer(writer: Option<SummaryWriter>) -> Option<SummaryWriter> {
    STATE.with_borrow_mut(|state| std::mem::replace(&mut state.writer, writer))
}

/// The default writer of this thread.
pub fn get_default_writer() -> Option<SummaryWriter> {
    STATE.with_borrow(|state| state.writer.clone())
}

/// While it lives, a writer is the default one of its thread.
#[must_use = "the writer is the default one for as long as the guard lives"]
pub struct DefaultWriter {
    pub(super) before: Option<SummaryWriter>,
    pub(super) own: SummaryWriter,
    pub(super) _here: PhantomData<*const ()>,
}

impl Drop for DefaultWriter {
    /// What the block has written is handed to the system, as at the end of TensorFlow's `with`.
    fn drop(&mut self) {
        drop(replace_writer(self.before.take()));
        self.own.nudge();
    }
}

impl fmt::Debug for DefaultWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DefaultWriter").field(&self.own).finish()
    }
}

/// While it lives, summaries of its thread are recorded or not.
#[must_use = "the condition holds for as long as the guard lives"]
pub struct RecordIf {
    before: Option<Condition>,
    _here: PhantomData<*const ()>,
}

/// Records this thread's summaries only where the condition is true, for as long as the guard lives. A closure is asked for each
/// summary. In a traced function a tensor is looked at when the function runs; a `bool` is that of the trace. The innermost guard counts.
///
/// ```
/// use eagerflow as tf;
/// # let folder = std::env::temp_dir().join(format!("eagerflow-record-if-{}", std::process::id()));
/// let writer = tf::summary::create_file_writer(&folder);
/// let _default = writer.as_default();
/// for step in 0..100 {
///     let _often_enough = tf::summary::record_if(step % 10 == 0);
///     tf::summary::scalar("loss", 1.0, step);
/// }
/// # drop(_default);
/// # writer.close();
/// # std::fs::remove_dir_all(folder).unwrap();
/// ```
pub fn record_if(condition: impl IntoCondition) -> RecordIf {
    let condition = Some(condition.into_condition());
    let before = STATE.with_borrow_mut(|state| std::mem::replace(&mut state.condition, condition));
    RecordIf { before, _here: PhantomData }
}

/// Whether summaries of this thread are recorded: as [`record_if`] says, and only with a default writer. A tensor in a traced function
/// counts as true, since only a run tells.
///
/// # Errors
/// InvalidArgument for a condition that is no truth value.
pub fn should_record_summaries() -> Result<bool> {
    with_writer(|_, _| Ok(())).map(|written| written.is_some())
}

impl Drop for RecordIf {
    fn drop(&mut self) {
        let before = self.before.take();
        let own = STATE.with_borrow_mut(|state| std::mem::replace(&mut state.condition, before));
        drop(own);
    }
}

impl fmt::Debug for RecordIf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordIf").finish_non_exhaustive()
    }
}
