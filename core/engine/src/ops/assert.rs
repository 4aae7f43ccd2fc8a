//! `assert`: fails unless every element of a condition is true, and says which values broke it; keeps program order.
//! What TensorFlow's `tf.debugging` assertions end in; `debugging.rs` makes the conditions. On a GPU an eager assertion waits
//! for one truth value, and one of a traced function fails at the next read of elements.

use kernels::backend::cpu::{CpuCall, View};
use kernels::backend::cpu::merge_dims::for_each_offset;
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use crate::execute::{execute, on_host, recording, view_of};
use crate::execute::may_place;
use crate::ops;
use crate::ops::print::Line;
use crate::op::{Attr, Gradient, Infer, Kind, Op, Outputs, identity};
use crate::tensor::Tensor;
use crate::elements::strings::quoted;
use crate::elements::text;
use crate::tensor::strings::Strings;
use smallvec::SmallVec;

mod device;

/// Inputs: the condition, the tensors to show, which broadcast to it, and those of the message.
#[derive(Clone)]
pub(crate) struct Assert {
    /// The assertion's own name, for the message.
    pub name: &'static str,
    /// What should hold, such as `x < y`.
    pub claim: &'static str,
    /// The user's message; may be empty.
    pub message: Line,
}

/// Places that a message names.
const SHOWN: usize = 3;

impl Op for Assert {
    identity!("assert", kept);

    fn attributes(&self, visit: &mut dyn FnMut(&'static str, Attr<'_>)) {
        visit("name", Attr::Text(self.name));
        visit("claim", Attr::Text(self.claim));
        self.message.attributes(visit);
    }

    fn kind(&self) -> Kind {
        Kind::Effect
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::BOOL)
    }

    fn takes_strides(&self) -> bool {
        true
    }

    /// A condition of the host is looked at there, where nothing waits for it.
    fn runs_beside(&self) -> Option<usize> {
        Some(0)
    }

    fn is_idle(&self, inputs: &[&Tensor]) -> bool {
        inputs[0].dtype() == DType::Bool && !inputs[0].is_away() && all_set(&view_of(inputs[0]))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        let condition = &call.inputs[0];
        let (mut wrong, mut places, mut flat) = (0, Vec::new(), 0);
        for_each_offset(condition.dims(), condition.strides(), |offset| {
            // SAFETY: an element of the condition.
            if unsafe { *condition.ptr.offset(offset) } == 0 {
                wrong += 1;
                if places.len() < SHOWN {
                    places.push(flat);
                }
            }
            flat += 1;
        });
        if wrong == 0 {
            return Ok(());
        }
        // SAFETY: places of the condition, to which the tensors broadcast.
        let places: Vec<String> = places.iter().map(|&flat| unsafe { self.place(call, flat) }).collect();
        // SAFETY: valid views.
        let message = unsafe { self.message.filled(&call.inputs[1 + self.shown(call.inputs.len())..]) }?;
        Err(self.complaint(&message, &places, wrong, condition.len()))
    }

    fn strings(&self, inputs: &[&Tensor]) -> Option<Result<Outputs>> {
        Some(self.of_strings(inputs).map(|()| Outputs::new()))
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: by the caller's promise; what is shown broadcasts to the condition, which was computed from it.
        unsafe { device::queue(self, call) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("an assertion has no result")
    }
}

impl Assert {
    /// How many tensors of so many inputs are shown with their places.
    fn shown(&self, inputs: usize) -> usize {
        inputs.saturating_sub(1 + self.message.values())
    }

    /// The error of an assertion that does not hold at `wrong` places, of which the first are told.
    fn complaint(&self, message: &str, places: &[String], wrong: usize, all: usize) -> Error {
        let what = if message.is_empty() { "the assertion does not hold" } else { message };
        let error = Error::invalid_argument(self.name, what);
        // A `panic!` claims nothing.
        if self.claim.is_empty() {
            return error;
        }
        error
            .got(format!("{}{}", places.join("; "), if wrong > places.len() { "; ..." } else { "" }))
            .expected(format!("{} everywhere, but not so at {wrong} of {all} places", self.claim))
    }

    /// The assertion on tensors of which some are strings, all on the host.
    fn of_strings(&self, inputs: &[&Tensor]) -> Result<()> {
        let (dims, truths) = (inputs[0].shape().dims(), inputs[0].try_to_vec::<bool>()?);
        let wrong = truths.iter().filter(|truth| !**truth).count();
        if wrong == 0 {
            return Ok(());
        }
        let mut places = Vec::new();
        for flat in (0..truths.len()).filter(|&flat| !truths[flat]).take(SHOWN) {
            let index = index_of(dims, flat);
            let shown = inputs[1..][..self.shown(inputs.len())].iter();
            let values = shown.map(|tensor| at(tensor, &index)).collect::<Result<Vec<_>>>()?;
            places.push(place(dims, flat, &values));
        }
        let message = self.message.filled_with(&inputs[1 + self.shown(inputs.len())..]);
        Err(self.complaint(&message, &places, wrong, truths.len()))
    }

    /// The values at one place.
    ///
    /// # Safety
    /// A flat index of the condition, and valid views that broadcast to it.
    unsafe fn place(&self, call: &CpuCall<'_>, flat: usize) -> String {
        let dims = call.inputs[0].dims();
        let index = index_of(dims, flat);
        // SAFETY: by the caller's promise.
        let value = |view: &View| unsafe { text::elements(&element(view, &index), None) };
        let values: Vec<String> = call.inputs[1..][..self.shown(call.inputs.len())].iter().map(value).collect();
        place(dims, flat, &values)
    }
}

/// Whether all truth values of a view in the host's memory are true.
fn all_set(view: &View) -> bool {
    let mut all = true;
    for_each_offset(view.dims(), view.strides(), |offset| {
        // SAFETY: an element of the view.
        all &= unsafe { *view.ptr.offset(offset) } != 0;
    });
    all
}

fn index_of(dims: &[usize], flat: usize) -> Vec<usize> {
    let mut index = vec![0; dims.len()];
    let mut rest = flat;
    for axis in (0..dims.len()).rev() {
        index[axis] = rest % dims[axis];
        rest /= dims[axis];
    }
    index
}

/// The values that are shown of one place, with its index: `x[0, 2] = 1.5, y[0, 2] = 3`.
fn place(dims: &[usize], flat: usize, values: &[String]) -> String {
    let at = if dims.is_empty() { String::new() } else { format!("{:?}", index_of(dims, flat)) };
    // A condition alone has nothing else to show.
    if values.is_empty() {
        return format!("false{}{at}", if at.is_empty() { "" } else { " at " });
    }
    let values = values.iter().zip(["x", "y"]).map(|(value, name)| format!("{name}{at} = {value}"));
    values.collect::<Vec<_>>().join(", ")
}

/// The element that a view broadcast to more dimensions shows at an index, as a scalar view.
fn element(view: &View, index: &[usize]) -> View {
    let lead = index.len() - view.rank();
    let offset: isize = (0..view.rank())
        .filter(|&axis| view.dims()[axis] != 1)
        .map(|axis| index[lead + axis] as isize * view.strides()[axis])
        .sum();
    View::new(view.ptr.wrapping_offset(offset * view.dtype.size() as isize), view.dtype, &[], &[])
}

/// The element that a tensor broadcast to more dimensions shows at an index, as text.
fn at(tensor: &Tensor, index: &[usize]) -> Result<String> {
    let lead = index.len() - tensor.rank();
    let sizes = tensor.shape().dims();
    let flat = (0..tensor.rank()).fold(0, |flat, axis| {
        flat * sizes[axis] + if sizes[axis] == 1 { 0 } else { index[lead + axis] }
    });
    if tensor.dtype() == DType::String {
        return Ok(quoted(Strings::of(tensor, "assert")?.rows()?[flat]));
    }
    // SAFETY: a live tensor's view.
    Ok(unsafe { text::elements(&element(&view_of(tensor), index), None) })
}

/// Fails unless the condition holds everywhere.
#[track_caller]
pub(crate) fn assert_all(assert: &Assert, inputs: &[&Tensor]) -> Result<()> {
    if recording() || !may_place() {
        return execute(assert, inputs).map(drop);
    }
    // An eager assertion fails where it stands: one truth value is read, and all that the message shows only if it is false.
    if inputs[0].is_away() && ops::functions::try_reduce_all(inputs[0], ())?.try_item::<bool>()? {
        return Ok(());
    }
    let condition = on_host(inputs[0])?;
    let inputs: SmallVec<[&Tensor; 4]> = std::iter::once(&condition).chain(inputs[1..].iter().copied()).collect();
    execute(assert, &inputs).map(drop)
}
