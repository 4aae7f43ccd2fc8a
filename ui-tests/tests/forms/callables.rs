//! Closures, methods, generic functions, traits, and functions in functions.

use crate::{same, table};
use eagerflow as tf;
use tf::{GradientTape, Module, Nest, Tensor, Variable, custom_gradient, tf_function};

#[test]
fn closures() {
    #[tf_function]
    fn f(x: &Tensor, limit: f32) -> Tensor {
        let clipped = |t: &Tensor| if t > limit { tf::constant(limit) } else { t.clone() };
        let twice = |t: Tensor| -> Tensor {
            if t > 0.0 {
                return t * 2.0;
            }
            t
        };
        twice(clipped(x)) + clipped(&-x)
    }
    table(|x| f(x, 3.0), &[(2.0, 2.0), (5.0, 1.0), (-5.0, -2.0)]);
}

#[test]
fn closures_that_capture() {
    #[tf_function]
    fn f(x: &Tensor, y: &Tensor) -> Tensor {
        let step = x * 0.5;
        let next = |t: &Tensor| if t > y { t - y } else { t + &step };
        let mut z = x.clone();
        while z < 10.0 {
            z = next(&z) + 4.0;
        }
        z
    }
    table(|x| f(x, &tf::constant(3.0)), &[(2.0, 10.0), (11.0, 11.0)]);
}

#[test]
fn closures_in_iterator_chains() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let all: Vec<Tensor> = (1..4).map(|k| if x > k as f32 { x * k as f32 } else { -x }).collect();
        all.iter().fold(tf::constant(0.0), |sum, t| if t > 0.0 { sum + t } else { sum })
    }
    table(f, &[(2.5, 7.5), (0.5, 0.0)]);
}

#[test]
fn functions_that_take_closures() {
    #[tf_function]
    fn f(g: impl Fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
        if x > 1.0 { g(x) } else { g(&g(x)) }
    }
    table(|x| f(|t| t * 3.0, x), &[(2.0, 6.0), (1.0, 9.0)]);
    table(|x| f(|t| t + 1.0, x), &[(2.0, 3.0), (1.0, 3.0)]);
}

#[derive(Module)]
struct Scale {
    by: Variable,
    power: usize,
}

impl Scale {
    #[tf_function]
    fn call(&self, x: &Tensor) -> Tensor {
        let mut y = x * &self.by;
        for _ in 1..self.power {
            if &y > 100.0 {
                break;
            }
            y = y * &self.by;
        }
        y
    }

    #[tf_function]
    fn grow(&self, x: &Tensor) -> Tensor {
        if x > 0.0 {
            self.by.assign_add(x);
        }
        self.call(x)
    }

    #[tf_function]
    fn positive(x: &Tensor) -> Tensor {
        if x > 0.0 { x.clone() } else { -x }
    }
}

#[test]
fn methods_of_modules() {
    let scale = Scale { by: Variable::new(3.0), power: 3 };
    table(|x| scale.call(x), &[(1.0, 27.0), (50.0, 150.0)]);
    table(Scale::positive, &[(1.0, 1.0), (-50.0, 50.0)]);
    let run = || {
        let scale = Scale { by: Variable::new(1.0), power: 2 };
        (scale.grow(&tf::constant(2.0)).item::<f32>(), scale.grow(&tf::constant(-2.0)).item::<f32>())
    };
    assert_eq!(same(run), (18.0, -18.0));
}

#[derive(Clone, Nest)]
struct Counter {
    sum: Tensor,
    count: Tensor,
}

impl Counter {
    #[tf_function]
    fn add(&mut self, x: &Tensor) -> Tensor {
        if x > 0.0 {
            self.sum = &self.sum + x;
            self.count += 1.0;
        }
        self.mean()
    }

    #[tf_function]
    fn mean(&self) -> Tensor {
        if self.count > 0.0 { &self.sum / &self.count } else { self.sum.clone() }
    }
}

#[test]
fn methods_by_mutable_self() {
    let run = || {
        let mut counter = Counter { sum: tf::constant(0.0), count: tf::constant(0.0) };
        let means = [2.0, -1.0, 4.0].map(|x| counter.add(&tf::constant(x)).item::<f32>());
        (means, counter.mean().item::<f32>())
    };
    assert_eq!(same(run), ([2.0, 2.0, 3.0], 3.0));
}

#[test]
fn mutable_parameters() {
    #[tf_function]
    fn f(state: &mut Counter, last: &mut Tensor, x: &Tensor) {
        while x > &state.sum {
            state.sum = &state.sum + 1.5;
            *last = &state.sum * 2.0;
        }
    }
    let run = || {
        let (mut state, mut last) = (Counter { sum: tf::constant(0.0), count: tf::constant(0.0) }, tf::constant(0.0));
        f(&mut state, &mut last, &tf::constant(4.0));
        (state.sum.item::<f32>(), last.item::<f32>())
    };
    assert_eq!(same(run), (4.5, 9.0));
}

trait Layer {
    fn call(&self, x: &Tensor) -> Tensor;

    fn twice(&self, x: &Tensor) -> Tensor {
        self.call(&self.call(x))
    }
}

impl Layer for Scale {
    #[tf_function]
    fn call(&self, x: &Tensor) -> Tensor {
        if x > 10.0 { x.clone() } else { x * &self.by }
    }
}

#[test]
fn trait_methods() {
    let scale = Scale { by: Variable::new(3.0), power: 1 };
    table(|x| Layer::twice(&scale, x), &[(1.0, 9.0), (4.0, 12.0)]);
}

#[test]
fn trait_objects() {
    trait Stage: Module + Layer {}
    impl Stage for Scale {}
    #[tf_function]
    fn f(stages: &[Box<dyn Stage>], last: &dyn Stage, x: &Tensor) -> Tensor {
        let mut y = x.clone();
        for stage in stages {
            if &y > 50.0 {
                break;
            }
            y = stage.call(&y);
        }
        last.call(&y)
    }
    let stage = |by| Scale { by: Variable::new(by), power: 1 };
    let stages: Vec<Box<dyn Stage>> = vec![Box::new(stage(2.0)), Box::new(stage(4.0))];
    let last = stage(0.5);
    table(|x| f(&stages, &last, x), &[(1.0, 4.0), (60.0, 60.0)]);
}

#[test]
fn generics_and_where_clauses() {
    #[tf_function]
    fn f<T, const N: usize>(all: [T; N], x: &Tensor) -> Vec<T>
    where
        T: Nest + Clone + AsRef<Tensor>,
    {
        let mut kept = Vec::new();
        for item in &all {
            let t = item.as_ref();
            if tf::reduce_sum(t * x, ()) > 100.0 {
                return vec![item.clone(); N];
            }
            kept.push(item.clone());
        }
        kept
    }
    #[derive(Clone, Nest)]
    struct Wrapped(Tensor);
    impl AsRef<Tensor> for Wrapped {
        fn as_ref(&self) -> &Tensor {
            &self.0
        }
    }
    let run = |x: f32| {
        same(|| {
            let all = f([Wrapped(tf::constant(1.0)), Wrapped(tf::constant(2.0))], &tf::constant(x));
            all.iter().map(|w| w.0.item::<f32>()).collect::<Vec<_>>()
        })
    };
    assert_eq!(run(3.0), [1.0, 2.0]);
    assert_eq!(run(60.0), [2.0, 2.0]);
}

#[test]
fn lifetimes() {
    #[tf_function]
    fn f<'a, 'b: 'a>(x: &'a Tensor, others: &'b [Tensor], names: &[&'b str]) -> Tensor {
        let mut best: &Tensor = x;
        for (other, name) in others.iter().zip(names) {
            if *name == "use" {
                best = other;
            }
        }
        if best > x { best - x } else { best.clone() }
    }
    let others = [tf::constant(1.0), tf::constant(5.0)];
    table(|x| f(x, &others, &["", "use"]), &[(2.0, 3.0), (7.0, 5.0)]);
    table(|x| f(x, &others, &["use", ""]), &[(2.0, 1.0)]);
}

#[test]
fn traced_functions_in_traced_functions() {
    #[tf_function]
    fn inner(x: &Tensor, limit: f32) -> Tensor {
        if x > limit {
            return tf::constant(limit);
        }
        x * 2.0
    }
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = inner(x, 3.0);
        for i in tf::range(0, 3, 1) {
            y = inner(&(y + i.cast(tf::DType::F32)), 20.0);
        }
        y
    }
    table(f, &[(1.0, 24.0), (-1.0, -8.0), (9.0, 32.0)]);
}

#[test]
fn recursion_on_host_values() {
    #[tf_function]
    fn f(x: &Tensor, depth: usize) -> Tensor {
        if depth == 0 {
            return x.clone();
        }
        if x > 10.0 { x - 1.0 } else { f(&(x * 2.0), depth - 1) }
    }
    table(|x| f(x, 4), &[(1.0, 16.0), (11.0, 10.0), (3.0, 11.0)]);
}

#[test]
fn custom_gradient_inside() {
    #[custom_gradient]
    fn clipped(x: &Tensor) -> Tensor {
        (x * 1.0, move |dy: &Tensor| tf::clip_by_value(dy, -0.5, 0.5))
    }
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        if x > 0.0 { clipped(x) * 4.0 } else { x * 4.0 }
    }
    let slope = |x: f32| {
        same(|| {
            let x = tf::constant(x);
            let mut tape = GradientTape::new();
            tape.watch(&x);
            let y = f(&x);
            tape.gradient(&y, &x).item::<f32>()
        })
    };
    assert_eq!((slope(1.0), slope(-1.0)), (0.5, 4.0));
}

#[test]
fn tape_inside() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = if x > 1.0 { x * x } else { x * 3.0 };
        tape.gradient(&y, x)
    }
    table(f, &[(2.0, 4.0), (0.5, 3.0)]);
}
