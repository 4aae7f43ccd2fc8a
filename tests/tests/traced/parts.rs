//! Parts of variables that are assigned to: every form of index against ndarray, at once and in traced functions, in the order of
//! the program, with open sizes, and what is refused.

use eagerflow::{self as tf, s};
use ndarray::{Array2, ArrayD, Axis};
use tf::{GradientOptions, GradientTape, Tensor, UnconnectedGradients, Variable, tf_function};

const START: [i32; 20] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4];

fn model() -> ArrayD<i32> {
    Array2::from_shape_vec((4, 5), START.to_vec()).unwrap().into_dyn()
}

fn variable() -> Variable {
    Variable::new(tf::constant(START).reshape([4, 5]))
}

/// Each write, at once and traced, against the same write of ndarray's.
macro_rules! written {
    ($($name:ident [$($index:tt)*] $shape:expr;)*) => {$(
        #[test]
        fn $name() {
            fn at_once(v: &Variable, x: &Tensor) -> Tensor {
                v.at(s![$($index)*]).assign(x);
                v.at(s![$($index)*]).assign_add(100);
                v.at(s![$($index)*]).assign_sub(x);
                let read = v.at(s![$($index)*]).value();
                v.at(s![$($index)*]).assign(&read * 2);
                read
            }
            #[tf_function]
            fn traced(v: &Variable, x: &Tensor) -> Tensor {
                at_once(v, x)
            }
            let shape: &[usize] = &$shape;
            let count: usize = shape.iter().product();
            let numbers: Vec<i32> = (0..count as i32).map(|i| i * i + 50).collect();
            let x = tf::constant(numbers.clone()).reshape(shape.to_vec());
            let given = ArrayD::from_shape_vec(shape, numbers).unwrap();
            let mut expected = model();
            {
                let mut part = expected.slice_mut(ndarray::s![$($index)*]).into_dyn();
                part.assign(&given);
                part += 100;
                part -= &given;
                part *= 2;
            }
            for run in [at_once, |v: &Variable, x: &Tensor| traced(v, x)] {
                let v = variable();
                let read = run(&v, &x);
                assert_eq!(read.shape(), shape);
                assert!(read.to_vec::<i32>().iter().all(|&r| r == 100));
                assert_eq!(v.value().to_vec::<i32>(), expected.iter().copied().collect::<Vec<_>>());
            }
        }
    )*};
}

written! {
    all [.., ..] [4, 5];
    rows [1..3, ..] [2, 5];
    columns [.., 2..4] [4, 2];
    one_row [-1, ..] [5];
    one_column [.., 0] [4];
    one_element [2, -2] [];
    every_second [..;2, 1..;3] [2, 2];
    backwards [..;-1, ..;-2] [4, 3];
    none [2..2, ..] [0, 5];
}

fn filled(v: &Variable, rows: &Tensor) -> Tensor {
    v.at(rows).assign(tf::constant([1, 2, 3, 4, 5]));
    v.at(rows).assign_add(10);
    v.value()
}

fn masked(v: &Variable, most: i32) -> Tensor {
    v.at(tf::greater(v.value(), most)).assign(most);
    v.at(tf::less(v.value(), 3)).assign_sub(1);
    v.value()
}

#[tf_function]
fn traced_filled(v: &Variable, rows: &Tensor) -> Tensor {
    filled(v, rows)
}

#[tf_function]
fn traced_masked(v: &Variable, most: i32) -> Tensor {
    masked(v, most)
}

#[test]
fn rows_by_number_and_elements_by_truth() {
    for traced in [false, true] {
        let v = variable();
        let mut expected = model();
        let rows = tf::constant([3, 0, 3]);
        let after = if traced { traced_filled(&v, &rows) } else { filled(&v, &rows) };
        // A row that is named twice is added to twice.
        for (row, more) in [(3, 20), (0, 10)] {
            for column in 0..5 {
                expected[[row, column]] = column as i32 + 1 + more;
            }
        }
        assert_eq!(after.to_vec::<i32>(), expected.iter().copied().collect::<Vec<_>>());
        let after = if traced { traced_masked(&v, 7) } else { masked(&v, 7) };
        expected.mapv_inplace(|x| if x > 7 { 7 } else { x });
        expected.mapv_inplace(|x| if x < 3 { x - 1 } else { x });
        assert_eq!(after.to_vec::<i32>(), expected.iter().copied().collect::<Vec<_>>());
    }
}

#[tf_function]
fn put(v: &Variable, x: &Tensor, at: &Tensor) -> Tensor {
    let to = at + x.dim(0);
    v.at(s![at..&to, 1]).assign(x);
    v.value().sum()
}

#[test]
fn open_sizes_and_places_are_one_trace() {
    let lengths = [2, 3, 4, 2];
    let v = variable();
    for length in lengths {
        v.assign(tf::constant(START).reshape([4, 5]));
        put(&v, &tf::constant(vec![70; length]), &tf::constant(0));
        let mut expected = model();
        expected.index_axis_mut(Axis(1), 1).slice_mut(ndarray::s![..length as isize]).fill(70);
        assert_eq!(v.value().to_vec::<i32>(), expected.iter().copied().collect::<Vec<_>>());
    }
    let about = tf::function(put);
    assert!(about.trace_count() <= 2 && about.pins().is_empty(), "{:?} {:?}", about.reasons(), about.pins());
}

#[tf_function]
fn put_block(v: &Variable, x: &Tensor, rows: &Tensor, columns: &Tensor) -> Tensor {
    v.at(s![..rows, ..columns]).assign(x);
    v.value().sum()
}

#[test]
fn sizes_that_turn_out_to_differ_are_refused_by_the_run() {
    let v = variable();
    let call = |sizes: [usize; 2], rows: i32, columns: i32| {
        let x = tf::cast(tf::ones(sizes), tf::int32) * 90;
        let run = std::panic::AssertUnwindSafe(|| put_block(&v, &x, &tf::constant(rows), &tf::constant(columns)));
        std::panic::catch_unwind(run).map_err(|e| e.downcast_ref::<String>().cloned().unwrap_or_default())
    };
    for [rows, columns] in [[2, 3], [3, 4], [4, 2]] {
        v.assign(tf::constant(START).reshape([4, 5]));
        call([rows, columns], rows as i32, columns as i32).unwrap();
        let mut expected = model();
        expected.slice_mut(ndarray::s![..rows, ..columns]).fill(90);
        assert_eq!(v.value().to_vec::<i32>(), expected.iter().copied().collect::<Vec<_>>());
    }
    // As many elements, but in other rows.
    v.assign(tf::constant(START).reshape([4, 5]));
    let error = call([2, 3], 3, 2).unwrap_err();
    assert!(error.contains("parts.rs"), "{error}");
    assert_eq!(v.value().to_vec::<i32>(), START);
    assert!(tf::function(put_block).trace_count() <= 2);
}

#[test]
fn what_was_read_stays_and_no_gradient_flows_through_a_write() {
    let (v, x) = (Variable::new([1.0, 2.0, 3.0]), tf::constant([5.0, 6.0]));
    let (before, part) = (v.value(), v.at(1..).value());
    let mut tape = GradientTape::new();
    tape.watch(&x);
    v.at(..2).assign(&x);
    let y = (v.value() * v.value()).sum();
    let zeros = GradientOptions::new().unconnected_gradients(UnconnectedGradients::Zero);
    let (dv, dx) = tape.gradient_with(&y, (&v, &x), &zeros);
    assert_eq!(dv.to_vec::<f32>(), [10.0, 12.0, 6.0]);
    assert_eq!(dx.to_vec::<f32>(), [0.0, 0.0]);
    assert_eq!((before.to_vec::<f32>(), part.to_vec::<f32>()), (vec![1.0, 2.0, 3.0], vec![2.0, 3.0]));
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let v = variable();
    let refused = |result: tf::Result<()>, words: &[&str]| {
        let text = result.unwrap_err().to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        assert!(text.contains("parts.rs"), "{text}");
    };
    refused(v.at(4).try_assign(1), &["outside dimension 0", "-4..4"]);
    refused(v.at(s![.., 3..7]).try_assign(1), &["leaves dimension 1"]);
    refused(v.at(s![1, 2, 3]).try_assign(1), &["more indices than dimensions"]);
    refused(v.at(1..3).try_assign(tf::ones([3, 5])), &["does not fit the part", "[2, 5]"]);
    refused(v.at(0).try_assign(tf::constant([1.5, 2.0, 3.0, 4.0, 5.0])), &["dtype", "cast"]);
    refused(v.at(&tf::constant([0, 9])).try_assign(1), &["9"]);
    refused(v.at(tf::constant([true, false])).try_assign(1), &["mask does not fit"]);
    refused(Variable::new(true).at(s![]).try_assign_add(tf::constant(true)), &["only numbers"]);
    assert_eq!(v.value().to_vec::<i32>(), START);
    let words = Variable::new(tf::constant(["a", "b"]));
    refused(words.at(0).try_assign(tf::constant("c")), &["strings"]);
}

#[tf_function]
fn divided(v: &Variable, at: &Tensor, by: &Tensor) -> Tensor {
    let before = v.value();
    for row in tf::range(0, at.dim(0), 1) {
        if tf::gather(by, &row, 0) != 1 {
            v.scatter_div(tf::gather(at, &row, 0), tf::gather(by, &row, 0));
        }
    }
    v.scatter_div(at, by);
    before - v.value()
}

#[test]
fn rows_are_divided_in_the_order_of_the_program() {
    let v = Variable::new([100, -7, 9]);
    assert_eq!(divided(&v, &tf::constant([0, 1, 0]), &tf::constant([3, 2, 1])).to_vec::<i32>(), [89, -6, 0]);
    assert_eq!(v.value().to_vec::<i32>(), [11, -1, 9]);
    let call = || divided(&v, &tf::constant([2]), &tf::constant([0]));
    let error = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).unwrap_err();
    let text = error.downcast_ref::<String>().expect("a message");
    assert!(text.contains("scatter_div") && text.contains("division by zero"), "{text}");
    assert_eq!(v.value().to_vec::<i32>(), [11, -1, 9]);
}
