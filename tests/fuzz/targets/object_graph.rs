//! The object graph of a checkpoint, by itself and as the graph of a checkpoint that is restored into a small program.

#![no_main]

use eagerflow as tf;
use eagerflow_formats::bundle::{self, Entry, Options, Source};
use eagerflow_formats::messages::DataType;
use eagerflow_fuzz::{bounded, file};
use libfuzzer_sys::fuzz_target;
use std::sync::atomic::AtomicU64;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::train::Checkpoint;
use tf::{GradientTape, Module};

#[derive(Module)]
struct Program {
    built: Dense,
    unbuilt: Dense,
    optimizer: Adam,
    step: AtomicU64,
    list: Vec<tf::Variable>,
}

fn program() -> Program {
    let (built, unbuilt) = (Dense::new(2), Dense::new(2));
    let optimizer = Adam::new(0.1);
    let tape = GradientTape::new();
    let loss = built.call(tf::ones([1, 2])).square().sum();
    let variables = built.trainable_variables();
    optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    Program { built, unbuilt, optimizer, step: AtomicU64::new(0), list: vec![tf::Variable::new(0.0), tf::Variable::new(1.0)] }
}

/// Values that graphs may name, as the seeds do.
const VALUES: [(&str, &[u64]); 6] =
    [("k", &[2, 2]), ("b", &[2]), ("s", &[]), ("t", &[]), ("m", &[2, 2]), ("v", &[2, 2])];

fuzz_target!(|bytes: &[u8]| {
    let size = bytes.len();
    if bounded(size, || tf::train::__read_object_graph(bytes)).is_err() {
        return;
    }
    thread_local!(static PROGRAM: Program = program());
    let ones = [0u8, 0, 128, 63].repeat(4);
    let graph = [bytes.to_vec()];
    let mut entries =
        vec![Entry { key: "_CHECKPOINTABLE_OBJECT_GRAPH", dtype: DataType::String, shape: vec![], source: Source::Strings(&graph) }];
    for (key, shape) in VALUES {
        let bytes = 4 * shape.iter().product::<u64>() as usize;
        let source = Source::Bytes(&ones[..bytes]);
        entries.push(Entry { key, dtype: DataType::Float, shape: shape.to_vec(), source });
    }
    let (eight, shape) = ([7u8, 0, 0, 0, 0, 0, 0, 0], vec![]);
    entries.push(Entry { key: "n", dtype: DataType::Int64, shape, source: Source::Bytes(&eight) });
    let prefix = file("g", &[]);
    let options = Options { sync: false, threads: 1, ..Options::default() };
    bundle::write(&prefix, &entries, &options).expect("a checkpoint");
    PROGRAM.with(|program| {
        let checkpoint = Checkpoint::of(program);
        bounded(size, || {
            if let Ok(status) = checkpoint.restore(&prefix) {
                status.expect_partial();
                let _ = status.try_assert_consumed();
                let _ = status.try_assert_existing_objects_matched();
                let _ = status.try_assert_nontrivial_match();
            }
        });
    });
});
