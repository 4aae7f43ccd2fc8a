//! Each pass on a graph recorded by hand, before and after in print; every graph in between is verified.
//! What a pass must leave alone is tested beside what it must do.

use super::*;
use crate as tf;
use crate::builder::{self, Builder};
use crate::execute::execute;
use crate::graph::control::call::Callable;
use crate::graph::control::{Call, While};
use crate::ir::print::print;
use crate::ir::verify::verify;
use crate::tensor::Tensor;
use crate::{GradientTape, Variable};
use std::sync::Arc;

fn record(examples: &[&Tensor], f: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let builder = Builder::function("f");
    let params: Vec<Tensor> = examples.iter().map(|t| builder.param(t.ty())).collect();
    builder.record_in(|| builder.finish(&f(&params))).unwrap().graph
}

fn after(pass: Pass, graph: &Graph) -> String {
    let graph = pass(graph).unwrap();
    verify(&graph).unwrap();
    print(&graph)
}

/// Compares without regard to indentation.
fn golden(text: &str, expected: &str) {
    let lines = |t: &str| t.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(lines(text), lines(expected), "\n{text}");
}

fn vector() -> Tensor {
    tf::constant([1.0, 2.0])
}

#[test]
fn calls_are_inlined() {
    let inner = Callable::new(Arc::new(record(&[&vector()], |p| vec![tf::tanh(&p[0]), &p[0] + 1.0])));
    let graph = record(&[&vector()], |p| {
        let out = execute(&Call::new(inner.clone()), &[&p[0]]).unwrap();
        let out = execute(&Call::new(inner), &[&out[0]]).unwrap();
        vec![&out[0] * &out[1]]
    });
    golden(
        &after(inline::inline, &graph),
        "f(v0: float32[2]) {
           v1: float32[2] = tanh(v0)
           v2: float32[2] = add(v0, 1.0:float32)
           v3: float32[2] = tanh(v1)
           v4: float32[2] = add(v1, 1.0:float32)
           v5: float32[2] = multiply(v3, v4)
           return v5
         }",
    );
}

#[test]
fn constants_are_folded() {
    let graph = record(&[&vector()], |p| {
        let table = tf::constant([3.0, 4.0]) * 2.0;
        let zero = tf::constant(0);
        // Dividing by zero stays where it is, for the call to refuse.
        let refused = tf::constant(1) / &zero;
        vec![&p[0] * table + tf::zeros([2]), tf::zeros([100, 100]), refused]
    });
    let text = after(fold::fold, &graph);
    golden(
        &text,
        "f(v0: float32[2]) {
           v1: int32[] = div(1:int32, 0:int32)
           v2: float32[2] = multiply(v0, [6. 8.]:float32)
           v3: float32[2] = broadcast_to{shape=[2]}(0.0:float32)
           v4: float32[2] = add(v2, v3)
           v5: float32[100, 100] = broadcast_to{shape=[100, 100]}(0.0:float32)
           return v4, v5, v1
         }",
    );
}

#[test]
fn only_exact_rules_are_used() {
    let graph = record(&[&vector()], |p| {
        let x = &p[0];
        let same = tf::identity(&((x * 1.0 / 1.0 - 0.0).reshape([2])));
        vec![same, x + 0.0, x * 0.0, x - x]
    });
    golden(
        &after(algebra::algebra, &graph),
        "f(v0: float32[2]) {
           v1: float32[2] = add(v0, 0.0:float32)
           v2: float32[2] = multiply(v0, 0.0:float32)
           v3: float32[2] = subtract(v0, v0)
           return v0, v1, v2, v3
         }",
    );
}

#[test]
fn equal_nodes_become_one() {
    let w = Variable::new(3.0);
    let graph = record(&[&vector()], |p| {
        let twice = tf::tanh(&p[0]) + tf::tanh(&p[0]);
        let sums = tf::reduce_sum(&twice, 0) * tf::reduce_sum(&twice, tf::keep_dims(0));
        let reads = w.value() + w.value();
        w.assign(&reads);
        vec![twice, sums, w.value()]
    });
    let text = after(common::common, &graph);
    assert_eq!(text.matches("tanh(").count(), 1, "{text}");
    assert_eq!(text.matches("reduce_sum{").count(), 2, "{text}");
    assert_eq!(text.matches("read_variable(").count(), 2, "{text}");
}

/// A loop of `n` rounds over further values.
fn repeat(n: &Tensor, start: &[&Tensor], body: impl FnOnce(&[Tensor]) -> Vec<Tensor>, carried: usize) -> Vec<Tensor> {
    let outer = builder::current().unwrap();
    let zero = tf::constant(0);
    let inputs: Vec<&Tensor> = [&zero].into_iter().chain(start.iter().copied()).chain([n]).collect();
    let [test, round] = ["test", "round"].map(|name| outer.inside(name));
    let params = [&test, &round].map(|b| inputs.iter().map(|t| b.param(t.ty())).collect::<Vec<_>>());
    let last = inputs.len() - 1;
    let test = test.record_in(|| test.finish(&[tf::less(&params[0][0], &params[0][last])])).unwrap();
    let round = round
        .record_in(|| {
            let mut next = vec![&params[1][0] + 1];
            next.extend(body(&params[1][1..last]));
            round.finish(&next)
        })
        .unwrap();
    let op = While::new(Arc::new(test.graph), Arc::new(round.graph), carried + 1);
    execute(&op, &inputs).unwrap().into_vec()
}

#[test]
fn what_stays_the_same_leaves_the_loop() {
    let graph = record(&[&vector(), &vector(), &tf::constant(3)], |p| {
        repeat(&p[2], &[&p[0], &p[1]], |v| vec![&v[0] * tf::exp(&tf::tanh(&v[1]))], 1)
    });
    golden(
        &after(hoist::hoist, &graph),
        "f(v0: float32[2], v1: float32[2], v2: int32[]) {
           v3: float32[2] = tanh(v1)
           v4: float32[2] = exp(v3)
           v5: int32[], v6: float32[2] = while{carried=2}(0:int32, v0, v1, v2, v3, v4)
           test(v0: int32[], v1: float32[2], v2: float32[2], v3: int32[], v4: float32[2], v5: float32[2]) {
             v6: bool[] = less(v0, v3)
             return v6
           }
           round(v0: int32[], v1: float32[2], v2: float32[2], v3: int32[], v4: float32[2], v5: float32[2]) {
             v6: int32[] = add(v0, 1:int32)
             v7: float32[2] = multiply(v1, v5)
             return v6, v7
           }
           return v5, v6
         }",
    );
    // What may fail waits until it is its turn, which may never come.
    let graph = record(&[&tf::constant(6), &tf::constant(2), &tf::constant(3)], |p| {
        repeat(&p[2], &[&p[0], &p[1]], |v| vec![&v[0] + tf::constant(7) / &v[1]], 1)
    });
    let text = after(hoist::hoist, &graph);
    assert!(text.find("= div(").unwrap() > text.find("round(").unwrap(), "{text}");
}

#[test]
fn dead_state_leaves_the_loop() {
    let graph = record(&[&vector(), &vector(), &tf::constant(3)], |p| {
        let out =
            repeat(&p[2], &[&p[0], &p[1], &p[1]], |v| vec![&v[0] * 2.0, tf::tanh(&v[1]) + &v[2], &v[2] - &v[1]], 3);
        // The other two only feed each other.
        vec![out[1].clone()]
    });
    golden(
        &after(dead::dead, &graph),
        "f(v0: float32[2], v1: float32[2], v2: int32[]) {
           v3: int32[], v4: float32[2] = while{carried=2}(0:int32, v0, v2)
           test(v0: int32[], v1: float32[2], v2: int32[]) {
             v3: bool[] = less(v0, v2)
             return v3
           }
           round(v0: int32[], v1: float32[2], v2: int32[]) {
             v3: int32[] = add(v0, 1:int32)
             v4: float32[2] = multiply(v1, 2.0:float32)
             return v3, v4
           }
           return v4
         }",
    );
}

#[test]
fn effects_and_refusals_are_not_dead() {
    let w = Variable::new(3.0);
    let graph = record(&[&vector(), &tf::constant([5])], |p| {
        let _gone = tf::tanh(&p[0]);
        let _may_refuse = tf::gather(&p[0], &p[1], 0);
        w.assign_add(&tf::constant(1.0));
        vec![]
    });
    let text = after(dead::dead, &graph);
    assert!(!text.contains("tanh") && text.contains("gather") && text.contains("assign_add"), "{text}");
}

#[test]
fn a_formula_and_its_gradient_are_one_pass() {
    let x = tf::zeros([1000]);
    let graph = record(&[&x, &x], |p| {
        let mut tape = GradientTape::new();
        tape.watch(p);
        let y = tf::reduce_mean(tf::tanh(&p[0]) * &p[1], ());
        let [a, b] = tape.gradient(&y, [&p[0], &p[1]]);
        vec![y, a, b]
    });
    let graph = specialise(&optimise(&graph).unwrap()).unwrap();
    let text = print(&graph);
    assert_eq!(text.matches("= fused(").count(), 1, "{text}");
    // The other is a view of a constant, the reciprocal of the number of elements.
    assert_eq!(graph.nodes.len(), 2, "{text}");
}

#[test]
fn passes_end_where_values_must_be_complete() {
    let x = tf::zeros([20, 30]);
    let graph = record(&[&x], |p| {
        let shifted = tf::exp(&p[0]) - 1.0;
        let largest = tf::reduce_max(&shifted, tf::keep_dims(1));
        let scaled = (&shifted / &largest) * 2.0;
        vec![tf::matmul(&scaled, &tf::transpose(&scaled, [])) + 1.0]
    });
    golden(
        &after(fuse::fuse, &graph),
        "f(v0: float32[20, 30]) {
           v1: float32[20, 30], v2: float32[20, 1] = fused(v0)
             pass(v0: float32[20, 30]) {
               v1: float32[20, 30] = exp(v0)
               v2: float32[20, 30] = subtract(v1, 1.0:float32)
               v3: float32[20, 1] = reduce_max{axes=2, keep_dims=true}(v2)
               return v2, v3
             }
           v3: float32[20, 30] = fused(v1, v2)
             pass(v0: float32[20, 30], v1: float32[20, 1]) {
               v2: float32[20, 30] = div(v0, v1)
               v3: float32[20, 30] = multiply(v2, 2.0:float32)
               return v3
             }
           v4: float32[30, 20] = transpose{perm=[1, 0]}(v3)
           v5: float32[20, 20] = matmul(v3, v4)
           v6: float32[20, 20] = add(v5, 1.0:float32)
           return v6
         }",
    );
}

#[test]
fn all_passes_leave_effects_in_order() {
    let (v, w) = (Variable::new(vector()), Variable::new(vector()));
    let graph = record(&[&vector()], |p| {
        v.assign_add(&(&p[0] * 2.0));
        let between = v.value() * 3.0;
        w.assign(&(&between + 1.0));
        v.assign(&(w.value() * &between));
        vec![v.value()]
    });
    let text = print(&specialise(&optimise(&graph).unwrap()).unwrap());
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} in {text}"));
    assert!(at("assign_add(") < at("assign(") && at("assign(") < text.rfind("assign(").unwrap(), "{text}");
}
