//! Tensors that are one in the call that is traced and several in a later one, and tensors of modules whose sizes or elements
//! the program reads: each call must give what it gives operation by operation.

use eagerflow as tf;
use std::cell::RefCell;
use tf::data::Dataset;
use tf::{Module, Nest, Tensor, Variable, tf_function};

/// A module whose tensors are no variables.
#[derive(Module)]
struct Scales {
    a: Tensor,
    b: Tensor,
    more: Vec<Tensor>,
}

fn scales(a: &Tensor, b: &Tensor) -> Scales {
    Scales { a: a.clone(), b: b.clone(), more: vec![a.clone(), b.clone()] }
}

/// Makes each call, then operation by operation; both must give the same.
fn agree(calls: &[&dyn Fn() -> Tensor]) {
    for (i, call) in calls.iter().enumerate() {
        let eager = tf::config::with_eager_functions(call);
        assert_eq!(format!("{:?}", call()), format!("{eager:?}"), "call {i}");
    }
}

fn number(x: f32) -> Tensor {
    tf::constant(x)
}

#[tf_function]
fn fields(m: &Scales, x: &Tensor) -> Tensor {
    x * &m.a - &m.b
}

#[tf_function]
fn elements(m: &Scales, x: &Tensor) -> Tensor {
    x * &m.more[0] - &m.more[1]
}

#[tf_function]
fn two_modules(m: &Scales, n: &Scales) -> Tensor {
    &m.a * 10.0 + &n.b
}

#[tf_function]
fn in_a_loop(m: &Scales, x: &Tensor) -> Tensor {
    let (mut y, mut z) = (m.a.clone(), m.b.clone());
    while y < 10.0 {
        y = &y * x;
        z = if &z > 4.0 { z - &m.b } else { z + &m.a };
    }
    y + z * 100.0
}

#[test]
fn tensors_of_modules() {
    let (x, y, z) = (number(2.0), number(3.0), number(5.0));
    agree(&[&|| fields(&scales(&x, &x), &z), &|| fields(&scales(&x, &y), &z), &|| fields(&scales(&y, &y), &z)]);
    agree(&[&|| elements(&scales(&x, &x), &z), &|| elements(&scales(&x, &y), &z), &|| elements(&scales(&y, &x), &z)]);
    agree(&[&|| two_modules(&scales(&x, &x), &scales(&x, &x)), &|| two_modules(&scales(&x, &y), &scales(&z, &x))]);
    agree(&[&|| in_a_loop(&scales(&x, &x), &z), &|| in_a_loop(&scales(&x, &y), &z), &|| {
        in_a_loop(&scales(&z, &y), &x)
    }]);
}

#[tf_function]
fn counted(m: &Scales, x: &Tensor) -> Tensor {
    x * &m.a - &m.b
}

/// A trace in which they differ serves all others, whoever holds them.
#[test]
fn traces_of_modules() {
    let (x, y, z) = (number(2.0), number(3.0), number(5.0));
    let call = |a: &Tensor, b: &Tensor| counted(&Scales { a: a.clone(), b: b.clone(), more: Vec::new() }, &z);
    agree(&[&|| call(&x, &x), &|| call(&y, &z)]);
    let reasons = tf::function(counted).reasons();
    assert_eq!(reasons[0], "`m.0` is another tensor than the one that is used elsewhere too", "{reasons:?}");
    agree(&[&|| call(&z, &x), &|| call(&y, &y), &|| call(&number(1.0), &number(2.0)), &|| call(&x, &x)]);
    assert_eq!(tf::function(counted).trace_count(), 2);
    let own = |a: f32, b: Option<f32>| {
        let a = number(a);
        let b = b.map_or(a.clone(), number);
        counted(&Scales { a, b, more: vec![tf::ones([2])] }, &z)
    };
    agree(&[&|| own(1.0, None), &|| own(2.0, None), &|| own(2.0, Some(3.0)), &|| own(3.0, None)]);
    let reasons = tf::function(counted).reasons();
    assert_eq!(reasons[0], "`m.0` and `m.1` were one tensor, and are two now", "{reasons:?}");
    assert_eq!(tf::function(counted).trace_count(), 4);
}

#[tf_function]
fn beside_a_module(x: &Tensor, m: &Scales) -> Tensor {
    x * 10.0 + &m.a
}

#[tf_function]
fn pair(a: &Tensor, b: Tensor) -> Tensor {
    a * 10.0 + b
}

#[tf_function]
fn tuple(p: (Tensor, [Tensor; 2])) -> Tensor {
    &p.0 * 10.0 + &p.1[0] * 100.0 + &p.1[1]
}

#[tf_function]
fn slice(v: &[Tensor]) -> Tensor {
    &v[0] * 10.0 + &v[1]
}

#[derive(Nest)]
struct Pair {
    left: Tensor,
    right: Option<Tensor>,
}

#[tf_function]
fn structure(p: &Pair) -> Tensor {
    let mut left = p.left.clone();
    if let Some(right) = &p.right {
        left = if right > 2.5 { left * 10.0 + right } else { left - right };
    }
    left
}

#[tf_function]
fn changed(a: &mut Tensor, b: &mut Tensor) {
    *a = &*a + &*b;
    *b = &*a * 2.0;
}

#[test]
fn arguments() {
    let (x, y) = (number(2.0), number(3.0));
    agree(&[&|| beside_a_module(&x, &scales(&x, &x)), &|| beside_a_module(&x, &scales(&y, &x))]);
    agree(&[&|| pair(&x, x.clone()), &|| pair(&x, y.clone())]);
    let three = |a: &Tensor, b: &Tensor, c: &Tensor| tuple((a.clone(), [b.clone(), c.clone()]));
    agree(&[&|| three(&x, &x, &x), &|| three(&x, &y, &x), &|| three(&y, &y, &x)]);
    agree(&[&|| slice(&[x.clone(), x.clone()]), &|| slice(&[x.clone(), y.clone()])]);
    let of = |a: &Tensor, b: &Tensor| structure(&Pair { left: a.clone(), right: Some(b.clone()) });
    agree(&[&|| of(&x, &x), &|| of(&x, &y), &|| of(&y, &x)]);
    let both = |a: &Tensor, b: &Tensor| {
        let (mut a, mut b) = (a.clone(), b.clone());
        changed(&mut a, &mut b);
        a * 100.0 + b
    };
    agree(&[&|| both(&x, &x), &|| both(&x, &y), &|| both(&y, &x)]);
}

#[tf_function]
fn variables(v: &Variable, w: &Variable) -> Tensor {
    v.assign_add(&tf::constant(1.0));
    v.value() * 10.0 + w.value()
}

#[tf_function]
fn over_both(a: &Dataset<Tensor>, b: &Dataset<Tensor>) -> Tensor {
    let mut sum = tf::constant(0.0);
    for x in a {
        for y in b {
            sum = sum * 2.0 + &x * &y;
        }
    }
    sum
}

#[test]
fn variables_and_datasets() {
    let (v, w) = (Variable::new(0.0), Variable::new(0.0));
    let with = |a: &Variable, b: &Variable| {
        v.assign(&number(2.0));
        w.assign(&number(3.0));
        variables(a, b)
    };
    agree(&[&|| with(&v, &v), &|| with(&v, &w), &|| with(&w, &v), &|| with(&w, &w)]);
    let data = |elements: [f32; 3]| Dataset::from_tensor_slices(tf::constant(elements));
    let (a, b) = (data([1.0, 2.0, 3.0]), data([4.0, 5.0, 6.0]));
    agree(&[&|| over_both(&a, &a), &|| over_both(&a, &b), &|| over_both(&b, &a)]);
}

thread_local! {
    static GLOBAL: RefCell<Option<Tensor>> = const { RefCell::new(None) };
}

#[tf_function]
fn with_a_global(m: &Scales, x: &Tensor) -> Tensor {
    let global = GLOBAL.with_borrow(|global| global.clone().unwrap());
    x * &m.a + global
}

/// A tensor that the function finds outside, and in its module in the first call alone.
#[test]
fn captured() {
    let (x, y, z) = (number(2.0), number(3.0), number(5.0));
    GLOBAL.set(Some(x.clone()));
    let own = |a: &Tensor| Scales { a: a.clone(), b: number(0.0), more: Vec::new() };
    agree(&[&|| with_a_global(&own(&x), &z), &|| with_a_global(&own(&y), &z), &|| with_a_global(&own(&z), &x)]);
    assert_eq!(tf::function(with_a_global).trace_count(), 2);
}

#[tf_function]
fn sizes(m: &Scales, x: &Tensor) -> Tensor {
    x * m.a.shape()[0] as f32
}

#[tf_function]
fn rows(m: &Scales, x: &Tensor) -> Tensor {
    let mut sum = x.clone();
    for row in &m.a {
        sum = sum * 2.0 + row;
    }
    sum
}

#[tf_function]
fn read(m: &Scales, x: &Tensor) -> Tensor {
    x * m.a.item::<f32>()
}

#[tf_function]
fn read_at_once(m: &Scales, x: &Tensor) -> Tensor {
    x * tf::init_scope(|| &m.a * 2.0)
}

#[tf_function]
fn printed(m: &Scales, x: &Tensor) -> Tensor {
    println!("a is {}", m.a);
    x * format!("{}", m.b).len() as f32
}

#[tf_function]
fn decided(m: &Scales, x: &Tensor) -> Tensor {
    if &m.a { x * 2.0 } else { -x }
}

/// What the host sees of a module's tensor is part of what the trace serves.
#[test]
fn seen_by_the_host() {
    let x = number(2.0);
    let of = |a: Tensor| Scales { a, b: number(0.0), more: Vec::new() };
    agree(&[&|| sizes(&of(tf::ones([2])), &x), &|| sizes(&of(tf::ones([3])), &x), &|| sizes(&of(tf::ones([4])), &x)]);
    agree(&[&|| rows(&of(tf::ones([2])), &x), &|| rows(&of(tf::ones([3])), &x), &|| rows(&of(tf::ones([4])), &x)]);
    agree(&[&|| read(&of(number(3.0)), &x), &|| read(&of(number(4.0)), &x)]);
    assert!(tf::function(read).reasons()[0].ends_with("reads the elements of `m.0`, which is another tensor now"));
    let own = of(number(5.0));
    let before = tf::function(read).trace_count();
    assert_eq!([read(&own, &x).item::<f32>(), read(&own, &x).item()], [10.0, 10.0]);
    assert_eq!(tf::function(read).trace_count(), before + 1);
    agree(&[&|| read_at_once(&of(number(3.0)), &x), &|| read_at_once(&of(number(4.0)), &x)]);
    let lines = tf::__testing::captured(|| {
        agree(&[&|| printed(&of(number(3.0)), &x), &|| printed(&scales(&x, &tf::ones([2])), &x)]);
    });
    assert_eq!(lines.1, "a is 3.0\na is 3.0\na is 2.0\na is 2.0\n");
    // A condition is one of the graph: nothing is read while tracing.
    let truth = |truth: bool| of(tf::constant(truth));
    agree(&[&|| decided(&truth(true), &x), &|| decided(&truth(false), &x)]);
    assert_eq!(tf::function(decided).trace_count(), 1);
}
