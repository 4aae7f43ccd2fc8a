//! `Adafactor`: means of squares of a matrix kept as one number for each row and each column.
//! Keras's `Adafactor`: the means and the step's size by operations, the move by a rule.

use super::common::{Common, Method, Parts, Step};
use super::rules::Scaled;
use super::shared::{made_with_a_rate, shared_options};
use super::slots::{Start, ZEROS, slot_names};
use engine::library::options::{self, options};
use engine::library::{SlotName, apply_rule, cast_to};
use engine::{Duplicate, Tensor, keep_dims, try_expand_dims, try_maximum, try_minimum, try_pow, try_reduce_mean};
use engine::{try_sqrt, try_square};
use kernels::error::Result;
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// Steps as large as the variable asks for, with little memory beside it.
///
/// ```
/// use eagerflow as tf;
/// use tf::optim::{Adafactor, Optimizer};
/// let optimizer = Adafactor::new(0.1);
/// let w = [tf::Variable::new([[2.0, -2.0], [2.0, 2.0]])];
/// optimizer.apply_gradients(&[tf::ones([2, 2])].into_iter().collect(), &w);
/// assert!((w[0].value().to_vec::<f32>()[0] - 1.8).abs() < 1e-5);
/// ```
#[derive(Debug, Duplicate)]
pub struct Adafactor {
    common: Common,
    beta_2_decay: f64,
    epsilon_1: f64,
    epsilon_2: f64,
    clip_threshold: f64,
    relative_step: bool,
}

made_with_a_rate!(
    Adafactor,
    0.001,
    |common| Self {
        common,
        beta_2_decay: -0.8,
        epsilon_1: 1e-30,
        epsilon_2: 1e-3,
        clip_threshold: 1.0,
        relative_step: true,
    },
    NAMES
);
shared_options!(Adafactor { beta_2_decay, epsilon_1, epsilon_2, clip_threshold, relative_step });

const NAMES: &[SlotName] = slot_names!("r" "_r" 2, "c" "_c" 2, "v" "_v" 2);

impl Adafactor {
    /// Whether the rate is at most one over the root of the step's number; yes unless set. It is so in any case, as in Keras, whose
    /// formula takes that minimum once more.
    pub fn relative_step(mut self, relative_step: bool) -> Self {
        self.relative_step = relative_step;
        self
    }
}

options! { Adafactor:
    /// The power of the step's number by which older squares fade, -0.8 unless set: at most 0.
    pub fn beta_2_decay, try_beta_2_decay(this, power: f64) {
        this.beta_2_decay = options::not_above_zero("Adafactor", "beta_2_decay", power)?;
        Ok(this)
    }

    /// What is added to squares, 1e-30 unless set: 0 or more.
    pub fn epsilon_1, try_epsilon_1(this, epsilon: f64) {
        this.epsilon_1 = options::magnitude("Adafactor", "epsilon_1", epsilon)?;
        Ok(this)
    }

    /// The least size that a variable counts as, 0.001 unless set: 0 or more.
    pub fn epsilon_2, try_epsilon_2(this, epsilon: f64) {
        this.epsilon_2 = options::magnitude("Adafactor", "epsilon_2", epsilon)?;
        Ok(this)
    }

    /// The root mean square that a step has at most, 1 unless set: above 0.
    pub fn clip_threshold, try_clip_threshold(this, most: f64) {
        this.clip_threshold = options::positive("Adafactor", "clip_threshold", most)?;
        Ok(this)
    }
}

/// A shape without one of its last two axes; a scalar where there are not two, for which Keras keeps a zero.
fn without(shape: &Shape, from_the_end: usize) -> Shape {
    let rank = shape.rank();
    let left = shape.iter().enumerate().filter(|(axis, _)| rank >= 2 && axis + from_the_end != rank);
    let left: Vec<Dim> = left.map(|(_, dim)| dim).collect();
    // Fewer axes than there were are not too many.
    Shape::from_dims(&left).unwrap_or(*shape)
}

fn rows(shape: &Shape) -> Shape {
    without(shape, 1)
}

fn columns(shape: &Shape) -> Shape {
    without(shape, 2)
}

#[track_caller]
fn root_mean_square(x: &Tensor) -> Result<Tensor> {
    try_sqrt(try_reduce_mean(try_square(x)?, ())?)
}

impl Method for Adafactor {
    fn common(&self) -> &Common {
        &self.common
    }

    fn parts(&self) -> Parts {
        Parts::Squares
    }

    #[track_caller]
    fn update(&self, step: &Step<'_>) -> Result<()> {
        let kinds = [(2, Start::Shaped(rows)), (3, Start::Shaped(columns)), (4, ZEROS)];
        let [r, c, v] = self.common.slots.of(kinds, step.variables)?;
        let number = step.number()?;
        let rate = try_minimum(step.rate, 1.0 / try_sqrt(&number)?)?;
        let kept = 1.0 - try_pow(&number, Tensor::from(self.beta_2_decay as f32))?;
        let (mut changes, mut rates) = (Vec::new(), Vec::new());
        for (i, variable) in step.variables.iter().enumerate() {
            let of = |x: &Tensor| cast_to(x, variable.dtype());
            let (rate, kept, gradient) = (of(&rate)?, of(&kept)?, &step.gradients[i]);
            let squares = match step.parts {
                Some(parts) => &parts[i] + self.epsilon_1,
                None => try_square(gradient)? + self.epsilon_1,
            };
            let mixed = |old: Tensor, new: Tensor| &kept * old + (1.0 - &kept) * new;
            let mean = if variable.shape().rank() >= 2 {
                let row = mixed(r[i].value(), try_reduce_mean(&squares, -1)?);
                let column = mixed(c[i].value(), try_reduce_mean(&squares, -2)?);
                r[i].try_assign(&row)?;
                c[i].try_assign(&column)?;
                let share = &row / try_reduce_mean(&row, keep_dims(-1))?;
                try_expand_dims(share, -1)? * try_expand_dims(column, -2)?
            } else {
                mixed(v[i].value(), squares)
            };
            v[i].try_assign(&mean)?;
            let size = try_maximum(root_mean_square(&variable.value())?, self.epsilon_2)?;
            let change = gradient / try_sqrt(&mean)?;
            let length = match step.parts {
                Some(parts) => try_sqrt(try_reduce_mean(&parts[i] / mean, ())?)?,
                None => root_mean_square(&change)?,
            };
            rates.push(size * rate / try_maximum(length / self.clip_threshold, 1.0)?);
            changes.push(change);
        }
        apply_rule(&(Arc::new(Scaled) as _), &[], step.variables, &[], &[&changes, &rates])
    }
}
