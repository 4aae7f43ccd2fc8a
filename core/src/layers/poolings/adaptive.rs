//! `AdaptiveMaxPooling1D` to `3D` and `AdaptiveAveragePooling1D` to `3D`: poolings to a size of the output, whatever that of the input.
//! Models put them before layers that want a size; windows follow from the input's sizes, which may be unknown.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::copied_by_clone;
use crate::layers::spatial::{Batch, data_format_option};
use engine::library::{Along, Typed, cast_to, reshape_to};
use engine::{Fields, Module, PerAxis, Tensor, keep_dims};
use kernels::error::{OrFail, Result};
use kernels::shape::{Dim, Shape};
use std::panic::Location;

/// What becomes of the values of a window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Max,
    Average,
}

/// Writes the layer for a number of spatial axes.
macro_rules! adaptive {
    ($(#[$doc:meta])* $layer:ident($kind:literal, $axes:literal) = $pooling:ident, sizes $sizes:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
            batch: Batch,
            output_size: PerAxis,
        }

        layer!($layer);
        copied_by_clone!($layer);
        data_format_option!($layer);

        impl $layer {
            #[doc = concat!("A layer whose output has `output_size` ", $sizes, ".")]
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(output_size: impl Into<PerAxis>) -> Self {
                Self::try_new(output_size).or_fail()
            }

            /// As [`new`](Self::new), for a size that comes from data.
            ///
            /// # Errors
            /// InvalidArgument for sizes below 1.
            #[track_caller]
            pub fn try_new(output_size: impl Into<PerAxis>) -> Result<Self> {
                let here = Location::caller();
                let output_size = output_size.into().along(stringify!($layer), "`output_size`", $axes, 1);
                Ok(Self {
                    core: Core::new($kind),
                    batch: Batch::of($axes),
                    output_size: output_size.map_err(|e| e.at(here))?,
                })
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Refuses
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
                let x = &inputs[0];
                self.batch.check(&self.core, x)?;
                pooled(&self.core, self.batch, x, self.output_size, Kind::$pooling).map(Outputs::one)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&(self.batch, self.output_size));
            }
        }
    };
}

adaptive! {
    /// The largest values of windows that cover sequences `[batch, steps, channels]`, as many as the output has steps.
    ///
    /// Of `n` steps, window `i` of `k` has those from `i * n / k`, rounded down, to `(i + 1) * n / k`, rounded up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AdaptiveMaxPooling1D;
    /// let x = tf::constant([1.0, 5.0, 2.0, 4.0, 3.0]).reshape([1, 5, 1]);
    /// assert_eq!(AdaptiveMaxPooling1D::new(2).call(&x).to_vec::<f32>(), [5.0, 4.0]);
    /// ```
    AdaptiveMaxPooling1D("adaptive_max_pooling1d", 1) = Max, sizes "steps"
}

adaptive! {
    /// The largest values of windows that cover images `[batch, rows, columns, channels]`, as many as the output has pixels.
    ///
    /// Of `n` rows, window `i` of `k` has those from `i * n / k`, rounded down, to `(i + 1) * n / k`, rounded up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AdaptiveMaxPooling2D;
    /// assert_eq!(AdaptiveMaxPooling2D::new([2, 3]).call(tf::ones([1, 5, 7, 4])).shape(), [1, 2, 3, 4]);
    /// ```
    AdaptiveMaxPooling2D("adaptive_max_pooling2d", 2) = Max, sizes "rows and columns, one number or two"
}

adaptive! {
    /// The largest values of windows that cover volumes `[batch, planes, rows, columns, channels]`, as many as the output has cells.
    ///
    /// Of `n` planes, window `i` of `k` has those from `i * n / k`, rounded down, to `(i + 1) * n / k`, rounded up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AdaptiveMaxPooling3D;
    /// assert_eq!(AdaptiveMaxPooling3D::new(2).call(tf::ones([1, 5, 7, 4, 3])).shape(), [1, 2, 2, 2, 3]);
    /// ```
    AdaptiveMaxPooling3D("adaptive_max_pooling3d", 3) = Max, sizes "planes, rows and columns, one number or three"
}

adaptive! {
    /// The means of windows that cover sequences `[batch, steps, channels]`, as many as the output has steps.
    ///
    /// Of `n` steps, window `i` of `k` has those from `i * n / k`, rounded down, to `(i + 1) * n / k`, rounded up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AdaptiveAveragePooling1D;
    /// let x = tf::constant([1.0, 5.0, 3.0, 4.0, 2.0]).reshape([1, 5, 1]);
    /// assert_eq!(AdaptiveAveragePooling1D::new(2).call(&x).to_vec::<f32>(), [3.0, 3.0]);
    /// ```
    AdaptiveAveragePooling1D("adaptive_average_pooling1d", 1) = Average, sizes "steps"
}

adaptive! {
    /// The means of windows that cover images `[batch, rows, columns, channels]`, as many as the output has pixels.
    ///
    /// Of `n` rows, window `i` of `k` has those from `i * n / k`, rounded down, to `(i + 1) * n / k`, rounded up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AdaptiveAveragePooling2D;
    /// let layer = AdaptiveAveragePooling2D::new(3).data_format("channels_first");
    /// assert_eq!(layer.call(tf::ones([1, 4, 5, 7])).shape(), [1, 4, 3, 3]);
    /// ```
    AdaptiveAveragePooling2D("adaptive_average_pooling2d", 2) = Average, sizes "rows and columns, one number or two"
}

adaptive! {
    /// The means of windows that cover volumes `[batch, planes, rows, columns, channels]`, as many as the output has cells.
    ///
    /// Of `n` planes, window `i` of `k` has those from `i * n / k`, rounded down, to `(i + 1) * n / k`, rounded up.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::AdaptiveAveragePooling3D;
    /// assert_eq!(AdaptiveAveragePooling3D::new((1, 2, 3)).call(tf::ones([1, 5, 7, 4, 3])).shape(), [1, 1, 2, 3, 3]);
    /// ```
    AdaptiveAveragePooling3D("adaptive_average_pooling3d", 3) = Average, sizes "planes, rows and columns, one number or three"
}

/// One axis after the other: windows are boxes, so means of means are the means, and maxima of maxima the maxima.
#[track_caller]
fn pooled(core: &Core, batch: Batch, x: &Tensor, sizes: PerAxis, kind: Kind) -> Result<Tensor> {
    // A mean of means would be rounded to 16 bits several times.
    let wide = if kind == Kind::Average { x.dtype().compute() } else { x.dtype() };
    let mut y = cast_to(x, wide)?;
    for (at, &size) in sizes.numbers().iter().enumerate() {
        let axis = batch.first() + at;
        if x.shape().dim(axis) == Dim::ZERO {
            let expected = format!("at least one cell in dimension {axis}");
            return Err(misfit(core.name(), "there is nothing to pool", x.ty(), expected));
        }
        y = along(&y, axis, size as usize, kind)?;
    }
    cast_to(&y, x.dtype())
}

#[track_caller]
fn along(x: &Tensor, axis: usize, size: usize, kind: Kind) -> Result<Tensor> {
    let own = x.shape().dim(axis);
    if own == Dim::known(size) {
        return Ok(x.clone());
    }
    let reduce = |x: &Tensor, axes| match kind {
        Kind::Max => x.try_reduce_max(axes),
        Kind::Average => x.try_reduce_mean(axes),
    };
    if let Some(n) = own.known_value().filter(|n| n.is_multiple_of(size)) {
        // Windows lie side by side: one fold makes all.
        let apart = x.shape().with(axis, size)?.insert(axis + 1, n / size)?;
        let y = reduce(&reshape_to(x, &apart)?, keep_dims(axis as isize + 1))?;
        return reshape_to(&y, &x.shape().with(axis, size)?);
    }
    let mut windows = Vec::with_capacity(size);
    for i in 0..size {
        let (begin, end) = ((own * i).floor_div(size), (own * (i + 1)).ceil_div(size));
        let mut from = vec![Dim::ZERO; x.rank()];
        from[axis] = begin;
        let window = engine::try_slice(x, Shape::from_dims(&from)?, x.shape().with(axis, end - begin)?)?;
        windows.push(reduce(&window, keep_dims(axis as isize))?);
    }
    engine::try_concat(&windows, axis as isize)
}
