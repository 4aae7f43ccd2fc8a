//! Checks a GPU: every operation against the CPU, training to the same numbers, and what things cost, as one table in Markdown.
//! `cargo run --release --example gpu_check`; the binary needs neither Rust nor this repository where it runs.

#[path = "../digits/args.rs"]
#[allow(dead_code, reason = "the check takes the network of the digits' program, not its command line")]
mod args;
mod bandwidth;
mod digits;
mod launches;
#[path = "../digits/model.rs"]
mod model;
mod products;
mod report;
#[path = "../digits/step.rs"]
#[allow(dead_code, reason = "steps are timed here with their spread")]
mod step;
mod steps;
mod timing;
mod torch;
#[path = "../digits/train.rs"]
#[allow(dead_code, reason = "the history is for the digits' picture")]
mod train;

use eagerflow as tf;
use eagerflow_tests::suite;
use report::{Report, Row};
use std::process::ExitCode;
use steps::Peaks;

const USAGE: &str = "usage: gpu_check [--quick] [--only WORD..]
  --quick         small sizes, whose times mean nothing
  --only WORD..   the checks whose names contain one of the words";

/// Whether sizes are to be small, and the words that choose checks.
fn asked() -> Result<(bool, Vec<String>), String> {
    let mut arguments = std::env::args().skip(1);
    let mut quick = false;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => quick = true,
            "--only" => {
                let words: Vec<String> = arguments.collect();
                return if words.is_empty() { Err("`--only` needs a word".into()) } else { Ok((quick, words)) };
            }
            other => return Err(format!("`{other}` is no option")),
        }
    }
    Ok((quick, Vec::new()))
}

fn main() -> ExitCode {
    for finding in tf::config::cuda_findings() {
        println!("{} {}: {}", if finding.good { "  ok " } else { "MISS " }, finding.subject, finding.text);
        if let Some(advice) = finding.advice {
            println!("      {advice}");
        }
    }
    if tf::list_physical_devices(Some(tf::DeviceKind::Gpu)).is_empty() {
        println!("\nThere is no GPU to check.");
        return ExitCode::FAILURE;
    }
    // Panics become rows of the table.
    std::panic::set_hook(Box::new(|_| {}));
    let (quick, only) = match asked() {
        Ok(asked) => asked,
        Err(wrong) => {
            eprintln!("{wrong}\n\n{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    let mut report = Report::new(quick, only);
    report.head();
    report.check("operations against the CPU", 0, compared);
    report.check("losses against the CPU", 0, steps::same_as_on_the_cpu);
    report.check("launches", 10, launches::run);
    let mut peaks = Peaks::default();
    products::run(&mut report, &mut peaks.operations);
    bandwidth::run(&mut report, &mut peaks.bandwidth);
    steps::run(&mut report, peaks);
    report.check("digits", 60, digits::run);
    report.check("PyTorch", 60, torch::run);
    conclude(&report)
}

/// What stands below the table.
fn conclude(report: &Report) -> ExitCode {
    let (kernels, compiling) = tf::__measure::compiled();
    println!(
        "\n{kernels} kernels were compiled in {:.1} s; all took {:.0} s.",
        compiling.as_secs_f64(),
        report.elapsed().as_secs_f64()
    );
    if std::env::var_os("EAGERFLOW_PYTHON").is_none() {
        println!("PyTorch beside it: EAGERFLOW_PYTHON=python3 {}", std::env::args().next().unwrap_or_default());
    }
    if report.failed > 0 {
        println!("{} checks failed or were left out: see the table.", report.failed);
        return ExitCode::FAILURE;
    }
    println!("All checks ran, and results agree with the CPU's; {} marks were missed.", report.missed);
    ExitCode::SUCCESS
}

/// Runs the op suite.
fn compared(report: &mut Report) -> tf::Result<()> {
    let found = suite::compare("/gpu:0", &|_| true, &|| 0);
    let differ = found.complaints.len();
    report.row(Row::new(
        format!("{} operations, {} cases against the CPU", found.operations, found.cases),
        format!("{differ} differ"),
    ));
    if differ == 0 {
        return Ok(());
    }
    Err(tf::Error::internal(
        "suite",
        format!("{differ} cases differ from the CPU: {}", found.complaints[..differ.min(20)].join("; ")),
    ))
}
