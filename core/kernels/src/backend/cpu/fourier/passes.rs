//! The passes of a transform: which lines each of them reads and writes, in what chunks, and what happens to a line.
//! Between passes complex numbers lie in scratch memory; the first pass reads the operand, and the last one writes the result.

use super::lines::{Side, Starts};
use super::plans::{Form, Plan, Real, plan};
use super::{Divided, Half, Transform};
use crate::backend::cpu::{CpuCall, PHASES, View, Work, part};
use crate::error::{Error, Result};
use crate::shape::MAX_RANK;
use num_complex::Complex;
use smallvec::SmallVec;

/// Numbers that one chunk takes, about.
const CHUNK: usize = 1 << 14;

/// The most chunks of a pass: each has buffers of its own.
const MOST_CHUNKS: usize = 64;

type Dims = SmallVec<[usize; MAX_RANK]>;

/// One axis.
struct Pass {
    axis: usize,
    form: Form,
    /// Points of the transform.
    length: usize,
    /// The sizes of what is read and of what is written; more is zero.
    from: Dims,
    to: Dims,
    lines: usize,
    /// Lines that are transformed together, and parts of all lines.
    block: usize,
    chunks: usize,
}

impl Pass {
    /// Complex numbers of a line in the buffer, and behind those of all lines the real ones of a line.
    fn widths(&self) -> (usize, usize) {
        match self.form {
            Form::Forward | Form::Inverse => (self.length, 0),
            Form::ToHalf | Form::FromHalf => (self.length / 2 + 1, self.length),
        }
    }

    /// Complex numbers of memory for one chunk.
    fn room<T: Real>(&self, plan: &Plan<T>) -> usize {
        let (complex, real) = self.widths();
        (self.block * complex + (self.block * real).div_ceil(2) + plan.scratch()).next_multiple_of(8)
    }
}

/// The passes in order, and the sizes at the end; empty where no line is left to transform.
fn passes(transform: &Transform, call: &CpuCall<'_>) -> SmallVec<[Pass; PHASES]> {
    let (input, output) = (call.inputs[0].dims(), call.outputs[0].dims());
    let mut now: Dims = input.into();
    let mut found = SmallVec::new();
    let count = transform.along.len();
    let last = count.wrapping_sub(1);
    for (at, &(axis, length)) in transform.along.iter().enumerate() {
        let most = if transform.half == Half::Operand && at == last { length / 2 + 1 } else { length };
        now[axis] = now[axis].min(most);
    }
    if transform.along.iter().any(|&(axis, length)| length == 0 || now[axis] == 0) {
        return found;
    }
    // A half is made first, while numbers are real, and taken apart last. Else the innermost axis is first too.
    let order: SmallVec<[usize; PHASES]> = match transform.half {
        Half::Operand => (0..count).collect(),
        _ => (0..count).rev().collect(),
    };
    for at in order {
        let (axis, length) = transform.along[at];
        let form = match (transform.half, transform.inverse) {
            (Half::Result, _) if at == last => Form::ToHalf,
            (Half::Operand, _) if at == last => Form::FromHalf,
            (_, false) => Form::Forward,
            (_, true) => Form::Inverse,
        };
        let most = if form == Form::ToHalf { length / 2 + 1 } else { length };
        let from = now.clone();
        now[axis] = output[axis].min(most);
        let lines: usize = (0..now.len()).filter(|&other| other != axis).map(|other| now[other]).product();
        // Columns are taken by cache lines, and short lines by the hundred.
        let together = if axis + 1 == now.len() { 1 } else { 16 };
        let block = (1024 / length).max(together).min(lines.max(1)).min(512);
        let chunks = (lines.saturating_mul(length) / CHUNK).min(lines.div_ceil(block)).clamp(1, MOST_CHUNKS);
        found.push(Pass { axis, form, length, from, to: now.clone(), lines, block, chunks });
    }
    found
}

/// Complex numbers between passes: two places that are used in turn, of which the second begins behind so many numbers.
fn between(passes: &[Pass]) -> [usize; 2] {
    let mut most = [0; 2];
    for (at, pass) in passes.iter().enumerate().take(passes.len().saturating_sub(1)) {
        most[at % 2] = most[at % 2].max(pass.to.iter().product::<usize>().next_multiple_of(8));
    }
    most
}

pub(super) fn work<T: Real>(transform: &Transform, call: &CpuCall<'_>) -> Work {
    let passes = passes(transform, call);
    if passes.is_empty() || call.outputs[0].is_empty() {
        return Work::SERIAL;
    }
    let mut room = 0;
    let mut phases = [0; PHASES];
    for (at, pass) in passes.iter().enumerate() {
        phases[at] = pass.chunks;
        room = match plan::<T>(pass.form, pass.length) {
            Ok(plan) => room.max(pass.room(&plan).saturating_mul(pass.chunks)),
            // No memory is as large: the call is refused before it begins.
            Err(_) => usize::MAX,
        };
    }
    let [a, b] = between(&passes);
    let numbers = room.saturating_add(a).saturating_add(b);
    Work { scratch: numbers.saturating_mul(2 * size_of::<T>()).min(isize::MAX as usize / 2), phases }
}

/// # Safety
/// As [`super::run`].
pub(super) unsafe fn run<T: Real>(transform: &Transform, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
    let passes = passes(transform, call);
    let output = call.outputs[0].dims();
    let Some(pass) = passes.get(phase) else {
        // SAFETY: dense outputs that are nobody else's.
        unsafe { fill(call) };
        return Ok(());
    };
    if call.outputs[0].is_empty() {
        return Ok(());
    }
    let (end, first) = (phase + 1 == passes.len(), phase == 0);
    let written = &passes[passes.len() - 1].to;
    if first && chunk == 0 && !end && written[..] != *output {
        // SAFETY: as above; results are written in the last phase alone.
        unsafe { fill(call) };
    }
    let [a, b] = between(&passes);
    let scratch = call.scratch.cast::<Complex<T>>();
    let places = [scratch, scratch.wrapping_add(a)];
    let from = match first {
        true => side(call.inputs, &pass.from),
        false => Side::complex(places[(phase - 1) % 2], &pass.from),
    };
    let (to, size) = match end {
        true => (side(call.outputs, &pass.to), if first { output[pass.axis] } else { pass.to[pass.axis] }),
        false => (Side::complex(places[phase % 2], &pass.to), pass.to[pass.axis]),
    };
    let plan = plan::<T>(pass.form, pass.length)?;
    let buffer = scratch.wrapping_add(a + b + chunk * pass.room(&plan));
    let points: f64 = transform.along.iter().map(|&(_, length)| length as f64).product();
    let scale = match transform.divided {
        _ if !end => 1.0,
        Divided::Never => 1.0,
        Divided::ByCount => 1.0 / points,
        Divided::ByRoot => 1.0 / points.sqrt(),
    };
    let twice = if transform.twice { 2.0 } else { 1.0 };
    let mut starts = [Starts::new(), Starts::new()];
    for line in part(pass.lines, chunk, pass.chunks, pass.block).step_by(pass.block) {
        let count = pass.block.min(part(pass.lines, chunk, pass.chunks, pass.block).end - line);
        from.starts(pass.axis, line, count, &mut starts[0]);
        to.starts(pass.axis, line, count, &mut starts[1]);
        // SAFETY: the caller's promise; the buffer is this chunk's, and as large as `work` asked for.
        unsafe { block(pass, &plan, [&from, &to], &starts, buffer, size, [T::of(scale), T::of(twice)])? };
    }
    Ok(())
}

/// Gathers, transforms and scatters some lines.
///
/// # Safety
/// The lines are inside both sides, and the buffer has room for them and the plan's scratch memory.
unsafe fn block<T: Real>(
    pass: &Pass,
    plan: &Plan<T>,
    [from, to]: [&Side<T>; 2],
    starts: &[Starts; 2],
    buffer: *mut Complex<T>,
    size: usize,
    [scale, twice]: [T; 2],
) -> Result<()> {
    let (axis, length, lines) = (pass.axis, pass.length, starts[0].len());
    let (half, _) = pass.widths();
    let (read, write) = (pass.from[axis], pass.to[axis]);
    let complex = pass.block * half;
    let reals = buffer.wrapping_add(complex).cast::<T>();
    let behind = complex + (pass.block * pass.widths().1).div_ceil(2);
    // SAFETY: by the caller's promise the three parts of the buffer are inside it, and apart.
    let scratch = unsafe { std::slice::from_raw_parts_mut(buffer.wrapping_add(behind), plan.scratch()) };
    let failed = |e: realfft::FftError| Error::internal("fft", format!("{e}"));
    // SAFETY: as above; each line is gathered before it is looked at.
    unsafe {
        match plan {
            Plan::Complex(plan) => {
                from.gather(axis, &starts[0], read, length, buffer);
                plan.process_with_scratch(std::slice::from_raw_parts_mut(buffer, lines * length), scratch);
                to.scatter(axis, &starts[1], [write, size], length, buffer, scale);
            }
            Plan::ToHalf(plan) => {
                from.gather_real(axis, &starts[0], read, length, reals);
                for line in 0..lines {
                    let x = std::slice::from_raw_parts_mut(reals.add(line * length), length);
                    buffer.add(line * half).write_bytes(0, half);
                    let y = std::slice::from_raw_parts_mut(buffer.add(line * half), half);
                    plan.process_with_scratch(x, y, scratch).map_err(failed)?;
                    if twice != T::one() {
                        y[1..length.div_ceil(2)].iter_mut().for_each(|z| *z = z.scale(twice));
                    }
                }
                to.scatter(axis, &starts[1], [write, size], half, buffer, scale);
            }
            Plan::FromHalf(plan) => {
                from.gather(axis, &starts[0], read, half, buffer);
                for line in 0..lines {
                    let x = std::slice::from_raw_parts_mut(buffer.add(line * half), half);
                    // The plan counts numbers twice, and asks that these two be real.
                    if twice == T::one() {
                        x[1..length.div_ceil(2)].iter_mut().for_each(|z| *z = z.scale(T::of(0.5)));
                    }
                    x[0].im = T::zero();
                    if length.is_multiple_of(2) {
                        x[half - 1].im = T::zero();
                    }
                    reals.add(line * length).write_bytes(0, length);
                    let y = std::slice::from_raw_parts_mut(reals.add(line * length), length);
                    plan.process_with_scratch(x, y, scratch).map_err(failed)?;
                }
                to.scatter_real(axis, &starts[1], [write, size], length, reals, scale);
            }
        }
    }
    Ok(())
}

/// One or two parts as they were given, of which so much is looked at.
fn side<T>(parts: &[View], dims: &[usize]) -> Side<T> {
    let strides = |view: &View| view.strides().into();
    let im = parts.get(1);
    Side {
        re: parts[0].ptr.cast(),
        im: im.map_or(std::ptr::null_mut(), |view| view.ptr.cast()),
        dims: dims.into(),
        strides: [strides(&parts[0]), strides(im.unwrap_or(&parts[0]))],
    }
}

/// Zeros everywhere.
///
/// # Safety
/// The outputs are dense and nobody else's.
unsafe fn fill(call: &CpuCall<'_>) {
    for output in call.outputs {
        // SAFETY: by the caller's promise; zeros in all bytes are the number zero.
        unsafe { output.ptr.write_bytes(0, output.len() * output.dtype.size()) };
    }
}
