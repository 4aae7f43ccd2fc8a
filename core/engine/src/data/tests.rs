//! Pipelines as training loops build them: every element once, batches of the right rows, orders that follow a seed.
//! Each refusal is asked for its message.

use super::stage::Rows;
use super::*;
use crate as tf;
use crate::tensor::local::{LOCAL, mode};
use crate::{DType, Tensor};

fn numbers(count: i32) -> Tensor {
    Tensor::from((0..count).collect::<Vec<i32>>())
}

fn pairs(count: i32) -> Dataset<(Tensor, Tensor)> {
    let images = tf::constant((0..count).map(|i| [i as f32, -i as f32]).collect::<Vec<_>>());
    Dataset::from_tensor_slices((images, numbers(count)))
}

fn flat(dataset: &Dataset) -> Vec<i32> {
    dataset.iter().flat_map(|t| t.to_vec::<i32>()).collect()
}

#[test]
fn rows_stay_together() {
    for dataset in [pairs(100).batch(32), pairs(100).shuffle(Shuffle::whole().seed(3)).batch(32)] {
        let mut seen = Vec::new();
        let mut sizes = Vec::new();
        for (images, labels) in &dataset {
            let labels = labels.to_vec::<i32>();
            let expected: Vec<f32> = labels.iter().flat_map(|&i| [i as f32, -i as f32]).collect();
            assert_eq!(images.to_vec::<f32>(), expected);
            sizes.push(images.shape()[0]);
            seen.extend(labels);
        }
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..100));
        assert_eq!((sizes, dataset.cardinality()), (vec![32, 32, 32, 4], Cardinality::Known(4)));
    }
}

#[test]
fn orders() {
    let _alone = crate::random::tests::alone();
    let shuffled = |how| Dataset::from_tensor_slices(numbers(50)).shuffle(how);
    let a = shuffled(Shuffle::whole().seed(1));
    let (first, second) = (flat(&a), flat(&a));
    assert_ne!(first, second, "each pass has an order of its own");
    let again = shuffled(Shuffle::whole().seed(1));
    assert_eq!((flat(&again), flat(&again)), (first.clone(), second));
    assert_ne!(flat(&shuffled(Shuffle::whole().seed(2))), first);
    let fixed = shuffled(Shuffle::whole().seed(1).reshuffle_each_iteration(false));
    assert_eq!((flat(&fixed), flat(&fixed)), (first.clone(), first));
    // A buffer of three can bring an element forward by two places at most.
    let near = flat(&shuffled(Shuffle::buffer(3).seed(4)));
    assert!(near.iter().enumerate().all(|(at, &n)| n <= at as i32 + 2) && !near.is_sorted());
    assert!(flat(&shuffled(1.into())).is_sorted());
    let twice = flat(&shuffled(Shuffle::whole().seed(1)).repeat(2));
    assert_ne!(twice[..50], twice[50..]);
}

#[test]
fn every_order_is_as_likely() {
    let cards = Dataset::from_tensor_slices(numbers(3)).shuffle(Shuffle::whole().seed(11));
    let mut counts = std::collections::HashMap::new();
    for _ in 0..1200 {
        *counts.entry(flat(&cards)).or_insert(0) += 1;
    }
    // 200 of each are expected, with a standard deviation of 13.
    assert!(counts.len() == 6 && counts.values().all(|n| (140..260).contains(n)), "{counts:?}");
}

#[test]
fn steps_in_any_order() {
    let base = Dataset::from_tensor_slices(numbers(7));
    assert_eq!(flat(&base.batch_exact(3)), [0, 1, 2, 3, 4, 5]);
    assert_eq!(flat(&base.take(2).repeat(2)), [0, 1, 0, 1]);
    assert_eq!(flat(&base.take(3).skip(1).repeat(2)), [1, 2, 1, 2]);
    assert!(base.take(3).skip(1).cardinality() == 2 && base.take(3).skip(4).cardinality() == 0);
    assert_eq!(base.repeat(None).skip(1).cardinality(), Cardinality::Infinite);
    assert_eq!(flat(&base.repeat(None).batch(4).take(3)), [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4]);
    let doubled = base.map(|n| n * 2).batch(4);
    let shapes: Vec<_> = doubled.iter().map(|t| t.shape().to_string()).collect();
    assert_eq!((flat(&doubled), shapes), (vec![0, 2, 4, 6, 8, 10, 12], vec!["[4]".into(), "[3]".into()]));
    assert_eq!(base.batch(2).batch(2).take(1).iter().next().unwrap().to_vec::<i32>(), [0, 1, 2, 3]);
    let mut sorted = flat(&base.map(|n| n + 1).shuffle(Shuffle::whole().seed(1)).batch(3));
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 2, 3, 4, 5, 6, 7]);
    let counts = [base.repeat(3), base.repeat(0), base.repeat(None).take(5), base.batch(4).repeat(2)];
    assert_eq!(counts.map(|d| (d.cardinality(), d.iter().count())), [21, 0, 5, 4].map(|n| (Cardinality::Known(n), n)));
    assert_eq!(base.repeat(None).cardinality(), Cardinality::Infinite);
}

#[test]
fn nothing_ends() {
    let _alone = crate::random::tests::alone();
    let none = Dataset::from_tensor_slices(tf::zeros([0, 4]));
    for dataset in [none.clone(), none.repeat(None), none.batch(3), none.shuffle(5), none.take(2)] {
        let mut iterator = dataset.iter();
        assert!(iterator.next().is_none() && iterator.next().is_none());
    }
}

#[test]
fn forms() {
    let (a, b) = (numbers(2), tf::ones([2, 3]));
    let nested = Dataset::from_tensor_slices((a.clone(), (b.clone(), a.clone()), b.clone()));
    let (x, (y, z), w) = nested.iter().next().unwrap();
    assert_eq!([x, y, z, w].map(|t| t.rank()), [0, 1, 0, 1]);
    let list = Dataset::from_tensor_slices(vec![a, b]).batch(2);
    assert_eq!(list.iter().next().unwrap().iter().map(Tensor::rank).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn rows_of_a_source_are_not_copied() {
    let big = tf::ones([64, 1000]);
    let source = slices::Slices::new(vec![big.clone()]).unwrap();
    let (before, after) = (big.data(), source.rows(&[3, 4, 5]).unwrap()[0].data());
    assert_eq!(after.addr() - before.addr(), 3 * 4000);
    assert_eq!(source.rows(&[5, 3]).unwrap()[0].shape(), [2, 1000]);
}

#[test]
fn tapes_do_not_see_the_data() {
    let v = tf::Variable::new(2.0);
    let inside = v.clone();
    let dataset = Dataset::from_tensor_slices(tf::constant([3.0, 4.0])).map(move |x| x * &inside);
    let tape = tf::GradientTape::new();
    let first = dataset.iter().next().unwrap();
    assert!(tape.watched_variables().is_empty() && LOCAL.with(|l| l.has(mode::TAPE)));
    let y = &first * &v;
    assert_eq!(tape.gradient(&y, &v).item::<f32>(), 6.0);
}

#[test]
fn refusals() {
    let _alone = crate::random::tests::alone();
    let text = |result: tf::Result<Dataset<Vec<Tensor>>>| result.unwrap_err().to_string();
    let slices = |list: Vec<Tensor>| text(Dataset::try_from_tensor_slices(list));
    assert!(slices(vec![]).contains("no tensors"));
    assert!(slices(vec![tf::constant(1.0)]).contains("scalar"));
    let different = slices(vec![tf::zeros([3, 2]), tf::zeros([4])]);
    assert!(different.contains("[3, 2], [4]") && different.contains("data/tests.rs"), "{different}");
    let good = Dataset::from_tensor_slices(vec![tf::zeros([3])]);
    assert!(text(good.try_batch(0, false)).contains("at least 1"));
    assert!(text(good.try_shuffle(0)).contains("no elements"));
    assert!(text(good.repeat(None).try_shuffle(Shuffle::whole())).contains("endless"));

    let uneven = Dataset::from_tensor_slices(numbers(3)).map(|n| tf::ones([n.item::<i32>() as usize])).batch(3);
    let error = uneven.iter().try_next().unwrap_err().to_string();
    assert!(error.contains("float32[0] and float32[1]") && error.contains("data/tests.rs"), "{error}");
    let mut failing = Dataset::from_tensor_slices(numbers(3)).try_map(|n| n.try_add(tf::constant([1.0]))).iter();
    assert!(failing.try_next().unwrap_err().to_string().contains("dtype"));
    assert!(failing.try_next().unwrap_err().to_string().contains("dtype"), "an error is not the end");
}

#[test]
fn types_before_the_data() {
    let _alone = crate::random::tests::alone();
    let types =
        |d: &Dataset<(Tensor, Tensor)>| d.types().map(|t| t.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(types(&pairs(5)).unwrap(), ["float32[2]", "int32[]"]);
    assert_eq!(types(&pairs(5).shuffle(2).batch_exact(2)).unwrap(), ["float32[2, 2]", "int32[2]"]);
    let varying = pairs(5).batch(2).types().unwrap();
    assert!(!varying[0].shape.is_known() && varying[0].shape.dim(0) == varying[1].shape.dim(0));
    assert_eq!(varying[0].dtype, DType::F32);
    let flat = pairs(5).batch(2).map(|(x, n)| (tf::reduce_sum(x, 0), n.cast(DType::F64)));
    assert_eq!(types(&flat).unwrap()[0], "float32[2]");
    assert_eq!((types(&pairs(5).enumerate().map(|(n, (x, _))| (x, n))).unwrap())[1], "int64[]");
    // What the function reads of the elements, only they tell.
    assert_eq!(types(&pairs(5).map(|(x, n)| (tf::ones([n.item::<i32>() as usize]), x))), None);
}
