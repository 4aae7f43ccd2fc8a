//! Traced functions on a GPU: clusters as one kernel, gradients, branches and loops, variables.
//! Results are those of the CPU; the emulation's counters say how many kernels ran.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{GradientTape, Tensor, Variable, tf_function};

fn close(got: &Tensor, want: &Tensor) {
    assert_eq!((got.shape(), got.dtype()), (want.shape(), want.dtype()));
    for (a, b) in got.to_vec::<f32>().iter().zip(want.to_vec::<f32>()) {
        assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{got} {want}");
    }
}

fn numbers(n: usize, seed: f32) -> Tensor {
    Tensor::from((0..n).map(|i| (i as f32 * 0.37 + seed).sin() * 2.0).collect::<Vec<_>>())
}

#[tf_function]
fn formula(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    tf::reduce_mean(&((a * b + c).tanh() * a.sigmoid() - (-(b * b)).exp()), 0)
}

#[test]
fn a_formula_is_few_kernels() {
    let Some(gpu) = gpu() else { return };
    for n in [1, 7, 1000, 70_001] {
        let here = [numbers(n, 0.0), numbers(n, 1.0), numbers(n, 2.0)];
        let there = here.each_ref().map(|t| t.gpu());
        let want = formula(&here[0], &here[1], &here[2]);
        let first = formula(&there[0], &there[1], &there[2]);
        assert_eq!(first.device().to_string(), "/device:GPU:0");
        close(&first, &want);
        if let Some(emulation) = gpu.emulation {
            emulation.reset_counters();
            formula(&there[0], &there[1], &there[2]).item::<f32>();
            let counted = emulation.counters();
            assert!(counted.launches <= 2 && counted.host_to_device == 0, "{counted:?}");
        }
    }
}

#[tf_function]
fn across(x: &Tensor, y: &Tensor) -> (Tensor, Tensor) {
    let z = tf::transpose(x, []) * y + 1.0;
    (tf::reduce_sum(&z, 1), z)
}

#[test]
fn large_transposed_operands_are_turned_by_tiles_first() {
    let Some(gpu) = gpu() else { return };
    // The second has too few elements to be worth a kernel of its own. The third is too narrow for tiles.
    for ([rows, columns], kernels) in [([1030_isize, 1021], 2), ([130, 121], 1), ([40_000, 30], 1)] {
        let x = numbers((rows * columns) as usize, 0.0).reshape([rows, columns]);
        let y = numbers((rows * columns) as usize, 1.0).reshape([columns, rows]);
        let (x_there, y_there) = (x.gpu(), y.gpu());
        let (sums, all) = across(&x, &y);
        let (sums_there, all_there) = across(&x_there, &y_there);
        close(&sums_there, &sums);
        close(&all_there, &all);
        let eager = || tf::transpose(&x_there, []) * &y_there;
        close(&eager(), &(tf::transpose(&x, []) * &y));
        let Some(emulation) = gpu.emulation else { continue };
        let launches = |f: &dyn Fn() -> Tensor| {
            emulation.reset_counters();
            f();
            tf::config::synchronize("/gpu:0").unwrap();
            emulation.counters().launches
        };
        let counted = (launches(&|| across(&x_there, &y_there).1), launches(&eager));
        assert_eq!(counted, (kernels, kernels), "{rows} x {columns}");
    }
}

#[test]
fn gradients_of_a_traced_function() {
    let Some(_gpu) = gpu() else { return };
    let here = [numbers(5000, 0.0), numbers(5000, 1.0), numbers(5000, 2.0)];
    let gradients = |x: &[Tensor; 3]| {
        let mut tape = GradientTape::new();
        x.iter().for_each(|x| tape.watch(x));
        let y = formula(&x[0], &x[1], &x[2]);
        let (a, b, c) = tape.gradient(&y, (&x[0], &x[1], &x[2]));
        [a, b, c]
    };
    let (want, got) = (gradients(&here), gradients(&here.each_ref().map(|t| t.gpu())));
    got.iter().zip(&want).for_each(|(got, want)| close(got, want));
}

#[tf_function]
fn wander(x: &Tensor, rounds: &Tensor) -> (Tensor, Tensor) {
    let mut x = x.clone();
    let mut i = tf::constant(0);
    while &i < rounds {
        if tf::reduce_sum(&x, 0) > 0.0 {
            x = &x * 0.5 - 0.3;
        } else {
            x = &x + 1.0;
        }
        i = i + 1;
    }
    (x, i)
}

#[test]
fn branches_and_loops() {
    let Some(_gpu) = gpu() else { return };
    let x = numbers(9, 0.5);
    for rounds in [0, 1, 6] {
        let rounds = tf::constant(rounds);
        let ((want, n), (got, m)) = (wander(&x, &rounds), wander(&x.gpu(), &rounds));
        close(&got, &want);
        assert_eq!(n.item::<i32>(), m.item::<i32>());
    }
}

#[tf_function]
fn descend(w: &Variable, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_mean(&(w * x - 1.0).square(), 0);
    let dw = tape.gradient(&loss, w);
    w.assign_sub(&(dw * 0.1));
    loss
}

#[test]
fn steps_are_recorded_and_started_again() {
    let Some(gpu) = gpu() else { return };
    let x = [numbers(33, 0.25), numbers(33, 1.25)];
    let start = numbers(33, 4.0);
    let here = Variable::new(start.clone());
    let want: Vec<f32> = (0..9).map(|i| descend(&here, &x[i % 2]).item()).collect();
    let _there = tf::device("/gpu:0");
    let there = Variable::new(start);
    if let Some(emulation) = gpu.emulation {
        emulation.reset_counters();
    }
    // Operands come from the host and from the device in turns.
    let away = x[1].gpu();
    let got: Vec<f32> = (0..9).map(|i| descend(&there, if i % 2 == 0 { &x[0] } else { &away }).item()).collect();
    for (a, b) in got.iter().zip(&want) {
        assert!((a - b).abs() < 1e-5, "{got:?} {want:?}");
    }
    if let Some(emulation) = gpu.emulation {
        let counted = emulation.counters();
        assert_eq!(counted.graph_launches, 6, "{counted:?}");
    }
    assert_eq!(there.value().device().to_string(), "/device:GPU:0");
    close(&there.value(), &here.value());
    // A value that somebody holds does not change under him, and the next step goes on from where it was.
    let held = there.value();
    let before = held.to_vec::<f32>();
    let next = descend(&there, &x[0]).item::<f32>();
    assert!((next - descend(&here, &x[0]).item::<f32>()).abs() < 1e-5);
    assert_eq!(held.to_vec::<f32>(), before);
    close(&there.value(), &here.value());
}

#[test]
fn recorded_calls_give_fresh_results() {
    let Some(_gpu) = gpu() else { return };
    let there = [0.0, 1.0, 2.0].map(|seed| numbers(2000, seed).gpu());
    let results: Vec<Tensor> =
        (0..6).map(|i| formula(&there[i % 3], &there[(i + 1) % 3], &there[(i + 2) % 3])).collect();
    for (i, result) in results.iter().enumerate() {
        close(result, &formula(&there[i % 3].cpu(), &there[(i + 1) % 3].cpu(), &there[(i + 2) % 3].cpu()));
    }
}

#[tf_function]
fn rows(table: &Tensor, at: &Tensor) -> Tensor {
    let found = tf::gather(table, at, 0);
    found * 2.0
}

#[test]
fn a_fault_in_a_recorded_call_names_the_line() {
    let Some(_gpu) = gpu() else { return };
    let (table, good, bad) = (numbers(12, 0.0).reshape([4, 3]).gpu(), tf::constant([3, 1]), tf::constant([0, 4]));
    let line = line!() - 8;
    for call in 0..5 {
        close(&rows(&table, &good), &rows(&table.cpu(), &good));
        let error = rows(&table, &bad).try_to_vec::<f32>().unwrap_err().to_string();
        assert!(
            error.contains("OutOfRange: gather") && error.contains(&format!("traced.rs:{line}")),
            "{call}: {error}"
        );
        assert!(error.contains("got: 4") && error.contains("0..4"), "{error}");
    }
}

#[test]
fn a_guard_for_the_cpu_holds_for_recorded_functions_too() {
    let Some(_gpu) = gpu() else { return };
    let there = [0.0, 1.0, 2.0].map(|seed| numbers(50, seed).gpu());
    let call = || formula(&there[0], &there[1], &there[2]);
    (0..5).for_each(|_| assert_eq!(call().device().to_string(), "/device:GPU:0"));
    {
        let _here = tf::device("/cpu:0");
        assert_eq!(call().device().to_string(), "/device:CPU:0");
    }
    assert_eq!(call().device().to_string(), "/device:GPU:0");
}

#[tf_function]
fn sized(n: &Tensor, x: &Tensor) -> Tensor {
    let part = x.at(..n).tile((n, 2)) + tf::zeros((n, 1)).sum();
    let padded = part.pad([[tf::dim_of(n), 1.into()], [0.into(), 0.into()]], tf::PadMode::Reflect);
    padded.reshape((-1, n)) * tf::cast(tf::range(0, n, 1), tf::float32)
}

/// Numbers of the GPU's memory are fetched where they are sizes.
#[test]
fn sizes_are_numbers_of_either_device() {
    let Some(_gpu) = gpu() else { return };
    for n in [2, 3, 4] {
        let (n, x) = (tf::constant(n), numbers(36, 0.3).reshape([-1, 6]));
        let want = sized(&n, &x);
        close(&sized(&n, &x.gpu()), &want);
        close(&sized(&n.gpu(), &x.gpu()), &want);
        close(&tf::config::with_eager_functions(|| sized(&n.gpu(), &x.gpu())), &want);
    }
}

#[tf_function]
fn by_functions(x: &Tensor, at: &Tensor, rounds: &Tensor) -> Tensor {
    let own = tf::map_fn(|row| tf::tanh(row) * tf::reduce_sum(row, ()), x);
    let sums = tf::scan(|sum, row| sum * 0.5 + row, &own, tf::FirstRow, true);
    let chosen = tf::switch_case(at, (|| &sums * 2.0, || tf::exp(&sums * 0.1), || &sums + &own));
    let start = (tf::constant(0), chosen);
    let last = tf::while_loop(|(k, _)| k < rounds, |(k, y)| (k + 1, tf::sin(y) + x), start, None).1;
    tf::cond(
        tf::reduce_sum(&last, ()) > 0.0,
        || tf::foldl(|a, b| a * 0.3 + b, &last, tf::FirstRow),
        || last.at(0) * 3.0,
    )
}

#[tf_function]
fn by_blocks(x: &Tensor, w: &Variable) -> Tensor {
    let own = w.clone();
    let block = tf::recompute_grad(move |x: &Tensor| tf::sin(x * &own) + tf::tanh(x));
    let y = block(&block(x));
    // Comes to the host and goes back in the middle.
    let doubled =
        |x: &Tensor| tf::constant(x.to_vec::<f32>().iter().map(|x| 2.0 * x).collect::<Vec<_>>()).reshape([5, 3]);
    tf::host_function_with_gradient(doubled, &y, [5usize, 3], |_, _, dy| dy * 2.0)
}

#[test]
fn control_flow_as_functions() {
    let Some(_gpu) = gpu() else { return };
    let x = numbers(15, 0.5).reshape([5, 3]);
    for eager in [true, false] {
        for (at, rounds) in [(0, 0), (1, 3), (2, 1)] {
            let (at, rounds) = (tf::constant(at), tf::constant(rounds));
            let both = |x: &Tensor| {
                let w = Variable::new(0.7);
                let mut tape = GradientTape::persistent();
                tape.watch(x);
                let (y, z) = (by_functions(x, &at, &rounds), by_blocks(x, &w));
                let (dx, dz, dw) = (tape.gradient(&y, x), tape.gradient(&z, x), tape.gradient(&z, &w));
                [y, z, dx, dz, dw]
            };
            let call = || (both(&x), both(&x.gpu()));
            let (here, there) = if eager { tf::config::with_eager_functions(call) } else { call() };
            here.iter().zip(&there).for_each(|(here, there)| close(there, here));
        }
    }
}
