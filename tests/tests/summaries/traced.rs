//! Summaries in traced functions: effects in program order, with the values, steps and conditions of each run and the writer of the trace.
//! Timelines of what ran are here too.

use super::{Folder, scalars, written};
use eagerflow as tf;
use tf::summary::{self, record_if};
use tf::{Tensor, Variable};

#[tf::tf_function]
fn step(x: &Tensor, count: &Variable) -> Tensor {
    summary::scalar("before", x, count);
    count.assign_add(1);
    summary::scalar("after", x * 2.0, count);
    summary::scalar("fixed", 0.5, 3);
    summary::histogram("values", tf::stack(&[x, x], 0), count);
    summary::text("text", "in a graph", count);
    x + 1.0
}

#[test]
fn they_are_effects_in_program_order() {
    let folder = Folder::new("traced");
    let writer = summary::create_file_writer(&folder.0);
    let count = Variable::new(Tensor::from(0_i64));
    let mut x = tf::constant(1.0);
    {
        let _default = writer.as_default();
        for _ in 0..3 {
            x = step(&x, &count);
        }
    }
    writer.flush();
    assert_eq!(tf::function(step).trace_count(), 1);
    let all = written(&folder.0);
    let names: Vec<(&str, i64)> = all.iter().map(|event| (event.tag.as_str(), event.step)).collect();
    let round = |n: i64| [("before", n), ("after", n + 1), ("fixed", 3), ("values", n + 1), ("text", n + 1)];
    assert_eq!(names, [round(0), round(1), round(2)].concat());
    let numbers: Vec<f32> = all.iter().filter_map(|event| event.scalar()).collect();
    assert_eq!(numbers, [1.0, 2.0, 0.5, 2.0, 4.0, 0.5, 3.0, 6.0, 0.5]);
    // The writer of the trace is written to, whichever is the default one now.
    step(&x, &count);
    writer.flush();
    assert_eq!(written(&folder.0).len(), 20);
    writer.close();
    let error = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| step(&x, &count))).is_err();
    assert!(error, "a closed writer is an error");
}

#[tf::tf_function]
fn sums(n: &Tensor) -> Tensor {
    let mut i = tf::constant(0);
    let mut sum = tf::constant(0.0);
    while &i < n {
        sum = &sum + tf::cast(&i, tf::float32);
        if tf::floormod(&i, tf::constant(2)).equal(0) {
            summary::scalar("even", &sum, &i);
        }
        i = &i + 1;
    }
    sum
}

#[test]
fn they_run_in_loops_and_branches_of_the_graph() {
    let folder = Folder::new("loops");
    let writer = summary::create_file_writer(&folder.0);
    let _default = writer.as_default();
    sums(&tf::constant(6));
    writer.flush();
    assert_eq!(scalars(&written(&folder.0)), [("even", 0, 0.0), ("even", 2, 3.0), ("even", 4, 10.0)]);
}

#[tf::tf_function]
fn seldom(i: &Tensor) {
    let _seldom = record_if(tf::floormod(i, tf::constant(10)).equal(0));
    summary::scalar("a", i, i);
    {
        let _never = record_if(false);
        summary::scalar("never", i, i);
    }
    summary::scalar("b", i, i);
}

#[test]
fn conditions_are_those_of_each_run() {
    let folder = Folder::new("conditions");
    let writer = summary::create_file_writer(&folder.0);
    let _default = writer.as_default();
    for i in 0..25 {
        seldom(&tf::constant(i));
    }
    assert_eq!(tf::function(seldom).trace_count(), 1);
    let count = std::rc::Rc::new(std::cell::Cell::new(0));
    let asked = count.clone();
    let _often = record_if(move || {
        asked.set(asked.get() + 1);
        asked.get() % 2 == 0
    });
    for i in 0..4 {
        summary::scalar("asked", i, i);
    }
    assert_eq!(count.get(), 4);
    assert!(!summary::should_record_summaries().unwrap());
    let _tensor = record_if(tf::constant(true));
    assert!(summary::should_record_summaries().unwrap());
    summary::scalar("tensor", 1, 1);
    let _no = record_if(tf::constant(1));
    assert!(summary::try_scalar("no", 1, 1).unwrap_err().to_string().contains("no truth value"));
    writer.flush();
    let all = written(&folder.0);
    let names: Vec<(&str, i64)> = all.iter().map(|event| (event.tag.as_str(), event.step)).collect();
    let right =
        [("a", 0), ("b", 0), ("a", 10), ("b", 10), ("a", 20), ("b", 20), ("asked", 1), ("asked", 3), ("tensor", 1)];
    assert_eq!(names, right);
}

#[tf::tf_function]
fn silent(x: &Tensor) -> Tensor {
    summary::scalar("silent", x, 1);
    x + 1.0
}

#[test]
fn without_a_writer_nothing_happens() {
    summary::scalar("a", 1.0, 1);
    summary::histogram("b", tf::ones([3]), ());
    summary::hparams(summary::HParams::new());
    summary::flush();
    assert!(summary::get_default_writer().is_none() && !summary::should_record_summaries().unwrap());
    assert_eq!(silent(&tf::constant(1.0)).item::<f32>(), 2.0);
    assert!(!tf::function(silent).graph().unwrap().contains("summary"));
    let _default = summary::create_noop_writer().as_default();
    summary::scalar("a", 1.0, 1);
    summary::flush();
}

#[tf::tf_function]
fn work(x: &Tensor) -> Tensor {
    tf::reduce_sum(tf::matmul(x, x), ())
}

#[test]
fn a_timeline_has_the_steps_that_ran() {
    let folder = Folder::new("timeline");
    work(&tf::ones([8, 8]));
    let error = summary::try_trace_export("run", 1, &folder.0).unwrap_err().to_string();
    assert!(error.contains("no trace was begun"), "{error}");
    summary::trace_on();
    (0..3).for_each(|_| drop(work(&tf::ones([8, 8]))));
    let path = summary::trace_export("run", 1, &folder.0);
    assert!(path.ends_with("plugins/profile/run-1/trace.json"));
    let trace: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let products = events.iter().filter(|event| event["name"].as_str().is_some_and(|name| name.contains("matmul")));
    let products: Vec<_> = products.collect();
    assert_eq!(products.len(), 3, "{trace}");
    assert!(
        products
            .iter()
            .all(|e| e["dur"].as_f64() > Some(0.0) && e["args"]["line"].as_str().unwrap().contains("traced.rs"))
    );
    let starts: Vec<f64> = products.iter().map(|event| event["ts"].as_f64().unwrap()).collect();
    assert!(starts.is_sorted() && starts[0] >= 0.0);
}
