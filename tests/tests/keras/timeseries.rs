//! Windows over series against Keras's `timeseries_dataset_from_array`, with every argument; shuffled ones by their properties.
//! One row for each argument.

use crate::numbers::{file, near};
use eagerflow as tf;
use serde_json::Value;
use tf::Tensor;
use tf::data::{
    Dataset, Timeseries, timeseries_dataset_from_array, timeseries_dataset_with_targets,
    try_timeseries_dataset_from_array, try_timeseries_dataset_with_targets,
};

fn series() -> Tensor {
    tf::reshape(&tf::range(0, 20, 1), [10, 2])
}

fn line() -> Tensor {
    tf::range(0.0, 30.0, 1.0)
}

fn check(rows: &Value, name: &str, set: Dataset<Vec<Tensor>>) {
    let batches: Vec<Vec<Tensor>> = set.iter().collect();
    let expected = rows[name]["batches"].as_array().expect("batches");
    assert_eq!(batches.len(), expected.len(), "{name}: batches");
    assert_eq!(set.cardinality().known(), Some(expected.len()), "{name}");
    for (batch, expected) in batches.iter().zip(expected) {
        let expected = expected.as_array().expect("parts");
        assert_eq!(batch.len(), expected.len());
        batch.iter().zip(expected).for_each(|(part, expected)| near(name, part, expected, 0.0));
    }
}

#[test]
fn windows_are_keras() {
    let rows = &file("timeseries");
    let new = Timeseries::new;
    let one = |x: Tensor, length, how| timeseries_dataset_from_array(x, length, how).map(|x| vec![x]);
    check(rows, "plain", one(series(), 3, new()));
    check(rows, "batches", one(series(), 3, new().batch_size(3)));
    check(rows, "alone", one(series(), 4, new().batch_size(None)));
    check(rows, "stride", one(line(), 4, new().sequence_stride(5)));
    check(rows, "rate", one(line(), 4, new().sampling_rate(6)));
    check(rows, "both", one(line(), 3, new().sequence_stride(4).sampling_rate(3).batch_size(2)));
    check(rows, "part", one(line(), 3, new().start_index(5).end_index(17)));
    let two =
        |x: Tensor, y: Tensor, length, how| timeseries_dataset_with_targets(x, y, length, how).map(|(x, y)| vec![x, y]);
    check(rows, "targets", two(series(), line().at(tf::s![..10]), 3, new().batch_size(4)));
    check(rows, "fewer_targets", two(series(), line().at(tf::s![..4]), 3, new()));
    check(rows, "forecast", two(line().at(tf::s![..-5]), line().at(tf::s![5..]), 5, new().sequence_stride(7)));
    let part = new().start_index(5).end_index(17).sequence_stride(2).batch_size(None);
    check(rows, "part_targets", two(line(), line() * 2.0, 3, part));
}

/// Every window once, with its target, in another order in each pass and the same one under a seed.
#[test]
fn shuffled_windows_are_whole() {
    let set = || {
        let how = Timeseries::new().batch_size(7).shuffle(true).seed(3);
        timeseries_dataset_with_targets(line(), line(), 4, how)
    };
    let firsts = |set: &Dataset<(Tensor, Tensor)>| {
        let mut all = Vec::new();
        for (windows, targets) in set {
            let (windows, targets) = (windows.to_vec::<f32>(), targets.to_vec::<f32>());
            for (window, target) in windows.chunks(4).zip(targets) {
                assert!(window.iter().enumerate().all(|(i, x)| *x == target + i as f32), "{window:?} {target}");
                all.push(target as usize);
            }
        }
        all
    };
    let (own, other) = (set(), set());
    let (first, second) = (firsts(&own), firsts(&own));
    assert_eq!((first.clone(), second.clone()), (firsts(&other), firsts(&other)));
    assert_ne!(first, second);
    let mut sorted = first;
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..27));
}

#[test]
fn mistakes_are_named() {
    let text = |how: tf::Result<Dataset>| how.expect_err("an error").to_string();
    let of = |x: Tensor, length, how| text(try_timeseries_dataset_from_array(x, length, how));
    let long = of(line(), 31, Timeseries::new());
    assert!(long.contains("no window") && long.contains("31 rows") && long.contains("timeseries.rs"), "{long}");
    assert!(of(tf::constant(1.0), 1, Timeseries::new()).contains("scalar"));
    assert!(of(line(), 0, Timeseries::new()).contains("sequence_length"));
    assert!(of(line(), 2, Timeseries::new().start_index(30)).contains("start_index"));
    assert!(of(line(), 2, Timeseries::new().end_index(31)).contains("0 to 30"));
    assert!(of(line(), usize::MAX, Timeseries::new().sampling_rate(9)).contains("no window"));
    assert!(Timeseries::new().try_sequence_stride(0).is_err() && Timeseries::new().try_sampling_rate(0).is_err());
    let late = try_timeseries_dataset_with_targets(line(), line(), 2, Timeseries::new().start_index(5));
    assert_eq!(late.unwrap().cardinality().known(), Some(1));
    let none = line().at(tf::s![..5]);
    let none = try_timeseries_dataset_with_targets(line(), none, 2, Timeseries::new().start_index(5));
    assert!(none.expect_err("an error").to_string().contains("a target for it"));
}
