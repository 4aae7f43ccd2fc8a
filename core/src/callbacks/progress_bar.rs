//! `ProgbarLogger`: what `fit`, `evaluate` and `predict` show while they run: a bar as Keras's on a terminal, plain lines elsewhere.
//! They add it by themselves, as `verbose` says.

use crate::training::{Callback, Logs, Progress};
use engine::Tensor;
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
    /// Whether a training is under way, whose validations are shown with the epoch.
    trains: bool,
}

impl ProgbarLogger {
    /// For standard output.
    pub fn new() -> Self {
        Self { bar: None, began: Instant::now(), shown: Instant::now(), steps: 0, trains: false }
    }

    /// The line of an epoch or another loop that is over: steps, time, time of a step, numbers.
    fn line(&self, logs: &Logs) -> String {
        let took = whole(self.began.elapsed());
        format!("{}/{} - {took} - {}", self.steps, self.steps, self.pace(logs))
    }

    /// The time of a step, and numbers if there are some.
    fn pace(&self, logs: &Logs) -> String {
        let each = self.began.elapsed() / u32::try_from(self.steps.max(1)).unwrap_or(u32::MAX);
        let gap = if logs.iter().next().is_none() { "" } else { " - " };
        format!("{}/step{gap}{logs}", short(each))
    }

    /// A loop over batches begins.
    fn begin(&mut self, progress: &Progress<'_>) {
        (self.began, self.shown, self.steps) = (Instant::now(), Instant::now(), 0);
        if progress.verbose == 1 && std::io::stdout().is_terminal() {
            self.bar = Some(Self::bar(progress.steps));
        }
    }

    /// A batch is over, and these are the numbers so far.
    fn step(&mut self, batch: usize, progress: &Progress<'_>, logs: impl FnOnce() -> Result<Logs>) -> Result<()> {
        self.steps = batch + 1;
        if let Some(bar) = &self.bar
            && (self.shown.elapsed() >= PAUSE || Some(self.steps) == progress.steps)
        {
            self.shown = Instant::now();
            // The place goes first: each of both may draw, and numbers never stand beside a place that is behind them.
            bar.set_position(self.steps as u64);
            bar.set_message(self.pace(&logs()?));
        }
        Ok(())
    }

    /// The loop is over.
    fn end(&mut self, logs: &Logs) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        println!("{}", self.line(logs));
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
    fn on_train_begin(&mut self, _: &Progress<'_>) -> Result<()> {
        self.trains = true;
        Ok(())
    }

    fn on_train_end(&mut self, _: &Logs, _: &Progress<'_>) -> Result<()> {
        self.trains = false;
        Ok(())
    }

    fn on_epoch_begin(&mut self, epoch: usize, progress: &Progress<'_>) -> Result<()> {
        println!("Epoch {}/{}", epoch + 1, progress.epochs);
        self.begin(progress);
        Ok(())
    }

    fn on_train_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        self.step(batch, progress, || progress.running())
    }

    fn on_epoch_end(&mut self, _epoch: usize, logs: &mut Logs, _progress: &Progress<'_>) -> Result<()> {
        self.end(logs);
        Ok(())
    }

    fn on_test_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        if !self.trains {
            self.begin(progress);
        }
        Ok(())
    }

    fn on_test_batch_end(&mut self, batch: usize, progress: &Progress<'_>) -> Result<()> {
        if self.trains { Ok(()) } else { self.step(batch, progress, || progress.running()) }
    }

    fn on_test_end(&mut self, logs: &Logs, _: &Progress<'_>) -> Result<()> {
        if !self.trains {
            self.end(logs);
        }
        Ok(())
    }

    fn on_predict_begin(&mut self, progress: &Progress<'_>) -> Result<()> {
        self.begin(progress);
        Ok(())
    }

    fn on_predict_batch_end(&mut self, batch: usize, _: &[Tensor], progress: &Progress<'_>) -> Result<()> {
        self.step(batch, progress, || Ok(Logs::default()))
    }

    fn on_predict_end(&mut self, _: &Progress<'_>) -> Result<()> {
        self.end(&Logs::default());
        Ok(())
    }
}
