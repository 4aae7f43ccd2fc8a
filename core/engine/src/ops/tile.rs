//! `tile`: the tensor repeated side by side along its axes; dx = dy summed over the repeats.
//! TensorFlow's `tf.tile`, which takes every dtype but `uint16`.

use super::{public, reshape_to, sum_axes};
use kernels::backend::cpu::{CpuCall, Work, part};
use kernels::backend::cuda::{self, Along, CudaCall};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::{AxisSet, Dim, IntoShape, MAX_RANK, Shape};
use crate::tape::Backward;
use crate::tensor::Tensor;
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct Tile {
    multiples: Shape,
}

/// Bytes of output that one chunk writes, about.
const CHUNK: usize = 128 * 1024;

impl Op for Tile {
    identity!("tile", { "multiples": Shape = |this| &this.multiples });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { multiples: self.multiples.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL.without(&[DType::U16]))?;
        let dims: SmallVec<[Dim; MAX_RANK]> =
            cx.shape(0).iter().zip(&self.multiples).map(|(size, repeats)| size * repeats).collect();
        cx.output(cx.dtype(0), Shape::from_dims(&dims).map_err(|e| e.in_op("tile"))?);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        Work::chunks(Rows::new(self, call).chunks())
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, chunk: usize) -> Result<()> {
        let rows = Rows::new(self, call);
        let units = rows.count * rows.cuts;
        for unit in part(units, chunk, rows.chunks(), 1) {
            // SAFETY: dense views of the inferred types; units write disjoint parts of the output.
            unsafe { rows.write(call, unit / rows.cuts, unit % rows.cuts) };
        }
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let mut along: SmallVec<[Along; 2 * MAX_RANK]> = SmallVec::new();
        for (axis, &repeats) in self.multiples.dims().iter().enumerate() {
            let (size, from, to) = (input.dims()[axis], input.strides()[axis], out.strides()[axis]);
            along.push(Along { size: repeats, from: 0, to: to * size as isize });
            along.push(Along { size, from, to });
        }
        // SAFETY: dense views of the inferred types; each axis of the output is the input's, as often as told.
        unsafe { cuda::walk(call, input.dtype.size(), input.ptr, out.ptr, &along) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let shape = g.input_type(0).shape;
        let mut dx = g.dy(0)?;
        // One axis after the other, so that the rank stays small: [before, repeats, size, after] summed over repeats.
        for (axis, repeats) in self.multiples.iter().enumerate().filter(|(_, m)| *m != Dim::ONE) {
            let before = Shape::from_dims(&shape.sizes()[..axis])?.element_count();
            let after = Shape::from_dims(&dx.shape().sizes()[axis + 1..])?.element_count();
            let cut = Shape::from_dims(&[before, repeats, shape.dim(axis), after])?;
            let summed = sum_axes(&reshape_to(&dx, &cut)?, AxisSet::of(&[1]), false)?;
            dx = reshape_to(&summed, &dx.shape().with(axis, shape.dim(axis))?)?;
        }
        g.give(0, dx);
        Ok(())
    }
}

/// The output as rows, each one dense run of the input repeated.
struct Rows<'a> {
    multiples: &'a [usize],
    /// The innermost axis that is repeated; everything from it on is one run of the input.
    axis: usize,
    /// Bytes of the run.
    run: usize,
    /// How often the run is repeated in a row.
    repeats: usize,
    /// Rows of the output.
    count: usize,
    /// Parts that each row is cut into, so that few long rows share out as well.
    cuts: usize,
}

impl<'a> Rows<'a> {
    fn new(tile: &'a Tile, call: &CpuCall<'_>) -> Self {
        let (input, out) = (&call.inputs[0], &call.outputs[0]);
        let multiples = tile.multiples.dims();
        let axis = multiples.iter().rposition(|&m| m != 1).unwrap_or(0);
        let run = input.dims()[axis.min(input.rank())..].iter().product::<usize>() * input.dtype.size();
        let repeats = multiples.get(axis).copied().unwrap_or(1);
        let count = if out.is_empty() { 0 } else { out.dims()[..axis].iter().product() };
        let cuts = (run * repeats / CHUNK).clamp(1, repeats.max(1));
        Self { multiples, axis, run, repeats, count, cuts }
    }

    fn chunks(&self) -> usize {
        (self.count * self.run * self.repeats).div_ceil(CHUNK).min(self.count * self.cuts).max(1)
    }

    /// The number of the input's run that row `row` of the output repeats.
    fn source(&self, call: &CpuCall<'_>, row: usize) -> usize {
        let (mut rest, mut source, mut step) = (row, 0, 1);
        for axis in (0..self.axis).rev() {
            let size = call.inputs[0].dims()[axis];
            let repeated = size * self.multiples[axis];
            source += rest % repeated % size * step;
            rest /= repeated;
            step *= size;
        }
        source
    }

    /// Writes part `cut` of row `row`: the run once, then what is written doubled until the part is full.
    ///
    /// # Safety
    /// The call's views are dense and of the inferred types, and nobody else touches this part of the output.
    unsafe fn write(&self, call: &CpuCall<'_>, row: usize, cut: usize) {
        let repeats = part(self.repeats, cut, self.cuts, 1);
        let bytes = repeats.len() * self.run;
        if bytes == 0 {
            return;
        }
        // SAFETY: the source is a run of the input, the target a part of the output's row; they are apart.
        unsafe {
            let from = call.inputs[0].ptr.add(self.source(call, row) * self.run);
            let to = call.outputs[0].ptr.add((row * self.repeats + repeats.start) * self.run);
            std::ptr::copy_nonoverlapping(from, to, self.run);
            let mut done = self.run;
            while done < bytes {
                let n = done.min(bytes - done);
                std::ptr::copy_nonoverlapping(to, to.add(done), n);
                done += n;
            }
        }
    }
}

public! {
    /// The tensor repeated `multiples[axis]` times along each axis.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::constant([[1, 2], [3, 4]]);
    /// assert_eq!(tf::tile(&x, [1, 2]).to_vec::<i32>(), [1, 2, 1, 2, 3, 4, 3, 4]);
    /// ```
    pub fn tile, try_tile(x, multiples: impl IntoShape) -> Tensor {
        let multiples = multiples.into_dims()?;
        let negative = |size: &Dim| size.valid().is_err();
        if multiples.len() != x.rank() || multiples.iter().any(negative) {
            return Err(Error::invalid_argument("tile", "the multiples must say how often to repeat each axis")
                .got(format!("{multiples:?} for {}", x.shape()))
                .expected(format!("{} numbers of 0 or more", x.rank())));
        }
        execute1(&Tile { multiples: Shape::from_dims(&multiples)? }, &[x])
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};

    #[test]
    fn gradients_and_edges() {
        check(&|x| tf::tile(&x[0], [2, 1, 3]).square(), &[numbers(1, &[2, 3, 2])]);
        check(&|x| tf::tile(&x[0], [0, 2]), &[numbers(1, &[2, 2])]);
        assert_eq!(tf::tile(&tf::constant(3), ()).item::<i32>(), 3);
        assert_eq!(tf::tile(&tf::zeros([0, 2]), [3, 2]).shape(), [0, 4]);
        assert_eq!(tf::tile(&tf::ones([1; 8]), [2; 8]).to_vec::<f32>(), [1.0; 256]);
        assert!(tf::try_tile(&tf::ones([2]), [-1]).is_err() && tf::try_tile(&tf::ones([2]), [1, 1]).is_err());
        assert!(tf::try_tile(&tf::cast(&tf::ones([2]), tf::DType::U16), [2]).is_err());
    }

    #[test]
    fn large_ones_agree_with_a_plain_loop() {
        for (shape, multiples) in [([3, 50, 7], [4, 5, 90]), ([1, 1, 9], [1, 1, 90_000]), ([300, 2, 500], [1, 3, 1])] {
            let x = tf::cast(&numbers(5, &shape), tf::DType::F32);
            let (y, values) = (tf::tile(&x, multiples), x.to_vec::<f32>());
            let dims = y.shape().dims().to_vec();
            for (i, got) in y.to_vec::<f32>().into_iter().enumerate() {
                let (a, b, c) = (i / dims[2] / dims[1] % shape[0], i / dims[2] % shape[1], i % shape[2]);
                assert_eq!(got, values[(a * shape[1] + b) * shape[2] + c], "{i}");
            }
        }
    }
}
