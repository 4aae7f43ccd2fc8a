//! Graphs recorded by hand: what runs, what is differentiated, to which order, and what is refused.

use super::control::call::Callable;
use super::control::{Call, Cond, While};
use crate as tf;
use crate::builder::Builder;
use crate::execute::execute;
use crate::ir::Graph;
use crate::ir::print::print;
use crate::tensor::Tensor;
use crate::{GradientTape, Variable};
use kernels::error::Result;
use std::sync::Arc;

/// A graph of a function of tensors like these.
fn graph(examples: &[&Tensor], f: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> (Arc<Graph>, Vec<Tensor>) {
    let builder = Builder::function("f");
    let params: Vec<Tensor> = examples.iter().map(|t| builder.param(t.ty())).collect();
    let closed = builder.record_in(|| builder.finish(&f(&params))).unwrap();
    (Arc::new(closed.graph), closed.captures)
}

fn call(callable: &Arc<Callable>, inputs: &[&Tensor]) -> Tensor {
    execute(&Call::new(callable.clone()), inputs).unwrap().remove(0)
}

/// `x = x * a` until it is at least `limit`.
fn grow(x: &Tensor, a: &Tensor, limit: f32) -> Tensor {
    staged_while(&[x, a], |v| tf::less(&v[0], limit), |v| vec![&v[0] * &v[1], v[1].clone()]).unwrap().remove(0)
}

/// A loop recorded by hand, all values carried.
fn staged_while(
    start: &[&Tensor],
    cond: impl FnOnce(&[Tensor]) -> Tensor,
    body: impl FnOnce(&[Tensor]) -> Vec<Tensor>,
) -> Result<Vec<Tensor>> {
    let outer = crate::builder::current().unwrap();
    let bodies = [("cond", 0), ("body", 1)].map(|(name, _)| outer.inside(name));
    let params = bodies.each_ref().map(|b| start.iter().map(|t| b.param(t.ty())).collect::<Vec<_>>());
    let c = bodies[0].record_in(|| bodies[0].finish(&[cond(&params[0])]))?;
    let b = bodies[1].record_in(|| bodies[1].finish(&body(&params[1])))?;
    assert!(c.captures.is_empty() && b.captures.is_empty());
    let op = While::new(Arc::new(c.graph), Arc::new(b.graph), start.len());
    Ok(execute(&op, start)?.into_vec())
}

fn staged_cond(
    c: &Tensor,
    x: &Tensor,
    then: impl FnOnce(&Tensor) -> Tensor,
    other: impl FnOnce(&Tensor) -> Tensor,
) -> Tensor {
    let outer = crate::builder::current().unwrap();
    let branch = |f: Box<dyn FnOnce(&Tensor) -> Tensor + '_>| {
        let b = outer.inside("branch");
        let p = b.param(x.ty());
        let closed = b.record_in(|| b.finish(&[f(&p)])).unwrap();
        assert!(closed.captures.is_empty());
        Arc::new(closed.graph)
    };
    let op = Cond { then: branch(Box::new(then)), otherwise: branch(Box::new(other)) };
    execute(&op, &[c, x]).unwrap().remove(0)
}

#[test]
fn a_graph_runs_and_prints() {
    let x = tf::constant([1.0, 2.0]);
    let (g, captures) = graph(&[&x], |p| vec![tf::tanh(&(&p[0] * 2.0)), p[0].clone()]);
    assert!(captures.is_empty());
    let out = call(&Callable::new(g.clone()), &[&x]);
    assert_eq!(out.to_vec::<f32>(), tf::tanh(&(&x * 2.0)).to_vec::<f32>());
    assert_eq!(
        print(&g),
        "f(v0: float32[2]) {\n  v1: float32[2] = multiply(v0, 2.0:float32)\n  v2: float32[2] = tanh(v1)\n  return v2, v0\n}\n"
    );
}

#[test]
fn calls_are_differentiated_to_third_order() {
    let x = tf::constant(0.5);
    let (g, _) = graph(&[&x], |p| vec![tf::tanh(&(&p[0] * &p[0]))]);
    let f = Callable::new(g);
    let orders = |f: &dyn Fn(&Tensor) -> Tensor| {
        let mut t3 = GradientTape::new();
        t3.watch(&x);
        let mut t2 = GradientTape::new();
        t2.watch(&x);
        let mut t1 = GradientTape::new();
        t1.watch(&x);
        let y = f(&x);
        let d1 = t1.gradient(&y, &x);
        let d2 = t2.gradient(&d1, &x);
        let d3 = t3.gradient(&d2, &x);
        [y, d1, d2, d3].map(|t| t.item::<f32>())
    };
    let (graph, eager) = (orders(&|x| call(&f, &[x])), orders(&|x| tf::tanh(&(x * x))));
    for (a, b) in graph.iter().zip(&eager) {
        assert!((a - b).abs() < 1e-5, "{graph:?} {eager:?}");
    }
}

#[test]
fn loops_are_differentiated_from_outside() {
    let (x, a) = (tf::constant(1.0), tf::constant(1.5));
    let (g, _) = graph(&[&x, &a], |p| vec![grow(&p[0], &p[1], 10.0)]);
    let f = Callable::new(g);
    // 1.5^6 = 11.39: six rounds.
    for (start, rounds) in [(1.0f32, 6), (20.0, 0), (7.0, 1)] {
        let x = tf::constant(start);
        let mut outer = GradientTape::new();
        outer.watch(&a);
        let mut tape = GradientTape::new();
        tape.watch(&x);
        tape.watch(&a);
        let y = call(&f, &[&x, &a]);
        assert_eq!(y.item::<f32>(), start * 1.5f32.powi(rounds));
        let grads = tape.gradient(&y, [&x, &a]);
        let n = rounds as f32;
        let [dx, da] = [&grads[0], &grads[1]].map(|t| t.item::<f32>());
        assert!((dx - 1.5f32.powi(rounds)).abs() < 1e-4, "{dx}");
        assert!((da - start * n * 1.5f32.powi(rounds - 1)).abs() < 1e-3, "{da}");
        let second = outer.gradient(&grads[1], &a).item::<f32>();
        let expected = start * n * (n - 1.0) * 1.5f32.powi(rounds - 2);
        assert!((second - expected).abs() < 1e-2, "{rounds} rounds: {second} instead of {expected}");
    }
}

#[test]
fn branches_in_loops_are_differentiated() {
    let (x, n) = (tf::constant(0.7), tf::constant(5));
    let body = |i: &Tensor, x: &Tensor| {
        let even = tf::equal(&tf::floormod(i, 2), 0);
        staged_cond(&even, x, |x| tf::sin(x) * 2.0, |x| x * x + 0.5)
    };
    let (g, _) = graph(&[&x, &n], |p| {
        let zero = tf::constant(0);
        vec![
            staged_while(
                &[&zero, &p[0], &p[1]],
                |v| tf::less(&v[0], &v[2]),
                |v| vec![&v[0] + 1, body(&v[0], &v[1]), v[2].clone()],
            )
            .unwrap()
            .remove(1),
        ]
    });
    let f = Callable::new(g);
    let native = |x: &Tensor| {
        let mut x = x.clone();
        for i in 0..5 {
            x = if i % 2 == 0 { tf::sin(&x) * 2.0 } else { &x * &x + 0.5 };
        }
        x
    };
    let both = |f: &dyn Fn(&Tensor) -> Tensor| {
        let mut outer = GradientTape::new();
        outer.watch(&x);
        let mut tape = GradientTape::new();
        tape.watch(&x);
        let y = f(&x);
        let d = tape.gradient(&y, &x);
        let dd = outer.gradient(&d, &x);
        [y, d, dd].map(|t| t.item::<f32>())
    };
    let (graph, eager) = (both(&|x| call(&f, &[x, &n])), both(&native));
    for (a, b) in graph.iter().zip(&eager) {
        assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{graph:?} {eager:?}");
    }
}

#[test]
fn variables_are_captured_read_and_differentiated() {
    let w = Variable::new(3.0);
    let x = tf::constant(2.0);
    let (g, captures) = graph(&[&x], |p| {
        let y = &p[0] * &w * &w;
        w.assign_add(&tf::constant(1.0));
        vec![y]
    });
    assert_eq!(captures.len(), 1);
    let f = Callable::new(g);
    let tape = GradientTape::new();
    let y = call(&f, &[&x, &captures[0]]);
    assert_eq!((y.item::<f32>(), w.value().item::<f32>()), (18.0, 4.0));
    assert_eq!(tape.gradient(&y, &w).item::<f32>(), 12.0);
}
