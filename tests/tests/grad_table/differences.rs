//! Order 1 and 2 against finite differences along a random direction, in `float64`, and forward mode against reverse.
//! The output goes through a function that is not linear, so that second derivatives show.

use crate::program::Program;
use crate::report;
use crate::samples::{self, Sample};
use eagerflow::{Result, Tensor};
use eagerflow_tests::golden::Array;
use eagerflow_tests::random::Random;

#[test]
fn first_and_second_order_match_differences() {
    let complaints = samples::all().iter().filter_map(|sample| check(sample).err()).collect();
    report(complaints);
}

/// The step of the differences; Richardson's rule leaves an error of its fourth power.
const STEP: f64 = 1e-3;
/// How far derivatives may lie apart, relative to the largest around.
const FIRST: f64 = 2e-8;
const SECOND: f64 = 2e-7;

/// Everything this file checks, of one sample.
pub fn check(sample: &Sample) -> std::result::Result<(), String> {
    let name = format!("{} {}", sample.name, sample.attrs);
    let failed = |e: eagerflow::Error| format!("{name}: {e}");
    let point = Point::new(sample).map_err(failed)?;
    let first = point.along(&point.slope().map_err(failed)?, &point.v);
    let numeric = derivative(|t| point.at(t, &point.v).loss()).map_err(failed)?;
    close(&name, "order 1", first, numeric, FIRST)?;
    let forward = point.program.forward(&point.tensors(), &point.weights, &point.v).map_err(failed)?;
    close(&name, "forward mode", forward, first, FIRST)?;
    let second = point.program.curvature(&point.tensors(), &point.weights, &point.v).map_err(failed)?;
    let second = point.along(&second, &point.u);
    let slope_along = |moved: Point<'_>| Ok(moved.along(&moved.slope()?, &moved.v));
    let numeric = derivative(|t| slope_along(point.at(t, &point.u))).map_err(failed)?;
    close(&name, "order 2", second, numeric, SECOND)
}

fn close(name: &str, what: &str, got: f64, want: f64, bound: f64) -> std::result::Result<(), String> {
    if (got - want).abs() <= bound * (1.0 + got.abs().max(want.abs())) {
        return Ok(());
    }
    Err(format!("{name}: {what} is {got}, expected {want}"))
}

/// The derivative at 0 of a function of one number, by central differences and one step of Richardson's rule.
fn derivative(f: impl Fn(f64) -> Result<f64>) -> Result<f64> {
    let central = |h: f64| Ok::<_, eagerflow::Error>((f(h)? - f(-h)?) / (2.0 * h));
    Ok((4.0 * central(STEP / 2.0)? - central(STEP)?) / 3.0)
}

/// Inputs with two random directions.
struct Point<'a> {
    program: &'a Program,
    x: Vec<Array>,
    weights: Vec<Array>,
    v: Vec<Option<Array>>,
    u: Vec<Option<Array>>,
}

impl Point<'_> {
    fn new(sample: &Sample) -> Result<Self> {
        let program = Box::leak(Box::new(sample.program()));
        let x = sample.arrays();
        let mut random = Random::new(x.len() as u64 + 99);
        let mut like = |array: &Array| array_like(array, &mut random, 0.4, 1.2);
        let tensors: Vec<Tensor> = x.iter().map(Array::tensor).collect();
        let weights = program.run(&tensors)?.iter().map(|y| like(&Array::of(y))).collect();
        let mut direction = || x.iter().map(|a| a.dtype.is_floating().then(|| like(a))).collect();
        let (v, u) = (direction(), direction());
        Ok(Self { program, x, weights, v, u })
    }

    fn tensors(&self) -> Vec<Tensor> {
        self.x.iter().map(Array::tensor).collect()
    }

    fn loss(&self) -> Result<f64> {
        self.program.host_loss(&self.x, &self.weights)
    }

    fn slope(&self) -> Result<Vec<Option<Tensor>>> {
        self.program.slope(&self.tensors(), &self.weights)
    }

    /// The point moved along a direction.
    fn at(&self, t: f64, along: &[Option<Array>]) -> Point<'_> {
        let moved = |(x, d): (&Array, &Option<Array>)| match d {
            None => x.clone(),
            Some(d) => {
                let data = x.to_f64().iter().zip(d.to_f64()).map(|(x, d)| x + t * d).collect();
                Array::floats(x.dtype, &x.shape, data)
            }
        };
        let x = self.x.iter().zip(along).map(moved).collect();
        Point { program: self.program, x, weights: self.weights.clone(), v: self.v.clone(), u: self.u.clone() }
    }

    /// The inner product of gradients with a direction; a missing gradient is zero.
    fn along(&self, gradients: &[Option<Tensor>], direction: &[Option<Array>]) -> f64 {
        let pairs = gradients.iter().zip(direction).filter_map(|(g, d)| Some((g.as_ref()?, d.as_ref()?)));
        pairs.map(|(g, d)| Array::of(g).to_f64().iter().zip(d.to_f64()).map(|(g, d)| g * d).sum::<f64>()).sum()
    }
}

/// Random numbers of either sign and of a size between two bounds, in the type of an array.
pub fn array_like(array: &Array, random: &mut Random, low: f64, high: f64) -> Array {
    let number = |_| random.uniform(low, high) * if random.one_in(2) { 1.0 } else { -1.0 };
    Array::floats(array.dtype, &array.shape, (0..array.len()).map(number).collect())
}
