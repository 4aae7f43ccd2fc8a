//! `ProgbarLogger`: what `fit` shows while it runs: a bar as Keras's on a terminal, plain lines elsewhere.
//! `fit` adds it by itself, as `verbose` says.

use crate::training::{Callback, Logs, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kernels::error::Result;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// How often the numbers beside the bar are read.
const PAUSE: Duration = Duration::from_millis(100);

/// Shows epochs, steps, time and numbers.
pub struct ProgbarLogger {
    bar: Option<ProgressBar>,
    began: Instant,
    shown: Instant,
    steps: usize,
}

impl ProgbarLogger {
    /// For standard output.
    pub fn new() -> Self {
        Self { bar: None, began: Instant::now(), shown: Instant::now(), steps: 0 }
    }

    /// The line of an epoch that is over: steps, time, time of a step, numbers.
    fn line(&self, logs: &Logs) -> String {
        let took = whole(self.began.elapsed());
        format!("{}/{} - {took} - {}", self.steps, self.steps, self.pace(logs))
    }

    /// The time of a step, and numbers.
    fn pace(&self, logs: &Logs) -> String {
        let each = self.began.elapsed() / u32::try_from(self.steps.max(1)).unwrap_or(u32::MAX);
        format!("{}/step - {logs}", short(each))
    }

    /// A bar for an epoch; without a length where nobody knows how many steps there will be.
    fn bar(steps: Option<usize>) -> ProgressBar {
        let (bar, form) = match steps {
            Some(steps) => (ProgressBar::new(steps as u64), "{pos}/{len} {bar:20.green/white} {eta} {msg}"),
            None => (ProgressBar::no_length(), "{pos}/Unknown {elapsed} {msg}"),
        };
        bar.set_draw_target(ProgressDrawTarget::stdout());
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style.progress_chars("━━━"));
        }
        bar
    }
}

impl Default for ProgbarLogger {
    fn default() -> Self {
        Self::new()
    }
}

/// Seconds as Keras shows them for an epoch.
fn whole(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

/// The time of a step.
fn short(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        1.0.. => format!("{seconds:.0}s"),
        1e-3.. => format!("{:.0}ms", seconds * 1e3),
        _ => format!("{:.0}us", seconds * 1e6),
    }
}

impl Callback for ProgbarLogger {
    fn on_epoch_begin(&mut self, epoch: usize, progress: &Progress<'_>) -> Result<()> {
        (self.began, self.shown, self.steps) = (Instant::now(), Instant::now(), 0);
        println!("Epoch {}/{}", epoch + 1, progress.epochs);
        if progress.verbose == 1 && std::io::stdout().is_terminal() {
            self.bar = Some(Self::bar(progress.steps));
        }
        Ok(())
    }

    fn on_train_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        self.steps = batch + 1;
        if let Some(bar) = &self.bar
            && (self.shown.elapsed() >= PAUSE || Some(self.steps) == progress.steps)
        {
            self.shown = Instant::now();
            // The place goes first: each of both may draw, and numbers never stand beside a place that is behind them.
            bar.set_position(self.steps as u64);
            bar.set_message(self.pace(&progress.running()?));
        }
        Ok(())
    }

    fn on_epoch_end(&mut self, _epoch: usize, logs: &mut Logs, _progress: &Progress<'_>) -> Result<()> {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        println!("{}", self.line(logs));
        Ok(())
    }
}
