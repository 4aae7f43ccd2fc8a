//! Random programs: element-wise operations, reductions, views, products, variables and loops, as plans and one by one.
//! The seed of a program that differs is in the message.

use super::tests::{operands, plan, record, same, staged_while};
use crate as tf;
use crate::graph::run;
use crate::ir::sizes::Sizes;
use crate::op::Outputs;
use crate::tensor::Tensor;
use crate::{GradientTape, Variable};

/// A small generator of its own.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

fn unary(which: usize, x: &Tensor) -> Tensor {
    match which {
        0 => tf::tanh(x),
        1 => tf::exp(&(x * 0.1)),
        2 => x.square() * 0.5,
        3 => -x,
        4 => tf::relu(x),
        5 => x * 1.0,
        6 => tf::sigmoid(x) - 0.5,
        _ => tf::abs(x) + 0.25,
    }
}

fn binary(which: usize, x: &Tensor, y: &Tensor) -> Tensor {
    match which {
        0 => x + y,
        1 => x - y,
        2 => x * y,
        3 => tf::maximum(x, y),
        4 => x / (tf::abs(y) + 1.0),
        _ => tf::where_(&tf::less(x, y), x, &(y * 0.5)),
    }
}

/// With another first row, which another row is, or is added to it.
fn changed(which: usize, x: &Tensor, row: usize) -> Tensor {
    let (first, other) = (tf::constant([[0]]), tf::expand_dims(x.at(row), 0));
    match which {
        0 => tf::tensor_scatter_nd_update(x, &first, &other),
        1 => tf::tensor_scatter_nd_update(x, &first, &tf::tanh(&other)),
        _ => tf::tensor_scatter_nd_add(x, &first, &other),
    }
}

/// One more value, made of those that are there.
fn grow(dice: &mut Dice, values: &mut Vec<Tensor>) {
    let x = values[dice.roll(values.len())].clone();
    let y = values[dice.roll(values.len())].clone();
    let fits = |x: &Tensor, y: &Tensor| {
        let (a, b) = (x.shape().dims(), y.shape().dims());
        a.iter().rev().zip(b.iter().rev()).all(|(p, q)| p == q || *p == 1 || *q == 1)
    };
    let value = match dice.roll(16) {
        0..=3 => unary(dice.roll(8), &x),
        4..=7 if fits(&x, &y) => binary(dice.roll(6), &x, &y),
        8 if x.rank() > 0 => {
            let axis = dice.roll(x.rank()) as isize;
            match dice.roll(5) {
                0 => tf::reduce_sum(&x, axis),
                1 => tf::reduce_max(&x, tf::keep_dims(axis)),
                2 => tf::reduce_mean(&x, ()),
                3 => tf::reduce_mean(&x, tf::keep_dims(axis)),
                _ => tf::reduce_sum(&x, tf::keep_dims(())),
            }
        }
        9 if x.rank() == 2 => tf::transpose(&x, []),
        10 if x.rank() == 2 => tf::matmul(&x, &tf::transpose(&x, [])) * 0.1,
        10 if x.rank() > 0 => tf::reverse(&x, [0]),
        11 if x.rank() > 0 => x.reshape([-1isize]),
        12 if x.rank() > 0 => x.at(dice.roll(x.shape().dims()[0])),
        13..=15 if x.rank() > 0 => changed(dice.roll(3), &x, dice.roll(x.shape().dims()[0])),
        _ => &x + 0.5,
    };
    if value.num_elements() <= 20_000 {
        values.push(value);
    }
}

const SHAPES: [&[usize]; 8] = [&[], &[6], &[5, 6], &[5, 1], &[4, 5, 6], &[70, 30], &[1, 6], &[9001]];

fn start(dice: &mut Dice) -> Vec<Tensor> {
    (0..3).map(|i| super::tests::noise(SHAPES[dice.roll(8)], i + dice.roll(1000) as u64)).collect()
}

#[test]
fn random_programs_are_the_same_as_plans() {
    for seed in 0..250 {
        let mut dice = Dice(seed * 7919 + 1);
        let inputs = start(&mut dice);
        let w = Variable::new(super::tests::noise(SHAPES[dice.roll(8)], seed));
        let examples: Vec<&Tensor> = inputs.iter().collect();
        let (graph, captures) = record(&examples, |p| {
            let mut tape = GradientTape::persistent();
            let mut values = p.to_vec();
            values.push(w.value());
            tape.watch(p);
            for _ in 0..4 + dice.roll(20) {
                match dice.roll(12) {
                    0 => {
                        let last = values[values.len() - 1].clone();
                        w.assign_add(&(w.value() * 0.1 + tf::reduce_mean(&last, ())));
                        values.push(w.value());
                    }
                    1 => {
                        let n = tf::constant(dice.roll(4) as i32);
                        let (zero, x) = (tf::constant(0), values[dice.roll(values.len())].clone());
                        let which = [dice.roll(8), dice.roll(6), dice.roll(6)];
                        let out = staged_while(
                            &[&zero, &x, &x, &n],
                            |v| tf::less(&v[0], &v[3]),
                            |v| {
                                let next = match v[1].rank() > 0 && which[2] < 3 {
                                    true => changed(which[2], &v[2], 0) + v[1].at(0),
                                    false => binary(which[1], &unary(which[0], &v[1]), &v[2]),
                                };
                                vec![&v[0] + 1, v[2].clone(), next, v[3].clone()]
                            },
                        );
                        values.push(out.unwrap().remove(2));
                    }
                    _ => grow(&mut dice, &mut values),
                }
            }
            let loss = tf::reduce_sum(&values[values.len() - 1], ());
            let mut results = vec![loss.clone(), values[dice.roll(values.len())].clone(), w.value()];
            if dice.roll(2) == 0 {
                results.extend(p.iter().filter_map(|x| tape.gradient_or_none(&loss, x)));
            }
            results
        });
        let plan = plan(&graph);
        let before = w.value().to_dense().unwrap();
        let mut answers: Vec<Outputs> = Vec::new();
        for planned in [false, true, true] {
            w.assign(&before);
            let inputs = operands(&examples, &captures);
            let mut results = match planned {
                true => plan.run(inputs).unwrap(),
                false => run::run(&graph, inputs, &Sizes::default()).unwrap(),
            };
            results.push(w.value());
            answers.push(results);
        }
        let equal = std::panic::catch_unwind(|| {
            same(&answers[1], &answers[0]);
            same(&answers[2], &answers[0]);
        });
        assert!(equal.is_ok(), "seed {seed}:\n{}", crate::ir::print::print(&graph));
    }
}
