//! A line on standard error while kernels are compiled for long: `eagerflow: compiling kernels for NVIDIA H200: 12 of 40`,
//! rewritten in place and taken away at the end. `program.rs` puts its work in here.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long compiling must take before it is worth a line.
const LONG: Duration = Duration::from_millis(500);
/// How often the line is looked at.
const EVERY: Duration = Duration::from_millis(100);
/// A pause after which compiling starts anew: what came before no longer counts.
const PAUSE: Duration = Duration::from_secs(2);

/// How far the work is.
pub(super) struct Progress<'a> {
    device: &'a str,
    finished: AtomicUsize,
    all: usize,
}

/// Kernels compiled shortly before, one after the other: how many, in which time, and when the last was done.
struct Recent {
    kernels: usize,
    spent: Duration,
    last: Option<Instant>,
}

static RECENT: Mutex<Recent> = Mutex::new(Recent { kernels: 0, spent: Duration::ZERO, last: None });

impl Progress<'_> {
    /// So many kernels more are compiled.
    pub fn done(&self, kernels: usize) {
        self.finished.fetch_add(kernels, Ordering::Relaxed);
    }

    fn line(&self) -> String {
        let finished = self.finished.load(Ordering::Relaxed);
        format!("eagerflow: compiling kernels for {}: {finished} of {}", self.device, self.all)
    }
}

/// Whether the line is wanted: `EAGERFLOW_CUDA_PROGRESS` says so or not, else where standard error is a terminal.
fn wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| match std::env::var_os("EAGERFLOW_CUDA_PROGRESS") {
        Some(asked) => asked != "0",
        None => std::io::stderr().is_terminal(),
    })
}

/// Does `work`, which compiles `count` kernels, and shows how far it is if that takes long.
pub(super) fn over<R>(count: usize, device: &str, work: impl FnOnce(&Progress<'_>) -> R) -> R {
    let started = Instant::now();
    let (before, spent) = match wanted() && count > 0 {
        true => recent(started),
        false => (0, Duration::ZERO),
    };
    // Kernels that come one by one are counted on.
    let progress = Progress { device, finished: AtomicUsize::new(before), all: before + count };
    if !wanted() || count == 0 {
        return work(&progress);
    }
    let (ended, signal) = (Mutex::new(false), Condvar::new());
    let result = std::thread::scope(|scope| {
        /// Ends the line also when the work panics.
        struct End<'a>(&'a Mutex<bool>, &'a Condvar);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
                self.1.notify_all();
            }
        }
        let _end = End(&ended, &signal);
        // Without a thread to spare there is no line.
        let _ = std::thread::Builder::new().spawn_scoped(scope, || {
            show(&progress, &ended, &signal, LONG.saturating_sub(spent), &mut std::io::stderr())
        });
        work(&progress)
    });
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    recent.kernels += count;
    recent.spent += started.elapsed();
    recent.last = Some(Instant::now());
    result
}

/// How many kernels were compiled without a pause before `now`, and how long that took.
fn recent(now: Instant) -> (usize, Duration) {
    let mut recent = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    if recent.last.is_none_or(|last| now.saturating_duration_since(last) > PAUSE) {
        *recent = Recent { kernels: 0, spent: Duration::ZERO, last: None };
    }
    (recent.kernels, recent.spent)
}

/// Writes the line when it is time, and takes it away at the end.
fn show(progress: &Progress<'_>, ended: &Mutex<bool>, signal: &Condvar, mut wait: Duration, to: &mut dyn Write) {
    let mut shown = String::new();
    let mut over = ended.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        over = match signal.wait_timeout_while(over, wait, |over| !*over) {
            Ok((over, _)) => over,
            Err(poisoned) => poisoned.into_inner().0,
        };
        let line = progress.line();
        if *over {
            break;
        }
        if line != shown {
            write(to, &line, shown.len());
            shown = line;
        }
        wait = EVERY;
    }
    if !shown.is_empty() {
        write(to, "", shown.len());
    }
}

/// Writes a line over one of `before` characters, and leaves the cursor at its end.
fn write(to: &mut dyn Write, line: &str, before: usize) {
    let rest = " ".repeat(before.saturating_sub(line.len()));
    let back = if rest.is_empty() { String::new() } else { format!("\r{line}") };
    // A closed standard error is no reason to stop.
    let _ = to.write_all(format!("\r{line}{rest}{back}").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// What was written, for two threads to see.
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Shared {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    /// What is shown of work that does these steps one after the other, each once the line says where the last has led.
    fn shown(steps: &[usize], wait: Duration) -> String {
        let progress = Progress { device: "NVIDIA H200", finished: AtomicUsize::new(12), all: 40 };
        let (ended, signal, written) = (Mutex::new(false), Condvar::new(), Shared::default());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut to = written.clone();
                show(&progress, &ended, &signal, wait, &mut to);
            });
            for &step in steps {
                while !written.text().ends_with(&progress.line()) {
                    std::thread::yield_now();
                }
                progress.done(step);
            }
            *ended.lock().unwrap() = true;
            signal.notify_all();
        });
        written.text()
    }

    #[test]
    fn a_line_is_rewritten_in_place_and_taken_away() {
        // Whether the last step is seen depends on who is faster.
        let text = shown(&[3, 20, 5], Duration::ZERO);
        let mut lines: Vec<&str> = text.split('\r').collect();
        assert_eq!((lines.remove(0), lines.pop()), ("", Some("")));
        let gone = lines.pop().unwrap();
        let line = |n: usize| format!("eagerflow: compiling kernels for NVIDIA H200: {n} of 40");
        assert_eq!(lines[..3], [line(12), line(15), line(35)]);
        assert!(gone.len() == line(35).len() && gone.chars().all(|c| c == ' '), "{gone:?}");
    }

    #[test]
    fn short_work_shows_nothing() {
        assert_eq!(shown(&[], LONG), "");
    }
}
