//! Checks a GPU: every operation against the CPU, training steps to the same numbers, and what things cost, as one table.
//! `cargo run --release --example gpu_check`; the binary needs neither Rust nor this repository where it runs.

mod speed;
mod steps;

use eagerflow as tf;
use eagerflow_tests::suite;
use std::process::ExitCode;

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
    let quick = std::env::args().any(|arg| arg == "--quick");
    // Full precision where results are compared.
    let good = compared() & steps::same_as_on_the_cpu();
    println!("\n| what | measured |\n| --- | ---: |");
    let rows = speed::rows(quick).and_then(|mut rows| {
        rows.extend(steps::rows(quick)?);
        Ok(rows)
    });
    match rows {
        Ok(rows) => rows.iter().for_each(|(what, measured)| println!("| {what} | {measured} |")),
        Err(error) => {
            println!("\nThe measurements failed: {error}");
            return ExitCode::FAILURE;
        }
    }
    println!(
        "\n{}",
        if good { "All results agree with the CPU's." } else { "Some results differ from the CPU's: see above." }
    );
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the op suite and prints what differs.
fn compared() -> bool {
    let found = suite::compare("/gpu:0", &|_| true);
    println!(
        "\n{} operations, {} cases: {} differ from the CPU",
        found.operations,
        found.cases,
        found.complaints.len()
    );
    found.complaints.iter().take(40).for_each(|complaint| println!("  {complaint}"));
    found.complaints.is_empty()
}
