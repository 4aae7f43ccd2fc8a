//! Random programs, run by the library at once and as a trace made through the protocol of `#[tf_function]`, must agree.
//! `EAGERFLOW_PROGRAMS` sets how many, `EAGERFLOW_FIRST` the first seed, `EAGERFLOW_SEED` repeats one; a failing program is
//! shrunk and printed as Rust.

#![allow(dead_code, clippy::type_complexity, reason = "the build script shares some of these files")]

mod borrowed;
mod compare;
mod counted;
mod expressions;
mod generate;
mod histogram;
mod liveness;
mod native;
mod program;
mod protocol;
mod shrink;
mod source;
mod spelling;
mod values;

use compare::World;
use eagerflow_tests::random;
use generate::generate;
use histogram::Histogram;
use program::Program;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Programs fail on purpose, and while they are shrunk: their panics are not shown.
fn quiet<R>(run: impl FnOnce() -> R) -> R {
    if from_environment("EAGERFLOW_LOUD").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let result = run();
    drop(std::panic::take_hook());
    result
}

/// The smallest program that fails like this one, with what differs.
fn smallest(program: &Program, seed: u64) -> String {
    let world = World::new();
    // An error must stay one of the same kind, or shrinking finds another bug.
    let kind = |text: &str| text.split_once(", ").map_or(text, |(_, what)| what).chars().take(16).collect::<String>();
    let first = kind(&check(program, &world).err().unwrap_or_default());
    if from_environment("EAGERFLOW_SHRINK") == Some(0) {
        return format!("seed {seed}: {first}");
    }
    let mut fails = |p: &Program| check(p, &world).is_err_and(|e| kind(&e) == first);
    let small = shrink::shrink(program, &mut fails);
    let what = check(&small, &world).err().unwrap_or_default();
    format!("seed {seed}: {what}\n{}", source::source(&small, "program", ""))
}

/// What differs between a program and the trace that its protocol makes.
fn check(program: &Program, world: &World) -> Result<(), String> {
    /// Each program is a function of its own.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    compare::check(program, &|inputs| protocol::call(program, number, 0, inputs.clone()), world)
}

/// The first few of them on a GPU; what can be captured is, in the first call.
#[test]
fn some_on_a_gpu() {
    let count = from_environment("EAGERFLOW_GPU_PROGRAMS").unwrap_or(60).to_string();
    eagerflow_tests::child::run_on_a_gpu(&[], &[("EAGERFLOW_PROGRAMS", &count), ("EAGERFLOW_CUDA_GRAPHS", "0")]);
}

/// What a wrong order of addition, or another fault that few programs show, once made differ.
#[test]
fn programs_that_once_differed() {
    let world = World::new();
    for seed in [6176, 9698, 90263, 819424, 2000391] {
        if let Err(what) = quiet(|| check(&generate(seed), &world)) {
            panic!("seed {seed}: {what}");
        }
    }
}

#[test]
fn eager_and_traced_agree() {
    let first = from_environment("EAGERFLOW_FIRST").unwrap_or(1000);
    let count = from_environment("EAGERFLOW_PROGRAMS").unwrap_or(2000);
    let seeds = match from_environment("EAGERFLOW_SEED") {
        Some(seed) => seed..seed + 1,
        None => first..first + count,
    };
    println!("programs with the seeds {seeds:?}");
    let mut histogram = Histogram::default();
    seeds.clone().for_each(|seed| histogram.add(&generate(seed)));
    println!("{histogram}");
    let rare = histogram.rarer_than(((seeds.end - seeds.start) / 50) as usize);
    assert!(rare.is_empty() || seeds.end - seeds.start < 400, "the generator has lost {rare:?}");
    // Each thread runs its own programs, whose tensors are small.
    eagerflow::config::set_threads(1);
    let next = AtomicU64::new(seeds.start);
    let failures: Mutex<Vec<(u64, String)>> = Mutex::default();
    let most = from_environment("EAGERFLOW_FAILURES").unwrap_or(3) as usize;
    quiet(|| {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let world = World::new();
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= seeds.end || failures.lock().unwrap().len() >= most {
                            break;
                        }
                        let program = generate(seed);
                        if check(&program, &world).is_err() {
                            let text = smallest(&program, seed);
                            failures.lock().unwrap().push((seed, text));
                        }
                    }
                });
            }
        });
    });
    let failures = failures.into_inner().unwrap();
    for (_, text) in &failures {
        println!("{text}\n");
    }
    assert!(
        failures.is_empty(),
        "{} programs differ: seeds {:?}",
        failures.len(),
        failures.iter().map(|f| f.0).collect::<Vec<_>>()
    );
}
