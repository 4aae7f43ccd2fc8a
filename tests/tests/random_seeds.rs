//! Gamma, Poisson, binomial and categorical numbers from states that move on, seeds from a `SeedGenerator`, and the layer that owns one:
//! what repeats them, what does not, and that checkpoints go on with them. The global state is one for the process, so tests take turns.

use eagerflow as tf;
use eagerflow_engine::library::{SavedState, StateValue};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tf::layers::Dropout;
use tf::random::{self, Generator, SeedGenerator};
use tf::train::Checkpoint;
use tf::{DType, Duplicate, GradientTape, Module, Tensor};

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wide(x: &Tensor) -> Vec<f64> {
    x.cast(DType::F64).to_vec()
}

/// One draw of each law from the global state.
fn draws() -> Vec<Vec<f64>> {
    let (alpha, rates) = (tf::constant([0.5, 3.0]), tf::constant([2.0, 50.0]));
    let logits = tf::constant([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]);
    let (gamma, poisson) = (random::gamma([5], &alpha, &tf::constant(2.0)), random::poisson([3, 2], &rates));
    let classes = random::categorical(&logits, 20);
    assert_eq!((gamma.shape(), gamma.dtype()), (&tf::Shape::new(&[5, 2]).unwrap(), DType::F32));
    assert_eq!((poisson.shape(), poisson.dtype()), (&tf::Shape::new(&[3, 2, 2]).unwrap(), DType::F32));
    assert_eq!((classes.shape(), classes.dtype()), (&tf::Shape::new(&[2, 20]).unwrap(), DType::I64));
    [gamma, poisson, classes].iter().map(wide).collect()
}

#[test]
fn the_global_seed_repeats_the_numbers() {
    let _alone = alone();
    random::set_seed(3);
    let (first, second) = (draws(), draws());
    for (a, b) in first.iter().zip(&second) {
        assert_ne!(a, b);
    }
    random::set_seed(3);
    assert_eq!((draws(), draws()), (first.clone(), second));
    random::set_seed(4);
    assert_ne!(draws()[0], first[0]);
    // A seed of its own has a stream of its own.
    let seeded = || wide(&random::try_poisson([4], tf::constant(30.0), DType::I32, Some(9)).unwrap());
    let numbers = (seeded(), seeded());
    assert_ne!(numbers.0, numbers.1);
    random::set_seed(4);
    draws();
    assert_eq!((seeded(), seeded()), numbers);
}

#[test]
fn the_saved_state_repeats_the_numbers() {
    let _alone = alone();
    random::set_seed(5);
    draws();
    let global = random::global();
    let state: StateValue = global.save().unwrap();
    let next = draws();
    draws();
    global.commit(global.prepare(&state).unwrap());
    assert_eq!(draws(), next);
}

#[tf::tf_function]
fn traced(alpha: &Tensor, rates: &Tensor) -> (Tensor, Tensor, Tensor) {
    let logits = tf::constant([[0.0, 1.0, 2.0]]);
    (random::gamma([5], alpha, &tf::constant(1.0)), random::poisson([3], rates), random::categorical(&logits, 30))
}

#[test]
fn traced_draws_move_on() {
    let _alone = alone();
    let call = || {
        let (a, b, c) = traced(&tf::constant([0.7, 2.0]), &tf::constant([20.0, 80.0]));
        [wide(&a), wide(&b), wide(&c)]
    };
    random::set_seed(6);
    let state = || random::global().save().unwrap();
    call();
    let (saved, first, second) = (state(), call(), call());
    (0..3).for_each(|law| assert_ne!(first[law], second[law], "law {law}"));
    let global = random::global();
    global.commit(global.prepare(&saved).unwrap());
    assert_eq!((call(), call()), (first, second));
}

#[test]
fn refused_draws_leave_the_state() {
    let _alone = alone();
    random::set_seed(7);
    let next = draws();
    random::set_seed(7);
    let one = tf::constant(1.0);
    assert!(random::try_gamma([2], &tf::constant(1), &tf::constant(1), None).is_err());
    assert!(random::try_gamma([2], &one, &Tensor::from(1.0f64), None).is_err());
    assert!(random::try_poisson([2], &one, DType::U8, None).is_err());
    assert!(random::try_categorical(&one, 2, DType::I64, None).is_err());
    assert!(random::try_categorical(tf::zeros([2, 2]), 2, DType::F32, None).is_err());
    assert_eq!(draws(), next);
    let generator = Generator::from_seed(1);
    let before = generator.state().to_vec::<i64>();
    assert!(generator.try_binomial([3], &tf::ones([2]), &one, DType::I32).is_err());
    assert!(generator.try_binomial([2], &one, &one, DType::U8).is_err());
    assert_eq!(generator.state().to_vec::<i64>(), before);
}

#[test]
fn gradients_flow_to_the_parameters_of_gamma_numbers() {
    let _alone = alone();
    let alpha = tf::constant([0.5, 30.0]);
    let mut tape = GradientTape::unwatched();
    tape.watch(&alpha);
    let slope = tape.gradient(&random::gamma([2000], &alpha, &tf::constant(2.0)).mean(), &alpha).to_vec::<f32>();
    // The mean of all is (0.5 + 30) / 2 / 2.
    assert!(slope.iter().all(|slope| (slope - 0.25).abs() < 0.03), "{slope:?}");
}

#[test]
fn generators_draw_binomial_numbers() {
    let draw = |g: &Generator| wide(&g.binomial([500, 2], &tf::constant([10.0, 300.0]), &tf::constant(0.4)));
    let generator = Generator::from_seed(12);
    let (first, second) = (draw(&generator), draw(&generator));
    assert_ne!(first, second);
    let again = Generator::from_seed(12);
    assert_eq!((draw(&again), draw(&again)), (first.clone(), second));
    for (column, count) in [10.0, 300.0].into_iter().enumerate() {
        let mean = first.iter().skip(column).step_by(2).sum::<f64>() / 500.0;
        assert!((mean - 0.4 * count).abs() < 5.0 * (0.24 * count / 500.0).sqrt(), "{mean}");
    }
}

#[derive(Module, Duplicate)]
struct Noisy {
    seeds: SeedGenerator,
    drop: Dropout,
}

impl Noisy {
    fn new(seed: i64) -> Self {
        Self { seeds: SeedGenerator::new(seed), drop: Dropout::new(0.5).seed(seed + 1) }
    }

    fn call(&self) -> [Vec<f32>; 2] {
        let noise = random::stateless_normal([4], self.seeds.next(), 0.0, 1.0);
        [noise.to_vec(), self.drop.call_training(tf::ones([64]), true).to_vec()]
    }
}

#[tf::tf_function]
fn noisy(module: &Noisy, x: &Tensor) -> (Tensor, Tensor) {
    let noise = random::stateless_normal([4], module.seeds.next(), 0.0, 1.0);
    (noise, module.drop.call_training(x, true))
}

fn traced_call(module: &Noisy) -> [Vec<f32>; 2] {
    let (a, b) = noisy(module, &tf::ones([64]));
    [a.to_vec(), b.to_vec()]
}

#[test]
fn seeds_are_those_of_the_first() {
    let (a, b) = (SeedGenerator::new(5), SeedGenerator::new(5));
    let seeds: Vec<Vec<i64>> = (0..4).map(|_| a.next().to_vec()).collect();
    assert_eq!((a.next().dtype(), a.next().shape()), (DType::I64, &tf::Shape::new(&[2]).unwrap()));
    assert_eq!((0..4).map(|_| b.next().to_vec::<i64>()).collect::<Vec<_>>(), seeds);
    (1..4).for_each(|i| assert!(!seeds[..i].contains(&seeds[i])));
    let (some, others) = (SeedGenerator::from_entropy(), SeedGenerator::from_entropy());
    assert_ne!(some.next().to_vec::<i64>(), others.next().to_vec::<i64>());
}

#[test]
fn traced_calls_take_the_same_seeds_as_eager_ones() {
    let (eager, graph) = (Noisy::new(2), Noisy::new(2));
    let numbers: Vec<_> = (0..3).map(|_| eager.call()).collect();
    (0..2).for_each(|part| assert_ne!(numbers[0][part], numbers[1][part]));
    assert_eq!((0..3).map(|_| traced_call(&graph)).collect::<Vec<_>>(), numbers);
}

#[test]
fn clones_share_and_duplicates_go_on_alone() {
    let module = Noisy::new(8);
    module.call();
    let copy = module.duplicate();
    let (first, second) = (module.call(), module.call());
    assert_eq!((copy.call(), copy.call()), (first, second));
    let (one, two) = (SeedGenerator::new(1), SeedGenerator::new(1));
    let shared = one.clone();
    shared.next();
    two.next();
    assert_eq!(one.next().to_vec::<i64>(), two.next().to_vec::<i64>());
}

#[test]
fn checkpoints_go_on_with_the_seeds() {
    let directory = std::env::temp_dir().join(format!("eagerflow-seeds-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let module = Noisy::new(3);
    module.call();
    traced_call(&module);
    let paths: Vec<String> = module.named_variables().into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["seeds", "drop/seed_generator"]);
    assert!(module.trainable_variables().is_empty());
    let path = Checkpoint::new().with("module", &module).durable(false).write(directory.join("all")).unwrap();
    let next: Vec<_> = (0..2).map(|_| (module.call(), traced_call(&module))).collect();
    // Another program has another seed, and drew and traced before it restored.
    let other = Noisy::new(77);
    assert_ne!(other.call(), next[0].0);
    traced_call(&other);
    Checkpoint::new().with("module", &other).restore(&path).unwrap();
    assert_eq!((0..2).map(|_| (other.call(), traced_call(&other))).collect::<Vec<_>>(), next);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn a_seeded_layer_leaves_the_global_stream() {
    let _alone = alone();
    random::set_seed(1);
    let plain = random::uniform([3], 0.0, 1.0).to_vec::<f32>();
    random::set_seed(1);
    let layer = Dropout::new(0.5).seed(4);
    layer.call_training(tf::ones([8]), true);
    assert_eq!(random::uniform([3], 0.0, 1.0).to_vec::<f32>(), plain);
    // One without a seed has a state of its own, too, of which `set_seed` tells the numbers.
    let draws = || {
        random::set_seed(1);
        let layers = [Dropout::new(0.5), Dropout::new(0.5)];
        let drawn = layers.map(|layer| layer.call_training(tf::ones([50]), true).to_vec::<f32>());
        assert_eq!(random::uniform([3], 0.0, 1.0).to_vec::<f32>(), plain);
        drawn
    };
    let [first, second] = draws();
    assert_ne!(first, second);
    assert_eq!(draws(), [first, second]);
}
