//! How the work for a graph grows with its nodes: each pass and the making of the plan, at n and at eight times n, in steps.
//! A loop over all nodes for each node would take sixty-four times the steps.

use crate as tf;
use crate::builder::Builder;
use crate::graph::differentiate::differentiate;
use crate::graph::passes::{self, bind};
use crate::graph::plan::Plan;
use crate::ir::print::print;
use crate::ir::sizes::Sizes;
use crate::ir::verify::verify;
use crate::ir::{Graph, steps};
use crate::ops::apply_samples::{ADAM, apply_adam};
use crate::tensor::{Tensor, TensorType};
use crate::{GradientTape, Variable};

/// The growth that is allowed beyond eight: logarithms, and bounds that small graphs do not reach.
const MOST: f64 = 8.0 * 1.3;

fn record(examples: &[&Tensor], f: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let builder = Builder::function("f");
    let params: Vec<Tensor> = examples.iter().map(|t| builder.param(t.ty())).collect();
    builder.record_in(|| builder.finish(&f(&params))).unwrap().graph
}

/// The steps of everything that is done with a graph, by name.
fn steps_of(make: &dyn Fn() -> Graph) -> Vec<(String, u64)> {
    let (recorded, mut graph) = steps::of(make);
    let mut all = vec![("record".to_owned(), recorded)];
    let verified = steps::of(|| verify(&graph).unwrap()).0;
    all.extend([("verify".to_owned(), verified), ("print".to_owned(), steps::of(|| print(&graph)).0)]);
    let mut pass = |name: &str, graph: &Graph, pass: &dyn Fn(&Graph) -> Graph| {
        let (count, new) = steps::of(|| pass(graph));
        all.push((name.to_owned(), count));
        new
    };
    for (name, each) in passes::PASSES {
        graph = pass(name, &graph, &|graph| each(graph).unwrap());
    }
    let params: Vec<TensorType> = graph.param_types().copied().collect();
    graph = pass("bind", &graph, &|graph| bind::bind(graph, &params, &Sizes::default()).unwrap().unwrap());
    for (name, each) in passes::WITH_SIZES {
        graph = pass(&format!("{name}, with sizes"), &graph, &|graph| each(graph).unwrap());
    }
    let (count, plan) = steps::of(|| Plan::of_optimised(&graph));
    assert!(plan.is_some());
    all.push(("plan".to_owned(), count));
    all
}

/// Fails for each kind of work whose steps grow faster than the nodes.
fn grows_evenly(n: usize, make: impl Fn(usize) -> Graph) {
    let (few, many) = (steps_of(&|| make(n)), steps_of(&|| make(8 * n)));
    let nodes = [n, 8 * n].map(|n| make(n).node_count());
    let growth = |(few, many): (&(String, u64), &(String, u64))| (many.1 as f64 / few.1.max(1) as f64, many.clone());
    let too_fast = few.iter().zip(&many).map(growth).filter(|(growth, _)| *growth > MOST);
    let list: Vec<String> =
        too_fast.map(|(growth, (name, steps))| format!("{name}: {steps} steps, {growth:.1} times as many")).collect();
    assert!(list.is_empty(), "{} nodes instead of {}:\n{}", nodes[1], nodes[0], list.join("\n"));
}

fn straight(n: usize, p: &[Tensor], product: fn(&Tensor, &Tensor) -> Tensor) -> Tensor {
    let (mut x, y) = (p[0].clone(), &p[1]);
    for i in 0..n {
        x = if i % 3 == 2 { product(&x, y) } else { tf::tanh(y + &x) };
    }
    x
}

fn square() -> Tensor {
    tf::ones([8, 8])
}

#[test]
fn a_straight_line() {
    let product: fn(&Tensor, &Tensor) -> Tensor = |x, y| tf::matmul(x, y);
    grows_evenly(240, |n| record(&[&square(), &square()], |p| vec![straight(n, p, product)]));
}

#[test]
fn a_straight_line_of_one_space_with_a_number_of_its_own_each_time() {
    let line = |n: usize, x: &Tensor| (0..n).fold(x.clone(), |x, i| (x * (1.0 + i as f64 * 1e-3)).tanh());
    grows_evenly(240, |n| record(&[&square()], |p| vec![line(n, &p[0])]));
}

#[test]
fn straight_lines_with_gradients() {
    for product in [|x: &Tensor, y: &Tensor| tf::matmul(x, y), |x: &Tensor, y: &Tensor| x * y] {
        let slopes = |n: usize, p: &[Tensor]| {
            let mut tape = GradientTape::new();
            tape.watch(p);
            let z = tf::reduce_sum(straight(n, p, product), ());
            let (dx, dy) = tape.gradient(&z, (&p[0], &p[1]));
            vec![z, dx, dy]
        };
        grows_evenly(120, |n| record(&[&square(), &square()], |p| slopes(n, p)));
    }
}

#[test]
fn a_network_of_many_layers_with_adam() {
    let layer = |_| [Variable::new(tf::ones([20, 20])), Variable::new(tf::zeros([20]))];
    let all: Vec<Variable> = (0..160).flat_map(layer).collect();
    let moments = [0, 1].map(|_| all.iter().map(|v| Variable::new(tf::zeros_like(v.value()))).collect::<Vec<_>>());
    let step = |n: usize, p: &[Tensor]| {
        let weights = &all[..2 * n];
        let tape = GradientTape::new();
        let layer = |h: Tensor, w: &[Variable]| tf::relu(tf::bias_add(tf::matmul(h, &w[0]), &w[1]));
        let loss = tf::reduce_mean(weights.chunks(2).fold(p[0].clone(), layer), ());
        let gradients = tape.gradient(&loss, weights).try_to_vec().unwrap();
        let [first, second] = [0, 1].map(|i| &moments[i][..2 * n]);
        let (rate, time) = (Tensor::from(1e-3f32), Tensor::from(1i64));
        apply_adam(weights, first, second, &gradients, &rate, &time, ADAM).unwrap();
        vec![loss]
    };
    grows_evenly(20, |n| record(&[&tf::ones([20, 20])], |p| step(n, p)));
}

/// One value that all read, many that are read far away, and as many results.
#[test]
fn values_with_many_readers_and_many_results() {
    let fan = |n: usize, p: &[Tensor]| {
        let shared = tf::tanh(&p[0]);
        let parts: Vec<Tensor> = (0..n).map(|i| tf::matmul(&shared, &p[1]) + &shared * (i as f64)).collect();
        let sums = parts.iter().rev().zip(&parts).map(|(a, b)| a * b + &shared);
        sums.chain(parts.iter().cloned()).collect()
    };
    grows_evenly(60, |n| record(&[&square(), &square()], |p| fan(n, p)));
}

/// Bodies that capture much, and of which much can leave a loop.
#[test]
fn branches_and_loops_with_large_bodies() {
    use tf::__measure::repeat_while;
    let looped = |n: usize, p: &[Tensor]| {
        let start: Vec<&Tensor> = std::iter::once(&p[0]).chain(&p[1..]).collect();
        let body = |p: &[Tensor]| {
            let same = p[2..].iter().map(|x| tf::tanh(x)).fold(p[1].clone(), |sum, x| tf::matmul(&sum, &p[1]) + x);
            let mut next = p.to_vec();
            next[0] = &p[0] + 1;
            next[1] = straight(n, &[same, p[1].clone()], |x, y| tf::matmul(x, y));
            next
        };
        let mut out = repeat_while(&start, |p| tf::less(&p[0], 3), body);
        vec![out.remove(1)]
    };
    grows_evenly(40, |n| {
        let mut examples = vec![tf::constant(0)];
        examples.extend((0..n).map(|_| square()));
        record(&examples.iter().collect::<Vec<_>>(), |p| looped(n, p))
    });
}

/// What is read behind the loop was a further value the round before, and so on: as many rounds as values tell what is alive.
#[test]
fn a_loop_that_hands_its_values_on() {
    use tf::__measure::repeat_while;
    let looped = |p: &[Tensor]| {
        let start: Vec<&Tensor> = p.iter().collect();
        let body = |p: &[Tensor]| {
            let shifted = p[1..].iter().chain([&p[1]]).skip(1).map(|x| tf::tanh(x));
            std::iter::once(&p[0] + 1).chain(shifted).collect()
        };
        vec![repeat_while(&start, |p| tf::less(&p[0], 3), body).swap_remove(1)]
    };
    grows_evenly(30, |n| {
        let mut examples = vec![tf::constant(0)];
        examples.extend((0..n).map(|_| square()));
        record(&examples.iter().collect::<Vec<_>>(), looped)
    });
}

/// Sizes that depend on values: the graph becomes segments.
#[test]
fn parts_between_sizes_that_only_a_run_knows() {
    let make = |n: usize| {
        let graph = record(&[&square(), &tf::ones([64])], |p| {
            let masked = |x: &Tensor| tf::boolean_mask(x, tf::greater(x, 0.5), 0);
            let parts = (0..n).map(|i| tf::reduce_sum(masked(&(&p[1] * (i as f64))), ()) + tf::tanh(&p[0] + i as f64));
            vec![parts.reduce(|a, b| tf::matmul(a, b)).unwrap()]
        });
        passes::optimise(&graph).unwrap()
    };
    let [few, many] = [make(20), make(160)].map(|graph| {
        let (count, new) = steps::of(|| passes::outline::outline(&graph).unwrap().unwrap());
        assert!(print(&new).contains("segment"));
        count
    });
    assert!((many as f64) < few as f64 * MOST, "{few} steps, then {many}");
}

/// Twenty thousand nodes, from recording to freeing, on a stack that has no room for a frame per node.
#[test]
fn a_large_graph_needs_no_deep_stack() {
    let work = || {
        let graph = record(&[&square(), &square()], |p| {
            let mut tape = GradientTape::new();
            tape.watch(p);
            let z = tf::reduce_sum(straight(4300, p, |x, y| tf::matmul(x, y)), ());
            let (dx, dy) = tape.gradient(&z, (&p[0], &p[1]));
            vec![z, dx, dy]
        });
        assert!(graph.node_count() > 20_000, "{}", graph.node_count());
        let plan = Plan::compile(&graph, &Sizes::default()).unwrap().unwrap();
        let inputs = || [square() * 0.01, square() * 0.02].into_iter().collect();
        plan.run(inputs()).unwrap();
        drop((plan, graph));
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn the_gradient_of_a_graph() {
    let [few, many] = [60, 480].map(|n| {
        let graph = record(&[&square(), &square()], |p| vec![straight(n, p, |x, y| tf::matmul(x, y))]);
        steps::of(|| differentiate(&graph, &[true, true], usize::MAX).unwrap()).0
    });
    assert!((many as f64) < few as f64 * MOST, "{few} steps, then {many}");
}
