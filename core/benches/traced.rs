//! A traced function beside its operations one by one: 200 random programs of a thousand to a million elements, in turns.
//! `cargo bench -p eagerflow --bench traced` prints the programs whose traced run takes longer and the worst ratio; words behind `--` are
//! seeds of single programs, of which it prints the operations and, with `--plan`, the plan. Sample networks are in `--bench steps`.

#[allow(dead_code, reason = "results are compared one by one here")]
#[path = "shapes/inputs.rs"]
mod inputs;
#[path = "traced/program.rs"]
mod program;

use eagerflow as tf;
use program::{Operands, run};
use std::hint::black_box;
use std::time::Instant;
use tf::{Tensor, tf_function};

const PROGRAMS: u64 = 200;
/// Samples of each way, and the seconds that one is made of at least.
const SAMPLES: usize = 9;
const SAMPLE_S: f64 = 4e-3;

#[tf_function]
fn traced(seed: u64, operands: &[Tensor]) -> Vec<Tensor> {
    run(seed, Operands::Given(operands.iter()), operands).results
}

fn eager(seed: u64, operands: &[Tensor]) -> Vec<Tensor> {
    run(seed, Operands::Given(operands.iter()), operands).results
}

type Way = fn(u64, &[Tensor]) -> Vec<Tensor>;

/// The microseconds of a run, by the mean of as many as a sample has.
fn sample(way: Way, seed: u64, operands: &[Tensor], runs: usize) -> f64 {
    let start = Instant::now();
    (0..runs).for_each(|_| drop(black_box(way(seed, operands))));
    start.elapsed().as_secs_f64() * 1e6 / runs as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// By how much of its norm a result differs at most.
fn difference(a: &[Tensor], b: &[Tensor]) -> f64 {
    assert_eq!(a.len(), b.len(), "both ways answer as many results");
    let norm = |x: &Tensor| f64::from(tf::reduce_sum(x.square(), ()).item::<f32>()).sqrt();
    a.iter().zip(b).map(|(a, b)| norm(&(a - b)) / norm(a).max(1e-6)).fold(0.0, f64::max)
}

/// A program's times, eager and traced.
struct Row {
    seed: u64,
    told: String,
    eager: f64,
    traced: f64,
    differs: f64,
}

impl Row {
    fn of(seed: u64) -> Self {
        let mut operands = Vec::new();
        let told = run(seed, Operands::Made(&mut operands), &[]).told;
        let differs = difference(&eager(seed, &operands), &traced(seed, &operands));
        let runs = (SAMPLE_S * 1e6 / sample(eager, seed, &operands, 2)).ceil() as usize;
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..=SAMPLES {
            for (way, times) in [eager as Way, traced as Way].into_iter().zip(&mut times) {
                let time = sample(way, seed, &operands, runs);
                times.extend((round > 0).then_some(time));
            }
        }
        let [eager, traced] = times.map(median);
        Self { seed, told, eager, traced, differs }
    }

    fn ratio(&self) -> f64 {
        self.traced / self.eager
    }

    fn print(&self) {
        let Self { seed, told, eager, traced, differs } = self;
        println!("{seed:>5} {eager:>12.1} {traced:>12.1} {:>8.3} {differs:>9.1e}  {told}", self.ratio());
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted: Vec<u64> = arguments.iter().filter_map(|word| word.parse().ok()).collect();
    println!("{:>5} {:>12} {:>12} {:>8} {:>9}  program", "seed", "eager us", "traced us", "ratio", "differs");
    if let [_, ..] = wanted.as_slice() {
        wanted.iter().for_each(|&seed| Row::of(seed).print());
        if arguments.iter().any(|word| word == "--plan") {
            wanted.iter().for_each(|&seed| {
                let mut operands = Vec::new();
                run(seed, Operands::Made(&mut operands), &[]);
                tf::profile(|| (0..20).for_each(|_| drop(traced(seed, &operands))));
            });
            println!("{}", tf::function(traced).plan().unwrap_or_default());
        }
        return;
    }
    let mut rows: Vec<Row> = (0..PROGRAMS).map(Row::of).collect();
    rows.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    let slower = rows.iter().take_while(|row| row.ratio() > 1.0).count();
    rows.iter().take(slower.max(1)).for_each(Row::print);
    let mean = (rows.iter().map(|row| row.ratio().ln()).sum::<f64>() / rows.len() as f64).exp();
    let differs = rows.iter().map(|row| row.differs).fold(0.0, f64::max);
    println!(
        "{} programs: worst ratio {:.3}, {slower} above 1, geometric mean {mean:.3}; results differ by {differs:.1e} of their norm at most",
        rows.len(),
        rows[0].ratio()
    );
}
