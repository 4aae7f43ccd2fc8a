//! `slice_add`: a tensor to a part of which another is added; the part's dx is that part of dy, the tensor's is dy.
//! The sums of gradients run it: what each further part of a tensor costs is the part, not the tensor.

use super::Slice;
use kernels::backend::cpu::{CpuCall, View, Work, copy, part};
use kernels::backend::cuda::{self, CudaCall, Kernel, Strided};
use kernels::dtype::DTypes;
use kernels::error::{Error, Result};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use kernels::shape::{MAX_RANK, Shape};
use crate::tape::Backward;
use smallvec::SmallVec;
use std::sync::Arc;

/// Inputs: the tensor, and what is added to its part.
#[derive(Clone)]
pub(super) struct SliceAdd {
    pub slice: Slice,
    pub whole: Shape,
}

/// Bytes that one chunk moves, about.
const CHUNK: usize = 128 * 1024;

/// The axis along which a part is shared out, and into how many pieces: the longest one, so that few dims stand before it.
pub(super) fn shares(part: &View) -> (usize, usize) {
    let axis = (0..part.rank()).max_by_key(|&axis| (part.dims()[axis], part.rank() - axis)).unwrap_or(0);
    let bytes = part.len() * part.dtype.size();
    (axis, bytes.div_ceil(CHUNK).clamp(1, 64).min(part.dims().get(axis).copied().unwrap_or(1)).max(1))
}

/// What is given and where it goes, of one share.
pub(super) fn share(given: &View, to: &View, chunk: usize) -> (View, View) {
    let (axis, chunks) = shares(given);
    if chunks == 1 {
        return (*given, *to);
    }
    let own = part(given.dims()[axis], chunk, chunks, 1);
    (given.slab(axis, own.clone()), to.slab(axis, own))
}

impl Op for SliceAdd {
    identity!("slice_add", {
        "begin": Shape = |this| &this.slice.begin,
        "steps": Ints = |this| &this.slice.steps,
        "shape": Shape = |this| &this.whole,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { slice: self.slice.bound(lookup)?, whole: self.whole.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::Movement
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        cx.check_dtype(1, DTypes::of(&[cx.dtype(0)]))?;
        self.slice.check("slice_add", &self.whole)?;
        if cx.shape(0).rank() != self.whole.rank() {
            return Err(Error::internal("slice_add", "a sum of another shape").got(cx.shape(0)).expected(self.whole));
        }
        cx.output(cx.dtype(0), self.whole);
        Ok(())
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn overwrites(&self) -> Option<usize> {
        Some(0)
    }

    fn adds_to(&self) -> Option<usize> {
        Some(0)
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let whole = &call.outputs[0];
        let copies = if call.lies_over(0) { 0 } else { (whole.len() * whole.dtype.size()).div_ceil(CHUNK).clamp(1, 64) };
        Work { scratch: 0, phases: [copies, shares(&call.inputs[1]).1, 0, 0, 0] }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        let (from, given, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        if phase == 0 {
            // Of a tensor without elements everything lies everywhere, so there may be none.
            let chunks = self.work(call).phases[0].max(1);
            // SAFETY: chunks copy disjoint parts of one tensor to the fresh output of the same shape.
            unsafe {
                match from.is_dense() {
                    true => {
                        let own = part(out.len(), chunk, chunks, 1);
                        copy::copy(&from.part(own.start, own.len()), &out.part(own.start, own.len()));
                    }
                    false if chunk == 0 => copy::copy(from, out),
                    false => {}
                }
            }
            return Ok(());
        }
        let (given, to) = share(given, &self.slice.part_of(out, given.dims()), chunk);
        // SAFETY: a part of the output that `check` found inside; chunks change disjoint slabs of it.
        unsafe { copy::add(&given, &to) };
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (from, given, out) = (&call.inputs[0], &call.inputs[1], &call.outputs[0]);
        let to = self.slice.part_of(out, given.dims());
        // SAFETY: valid views of the inferred types; a part of the output that `check` found inside.
        unsafe {
            if !call.lies_over(0) {
                cuda::copy(call, from, out)?;
            }
            add_to(call, given, &to)
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        if g.needs(1) {
            let dx = execute1(&self.slice, &[&dy])?;
            g.give(1, dx);
        }
        if g.needs(0) {
            g.give(0, dy);
        }
        Ok(())
    }
}

/// Adds elements to those of another view of the same shape and dtype, whatever their strides.
///
/// # Safety
/// Both are valid on the call's device in the order of its stream; the target shows no element twice.
pub(super) unsafe fn add_to(call: &CudaCall<'_>, from: &View, to: &View) -> Result<()> {
    let place = |view: &View| {
        let strides: SmallVec<[isize; MAX_RANK]> = view.strides().iter().copied().collect();
        Strided::new(view.dims(), &strides)
    };
    // SAFETY: by the caller's promise.
    unsafe {
        call.elements(&ADD_TO, &[from.dtype], from.len(), |arguments| {
            arguments.view(from);
            arguments.value(place(from));
            arguments.view(to);
            arguments.value(place(to));
        })
    }
}

static ADD_TO: Kernel = Kernel {
    name: "add_to",
    text: &[r#"
template <class T> __device__ inline T joined(T a, T b) { return plus(a, b); }
__device__ inline bool joined(bool a, bool b) { return a || b; }

extern "C" __global__ void add_to(index_t count, const T0* from, Strided source, T0* to, Strided target) {
  ELEMENTS(i, count) {
    const index_t at = place(target, i);
    to[at] = narrow<T0>(joined(wide(to[at]), wide(from[place(source, i)])));
  }
}
"#],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;
    use crate::execute::execute1_reusing;
    use crate::ops::differences::{check, numbers};
    use kernels::shape::Dim;

    fn add(begin: &[usize], size: &[usize], steps: &[i64], whole: &[usize]) -> SliceAdd {
        let shape = |sizes: &[usize]| Shape::from_dims(&sizes.iter().map(|&s| Dim::known(s)).collect::<Vec<_>>()).unwrap();
        let slice = Slice { begin: shape(begin), size: shape(size), steps: SmallVec::from_slice(steps) };
        SliceAdd { slice, whole: shape(whole) }
    }

    #[test]
    fn gradients_of_the_sum_and_of_the_part() {
        let op = add(&[3, 1], &[2, 2], &[-2, 1], &[4, 4]);
        check(&|x| execute1(&op, &[&x[0], &x[1]]).unwrap().square(), &[numbers(1, &[4, 4]), numbers(2, &[2, 2])]);
    }

    #[test]
    fn parts_of_one_tensor_overlap_and_meet_other_gradients() {
        use crate::s;
        let x = numbers(3, &[4, 4]);
        check(&|x| x[0].at(s![..3, ..]) * x[0].at(s![1.., ..;-1]), std::slice::from_ref(&x));
        check(&|x| tf::square(&x[0]).at(s![2, ..]) + &x[0] * x[0].at(s![..;2, 1]).sum(), std::slice::from_ref(&x));
        let some = |x: &tf::Tensor| {
            let parts = tf::split(x, [1, 1, 2], 0);
            tf::square(&parts[0]) * tf::unstack(x, 1)[2].sum() + &parts[2].at(s![..1, ..]) * x.at(0)
        };
        check(&|x| some(&x[0]), std::slice::from_ref(&x));
    }

    #[test]
    fn every_dtype_and_layout_adds_as_a_plain_loop() {
        use crate::DType::{BF16, F16, F32, F64, I8, I64, U16};
        for dtype in [F32, F64, F16, BF16, I8, I64, U16] {
            for (begin, size, steps) in [
                ([0, 0], [3, 5], [1, 1]),
                ([2, 4], [3, 3], [-1, -2]),
                ([1, 0], [1, 5], [1, 1]),
                ([0, 2], [3, 1], [1, 1]),
                ([2, 1], [2, 2], [-2, 3]),
            ] {
                let whole = tf::cast(tf::reshape(tf::range(0, 15, 1), [3, 5]), dtype);
                let part = tf::cast(tf::reshape(tf::range(1, (size[0] * size[1] + 1) as i32, 1), [size[1] as isize, size[0] as isize]), dtype);
                // The part lies transposed.
                let part = tf::transpose(&part, [1, 0]);
                let got = execute1(&add(&begin, &size, &steps, &[3, 5]), &[&whole, &part]).unwrap();
                let mut expected = tf::cast(&whole, F64).to_vec::<f64>();
                let part = tf::cast(&part, F64).to_vec::<f64>();
                for row in 0..size[0] {
                    for column in 0..size[1] {
                        let at = |axis: usize, i: usize| (begin[axis] as i64 + i as i64 * steps[axis]) as usize;
                        expected[at(0, row) * 5 + at(1, column)] += part[row * size[1] + column];
                    }
                }
                assert_eq!(tf::cast(&got, F64).to_vec::<f64>(), expected, "{dtype:?} {begin:?}");
            }
        }
    }

    #[test]
    fn large_parts_are_shared_out_and_the_sum_stays_where_it_is() {
        let (whole, part) = (tf::ones([600, 700]), tf::ones([500, 650]) * 2.0);
        let address = whole.data();
        let op = add(&[50, 30], &[500, 650], &[1, 1], &[600, 700]);
        let sum = execute1_reusing(&op, &[&whole, &part], 1).unwrap();
        assert_eq!(sum.data(), address);
        drop(whole);
        assert_eq!(tf::reduce_sum(&sum, ()).item::<f32>(), (600 * 700 + 2 * 500 * 650) as f32);
        let apart = execute1_reusing(&op, &[&sum, &part], 0).unwrap();
        assert!(apart.data() != address && sum.at([0, 0]).item::<f32>() == 1.0);
        assert_eq!((sum.at([50, 30]).item::<f32>(), apart.at([549, 679]).item::<f32>()), (3.0, 5.0));
        // Somebody else sees the sum, so it must not change.
        let (seen, before) = (sum.clone(), sum.to_vec::<f32>());
        let other = execute1_reusing(&op, &[&sum, &part], 1).unwrap();
        assert!(other.data() != sum.data() && seen.to_vec::<f32>() == before);
    }
}
