//! `Err(..)` of functions that return `tf::Result`: from a branch of the graph it is an error of the calls that take the branch, at
//! the line that made it, and the trace goes on serving the others.

use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{GradientTape, Tensor, Variable, tf_function};

fn too(what: &str) -> tf::Error {
    tf::Error::invalid_argument("checked", format!("too {what}"))
}

#[tf_function]
fn by_return(x: &Tensor) -> tf::Result<Tensor> {
    if x > 10.0 {
        return Err(too("large"));
    }
    Ok(x * 2.0)
}

#[tf_function]
fn by_value(x: &Tensor) -> tf::Result<Tensor> {
    if x > 10.0 { Err(too("large")) } else { Ok(x * 2.0) }
}

#[tf_function]
fn at_the_end(x: &Tensor) -> tf::Result<Tensor> {
    if x < 10.0 {
        return Ok(x * 2.0);
    }
    Err(too("large"))
}

#[tf_function]
fn by_question_mark(x: &Tensor) -> tf::Result<Tensor> {
    let y = if x > 10.0 { Err(too("large")) } else { Ok(x * 2.0) }?;
    Ok(y + 1.0)
}

#[tf_function]
fn in_a_loop(x: &Tensor) -> tf::Result<Tensor> {
    let mut y = x.clone();
    while &y < 100.0 {
        y = y * 2.0;
        if &y > 70.0 && &y < 90.0 {
            return Err(too("close"));
        }
        if &y > 60.0 {
            break;
        }
    }
    Ok(y)
}

#[tf_function]
fn one_of_three(x: &Tensor) -> tf::Result<(Tensor, Tensor)> {
    if x > 10.0 {
        Err(too("large"))
    } else if x < -10.0 {
        Err(too("small"))
    } else {
        Ok((x + 1.0, x * 2.0))
    }
}

#[tf_function]
fn on_all_ways(x: &Tensor) -> tf::Result<Tensor> {
    if x > 0.0 {
        return Err(too("large"));
    }
    if x < 0.0 { Err(too("small")) } else { Err(too("even")) }
}

#[tf_function]
fn without_a_value(v: &Variable, x: &Tensor) -> tf::Result<()> {
    v.assign_add(&tf::constant(1.0));
    if x > 10.0 {
        v.assign_add(&tf::constant(10.0));
        return Err(too("large"));
    }
    v.assign_add(&tf::constant(100.0));
    Ok(())
}

#[tf_function]
fn lends(y: &mut Tensor, x: &Tensor) -> tf::Result<()> {
    *y = &*y + x;
    if &*y > 10.0 {
        return Err(too("large"));
    }
    Ok(())
}

#[tf_function]
fn inner(x: &Tensor) -> tf::Result<Tensor> {
    if x > 10.0 {
        return Err(too("large"));
    }
    Ok(x * 2.0)
}

#[tf_function]
fn outer(x: &Tensor) -> tf::Result<Tensor> {
    Ok(inner(&(x + 1.0))? * 3.0)
}

#[tf_function]
fn outer_without_a_result(x: &Tensor) -> Tensor {
    inner(&(x + 1.0)).unwrap() * 3.0
}

#[tf_function]
fn by_a_closure(x: &Tensor) -> tf::Result<Tensor> {
    let checked = |y: &Tensor| -> tf::Result<Tensor> {
        if y > 10.0 {
            return Err(too("large"));
        }
        Ok(y * 2.0)
    };
    let y = checked(x)?;
    checked(&y)
}

#[tf_function]
fn of_a_text(x: &Tensor) -> Result<Tensor, String> {
    if x > 10.0 {
        return Err("too large".to_owned());
    }
    Ok(x * 2.0)
}

/// What a call gives: its numbers, or what its error says.
fn told(result: tf::Result<Tensor>) -> Result<Vec<f32>, String> {
    result.map(|y| y.to_vec()).map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

/// Operation by operation and as a graph, in one trace.
fn same(function: fn(&Tensor) -> tf::Result<Tensor>, traces: &dyn Fn() -> usize, inputs: &[f32]) {
    for &x in inputs {
        let x = tf::constant(x);
        let plain = tf::config::with_eager_functions(|| told(function(&x)));
        for _ in 0..2 {
            assert_eq!(told(function(&x)), plain, "of {x}");
        }
    }
    assert_eq!(traces(), 1);
}

#[test]
fn the_branch_that_is_taken_fails_the_call() {
    let inputs = [3.0, 20.0, -4.0, 30.0];
    same(by_return, &|| tf::function(by_return).trace_count(), &inputs);
    same(by_value, &|| tf::function(by_value).trace_count(), &inputs);
    same(at_the_end, &|| tf::function(at_the_end).trace_count(), &inputs);
    same(by_question_mark, &|| tf::function(by_question_mark).trace_count(), &inputs);
    same(in_a_loop, &|| tf::function(in_a_loop).trace_count(), &[3.0, 10.0, 5.0, 9.0]);
    same(by_a_closure, &|| tf::function(by_a_closure).trace_count(), &[3.0, 20.0, 7.0]);
    same(|x| one_of_three(x).map(|(a, b)| a + b), &|| tf::function(one_of_three).trace_count(), &[3.0, 20.0, -20.0]);
}

#[test]
fn the_first_call_may_fail() {
    let text = told(by_first(&tf::constant(20.0f32))).unwrap_err();
    assert!(text.contains("too large"), "{text}");
    assert_eq!(told(by_first(&tf::constant(2.0f32))), Ok(vec![4.0]));
    assert_eq!(tf::function(by_first).trace_count(), 1);
}

#[tf_function]
fn by_first(x: &Tensor) -> tf::Result<Tensor> {
    if x > 10.0 {
        return Err(too("large"));
    }
    Ok(x * 2.0)
}

#[test]
fn all_ways_may_fail() {
    same(on_all_ways, &|| tf::function(on_all_ways).trace_count(), &[3.0, -3.0, 0.0]);
}

#[test]
fn the_error_is_at_the_line_that_made_it() {
    let report = |error: tf::Error| error.report().location().map(|at| (at.file().to_owned(), at.line()));
    let functions =
        [(line_of_return as fn(&Tensor) -> tf::Result<Tensor>, "line_of_return"), (line_of_value, "line_of_value")];
    for (function, name) in functions {
        let (file, line) = report(function(&tf::constant(20.0f32)).unwrap_err()).expect("a line");
        let text = include_str!("returned.rs");
        let head = text.lines().position(|l| l.starts_with(&format!("fn {name}("))).unwrap();
        let made = text.lines().skip(head).position(|l| l.contains("Err(")).unwrap() + head + 1;
        assert!(file.ends_with("returned.rs"), "{file}");
        assert_eq!(line as usize, made, "{name}");
    }
}

#[tf_function]
fn line_of_return(x: &Tensor) -> tf::Result<Tensor> {
    if x > 10.0 {
        return Err(too("large"));
    }
    Ok(x * 2.0)
}

#[tf_function]
fn line_of_value(x: &Tensor) -> tf::Result<Tensor> {
    if x > 10.0 { Err(too("large")) } else { Ok(x * 2.0) }
}

#[test]
fn what_was_done_before_stays() {
    let v = Variable::new(0.0);
    for (x, after) in [(1.0f32, 101.0f32), (20.0, 112.0), (2.0, 213.0)] {
        assert_eq!(without_a_value(&v, &tf::constant(x)).is_err(), x > 10.0);
        assert_eq!(v.value().item::<f32>(), after);
    }
    let mut y = tf::constant(1.0);
    lends(&mut y, &tf::constant(2.0)).unwrap();
    assert!(lends(&mut y, &tf::constant(20.0)).is_err());
    assert_eq!(y.item::<f32>(), 3.0);
}

#[test]
fn functions_in_one_another() {
    same(outer, &|| tf::function(outer).trace_count(), &[3.0, 20.0]);
    assert_eq!(outer_without_a_result(&tf::constant(1.0f32)).item::<f32>(), 12.0);
    let failed = catch_unwind(|| outer_without_a_result(&tf::constant(20.0f32))).unwrap_err();
    let text = failed.downcast_ref::<String>().expect("a text");
    assert!(text.contains("too large"), "{text}");
}

#[tf_function]
fn taped(x: &Tensor) -> tf::Result<Tensor> {
    if x > 10.0 {
        return Err(too("large"));
    }
    Ok(x * 2.0)
}

#[test]
fn under_a_tape() {
    for x in [3.0f32, 20.0, 4.0] {
        let x = tf::constant(x);
        let mut tape = GradientTape::new();
        tape.watch(&x);
        match taped(&x) {
            Ok(y) => assert_eq!(tape.gradient(&y, &x).item::<f32>(), 2.0),
            Err(error) => assert!(error.to_string().contains("too large") && x > 10.0),
        }
    }
}

#[test]
fn errors_of_other_types_are_refused() {
    let failed = catch_unwind(AssertUnwindSafe(|| of_a_text(&tf::constant(1.0f32)))).unwrap_err();
    let text = failed.downcast_ref::<String>().expect("a text");
    assert!(text.contains("an `Err` is returned in a branch") && text.contains("`tf::Result`"), "{text}");
}
