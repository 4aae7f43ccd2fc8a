//! Methods, associated functions, generic functions, `impl Trait`, attributes and options.

use eagerflow::{self as tf, Module, Nest, Tensor, Variable, tf_function};

#[derive(Module)]
struct Scale {
    by: Variable,
    limit: f32,
}

impl Scale {
    #[tf_function]
    fn call(&self, x: &Tensor) -> Tensor {
        if tf::reduce_max(x, ()) > self.limit {
            return x.clone();
        }
        x * &self.by
    }

    #[tf_function]
    fn doubled(x: &Tensor) -> Tensor
    where
        Self: Sized,
    {
        let scale = Self { by: Variable::new(2.0), limit: 1.0 };
        if x > scale.limit { x * &scale.by } else { x.clone() }
    }
}

/// State of a method that changes its fields, through a reference.
#[derive(Nest)]
struct Counter {
    h: Tensor,
    n: Tensor,
}

impl Counter {
    fn step(&mut self) {
        self.h = &self.h + 1.0;
    }

    fn reset(&mut self) {
        self.h = tf::zeros_like(&self.h);
    }
}

#[tf_function]
fn counting(x: &Tensor, c: &Tensor) -> Tensor {
    let mut counter = Counter { h: x.clone(), n: x.clone() };
    if c {
        counter.step();
    } else {
        counter.reset();
    }
    let borrowed = &mut counter;
    if c {
        borrowed.n = &borrowed.n * 2.0;
        borrowed.step();
    } else {
        borrowed.reset();
    }
    counter.h + counter.n
}

/// Generic over a trait; `T` may be a tensor or a number.
#[tf_function]
fn generic<T: Module + Clone, const N: usize>(x: &Tensor, module: &T) -> Tensor {
    let mut y = x.clone();
    if &y > N as f32 {
        y = y - N as f32;
    }
    let _ = module.clone();
    y
}

fn larger<T: PartialOrd>(a: T, b: T) -> bool {
    a > b
}

#[tf_function(name = "applied", max_traces = 4, relax_shapes = false)]
#[must_use]
pub(crate) fn applied(f: impl Fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
    if larger(2, 1) && x > 0.0 { f(x) } else { x.clone() }
}

#[tf_function]
fn nothing(v: &Variable, c: &Tensor) {
    if c {
        v.assign_add(tf::constant(1.0));
        return;
    }
    v.assign(tf::constant(0.0));
}

#[tf_function]
fn several(x: &Tensor, many: &[Tensor], maybe: Option<&Tensor>) -> (Tensor, Vec<Tensor>, [Tensor; 2], Option<Tensor>) {
    let mut sum = x.clone();
    for t in many {
        if t > x {
            sum = sum + t;
        }
    }
    let list = vec![sum.clone(), if &sum > 0.0 { sum.clone() } else { -&sum }];
    let maybe = maybe.map(|m| if m > 0.0 { m * 2.0 } else { m.clone() });
    (sum.clone(), list, [sum.clone(), sum], maybe)
}

mod inner {
    /// Seen from another module, unsafe, with an ABI.
    #[eagerflow::tf_function]
    pub(super) fn deep(x: &eagerflow::Tensor) -> eagerflow::Tensor {
        if x > 1.0 { x - 1.0 } else { x.clone() }
    }
}

#[test]
fn runs() {
    let (yes, no) = (tf::constant(true), tf::constant(false));
    let x = tf::constant(3.0);
    let scale = Scale { by: Variable::new(10.0), limit: 5.0 };
    assert_eq!(scale.call(&x).item::<f32>(), 30.0);
    assert_eq!(scale.call(&tf::constant(7.0)).item::<f32>(), 7.0);
    assert_eq!(Scale::doubled(&x).item::<f32>(), 6.0);
    assert_eq!(counting(&x, &yes).item::<f32>(), 11.0);
    assert_eq!(counting(&x, &no).item::<f32>(), 3.0);
    assert_eq!(generic::<_, 2>(&x, &scale.by).item::<f32>(), 1.0);
    assert_eq!(generic::<_, 4>(&x, &2.0f32).item::<f32>(), 3.0);
    assert_eq!(applied(|x| x * 2.0, &x).item::<f32>(), 6.0);
    let v = Variable::new(1.0);
    nothing(&v, &yes);
    assert_eq!(v.value().item::<f32>(), 2.0);
    nothing(&v, &no);
    assert_eq!(v.value().item::<f32>(), 0.0);
    let (sum, list, pair, maybe) = several(&x, &[tf::constant(5.0)], Some(&x));
    assert_eq!(sum.item::<f32>(), 8.0);
    assert_eq!((list.len(), pair.len()), (2, 2));
    assert_eq!(maybe.unwrap().item::<f32>(), 6.0);
    assert_eq!(inner::deep(&x).item::<f32>(), 2.0);
}
