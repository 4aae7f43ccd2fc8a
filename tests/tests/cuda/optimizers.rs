//! Every optimizer on a GPU: eager and traced steps give the CPU's numbers, and a step in flight waits for nothing on the host.
//! Rules run as one kernel for all variables; what prepares them are operations like others.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::optim::{
    Adadelta, Adafactor, Adagrad, Adam, AdamW, Adamax, Ftrl, Lamb, Lion, LossScaleOptimizer, Muon, Nadam, Optimizer,
    RMSprop, SGD, ScheduleFreeAdamW, schedules::CosineDecay,
};
use tf::{GradientTape, Module, Tensor, Variable, tf_function};

#[derive(Module)]
struct Training {
    optimizer: Box<dyn Optimizer>,
    variables: Vec<Variable>,
}

fn numbers(n: usize, seed: f32) -> Tensor {
    Tensor::from((0..n).map(|i| (i as f32 * 0.37 + seed).sin() * 2.0).collect::<Vec<_>>())
}

impl Training {
    fn new(optimizer: Box<dyn Optimizer>) -> Self {
        let shapes = [vec![6, 5], vec![700], vec![8, 3]];
        let make = |(i, shape): (usize, &Vec<i64>)| {
            let n = shape.iter().product::<i64>() as usize;
            Variable::with(tf::reshape(numbers(n, i as f32), shape.clone()), "weights", true)
        };
        Self { optimizer, variables: shapes.iter().enumerate().map(make).collect() }
    }

    fn step(&self, x: &Tensor, indices: &Tensor, sparse: bool) {
        let w = &self.variables;
        let tape = GradientTape::new();
        let scaled = |v: &Variable| tf::reduce_sum(v.value().square() * x + v.value() * 0.3, ());
        let rows = tf::reduce_sum(tf::embedding_lookup(&w[2], indices).square() * 0.5, ());
        let loss = self.optimizer.scale_loss(&(scaled(&w[0]) + scaled(&w[1]) + rows));
        let found = tape.gradient(&loss, &w[..]);
        match sparse {
            true => self.optimizer.apply_gradients(&found, w),
            false => self.optimizer.apply_gradients(&found.try_to_vec().unwrap().into_iter().collect(), w),
        }
    }
}

#[tf_function]
fn traced(t: &Training, x: &Tensor, indices: &Tensor) {
    t.step(x, indices, true);
}

#[tf_function]
fn traced_dense(t: &Training, x: &Tensor, indices: &Tensor) {
    t.step(x, indices, false);
}

#[test]
fn steps_are_those_of_the_cpu() {
    let Some(_gpu) = gpu() else { return };
    type Make = fn() -> Box<dyn Optimizer>;
    let all: [(&str, Make); 20] = [
        ("sgd", || Box::new(SGD::new(0.05))),
        ("momentum", || Box::new(SGD::new(0.05).momentum(0.9).nesterov(true))),
        ("adam", || Box::new(Adam::new(0.05))),
        ("amsgrad", || Box::new(Adam::new(0.05).amsgrad(true).clipnorm(0.5))),
        ("adamw", || Box::new(AdamW::new(0.05).weight_decay(0.1).global_clipnorm(1.0))),
        ("adamax", || Box::new(Adamax::new(0.05).clipvalue(0.3))),
        ("nadam", || Box::new(Nadam::new(0.05))),
        ("rmsprop", || Box::new(RMSprop::new(0.01).centered(true).momentum(0.5).epsilon(1e-2))),
        ("adagrad", || Box::new(Adagrad::new(0.05))),
        ("adadelta", || Box::new(Adadelta::new(1.0))),
        ("ftrl", || Box::new(Ftrl::new(0.05).l1_regularization_strength(0.01).beta(0.1))),
        ("adafactor", || Box::new(Adafactor::new(0.05))),
        ("lion", || Box::new(Lion::new(0.01))),
        ("lamb", || Box::new(Lamb::new(0.05))),
        ("muon", || Box::new(Muon::new(0.05))),
        ("schedule free", || Box::new(ScheduleFreeAdamW::new(0.05).warmup_steps(4))),
        ("schedule", || Box::new(Adam::new(CosineDecay::new(0.1, 10)))),
        ("averages", || Box::new(SGD::new(0.05).use_ema(true).ema_overwrite_frequency(2))),
        ("added up", || Box::new(Adam::new(0.05).gradient_accumulation_steps(2))),
        ("scaled", || Box::new(LossScaleOptimizer::new(SGD::new(0.05)).initial_scale(64.0).dynamic_growth_steps(2))),
    ];
    let indices = tf::constant([1, 3, 1, 7]);
    for (name, make) in all {
        for sparse in [true, false] {
            let run = |place: &str, in_graph: bool| {
                let _place = tf::device(place);
                let t = Training::new(make());
                for step in 0..5 {
                    let x = Tensor::from(0.5 + step as f32 * 0.1);
                    match (in_graph, sparse) {
                        (false, _) => t.step(&x, &indices, sparse),
                        (true, true) => traced(&t, &x, &indices),
                        (true, false) => traced_dense(&t, &x, &indices),
                    }
                }
                t.variables.iter().flat_map(|v| v.value().to_vec::<f32>()).collect::<Vec<f32>>()
            };
            let right = run("/cpu:0", false);
            for in_graph in [false, true] {
                let ours = run("/gpu:0", in_graph);
                for (i, (a, b)) in ours.iter().zip(&right).enumerate() {
                    let near = (a - b).abs() <= 2e-4 * b.abs().max(1.0);
                    assert!(near, "{name}, traced {in_graph}, rows {sparse}: element {i} is {a}, not {b}");
                }
            }
        }
    }
}
