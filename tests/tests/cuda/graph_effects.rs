//! Captured calls with effects: variables and generators that change in branches and loops, and gradients through both.
//! Compared with the CPU as in `graphs`.

use super::graphs::{CALLS, WARM, agree, numbers};
use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{GradientTape, Tensor, Variable, random::Generator, tf_function};

/// Counts its calls, and keeps what it has seen above zero and below apart.
#[tf_function]
fn keep(up: &Variable, down: &Variable, count: &Variable, x: &Tensor) -> Tensor {
    if tf::reduce_sum(x, 0) > 0.0 {
        up.assign_add(x);
        count.assign_add(tf::constant(1));
    } else {
        let before = down.value();
        down.assign(&before * 0.5 + x);
        let mut left = count.value();
        while &left > 0 {
            down.assign_sub(&before * 0.125);
            left = left - 1;
        }
    }
    up.value() - down.value()
}

#[test]
fn variables_change_in_the_branch_that_runs_alone() {
    let Some(gpu) = gpu() else { return };
    let make = || (Variable::new(numbers(9, 0.0)), Variable::new(numbers(9, 2.0)), Variable::new(tf::constant(0)));
    let call = |(up, down, count): &(Variable, Variable, Variable), i: usize| {
        vec![keep(up, down, count, &numbers(9, i as f32 * 1.3))]
    };
    let after = |(up, down, count): &(Variable, Variable, Variable)| vec![up.value(), down.value(), count.value()];
    assert_eq!(agree(&gpu, &make, &call, &after), (CALLS - 1) as u64 - WARM);
}

#[tf_function]
fn draws(x: &Tensor, generator: &Generator) -> Tensor {
    let mut y = x + generator.normal([6], 0.0, 1.0);
    if tf::reduce_sum(x, 0) > 0.0 {
        y = y + generator.uniform([6], 0.0, 1.0);
    }
    while tf::reduce_max(&y, 0) < 3.0 {
        y = y + generator.uniform([6], 0.0, 1.0);
    }
    y * generator.uniform([6], 0.0, 1.0)
}

#[test]
fn random_numbers_go_on_by_what_was_drawn() {
    let Some(gpu) = gpu() else { return };
    let call = |generator: &Generator, i: usize| vec![draws(&numbers(6, i as f32), generator)];
    let started = agree(&gpu, &|| Generator::from_seed(5), &call, &|g: &Generator| vec![g.uniform([3], 0.0, 1.0)]);
    assert_eq!(started, (CALLS - 1) as u64 - WARM);
}

#[tf_function]
fn train(w: &Variable, x: &Tensor) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let z = w * x;
    let y = if tf::reduce_sum(&z, 0) > 0.0 {
        let scale = if tf::reduce_max(&z, 0) > 2.0 { z.sigmoid() } else { z.tanh() };
        tf::reduce_sum(z.exp() * scale, 0)
    } else {
        tf::reduce_sum(z.square() * w, 0)
    };
    let dw = tape.gradient(&y, w);
    w.assign_sub(&dw * 0.01);
    (y, dw)
}

#[test]
fn gradients_go_through_branches() {
    let Some(gpu) = gpu() else { return };
    let call = |w: &Variable, i: usize| {
        let (y, dw) = train(w, &numbers(15, i as f32 * 0.9));
        vec![y, dw]
    };
    let started = agree(&gpu, &|| Variable::new(numbers(15, 0.7)), &call, &|w: &Variable| vec![w.value()]);
    assert_eq!(started, (CALLS - 1) as u64 - WARM, "{}", tf::function(train).plan().unwrap());
}

/// A recurrence over the rows of a tensor, with all its states: how many rounds there are follows from the shape.
#[tf_function]
fn recurrence(w: &Variable, rows: &Tensor) -> (Tensor, Tensor) {
    let tape = GradientTape::new();
    let mut state = rows.at(0) * 0.0;
    let mut states = Vec::new();
    for row in rows {
        state = (w * &state + row).tanh();
        states.push(state.clone());
    }
    let all = tf::stack(&states, 0);
    let loss = tf::reduce_sum(all.square(), ());
    let dw = tape.gradient(&loss, w);
    w.assign_sub(&dw * 0.05);
    (loss, all)
}

#[test]
fn a_loop_over_rows_is_captured_with_its_gradient() {
    let Some(gpu) = gpu() else { return };
    let call = |w: &Variable, i: usize| {
        let (loss, all) = recurrence(w, &tf::reshape(&numbers(28, i as f32), [7, 4]));
        vec![loss, all]
    };
    let started = agree(&gpu, &|| Variable::new(numbers(4, 0.3)), &call, &|w: &Variable| vec![w.value()]);
    assert_eq!(started, (CALLS - 1) as u64 - WARM, "{}", tf::function(recurrence).plan().unwrap());
}
