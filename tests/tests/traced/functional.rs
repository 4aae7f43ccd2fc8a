//! Control flow as functions: `cond`, `case`, `switch_case`, `while_loop`, `map_fn`, folds and `scan`, at once and in traced functions,
//! with their gradients, any number of rows in two traces, and what they refuse.

use eagerflow as tf;
use tf::{FirstRow, GradientOptions, GradientTape, Tensor, TensorSpec, UnconnectedGradients, Variable, tf_function};

fn f(x: f32) -> Tensor {
    tf::constant(x)
}

fn i(x: i32) -> Tensor {
    tf::constant(x)
}

/// Rows of two columns.
fn table(rows: usize) -> Tensor {
    tf::constant((0..2 * rows).map(|i| ((i * 37 % 11) as f32 - 5.0) / 8.0).collect::<Vec<_>>()).reshape((rows, 2))
}

/// The result and its gradient, first at once and then traced.
fn agrees<const N: usize>(call: impl Fn(&Tensor) -> [Tensor; N], x: &Tensor) {
    let both = || {
        let mut tape = GradientTape::persistent();
        tape.watch(x);
        let mut twice = GradientTape::new();
        twice.watch(x);
        let results = call(x);
        // A count of rows, or no round at all, depends on nothing.
        let zeros = GradientOptions::new().unconnected_gradients(UnconnectedGradients::Zero);
        let first: Vec<Tensor> = results.iter().map(|y| tape.gradient_with(&(y * y).sum(), x, &zeros)).collect();
        let total = first.iter().map(|g| (g * g).sum()).reduce(|a, b| a + b).unwrap();
        let second = twice.gradient_with(&total, x, &zeros);
        results.into_iter().chain(first).chain([second]).collect::<Vec<_>>()
    };
    let eager = tf::config::with_eager_functions(both);
    let traced = both();
    for (a, b) in eager.iter().zip(&traced) {
        assert_eq!(a.shape(), b.shape());
        let worst = tf::reduce_max(tf::abs(a - b), ()).item::<f32>();
        let most = tf::reduce_max(tf::abs(a), ()).item::<f32>().max(1.0);
        assert!(worst <= 1e-5 * most, "{a:?}\n{b:?}");
    }
}

#[tf_function]
fn chosen(x: &Tensor, limit: &Tensor) -> (Tensor, Tensor) {
    tf::cond(x < limit, || (x * 2.0, x + limit), || (x.square(), x - limit))
}

#[test]
fn cond_runs_one_of_two() {
    for (x, twice, other) in [(1.0, 2.0, 6.0), (7.0, 49.0, 2.0)] {
        let (a, b) = chosen(&f(x), &f(5.0));
        assert_eq!((a.item::<f32>(), b.item::<f32>()), (twice, other));
        let eager = tf::cond(tf::less(f(x), 5.0), || f(x) * 2.0, || f(x).square());
        assert_eq!(eager.item::<f32>(), twice);
    }
    assert_eq!(tf::function(chosen).trace_count(), 1);
    assert_eq!(tf::cond(true, || f(1.0), || panic!("not taken")).item::<f32>(), 1.0);
}

#[tf_function]
fn counted(v: &Variable, up: &Tensor) -> Tensor {
    tf::cond(up, || v.assign_add(1.0), || v.assign_sub(10.0));
    v.value()
}

#[test]
fn effects_of_a_branch_happen_where_it_is_taken() {
    let v = Variable::new(0.0);
    let values = [true, true, false, true].map(|up| counted(&v, &tf::constant(up)).item::<f32>());
    assert_eq!(values, [1.0, 2.0, -8.0, -7.0]);
}

#[tf_function]
fn graded(x: &Tensor) -> Tensor {
    tf::case(((x < 0.0, || -x), (x < 1.0, || x * 10.0), (x < 2.0, || x + 100.0)), || x.square(), false)
}

#[tf_function]
fn graded_exclusively(x: &Tensor) -> Tensor {
    tf::case(((x < 0.0, || -x), (x > -1.0, || x * 10.0)), || x.square(), true)
}

#[test]
fn case_runs_the_first_that_holds() {
    for (x, y) in [(-3.0, 3.0), (0.5, 5.0), (1.5, 101.5), (4.0, 16.0)] {
        assert_eq!(graded(&f(x)).item::<f32>(), y);
        assert_eq!(tf::config::with_eager_functions(|| graded(&f(x))).item::<f32>(), y);
    }
    assert_eq!(tf::function(graded).trace_count(), 1);
    let pairs: Vec<(Tensor, Box<dyn FnOnce() -> Tensor>)> =
        (0..20).map(|at| (tf::constant(at == 13), Box::new(move || i(at)) as Box<dyn FnOnce() -> Tensor>)).collect();
    assert_eq!(tf::case(pairs, || i(-1), true).item::<i32>(), 13);
}

#[test]
fn exclusive_cases_refuse_two_that_hold() {
    assert_eq!(graded_exclusively(&f(3.0)).item::<f32>(), 30.0);
    for eager in [true, false] {
        let call = || std::panic::catch_unwind(|| graded_exclusively(&f(-0.5)).item::<f32>());
        let error = if eager { tf::config::with_eager_functions(call) } else { call() }.unwrap_err();
        let text = error.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(text.contains("several conditions hold") && text.contains("functional.rs"), "{text}");
    }
}

#[tf_function]
fn numbered(at: &Tensor, x: &Tensor) -> Tensor {
    tf::switch_case(at, (|| x + 1.0, || x * 2.0, || x.square(), || -x, || x / 2.0))
}

#[tf_function]
fn numbered_or(at: &Tensor, x: &Tensor) -> Tensor {
    tf::switch_case_with_default(at, [|x: &Tensor| x + 1.0, |x: &Tensor| x * 2.0].map(|f| move || f(x)), || x * 0.0)
}

#[test]
fn switch_case_finds_each_number_and_none() {
    let results = [4.0, 6.0, 9.0, -3.0, 1.5];
    for at in -2..8 {
        let expected = *results.get(usize::try_from(at).unwrap_or(9)).unwrap_or(&1.5);
        assert_eq!(numbered(&i(at), &f(3.0)).item::<f32>(), expected, "{at}");
        assert_eq!(tf::config::with_eager_functions(|| numbered(&i(at), &f(3.0))).item::<f32>(), expected, "{at}");
        let expected = [4.0, 6.0].get(usize::try_from(at).unwrap_or(9)).copied().unwrap_or(0.0);
        assert_eq!(numbered_or(&i(at), &f(3.0)).item::<f32>(), expected, "{at}");
    }
    assert_eq!(tf::function(numbered).trace_count(), 1);
    // As many comparisons one after the other as the number has bits, and two for the ends.
    let deep = tf::function(numbered).graph().unwrap().matches("less").count();
    assert!(deep <= 6, "{deep}");
}

#[tf_function]
fn collatz(n: &Tensor) -> (Tensor, Tensor) {
    let start = (n.clone(), i(0));
    tf::while_loop(
        |(n, _)| tf::not_equal(n, 1),
        |(n, steps)| (tf::cond(tf::equal(n % 2, 0), || n / 2, || n * 3 + 1).cast(tf::int32), steps + 1),
        start,
        None,
    )
}

#[tf_function]
fn at_most(n: &Tensor) -> Tensor {
    tf::while_loop(|k| k < n, |k| k + 1, i(0), 7)
}

#[test]
fn while_loop_goes_round_as_long_as_it_is_told() {
    for (n, steps) in [(1, 0), (6, 8), (27, 111)] {
        assert_eq!(collatz(&i(n)).1.item::<i32>(), steps);
        assert_eq!(tf::config::with_eager_functions(|| collatz(&i(n))).1.item::<i32>(), steps);
    }
    assert_eq!(tf::function(collatz).trace_count(), 1);
    for (n, most) in [(3, 3), (7, 7), (100, 7)] {
        assert_eq!(at_most(&i(n)).item::<i32>(), most);
        assert_eq!(tf::config::with_eager_functions(|| at_most(&i(n))).item::<i32>(), most);
    }
}

#[tf_function]
fn powers(x: &Tensor, rounds: &Tensor) -> [Tensor; 1] {
    let start = (i(0), tf::ones_like(x));
    [tf::while_loop(|(k, _)| k < rounds, |(k, y)| (k + 1, y * x + 0.25), start, None).1]
}

#[test]
fn while_loop_has_gradients_of_two_orders() {
    for rounds in [0, 1, 5] {
        agrees(|x| powers(x, &i(rounds)), &table(3));
    }
}

#[tf_function]
fn mapped(x: &Tensor) -> [Tensor; 2] {
    let (a, b) = tf::map_fn(|row| (tf::reduce_sum(row * row, ()), row * 3.0 + 1.0), x);
    [a, b]
}

#[tf_function]
fn paired(x: &Tensor) -> [Tensor; 1] {
    let rows = (x.clone(), x * 2.0);
    [tf::map_fn(|(a, b)| tf::cond(tf::reduce_sum(a, ()) > 0.0, || a * b, || a - b), &rows)]
}

#[tf_function]
fn running(x: &Tensor) -> [Tensor; 3] {
    let first = tf::scan(|sum, row| sum * 0.5 + row, x, FirstRow, false);
    let back = tf::scan(|(sum, count), row| (sum + row * count, count + 1.0), x, (tf::zeros([2]), f(1.0)), true);
    [first, back.0, back.1]
}

#[tf_function]
fn folded(x: &Tensor) -> [Tensor; 2] {
    let left = tf::foldl(|sum, row| sum * row + 1.0, x, FirstRow);
    [left, tf::foldr(|sum, row| sum * row + 1.0, x, tf::ones([2]))]
}

#[test]
fn loops_over_rows_are_those_of_eager_calls() {
    for rows in [1, 2, 3, 9] {
        agrees(mapped, &table(rows));
        agrees(paired, &table(rows));
        agrees(running, &table(rows));
        agrees(folded, &table(rows));
    }
    for (name, info) in [
        ("mapped", tf::function(mapped)),
        ("paired", tf::function(paired)),
        ("running", tf::function(running)),
        ("folded", tf::function(folded)),
    ] {
        // One row has a trace of its own, as 1 broadcasts.
        assert!(info.trace_count() <= 3, "{name}: {:?}", info.reasons());
        assert!(info.pins().is_empty(), "{name}: {:?}", info.pins());
    }
}

#[test]
fn no_rows_have_the_types_of_some() {
    for eager in [true, false] {
        let call = || {
            let [a, b] = mapped(&table(0));
            (a, b, tf::scan(|sum, row| sum + row, &table(0), tf::zeros([2]), false))
        };
        let (a, b, sums) = if eager { tf::config::with_eager_functions(call) } else { call() };
        assert_eq!(a.shape(), [0]);
        assert_eq!(b.shape(), [0, 2]);
        assert_eq!(sums.shape(), [0, 2]);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_line() {
    let text = |call: &dyn Fn()| {
        let error = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).unwrap_err();
        error.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    let cases: [(&dyn Fn(), &str); 7] = [
        (&|| drop(tf::map_fn(|x: &Tensor| x + 1.0, &f(1.0))), "a scalar has no rows"),
        (&|| drop(tf::map_fn(|_: &()| f(1.0), &())), "no tensor to go over"),
        (&|| drop(tf::map_fn(|(a, b): &(Tensor, Tensor)| a + b, &(table(2), table(3)))), "different numbers of rows"),
        (&|| drop(tf::foldl(|a, b| a + b, &table(0), FirstRow)), "no first row"),
        (&|| drop(tf::switch_case(f(1.0), (|| f(1.0),))), "not one integer"),
        (&|| drop(tf::switch_case(i(0), Vec::<fn() -> Tensor>::new())), "no branch to choose"),
        (&|| drop(tf::cond(table(2), || f(1.0), || f(2.0))), "one truth value"),
    ];
    for (call, expected) in cases {
        let text = text(call);
        assert!(text.contains(expected) && text.contains("functional.rs"), "{expected}: {text}");
    }
}

#[tf_function]
fn mismatched(x: &Tensor) -> Tensor {
    tf::cond(x > 0.0, || x * 1.0, || i(3))
}

#[test]
fn branches_of_different_dtypes_are_refused() {
    let error = std::panic::catch_unwind(|| mismatched(&f(1.0))).unwrap_err();
    let text = error.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(text.contains("another dtype"), "{text}");
}

/// A block of some depth, recomputed or not.
fn deep(x: &Tensor, w: &Variable, blocks: usize, recomputed: bool) -> Tensor {
    let own = w.clone();
    let block = move |x: &Tensor| {
        let hidden = tf::tanh(x * &own + 0.1);
        tf::sin(&hidden * &hidden) + tf::exp(&hidden * 0.1)
    };
    let again = tf::recompute_grad(block.clone());
    (0..blocks).fold(x.clone(), |x, _| if recomputed { again(&x) } else { block(&x) })
}

/// First and second derivatives by the input and the variable.
fn derivatives(x: &Tensor, w: &Variable, recomputed: bool) -> [Tensor; 4] {
    let mut outer = GradientTape::persistent();
    outer.watch(x);
    let mut inner = GradientTape::new();
    inner.watch(x);
    let y = deep(x, w, 3, recomputed).sum();
    let (dx, dw) = inner.gradient(&y, (x, w));
    let second = (&dx * &dx).sum() + &dw * &dw;
    let (dxx, dww) = outer.gradient(&second, (x, w));
    [dx, dw, dxx, dww]
}

#[tf_function]
fn traced_derivatives(x: &Tensor, w: &Variable, recomputed: bool) -> [Tensor; 4] {
    derivatives(x, w, recomputed)
}

#[test]
fn recomputed_gradients_are_the_same() {
    let (x, w) = (table(4), Variable::new(0.7));
    let plain = derivatives(&x, &w, false);
    for other in [derivatives(&x, &w, true), traced_derivatives(&x, &w, true), traced_derivatives(&x, &w, false)] {
        for (a, b) in plain.iter().zip(&other) {
            let worst = tf::reduce_max(tf::abs(a - b), ()).item::<f32>();
            let most = tf::reduce_max(tf::abs(a), ()).item::<f32>();
            assert!(worst <= 1e-5 * most, "{a:?} {b:?}");
        }
    }
}

#[tf_function]
fn traced_slope(x: &Tensor, w: &Variable, recomputed: bool) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(x);
    let y = deep(x, w, 3, recomputed).sum();
    tape.gradient(&y, x)
}

#[test]
fn a_graph_computes_recomputed_blocks_twice() {
    let (x, w) = (table(4), Variable::new(0.7));
    let count = |recomputed| {
        tf::function(traced_slope).clear();
        traced_slope(&x, &w, recomputed);
        tf::function(traced_slope).optimized_graph().unwrap().matches("= tanh(").count()
    };
    // The result of the last block is read by nothing: it is computed on the way back alone.
    assert_eq!((count(false), count(true)), (3, 5));
}

#[tf_function]
fn cubed(x: &Tensor) -> Tensor {
    tf::host_function(|x: &Tensor| x * x * x, x, [None]) + 1.0
}

#[tf_function]
fn cubed_by_numbers(x: &Tensor) -> Tensor {
    let cube = |x: &Tensor| tf::constant(x.to_vec::<f32>().iter().map(|x| x * x * x).collect::<Vec<_>>());
    tf::host_function_with_gradient(cube, x, [None], |x, _, dy| x * x * 3.0 * dy)
}

#[tf_function]
fn cubed_without(x: &Tensor) -> Tensor {
    tf::host_function(|x: &Tensor| tf::constant(x.to_vec::<f32>()), x, [None])
}

#[test]
fn host_functions_run_when_the_graph_does_with_gradients() {
    let slope = |f: &dyn Fn(&Tensor) -> Tensor, x: &Tensor| {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = f(x);
        tape.gradient(&y, x).to_vec::<f32>()
    };
    for x in [tf::constant([2.0, -1.0]), tf::constant([0.5, 3.0, 1.0])] {
        let dx: Vec<f32> = x.to_vec::<f32>().iter().map(|x| 3.0 * x * x).collect();
        let cubes: Vec<f32> = x.to_vec::<f32>().iter().map(|x| x * x * x).collect();
        let both = || {
            assert_eq!(cubed_by_numbers(&x).to_vec::<f32>(), cubes);
            assert_eq!(slope(&|x| cubed(x), &x), dx);
            assert_eq!(slope(&|x| cubed_by_numbers(x), &x), dx);
        };
        both();
        tf::config::with_eager_functions(both);
        let error = std::panic::catch_unwind(|| slope(&|x| cubed_without(x), &x)).unwrap_err();
        let text = error.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(text.contains("host_function_with_gradient"), "{text}");
    }
    assert_eq!(tf::function(cubed).trace_count(), 2);
}

#[tf_function]
fn told(x: &Tensor, log: &std::sync::Arc<std::sync::Mutex<Vec<f32>>>) -> Tensor {
    let log = log.clone();
    let note = move |x: &Tensor| {
        log.lock().unwrap().push(x.item());
        x.clone()
    };
    let note = std::sync::Arc::new(note);
    for i in tf::range(0, 3, 1) {
        let note = note.clone();
        tf::host_function(move |x: &Tensor| note(x), &(x + i.cast(tf::float32)), [0usize; 0]);
    }
    x * 1.0
}

#[test]
fn host_functions_whose_results_nobody_wants_run_all_the_same() {
    let log = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    for x in [1.0, 5.0] {
        told(&f(x), &log);
    }
    assert_eq!(*log.lock().unwrap(), [1.0, 2.0, 3.0, 5.0, 6.0, 7.0]);
}

#[test]
fn host_functions_that_break_their_word_are_errors() {
    let error =
        std::panic::catch_unwind(|| tf::host_function(|x: &Tensor| x.clone(), &table(2), [3usize])).unwrap_err();
    let text = error.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(text.contains("another type than was said") && text.contains("functional.rs"), "{text}");
}

#[test]
fn concrete_functions_serve_their_signature() {
    let w = Variable::new(2.0);
    let own = w.clone();
    let signature = (TensorSpec::new([None, Some(2)], tf::float32), TensorSpec::new([None], tf::int32));
    let scaled = tf::get_concrete_function(
        move |(x, by): &(Tensor, Tensor)| (x * &own * by.cast(tf::float32).expand_dims(1), tf::reduce_sum(by, ())),
        signature,
    );
    for rows in [0usize, 1, 4] {
        let by = tf::range(0, rows as i32, 1);
        let (y, total) = scaled.call(&(table(rows), by.clone()));
        assert_eq!(y.to_vec::<f32>(), (table(rows) * 2.0 * by.cast(tf::float32).expand_dims(1)).to_vec::<f32>());
        assert_eq!(total.item::<i32>() as usize, rows * rows.saturating_sub(1) / 2);
    }
    w.assign(&f(-1.0));
    assert_eq!(scaled.call(&(tf::ones([1, 2]), tf::constant([3]))).0.to_vec::<f32>(), [-3.0, -3.0]);
    // Gradients of a call, by inputs and variables.
    let (x, tape) = (table(3), GradientTape::new());
    let (y, _) = scaled.call(&(x.clone(), tf::constant([1, 1, 1])));
    assert!((tape.gradient(&y, &w).item::<f32>() - x.sum().item::<f32>()).abs() < 1e-6);
    assert_eq!(scaled.signature(), "float32[s0,2], int32[s0]");
    assert!(scaled.graph().contains("multiply"), "{}", scaled.graph());
    for (wrong, text) in [
        ((table(3), tf::constant([1, 1])), "is 3 in an input before"),
        ((table(3).transpose([1, 0]), tf::constant([1, 1])), "does not fit the signature"),
        ((table(3), tf::constant([1.0, 1.0, 1.0])), "does not fit the signature"),
    ] {
        let error = scaled.try_call(&wrong).unwrap_err().to_string();
        assert!(error.contains(text) && error.contains("functional.rs"), "{error}");
    }
}

#[test]
fn a_concrete_function_reads_no_open_size_as_a_number() {
    let record = || tf::get_concrete_function(|x| x * x.shape()[0] as f32, [None, Some(2)]);
    let error = std::panic::catch_unwind(record).unwrap_err();
    let text = error.downcast_ref::<String>().cloned().unwrap_or_default();
    assert!(text.contains("known only when the graph runs") && text.contains("functional.rs"), "{text}");
}
