//! Windows over the rows of tensors, as a source whose elements can be had in any order: `timeseries_dataset_from_array`.
//! A batch of windows is one gather, whatever the order is.

use crate::data::stage::Rows;
use crate::op::Outputs;
use crate::ops;
use crate::tensor::{Tensor, TensorType};
use kernels::error::Result;
use kernels::shape::{Dim, Shape};

pub(in crate::data) struct TimeWindows {
    pub data: Tensor,
    /// A row of it belongs to each window.
    pub targets: Option<Tensor>,
    pub count: usize,
    /// The row where the first window begins.
    pub start: usize,
    /// Rows from one window's begin to the next one's.
    pub stride: usize,
    /// Rows of a window.
    pub length: usize,
    /// Rows from one row of a window to the next.
    pub rate: usize,
}

impl TimeWindows {
    fn row_type(x: &Tensor) -> Shape {
        x.shape().remove(0)
    }

    /// The rows of windows by number.
    fn places(&self, windows: &[usize]) -> Vec<i64> {
        let begins = windows.iter().map(|window| self.start + window * self.stride);
        begins.flat_map(|begin| (0..self.length).map(move |step| (begin + step * self.rate) as i64)).collect()
    }

    /// Windows, under these axes in front of the window's.
    fn gathered(&self, windows: &[usize], front: &[usize]) -> Result<Outputs> {
        let mut axes = front.to_vec();
        axes.push(self.length);
        let places = Tensor::try_from_vec(self.places(windows), Shape::new(&axes)?)?;
        let mut all = Outputs::new();
        all.push(ops::functions::try_gather(&self.data, &places, 0)?);
        if let Some(targets) = &self.targets {
            let rows = windows.iter().map(|window| (self.start + window * self.stride) as i64).collect();
            all.push(ops::functions::try_gather(targets, &Tensor::try_from_vec(rows, Shape::new(front)?)?, 0)?);
        }
        Ok(all)
    }
}

impl Rows for TimeWindows {
    fn count(&self) -> usize {
        self.count
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        let window = Self::row_type(&self.data).insert(0, Dim::known(self.length)).ok()?;
        let mut types = vec![TensorType::new(self.data.dtype(), window)];
        types.extend(self.targets.iter().map(|t| TensorType::new(t.dtype(), Self::row_type(t))));
        Some(types)
    }

    fn row(&self, row: usize) -> Result<Outputs> {
        self.gathered(&[row], &[])
    }

    fn rows(&self, rows: &[usize]) -> Result<Outputs> {
        self.gathered(rows, &[rows.len()])
    }

    fn describe(&self) -> String {
        let targets = self.targets.as_ref().map(|t| t.ty().to_string());
        format!(
            "timeseries({}, {targets:?}, {} windows from {} by {}, {} rows by {})",
            self.data.ty(),
            self.count,
            self.start,
            self.stride,
            self.length,
            self.rate
        )
    }
}
