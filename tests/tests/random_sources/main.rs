//! Random programs as Rust source, compiled under the real `#[tf_function]`: what they give must agree with the tree of
//! the same seed, run as Rust would run it. The build script writes them.

#![allow(dead_code, clippy::type_complexity, reason = "the files are shared with `random_programs`")]

#[path = "../random_programs/borrowed.rs"]
mod borrowed;
#[path = "../random_programs/compare.rs"]
mod compare;
#[path = "../random_programs/counted.rs"]
mod counted;
#[path = "../random_programs/expressions.rs"]
mod expressions;
#[path = "../random_programs/generate.rs"]
mod generate;
#[path = "../random_programs/histogram.rs"]
mod histogram;
#[path = "../random_programs/liveness.rs"]
mod liveness;
#[path = "../random_programs/native.rs"]
mod native;
#[path = "../random_programs/program.rs"]
mod program;
#[path = "../random_programs/source.rs"]
mod source;
#[path = "../random_programs/spelling.rs"]
mod spelling;
#[path = "../random_programs/values.rs"]
mod values;

use compare::{World, check};
use counted::is_refused;
use eagerflow::{Tensor, Variable, random::Generator};
use eagerflow_tests::random;
use eagerflow_tests::sources::line_of_the_library;
use generate::generate;
use histogram::Histogram;
use values::Inputs;

type Plan = fn() -> Option<String>;
type Traced = fn(bool, i32, &Tensor, &Tensor, &Tensor, &Variable, &Variable, &Generator) -> Vec<Tensor>;

#[allow(unused, clippy::all, reason = "random programs are no model of style")]
mod programs {
    use super::values::{chosen, custom, element, first, grown, last, ranged, updated};
    use eagerflow::{self as tf, Tensor, Variable, random::Generator, tf_function};
    type Plan = super::Plan;
    type Traced = super::Traced;

    include!(concat!(env!("OUT_DIR"), "/random_sources.rs"));

    pub fn all() -> &'static [(u64, Traced, Plan)] {
        &PROGRAMS
    }
}

#[test]
fn sources_agree_with_their_trees() {
    let all = programs::all();
    println!("{} programs with the seeds from {} on", all.len(), all[0].0);
    let mut histogram = Histogram::default();
    all.iter().for_each(|(seed, ..)| histogram.add(&generate(*seed)));
    println!("{histogram}");
    println!("{} words are of references that lend a variable", programs::BORROWED);
    assert!(programs::BORROWED > all.len(), "the writer has lost its references");
    let rare = histogram.rarer_than(all.len() / 100);
    assert!(rare.is_empty() || all.len() < 200, "the generator has lost {rare:?}");
    eagerflow::config::set_threads(1);
    let world = World::new();
    let (mut failures, mut refused) = (Vec::new(), 0);
    std::panic::set_hook(Box::new(|_| {}));
    for (seed, function, plan) in all {
        let program = generate(*seed);
        let call = |inputs: &Inputs| {
            let Inputs { training, n, x, y, j, w, log, generator } = inputs;
            function(*training, *n, x, y, j, w, log, generator)
        };
        match check(&program, &call, &world) {
            Err(what) if is_refused(&what) => refused += 1,
            Err(what) => failures.push((*seed, what)),
            Ok(_) => {}
        }
        // Every operation is at a line of the program.
        if let Some(line) = plan().and_then(|plan| line_of_the_library(&plan).map(str::to_owned)) {
            failures.push((*seed, format!("a line of the library: {line}")));
        }
    }
    drop(std::panic::take_hook());
    println!("{} programs count on the host, of which {refused} are refused", programs::COUNTED);
    assert!(
        refused * 5 > programs::COUNTED && refused * 5 < programs::COUNTED * 4 || all.len() < 200,
        "the host's counter says little"
    );
    // The first few are enough for a look; `EAGERFLOW_SHOW` asks for more.
    let show = std::env::var("EAGERFLOW_SHOW").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    for (seed, what) in failures.iter().take(show) {
        println!("seed {seed}: {what}\n{}\n", source::source(&generate(*seed), "program", "#[tf_function]\n"));
    }
    let seeds: Vec<u64> = failures.iter().map(|(seed, _)| *seed).collect();
    assert!(failures.is_empty(), "{} programs differ: seeds {seeds:?}", failures.len());
}
