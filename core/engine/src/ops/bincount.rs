//! `bincount`: how often each number from 0 up occurs, or the sums of weights, or whether it occurs; no gradient flows.
//! TensorFlow's `tf.math.bincount` with dense results, of all elements or of each row. Its op has no gradient either.

use super::size_from::size_from;
use super::{cast_to, concat_all, functions, public, reshape_to};
use crate::constant::try_constant_of;
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, identity};
use crate::tensor::Tensor;
use kernels::backend::cpu::indexed_rows::Write;
use kernels::backend::cpu::{CpuCall, View, Work, part};
use kernels::backend::cuda::{self, CudaCall, Kernel, Names};
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// How [`bincount_with`] counts. TensorFlow's defaults: every element once, `int32`, as many bins as the greatest element needs.
///
/// ```
/// use eagerflow as tf;
/// let how = tf::Bincount { weights: Some(tf::constant([0.5, 2.0, 1.0])), ..Default::default() };
/// assert_eq!(tf::bincount_with(&tf::constant([1, 0, 1]), &how).to_vec::<f32>(), [2.0, 1.5]);
/// ```
#[derive(Clone, Debug)]
pub struct Bincount {
    /// What each element adds, of the elements' shape; results have its dtype.
    pub weights: Option<Tensor>,
    /// At least so many bins.
    pub minlength: Option<Dim>,
    /// At most so many: greater elements are not counted.
    pub maxlength: Option<Dim>,
    /// The dtype of counts: `int32`, `int64`, `float32` or `float64`.
    pub dtype: DType,
    /// 0 counts all elements together, -1 those of each row of a matrix.
    pub axis: isize,
    /// Whether a bin that is not empty has 1.
    pub binary_output: bool,
}

impl Default for Bincount {
    fn default() -> Self {
        Self { weights: None, minlength: None, maxlength: None, dtype: DType::I32, axis: 0, binary_output: false }
    }
}

const RESULTS: DTypes = DTypes::of(&[DType::I32, DType::I64, DType::F32, DType::F64]);

/// Inputs: integers, a vector or a matrix of rows, and perhaps their weights.
#[derive(Clone)]
struct Bins {
    /// How many, as a shape of one dimension so that it may be a symbol.
    size: Shape,
    dtype: DType,
    binary: bool,
}

/// Elements that are worth a chunk, and chunks at most.
const CHUNK: usize = 64 * 1024;
const MOST: usize = 16;

impl Op for Bins {
    identity!("bincount", {
        "size": Shape = |this| &this.size,
        "dtype": DType = |this| this.dtype,
        "binary_output": Bool = |this| this.binary,
    });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { size: self.size.bind(lookup)?, ..*self })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::of(&[DType::I32, DType::I64]))?;
        let rank = cx.shape(0).rank();
        if rank == 0 || rank > 2 {
            return Err(Error::invalid_argument("bincount", "the elements are no vector and no rows")
                .got(cx.input(0))
                .expected("one axis or two"));
        }
        let mut dtype = self.dtype;
        if cx.len() > 1 {
            dtype = cx.dtype(1);
            let (x, weights) = (cx.shape(0), cx.shape(1));
            let fits = x.rank() == weights.rank() && x.iter().zip(weights.iter()).all(|(a, b)| a.can_equal(b));
            if !fits {
                return Err(Error::invalid_argument("bincount", "the weights do not fit the elements")
                    .got(format!("{weights} for {x}"))
                    .expected("weights of the elements' shape"));
            }
            for (a, b) in x.iter().zip(weights.iter()).filter(|(a, b)| a != b) {
                cx.constraints.push(a, b);
            }
        }
        if !RESULTS.has(dtype) {
            return Err(Error::invalid_argument("bincount", "counts cannot be given in this dtype")
                .got(dtype)
                .expected(format!("one of {RESULTS}")));
        }
        let shape = cx.shape(0).with(rank - 1, self.size.dim(0))?;
        cx.output(dtype, shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        let split = Split::of(call);
        match split.parts {
            1 => Work::chunks((split.rows * split.len).div_ceil(CHUNK).min(MOST).min(split.rows.max(1))),
            parts => Work {
                scratch: (parts * split.size * call.outputs[0].dtype.size()).next_multiple_of(64),
                phases: [parts, 1, 0, 0, 0],
            },
        }
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        // SAFETY: the same contract.
        unsafe {
            match call.outputs[0].dtype {
                DType::I32 => self.run::<i32>(call, phase, chunk, i32::wrapping_add),
                DType::I64 => self.run::<i64>(call, phase, chunk, i64::wrapping_add),
                DType::F32 => self.run::<f32>(call, phase, chunk, |a, b| a + b),
                _ => self.run::<f64>(call, phase, chunk, |a, b| a + b),
            }
        }
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        let (x, out) = (&call.inputs[0], &call.outputs[0]);
        let (len, size) = (*x.dims().last().unwrap_or(&1), *out.dims().last().unwrap_or(&0));
        if x.is_empty() || out.is_empty() {
            // SAFETY: a dense view of the inferred type.
            return unsafe { cuda::fill(call, out, 0) };
        }
        let rows = out.len() / size;
        // SAFETY: dense views of the inferred types, and room for a word per bin, or per element.
        unsafe {
            if call.inputs.len() == 1 {
                let counts = call.scratch(out.len() * 8)?;
                call.gpu.set_bytes(counts.address(), 0, out.len() * 8)?;
                call.elements(&COUNT_BINS, &[x.dtype], x.len(), |arguments| {
                    arguments.faults(call);
                    arguments.view(x);
                    arguments.address(counts.address());
                    arguments.sizes(&[len, size]);
                })?;
                return call.elements(&WRITE_COUNTS, &[out.dtype], out.len(), |arguments| {
                    arguments.address(counts.address());
                    arguments.view(out);
                    arguments.value(i32::from(self.binary));
                });
            }
            // Sums of weights are scattered, in the order of the elements; a bin behind the others takes what is not counted.
            let wide = call.scratch(rows * (size + 1) * out.dtype.size())?;
            let names = call.scratch(x.len() * 8)?;
            let view = |address: u64, dtype, dims: &[usize]| {
                View::dense(std::ptr::without_provenance_mut(address as usize), dtype, dims)
            };
            let to = view(wide.address(), out.dtype, &[rows * (size + 1)]);
            let indices = view(names.address(), DType::I64, &[x.len()]);
            cuda::fill(call, &to, 0)?;
            call.elements(&NAME_BINS, &[x.dtype], x.len(), |arguments| {
                arguments.faults(call);
                arguments.view(x);
                arguments.address(names.address());
                arguments.sizes(&[len, size]);
            })?;
            let sizes = [rows * (size + 1)];
            let sums = cuda::Rows {
                write: Write::Add,
                to: &to,
                rows: sizes[0],
                row: 1,
                updates: &call.inputs[1],
                count: x.len(),
                all_or_nothing: false,
            };
            cuda::scatter(call, &Names::Tuples { indices: &indices, sizes: &sizes }, &sums)?;
            call.elements(&COPY_BINS, &[out.dtype], out.len(), |arguments| {
                arguments.address(wide.address());
                arguments.view(out);
                arguments.size(size);
            })
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("TensorFlow defines no gradient of `bincount`, by its weights neither")
    }
}

static COUNT_BINS: Kernel = Kernel {
    name: "count_bins",
    text: &[r#"
extern "C" __global__ void count_bins(index_t count, Faults* faults, unsigned site, const T0* x, unsigned long long* counts,
                                      index_t length, index_t size) {
  ELEMENTS(i, count) {
    const index_t bin = (index_t)x[i];
    if (bin < 0) fault(faults, site, PLACE_FAULT, bin, size);
    else if (bin < size) atomicAdd(&counts[i / length * size + bin], 1ull);
  }
}
"#],
};
static WRITE_COUNTS: Kernel = Kernel {
    name: "write_counts",
    text: &[r#"
extern "C" __global__ void write_counts(index_t count, const unsigned long long* counts, T0* to, int binary) {
  ELEMENTS(i, count) to[i] = (T0)(binary ? counts[i] != 0 : counts[i]);
}
"#],
};
static NAME_BINS: Kernel = Kernel {
    name: "name_bins",
    text: &[r#"
extern "C" __global__ void name_bins(index_t count, Faults* faults, unsigned site, const T0* x, index_t* names,
                                     index_t length, index_t size) {
  ELEMENTS(i, count) {
    const index_t bin = (index_t)x[i];
    if (bin < 0) fault(faults, site, PLACE_FAULT, bin, size);
    names[i] = i / length * (size + 1) + (bin >= 0 && bin < size ? bin : size);
  }
}
"#],
};
static COPY_BINS: Kernel = Kernel {
    name: "copy_bins",
    text: &[r#"
extern "C" __global__ void copy_bins(index_t count, const T0* from, T0* to, index_t size) {
  ELEMENTS(i, count) to[i] = from[i + i / size];
}
"#],
};

/// Rows, elements of one, its bins, and parts of one that are counted side by side.
struct Split {
    rows: usize,
    len: usize,
    size: usize,
    parts: usize,
}

impl Split {
    fn of(call: &CpuCall<'_>) -> Self {
        let (x, out) = (&call.inputs[0], &call.outputs[0]);
        let len = x.dims().last().copied().unwrap_or(1);
        let rows = x.dims()[..x.rank().saturating_sub(1)].iter().product();
        let size = out.dims().last().copied().unwrap_or(0);
        // Parts have bins of their own, which are few.
        let parts = if rows == 1 && 8 * size <= len { len.div_ceil(CHUNK).clamp(1, MOST) } else { 1 };
        Self { rows, len, size, parts }
    }
}

/// A number that is counted with.
trait Count: Copy {
    const NONE: Self;
    const ONE: Self;
}

macro_rules! counts {
    ($($t:ty: $none:literal $one:literal),*) => {
        $(impl Count for $t {
            const NONE: Self = $none;
            const ONE: Self = $one;
        })*
    };
}

counts!(i32: 0 1, i64: 0 1, f32: 0.0 1.0, f64: 0.0 1.0);

impl Bins {
    /// # Safety
    /// As `Op::cpu`, for results of type `T`.
    unsafe fn run<T: Count>(&self, call: &CpuCall<'_>, phase: usize, chunk: usize, add: fn(T, T) -> T) -> Result<()> {
        let (split, out) = (Split::of(call), call.outputs[0].ptr.cast::<T>());
        // SAFETY: dense views of the inferred types; chunks have rows, or bins in scratch memory, of their own.
        unsafe {
            if split.parts == 1 {
                for row in part(split.rows, chunk, self.work(call).phases[0], 1) {
                    self.count(call, row * split.len, split.len, out.add(row * split.size), split.size, add)?;
                }
                return Ok(());
            }
            let parts = call.scratch.cast::<T>();
            if phase == 0 {
                let own = part(split.len, chunk, split.parts, 1);
                return self.count(call, own.start, own.len(), parts.add(chunk * split.size), split.size, add);
            }
            for bin in 0..split.size {
                let of = |i: usize| *parts.add(i * split.size + bin);
                let sum = match self.binary {
                    // Each part has ones.
                    true => (0..split.parts).map(of).fold(T::NONE, |sum, own| if is_none(own) { sum } else { own }),
                    false => (1..split.parts).map(of).fold(of(0), add),
                };
                out.add(bin).write(sum);
            }
        }
        Ok(())
    }

    /// Counts elements from one on into fresh bins.
    ///
    /// # Safety
    /// Elements of the inputs, and room for the bins.
    unsafe fn count<T: Count>(
        &self,
        call: &CpuCall<'_>,
        start: usize,
        len: usize,
        to: *mut T,
        size: usize,
        add: fn(T, T) -> T,
    ) -> Result<()> {
        // SAFETY: by the caller's promise.
        unsafe {
            (0..size).for_each(|bin| to.add(bin).write(T::NONE));
            // Memory for no bins at all may be nowhere.
            let bins = if size == 0 { &mut [] } else { std::slice::from_raw_parts_mut(to, size) };
            let weights = call.inputs.get(1).map(|w| std::slice::from_raw_parts(w.ptr.cast::<T>().add(start), len));
            match call.inputs[0].dtype {
                DType::I32 => {
                    let x = std::slice::from_raw_parts(call.inputs[0].ptr.cast::<i32>().add(start), len);
                    self.each(x, weights, bins, add)
                }
                _ => {
                    let x = std::slice::from_raw_parts(call.inputs[0].ptr.cast::<i64>().add(start), len);
                    self.each(x, weights, bins, add)
                }
            }
        }
    }

    #[inline(always)]
    fn each<I: Copy + Into<i64>, T: Count>(
        &self,
        x: &[I],
        weights: Option<&[T]>,
        bins: &mut [T],
        add: fn(T, T) -> T,
    ) -> Result<()> {
        for (i, &at) in x.iter().enumerate() {
            let at: i64 = at.into();
            if at < 0 {
                return Err(Error::invalid_argument("bincount", "only numbers of 0 or more have a bin")
                    .got(at)
                    .expected("no negative elements"));
            }
            let Some(bin) = bins.get_mut(at as usize) else { continue };
            *bin = match weights {
                Some(weights) => add(*bin, weights[i]),
                None if self.binary => T::ONE,
                None => add(*bin, T::ONE),
            };
        }
        Ok(())
    }
}

/// Whether nothing was counted.
fn is_none<T: Count>(count: T) -> bool {
    // SAFETY: a plain number of four or eight bytes, of which zero alone has no bits set.
    let bytes = unsafe { std::slice::from_raw_parts((&raw const count).cast::<u8>(), size_of::<T>()) };
    bytes.iter().all(|&byte| byte == 0)
}

/// How often each number below `size` occurs in a vector of integers.
#[track_caller]
pub(super) fn counts_of(x: &Tensor, size: Dim, dtype: DType) -> Result<Tensor> {
    execute1(&Bins { size: Shape::from_dims(&[size])?, dtype, binary: false }, &[x])
}

/// As many bins as the elements need, within the bounds that are given.
#[track_caller]
fn size_for(x: &Tensor, how: &Bincount) -> Result<Dim> {
    // What stands beside the elements is the greatest of none.
    let flat = reshape_to(x, &Shape::from_dims(&[x.shape().element_count()])?)?;
    let none = try_constant_of([-1], x.dtype())?;
    let greatest = functions::try_reduce_max(&concat_all(&[&flat, &none], 0)?, ())?;
    let mut size = size_from(&functions::try_maximum(&functions::try_add(&greatest, 1)?, 0)?)?;
    if let Some(least) = how.minlength {
        size = size.max(least);
    }
    if let Some(most) = how.maxlength {
        size = size.min(most);
    }
    Ok(size)
}

#[track_caller]
fn counted(x: &Tensor, how: &Bincount) -> Result<Tensor> {
    if how.weights.is_some() && how.binary_output {
        return Err(Error::invalid_argument("bincount", "weights say how much, `binary_output` only whether")
            .got("both")
            .expected("one of them"));
    }
    let x = match x.dtype() {
        dtype if dtype.is_integer() => x.clone(),
        _ => cast_to(x, DType::I32)?,
    };
    let (x, weights) = match how.axis {
        0 => {
            let vector = |x: &Tensor| reshape_to(x, &Shape::from_dims(&[x.shape().element_count()])?);
            (vector(&x)?, how.weights.as_ref().map(vector).transpose()?)
        }
        -1 => (x, how.weights.clone()),
        other => {
            return Err(Error::invalid_argument("bincount", "an axis that is not counted along")
                .got(other)
                .expected("0 for all elements, -1 for those of each row"));
        }
    };
    let size = Shape::from_dims(&[size_for(&x, how)?])?;
    let bins = Bins { size, dtype: how.dtype, binary: how.binary_output };
    match &weights {
        Some(weights) => execute1(&bins, &[&x, weights]),
        None => execute1(&bins, &[&x]),
    }
}

public! {
    /// How often each number from 0 to the greatest element occurs, `int32`. How many numbers that are is known only when it runs.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::bincount(&tf::constant([1, 1, 2, 3, 2, 4, 4, 5])).to_vec::<i32>(), [0, 2, 2, 1, 2, 1]);
    /// ```
    pub fn bincount, try_bincount(x) -> Tensor {
        counted(x, &Bincount::default()).map_err(|e| e.named("bincount"))
    }

    /// As [`bincount`], with weights, bounds for the number of bins, another dtype, or row by row.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let how = tf::Bincount { axis: -1, minlength: Some(tf::Dim::known(4)), ..Default::default() };
    /// let counts = tf::bincount_with(&tf::constant([[0, 1, 1], [2, 2, 2]]), &how);
    /// assert_eq!(counts.to_vec::<i32>(), [1, 2, 0, 0, 0, 0, 3, 0]);
    /// ```
    pub fn bincount_with, try_bincount_with(x, how: &Bincount) -> Tensor {
        counted(x, how).map_err(|e| e.named("bincount"))
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::numbers;
    use tf::{Bincount, DType};

    #[test]
    fn many_elements_agree_with_a_plain_loop() {
        let x = tf::cast(&(numbers(1, &[300_000]) * 20.0 + 25.0), DType::I64);
        let weights = tf::cast(&numbers(2, &[300_000]), DType::F64);
        let mut sums = vec![0.0; 45];
        for (&at, weight) in x.to_vec::<i64>().iter().zip(weights.to_vec::<f64>()) {
            sums[at as usize] += weight;
        }
        let how = Bincount { weights: Some(weights), minlength: Some(45.into()), ..Default::default() };
        let got = tf::bincount_with(&x, &how).to_vec::<f64>();
        assert!(got.iter().zip(&sums).all(|(a, b)| (a - b).abs() < 1e-9), "{got:?} {sums:?}");
        let how = Bincount { binary_output: true, dtype: DType::F32, ..Default::default() };
        assert!(tf::bincount_with(&x, &how).to_vec::<f32>().iter().zip(&sums).all(|(&a, &b)| (a == 1.0) == (b != 0.0)));
    }

    #[test]
    fn edges_and_refusals() {
        assert_eq!(tf::bincount(&tf::zeros([0]).cast(DType::I32)).shape(), [0]);
        assert_eq!(tf::bincount(&tf::constant(3)).to_vec::<i32>(), [0, 0, 0, 1]);
        assert_eq!(tf::bincount(&tf::constant([0.5, 2.7])).to_vec::<i32>(), [1, 0, 1]);
        let rows = tf::constant([[0, 2, 2], [1, 1, 0]]);
        let how = Bincount { axis: -1, binary_output: true, ..Default::default() };
        assert_eq!(tf::bincount_with(&rows, &how).to_vec::<i32>(), [1, 0, 1, 1, 1, 0]);
        for (x, how) in [
            (tf::constant([-1, 2]), Bincount::default()),
            (rows.clone(), Bincount { axis: 1, ..Default::default() }),
            (rows.clone(), Bincount { weights: Some(tf::ones([5])), ..Default::default() }),
            (rows.clone(), Bincount { weights: Some(tf::ones([6])), binary_output: true, ..Default::default() }),
            (rows, Bincount { dtype: DType::F16, ..Default::default() }),
        ] {
            let error = tf::try_bincount_with(&x, &how).unwrap_err().to_string();
            assert!(error.contains("bincount"), "{error}");
        }
    }
}
