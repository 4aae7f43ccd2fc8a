//! The operations behind group and batch normalisation: channels of each example in groups, or each of a whole batch, with scale and offset.
//! `groups.rs` and `fused_batch_norm` run them; what only GPUs do lies in `channels_cuda.rs`.

use super::channels_cuda;
use super::second_order::{Sides, cotangents};
use crate::execute::execute;
use crate::op::{Gradient, Infer, Kind, Op, Saves, identity};
use crate::ops::reshape_to;
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::norm_rows::Root;
use kernels::backend::cpu::norm_rows::channels::{self, Channels, Statistics};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, View, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{AxisSet, Dim, MAX_RANK, Shape};
use smallvec::SmallVec;

/// What is normalised, and which operands come behind it.
#[derive(Clone, Copy)]
pub(in crate::ops) struct ChannelForm {
    pub epsilon: f64,
    /// Groups of neighbouring channels of each example; none for each channel of the whole batch.
    pub groups: Option<usize>,
    /// Whether the channels lie last, and not behind the examples.
    pub last: bool,
    pub scaled: bool,
    pub shifted: bool,
}

impl ChannelForm {
    fn axis(&self, shape: &Shape) -> usize {
        if self.last { shape.rank() - 1 } else { 1 }
    }

    pub(super) fn sizes(&self, view: &View) -> Channels {
        let dims = view.dims();
        let axis = if self.last { dims.len() - 1 } else { 1 };
        let spots = dims.iter().enumerate().filter(|&(i, _)| i != 0 && i != axis).map(|(_, &size)| size).product();
        Channels {
            examples: dims[0],
            spots,
            channels: dims[axis],
            groups: self.groups.unwrap_or(dims[axis]),
            last: self.last,
            batch: self.groups.is_none(),
        }
        .joined()
    }

    /// How the gradient is made of other operations, where `x` is the tensor's shape.
    fn sides(&self, x: &Shape) -> Result<Sides> {
        let axis = self.axis(x);
        let mut working = *x;
        let mut own = AxisSet::of(&[axis]);
        let mut apart = own.with(0);
        match self.groups {
            Some(groups) => {
                working = super::groups::apart(x, groups, axis)?;
                own = own.with(axis + 1);
            }
            None => apart = own,
        }
        let mut columns = [Dim::ONE; MAX_RANK];
        own.iter().for_each(|axis| columns[axis] = working.dim(axis));
        Ok(Sides {
            epsilon: self.epsilon,
            centred: true,
            scaled: self.scaled,
            shifted: self.shifted,
            statistics: apart.complement(working.rank()),
            summed: own.complement(working.rank()),
            columns: Shape::from_dims(&columns[..working.rank()])?,
            working,
        })
    }
}

/// Inputs: a tensor, a scale and an offset of each channel, in the type that is computed in. Outputs: the tensor, and the mean and variance of
/// each channel, or of each example's groups.
#[derive(Clone)]
struct NormalizeChannels {
    form: ChannelForm,
}

/// Inputs: the tensor, means, variances, the cotangent of the result, a scale. Outputs: the cotangents of tensor, scale and offset.
#[derive(Clone)]
struct NormalizeChannelsGradient {
    form: ChannelForm,
}

/// The tensor normalised, and the means and variances.
#[track_caller]
pub(in crate::ops) fn normalise_channels(
    form: ChannelForm,
    x: &Tensor,
    scale: Option<&Tensor>,
    offset: Option<&Tensor>,
) -> Result<[Tensor; 3]> {
    let form = ChannelForm { scaled: scale.is_some(), shifted: offset.is_some(), ..form };
    let inputs: SmallVec<[&Tensor; 3]> = std::iter::once(x).chain(scale).chain(offset).collect();
    let outputs = execute(&NormalizeChannels { form }, &inputs)?;
    Ok([0, 1, 2].map(|i| outputs[i].clone()))
}

macro_rules! channel_identity {
    ($name:literal) => {
        identity!($name, {
            "epsilon": Float = |this| this.form.epsilon,
            "groups": Int = |this| this.form.groups.map_or(0, |groups| groups as i64),
            "channels_last": Bool = |this| this.form.last,
            "scaled": Bool = |this| this.form.scaled,
            "shifted": Bool = |this| this.form.shifted,
        });

        fn kind(&self) -> Kind {
            Kind::Opaque
        }

        fn may_fail(&self) -> bool {
            false
        }

        fn gradient(&self) -> Gradient {
            Gradient::Rule
        }
    };
}

/// Where the coefficients begin in scratch memory: behind the sums of units.
fn coefficients<T>(call: &CpuCall<'_>, sizes: &Channels) -> *mut T {
    call.scratch.wrapping_add(sizes.room() * size_of::<f64>()).cast()
}

/// How the three steps split, with so many coefficients of each channel.
fn steps(call: &CpuCall<'_>, sizes: &Channels, many: usize, more: usize) -> Work {
    let compute = call.outputs[0].dtype.compute().size();
    let scratch = sizes.room() * size_of::<f64>() + sizes.sets() * many * sizes.period() * compute;
    let phases = match by_example(call, sizes, many) {
        true => [sizes.examples, more, 0, 0, 0],
        false => [sizes.sum_parts(), sizes.merge_parts(), sizes.write_parts() + more, 0, 0],
    };
    Work { scratch, phases }
}

/// Whether each example goes through all steps by itself: forward, with three coefficients, they read `x`, and backward what is owed as well.
fn by_example(call: &CpuCall<'_>, sizes: &Channels, many: usize) -> bool {
    sizes.by_example((many - 2) * call.outputs[0].dtype.compute().size())
}

/// One number for each channel.
///
/// # Safety
/// The view is dense, and lives as long as the call.
unsafe fn columns<'a, T: Root>(call: &'a CpuCall<'_>, there: bool, index: usize) -> Option<&'a [T]> {
    // SAFETY: by the caller's promise.
    there.then(|| unsafe { call.inputs[index].as_slice::<T>() })
}

impl NormalizeChannels {
    /// # Safety
    /// As `Op::cpu`, with `T` the type of all operands.
    unsafe fn step<T: Root>(&self, call: &CpuCall<'_>, phase: usize, index: usize) {
        let sizes = self.form.sizes(&call.outputs[0]);
        let (x, room) = (call.inputs[0].as_ptr::<T>().cast_const(), call.scratch.cast::<f64>());
        let own = coefficients::<T>(call, &sizes);
        // SAFETY: by the caller's promise: dense tensors of the inferred shapes, and scratch memory of `steps`.
        unsafe {
            let scale = columns::<T>(call, self.form.scaled, 1);
            let offset = columns::<T>(call, self.form.shifted, 1 + usize::from(self.form.scaled));
            let to = [call.outputs[1].as_ptr::<T>(), call.outputs[2].as_ptr::<T>(), own];
            if by_example(call, &sizes, 3) {
                let (form, x, out) = ((sizes, self.form.epsilon), (x, [scale, offset]), call.outputs[0].as_ptr::<T>());
                return channels::normalise_example(call.isa, form, x, (room, to), out, index);
            }
            match phase {
                0 => channels::moments(call.isa, sizes, x, room, index),
                1 => channels::merge_moments(&sizes, self.form.epsilon, [scale, offset], room, to, index),
                // Without elements there may be no scratch memory either.
                _ if sizes.is_empty() => {}
                _ => {
                    let own = std::slice::from_raw_parts(own, sizes.sets() * 3 * sizes.period());
                    channels::write(call.isa, sizes, x, None, own, call.outputs[0].as_ptr::<T>(), index);
                }
            }
        }
    }
}

/// An error unless input `index` has one number for each channel.
fn check_channels(cx: &mut Infer<'_>, index: usize, channels: Dim) -> Result<()> {
    let own = *cx.shape(index);
    let compute = cx.dtype(0).compute();
    if own.rank() != 1 || !own.dim(0).can_equal(channels) || cx.dtype(index) != compute {
        return Err(Error::invalid_argument(cx.op(), "scale and offset do not fit what is normalised")
            .got(format!("{} for {}", cx.input(index), cx.input(0)))
            .expected(format!("{compute}[{channels}]")));
    }
    if own.dim(0) != channels {
        cx.constraints.push(own.dim(0), channels);
    }
    Ok(())
}

impl Op for NormalizeChannels {
    channel_identity!("normalize_channels");

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::FLOATING)?;
        let shape = *cx.shape(0);
        if shape.rank() < 2 {
            return Err(Error::invalid_argument(cx.op(), "there are no channels")
                .got(shape)
                .expected("at least two dimensions"));
        }
        let channels = shape.dim(self.form.axis(&shape));
        (1..cx.len()).try_for_each(|i| check_channels(cx, i, channels))?;
        let statistics = match self.form.groups {
            None => Shape::from_dims(&[channels])?,
            Some(groups) => {
                let groups = Dim::known(groups);
                let whole = channels / groups * groups;
                match (channels.known_value(), whole.known_value()) {
                    (Some(channels), Some(whole)) if channels != whole => {
                        return Err(super::groups::uneven(cx.op(), groups, channels));
                    }
                    (Some(_), Some(_)) => {}
                    _ => cx.constraints.push(channels, whole),
                }
                Shape::from_dims(&[shape.dim(0), groups])?
            }
        };
        cx.output(cx.dtype(0), shape);
        let compute = cx.dtype(0).compute();
        (0..2).for_each(|_| cx.output(compute, statistics));
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        match Staged::new(call, 1) {
            Some(staged) => staged.work(|call| self.work(call)),
            None => steps(call, &self.form.sizes(&call.outputs[0]), 3, 0),
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, index: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, index, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        // SAFETY: by the caller's promise.
        unsafe {
            match call.outputs[0].dtype {
                DType::F64 => self.step::<f64>(call, phase, index),
                _ => self.step::<f32>(call, phase, index),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: by the caller's promise.
        unsafe { channels_cuda::forward(call, &self.form) }
    }

    fn saves(&self, _: &[bool]) -> Saves {
        let inputs = if self.form.scaled { Saves::inputs(&[0, 1]) } else { Saves::inputs(&[0]) };
        inputs.and(Saves::outputs(&[1, 2]))
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let owed = g.dy(0)?;
        let given = {
            let mut inputs: SmallVec<[&Tensor; 8]> = SmallVec::new();
            inputs.extend([g.input(0)?, g.output(1)?, g.output(2)?, &owed]);
            if self.form.scaled {
                inputs.push(g.input(1)?);
            }
            execute(&NormalizeChannelsGradient { form: self.form }, &inputs)?
        };
        for (i, dx) in given.into_iter().enumerate() {
            if g.needs(i) {
                // Channels of the tensor and of the scale may be two symbols for one size.
                let dx = reshape_to(&dx, &g.input_type(i).shape)?;
                g.give(i, dx);
            }
        }
        Ok(())
    }
}

impl NormalizeChannelsGradient {
    /// # Safety
    /// As `Op::cpu`, with `T` the type of all operands.
    unsafe fn step<T: Root>(&self, call: &CpuCall<'_>, phase: usize, index: usize) {
        let sizes = self.form.sizes(&call.outputs[0]);
        let [x, dy] = [0, 3].map(|i| call.inputs[i].as_ptr::<T>().cast_const());
        let (room, own) = (call.scratch.cast::<f64>(), coefficients::<T>(call, &sizes));
        // SAFETY: by the caller's promise: dense tensors of the inferred shapes, and scratch memory of `steps`.
        unsafe {
            let [means, variances] = [1, 2].map(|i| call.inputs[i].as_slice::<T>());
            let scale = columns::<T>(call, self.form.scaled, 4);
            let at = Statistics { means, variances, scale, epsilon: self.form.epsilon };
            let out = call.outputs[0].as_ptr::<T>();
            let add_up = |index: usize| {
                let to = |there: bool, index: usize| there.then(|| call.outputs[index].as_ptr::<T>());
                let to = [to(self.form.scaled, 1), to(self.form.shifted, 1 + usize::from(self.form.scaled))];
                channels::column_sums(&sizes, room, to, index);
            };
            if by_example(call, &sizes, 4) {
                return match phase {
                    0 => channels::gradient_of_example(call.isa, sizes, (x, dy, at), (room, own), out, index),
                    _ => add_up(index),
                };
            }
            match phase {
                0 => channels::sums(call.isa, sizes, x, means, dy, room, index),
                1 => channels::merge_gradient(&sizes, at, room, own, index),
                _ if index >= sizes.write_parts() => add_up(index - sizes.write_parts()),
                _ if sizes.is_empty() => {}
                _ => {
                    let own = std::slice::from_raw_parts(own, sizes.sets() * 4 * sizes.period());
                    channels::write(call.isa, sizes, x, Some(dy), own, out, index);
                }
            }
        }
    }
}

impl Op for NormalizeChannelsGradient {
    channel_identity!("normalize_channels_gradient");

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        let shape = *cx.shape(0);
        cx.output(cx.dtype(0), shape);
        let columns = Shape::from_dims(&[shape.dim(self.form.axis(&shape))])?;
        let compute = cx.dtype(0).compute();
        for there in [self.form.scaled, self.form.shifted] {
            if there {
                cx.output(compute, columns);
            }
        }
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        let sizes = self.form.sizes(&call.outputs[0]);
        let more = if self.form.scaled || self.form.shifted { sizes.column_parts() } else { 0 };
        steps(call, &sizes, 4, more)
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, index: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, index, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        // SAFETY: by the caller's promise.
        unsafe {
            match call.outputs[0].dtype {
                DType::F64 => self.step::<f64>(call, phase, index),
                _ => self.step::<f32>(call, phase, index),
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        // SAFETY: by the caller's promise.
        unsafe { channels_cuda::backward(call, &self.form) }
    }

    fn saves(&self, _: &[bool]) -> Saves {
        if self.form.scaled { Saves::inputs(&[0, 3, 4]) } else { Saves::inputs(&[0, 3]) }
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let sides = self.form.sides(&g.input_type(0).shape)?;
        cotangents(g, &sides)
    }
}
