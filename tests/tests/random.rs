//! The random functions against all of `golden/random.json`: TensorFlow's very numbers, states and orders.
//! Normal `f64` numbers alone may differ in their last bits, since both sides ask a C library for logarithms.

use eagerflow::random::{self, Generator};
use eagerflow::{self as tf, DType, Tensor};
use eagerflow_tests::compare::{Bound, differences, show};
use eagerflow_tests::golden::{Array, records};
use serde_json::Value;
use std::sync::Mutex;

/// The global seed is one for all tests of this process.
static ALONE: Mutex<()> = Mutex::new(());

fn dtype(attrs: &Value) -> DType {
    attrs["dtype"].as_str().map_or(DType::F32, |name| DType::from_name(name).expect("a dtype"))
}

fn shape(attrs: &Value) -> Vec<usize> {
    attrs["shape"].as_array().expect("a shape").iter().map(|n| n.as_u64().expect("a size") as usize).collect()
}

fn number(attrs: &Value, name: &str, default: f64) -> f64 {
    attrs.get(name).map_or(default, |v| v.as_f64().expect("a number"))
}

fn integer(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no integer"))
}

fn seed(record: &Value) -> [i64; 2] {
    [integer(&record["seed"][0]), integer(&record["seed"][1])]
}

/// Compares with TensorFlow's array; `first` elements are left out.
fn same(what: &str, got: &Tensor, right: &Value, first: Option<usize>) {
    let right = Array::parse(right);
    let got = match first {
        None => Array::of(got),
        Some(first) => Array::of(&tf::slice(got, [first as isize], [-1])),
    };
    let bound = if right.dtype == DType::F64 && what.contains("normal") { Bound::ulps(8.0) } else { Bound::EXACT };
    match differences(&got, &right, bound, 1.0) {
        Ok(places) if places.is_empty() => {}
        Ok(places) => panic!("{what}: {}", show(&got, &right, &places)),
        Err(text) => panic!("{what}: {text}"),
    }
}

/// The distribution that a record names, drawn from a seed.
fn stateless(op: &str, seed: [i64; 2], attrs: &Value) -> Tensor {
    let (shape, dtype) = (shape(attrs), dtype(attrs));
    let moments = (number(attrs, "mean", 0.0), number(attrs, "stddev", 1.0));
    match op {
        "stateless_uniform" if dtype.is_integer() => {
            let (low, high) = (integer(&attrs["minval"]), integer(&attrs["maxval"]));
            random::try_stateless_uniform_int(shape, seed, low, high, dtype)
        }
        "stateless_uniform" => {
            let (low, high) = (number(attrs, "minval", 0.0), number(attrs, "maxval", 1.0));
            random::try_stateless_uniform(shape, seed, low, high, dtype)
        }
        "stateless_uniform_full_int" => random::try_stateless_uniform_full_int(shape, seed, dtype),
        "stateless_normal" => random::try_stateless_normal(shape, seed, moments.0, moments.1, dtype),
        "stateless_truncated_normal" => {
            random::try_stateless_truncated_normal(shape, seed, moments.0, moments.1, dtype)
        }
        _ => panic!("unknown record {op}"),
    }
    .unwrap_or_else(|e| panic!("{op}: {e}"))
}

#[test]
fn stateless_functions() {
    let mut count = 0;
    for record in records("random.json") {
        let (op, attrs) = (record["op"].as_str().expect("an op"), &record["attrs"]);
        let what = format!("{op} {} {attrs}", record["seed"]);
        let first = attrs.get("first").map(|v| integer(v) as usize);
        match op {
            "key_counter" | "generator" | "set_seed" => continue,
            "shuffle" => {
                let values = Tensor::from((0..integer(&attrs["size"]) as i32).collect::<Vec<_>>());
                same(&what, &random::stateless_shuffle(&values, seed(&record)), &record["output"], None);
            }
            "index_shuffle" => {
                let top = attrs["max_index"].as_u64().expect("an index");
                let indices = attrs["indices"].as_array().expect("indices");
                let to =
                    indices.iter().map(|i| random::index_shuffle(i.as_u64().expect("an index"), seed(&record), top));
                same(&what, &Tensor::from(to.map(|i| i as i64).collect::<Vec<_>>()), &record["output"], None);
            }
            "split" => {
                let seeds = random::split(seed(&record), integer(&attrs["num"]) as usize);
                same(&what, &seeds, &record["output"], None);
            }
            "fold_in" => {
                let folded = random::fold_in(seed(&record), Tensor::from(integer(&attrs["data"])));
                same(&what, &folded, &record["output"], None);
            }
            _ => same(&what, &stateless(op, seed(&record), attrs), &record["output"], first),
        }
        count += 1;
    }
    assert!(count > 400, "only {count} records");
}

/// The generator of a case, by its title.
fn made(case: &str) -> Generator {
    match case {
        "state at the carry" => Generator::from_state([-1, i64::MAX, 77]),
        "seed [1,2,3]" => Generator::from_state([1, 2, 3]),
        "key 5, counter [1,2]" => Generator::from_key_counter(5, [1, 2]),
        _ => Generator::from_seed(case.trim_start_matches("seed ").parse::<i128>().expect("a seed")),
    }
}

fn drawn(generator: &Generator, call: &str, attrs: &Value) -> Option<Tensor> {
    let moments = (number(attrs, "mean", 0.0), number(attrs, "stddev", 1.0));
    Some(match call {
        "make" => return None,
        "skip" => {
            generator.skip(integer(&attrs["delta"]) as u64);
            return None;
        }
        "make_seeds" => generator.make_seeds(integer(&attrs["count"]) as usize),
        "split" => {
            let states = generator.split(integer(&attrs["count"]) as usize);
            tf::stack(&states.iter().map(Generator::state).collect::<Vec<_>>(), 0)
        }
        "uniform" if dtype(attrs).is_integer() => generator
            .try_uniform_int(shape(attrs), integer(&attrs["minval"]), integer(&attrs["maxval"]), dtype(attrs))
            .expect(call),
        "uniform" => generator.try_uniform(shape(attrs), 0.0, 1.0, dtype(attrs)).expect(call),
        "uniform_full_int" => generator.uniform_full_int(shape(attrs), dtype(attrs)).expect(call),
        "normal" => generator.try_normal(shape(attrs), moments.0, moments.1, dtype(attrs)).expect(call),
        _ => generator.try_truncated_normal(shape(attrs), moments.0, moments.1, dtype(attrs)).expect(call),
    })
}

#[test]
fn generators() {
    let mut count = 0;
    for record in records("random.json").iter().filter(|r| r["op"] == "generator") {
        let case = record["case"].as_str().expect("a case");
        let generator = made(case);
        for step in record["steps"].as_array().expect("steps") {
            let call = step["call"].as_str().expect("a call");
            let what = format!("{case}: {call} {}", step["attrs"]);
            match drawn(&generator, call, &step["attrs"]) {
                Some(out) => same(&what, &out, &step["output"], None),
                None => assert!(step["output"].is_null(), "{what}"),
            }
            let state: Vec<i64> = step["state"].as_array().expect("a state").iter().map(integer).collect();
            assert_eq!(generator.state().to_vec::<i64>(), state, "state after {what}");
            count += 1;
        }
    }
    assert!(count > 100, "only {count} steps");
}

#[test]
fn the_global_seed() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    let mut count = 0;
    for record in records("random.json").iter().filter(|r| r["op"] == "set_seed") {
        random::set_seed(integer(&record["seed"]));
        for step in record["steps"].as_array().expect("steps") {
            let (call, attrs) = (step["call"].as_str().expect("a call"), &step["attrs"]);
            let own = attrs.get("seed").map(integer);
            let moments = (number(attrs, "mean", 0.0), number(attrs, "stddev", 1.0));
            let out = match call {
                "shuffle" => {
                    let values: Vec<i32> = (0..integer(&attrs["size"]) as i32).collect();
                    random::try_shuffle(Tensor::from(values), own)
                }
                "uniform" if dtype(attrs).is_integer() => {
                    let (low, high) = (integer(&attrs["minval"]), integer(&attrs["maxval"]));
                    random::try_uniform_int(shape(attrs), low, high, dtype(attrs), own)
                }
                "uniform" => random::try_uniform(shape(attrs), 0.0, 1.0, dtype(attrs), own),
                "normal" => random::try_normal(shape(attrs), moments.0, moments.1, dtype(attrs), own),
                _ => random::try_truncated_normal(shape(attrs), moments.0, moments.1, dtype(attrs), own),
            };
            same(&format!("seed {}: {call} {attrs}", record["seed"]), &out.expect(call), &step["output"], None);
            count += 1;
        }
    }
    assert!(count > 60, "only {count} steps");
}
