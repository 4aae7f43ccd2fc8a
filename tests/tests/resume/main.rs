//! A run that is interrupted after any step and resumed in another process is the uninterrupted one, bit for bit.
//! The random state belongs to the process, so each run is a process of its own: this program again, told by its environment what to do.

mod run;
mod training;

use eagerflow_tests::child;
use run::{FROM, IN_GRAPH, OPTIMIZER, PASSES, SAVE_AT, SEED, UNTIL};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The steps of a whole run: three epochs and a part of the fourth. It is interrupted before the first, after each, and after the last.
const STEPS: u64 = 20;

/// A program, and how it is told.
#[derive(Clone, Copy)]
struct Program {
    optimizer: &'static str,
    passes: &'static str,
    in_graph: bool,
    steps: u64,
}

impl Program {
    fn new(optimizer: &'static str, passes: &'static str, in_graph: bool) -> Self {
        Self { optimizer, passes, in_graph, steps: STEPS }
    }

    /// One that goes over its data in loops: a step is an epoch.
    fn in_loops(optimizer: &'static str, in_graph: bool) -> Self {
        Self { optimizer, passes: "loops", in_graph, steps: 9 }
    }

    /// Runs it from a checkpoint or the start until a step, with checkpoints after some steps.
    fn run(&self, from: Option<&Path>, until: u64, save_at: &[u64], folder: &Path) -> Report {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let from = from.map(|path| path.to_str().expect("a path in letters").to_owned()).unwrap_or_default();
        let save_at = save_at.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let last = folder.join(format!("last-{run}"));
        // What resumes has seeds of its own: all that counts must come from the checkpoint.
        let seed = if from.is_empty() { 7 } else { 1000 + run };
        let settings = [
            (OPTIMIZER, self.optimizer),
            (PASSES, self.passes),
            (IN_GRAPH, if self.in_graph { "yes" } else { "no" }),
            (FROM, &from),
            (UNTIL, &until.to_string()),
            (SAVE_AT, &save_at),
            (SEED, &seed.to_string()),
            (run::FOLDER, folder.to_str().expect("a path in letters")),
            (run::LAST, last.to_str().expect("a path in letters")),
            ("EAGERFLOW_THREADS", "2"),
        ];
        let said = child::run_test("run::a_process", &settings);
        let lines = said.lines().filter_map(|line| line.strip_prefix(run::MARK)).map(str::to_owned).collect();
        Report { lines, files: [".index", ".data-00000-of-00001"].map(|end| read(&last, end)) }
    }

    /// The uninterrupted run against those that were interrupted once.
    fn check(self) {
        let folder = Folder::new();
        let whole = self.run(None, self.steps, &[], &folder.0);
        assert_eq!(whole.losses().len() as u64, self.steps, "{:?}", whole.lines);
        // What the steps show must tell one step from another, or the comparison would be of nothing.
        let mut different = whole.losses();
        different.sort();
        different.dedup_by(|a, b| a.split(' ').skip(2).eq(b.split(' ').skip(2)));
        assert_eq!(different.len() as u64, self.steps, "{:?}", whole.losses());
        // Saving changes nothing.
        let all: Vec<u64> = (0..=self.steps).collect();
        let saved = self.run(None, self.steps, &all, &folder.0);
        saved.assert_same(&whole, 0, "with saves");
        for step in all {
            let resumed = self.run(Some(&run::saved_after(&folder.0, step)), self.steps, &[], &folder.0);
            resumed.assert_same(&whole, step, &format!("resumed after step {step}"));
        }
    }

    /// The uninterrupted run against one that was interrupted after every step.
    fn check_in_turn(self) {
        let folder = Folder::new();
        let whole = self.run(None, self.steps, &[], &folder.0);
        let mut from: Option<PathBuf> = None;
        for step in 0..=self.steps {
            self.run(from.as_deref(), step, &[step], &folder.0);
            from = Some(run::saved_after(&folder.0, step));
        }
        let last = self.run(from.as_deref(), self.steps, &[], &folder.0);
        last.assert_same(&whole, self.steps, "interrupted after every step");
    }
}

/// What a run said, and the files of its last checkpoint.
struct Report {
    lines: Vec<String>,
    files: [Vec<u8>; 2],
}

impl Report {
    fn losses(&self) -> Vec<&String> {
        self.lines.iter().filter(|line| line.starts_with("step ")).collect()
    }

    /// Compares with a run that went on from the start, from a step on.
    fn assert_same(&self, whole: &Report, step: u64, when: &str) {
        let rest = |report: &Report, skipped: u64| report.lines[skipped as usize..].to_vec();
        let (own, all) = (rest(self, 0), rest(whole, step));
        assert!(own.len() > 20, "{when}: {own:?}");
        for (own, all) in own.iter().zip(&all) {
            assert_eq!(own, all, "{when}");
        }
        assert_eq!(own.len(), all.len(), "{when}");
        assert!(self.files == whole.files, "{when}: the last checkpoints differ");
    }
}

fn read(prefix: &Path, end: &str) -> Vec<u8> {
    std::fs::read(format!("{}{end}", prefix.display())).expect("a file of the last checkpoint")
}

/// A directory that goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("eagerflow-resume-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn eager_with_adam() {
    Program::new("adam", "iterators", false).check();
}

#[test]
fn eager_with_momentum_over_repeated_data() {
    Program::new("sgd", "repeated", false).check();
}

#[test]
fn traced_with_adam() {
    Program::new("adam", "iterators", true).check();
}

#[test]
fn traced_with_momentum_over_repeated_data() {
    Program::new("sgd", "repeated", true).check();
}

#[test]
fn eager_epochs_in_loops() {
    Program::in_loops("sgd", false).check();
}

#[test]
fn epochs_as_one_graph() {
    Program::in_loops("adam", true).check();
}

#[test]
fn eager_interrupted_again_and_again() {
    Program::new("adam", "repeated", false).check_in_turn();
}

#[test]
fn traced_interrupted_again_and_again() {
    Program::new("adam", "iterators", true).check_in_turn();
}
