//! A summary on its way to the queue: at once, or as an operation of the graph that is recorded.
//! Each kind of summary says what it shows ([`Content`]); this file finds writer, step and condition for it.

use super::encode;
use super::queue::Queue;
use super::state::{Recorded, or_default, with_writer};
use super::step::{IntoStep, Read, number};
use engine::library::{OnHost, cast_to, named_scope, on_host};
use engine::{Dim, Tensor, TensorType};
use formats::events::SummaryMetadata;
use formats::messages::TensorProto;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::sync::Arc;

/// What a kind of summary shows.
pub trait Content: Send + Sync + 'static {
    /// What errors and printed graphs call it.
    fn name(&self) -> &'static str;

    /// Which plugin of TensorBoard shows it, and how.
    fn metadata(&self) -> SummaryMetadata;

    /// What is wrong with the types of what it is given.
    fn check(&self, inputs: &[&TensorType]) -> Result<()>;

    /// The value for TensorBoard. The thread of the writer makes it, of tensors on the host.
    fn tensor(&self, inputs: &[Tensor]) -> Result<TensorProto>;
}

/// What an operation does with its operands.
#[derive(Clone)]
enum What {
    Scalar,
    Content(Arc<dyn Content>),
}

/// A summary as an operation. Operands: what it shows, then the step and the condition if they are tensors.
struct Write {
    what: What,
    queue: Arc<Queue>,
    tag: String,
    /// The step, if it is no operand.
    step: Option<i64>,
    is_conditional: bool,
}

/// Records a summary of a kind for the default writer; without one it does nothing.
#[track_caller]
pub fn write(content: Arc<dyn Content>, name: &str, inputs: &[&Tensor], step: impl IntoStep) -> Result<()> {
    record(What::Content(content), &|| full_tag(name), inputs, step)
}

/// As [`write()`], under a tag that the name scopes do not change.
#[track_caller]
pub fn write_tagged(content: Arc<dyn Content>, tag: &str, inputs: &[&Tensor], step: impl IntoStep) -> Result<()> {
    record(What::Content(content), &|| tag.to_owned(), inputs, step)
}

/// Records the one number of a tensor; without a default writer it does nothing.
#[track_caller]
pub fn write_scalar(name: &str, value: &Tensor, step: impl IntoStep) -> Result<()> {
    record(What::Scalar, &|| full_tag(name), &[value], step)
}

#[track_caller]
fn record(what: What, tag: &dyn Fn() -> String, inputs: &[&Tensor], step: impl IntoStep) -> Result<()> {
    let written = with_writer(|writer, recorded| {
        let Some(queue) = writer.queue() else { return Ok(()) };
        let step = or_default(step.into_step()).read()?;
        let mut operands: Vec<&Tensor> = inputs.to_vec();
        let (number, step_tensor) = match step {
            Read::Number(number) => (Some(number), None),
            Read::Tensor(tensor) => (None, Some(tensor)),
        };
        operands.extend(&step_tensor);
        let condition = match &recorded {
            Recorded::Then(condition) => Some(condition),
            Recorded::Now(_) => None,
        };
        operands.extend(condition);
        let (queue, tag, is_conditional) = (queue.clone(), tag(), condition.is_some());
        on_host(Arc::new(Write { what, queue, tag, step: number, is_conditional }), &operands).map(drop)
    });
    written.map(drop)
}

/// The tag: the name behind the name scopes that are open.
pub fn full_tag(name: &str) -> String {
    match named_scope() {
        Some(scope) => format!("{scope}/{name}"),
        None => name.to_owned(),
    }
}

impl Write {
    /// How many operands are shown.
    fn shown(&self, operands: usize) -> usize {
        operands - usize::from(self.step.is_none()) - usize::from(self.is_conditional)
    }
}

impl OnHost for Write {
    fn name(&self) -> &'static str {
        match &self.what {
            What::Scalar => "summary.scalar",
            What::Content(content) => content.name(),
        }
    }

    fn settings(&self) -> &str {
        &self.tag
    }

    fn is_effect(&self) -> bool {
        true
    }

    fn types(&self, inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
        let inputs = &inputs[..self.shown(inputs.len())];
        match &self.what {
            What::Scalar => check_scalar(inputs[0])?,
            What::Content(content) => content.check(inputs)?,
        }
        Ok(Vec::new())
    }

    fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let (shown, rest) = inputs.split_at(self.shown(inputs.len()));
        if self.is_conditional && !rest[rest.len() - 1].try_item::<bool>()? {
            return Ok(Vec::new());
        }
        let step = self.step.map_or_else(|| number(rest[0]), Ok)?;
        let wall_time = encode::now();
        match &self.what {
            What::Scalar => self.queue.push_scalar(("", &self.tag), wall_time, step, scalar_of(shown[0])?)?,
            What::Content(content) => {
                let bytes = shown.iter().map(|tensor| tensor.num_elements() * tensor.dtype().size().max(16)).sum();
                let (content, tag) = (content.clone(), self.tag.clone());
                let held: Vec<Tensor> = shown.iter().copied().cloned().collect();
                let make = move |frames: &mut Vec<u8>| {
                    let tensor = content.tensor(&held)?;
                    encode::event(frames, &encode::value(wall_time, step, tag, content.metadata(), tensor));
                    Ok(())
                };
                self.queue.push_later(bytes, Box::new(make))?;
            }
        }
        Ok(Vec::new())
    }
}

/// What is wrong with the type of a scalar's value.
pub fn check_scalar(ty: &TensorType) -> Result<()> {
    let is_real = ty.dtype.is_floating() || ty.dtype.is_integer() || ty.dtype == DType::Bool;
    match ty.shape.rank() == 0 && is_real {
        true => Ok(()),
        false => Err(Error::invalid_argument("summary.scalar", "the value is not one real number")
            .got(ty)
            .expected("shape []")
            .help("reduce it first, as with `reduce_mean`")),
    }
}

/// The number as TensorBoard has it, `float32`.
pub fn scalar_of(value: &Tensor) -> Result<f32> {
    match value.dtype() {
        DType::F32 => value.try_item::<f32>(),
        _ => cast_to(value, DType::F32)?.try_item::<f32>(),
    }
}
