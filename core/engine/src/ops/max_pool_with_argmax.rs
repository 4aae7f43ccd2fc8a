//! `max_pool_with_argmax`: the greatest number of each window, as `max_pool2d`, and where it lies in the images.
//! TensorFlow's `tf.nn.max_pool_with_argmax`; the places are an operation of their own, through which no gradient goes.

use super::cast::cast_to;
use super::max_pool2d::{COMPUTED, MaxPool2d, plain};
use super::pooling::{Pool, PoolKernel, pool_identity, pool_kernel, run_on_device};
use super::public;
use super::window::{Padding, Pair};
use crate::execute::execute1;
use crate::op::{Gradient, Infer, Kind, Op};
use crate::tensor::{Tensor, TensorType};
use kernels::backend::cpu::widen::Staged;
use kernels::backend::cpu::{CpuCall, Work};
use kernels::backend::cuda::CudaCall;
use kernels::dtype::DType;
use kernels::error::{Error, OnTheWay, Result};

/// Input: images; output: the element of its image, or of the batch, that is the first maximum of each window, as `int64`.
#[derive(Clone)]
struct MaxPoolPlaces {
    pool: Pool,
    batch: bool,
}

impl Op for MaxPoolPlaces {
    pool_identity!("max_pool_places", "include_batch": Bool = |this| this.batch);

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn may_fail(&self) -> bool {
        false
    }

    fn may_refuse_sizes(&self, inputs: &[&TensorType]) -> bool {
        self.pool.may_not_fit(&inputs[0].shape)
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, COMPUTED)?;
        let shape = self.pool.output("max_pool_with_argmax", cx.shape(0))?;
        cx.output(DType::I64, shape);
        Ok(())
    }

    fn work(&self, call: &CpuCall<'_>) -> Work {
        if let Some(staged) = Staged::new(call, 1) {
            return staged.work(|call| self.work(call));
        }
        Work::chunks(call.outputs[0].dims()[0])
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, phase: usize, chunk: usize) -> Result<()> {
        if let Some(staged) = Staged::new(call, 1) {
            // SAFETY: by the caller's promise; what is staged is what the loops know.
            return unsafe { staged.run(phase, chunk, |c| self.work(c), |c, phase, chunk| self.cpu(c, phase, chunk)) };
        }
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), y.dims());
        if y.is_empty() {
            return Ok(());
        }
        macro_rules! places {
            ($($dtype:ident: $t:ty),*) => {
                match x.dtype {
                    // SAFETY: dense tensors of the geometry; one chunk per image.
                    $(DType::$dtype => unsafe {
                        plain::places::<$t>(&g, x.as_slice(), y.as_ptr(), chunk, self.batch);
                    })*
                    _ => unreachable!("`infer` has checked the dtype, and 16-bit floats are widened"),
                }
            };
        }
        places!(F32: f32, F64: f64, I8: i8, I16: i16, I32: i32, I64: i64, U8: u8, U16: u16, U32: u32, U64: u64);
        Ok(())
    }

    unsafe fn cuda(&self, call: &CudaCall<'_>) -> Result<()> {
        static KERNEL: PoolKernel = pool_kernel!("max_pool_elements");
        let (x, y) = (&call.inputs[0], &call.outputs[0]);
        let g = self.pool.geometry(x.dims(), y.dims());
        // A channel for each thread: the places of several would not lie on the borders that their unit needs.
        // SAFETY: dense tensors of the geometry.
        unsafe { run_on_device(call, &KERNEL, 1, &g, &[x, y], |to| to.size(usize::from(self.batch))) }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Stops("a place does not change with small changes of its input")
    }
}

#[track_caller]
fn with_places(x: &Tensor, pool: Pool, dtype: DType, batch: bool) -> Result<(Tensor, Tensor)> {
    if !matches!(dtype, DType::I32 | DType::I64) {
        return Err(Error::invalid_argument("max_pool_with_argmax", "places are int32 or int64").got(dtype));
    }
    let places = execute1(&MaxPoolPlaces { pool: pool.clone(), batch }, &[x]).map_err(|e| e.named("max_pool_with_argmax"))?;
    let most = execute1(&MaxPool2d { pool }, &[x]).map_err(|e| e.named("max_pool_with_argmax"))?;
    Ok((most, cast_to(&places, dtype)?))
}

public! {
    /// The greatest number of each window of images, as [`max_pool2d`](fn@super::functions::max_pool2d), and where it is: the element
    /// of its image, `(row * columns + column) * channels + channel`, as `int64`. The first of equal numbers counts.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let image = tf::reshape(&tf::constant([1, 5, 2, 4]), [1, 2, 2, 1]);
    /// let (most, places) = tf::max_pool_with_argmax(&image, 2, 2, tf::Padding::Valid);
    /// assert_eq!((most.to_vec::<i32>(), places.to_vec::<i64>()), (vec![5], vec![1]));
    /// ```
    pub fn max_pool_with_argmax, try_max_pool_with_argmax(
        x,
        ksize: impl Into<Pair>,
        strides: impl Into<Pair>,
        padding: Padding
    ) -> (Tensor, Tensor) {
        with_places(x, Pool::new("max_pool_with_argmax", ksize.into(), strides.into(), padding)?, DType::I64, false)
    }

    /// [`max_pool_with_argmax`] whose places have a dtype, `int32` or `int64`, and count through the whole batch if that is asked for:
    /// TensorFlow's `output_dtype` and `include_batch_in_index`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let images = tf::reshape(&tf::constant([1, 5, 2, 4, 9, 8, 7, 6]), [2, 2, 2, 1]);
    /// let (_, places) = tf::max_pool_with_argmax_as(&images, 2, 2, tf::Padding::Valid, tf::int32, true);
    /// assert_eq!(places.to_vec::<i32>(), [1, 4]);
    /// ```
    pub fn max_pool_with_argmax_as, try_max_pool_with_argmax_as(
        x,
        ksize: impl Into<Pair>,
        strides: impl Into<Pair>,
        padding: Padding,
        output_dtype: DType,
        include_batch_in_index: bool
    ) -> (Tensor, Tensor) {
        let pool = Pool::new("max_pool_with_argmax", ksize.into(), strides.into(), padding)?;
        with_places(x, pool, output_dtype, include_batch_in_index)
    }
}
