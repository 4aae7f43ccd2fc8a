//! The state rules of generators and of the global seed, and bad parameters.
//! Real TensorFlow's numbers are compared by the integration tests.

use crate as tf;
use crate::random::{self, Generator};
use crate::{DType, GradientTape, Tensor};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The global state is one for all threads of the test process.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn the_global_seed_gives_tensorflows_streams() {
    let _alone = alone();
    random::set_seed(42);
    let first = random::uniform([5], 0.0, 1.0).to_vec::<f32>();
    assert_eq!(first, [0.6645621, 0.44100678, 0.3528825, 0.46448255, 0.03366041]);
    assert_ne!(random::uniform([5], 0.0, 1.0).to_vec::<f32>(), first);
    // A refused call takes no seed from the sequence.
    random::set_seed(42);
    assert!(random::try_uniform_int([5], 3, 3, DType::I32, None).is_err());
    assert_eq!(random::uniform([5], 0.0, 1.0).to_vec::<f32>(), first);
}

#[test]
fn a_seeded_stream_goes_on_from_call_to_call() {
    let _alone = alone();
    random::set_seed(42);
    let order =
        |n: i32| random::try_shuffle(Tensor::from((0..n).collect::<Vec<_>>()), Some(7)).unwrap().to_vec::<i32>();
    assert_eq!(order(9), [7, 5, 1, 8, 6, 0, 4, 3, 2]);
    assert_eq!(order(9), [7, 6, 1, 2, 8, 5, 0, 3, 4]);
    assert_eq!(order(9), [7, 2, 6, 1, 4, 0, 3, 8, 5]);
    assert_eq!(order(4), [1, 0, 3, 2]);
    assert_eq!(order(100)[..5], [74, 39, 82, 55, 64]);
    assert_eq!(order(100)[..5], [66, 21, 75, 97, 48]);
    assert_eq!(order(9), [7, 4, 5, 3, 8, 6, 2, 1, 0]);
    let draw = || random::try_uniform_int([4], 0, i64::from(i32::MAX), DType::I32, Some(7)).unwrap().to_vec::<i32>();
    assert_eq!(draw(), [1743679276, 1700008141, 1820248629, 1433639123]);
    assert_eq!(draw(), [1553913957, 1034995864, 1538126945, 686596659]);
}

#[test]
fn unseeded_draws_differ() {
    let _alone = alone();
    assert_ne!(Generator::from_non_deterministic_state().key(), Generator::from_non_deterministic_state().key());
    let generator = random::get_global_generator();
    let before = generator.state().to_vec::<i64>();
    random::get_global_generator().skip(1);
    assert_ne!(generator.state().to_vec::<i64>(), before);
}

#[test]
fn refused_draws_leave_the_state() {
    let generator = Generator::from_seed(3);
    let state = || generator.state().to_vec::<i64>();
    assert!(generator.try_uniform([2], 1.0, 0.0, DType::F32).is_err());
    assert!(generator.try_uniform([2], 0.0, f64::NAN, DType::F32).is_err());
    assert!(generator.try_uniform([-2], 0.0, 1.0, DType::F32).is_err());
    assert!(generator.try_normal([2], 0.0, 1.0, DType::I32).is_err());
    assert!(generator.try_uniform_int([2], 5, 5, DType::I32).is_err());
    assert!(generator.try_uniform_int([2], 0, 1 << 40, DType::I32).is_err());
    assert!(generator.try_uniform_int([2], -1, 4, DType::U32).is_err());
    assert!(generator.try_uniform_int([2], 0, 4, DType::I8).is_err());
    assert!(generator.uniform_full_int([2], DType::F32).is_err());
    assert_eq!(state(), [3, 0, 0]);
    generator.uniform([5], 0.0, 1.0);
    assert_eq!(state(), [3 + 5 * 256, 0, 0]);
    generator.skip(2);
    assert_eq!(state(), [3 + 7 * 256, 0, 0]);
    assert!(generator.reset(Tensor::from([1i64, 2])).is_err());
    generator.reset_from_seed(-1).unwrap();
    assert_eq!(state(), [-1, -1, -1]);
}

#[test]
fn long_draws_do_not_depend_on_the_threads_parts() {
    let whole = random::stateless_normal([100_003], [3, 4], 0.0, 1.0).to_vec::<f32>();
    let mut part = vec![0f32; 9];
    let stream = kernels::backend::cpu::philox::Philox::from_seed([3, 4]);
    kernels::backend::cpu::philox::normal(stream, 100_003 - 9, 1.0, 0.0, &mut part);
    assert_eq!(whole[100_003 - 9..], part);
}

#[test]
fn seeds_are_checked() {
    assert!(random::try_stateless_uniform([2], &tf::constant([1, 2, 3]), 0.0, 1.0, DType::F32).is_err());
    assert!(random::try_stateless_uniform([2], &tf::constant([1.0, 2.0]), 0.0, 1.0, DType::F32).is_err());
    assert!(random::try_stateless_uniform([2], [1i64, 2], 0.0, 1.0, DType::BF16).is_ok());
    assert!(random::try_fold_in([1, 2], tf::constant([1, 2])).is_err());
    assert_eq!(random::split([0, 0], 3).to_vec::<i64>()[..2], [-6856063536328932722, -6061095977527908230]);
    assert_eq!(random::fold_in([0, 0], tf::constant(7)).to_vec::<i64>(), [-6856063536328932722, 7]);
}

#[test]
fn gradients_flow_through_a_shuffle() {
    let x = tf::constant([1.0, 2.0, 3.0]);
    let mut tape = GradientTape::new();
    tape.watch(&x);
    let y = random::stateless_shuffle(&x, [1, 2]) * tf::constant([1.0, 10.0, 100.0]);
    let shuffled = random::stateless_shuffle(&x, [1, 2]).to_vec::<f32>();
    let dx = tape.gradient(&y, &x).to_vec::<f32>();
    for (place, weight) in [1.0, 10.0, 100.0].into_iter().enumerate() {
        assert_eq!(dx[shuffled[place] as usize - 1], weight);
    }
}
