//! What may be handed over: structures, maps, shared pointers, functions, closures with captures, and types of which a
//! traced function knows nothing. Whatever it is, no call is answered with what another one was given.

use crate::same;
use eagerflow as tf;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use tf::{Tensor, tf_function};

/// Calls a function on two values, in all three ways.
fn two<A>(make: impl Fn(f32) -> A, f: impl Fn(A) -> Tensor) -> (f32, f32) {
    same(|| (f(make(2.0)).item::<f32>(), f(make(3.0)).item::<f32>()))
}

#[test]
fn maps() {
    #[tf_function]
    fn hashed(map: &HashMap<String, Tensor>) -> Tensor {
        if map["b"] > 2.5 { &map["a"] * &map["b"] } else { map["a"].clone() }
    }
    #[tf_function]
    fn sorted(mut map: BTreeMap<usize, Tensor>) -> BTreeMap<usize, Tensor> {
        if map[&1] > 2.5 {
            map.insert(1, &map[&1] * 10.0);
        }
        map
    }
    let map = |x: f32| HashMap::from(["b", "a"].map(|key| (key.to_owned(), tf::constant(x))));
    assert_eq!(two(map, |map| hashed(&map)), (2.0, 9.0));
    assert_eq!(tf::function(hashed).trace_count(), 1);
    let map = |x: f32| BTreeMap::from([(1, tf::constant(x))]);
    assert_eq!(two(map, |map| sorted(map)[&1].clone()), (2.0, 30.0));
    assert_eq!(tf::function(sorted).trace_count(), 1);
}

#[test]
fn shared_pointers() {
    #[tf_function]
    fn f(x: Arc<Tensor>, y: &Rc<Tensor>) -> Tensor {
        if *x > 2.5 { &*x * &**y } else { x.as_ref().clone() }
    }
    assert_eq!(two(|x| tf::constant(x), |x| f(Arc::new(x.clone()), &Rc::new(x))), (2.0, 9.0));
}

#[test]
fn function_pointers() {
    #[tf_function]
    fn f(g: fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
        if x > 2.5 { g(x) } else { g(&g(x)) }
    }
    let x = |x: f32| tf::constant(x);
    assert_eq!(two(x, |x| f(|x| x + 1.0, &x)), (4.0, 4.0));
    assert_eq!(two(x, |x| f(|x| x * 2.0, &x)), (8.0, 6.0));
    assert_eq!(tf::function(f).trace_count(), 2);
}

#[test]
fn closures_with_captures() {
    #[tf_function]
    fn f(g: impl Fn(&Tensor) -> Tensor, x: &Tensor) -> Tensor {
        if x > 0.0 { g(x) } else { -g(x) }
    }
    let one = tf::constant(1.0);
    assert_eq!(two(|x| x, |by| f(move |x| x * by, &one)), (2.0, 3.0));
    assert_eq!(two(|x| tf::constant(x), |t| f(|x| x + &t, &one)), (3.0, 4.0));
    let dynamic: &dyn Fn(f32) -> Box<dyn Fn(&Tensor) -> Tensor> = &|by| Box::new(move |x| x * by);
    assert_eq!(two(dynamic, |g| f(&*g, &one)), (2.0, 3.0));
}

/// Derives nothing.
struct Plain {
    x: Tensor,
    by: f32,
}

impl Plain {
    #[tf_function]
    fn call(&self) -> Tensor {
        if self.x > 2.5 { &self.x * self.by } else { self.x.clone() }
    }
}

#[test]
fn types_that_derive_nothing() {
    #[tf_function]
    fn borrowed(p: &Plain) -> Tensor {
        if p.x > 2.5 { &p.x * p.by } else { p.x.clone() }
    }
    #[tf_function]
    fn owned(p: Plain, x: &Tensor) -> Tensor {
        if x > 2.5 { p.x * p.by } else { p.x }
    }
    let plain = |x: f32| Plain { x: tf::constant(x), by: x };
    assert_eq!(two(plain, |p| borrowed(&p)), (2.0, 9.0));
    assert_eq!(two(plain, |p| p.call()), (2.0, 9.0));
    assert_eq!(two(plain, |p| owned(p, &tf::constant(9.0))), (4.0, 9.0));
    let info = tf::function(borrowed);
    assert_eq!(info.trace_count(), 4, "one for each call");
    let reasons = info.reasons();
    assert!(reasons.len() == 1 && reasons[0].contains("`p`") && reasons[0].contains("derive `Nest`"), "{reasons:?}");
}

#[test]
fn values_that_hash() {
    #[derive(Clone, Copy, Hash)]
    enum Mode {
        Add(u8),
        Keep,
    }
    #[tf_function]
    fn f(mode: Mode, x: &Tensor) -> Tensor {
        match mode {
            Mode::Add(n) if n > 2 => x + n as f32,
            Mode::Add(_) => x * 2.0,
            Mode::Keep => x.clone(),
        }
    }
    let x = tf::constant(1.0);
    let run = |mode| same(|| f(mode, &x).item::<f32>());
    assert_eq!([Mode::Keep, Mode::Add(1), Mode::Add(5)].map(run), [1.0, 2.0, 6.0]);
    assert_eq!(tf::function(f).trace_count(), 3);
}
