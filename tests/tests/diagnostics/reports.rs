//! `tf::train::report`: each way in which a variable can be without a gradient, by operation and line, and the faults of values.
//! `cargo test -p eagerflow-tests --test diagnostics` runs it.

use eagerflow::{self as tf, DType, GradientTape, Gradients, Module, Tensor, Variable, tf_function};
use tf::layers::Dense;
use tf::train::{GradientFault, GradientReport, report};

/// The report on one variable, of whose gradient a loss is computed in some way.
fn of(loss: impl FnOnce(&Variable) -> Tensor) -> GradientReport {
    // A second variable makes the loss something that has a gradient at all.
    let variables = vec![Variable::with([0.5, 2.0], "w", true), Variable::with(1.0, "other", true)];
    let tape = GradientTape::new();
    let loss = loss(&variables[0]) * &variables[1];
    let gradients = tape.gradient(&loss, &variables);
    report(&gradients, &variables)
}

/// What is said of the first variable, which is the only one with a fault.
#[track_caller]
fn only(report: &GradientReport) -> String {
    let [entry] = report.entries() else { panic!("{report}") };
    assert_eq!((entry.index, entry.variable.as_str(), entry.dtype), (0, "w", DType::F32));
    assert_eq!(entry.shape, [2]);
    entry.fault.to_string()
}

#[test]
fn operations_that_cut_the_path_are_named_with_their_lines() {
    type Way = (&'static str, fn(&Variable) -> Tensor);
    let line = line!();
    let ways: [Way; 9] = [
        ("cast", |w| tf::reduce_sum(w.value().cast(DType::I32).cast(DType::F32), ())),
        ("argmax", |w| tf::argmax(w.value(), 0).cast(DType::F32)),
        ("stop_gradient", |w| tf::reduce_sum(tf::stop_gradient(w.value()), ())),
        ("greater", |w| tf::reduce_sum(w.value().greater(1.0).cast(DType::F32), ())),
        ("round", |w| tf::reduce_sum(tf::round(w.value()), ())),
        ("to_vec", |w| tf::constant(w.value().to_vec::<f32>()).sum()),
        ("item", |w| tf::constant(w.value().at(tf::s![0]).item::<f32>())),
        ("to_f64", |w| tf::constant(w.value().at(tf::s![1]).try_to_f64().unwrap() as f32)),
        ("as_slice", |w| tf::constant(w.value().as_slice::<f32>().unwrap()[0])),
    ];
    for (i, (op, way)) in ways.into_iter().enumerate() {
        let text = only(&of(way));
        let at = format!("`{op}` at {}:{}", file!(), line + 2 + i as u32);
        // `round` has a gradient, of zeros.
        if op == "round" {
            assert!(text.contains("all zeros") || text.contains(&at), "{text}");
            continue;
        }
        assert!(text.starts_with("no gradient: ") && text.contains(&at), "{op}: {text}");
    }
}

#[test]
fn variables_that_the_tape_did_not_see_read() {
    let text = only(&of(|_| tf::constant(1.0)));
    assert!(text.contains("no operation that the tape recorded read variable 'w'"), "{text}");
    // Read before the tape began.
    let variables = vec![Variable::with([0.5, 2.0], "w", true), Variable::with(1.0, "other", true)];
    let early = variables[0].value();
    let tape = GradientTape::new();
    let loss = tf::reduce_sum(&early, ()) * &variables[1];
    let text = only(&report(&tape.gradient(&loss, &variables), &variables));
    assert!(text.contains("before the tape began"), "{text}");
    // Frozen, but listed.
    variables[0].set_trainable(false);
    let tape = GradientTape::new();
    let loss = tf::reduce_sum(variables[0].value(), ()) * &variables[1];
    let text = only(&report(&tape.gradient(&loss, &variables), &variables));
    assert!(text.contains("is not trainable"), "{text}");
    // A tape that was told to watch nothing by itself.
    variables[0].set_trainable(true);
    let mut tape = GradientTape::unwatched();
    tape.watch(&variables[1]);
    let loss = tf::reduce_sum(variables[0].value(), ()) * &variables[1];
    let text = only(&report(&tape.gradient(&loss, &variables), &variables));
    assert!(text.contains("told to follow no variables"), "{text}");
}

#[test]
fn values_that_are_zero_or_not_finite() {
    let clean = of(|w| tf::reduce_sum(w.value().square(), ()));
    assert!(clean.is_clean() && clean.to_string() == "all 2 variables have a gradient", "{clean}");
    let dead = of(|w| tf::reduce_sum(tf::nn::relu(w.value() - 10.0), ()) + 1.0);
    assert_eq!(dead.entries()[0].fault, GradientFault::Zero);
    let wild = of(|w| tf::reduce_sum(tf::sqrt(w.value() - 0.5), ()));
    assert_eq!(wild.entries()[0].fault, GradientFault::NotFinite { nan: 0, infinite: 1, of: 2 });
    assert!(wild.to_string().contains("enable_check_numerics"), "{wild}");
    // Only a few rows of a table have a gradient: that is no fault.
    let table = vec![Variable::with(tf::ones([10, 2]), "table", true)];
    let tape = GradientTape::new();
    let loss = tf::reduce_sum(tf::gather(table[0].value(), tf::constant([1, 1]), 0), ());
    assert!(report(&tape.gradient(&loss, &table), &table).is_clean());
}

#[test]
fn a_model_s_variables_go_by_their_names() {
    #[derive(Module)]
    struct Net {
        used: Dense,
        forgotten: Dense,
    }
    let net = Net { used: Dense::new(1), forgotten: Dense::new(2).name("forgotten") };
    let x = tf::ones([4, 3]);
    net.forgotten.call(&x);
    let tape = GradientTape::new();
    let loss = net.used.call(&x).square().mean();
    let variables = net.trainable_variables();
    let gradients = tape.gradient(&loss, &variables);
    let report = report(&gradients, &variables);
    let names: Vec<&str> = report.entries().iter().map(|entry| entry.variable.as_str()).collect();
    assert_eq!(names, ["forgotten/kernel", "forgotten/bias"], "{report}");
    let text = report.to_string();
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), "2 of 4 variables would not be trained, or be spoiled");
    // Columns stand below one another.
    let columns: Vec<usize> =
        lines.map(|line| line.find("fault").or(line.find("no gradient")).expect("a fault in each line")).collect();
    assert!(columns.len() == 3 && columns.iter().all(|at| *at == columns[0]), "{text}");
}

#[test]
fn lists_of_different_lengths_are_an_error() {
    let w = [Variable::new(1.0)];
    let error = tf::train::try_report(&Gradients::default(), &w).unwrap_err().to_string();
    assert!(error.contains("0 gradients, 1 variables") && error.contains("reports.rs"), "{error}");
}

#[tf_function]
fn reported(w: &Variable, v: &Variable) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_sum(w.value(), ()) * tf::stop_gradient(v.value());
    let variables = vec![w.clone(), v.clone()];
    let gradients = tape.gradient(&loss, &variables);
    let report = tf::train::report(&gradients, &variables);
    // While the function is recorded: what is missing is known, and no value.
    assert!(report.is_traced() && report.entries().len() == 1, "{report}");
    let text = report.to_string();
    assert!(text.contains("`stop_gradient` at") && text.contains("when the graph runs"), "{text}");
    loss
}

#[test]
fn within_a_traced_function_what_is_known_is_told() {
    let (w, v) = (Variable::with([1.0, 2.0], "w", true), Variable::with(3.0, "v", true));
    assert_eq!(reported(&w, &v).item::<f32>(), 9.0);
}
