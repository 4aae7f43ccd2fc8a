//! Random programs: what they compute follows from a seed alone, so that a traced function and single operations run the same.
//! `traced.rs` makes and times them.

use eagerflow as tf;
use tf::{GradientTape, Padding, Tensor};

/// A generator of numbers: SplitMix64.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len())]
    }
}

/// Where a program's operands come from: made while it runs for the first time, given in each further run.
pub enum Operands<'a> {
    Made(&'a mut Vec<Tensor>),
    Given(std::slice::Iter<'a, Tensor>),
}

impl Operands<'_> {
    fn next(&mut self, shape: &[usize], scale: f32) -> Tensor {
        match self {
            Self::Made(all) => {
                all.push(crate::inputs::numbers(all.len() as u32 + 1, shape) * scale);
                all[all.len() - 1].clone()
            }
            Self::Given(all) => all.next().expect("as many operands as the first run made").clone(),
        }
    }
}

/// What a run answers, and the names of its operations.
pub struct Run {
    pub results: Vec<Tensor>,
    pub told: String,
}

/// The shape of the first operand, from a thousand to a million elements.
fn first_shape(dice: &mut Dice) -> Vec<usize> {
    match dice.roll(4) {
        0 => vec![dice.of(&[1_000, 10_000, 65_536, 300_000, 1_000_000])],
        1 => vec![dice.of(&[32, 128, 512, 1000]), dice.of(&[32, 64, 100, 256, 512, 1000])],
        2 => vec![dice.of(&[4, 8, 16]), dice.of(&[16, 50, 64, 128]), dice.of(&[16, 64, 96, 128])],
        _ => vec![dice.of(&[1, 4, 8]), dice.of(&[8, 14, 28, 32]), dice.of(&[8, 14, 28, 32]), dice.of(&[3, 8, 16, 32])],
    }
}

/// Elements, each for itself or with another of the same place.
fn chain(dice: &mut Dice, x: &Tensor, before: &Tensor, operands: &mut Operands<'_>) -> (&'static str, Tensor) {
    let channels = last(x);
    match dice.roll(10) {
        0 => ("tanh", tf::tanh(x)),
        1 => ("sigmoid", tf::sigmoid(x)),
        2 => ("relu", tf::relu(x)),
        3 => ("exp(-x²)", tf::exp(-x.square())),
        4 => ("sqrt(x²+1)", tf::sqrt(x.square() + 1.0)),
        5 => ("x*0.5+0.1", x * 0.5 + 0.1),
        6 => ("scaled", x * operands.next(&[channels], 2.0)),
        7 => ("shifted", x + operands.next(&[channels], 1.0)),
        8 if before.shape() == x.shape() => ("x+before", x + before),
        9 if before.shape() == x.shape() => ("x*before", x * before),
        _ => ("gelu", tf::nn::gelu(x, false)),
    }
}

fn last(x: &Tensor) -> usize {
    *x.shape().dims().last().expect("programs have no scalars")
}

/// What looks along axes, and keeps the shape.
fn rows(dice: &mut Dice, x: &Tensor, operands: &mut Operands<'_>) -> (&'static str, Tensor) {
    let channels = last(x);
    match dice.roll(6) {
        0 => ("softmax", tf::softmax(x, -1)),
        1 => ("log_softmax", tf::log_softmax(x, -1) * 0.1),
        2 => ("centred", x - tf::reduce_mean!(x, axis = -1, keepdims = true)),
        3 => ("over its maximum", x - tf::reduce_max!(x, axis = -1, keepdims = true)),
        4 => ("centred along the first axis", x - tf::reduce_mean!(x, axis = 0, keepdims = true)),
        _ => {
            let (scale, offset) = (operands.next(&[channels], 1.0), operands.next(&[channels], 1.0));
            ("layer_norm", tf::layer_normalization(x, -1, Some(&scale), Some(&offset), 1e-3))
        }
    }
}

/// What moves elements.
fn moves(dice: &mut Dice, x: &Tensor) -> (&'static str, Tensor) {
    let rank = x.rank();
    match dice.roll(3) {
        0 if rank > 1 => {
            let mut order: Vec<isize> = (0..rank as isize).collect();
            order.swap(rank - 1, rank - 2);
            ("transposed", tf::transpose(x, order))
        }
        1 if last(x).is_multiple_of(2) => {
            let halves = tf::split(x, 2, -1);
            ("halves swapped", tf::concat(&[&halves[1], &halves[0]], -1))
        }
        _ => {
            let part = last(x) / 4 * 3;
            ("slice", tf::split(x, [part, last(x) - part], -1).swap_remove(0))
        }
    }
}

/// A product or a convolution.
fn products(dice: &mut Dice, x: &Tensor, operands: &mut Operands<'_>) -> (&'static str, Tensor) {
    let inner = last(x);
    if x.rank() == 4 && inner <= 64 {
        let (size, outer) = (dice.of(&[1, 3, 5]), dice.of(&[8, 16, 32]));
        let filters = operands.next(&[size, size, inner, outer], 2.0 / (size as f32 * (inner as f32).sqrt()));
        return ("conv2d", tf::conv2d(x, filters, [1, 1], Padding::Same));
    }
    let outer = dice.of(&[16, 64, 100, 128]);
    if x.rank() > 1 && inner <= 1000 {
        return ("matmul", tf::matmul(x, operands.next(&[inner, outer], 3.0 / (inner as f32).sqrt())));
    }
    ("x*0.9", x * 0.9)
}

fn forward(dice: &mut Dice, operands: &mut Operands<'_>) -> (Tensor, String) {
    let mut x = operands.next(&first_shape(dice), 2.0);
    let (mut before, mut told) = (x.clone(), format!("{}", x.shape()));
    for _ in 0..3 + dice.roll(10) {
        let (name, next) = match dice.roll(10) {
            0..=4 => chain(dice, &x, &before, operands),
            5 | 6 => rows(dice, &x, operands),
            7 => moves(dice, &x),
            _ => products(dice, &x, operands),
        };
        before = std::mem::replace(&mut x, next);
        told = format!("{told}, {name}");
    }
    (x, told)
}

/// Runs the program of a seed: half of them answer the last value, the others a loss and the gradients of all operands.
pub fn run(seed: u64, mut operands: Operands<'_>, all: &[Tensor]) -> Run {
    let mut dice = Dice::new(seed);
    if dice.roll(2) == 0 {
        let (y, told) = forward(&mut dice, &mut operands);
        return Run { results: vec![y], told };
    }
    let mut tape = GradientTape::new();
    all.iter().for_each(|x| tape.watch(x));
    let (y, told) = forward(&mut dice, &mut operands);
    let loss = y.square().mean();
    let mut results: Vec<Tensor> = match all {
        [] => Vec::new(),
        all => tape.gradient(&loss, all).into_iter().flatten().collect(),
    };
    results.push(loss);
    Run { results, told: format!("{told}, and gradients") }
}
