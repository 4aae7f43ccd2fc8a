//! Sources that compute numbers: `range`, whose elements can be had in any order, `counter` and `random`, which have no end.
//! Elements are `int64` scalars, as in TensorFlow.

use super::shuffle::Draws;
use crate::constant::try_constant_of;
use crate::data::cardinality::Cardinality;
use crate::data::order::{Order, SharedOrder};
use crate::data::stage::{Item, Pass, Rows, Stage};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use smallvec::smallvec;
use std::ops::Range;
use std::sync::Arc;

/// What `range` takes: an end, `start..end`, or `(start, end, step)`; numbers, or tensors of integers.
pub trait IntoRange {
    /// Start, end and step: `int64` scalars.
    #[doc(hidden)]
    #[track_caller]
    fn into_range(self) -> Result<[Tensor; 3]>;
}

/// A bound of a range: a number, or a tensor of one integer.
pub trait IntoBound {
    /// An `int64` scalar.
    #[doc(hidden)]
    #[track_caller]
    fn into_bound(self) -> Result<Tensor>;
}

impl IntoBound for Tensor {
    #[track_caller]
    fn into_bound(self) -> Result<Tensor> {
        bound(&self)
    }
}

impl IntoBound for &Tensor {
    #[track_caller]
    fn into_bound(self) -> Result<Tensor> {
        bound(self)
    }
}

#[track_caller]
fn bound(given: &Tensor) -> Result<Tensor> {
    match given.rank() == 0 && given.dtype().is_integer() {
        true => given.try_cast(DType::I64),
        false => {
            Err(Error::invalid_argument("range", "a bound is no integer").got(given.ty()).expected("an integer scalar"))
        }
    }
}

macro_rules! ends {
    ($($t:ty),*) => {$(
        impl IntoBound for $t {
            fn into_bound(self) -> Result<Tensor> {
                Ok(Tensor::from(i64::try_from(self).unwrap_or(i64::MAX)))
            }
        }

        impl IntoRange for $t {
            #[track_caller]
            fn into_range(self) -> Result<[Tensor; 3]> {
                (0i64, self, 1i64).into_range()
            }
        }
    )*};
}

ends!(i32, i64, usize);

impl IntoRange for Tensor {
    #[track_caller]
    fn into_range(self) -> Result<[Tensor; 3]> {
        (&self).into_range()
    }
}

impl IntoRange for &Tensor {
    #[track_caller]
    fn into_range(self) -> Result<[Tensor; 3]> {
        (0i64, self, 1i64).into_range()
    }
}

impl<T: IntoBound> IntoRange for Range<T> {
    #[track_caller]
    fn into_range(self) -> Result<[Tensor; 3]> {
        (self.start, self.end, 1i64).into_range()
    }
}

impl<A: IntoBound, B: IntoBound, C: IntoBound> IntoRange for (A, B, C) {
    #[track_caller]
    fn into_range(self) -> Result<[Tensor; 3]> {
        Ok([self.0.into_bound()?, self.1.into_bound()?, self.2.into_bound()?])
    }
}

/// Numbers at equal distances.
pub(in crate::data) struct Numbers {
    start: i64,
    step: i64,
    count: usize,
}

impl Numbers {
    /// Of start, end and step.
    pub fn new(bounds: &[Tensor]) -> Result<Self> {
        let [start, end, step] = bounds else { return Err(Error::internal("range", "three bounds are given")) };
        let (start, end, step) = (start.try_item::<i64>()?, end.try_item::<i64>()?, step.try_item::<i64>()?);
        if step == 0 {
            return Err(Error::invalid_argument("range", "the step is 0").expected("a step that leads to the end"));
        }
        // In more bits than the difference of two numbers can have.
        let (distance, stride) = (i128::from(end) - i128::from(start), i128::from(step));
        let count =
            if distance.signum() == stride.signum() { (distance.abs() + stride.abs() - 1) / stride.abs() } else { 0 };
        let count =
            usize::try_from(count).map_err(|_| Error::invalid_argument("range", "there are too many numbers"))?;
        Ok(Self { start, step, count })
    }

    fn at(&self, row: usize) -> i64 {
        self.start.wrapping_add(self.step.wrapping_mul(row as i64))
    }
}

impl Rows for Numbers {
    fn count(&self) -> usize {
        self.count
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        Some(vec![TensorType::scalar(DType::I64)])
    }

    fn row(&self, row: usize) -> Result<Outputs> {
        Ok(smallvec![try_constant_of(self.at(row), DType::I64)?])
    }

    fn rows(&self, rows: &[usize]) -> Result<Outputs> {
        let numbers: Vec<i64> = rows.iter().map(|&row| self.at(row)).collect();
        Ok(smallvec![Tensor::try_from_vec(numbers, rows.len())?])
    }

    fn describe(&self) -> String {
        format!("range({} from {} by {})", self.count, self.start, self.step)
    }
}

/// Numbers without an end.
pub(in crate::data) struct Counter {
    pub start: i64,
    pub step: i64,
}

impl Stage for Counter {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let next = from.map_or(Ok(self.start), |from| from.signed())?;
        Ok(Box::new(Counting { next, step: self.step }))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Infinite
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        Some(vec![TensorType::scalar(DType::I64)])
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &[]
    }

    fn describe(&self) -> String {
        format!("counter({}, {})", self.start, self.step)
    }
}

struct Counting {
    next: i64,
    step: i64,
}

impl Pass for Counting {
    fn next(&mut self) -> Result<Option<Item>> {
        let number = self.next;
        self.next = number.wrapping_add(self.step);
        Ok(Some(Item::Values(smallvec![try_constant_of(number, DType::I64)?])))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.signed(self.next);
        Ok(())
    }
}

/// Random numbers without an end, of 32 bits each.
pub(in crate::data) struct Random {
    pub order: SharedOrder,
    /// Whether each pass has numbers of its own.
    pub another: bool,
}

impl Stage for Random {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let draws = match from {
            Some(from) => Draws::resume(from)?,
            None => {
                let Order { seed, passes } = self.order.take(self.another);
                Draws::new(seed, passes, 0)
            }
        };
        Ok(Box::new(Drawing(draws)))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Infinite
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        Some(vec![TensorType::scalar(DType::I64)])
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &[]
    }

    fn describe(&self) -> String {
        format!("random{}", if self.another { "" } else { "(the same in all passes)" })
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.order]
    }
}

struct Drawing(Draws);

impl Pass for Drawing {
    fn next(&mut self) -> Result<Option<Item>> {
        let number = (self.0.next() >> 32) as i64;
        Ok(Some(Item::Values(smallvec![try_constant_of(number, DType::I64)?])))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.0.save(to);
        Ok(())
    }
}
