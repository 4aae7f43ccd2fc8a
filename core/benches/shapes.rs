//! Convolutions, products, row operations, element-wise chains and moves of elements at 204 shapes that networks have (`shapes/grid.txt`).
//! `shapes_peers.py` times them in turns with PyTorch and JAX, compares results, and records the table of a processor.
//!
//! `cargo bench -p eagerflow --bench shapes` alone prints our times and what is computed or moved per second; words behind `--` are
//! families or beginnings of lines of the grid. `--both` times each also traced instead of eager, or eager instead of traced; `--cuts`
//! tells instead how evenly each call's work is cut for 2 to 16 threads. With `--serve` it is the process that the driver asks.
//! `--record` is an option of the driver, since a record holds the peers beside ours:
//!
//!     cargo bench -p eagerflow --bench shapes --no-run        # prints where the program lies
//!     python core/benches/shapes_peers.py PROGRAM --record
//!
//! The serving process takes lines on its input, each of which it answers with one: `make LINE-OF-THE-GRID` with how the workload's results
//! are told from others, `time` with the milliseconds of one call of it, `about` with what the process runs on.

#[path = "shapes/chains.rs"]
mod chains;
#[path = "shapes/convolutions.rs"]
mod convolutions;
#[path = "support/cuts.rs"]
mod cuts;
#[path = "shapes/inputs.rs"]
mod inputs;
#[path = "shapes/moves.rs"]
mod moves;
#[path = "shapes/products.rs"]
mod products;
#[path = "shapes/rows.rs"]
mod rows;
#[path = "shapes/work.rs"]
mod work;

use cuts::Cuts;
use kernels::backend::cpu::Isa;
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use work::{Spec, Work};

const GRID: &str = include_str!("shapes/grid.txt");

/// How many samples a workload has when nobody asks for them one by one.
const SAMPLES: usize = 9;

fn work(spec: &Spec<'_>) -> Work {
    match spec.family {
        "convolutions" => convolutions::work(spec),
        "products" => products::work(spec),
        "rows" => rows::work(spec),
        "chains" => chains::work(spec),
        "moves" => moves::work(spec),
        family => panic!("`{family}` is no family"),
    }
}

/// The names of the program's version, path and threads.
fn about() -> String {
    let path = match Isa::current() {
        Isa::Portable => "portable",
        Isa::Avx2 => "avx2",
        Isa::Avx512 => "avx512",
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{{\"version\": \"{}\", \"path\": \"{path}\", \"threads\": {threads}}}", env!("CARGO_PKG_VERSION"))
}

/// What the driver has to know of a workload.
fn described(work: &Work) -> String {
    let checks: Vec<String> = work.checks.iter().map(|[norm, probe]| format!("[{norm:e}, {probe:e}]")).collect();
    let (amount, unit) = work.amount.giga();
    format!("{{\"amount\": {amount:e}, \"unit\": \"{unit}\", \"checks\": [{}]}}", checks.join(", "))
}

/// Makes the workload of a line; what fails is told on one line, and in full on standard error.
fn made(all: &[Spec<'_>], name: &str) -> Result<Work, String> {
    let spec = all.iter().find(|spec| spec.name == name).ok_or("no such line in the grid")?;
    catch_unwind(AssertUnwindSafe(|| work(spec))).map_err(|_| "it panicked".to_owned())
}

fn serve(all: &[Spec<'_>]) {
    let mut current = None;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let answer = match (line.split_once(' '), &current) {
            (Some(("make", name)), _) => {
                // The memory of the one before goes first.
                current = None;
                match made(all, name) {
                    Ok(work) => described(current.insert(work)),
                    Err(why) => format!("{{\"error\": \"{why}\"}}"),
                }
            }
            (None, Some(work)) if line == "time" => work.sample().to_string(),
            (None, _) if line == "about" => about(),
            _ => "nan".to_owned(),
        };
        println!("{answer}");
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn table(all: &[&Spec<'_>], both: bool) {
    println!("eagerflow {}; medians of {SAMPLES} samples", about());
    for spec in all {
        let (mut work, mut times, mut others) = (work(spec), Vec::new(), Vec::new());
        for _ in 0..SAMPLES {
            times.push(work.sample());
            if both {
                work.other_way();
                others.push(work.sample());
                work.other_way();
            }
        }
        let (time, (amount, unit)) = (median(times), work.amount.giga());
        let rate = format!("{:.2} {unit}/s", amount / (time * 1e-3));
        let other = both.then(|| format!("  {:.2} of the other way", time / median(others)));
        println!("{:<46} {time:>12.5} ms {rate:>16}{}", spec.name, other.unwrap_or_default());
    }
}

/// What more threads would make of each workload.
fn cut_table(all: &[&Spec<'_>]) {
    println!("{}\n{}", cuts::overhead(), Cuts::head());
    for spec in all {
        let work = work(spec);
        println!("{}", Cuts::of(|| work.call()).row(spec.name));
    }
}

fn main() {
    let all = Spec::all(GRID);
    let (options, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let asked = |name: &str| options.iter().any(|option| option == name);
    let named = |spec: &&Spec<'_>| {
        words.is_empty() || words.iter().any(|word| spec.family == word || spec.name.starts_with(word.as_str()))
    };
    let chosen: Vec<&Spec<'_>> = all.iter().filter(named).collect();
    match (asked("--serve"), asked("--cuts")) {
        (true, _) => serve(&all),
        (false, true) => cut_table(&chosen),
        (false, false) => table(&chosen, asked("--both")),
    }
}
