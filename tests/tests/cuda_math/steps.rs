//! Steps of optimizers: variables of all lengths and dtypes in one call, Adam's rate on the device, rows that repeat.

use crate::{agree, some};
use eagerflow as tf;
use eagerflow_tests::cuda::watched_gpu as gpu;
use tf::optim::{Adam, Optimizer, SGD};
use tf::{DType, GradientTape, Tensor, Variable};

/// Lengths around what a thread and a block take; more variables than one launch has room for.
const SHAPES: [&[usize]; 19] = [
    &[1],
    &[0],
    &[3],
    &[4],
    &[5, 7],
    &[1023],
    &[1024],
    &[1025],
    &[2, 600],
    &[7],
    &[8],
    &[9],
    &[2],
    &[6],
    &[33],
    &[17],
    &[3, 3],
    &[5000],
    &[11],
];

fn optimizers() -> Vec<Box<dyn Optimizer>> {
    vec![
        Box::new(SGD::new(0.1)),
        Box::new(SGD::new(0.1).momentum(0.9)),
        Box::new(SGD::new(0.1).momentum(0.9).nesterov(true)),
        Box::new(Adam::new(0.1)),
        Box::new(Adam::new(0.05).beta_1(0.8).beta_2(0.9).epsilon(1e-3)),
    ]
}

/// Three steps of every optimizer from these variables with the gradient of their squares' sum.
fn trained(starts: &[Tensor]) -> Vec<Tensor> {
    let mut results = vec![];
    for optimizer in optimizers() {
        let variables: Vec<Variable> = starts.iter().map(|x| Variable::new(x.clone())).collect();
        for _ in 0..3 {
            let tape = GradientTape::new();
            let sum = |w: &Variable| tf::cast(&tf::reduce_sum(&(w.value() * w.value()), ()), DType::F32);
            let loss = variables.iter().map(sum).reduce(|a, b| a + b).unwrap();
            let gradients = tape.gradient(&loss, &variables);
            optimizer.apply_gradients(&gradients, &variables);
        }
        results.extend(variables.iter().map(Variable::value));
    }
    results
}

#[test]
fn all_variables_of_a_step() {
    let Some(gpu) = gpu() else { return };
    let starts: Vec<Tensor> = SHAPES.iter().enumerate().map(|(i, s)| some(i as u64, DType::F32, s)).collect();
    agree(&gpu, &starts, 1e-6, trained);
}

#[test]
fn dtypes_may_differ() {
    let Some(gpu) = gpu() else { return };
    let dtypes = [DType::F32, DType::BF16, DType::F64, DType::F16, DType::F32];
    let starts: Vec<Tensor> = dtypes.iter().enumerate().map(|(i, &d)| some(i as u64, d, &[40 + i])).collect();
    agree(&gpu, &starts, 8e-3, trained);
    agree(&gpu, &starts[2..3], 1e-6, trained);
}

#[test]
fn a_step_of_many_variables_is_one_launch() {
    let Some(gpu) = gpu() else { return };
    let Some(emulation) = gpu.emulation else { return };
    let _there = tf::device("/gpu:0");
    let variables: Vec<Variable> = (0..10).map(|i| Variable::new(some(i, DType::F32, &[30]).gpu())).collect();
    let gradients: Vec<Tensor> = (0..10).map(|i| some(i + 20, DType::F32, &[30]).gpu()).collect();
    let optimizer = Adam::new(0.1);
    let step = || {
        let tape = GradientTape::new();
        let loss =
            variables.iter().zip(&gradients).map(|(w, g)| tf::reduce_sum(&(w.value() * g), ())).reduce(|a, b| a + b);
        let found = tape.gradient(&loss.unwrap(), &variables);
        tf::constant(0.0).gpu().item::<f32>();
        let before = emulation.counters().launches;
        optimizer.apply_gradients(&found, &variables);
        tf::constant(0.0).gpu().item::<f32>();
        emulation.counters().launches - before
    };
    step();
    // The number of the step goes up, the rate is corrected, and all variables change in one.
    let launches = step();
    assert!(launches <= 4, "{launches}");
}

#[test]
fn rows_change_as_often_as_they_are_named() {
    let Some(gpu) = gpu() else { return };
    for (dtype, within) in [(DType::F32, 1e-6), (DType::F64, 1e-14), (DType::BF16, 1.6e-2)] {
        let indices = Tensor::from(vec![3i32, 0, 3, 7, 3, 0]);
        agree(&gpu, &[some(1, dtype, &[8, 5]), indices], within, |x| {
            optimizers()
                .into_iter()
                .map(|optimizer| {
                    let w = Variable::new(x[0].clone());
                    for _ in 0..2 {
                        let tape = GradientTape::new();
                        let rows = tf::embedding_lookup(&w, &x[1]);
                        let loss = tf::reduce_sum(&(&rows * &rows), ());
                        let gradients = tape.gradient(&loss, &vec![w.clone()]);
                        optimizer.apply_gradients(&gradients, std::slice::from_ref(&w));
                    }
                    w.value()
                })
                .collect()
        });
    }
}
