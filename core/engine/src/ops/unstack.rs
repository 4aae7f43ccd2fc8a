//! `unstack`: the slices along an axis as tensors without it, views without a copy; dx is the dy stacked again.
//! TensorFlow's `tf.unstack`.

use super::split::{check_parts, join, part_layout};
use super::{pinned_size, public, reshape_to};
use kernels::dtype::DTypes;
use kernels::error::Result;
use crate::execute::execute;
use crate::op::{Sizes, Gradient, Infer, Kind, Op, identity};
use kernels::shape::{Dim, MAX_RANK, resolve_axis};
use crate::tape::Backward;
use crate::tensor::{Layout, Tensor, TensorType};

/// One output per slice.
#[derive(Clone)]
struct Unstack {
    axis: usize,
    num: usize,
}

impl Op for Unstack {
    identity!("unstack", { "axis": Int = |this| this.axis as i64, "num": Int = |this| this.num as i64 });

    fn kind(&self) -> Kind {
        Kind::View
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::ALL)?;
        let (shape, num) = (cx.shape(0).remove(self.axis), Dim::known(self.num));
        if cx.shape(0).dim(self.axis) != num {
            cx.constraints.push(cx.shape(0).dim(self.axis), num);
        }
        (0..self.num).for_each(|_| cx.output(cx.dtype(0), shape));
        Ok(())
    }

    fn view(&self, input: &TensorType, strides: &[isize], output: &TensorType) -> Option<Layout> {
        self.views(input, strides, std::slice::from_ref(output))?.pop()
    }

    fn views(&self, _: &TensorType, strides: &[isize], outputs: &[TensorType]) -> Option<Vec<Layout>> {
        let layout = |(i, part): (usize, &TensorType)| {
            let mut layout = part_layout(strides, i, self.axis, part);
            layout.strides.copy_within(self.axis + 1..MAX_RANK, self.axis);
            layout
        };
        Some(outputs.iter().enumerate().map(layout).collect())
    }

    fn sizes(&self, inputs: &[&Sizes], _: &[&TensorType], output: usize) -> Option<Sizes> {
        Some(Sizes::from_elem(*inputs[0].get(output)?, 1))
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let row = g.input_type(0).shape.with(self.axis, Dim::ONE)?;
        join(g, self.axis, &vec![Dim::ONE; self.num], |dy| reshape_to(dy, &row))
    }
}

public! {
    /// The slices along `axis`, each without that axis. No element is copied.
    ///
    /// While a function is recorded, the size along the axis is read as a number.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let rows = tf::unstack(&tf::constant([[1, 2], [3, 4]]), 0);
    /// assert_eq!(rows[1].to_vec::<i32>(), [3, 4]);
    /// ```
    pub fn unstack, try_unstack(x, axis: isize) -> Vec<Tensor> {
        let axis = resolve_axis("unstack", axis, x.rank())?;
        let num = pinned_size("unstack", x.shape(), axis)?;
        check_parts("unstack", num)?;
        match num {
            0 => Ok(Vec::new()),
            _ => Ok(execute(&Unstack { axis, num }, &[x])?.into_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::ops::differences::{check, numbers};
    use crate::__testing::{Naming, record_open};

    #[test]
    fn the_gradient_joins_the_slices_once() {
        let x = numbers(1, &[100, 8]);
        for used in [100, 10] {
            let gradient = |x: &[tf::Tensor]| {
                let mut tape = tf::GradientTape::new();
                tape.watch(x);
                let sum = tf::unstack(&x[0], 0)[..used].iter().fold(tf::Tensor::from(0.0f64), |sum, row| sum + row);
                Ok(vec![tape.gradient(&sum, &x[0])])
            };
            let trace = record_open(std::slice::from_ref(&x), Naming::BySize, gradient).unwrap();
            let whole = trace.operations().iter().filter(|name| matches!(**name, "concat" | "slice_back" | "fill")).count();
            // The joined tensor, the cotangent of the sum, and one filler for all slices that are not used.
            assert_eq!(whole, if used == 100 { 2 } else { 3 }, "{:?}", trace.operations());
            let dx = trace.run(std::slice::from_ref(&x)).unwrap()[0].to_vec::<f64>();
            assert!(dx.iter().enumerate().all(|(i, &v)| v == if i / 8 < used { 1.0 } else { 0.0 }));
        }
    }

    #[test]
    fn views_with_gradients() {
        for axis in [0, 1, -1] {
            let f = |x: &[tf::Tensor]| &tf::unstack(&x[0], axis)[1] * &tf::unstack(&x[0], axis)[0];
            check(&f, &[numbers(1, &[2, 3, 2])]);
        }
        let x = tf::ones([20, 30]);
        let rows = tf::unstack(&x, 0);
        assert_eq!(rows[0].data(), x.data());
        assert!(tf::unstack(&tf::ones([0, 3]), 0).is_empty() && tf::try_unstack(&tf::constant(1), 0).is_err());
    }
}
