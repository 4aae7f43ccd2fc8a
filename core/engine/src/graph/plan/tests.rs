//! Plans against the executor that defines the results: the same bits, the same effects, the same errors.
//! Graphs are recorded by hand, as a traced function records them.

use super::Plan;
use crate as tf;
use crate::builder::{self, Builder};
use crate::execute::execute;
use crate::graph::control::{Cond, While};
use crate::graph::run;
use crate::ir::Graph;
use crate::ir::sizes::Sizes;
use crate::op::{Operands, Outputs};
use crate::ops::apply_samples::{ADAM, apply_adam};
use crate::tensor::Tensor;
use crate::{GradientTape, Variable, s};
use kernels::dtype::DType;
use kernels::error::Result;
use std::sync::Arc;

/// A graph of a function of tensors like these, and what it captured.
pub(super) fn record(examples: &[&Tensor], f: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> (Graph, Vec<Tensor>) {
    let builder = Builder::function("f");
    let params: Vec<Tensor> = examples.iter().map(|t| builder.param(t.ty())).collect();
    let closed = builder.record_in(|| builder.finish(&f(&params))).unwrap();
    (closed.graph, closed.captures)
}

pub(super) fn plan(graph: &Graph) -> Plan {
    Plan::compile(graph, &Sizes::default()).unwrap().expect("a graph of known sizes has a plan")
}

pub(super) fn operands(inputs: &[&Tensor], captures: &[Tensor]) -> Operands {
    inputs.iter().map(|&t| t.clone()).chain(captures.iter().cloned()).collect()
}

pub(super) fn same(a: &Outputs, b: &Outputs) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert_eq!(a.ty(), b.ty(), "result {i}");
        if a.dtype().size() == 0 {
            continue;
        }
        let bytes = |t: &Tensor| {
            let t = t.to_dense().unwrap();
            // SAFETY: a dense tensor of these many bytes.
            unsafe { std::slice::from_raw_parts(t.data(), t.ty().bytes()) }.to_vec()
        };
        assert!(bytes(a) == bytes(b), "result {i}: {a} instead of {b}");
    }
}

/// Runs a function of tensors both ways, the plan three times.
pub(super) fn check(inputs: &[&Tensor], f: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Plan {
    let (graph, captures) = record(inputs, f);
    assert!(captures.is_empty());
    let plan = plan(&graph);
    let expected = run::run(&graph, operands(inputs, &[]), &Sizes::default()).unwrap();
    for _ in 0..3 {
        same(&plan.run(operands(inputs, &[])).unwrap(), &expected);
    }
    plan
}

pub(super) fn noise(shape: &[usize], seed: u64) -> Tensor {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let n = shape.iter().product();
    let values: Vec<f32> = (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 22) as f32 - 2.0
        })
        .collect();
    Tensor::try_from_vec(values, shape).unwrap()
}

fn formula(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    tf::reduce_mean(tf::tanh(a * b + c) * tf::sigmoid(a) - tf::exp(-(b * b)), ())
}

fn with_gradients(p: &[Tensor], f: impl Fn(&[Tensor]) -> Tensor) -> Vec<Tensor> {
    let mut tape = GradientTape::new();
    tape.watch(p);
    let y = f(p);
    let sources: Vec<&Tensor> = p.iter().collect();
    let gradients = tape.gradient(&y, &sources[..]).try_to_vec().unwrap();
    std::iter::once(y).chain(gradients).collect()
}

#[test]
fn one_pass_of_many_operations() {
    for n in [1, 3, 63, 64, 511, 512, 513, 4096, 5000, 40_000, 300_001] {
        let [a, b, c] = [1, 2, 3].map(|seed| noise(&[n], seed));
        let plan = check(&[&a, &b, &c], |p| vec![formula(&p[0], &p[1], &p[2])]);
        assert_eq!(plan.steps.len(), 2, "an output and a fused for {n} elements");
        let plan = check(&[&a, &b, &c], |p| with_gradients(p, |p| formula(&p[0], &p[1], &p[2])));
        assert!(plan.steps.iter().filter(|s| matches!(s, super::Step::FusedLoop { .. })).count() <= 2, "{n}");
    }
}

#[test]
fn reductions_along_every_axis() {
    for shape in
        [&[7, 5][..], &[3, 100], &[100, 3], &[2, 3, 5], &[1, 1], &[4, 1, 6], &[40, 700], &[9000, 17], &[3, 20_000]]
    {
        let (x, y) = (noise(shape, 4), noise(shape, 5));
        for axes in 1..1u32 << shape.len() {
            let axes: Vec<isize> = (0..shape.len() as isize).filter(|a| axes >> a & 1 == 1).collect();
            check(&[&x, &y], |p| {
                let z = &p[0] * &p[1] + 0.5;
                vec![
                    tf::reduce_sum(&z, &axes[..]),
                    tf::reduce_max(&z, &axes[..]),
                    tf::reduce_mean(z.square(), &axes[..]),
                    z,
                ]
            });
        }
    }
}

#[test]
fn broadcasting_casts_and_choices() {
    let (x, bias, column) = (noise(&[33, 20], 1), noise(&[20], 2), noise(&[33, 1], 3));
    check(&[&x, &bias, &column], |p| {
        let z = (&p[0] + &p[1]) * &p[2];
        let positive = tf::greater(&z, 0.0);
        let chosen = tf::where_(&positive, &z, &(&z * 0.1));
        vec![
            chosen.cast(DType::I32),
            tf::cast(&positive, DType::F64),
            chosen.cast(DType::BF16),
            tf::reduce_any(&positive, 1),
        ]
    });
    let half = x.cast(DType::BF16);
    check(&[&half], |p| vec![(&p[0] * &p[0] + &p[0]).tanh(), tf::reduce_sum(&p[0].exp(), 0)]);
    let i = tf::constant([[1, -2, 3], [7, 8, -9]]);
    check(&[&i], |p| vec![&p[0] * &p[0] - 3, tf::reduce_max(&(&p[0] + 1), 0), tf::floormod(&p[0], 4)]);
    check(&[&tf::constant(3.0), &tf::constant(4.0)], |p| vec![&p[0] / &p[1] + 1.0, p[0].square()]);
}

/// How many fused loops of a plan are machine code.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn compiled(plan: &Plan) -> usize {
    let is = |step: &&super::Step| matches!(step, super::Step::FusedLoop { fused, .. } if fused.is_compiled());
    plan.steps.iter().filter(is).count()
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn passes_are_machine_code_where_all_instructions_are_known() {
    use kernels::backend::cpu::Isa;
    let here = Isa::current() != Isa::Portable && std::env::var_os("EAGERFLOW_JIT").is_none_or(|v| v != "off");
    // Tails, wrapped and periodic operands, rows of every length, several blocks; a power is left to the tile loops.
    for shape in [&[40][..], &[1000], &[100_003], &[7, 3], &[33, 64], &[9, 700], &[3, 20_000], &[20_000, 3]] {
        let (x, y) = (noise(shape, 1), noise(&shape[shape.len() - 1..], 2));
        let plan = check(&[&x, &y], |p| {
            let z = tf::relu(&(&p[0] - &p[1])) * 0.5 + tf::sigmoid(&p[0]);
            let last = shape.len() as isize - 1;
            vec![tf::reduce_max(&z, last), tf::reduce_sum(&tf::exp(&z), 0), tf::reduce_mean(&z, ()), z]
        });
        assert!(!here || compiled(&plan) > 0, "{shape:?}");
        // Some arguments are too large for what vectors compute, over operands that their results take the place of.
        let plan = check(&[&x], |p| {
            vec![tf::cos(tf::sin(&p[0] * &p[0] * 1e6) * 2e5), tf::reduce_sum(tf::sin(&p[0] * 1e7), -1)]
        });
        assert!(!here || compiled(&plan) > 0, "{shape:?}");
        let plan = check(&[&x], |p| vec![tf::pow(tf::abs(&p[0]), &p[0]) + 1.0]);
        assert_eq!(compiled(&plan), 0);
    }
}

#[test]
fn normalisation_takes_as_many_passes_as_it_must() {
    let x = noise(&[50, 30], 8);
    check(&[&x], |p| {
        let mean = tf::reduce_mean(&p[0], tf::keep_dims(-1));
        let centred = &p[0] - &mean;
        let variance = tf::reduce_mean(centred.square(), tf::keep_dims(-1));
        let y = &centred * tf::rsqrt(&(&variance + 1e-5));
        vec![tf::softmax(&y, -1), y]
    });
    check(&[&x], |p| {
        with_gradients(p, |p| {
            let e = tf::exp(&(&p[0] - tf::reduce_max(&p[0], tf::keep_dims(1))));
            tf::reduce_sum((&e / tf::reduce_sum(&e, tf::keep_dims(1))).square(), ())
        })
    });
}

#[test]
fn views_strides_and_aliases() {
    let x = noise(&[12, 10], 3);
    let strided = x.t();
    check(&[&strided, &strided], |p| {
        vec![&p[0] + &p[1], tf::reduce_sum(&(&p[0] * 2.0), 0), tf::matmul(&p[0], &tf::transpose(&p[1], []))]
    });
    check(&[&x], |p| {
        let rows = p[0].at(s![2..9, ..;3]);
        vec![&rows * 2.0, rows.reshape([28]), p[0].clone(), tf::concat(&[&rows, &rows], 0), p[0].clone()]
    });
    check(&[&x.reshape([120])], |p| vec![p[0].reshape([12, 10]).t(), tf::reverse(&p[0].reshape([4, 30]), [0]) + 1.0]);
    check(&[&tf::zeros([0, 4])], |p| vec![&p[0] + 1.0, tf::reduce_sum(&(&p[0] + 1.0), 0), tf::reduce_mean(&p[0], ())]);
}

#[test]
fn constants_and_unused_values() {
    let x = noise(&[5], 3);
    check(&[&x], |p| {
        let _unused = &p[0] * 3.0;
        let table = tf::constant([1.0, 2.0, 3.0, 4.0, 5.0]) * 2.0;
        vec![&p[0] * &table, tf::zeros([3]), tf::ones([2, 2]) + 1.0, table.reshape([5, 1]), tf::constant(2)]
    });
}

fn line_fit(x: &Tensor, y: &Tensor, w: &Variable, b: &Variable) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_mean((y - (w * x + b)).square(), ());
    let (dw, db) = tape.gradient(&loss, (w, b));
    w.assign_sub(dw * 0.01);
    b.assign_sub(db * 0.01);
    loss
}

/// Runs a step with variables both ways, some times, from the same start.
fn train(inputs: &[&Tensor], variables: &[Variable], f: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Plan {
    let (graph, captures) = record(inputs, f);
    let plan = plan(&graph);
    let handles: Vec<Variable> = captures.iter().map(|t| Variable::from_handle(t.clone())).collect();
    let start: Vec<Tensor> = handles.iter().map(|v| v.value().to_dense().unwrap()).collect();
    let mut states = Vec::new();
    for planned in [false, true] {
        handles.iter().zip(&start).for_each(|(v, t)| v.assign(t));
        let mut results = Vec::new();
        for _ in 0..4 {
            let inputs = operands(inputs, &captures);
            results.push(match planned {
                true => plan.run(inputs).unwrap(),
                false => run::run(&graph, inputs, &Sizes::default()).unwrap(),
            });
        }
        let state: Outputs = handles.iter().map(|v| tf::concat(&[v.value().reshape([-1isize])], 0)).collect();
        states.push((results, state));
    }
    for (a, b) in states[0].0.iter().zip(&states[1].0) {
        same(b, a);
    }
    same(&states[1].1, &states[0].1);
    assert!(!variables.is_empty());
    plan
}

#[test]
fn a_training_step_is_a_few_steps() {
    let (x, e) = (noise(&[2000], 1), noise(&[2000], 2));
    let y = &x * 3.0 + 2.0 + e;
    let (w, b) = (Variable::new(5.0), Variable::new(0.0));
    let plan = train(&[&x, &y], &[w.clone(), b.clone()], |p| vec![line_fit(&p[0], &p[1], &w, &b)]);
    let passes = plan.steps.iter().filter(|s| matches!(s, super::Step::FusedLoop { .. })).count();
    assert!(passes <= 3, "{passes} passes");
}

#[test]
fn networks_train_alike() {
    let x = noise(&[8, 20], 1);
    let labels = tf::constant([0, 1, 2, 3, 0, 1, 2, 3]);
    let v: Vec<Variable> =
        [&[20, 30][..], &[30], &[30, 4], &[4]].iter().zip(3..).map(|(s, i)| Variable::new(noise(s, i))).collect();
    let moments = [0, 1].map(|_| v.iter().map(|v| Variable::new(tf::zeros_like(v.value()))).collect::<Vec<_>>());
    let time = Variable::with(Tensor::from(0i64), "time", false);
    let step = |x: &Tensor, labels: &Tensor| {
        let tape = GradientTape::new();
        let h = tf::relu(tf::bias_add(tf::matmul(x, &v[0]), &v[1]));
        let logits = tf::bias_add(tf::matmul(h, &v[2]), &v[3]);
        let loss = tf::reduce_mean(tf::sparse_softmax_cross_entropy_with_logits(labels, &logits), ());
        let gradients = tape.gradient(&loss, &v).try_to_vec().unwrap();
        let rate = Tensor::from(1e-2f32);
        apply_adam(&v, &moments[0], &moments[1], &gradients, &rate, &time.value(), ADAM).unwrap();
        time.assign_add(tf::constant_of(1, DType::I64));
        loss
    };
    train(&[&x, &labels], &v, |p| vec![step(&p[0], &p[1])]);
    let images = noise(&[2, 9, 8, 1], 5);
    let v: Vec<Variable> =
        [&[3, 3, 1, 4][..], &[4], &[4, 3], &[3]].iter().zip(3..).map(|(s, i)| Variable::new(noise(s, i))).collect();
    let labels = tf::constant([2, 1]);
    train(&[&images, &labels], &v, |p| {
        let tape = GradientTape::new();
        let h = tf::relu(tf::bias_add(tf::conv2d(&p[0], &v[0], [1, 1], tf::Padding::Valid), &v[1]));
        let logits = tf::bias_add(tf::matmul(tf::reduce_mean(h, [1, 2]), &v[2]), &v[3]);
        let loss = tf::reduce_mean(tf::sparse_softmax_cross_entropy_with_logits(&p[1], &logits), ());
        let gradients = tape.gradient(&loss, &v).try_to_vec().unwrap();
        v.iter().zip(&gradients).for_each(|(v, g)| v.assign_sub(g * 0.1));
        vec![loss]
    });
}

#[test]
fn variables_keep_program_order() {
    let w = Variable::new([1.0, 2.0]);
    let x = tf::constant([10.0, 20.0]);
    train(&[&x], std::slice::from_ref(&w), |p| {
        let before = w.value();
        let early = &before * 2.0;
        w.assign_add(&p[0]);
        let between = w.value();
        w.assign(&(&between * 0.5));
        vec![before, early, between, w.value(), w.value() + 1.0]
    });
    // A value that is held outside does not change.
    let (graph, captures) = record(&[&x], |p| {
        w.assign_add(&p[0]);
        vec![]
    });
    let plan = plan(&graph);
    let held = w.value();
    let numbers = held.to_vec::<f32>();
    plan.run(operands(&[&x], &captures)).unwrap();
    assert_eq!(held.to_vec::<f32>(), numbers);
    assert_eq!(w.value().to_vec::<f32>(), (&held + &x).to_vec::<f32>());
    let id = w.value().id();
    plan.run(operands(&[&x], &captures)).unwrap();
    assert_ne!(w.value().id(), id);
}

#[test]
fn one_variable_in_two_places() {
    let (v, w) = (Variable::new(1.0), Variable::new(2.0));
    let (graph, captures) = record(&[], |_| {
        v.assign_add(&w.value());
        w.assign_add(&v.value());
        vec![v.value() + w.value()]
    });
    let plan = plan(&graph);
    let twice: Operands = [captures[0].clone(), captures[0].clone()].into_iter().collect();
    let before = Variable::from_handle(captures[0].clone()).value().item::<f32>();
    let result = plan.run(twice).unwrap();
    assert_eq!(result[0].item::<f32>(), 8.0 * before);
}

pub(super) fn staged_while(
    start: &[&Tensor],
    cond: impl FnOnce(&[Tensor]) -> Tensor,
    body: impl FnOnce(&[Tensor]) -> Vec<Tensor>,
) -> Result<Vec<Tensor>> {
    let outer = builder::current().unwrap();
    let bodies = ["cond", "body"].map(|name| outer.inside(name));
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
    let outer = builder::current().unwrap();
    let branch = |f: Box<dyn FnOnce(&Tensor) -> Tensor + '_>| {
        let b = outer.inside("branch");
        let p = b.param(x.ty());
        Arc::new(b.record_in(|| b.finish(&[f(&p)])).unwrap().graph)
    };
    let op = Cond { then: branch(Box::new(then)), otherwise: branch(Box::new(other)) };
    execute(&op, &[c, x]).unwrap().remove(0)
}

/// `n` rounds in which values change places and take branches.
fn rounds(p: &[Tensor]) -> Vec<Tensor> {
    let zero = tf::constant(0);
    let out = staged_while(
        &[&zero, &p[0], &p[1], &p[2]],
        |v| tf::less(&v[0], &v[3]),
        |v| {
            let even = tf::equal(&tf::floormod(&v[0], 2), 0);
            let next = staged_cond(&even, &v[1], |x| tf::sin(x) * 2.0, |x| x * 0.5 + 0.25);
            // The other two swap.
            vec![&v[0] + 1, v[2].clone(), next, v[3].clone()]
        },
    );
    out.unwrap()
}

#[test]
fn loops_and_branches() {
    for shape in [&[][..], &[3], &[600]] {
        let (x, y) = (noise(shape, 2), noise(shape, 3));
        for n in [0, 1, 2, 7] {
            check(&[&x, &y, &tf::constant(n)], rounds);
        }
    }
}

#[test]
fn gradients_of_loops() {
    let (x, y) = (noise(&[4], 2), noise(&[4], 3));
    for n in [0, 1, 5] {
        let (graph, _) = record(&[&x, &y, &tf::constant(n)], |p| {
            with_gradients(&p[..2], |q| {
                let all = [q[0].clone(), q[1].clone(), p[2].clone()];
                let out = rounds(&all);
                tf::reduce_sum(&(&out[1] * &out[2]), ())
            })
        });
        let plan = plan(&graph);
        let inputs = || operands(&[&x, &y, &tf::constant(n)], &[]);
        let expected = run::run(&graph, inputs(), &Sizes::default()).unwrap();
        for _ in 0..3 {
            same(&plan.run(inputs()).unwrap(), &expected);
        }
    }
}

#[test]
fn errors_name_the_line_and_leave_the_plan_usable() {
    let (graph, _) = record(&[&tf::constant([6, 7]), &tf::constant([1, 2])], |p| vec![&p[0] / &p[1]]);
    let plan = plan(&graph);
    let divide = |d: [i32; 2]| plan.run(operands(&[&tf::constant([6, 7]), &tf::constant(d)], &[]));
    let text = divide([1, 0]).unwrap_err().to_string();
    assert!(text.contains("integer division by zero") && text.contains("plan/tests.rs"), "{text}");
    assert_eq!(divide([2, 7]).unwrap()[0].to_vec::<i32>(), [3, 1]);
    let table = noise(&[4, 3], 1);
    let (graph, _) = record(&[&table, &tf::constant([0])], |p| vec![tf::gather(&p[0], &p[1], 0) * 2.0]);
    let plan = super::tests::plan(&graph);
    let error = plan.run(operands(&[&table, &tf::constant([9])], &[])).unwrap_err();
    let expected = run::run(&graph, operands(&[&table, &tf::constant([9])], &[]), &Sizes::default()).unwrap_err();
    assert_eq!(error.to_string(), expected.to_string());
    assert!(plan.run(operands(&[&table, &tf::constant([1])], &[])).is_ok());
}

#[test]
fn eight_threads_at_once() {
    let (x, w) = (noise(&[70_000], 1), Variable::new(2.0));
    let (graph, captures) = record(&[&x], |p| vec![tf::reduce_sum(&(tf::tanh(&p[0]) * &w), ()), &p[0] * 2.0]);
    let plan = plan(&graph);
    let expected = plan.run(operands(&[&x], &captures)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..20).for_each(|_| same(&plan.run(operands(&[&x], &captures)).unwrap(), &expected)));
        }
    });
}

/// Steps that follow the Collatz rule, with the branch as a graph.
fn collatz(start: &Tensor) -> Vec<Tensor> {
    let steps = tf::constant(0);
    staged_while(
        &[start, &steps],
        |v| tf::not_equal(&v[0], 1),
        |v| {
            let even = tf::equal(&tf::floormod(&v[0], 2), 0);
            vec![staged_cond(&even, &v[0], |n| tf::floordiv(n, 2), |n| n * 3 + 1), &v[1] + 1]
        },
    )
    .unwrap()
}

#[test]
fn loops_over_scalars() {
    for (start, steps) in [(1, 0), (2, 1), (6, 8), (27, 111)] {
        let plan = check(&[&tf::constant(start)], |p| collatz(&p[0]));
        assert_eq!(plan.run(operands(&[&tf::constant(start)], &[])).unwrap()[1].item::<i32>(), steps);
    }
    for n in [0, 1, 2, 3, 1000] {
        check(&[&tf::constant(0.5), &tf::constant(n), &tf::constant_of(2.0, DType::F64)], |p| {
            let zero = tf::constant(0);
            staged_while(
                &[&zero, &p[0], &p[2], &p[1], &p[0]],
                |v| tf::less(&v[0], &v[3]),
                // A product that is read twice, one that is not, values that change places, one that stays.
                |v| {
                    let product = &v[1] * 0.999;
                    vec![
                        &v[0] + 1,
                        &v[4] + 0.001,
                        tf::sin(&v[2]) * 1.5 + &v[2],
                        v[3].clone(),
                        &product * 0.5 + product.tanh(),
                    ]
                },
            )
            .unwrap()
        });
    }
    // While a number is below another, nan is not.
    check(&[&tf::constant(f32::NAN)], |p| {
        staged_while(&[&p[0]], |v| tf::less(&v[0], 5.0), |v| vec![&v[0] * 2.0]).unwrap()
    });
    check(&[&tf::constant(0.3)], |p| staged_while(&[&p[0]], |v| tf::less(&v[0], 5.0), |v| vec![&v[0] * 2.0]).unwrap());
}
