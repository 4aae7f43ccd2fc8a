//! Operations that are made of others: an error names what the user has written, at once and when a graph runs.
//! What leaves the trace that it belongs to is named, not the operands beside it.

use crate::caught::panic_of;
use eagerflow as tf;
use std::cell::RefCell;
use tf::{DType, Tensor, TensorArray, Variable, tf_function};

/// The operation that an error names.
fn op<T>(result: tf::Result<T>) -> String {
    let Err(error) = result else { panic!("the call is not refused") };
    error.report().op().to_string()
}

/// The operation that a panic names.
fn panicking<R>(call: impl FnOnce() -> R) -> String {
    let text = panic_of(call).text;
    text.split(": ").nth(1).unwrap_or(&text).to_string()
}

#[test]
fn writes_of_rows_of_variables() {
    let v = Variable::new([1.0, 2.0]);
    let (far, one) = (tf::constant([7]), tf::constant([1.0]));
    assert_eq!(op(v.try_scatter_update(&far, &one)), "scatter_update");
    assert_eq!(op(v.try_scatter_add(&far, &one)), "scatter_add");
    assert_eq!(op(v.try_scatter_sub(&far, &one)), "scatter_sub");
    assert_eq!(op(v.try_scatter_add(tf::constant([0]), tf::constant([1]))), "scatter_add");
    let far = tf::constant([[7]]);
    assert_eq!(op(v.try_scatter_nd_update(&far, &one)), "scatter_nd_update");
    assert_eq!(op(v.try_scatter_nd_add(&far, &one)), "scatter_nd_add");
    assert_eq!(op(v.try_scatter_nd_sub(&far, &one)), "scatter_nd_sub");
}

#[tf_function]
fn adds(v: &Variable, at: &Tensor) {
    v.scatter_add(at, tf::constant([1.0]));
}

#[tf_function]
fn writes(n: &Tensor) -> Tensor {
    let mut all = TensorArray::new(DType::F32, 2);
    for i in tf::range(0, n, 1) {
        all = all.write(&i, tf::constant(1.0));
    }
    all.stack()
}

#[tf_function]
fn reads(i: &Tensor) -> Tensor {
    TensorArray::unstack(tf::constant([1.0, 2.0])).read(i)
}

#[tf_function]
fn takes(x: &Tensor, i: &Tensor) -> Tensor {
    x.at(i)
}

#[test]
fn when_a_graph_runs() {
    let v = Variable::new([1.0, 2.0]);
    for eager in [false, true] {
        let run = |call: &dyn Fn()| match eager {
            true => tf::config::with_eager_functions(call),
            false => call(),
        };
        assert_eq!(panicking(|| run(&|| adds(&v, &tf::constant([7])))), "scatter_add", "eagerly: {eager}");
        assert_eq!(
            panicking(|| run(&|| drop(writes(&tf::constant(3)).cpu()))),
            "TensorArray.write",
            "eagerly: {eager}"
        );
        assert_eq!(panicking(|| run(&|| drop(reads(&tf::constant(7)).cpu()))), "TensorArray.read", "eagerly: {eager}");
        assert_eq!(panicking(|| run(&|| drop(takes(&tf::ones(2), &tf::constant(7)).cpu()))), "at", "eagerly: {eager}");
    }
}

#[test]
fn lists_rows_and_parts() {
    let list = || TensorArray::new(DType::F32, 2);
    assert_eq!(op(list().try_write(7, tf::constant(1.0))), "TensorArray.write");
    assert_eq!(op(list().try_write(-1, tf::constant(1.0))), "TensorArray.write");
    assert_eq!(op(list().try_write(0, tf::constant(1))), "TensorArray.write");
    assert_eq!(op(list().element_shape(()).try_read(7)), "TensorArray.read");
    let scalar = tf::constant(1.0);
    assert_eq!(op(scalar.try_len()), "len");
    assert_eq!(panicking(|| scalar.iter().count()), "iter");
    assert_eq!(panicking(|| (&scalar).into_iter().count()), "iter");
    assert_eq!(panicking(|| scalar.clone().into_iter().count()), "iter");
    assert_eq!(op(tf::ones(2).try_at(tf::constant(7))), "at");
    assert_eq!(op(tf::ones(2).try_at(tf::constant([true, false, true]))), "at");
    assert_eq!(op(tf::ones(2).try_at(7)), "at");
}

thread_local! {
    static LEAKED: RefCell<Option<Tensor>> = const { RefCell::new(None) };
}

const LEAK: u32 = line!() + 4;

#[tf_function]
fn leaks(x: &Tensor) -> Tensor {
    let doubled = x * 2.0;
    LEAKED.set(Some(doubled.clone()));
    doubled
}

#[tf_function]
fn uses(innocent: &Tensor) -> Tensor {
    let leaked = LEAKED.with_borrow(|leaked| leaked.clone().expect("a tensor was leaked"));
    innocent + leaked
}

#[test]
fn what_left_its_trace() {
    leaks(&tf::constant([1.0]));
    let made = format!("{}:{LEAK}:", file!());
    let text = panic_of(|| uses(&tf::constant([1.0]))).text;
    let variable = text.lines().find(|line| line.starts_with("  variable: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(variable.contains(&made) && !variable.contains("innocent"), "{text}");
}
