//! A Python process with peers of a benchmark, which is asked for one round after the other and takes turns with ours.
//! `linalg.rs` and `signals.rs` start one where `EAGERFLOW_PYTHON` names a Python that has the libraries.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

/// The process.
pub struct Peers {
    process: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Peers {
    /// Starts a script of this folder; nothing without `EAGERFLOW_PYTHON`.
    pub fn start(script: &str) -> Option<Self> {
        let script = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/support/{}"), script);
        let mut process = Command::new(std::env::var_os("EAGERFLOW_PYTHON")?)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python of EAGERFLOW_PYTHON");
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        Some(Self { process, answers })
    }

    /// Microseconds of one call in a round, of each of two peers; NaN where one has no such function.
    pub fn round(&mut self, what: &str) -> [f64; 2] {
        let to = self.process.stdin.as_mut().expect("a pipe");
        writeln!(to, "{what}").and_then(|()| to.flush()).expect("the peers listen");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peers answer");
        let mut numbers = line.split_whitespace().map(|word| word.parse().expect("a time"));
        [numbers.next().expect("a first time"), numbers.next().expect("a second time")]
    }

    /// Ends it.
    pub fn end(mut self) {
        drop(self.process.stdin.take());
        self.process.wait().expect("the peers end");
    }
}
