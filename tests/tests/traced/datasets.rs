//! `for` over a dataset in a traced function: a loop of the graph, over data that is made there, captured or given.

use eagerflow as tf;
use tf::data::{Dataset, Shuffle};
use tf::{DType, Tensor, Variable, tf_function};

/// A dataset which the function makes itself.
#[tf_function]
fn over_a_dataset(x: &Tensor) -> Tensor {
    let items: Dataset = Dataset::from_tensor_slices(tf::constant([1.0, 2.0, 3.0, 4.0])).batch(2);
    let mut sum = tf::constant(0.0);
    for batch in &items {
        sum = sum * x + tf::reduce_sum(batch, ());
    }
    sum
}

/// Made of an argument, with a smaller last batch.
#[tf_function]
fn of_an_argument(rows: &Tensor, w: &Tensor) -> (Tensor, Tensor) {
    let mut sum = tf::constant(0.0);
    let mut batches = tf::constant(0);
    for batch in &Dataset::from_tensor_slices(rows.clone()).batch(2) {
        sum = sum * 0.5 + tf::reduce_sum(batch * w, ());
        batches += 1;
    }
    (sum, batches)
}

/// Given to the function: pairs.
#[tf_function]
fn given(data: &Dataset<(Tensor, Tensor)>, w: &Tensor) -> Tensor {
    let mut loss = tf::constant(0.0);
    for (x, y) in data {
        loss = loss + (x * w - y).square();
    }
    loss
}

/// Every kind of step, inside of the function; the function of `map` uses an argument.
#[tf_function]
fn steps(data: &Dataset<(Tensor, Tensor)>, w: &Tensor) -> Tensor {
    let scale = w.clone();
    let data = data.map(move |(x, y)| (x * &scale, y)).repeat(2).take(7).shuffle(Shuffle::buffer(3).seed(5)).batch(3);
    let mut sum = tf::constant(0.0);
    for (number, (x, y)) in &data.enumerate() {
        sum = sum * 0.5 + tf::reduce_sum(&x * &y + number.cast(DType::F32), ()) * w;
    }
    sum
}

/// `break`, `continue` and `return`.
#[tf_function]
fn jumps(data: &Dataset, x: &Tensor) -> Tensor {
    let mut sum = x.clone();
    for item in data {
        if item < 0.0 {
            continue;
        }
        if item > 50.0 {
            return -sum;
        }
        sum = sum * 0.5 + &item;
        if sum > 6.0 {
            break;
        }
        sum = sum + x;
    }
    sum * 2.0
}

/// Effects in order, and a list of what was seen.
#[tf_function]
fn effects(data: &Dataset, v: &Variable) -> Tensor {
    let mut seen = Vec::new();
    for item in data {
        v.assign_add(&item);
        println!("{} makes {}", item, v.value());
        seen.push(v * &item);
    }
    tf::stack(&seen, 0)
}

/// Each round of the outer loop is a pass of its own.
#[tf_function]
fn epochs(data: &Dataset, w: &Variable, n: &Tensor) -> Tensor {
    let mut last = tf::constant(0.0);
    for _ in tf::range(0, n, 1) {
        for item in &data.shuffle(Shuffle::whole().seed(3)) {
            last = last * 0.5 + &item * w;
            w.assign_sub(&(item * 0.01));
        }
    }
    last
}

/// In a branch.
#[tf_function]
fn chosen(data: &Dataset, x: &Tensor) -> Tensor {
    let mut sum = x.clone();
    if x > 0.0 {
        for item in data {
            sum = sum + item * x;
        }
    } else {
        for item in &data.take(1) {
            sum = sum * item;
        }
    }
    sum
}

fn numbers() -> Dataset {
    Dataset::from_tensor_slices(tf::constant([1.0, -2.0, 3.0, 4.0]))
}

fn pairs() -> Dataset<(Tensor, Tensor)> {
    Dataset::from_tensor_slices((tf::constant([1.0, 2.0, 3.0]), tf::constant([2.0, 3.0, 5.0])))
}

#[test]
fn made_inside() {
    eager_vs_graph!(over_a_dataset(x); x in [2.0, -1.0]);
    eager_vs_graph!(of_an_argument(rows, w); (rows, w) in [
        (tf::constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), [0.5, 2.0]),
        (tf::constant([[1.0, 2.0], [3.0, 4.0]]), [1.5, 2.0]),
        (tf::constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [9.0, 0.0]]), [0.5, 2.0])
    ]; traces 2);
}

#[test]
fn given_as_arguments() {
    eager_vs_graph!({ given(&pairs(), w) }; w in [2.0, 0.5]);
    eager_vs_graph!({ steps(&pairs(), w) }; w in [2.0, 0.5]);
    eager_vs_graph!({ chosen(&numbers(), x) }; x in [2.0, -0.5]);
    let mapped = || numbers().map(|x| x.square() + 1.0).batch(3).map(|x| tf::reduce_sum(x, ()));
    eager_vs_graph!({ chosen(&mapped(), x) }; x in [2.0, -0.5]);
}

#[test]
fn jumps_and_effects() {
    let data = |items: &[f32]| Dataset::from_tensor_slices(tf::constant(items.to_vec()));
    eager_vs_graph!({ jumps(&numbers(), x) }; x in [2.0, 0.5]);
    eager_vs_graph!({ jumps(&data(&[1.0, 60.0, 7.0]), x) }; x in [2.0, 0.5]);
    eager_vs_graph!({ effects(&numbers(), v) }; v = Variable::new(0.5); _x in [1.0, 2.0]);
    eager_vs_graph!({ epochs(&numbers(), w, n) }; w = Variable::new(0.5); n in [1, 3, 0]);
}

/// A loop that is left takes no element more, and each call begins anew.
#[test]
fn elements_are_taken_one_by_one() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    let counted = numbers().map(|x| {
        TAKEN.fetch_add(1, Ordering::Relaxed);
        x
    });
    #[tf_function]
    fn first(data: &Dataset) -> Tensor {
        let mut found = tf::constant(0.0);
        for item in data {
            found = item;
            if found > 0.0 {
                break;
            }
        }
        found
    }
    assert_eq!(first(&counted).item::<f32>(), 1.0);
    let before = TAKEN.load(Ordering::Relaxed);
    assert_eq!(first(&counted).item::<f32>(), 1.0);
    assert_eq!(TAKEN.load(Ordering::Relaxed) - before, 1);
}

/// Another dataset with elements of the same types runs the same trace; other types make another one.
#[test]
fn traces_fit_types() {
    #[tf_function]
    fn sum(data: &Dataset) -> Tensor {
        let mut sum = tf::constant(0.0);
        for item in data {
            sum = sum + tf::reduce_sum(item.cast(DType::F32), ());
        }
        sum
    }
    for (items, expected) in [([1.0, 2.0, 3.0], 6.0), ([4.0, 5.0, 6.0], 15.0)] {
        assert_eq!(sum(&Dataset::from_tensor_slices(tf::constant(items))).item::<f32>(), expected);
    }
    assert_eq!(tf::function(sum).trace_count(), 1);
    assert_eq!(sum(&numbers().batch(3)).item::<f32>(), 6.0);
    assert_eq!(sum(&numbers().batch(2)).item::<f32>(), 6.0);
    assert_eq!(tf::function(sum).trace_count(), 2);
    assert_eq!(sum(&Dataset::from_tensor_slices(tf::constant([1, 2]))).item::<f32>(), 3.0);
    assert_eq!(tf::function(sum).trace_count(), 3);
}

/// What Rust would have to iterate is refused, with what to write.
#[test]
fn iterators_of_rust() {
    #[tf_function]
    fn adaptors(data: &Dataset) -> Tensor {
        let mut sum = tf::constant(0.0);
        for (i, item) in data.iter().enumerate() {
            sum = sum + item * i as f32;
        }
        sum
    }
    #[tf_function]
    fn begun(x: &Tensor, items: tf::data::DatasetIterator) -> Tensor {
        let mut items = items;
        items.next().unwrap() * x
    }
    #[tf_function]
    fn unknown(data: &Dataset) -> Tensor {
        let mut sum = tf::constant(0.0);
        for item in &data.map(|x| if x.item::<f32>() > 0.0 { x } else { -x }) {
            sum = sum + item;
        }
        sum
    }
    let message = |call: &dyn Fn()| {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
        *caught.unwrap_err().downcast::<String>().unwrap()
    };
    let line = |offset: u32| format!("datasets.rs:{}", 199 + offset);
    let text = message(&|| drop(adaptors(&numbers())));
    assert!(
        text.contains("for element in &dataset") && text.contains("enumerate") && text.contains(&line(4)),
        "{text}"
    );
    let text = message(&|| drop(begun(&tf::constant(2.0), numbers().iter())));
    assert!(text.contains("for element in &dataset") && text.contains(&line(12)), "{text}");
    let text = message(&|| drop(unknown(&numbers())));
    assert!(text.contains("being recorded") && text.contains(&line(17)), "{text}");
    let read = numbers().map(|x| if x.item::<f32>() > 0.0 { x } else { -x });
    let text = message(&|| drop(chosen(&read, &tf::constant(1.0))));
    assert!(text.contains("types of the dataset's elements") && text.contains("datasets.rs:102"), "{text}");
    assert_eq!(read.iter().map(|x| x.item::<f32>()).sum::<f32>(), 10.0);
}

/// A closure cannot go through what is not there yet: the error says to write a loop, which gives what `reduce` gives outside.
#[test]
fn reduce_is_a_for_loop() {
    const LINE: u32 = line!();
    #[tf_function]
    fn reduced(data: &Dataset, w: &Tensor) -> Tensor {
        data.reduce(tf::constant(0.0), |sum, x| sum * 0.5 + x) * w
    }
    #[tf_function]
    fn made_inside(w: &Tensor) -> Tensor {
        let data: Dataset = Dataset::from_tensor_slices(tf::constant([1.0, 2.0]));
        data.reduce(tf::constant(0.0), |sum, x| sum + x) * w
    }
    #[tf_function]
    fn refused(data: &Dataset, w: &Tensor) -> Tensor {
        if data.try_reduce(tf::constant(0.0), |sum, x| sum + x).is_ok() { w * 1.0 } else { w * -1.0 }
    }
    #[tf_function]
    fn looped(data: &Dataset, w: &Tensor) -> Tensor {
        let mut sum = tf::constant(0.0);
        for x in data {
            sum = sum * 0.5 + x;
        }
        sum * w
    }
    let w = tf::constant(2.0);
    for (call, offset) in [(&(|| drop(reduced(&numbers(), &w))) as &dyn Fn(), 3), (&|| drop(made_inside(&w)), 8)] {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
        let text = *caught.unwrap_err().downcast::<String>().unwrap();
        let line = format!("datasets.rs:{}", LINE + offset);
        for words in ["reduce", "`for element in &dataset", "`while`", line.as_str()] {
            assert!(text.contains(words), "no {words} in {text}");
        }
    }
    assert_eq!(refused(&numbers(), &w).item::<f32>(), -2.0);
    let eager = numbers().reduce(tf::constant(0.0), |sum, x| sum * 0.5 + x) * &w;
    assert_eq!(looped(&numbers(), &w).item::<f32>(), eager.item::<f32>());
}
