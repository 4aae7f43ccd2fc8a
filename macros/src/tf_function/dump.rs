//! Prints the expansion of one function while the compiler runs: `EAGERFLOW_EXPAND=name cargo check`.

use proc_macro2::{Ident, TokenStream};
use std::io::Write;
use std::process::{Command, Stdio};

/// Prints the expansion to standard error if it was asked for.
pub fn dump(name: &Ident, tokens: &TokenStream) {
    let wanted = std::env::var("EAGERFLOW_EXPAND").is_ok_and(|wanted| name == &wanted);
    if wanted {
        let text = tokens.to_string();
        eprintln!("{}", formatted(&text).unwrap_or(text));
    }
}

/// As rustfmt writes it, where there is a rustfmt.
fn formatted(text: &str) -> Option<String> {
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config", "max_width=120"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    rustfmt.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = rustfmt.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok())?
}
