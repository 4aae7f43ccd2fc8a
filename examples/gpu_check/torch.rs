//! The same training step by PyTorch, captured as a CUDA graph, where a Python that has it is named.
//! `EAGERFLOW_PYTHON` names it; without it the check says how to ask for the comparison.

use crate::report::{Report, Row};
use std::process::Command;
use tf::{Error, Result};

use eagerflow as tf;

const SCRIPT: &str = include_str!("torch_step.py");

pub fn run(report: &mut Report) -> Result<()> {
    let Some(python) = std::env::var_os("EAGERFLOW_PYTHON") else { return Ok(()) };
    let failed = |why: String| Error::internal("torch", why);
    let output = Command::new(python).args(["-c", SCRIPT]).output().map_err(|e| failed(e.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(failed(error.lines().last().unwrap_or("it said nothing").to_string()));
    }
    for line in said.lines() {
        let Some((what, time)) = line.split_once('\t') else { continue };
        report.row(Row::new(format!("PyTorch: {what}"), time));
    }
    Ok(())
}
