//! Says in plain words what CUDA finds or misses on this machine, and what to do about it.
//! Run it with `cargo run --release --example doctor`; the exit status is 0 if a GPU can be used.

use eagerflow as tf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let findings = tf::config::cuda_findings();
    for finding in &findings {
        println!("{} {}: {}", if finding.good { "  ok " } else { "MISS " }, finding.subject, finding.text);
        if let Some(advice) = finding.advice {
            println!("      {advice}");
        }
    }
    let usable = findings.iter().any(|f| f.subject == "device" && f.good);
    println!();
    match usable {
        true => println!(
            "Operations run on {} unless `tf::device` says otherwise.",
            tf::constant([0.5, 1.5]).sqrt().device()
        ),
        false => println!(
            "There is no GPU that can be used. Everything runs on the CPU, and nothing else is missing for that."
        ),
    }
    if usable { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
