//! Closures, methods, generic functions, and traced functions that call one another.

use eagerflow as tf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tf::{Closure, DType, GradientTape, Module, Tensor, TensorArray, Variable, tf_function};

/// A closure with a `return` of its own, called twice.
#[tf_function]
fn closure(x: &Tensor) -> Tensor {
    let relu = |t: &Tensor| {
        if t > 0.0 {
            return t.clone();
        }
        tf::zeros_like(t)
    };
    relu(x) * 2.0 + relu(&-x) * 3.0
}

/// A loop in a closure, with a `break`.
#[tf_function]
fn loop_in_a_closure(x: &Tensor) -> Tensor {
    let grow = |t: Tensor, limit: f32| {
        let mut t = t;
        loop {
            if &t > limit {
                break t;
            }
            t = t * 2.0 + 0.5;
        }
    };
    grow(x.clone(), 5.0) + grow(x + 1.0, 3.0)
}

/// A closure that mentions references and a list which it captures, in branches of its own.
#[tf_function]
fn capturing_a_list(x: &Tensor, y: &Tensor) -> Tensor {
    let mut all = TensorArray::new(DType::F32, 2);
    all = all.write(0, x).write(1, y);
    let mix = |t: &Tensor| if t > y { t - y } else { t + x + all.read(1) };
    let mut z = x.clone();
    let mut i = tf::constant(0);
    while i < 4 {
        z = mix(&z) * 1.25;
        i = i + 1;
    }
    all = all.write(0, &z);
    all.stack()
}

/// A closure that uses captured references by value, in branches of the graph: it changes nothing, so it needs no `mut`.
#[tf_function]
fn capturing(x: &Tensor, y: &Tensor) -> Tensor {
    let mix = |t: &Tensor| if t > y { t - y } else { t + x };
    let mut z = x.clone();
    let mut i = tf::constant(0);
    while i < 4 {
        z = mix(&z) * 1.25;
        i = i + 1;
    }
    z
}

/// The same with references whose types are not seen, a `return` and a `break`.
#[tf_function]
fn capturing_parts(pair: (Tensor, Tensor)) -> Tensor {
    let parts = (&pair.0, &pair.1);
    let (a, b) = parts;
    let pick = |t: &Tensor| {
        if t > b {
            return t - b;
        }
        let mut z = t.clone();
        loop {
            if &z > 5.0 {
                z = z - a;
                break;
            }
            z = z + tf::maximum(b, 1.0);
        }
        if &z > a { z - a } else { z + b }
    };
    pick(a) * pick(b) + pick(&(a * 2.0))
}

/// A closure that gives away what it has captured, on both ways: it is called once.
#[tf_function]
fn giving_away(x: &Tensor) -> Tensor {
    let (all, one) = (vec![x.clone(), x * 2.0], x * 3.0);
    let give = move |t: &Tensor| if t > 0.0 { (all, one) } else { (vec![one.clone(), one.clone()], one) };
    let (all, one) = give(x);
    &all[0] * &all[1] + one
}

fn apply(f: impl Fn(&Tensor) -> Tensor, times: usize, x: &Tensor) -> Tensor {
    (0..times).fold(x.clone(), |x, _| f(&x))
}

/// Closures handed to functions of the host, and iterator chains.
#[tf_function]
fn handed_on(x: &Tensor) -> Tensor {
    let y = apply(|t| if t > 1.0 { t.sqrt() } else { t + 0.5 }, 3, x);
    let all: Vec<Tensor> = (1..4).map(|k| if x > k as f32 { x - k as f32 } else { x * k as f32 }).collect();
    all.iter().fold(y, |sum, t| sum + t)
}

#[derive(Module)]
struct Scale {
    factor: Variable,
    offset: Option<Variable>,
    power: u32,
    #[module(skip)]
    limit: f32,
}

impl Scale {
    fn new(factor: f32, offset: Option<f32>) -> Self {
        Self { factor: Variable::new(factor), offset: offset.map(Variable::new), power: 2, limit: 10.0 }
    }

    /// Reads variables, a setting and an option.
    #[tf_function]
    fn call(&self, x: &Tensor) -> Tensor {
        let mut y = x * &self.factor;
        for _ in 0..self.power {
            y = y * x;
        }
        if let Some(offset) = &self.offset {
            if &y > self.limit {
                return y;
            }
            y = y + offset;
        }
        y
    }

    /// Calls another method in a loop, and writes a variable.
    #[tf_function]
    fn repeated(&self, x: &Tensor, times: &Tensor) -> Tensor {
        let mut y = x.clone();
        for _ in tf::range(0, times, 1) {
            y = self.call(&y) * 0.25;
            self.factor.assign_add(&tf::constant(0.125));
        }
        y
    }

    /// An associated function without a receiver.
    #[tf_function]
    fn doubled(x: &Tensor) -> Tensor {
        if x > 0.0 { x * 2.0 } else { x - 2.0 }
    }
}

#[derive(Module)]
struct Stack<L> {
    layers: Vec<L>,
}

impl<L: Module + Layer> Stack<L> {
    /// Layers one after the other: a host loop over modules.
    #[tf_function]
    fn call(&self, x: &Tensor) -> Tensor {
        let mut x = x.clone();
        for layer in &self.layers {
            x = layer.run(&x);
            if &x > 30.0 {
                break;
            }
        }
        x
    }
}

trait Layer {
    fn run(&self, x: &Tensor) -> Tensor;
}

impl Layer for Scale {
    fn run(&self, x: &Tensor) -> Tensor {
        self.call(x)
    }
}

/// Generic over a function of the host.
#[tf_function]
fn generic<F: Fn(&Tensor) -> Tensor>(f: F, x: &Tensor) -> Tensor {
    let mut x = x.clone();
    while x < 10.0 {
        x = f(&x) + 1.0;
    }
    x
}

/// Generic over the number of tensors.
#[tf_function]
fn generic_number<const N: usize>(all: [Tensor; N]) -> Tensor {
    let mut best = all[0].clone();
    for x in &all[1..] {
        if x > &best {
            best = x.clone();
        }
    }
    best
}

#[tf_function]
fn inner(x: &Tensor) -> Tensor {
    if x > 1.0 {
        return x - 1.0;
    }
    x * x
}

/// A traced function in another one's loop and branches.
#[tf_function]
fn outer(x: &Tensor) -> Tensor {
    let mut y = inner(x);
    let mut i = tf::constant(0);
    while i < 3 {
        y = if y > 0.5 { inner(&(y + 0.75)) } else { y + inner(&tf::constant(1.5)) };
        i = i + 1;
    }
    y
}

/// A helper that is not annotated: operations alone, no control flow.
fn helper(x: &Tensor, w: &Variable) -> Tensor {
    (x * w).tanh()
}

/// Helpers read variables, too.
#[tf_function]
fn with_a_helper(w: &Variable, x: &Tensor) -> Tensor {
    let mut y = helper(x, w);
    if y > 0.25 {
        y = helper(&y, w) + y;
    }
    y
}

#[test]
fn closures() {
    eager_vs_graph!(closure(x); x in [1.5, -2.0]);
    eager_vs_graph!(loop_in_a_closure(x); x in [1.5, 0.25, 9.0]);
    eager_vs_graph!(capturing_a_list(x, y); (x, y) in [(1.5, 2.0), (-2.0, 0.5)]);
    eager_vs_graph!(capturing(x, y); (x, y) in [(1.5, 2.0), (0.25, -1.0), (3.0, 0.5)]);
    eager_vs_graph!({ capturing_parts((x.clone(), y.clone())) }; (x, y) in [(1.5, 2.0), (0.25, 0.5), (3.0, 1.5)]);
    eager_vs_graph!(giving_away(x); x in [1.5, -2.0]);
    eager_vs_graph!(handed_on(x); x in [1.5, 0.25, 2.5]);
}

#[test]
fn methods() {
    eager_vs_graph!({ scale.call(x) }; scale = Scale::new(1.5, None); x in [1.5, -2.0]);
    eager_vs_graph!({ scale.call(x) }; scale = Scale::new(1.5, Some(0.5)); x in [1.5, -2.0, 3.0]);
    eager_vs_graph!({ scale.repeated(x, n) }; scale = Scale::new(1.5, Some(0.5)); (x, n) in [(1.5, 3), (0.5, 0), (1.25, 2)]);
    eager_vs_graph!({ Scale::doubled(x) }; x in [1.5, -2.0]);
    eager_vs_graph!({ stack.call(x) };
        stack = Stack { layers: vec![Scale::new(1.5, None), Scale::new(0.5, Some(1.0))] }; x in [1.5, -2.0, 4.0]);
}

#[test]
fn generics() {
    eager_vs_graph!({ generic(|t| t * 1.5, x) }; x in [1.5, 20.0]);
    eager_vs_graph!({ generic(|t| t.square(), x) }; x in [1.5, 20.0]);
    eager_vs_graph!({ generic_number([x.clone(), y.clone()]) }; (x, y) in [(1.0, 2.0), (3.0, 2.0)]);
    eager_vs_graph!({ generic_number([x.clone(), y.clone(), x * 2.0]) }; (x, y) in [(1.0, 2.0), (-3.0, 2.0)]);
}

#[test]
fn functions_in_functions() {
    eager_vs_graph!(outer(x); x in [1.5, -2.0, 0.75]);
    eager_vs_graph!(with_a_helper(w, x); w = Variable::new(0.75); x in [1.5, -2.0]);
}

/// Given a closure that has an identity.
#[tf_function]
fn twice<F: Fn(&Tensor) -> Tensor + Send + Sync + 'static>(f: &Closure<F>, x: &Tensor) -> Tensor {
    let mut y = f(x);
    if y < 100.0 {
        y = f(&y);
    }
    y
}

/// Made once, a closure needs a trace per signature; what it captures is read as it is when the graph runs.
#[test]
fn closures_made_once() {
    let (factor, offset) = (Variable::new(2.0), tf::constant(0.5));
    let captured = (factor.clone(), offset.clone());
    let f = Closure::new(move |x: &Tensor| x * &captured.0 + &captured.1);
    for i in 0..20 {
        factor.assign(&tf::constant(1.0 + i as f32));
        let x = tf::constant(i as f32);
        let by_hand = |x: &Tensor| x * &factor + &offset;
        let mut tape = GradientTape::persistent();
        tape.watch(&x);
        let y = twice(&f.clone(), &x);
        let one = by_hand(&x);
        let expected = if one.item::<f32>() < 100.0 { by_hand(&one) } else { one };
        assert_eq!(y.item::<f32>(), expected.item::<f32>(), "round {i}");
        let slopes = [tape.gradient(&y, &x), tape.gradient(&y, &factor)];
        let by_hand = [tape.gradient(&expected, &x), tape.gradient(&expected, &factor)];
        assert_eq!(slopes.map(|s| s.item::<f32>()), by_hand.map(|s| s.item::<f32>()), "round {i}");
    }
    // A function of closures is named with their type.
    fn traces<F: Fn(&Tensor) -> Tensor + Send + Sync + 'static>(_: &Closure<F>) -> (usize, Vec<String>) {
        let info = tf::function(twice::<F>);
        (info.trace_count(), info.reasons())
    }
    assert_eq!(traces(&f), (1, vec!["the first call".to_owned()]));
}

#[tf_function]
fn called<F: Fn(&Tensor) -> Tensor + Send + Sync + 'static>(f: &Closure<F>, x: &Tensor) -> Tensor {
    f(x) * 2.0
}

/// Made in each round, it is another function in each, as in TensorFlow; the reason names the line.
#[test]
fn closures_made_anew() {
    fn reasons<F: Fn(&Tensor) -> Tensor + Send + Sync + 'static>(_: &Closure<F>) -> Vec<String> {
        tf::function(called::<F>).reasons()
    }
    let mut told = Vec::new();
    for i in 0..3 {
        let number = i as f32;
        let f = Closure::new(move |x: &Tensor| x + number);
        for x in [1.0, 2.0] {
            assert_eq!(called(&f, &tf::constant(x)).item::<f32>(), 2.0 * (x + number));
        }
        told = reasons(&f);
    }
    assert_eq!(told.len(), 3, "{told:?}");
    let line =
        include_str!("callables.rs").lines().position(|l| l.contains("= Closure::new(move |x: &Tensor| x + number)"));
    let at = format!("`f` is another closure, made at {}:{}:", file!(), line.unwrap() + 1);
    assert!(told[0].starts_with(&at), "{told:?}, {at}");
}

#[tf_function]
fn by_value(f: impl Fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    f(x) * 2.0
}

#[tf_function]
fn by_reference<F: Fn(&Tensor) -> Tensor>(f: &F, x: &Tensor) -> Tensor {
    f(x) * 2.0
}

#[tf_function]
fn in_a_structure<F: Fn(&Tensor) -> Tensor + Send + Sync + 'static>(f: &(Closure<F>, i32), x: &Tensor) -> Tensor {
    (f.0)(x)
}

/// A bare closure that captures is traced in each call; one that captures nothing once, by reference too.
#[test]
fn bare_closures() {
    // Bodies run where functions are traced.
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let runs_of = |call: &dyn Fn(&Tensor) -> Tensor| {
        let before = RUNS.load(Relaxed);
        (0..5).for_each(|i| drop(call(&tf::constant(i as f32))));
        RUNS.load(Relaxed) - before
    };
    let empty = |x: &Tensor| {
        RUNS.fetch_add(1, Relaxed);
        x + 1.0
    };
    let number = 3.0f32;
    let full = move |x: &Tensor| {
        RUNS.fetch_add(1, Relaxed);
        x + number
    };
    assert_eq!(runs_of(&|x| by_value(empty, x)), 1);
    assert_eq!(runs_of(&|x| by_reference(&empty, x)), 1);
    assert_eq!(runs_of(&|x| by_value(full, x)), 5);
    assert_eq!(runs_of(&|x| by_reference(&full, x)), 5);
    let within = (Closure::new(full), 1);
    assert_eq!(runs_of(&|x| in_a_structure(&within, x)), 1);
}
