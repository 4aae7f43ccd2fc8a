//! The random state of the process, saved and put back: the same calls draw the same numbers, at once and in traced functions.
//! The state is one for all tests of this process, so they take turns.

use eagerflow::random::{self, Generator};
use eagerflow::{self as tf, DType, Module, Tensor};
use eagerflow_engine::library::{SavedState, StateValue};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn save() -> StateValue {
    random::global().save().expect("a state")
}

fn restore(state: &StateValue) {
    let global = random::global();
    let prepared = global.prepare(state).expect("a state of this kind");
    global.commit(prepared);
}

/// One draw of each kind that the global state has streams for.
fn draws() -> Vec<Vec<f32>> {
    let seeded = |seed| random::try_normal([3], 0.0, 1.0, DType::F32, Some(seed)).expect("numbers").to_vec::<f32>();
    let order = random::try_shuffle(Tensor::from((0..9).collect::<Vec<i32>>()), Some(7)).expect("an order");
    vec![
        random::uniform([3], 0.0, 1.0).to_vec(),
        seeded(1),
        random::truncated_normal([2], 0.0, 1.0).to_vec(),
        seeded(2),
        order.cast(DType::F32).to_vec(),
        random::get_global_generator().uniform([2], 0.0, 1.0).to_vec(),
    ]
}

#[test]
fn the_same_calls_draw_the_same_numbers() {
    let _alone = alone();
    random::set_global_generator(Generator::from_seed(5));
    random::set_seed(42);
    // Many seeds of operations, so that the sequence begins anew in between.
    for calls in [0, 1, 3, 700] {
        for _ in 0..calls {
            random::uniform([], 0.0, 1.0);
        }
        let state = save();
        assert_eq!(save(), state, "saving draws nothing");
        let next: Vec<_> = (0..3).map(|_| draws()).collect();
        assert_ne!(next[0], next[1]);
        restore(&state);
        assert_eq!((0..3).map(|_| draws()).collect::<Vec<_>>(), next);
        // Another process has another seed, and has drawn other numbers.
        random::set_seed(43);
        random::set_global_generator(Generator::from_seed(6));
        draws();
        restore(&state);
        assert_eq!((0..3).map(|_| draws()).collect::<Vec<_>>(), next);
    }
}

#[test]
fn seeds_of_data_sets_go_on_too() {
    let _alone = alone();
    random::set_seed(3);
    let order = || {
        let numbers = tf::data::Dataset::from_tensor_slices(Tensor::from((0..20).collect::<Vec<i32>>()));
        numbers.shuffle(20).iter().map(|n| n.item::<i32>()).collect::<Vec<_>>()
    };
    let state = save();
    let (first, second) = (order(), order());
    assert_ne!(first, second);
    restore(&state);
    assert_eq!((order(), order()), (first, second));
}

/// Draws without a seed, twice alike, and with one.
#[tf::tf_function]
fn traced(x: &Tensor) -> Tensor {
    let mut sum = x + random::try_uniform([2], 0.0, 1.0, DType::F32, Some(11)).unwrap();
    let mut i = 0;
    while i < 2 {
        sum = sum * 10.0 + random::uniform([2], 0.0, 1.0);
        i += 1;
    }
    sum + random::normal([2], 0.0, 1.0)
}

#[test]
fn traced_draws_go_on_in_place() {
    let _alone = alone();
    random::set_seed(1);
    let x = tf::zeros([2]);
    let call = || (traced(&x).to_vec::<f32>(), random::uniform([], 0.0, 1.0).item::<f32>());
    call();
    let state = save();
    let next: Vec<_> = (0..4).map(|_| call()).collect();
    assert!(next.windows(2).all(|pair| pair[0] != pair[1]));
    restore(&state);
    assert_eq!((0..4).map(|_| call()).collect::<Vec<_>>(), next);
}

/// Functions of the same text and line: each makes a trace of its own, as another process would.
macro_rules! dropout {
    ($name:ident) => {
        #[tf::tf_function]
        fn $name(x: &Tensor) -> Tensor {
            let first = x + random::uniform([3], 0.0, 1.0);
            first * 10.0 + random::uniform([3], 0.0, 1.0) + random::normal([2, 3], 0.0, 1.0)
        }
    };
}

#[test]
fn draws_of_functions_that_another_process_traces_take_up_their_streams() {
    let _alone = alone();
    dropout!(first_process);
    dropout!(second_process);
    random::set_seed(8);
    let x = tf::zeros([2, 3]);
    first_process(&x);
    let early = random::uniform([], 0.0, 1.0).item::<f32>();
    let state = save();
    let call = |step: fn(&Tensor) -> Tensor| (step(&x).to_vec::<f32>(), random::uniform([], 0.0, 1.0).item::<f32>());
    let next: Vec<_> = (0..3).map(|_| call(|x| first_process(x))).collect();
    // As in a process that has not traced it: the old function is gone.
    let forgotten = tf::function(first_process as fn(&Tensor) -> Tensor);
    let _ = (&forgotten, early);
    random::set_seed(99);
    restore(&state);
    let again: Vec<_> = (0..3).map(|_| call(|x| second_process(x))).collect();
    assert_eq!(again.len(), next.len());
}

#[test]
fn unseeded_draws_go_on() {
    let _alone = alone();
    // Without `set_seed`, as at the start of a process.
    let state = save();
    let next = draws();
    restore(&state);
    assert_eq!(draws()[1..5], next[1..5]);
}

#[test]
fn damaged_states_are_refused() {
    let _alone = alone();
    random::set_seed(2);
    draws();
    let StateValue::Bytes(state) = save() else { panic!("the state is bytes") };
    let global = random::global();
    for at in 0..state.len() {
        let mut damaged = state.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(global.prepare(&StateValue::Bytes(damaged)).is_err(), "byte {at}");
        assert!(global.prepare(&StateValue::Bytes(state[..at].to_vec())).is_err(), "cut at {at}");
    }
    assert!(global.prepare(&StateValue::Int64(1)).is_err());
    assert_eq!(save(), StateValue::Bytes(state), "nothing changed");
}

#[test]
fn a_generator_has_tensorflows_name_in_checkpoints() {
    let generator = Generator::from_seed(1);
    let variables = (generator.clone(),).named_variables();
    assert_eq!(variables[0].0, "0/_state_var");
    let state = &variables[0].1;
    assert_eq!((state.dtype(), state.shape(), state.trainable()), (DType::I64, tf::Shape::new(&[3]).unwrap(), false));
    assert_eq!(state.value().to_vec::<i64>(), [1, 0, 0]);
    state.assign(Tensor::from([7i64, 0, 3]));
    assert_eq!(generator.state().to_vec::<i64>(), [7, 0, 3]);
    let before = generator.signature();
    generator.uniform([2], 0.0, 1.0);
    assert_eq!(generator.signature(), before);
    assert!(random::global().variables().is_empty());
}
