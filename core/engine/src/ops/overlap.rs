//! Windows along one axis that may overlap, as a view, and their sum where they lie: each is the other's gradient.
//! `extract_patches` takes windows axis by axis, and `local_response_normalization` sums over them.

use crate::execute::execute1;
use crate::meaning::each_part;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Outputs, identity};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};
use half::{bf16, f16};
use kernels::backend::cpu::{CpuCall, View, Work, part};
use kernels::backend::cuda::{CudaCall, Kernel};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, MAX_RANK, Shape};
use smallvec::SmallVec;
use std::sync::Arc;

/// How windows lie along an axis, which becomes two: the windows, and the cells of each.
#[derive(Clone)]
pub(super) struct Along {
    pub axis: usize,
    pub count: Dim,
    pub size: Dim,
    /// Cells from one window to the next, at least 1, and from one cell of a window to the next.
    pub step: Dim,
    pub rate: usize,
}

/// The windows along an axis: a view.
#[derive(Clone)]
struct Windows {
    axis: usize,
    /// How many windows there are, cells in each, and cells from one window to the next.
    sizes: Shape,
    rate: usize,
}

impl Op for Windows {
    identity!("overlapping_windows", {
        "axis": Int = |this| this.axis as i64,
        "sizes": Shape = |this| &this.sizes,
        "rate": Int = |this| this.rate as i64,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { sizes: self.sizes.bind(lookup)?, ..self.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        let shape = *cx.shape(0);
        let (count, size, step) = (self.sizes.dim(0), self.sizes.dim(1), self.sizes.dim(2));
        if let (Some(count), Some(size), Some(step), Some(length)) =
            (count.known_value(), size.known_value(), step.known_value(), shape.dim(self.axis).known_value())
            && count > 0
            && size > 0
            && (count - 1).saturating_mul(step).saturating_add((size - 1).saturating_mul(self.rate)) >= length
        {
            return Err(Error::invalid_argument("overlapping_windows", "windows reach behind the end of the axis")
                .got(format!("{count} windows of {size} cells on an axis of {length}")));
        }
        let mut dims: SmallVec<[Dim; MAX_RANK]> = shape.iter().collect();
        dims[self.axis] = count;
        dims.insert(self.axis + 1, size);
        cx.output(cx.dtype(0), Shape::from_dims(&dims).map_err(|e| e.in_op("overlapping_windows"))?);
        Ok(())
    }

    fn view(&self, input: &TensorType, strides: &[isize], _: &TensorType) -> Option<Layout> {
        let mut layout = Layout { strides: [0; MAX_RANK], offset: 0 };
        let rank = input.shape.rank();
        layout.strides[..=self.axis].copy_from_slice(&strides[..=self.axis]);
        layout.strides[self.axis + 1..=rank].copy_from_slice(&strides[self.axis..rank]);
        layout.strides[self.axis] *= self.sizes[2] as isize;
        layout.strides[self.axis + 1] *= self.rate as isize;
        Some(layout)
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let sizes = Shape::from_dims(&[g.input_type(0).shape.dim(self.axis), self.sizes.dim(2)])?;
        let op = Overlapped { axis: self.axis, sizes, rate: self.rate };
        let dx = execute1(&op, &[&g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

/// The sum of windows where they lie on an axis of this length: two axes of the input become one.
#[derive(Clone)]
struct Overlapped {
    axis: usize,
    /// The length, and cells from one window to the next.
    sizes: Shape,
    rate: usize,
}

/// Elements of output that one chunk writes, about.
const CHUNK: usize = 1 << 14;

impl Op for Overlapped {
    identity!("overlapped_windows", {
        "axis": Int = |this| this.axis as i64,
        "sizes": Shape = |this| &this.sizes,
        "rate": Int = |this| this.rate as i64,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { sizes: self.sizes.bind(lookup)?, ..self.clone() })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::NUMBERS)?;
        let mut dims: SmallVec<[Dim; MAX_RANK]> = cx.shape(0).iter().collect();
        dims.remove(self.axis + 1);
        dims[self.axis] = self.sizes.dim(0);
        cx.output(cx.dtype(0), Shape::from_dims(&dims)?);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let rows = Rows::new(self, &call.inputs[0], &call.outputs[0]);
        let each = call.inputs[0].len().max(call.outputs[0].len());
        Work::chunks(each.div_ceil(CHUNK).clamp(1, rows.count.max(1)))
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let rows = Rows::new(self, &call.inputs[0], &call.outputs[0]);
        let range = part(rows.count, chunk, self.work(call).phases[0].max(1), 1);
        // SAFETY: views of the inferred types, and chunks write disjoint rows.
        unsafe {
            match call.outputs[0].dtype {
                DType::F64 => rows.run(call, range, |sum: f64, x: f64| sum + x, |x| x),
                DType::F32 => rows.run(call, range, |sum: f64, x: f32| sum + f64::from(x), |x| x as f32),
                DType::F16 => rows.run(call, range, |sum: f64, x: f16| sum + f64::from(x), f16::from_f64),
                DType::BF16 => rows.run(call, range, |sum: f64, x: bf16| sum + f64::from(x), bf16::from_f64),
                // Integers wrap, whether they have a sign or not.
                dtype => match dtype.size() {
                    1 => rows.run(call, range, u8::wrapping_add, |x| x),
                    2 => rows.run(call, range, u16::wrapping_add, |x| x),
                    4 => rows.run(call, range, u32::wrapping_add, |x| x),
                    _ => rows.run(call, range, u64::wrapping_add, |x| x),
                },
            }
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let rows = Rows::new(self, x, y);
        // SAFETY: views of the inferred types; windows that lie on an element are inside the input.
        unsafe {
            call.elements(&OVERLAPPED, &[y.dtype], y.len(), |arguments| {
                arguments.view(x);
                arguments.view(y);
                arguments.strided(&rows.first);
                arguments.sizes(&[rows.after, rows.length, rows.windows, rows.size]);
                arguments.sizes(&[rows.step, rows.rate, rows.common, rows.period, rows.inverse]);
                arguments.value(rows.window as i64);
                arguments.value(rows.cell as i64);
            })
        }
    }

    fn on_complex(&self, inputs: &[&Tensor]) -> Result<Option<Outputs>> {
        each_part(self, inputs[0])
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let shape = g.input_type(0).shape;
        let sizes = Shape::from_dims(&[shape.dim(self.axis), shape.dim(self.axis + 1), self.sizes.dim(1)])?;
        let op = Windows { axis: self.axis, sizes, rate: self.rate };
        let dx = execute1(&op, &[&g.dy(0)?])?;
        g.give(0, dx);
        Ok(())
    }
}

/// The output as rows along its last axis, and which cells of which windows lie on an element.
struct Rows {
    /// The sizes of the output with the input's strides; 0 along the axis of the windows.
    first: View,
    count: usize,
    width: usize,
    /// Elements of the output from one place of the axis to the next.
    after: usize,
    length: usize,
    windows: usize,
    size: usize,
    window: isize,
    cell: isize,
    step: usize,
    rate: usize,
    /// The greatest common divisor of step and rate, the cells from one that lies on an element to the next, and the number with which
    /// `place / common` gives the first of them.
    common: usize,
    period: usize,
    inverse: usize,
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// The number whose product with `a` leaves 1 when it is divided by `by`, to which `a` is prime.
fn inverse(a: usize, by: usize) -> usize {
    let (mut before, mut now) = ((by as i64, 0_i64), ((a % by) as i64, 1_i64));
    while now.0 > 0 {
        let times = before.0 / now.0;
        (before, now) = (now, (before.0 - times * now.0, before.1 - times * now.1));
    }
    before.1.rem_euclid(by as i64) as usize
}

impl Rows {
    fn new(op: &Overlapped, x: &View, y: &View) -> Self {
        let (axis, rank) = (op.axis, y.rank());
        let mut strides: SmallVec<[isize; MAX_RANK]> = x.strides().into();
        let (window, cell) = (strides[axis], strides.remove(axis + 1));
        strides[axis] = 0;
        // Whoever asks for windows refuses a step of 0.
        let step = op.sizes[1].max(1);
        let common = common_divisor(step, op.rate);
        let period = step / common;
        Self {
            first: View::new(x.ptr, x.dtype, y.dims(), &strides),
            count: y.dims()[..rank - 1].iter().product(),
            width: y.dims()[rank - 1],
            after: y.dims()[axis + 1..].iter().product(),
            length: y.dims()[axis],
            windows: x.dims()[axis],
            size: x.dims()[axis + 1],
            window,
            cell,
            step,
            rate: op.rate,
            common,
            period,
            inverse: inverse(op.rate / common, period),
        }
    }

    /// The first cell of a window that lies on a place of the axis; others follow by `period`, each in an earlier window.
    fn first_cell(&self, at: usize) -> usize {
        if self.windows == 0 || !at.is_multiple_of(self.common) {
            return self.size;
        }
        let cell = at / self.common % self.period * self.inverse % self.period;
        // Cells before these would lie in windows behind the last.
        let least = at.saturating_sub((self.windows - 1) * self.step).div_ceil(self.rate);
        cell + least.saturating_sub(cell).div_ceil(self.period) * self.period
    }

    /// # Safety
    /// The views are of the inferred types, elements of type `T`, and nobody else writes these rows.
    unsafe fn run<T: Copy, S: Copy + Default>(
        &self,
        call: &CpuCall<'_>,
        rows: std::ops::Range<usize>,
        add: impl Fn(S, T) -> S,
        narrow: impl Fn(S) -> T,
    ) {
        let (from, to) = (self.first.ptr.cast::<T>(), call.outputs[0].ptr.cast::<T>());
        let last = self.first.strides().last().copied().unwrap_or(0);
        for row in rows {
            let mut rest = row;
            let mut start = 0;
            for axis in (0..self.first.rank() - 1).rev() {
                let dim = self.first.dims()[axis];
                start += (rest % dim) as isize * self.first.strides()[axis];
                rest /= dim;
            }
            let (mut at, mut first) = (0, 0);
            for column in 0..self.width {
                let place = row * self.width + column;
                // A row is at one place of the axis, unless it goes along the axis.
                if column == 0 || self.after == 1 {
                    at = place / self.after % self.length;
                    first = self.first_cell(at);
                }
                let (mut sum, mut cell) = (S::default(), first);
                while cell < self.size && cell * self.rate <= at {
                    let window = (at - cell * self.rate) / self.step;
                    let offset =
                        start + column as isize * last + window as isize * self.window + cell as isize * self.cell;
                    // SAFETY: the window and the cell are inside the input, the place inside the output.
                    sum = add(sum, unsafe { *from.offset(offset) });
                    cell += self.period;
                }
                // SAFETY: as above.
                unsafe { to.add(place).write(narrow(sum)) };
            }
        }
    }
}

static OVERLAPPED: Kernel = Kernel {
    name: "overlapped_windows",
    text: &[r#"
extern "C" __global__ void overlapped_windows(index_t count, const T0* x, T0* y, Strided first, index_t after, index_t length,
                                              index_t windows, index_t size, index_t step, index_t rate, index_t common,
                                              index_t period, index_t inverse, index_t window, index_t cell) {
  ELEMENTS(i, count) {
    const index_t at = i / after % length, start = place(first, i);
    decltype(wide(x[0])) sum = 0;
    if (windows > 0 && at % common == 0) {
      index_t k = at / common % period * inverse % period;
      const index_t behind = at - (windows - 1) * step, least = behind > 0 ? (behind + rate - 1) / rate : 0;
      if (least > k) k += (least - k + period - 1) / period * period;
      for (; k < size && k * rate <= at; k += period)
        sum += wide(x[start + (at - k * rate) / step * window + k * cell]);
    }
    y[i] = Into<T0>::of(sum);
  }
}
"#],
};

/// The windows along an axis, which becomes two: no element is copied.
#[track_caller]
pub(super) fn windows_along(x: &Tensor, along: &Along) -> Result<Tensor> {
    let sizes = Shape::from_dims(&[along.count, along.size, along.step])?;
    execute1(&Windows { axis: along.axis, sizes, rate: along.rate }, &[x])
}

/// The sum of windows where they lie on an axis of this length, each so many places behind the last: `axis` and the next one become one.
#[track_caller]
pub(super) fn overlapped(x: &Tensor, axis: usize, length: Dim, step: Dim) -> Result<Tensor> {
    execute1(&Overlapped { axis, sizes: Shape::from_dims(&[length, step])?, rate: 1 }, &[x])
}

#[cfg(test)]
mod tests {
    use super::{Along, Dim, windows_along};
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_for_all_steps_and_rates() {
        for (count, size, step, rate) in [
            (3, 2, 1, 1),
            (2, 3, 2, 1),
            (2, 3, 1, 3),
            (2, 3, 4, 2),
            (3, 4, 6, 4),
            (2, 2, 5, 3),
            (0, 2, 1, 1),
            (1, 7, 9, 1),
        ] {
            let reach = if count == 0 { 1 } else { (count - 1) * step + (size - 1) * rate + 3 };
            let (sizes, axis) = ([2, reach, 2], 1);
            let (count, size) = (Dim::known(count), Dim::known(size));
            let along = Along { axis, count, size, step: Dim::known(step), rate };
            check(&|x| windows_along(&x[0], &along).unwrap().square(), &[numbers(1, &sizes)]);
            let turned = |x: &tf::Tensor| tf::transpose(x, [2, 0, 1]);
            let last = Along { axis: 2, ..along.clone() };
            check(&|x| windows_along(&turned(&x[0]), &last).unwrap().square(), &[numbers(2, &sizes)]);
        }
    }
}
