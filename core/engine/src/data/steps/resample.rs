//! The stage that changes how often the classes of elements come: `rejection_resample`, which lets elements of classes that are too
//! frequent go. How frequent each is, is told or counted as elements come.

use super::one_input;
use super::shuffle::Draws;
use crate::data::cardinality::Cardinality;
use crate::data::function::{Calls, StepFunction};
use crate::data::order::{Order, SharedOrder};
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::Saved;
use crate::module::StateWriter;
use crate::op::Outputs;
use crate::tensor::TensorType;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use std::panic::Location;
use std::sync::Arc;

/// Each class counts as seen so often before the first element, as in TensorFlow, so that the first ones decide little.
const SMOOTHING: u64 = 10;

pub(in crate::data) struct RejectionResample {
    pub before: Arc<dyn Stage>,
    /// Of an element; gives its class.
    pub class: StepFunction,
    /// The shares that classes are to have.
    pub target: Arc<[f64]>,
    /// Those that they have; counted where they are not told.
    pub initial: Option<Arc<[f64]>>,
    pub order: SharedOrder,
    /// The type of a class, where it is known.
    pub class_type: Option<TensorType>,
}

impl Stage for RejectionResample {
    fn begin(&self, mut from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let calls = self.class.calls(from.as_deref_mut())?;
        let (draws, counts) = match from.as_deref_mut() {
            Some(from) => {
                let draws = Draws::resume(from)?;
                (draws, self.target.iter().map(|_| from.number()).collect::<Result<Vec<_>>>()?)
            }
            None => {
                let Order { seed, passes } = self.order.take(true);
                (Draws::new(seed, passes, 0), vec![SMOOTHING; self.target.len()])
            }
        };
        let before = Values::begin(&self.before, from)?;
        let (target, initial, location) = (self.target.clone(), self.initial.clone(), self.class.location);
        Ok(Box::new(Resampling { before, calls, draws, counts, target, initial, location }))
    }

    fn cardinality(&self) -> Cardinality {
        match self.before.cardinality() {
            Cardinality::Infinite => Cardinality::Infinite,
            _ => Cardinality::Unknown,
        }
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        let class = self.class_type?;
        Some(std::iter::once(class).chain(self.before.types()?).collect())
    }

    one_input!();

    fn describe(&self) -> String {
        format!("rejection_resample({:?}, {:?})", self.target, self.initial)
    }

    fn orders(&self) -> Vec<&SharedOrder> {
        vec![&self.class.order, &self.order]
    }
}

struct Resampling {
    before: Values,
    calls: Calls,
    draws: Draws,
    counts: Vec<u64>,
    target: Arc<[f64]>,
    initial: Option<Arc<[f64]>>,
    location: &'static Location<'static>,
}

impl Resampling {
    /// A number from 0 up to 1, of 53 bits.
    fn draw(&mut self) -> f64 {
        (self.draws.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The share of a class's elements that goes on: how many times more often than now it shall come, by the greatest such number.
    fn accepted(&self, class: usize) -> f64 {
        let sum = self.counts.iter().sum::<u64>() as f64;
        let now = |i: usize| self.initial.as_ref().map_or(self.counts[i] as f64 / sum, |initial| initial[i]);
        let ratio = |i: usize| self.target[i] / (now(i) + f64::MIN_POSITIVE);
        ratio(class) / (0..self.target.len()).map(ratio).fold(f64::MIN_POSITIVE, f64::max)
    }

    fn class_of(&self, given: &Outputs) -> Result<usize> {
        let wrong = |what: &str| Error::invalid_argument("rejection_resample", what.to_owned());
        let expected = || format!("an integer scalar from 0 to {}", self.target.len() - 1);
        let class = match &given[..] {
            [class] if class.rank() == 0 && class.dtype().is_integer() => {
                class.try_cast(DType::I64)?.try_item::<i64>()?
            }
            _ => {
                let got: Vec<String> = given.iter().map(|t| t.ty().to_string()).collect();
                return Err(wrong("the function gives no class").got(got.join(", ")).expected(expected()));
            }
        };
        let known = usize::try_from(class).ok().filter(|class| *class < self.target.len());
        known.ok_or_else(|| wrong("there is no share for this class").got(class).expected(expected()))
    }
}

impl Pass for Resampling {
    fn next(&mut self) -> Result<Option<Item>> {
        while let Some(values) = self.before.next()? {
            let given = self.calls.call(values.clone())?;
            let class = self.class_of(&given).map_err(|error| error.at(self.location))?;
            if self.initial.is_none() {
                self.counts[class] += 1;
            }
            if self.draw() < self.accepted(class) {
                let element: Outputs = given.into_iter().chain(values).collect();
                return Ok(Some(Item::Values(element)));
            }
        }
        Ok(None)
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        self.calls.save(to);
        self.draws.save(to);
        self.counts.iter().for_each(|&count| to.number(count));
        self.before.save(to)
    }
}

/// Shares of classes, checked: numbers of 0 or more whose sum is 1.
pub(in crate::data) fn shares(what: &str, shares: &[f64]) -> Result<Arc<[f64]>> {
    let sum: f64 = shares.iter().sum();
    if shares.iter().all(|share| *share >= 0.0) && (sum - 1.0).abs() < 1e-3 {
        return Ok(shares.into());
    }
    Err(Error::invalid_argument("rejection_resample", format!("`{what}` are no shares of classes"))
        .got(format!("{shares:?}, whose sum is {sum}"))
        .expected("a number of 0 or more for each class, whose sum is 1"))
}

/// A tensor that is a class, for the element's type.
pub(in crate::data) fn class_type(results: &[TensorType]) -> Option<TensorType> {
    results.first().copied()
}

#[cfg(test)]
mod tests {
    use crate as tf;
    use crate::data::{Dataset, Resample};
    use crate::tensor::Tensor;

    fn of_classes(resampled: &Dataset<(Tensor, Tensor)>, count: usize) -> Vec<f64> {
        let mut seen = [0; 3];
        for (class, element) in resampled.take(count).iter() {
            assert_eq!(class.item::<i64>(), element.item::<i64>() % 10 / 4);
            seen[class.item::<i64>() as usize] += 1;
        }
        seen.iter().map(|&seen| f64::from(seen) / count as f64).collect()
    }

    #[test]
    fn classes_come_as_they_shall() {
        // Of ten numbers four are of class 0, four of class 1, two of class 2.
        let numbers = Dataset::counter(0, 1);
        let class = |n: Tensor| tf::floordiv(&tf::floormod(&n, &Tensor::from(10_i64)), &Tensor::from(4_i64));
        for (how, target) in [
            (Resample::to([0.2, 0.2, 0.6]).seed(1), [0.2, 0.2, 0.6]),
            (Resample::to([0.0, 0.5, 0.5]).from([0.4, 0.4, 0.2]).seed(2), [0.0, 0.5, 0.5]),
            (Resample::to([0.4, 0.4, 0.2]).from([0.4, 0.4, 0.2]).seed(3), [0.4, 0.4, 0.2]),
        ] {
            let found = of_classes(&numbers.rejection_resample(class, how), 4000);
            assert!(found.iter().zip(target).all(|(a, b)| (a - b).abs() < 0.04), "{found:?} for {target:?}");
        }
        let text = |how: tf::Result<Resample>| how.err().unwrap().to_string();
        assert!(text(Resample::try_to([0.5, 0.6])).contains("sum is 1.1"));
        assert!(text(Resample::to([0.5, 0.5]).try_from([1.0])).contains("2"));
        let outside = numbers.rejection_resample(|n: Tensor| n, Resample::to([1.0]));
        let mut pass = outside.iter();
        assert!(pass.try_next().is_ok());
        let error = pass.try_next().unwrap_err().to_string();
        assert!(error.contains("no share for this class") && error.contains("resample.rs"), "{error}");
    }

    #[test]
    fn it_goes_on_where_it_stood() {
        let numbers = Dataset::range(200);
        let set = numbers.rejection_resample(|n: Tensor| n % 2, Resample::to([0.9, 0.1]).seed(4));
        let list = || set.iter().map(|(_, n)| n.item::<i64>()).collect::<Vec<_>>();
        let (first, second) = (list(), list());
        assert_ne!(first, second, "each pass has draws of its own");
        assert!(first.len() < 150 && first.iter().filter(|&&n| n % 2 == 1).count() < first.len() / 3);
    }
}
