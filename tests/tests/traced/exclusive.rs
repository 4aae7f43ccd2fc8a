//! `&mut` parameters: what a traced function writes through them, called from Rust and inside of other traced functions.

#![allow(clippy::ptr_arg, reason = "a list that grows is a `Vec`")]

use eagerflow as tf;
use tf::{GradientTape, Module, Nest, Tensor, Variable, tf_function};

/// A tensor that each call changes, in a branch.
#[tf_function]
fn accumulate(sum: &mut Tensor, x: &Tensor) -> Tensor {
    if x > 0.0 {
        *sum = &*sum + x;
    }
    &*sum * 2.0
}

fn twice(x: &Tensor, y: &Tensor) -> (Tensor, Tensor) {
    let mut sum = x * 1.5;
    let first = accumulate(&mut sum, y);
    let second = accumulate(&mut sum, &(y * x));
    (first * second, sum)
}

#[derive(Clone, Nest)]
struct State {
    hidden: Tensor,
    memory: (Tensor, Vec<Tensor>),
    steps: usize,
    #[nest(skip)]
    name: String,
}

fn state(x: &Tensor) -> State {
    State { hidden: x.clone(), memory: (x * 2.0, vec![x + 1.0, x.clone()]), steps: 3, name: "state".into() }
}

/// Fields, elements, jumps: what is written is what the way has written that is taken.
#[tf_function]
fn jumps(state: &mut State, x: &Tensor) -> Tensor {
    state.hidden = &state.hidden + x;
    if x > 2.0 {
        state.memory.0 = x * 3.0;
        return state.hidden.clone();
    }
    state.memory.1[1] = &state.memory.1[0] * &state.hidden;
    while &state.hidden < 4.0 {
        state.hidden = &state.hidden * 0.5 + 2.5;
        if &state.hidden > 3.0 {
            state.memory.0 = state.hidden.sin();
            return x * 0.5;
        }
    }
    state.hidden = -&state.hidden;
    x * &state.memory.1[1]
}

fn run_jumps(x: &Tensor, y: &Tensor) -> (Tensor, State) {
    let mut state = state(x);
    (jumps(&mut state, y), state)
}

/// Inside of other traced functions: in a loop, and in both branches.
#[tf_function]
fn nested(x: &Tensor, n: &Tensor) -> (Tensor, Tensor) {
    let mut sum = x.clone();
    let mut last = x.clone();
    let mut state = state(x);
    for i in tf::range(0, n, 1) {
        last = accumulate(&mut sum, &(x - i.cast(tf::DType::F32)));
        if &last > 1.0 {
            last = &last * jumps(&mut state, &sum);
        } else {
            accumulate(&mut state.hidden, x);
        }
    }
    (sum * &state.hidden, last + &state.memory.0)
}

impl State {
    /// A method by `&mut self`, with a closure and a helper that change it.
    #[tf_function]
    fn step(&mut self, x: &Tensor) -> Tensor {
        let scaled = |t: &Tensor| if t > &self.hidden { t * 2.0 } else { t.clone() };
        let y = scaled(x);
        if &y > 1.0 {
            self.hidden = &self.hidden * &y;
            self.forget();
        }
        println!("hidden {:.2}", self.hidden);
        y
    }

    fn forget(&mut self) {
        self.memory.0 = tf::zeros_like(&self.memory.0);
    }

    /// Reads its tensors by `&self`.
    #[tf_function]
    fn read(&self, x: &Tensor) -> Tensor {
        if x > &self.hidden { &self.hidden + &self.memory.0 } else { x * &self.memory.1[0] }
    }
}

fn step_twice(x: &Tensor) -> (Tensor, State) {
    let mut state = state(x);
    let y = state.step(x) + state.step(&(x + 2.0));
    (y, state)
}

fn read_twice(x: &Tensor) -> Tensor {
    let mut state = state(x);
    let first = state.read(&(x + 0.5));
    state.hidden = x * 4.0;
    first + state.read(&(x + 0.5))
}

/// A host value and a list that grow with each call: part of the structure, another trace for each.
#[tf_function]
fn history(all: &mut Vec<Tensor>, calls: &mut usize, x: &Tensor) {
    all.push(if x > 1.0 { x.clone() } else { x * 2.0 });
    *calls += 1;
}

fn three(x: &Tensor) -> Vec<Tensor> {
    let (mut all, mut calls) = (Vec::new(), 0);
    for _ in 0..3 {
        history(&mut all, &mut calls, x);
    }
    assert_eq!((all.len(), calls), (3, 3));
    all
}

/// A list, a pattern over a reference, a reference that is handed on and one that is bound again.
#[tf_function]
fn lists(all: &mut Vec<Tensor>, (a, b): &mut (Tensor, Tensor), x: &Tensor) {
    let first = &mut *all;
    for t in first.iter_mut() {
        if &*t > x {
            *t = &*t - x;
        }
    }
    std::mem::swap(a, b);
    if x > 0.5 {
        *a = &*a + &all[0];
        change(all);
    }
}

fn change(all: &mut [Tensor]) {
    all[1] = &all[1] * 3.0;
}

fn run_lists(x: &Tensor, y: &Tensor) -> (Vec<Tensor>, (Tensor, Tensor)) {
    let (mut all, mut pair) = (vec![x.clone(), x * 3.0], (x.clone(), y.clone()));
    lists(&mut all, &mut pair, y);
    (all, pair)
}

/// Generic, and beside a variable that it changes too.
#[tf_function]
fn generic<T: Nest + Clone>(value: &mut T, with: &T, v: &Variable, c: &Tensor) {
    if c {
        *value = with.clone();
        v.assign_add(tf::constant(1.0));
    }
}

#[derive(Module)]
struct Counter(Variable);

fn run_generic(counter: &Counter, x: &Tensor) -> (Tensor, (Tensor, usize)) {
    let (mut a, mut b) = (x.clone(), (x.clone(), 4));
    generic(&mut a, &(x * 2.0), &counter.0, &tf::greater(x, 1.0));
    generic(&mut b, &(x * 3.0, 4), &counter.0, &tf::less(x, 3.0));
    (a, b)
}

#[test]
fn tensors_and_structures() {
    eager_vs_graph!({ twice(x, y) }; (x, y) in [(1.0, 2.0), (2.0, -1.0), (-1.0, 2.0)]);
    eager_vs_graph!({ run_jumps(x, y) }; (x, y) in [(1.0, 3.0), (0.5, 1.0), (2.0, 1.5), (9.0, 0.5)]);
    eager_vs_graph!({ run_lists(x, y) }; (x, y) in [(1.0, 2.0), (0.5, 0.25), (5.0, 1.0)]);
    eager_vs_graph!({ run_generic(c, x) }; c = Counter(Variable::new(0.0)); x in [1.0, 2.0, 4.0]);
    eager_vs_graph!({ three(x) }; x in [1.0, 2.0]);
}

#[test]
fn methods() {
    eager_vs_graph!({ step_twice(x) }; x in [1.0, -1.0, 3.0]);
    eager_vs_graph!({ read_twice(x) }; x in [1.0, -1.0]);
}

#[test]
fn inside_of_other_traces() {
    eager_vs_graph!(nested(x, n); (x, n) in [(1.0, 3), (0.25, 2), (4.0, 5), (1.0, 0)]);
}

/// One trace serves all calls, and what is not changed stays the very tensor, which a tape goes on to know.
#[test]
fn calls() {
    for x in [1.0, 3.0, 0.25] {
        let mut state = state(&tf::constant(x));
        state.name = format!("of {x}");
        let _ = steps(&mut state, &tf::constant(1.0));
        assert_eq!((state.steps, state.name), (3, format!("of {x}")), "what is no tensor stays the user's");
    }
    assert_eq!(tf::function(steps).trace_count(), 1);

    let mut kept = tf::constant([1.0, 2.0]);
    let mut tape = GradientTape::new();
    tape.watch(&kept);
    let y = unchanged(&mut kept);
    assert_eq!(tape.gradient(&y, &kept).to_vec::<f32>(), [2.0, 4.0]);
}

#[tf_function]
fn steps(state: &mut State, x: &Tensor) -> Tensor {
    state.hidden = &state.hidden + x;
    if x > 2.0 {
        state.memory.0 = x * 3.0;
        return state.hidden.clone();
    }
    while &state.hidden < 4.0 {
        state.hidden = &state.hidden * 0.5 + 2.5;
    }
    x * &state.memory.1[1]
}

#[tf_function]
fn unchanged(x: &mut Tensor) -> Tensor {
    tf::reduce_sum(x.square(), ())
}

/// A call that fails has written nothing, neither the first one nor later ones.
#[tf_function]
fn fails(x: &mut Tensor, limit: &Tensor) -> tf::Result<()> {
    *x = &*x + 1.0;
    assert!(&*x < limit);
    Ok(())
}

#[test]
fn a_call_that_fails() {
    let limit = tf::constant(3.0);
    for _ in 0..2 {
        let mut x = tf::constant(5.0);
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fails(&mut x, &limit)));
        assert!(failed.is_err());
        assert_eq!(x.item::<f32>(), 5.0);
        x = tf::constant(1.0);
        fails(&mut x, &limit).unwrap();
        assert_eq!(x.item::<f32>(), 2.0);
    }
}

/// An `Err` of the host gives the trace up, and with it what was written.
#[tf_function]
fn refuses(x: &mut Tensor, refuse: bool) -> tf::Result<()> {
    *x = &*x + 1.0;
    if refuse {
        return Err(tf::Error::invalid_argument("refuses", "it was told to"));
    }
    Ok(())
}

/// Inside of another trace, which goes on, it stays.
#[tf_function]
fn goes_on(x: &Tensor, refuse: bool) -> Tensor {
    let mut x = x.clone();
    let refused = refuses(&mut x, refuse);
    if refused.is_err() { x * 10.0 } else { x }
}

#[test]
fn errors_of_the_host() {
    let mut x = tf::constant(1.0);
    assert!(refuses(&mut x, true).is_err());
    assert_eq!(x.item::<f32>(), 1.0);
    refuses(&mut x, false).unwrap();
    assert_eq!(x.item::<f32>(), 2.0);
    assert_eq!(goes_on(&x, true).item::<f32>(), 30.0);
    assert_eq!(goes_on(&x, false).item::<f32>(), 3.0);
}

/// A host value that differs between two ways out is named.
#[tf_function]
fn disagrees(state: &mut State, x: &Tensor) -> Tensor {
    if x > 0.0 {
        state.steps += 1;
        return x.clone();
    }
    -x
}

#[test]
fn host_values_must_agree() {
    let mut state = state(&tf::constant(1.0));
    let run = std::panic::AssertUnwindSafe(|| disagrees(&mut state, &tf::constant(1.0)));
    let error = std::panic::catch_unwind(run).unwrap_err();
    let text = error.downcast_ref::<String>().expect("a text");
    assert!(text.contains("state.steps") && text.contains(" returns and here"), "{text}");
}
