//! Normalisation of channels on a GPU: sums in parts, then those of channels and groups, then elements; forward and backward.
//! The operations of `channels.rs` call it.

use super::channels::ChannelForm;
use kernels::backend::cpu::View;
use kernels::backend::cpu::norm_rows::channels::Channels;
use kernels::backend::cuda::{Arguments, CudaCall, Kernel, RowKernel, row_kernel};
use kernels::dtype::DType;
use kernels::error::Result;

/// Threads that are worth starting for the sums.
const THREADS: usize = 1 << 17;
/// The most parts of a channel.
const PARTS: usize = 256;

fn address(view: &View) -> u64 {
    view.ptr.addr() as u64
}

/// The address of an operand that may be missing, as kernels take it.
fn optional(views: &[View], there: bool, index: usize) -> u64 {
    if there { address(&views[index]) } else { 0 }
}

fn addresses(to: &mut Arguments, all: &[u64]) {
    all.iter().for_each(|&address| to.address(address));
}

/// How channels are summed.
struct Plan {
    sizes: Channels,
    parts: usize,
    dtype: DType,
}

impl Plan {
    fn new(form: &ChannelForm, x: &View) -> Self {
        let sizes = form.sizes(x);
        let most = sizes.spots.clamp(1, PARTS);
        let parts = (THREADS / (sizes.examples * sizes.channels).max(1)).clamp(1, most);
        Self { sizes, parts, dtype: x.dtype }
    }

    /// Partial sums of one kind.
    fn count(&self) -> usize {
        self.sizes.examples * self.sizes.channels * self.parts
    }

    /// Statistics, and the partial sums of each.
    fn rows(&self) -> [usize; 2] {
        let rows = self.sizes.sets() * self.sizes.groups;
        [rows, self.count().checked_div(rows).unwrap_or(0)]
    }

    /// Bytes of both kinds of partial sums.
    fn bytes(&self) -> usize {
        2 * self.count() * self.dtype.compute().size()
    }

    /// Elements of a statistic.
    fn total(&self) -> f64 {
        self.sizes.len() as f64 / self.rows()[0].max(1) as f64
    }

    /// # Safety
    /// The addresses are those of operands, or null.
    unsafe fn sums(&self, call: &CudaCall<'_>, [dy, means, sums]: [u64; 3]) -> Result<()> {
        static SUMS: Kernel = Kernel { name: "normalize_channels_sums", text: &[include_str!("channels.cuh")] };
        let s = self.sizes;
        // SAFETY: by the caller's promise.
        unsafe {
            call.elements(&SUMS, &[self.dtype], self.count(), |to| {
                to.sizes(&[self.parts, s.spots, s.channels, s.groups, s.last.into(), s.batch.into()]);
                to.view(&call.inputs[0]);
                addresses(to, &[dy, means, sums]);
            })
        }
    }

    /// Elements by `[dy, means, variances, slopes, scale, offset]`.
    ///
    /// # Safety
    /// As [`Self::sums`].
    unsafe fn write(&self, call: &CudaCall<'_>, epsilon: f64, given: [u64; 6]) -> Result<()> {
        static WRITE: Kernel = Kernel { name: "normalize_channels_write", text: &[include_str!("channels.cuh")] };
        let s = self.sizes;
        // SAFETY: by the caller's promise.
        unsafe {
            call.elements(&WRITE, &[self.dtype], s.len(), |to| {
                to.sizes(&[s.spots, s.channels, s.groups, s.last.into(), s.batch.into(), self.rows()[0]]);
                to.value(epsilon);
                to.view(&call.inputs[0]);
                addresses(to, &given);
                to.view(&call.outputs[0]);
            })
        }
    }
}

/// Queues the kernels that write the result, means and variances.
///
/// # Safety
/// As `Op::cuda`, for operands of `NormalizeChannels`.
pub(super) unsafe fn forward(call: &CudaCall<'_>, form: &ChannelForm) -> Result<()> {
    static MOMENTS: RowKernel = row_kernel!("normalize_channels_moments", "channel_rows.cuh");
    let plan = Plan::new(form, &call.inputs[0]);
    let (s, room) = (plan.sizes, call.scratch(plan.bytes())?);
    let [means, variances] = [1, 2].map(|i| address(&call.outputs[i]));
    let scale = optional(call.inputs, form.scaled, 1);
    let offset = optional(call.inputs, form.shifted, 1 + usize::from(form.scaled));
    // SAFETY: dense tensors of the inferred shapes, and room for all sums.
    unsafe {
        plan.sums(call, [0, 0, room.address()])?;
        call.rows(&MOMENTS, &[plan.dtype], plan.rows(), false, |to| {
            to.sizes(&[plan.count(), plan.parts, s.spots, s.channels, s.groups, s.batch.into()]);
            addresses(to, &[room.address(), means, variances]);
        })?;
        plan.write(call, form.epsilon, [0, means, variances, 0, scale, offset])
    }
}

/// Queues the kernels that write the gradients.
///
/// # Safety
/// As `Op::cuda`, for operands of `NormalizeChannelsGradient`.
pub(super) unsafe fn backward(call: &CudaCall<'_>, form: &ChannelForm) -> Result<()> {
    static SLOPES: RowKernel = row_kernel!("normalize_channels_slopes", "channel_rows.cuh");
    static COLUMNS: RowKernel = row_kernel!("normalize_channels_columns", "channel_rows.cuh");
    let plan = Plan::new(form, &call.inputs[0]);
    let (s, room) = (plan.sizes, call.scratch(plan.bytes())?);
    let slopes = call.scratch(2 * plan.rows()[0] * plan.dtype.compute().size())?;
    let [means, variances, dy] = [1, 2, 3].map(|i| address(&call.inputs[i]));
    let scale = optional(call.inputs, form.scaled, 4);
    // SAFETY: dense tensors of the inferred shapes, and room for all sums and slopes.
    unsafe {
        plan.sums(call, [dy, means, room.address()])?;
        call.rows(&SLOPES, &[plan.dtype], plan.rows(), false, |to| {
            to.sizes(&[plan.count(), plan.parts, s.channels, s.groups, s.batch.into()]);
            to.value(plan.total());
            to.value(form.epsilon);
            addresses(to, &[scale, room.address(), variances, slopes.address()]);
        })?;
        if call.outputs.len() > 1 {
            call.rows(&COLUMNS, &[plan.dtype], [s.channels, s.examples * plan.parts], false, |to| {
                to.sizes(&[plan.count(), plan.parts, s.groups, s.batch.into()]);
                to.value(form.epsilon);
                addresses(to, &[room.address(), variances]);
                addresses(to, &[optional(call.outputs, form.scaled, 1)]);
                addresses(to, &[optional(call.outputs, form.shifted, 1 + usize::from(form.scaled))]);
            })?;
        }
        plan.write(call, form.epsilon, [dy, means, variances, slopes.address(), scale, 0])
    }
}
