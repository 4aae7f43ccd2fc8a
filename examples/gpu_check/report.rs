//! The table that the checks fill, in Markdown, row by row as they come: a later failure does not take the earlier rows along.
//! `main` makes one and hands it to every part.

use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What a number is asked to reach.
#[derive(Clone, Copy)]
pub enum Mark {
    None,
    AtLeast(f64),
    /// For a time in microseconds.
    AtMost(f64),
}

/// A line of the table: what was measured, beside what, and the ratio of both.
pub struct Row {
    pub what: String,
    pub measured: String,
    pub beside: String,
    pub ratio: Option<f64>,
    /// What the mark is asked of: the ratio, or a time in microseconds.
    pub judged: Option<f64>,
    pub mark: Mark,
}

impl Row {
    pub fn new(what: impl Into<String>, measured: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            measured: measured.into(),
            beside: String::new(),
            ratio: None,
            judged: None,
            mark: Mark::None,
        }
    }

    pub fn beside(mut self, beside: impl Into<String>, ratio: f64) -> Self {
        self.beside = beside.into();
        self.ratio = Some(ratio);
        self
    }

    /// Asks the ratio, or the time in microseconds, to reach a mark.
    pub fn mark(mut self, judged: f64, mark: Mark) -> Self {
        (self.judged, self.mark) = (Some(judged), mark);
        self
    }
}

pub struct Report {
    /// Whether sizes are those of a test of the program itself, whose numbers mean nothing.
    pub quick: bool,
    /// Words of which a check's name must have one; all run if there are none.
    only: Vec<String>,
    start: Instant,
    limit: Duration,
    pub failed: usize,
    pub missed: usize,
}

impl Report {
    pub fn new(quick: bool, only: Vec<String>) -> Self {
        Self { quick, only, start: Instant::now(), limit: Duration::from_secs(7 * 60), failed: 0, missed: 0 }
    }

    /// Whether there is time for another part of about so many seconds.
    pub fn has(&self, seconds: u64) -> bool {
        self.quick || self.start.elapsed() + Duration::from_secs(seconds) < self.limit
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    pub fn head(&self) {
        let details = tf::config::device_details("/gpu:0");
        let device = details.map_or_else(
            |e| e.to_string(),
            |d| {
                let (major, minor) = d.compute_capability;
                format!("{}, compute capability {major}.{minor}, {} multiprocessors", d.name, d.multiprocessors)
            },
        );
        let of = |subject| {
            let found = tf::config::cuda_findings().into_iter().find(|f| f.subject == subject);
            found.map_or_else(String::new, |f| f.text)
        };
        println!("\nMeasured on {}: {device}.", today());
        println!("Driver: {}. Compiler: {}. Products: {}.", of("driver"), of("compiler"), of("matrix products"));
        if self.quick {
            println!("Sizes are small (`--quick`): the table shows that everything runs, its numbers mean nothing.");
        }
        println!("\n| what | median (least - most) | beside | ratio | mark |\n| --- | ---: | ---: | ---: | --- |");
    }

    /// Runs a check and prints its rows, or a row that says why there are none.
    pub fn check(&mut self, name: &str, seconds: u64, check: impl FnOnce(&mut Self) -> tf::Result<()>) {
        if !self.only.is_empty() && !self.only.iter().any(|word| name.contains(word)) {
            return;
        }
        if !self.has(seconds) {
            self.failed += 1;
            println!("| {name} | left out: the time is up | | | failed |");
            return;
        }
        let result = catch_unwind(AssertUnwindSafe(|| check(self)));
        let error = match result {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(panic) => match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
                (Some(text), _) => text.clone(),
                (_, Some(text)) => (*text).to_string(),
                _ => "it panicked".into(),
            },
        };
        self.failed += 1;
        let line = error.replace('|', "/").lines().map(str::trim).collect::<Vec<_>>().join("; ");
        println!("| {name} | error: {line} | | | failed |");
    }

    pub fn row(&mut self, row: Row) {
        let met = match (row.mark, row.judged) {
            (Mark::AtLeast(least), Some(got)) => Some((format!("at least {least}"), got >= least)),
            (Mark::AtMost(most), Some(got)) => Some((format!("at most {most} µs"), got <= most)),
            _ => None,
        };
        let verdict = match met {
            None => String::new(),
            Some((mark, _)) if self.quick => mark,
            Some((mark, true)) => format!("{mark}: met"),
            Some((mark, false)) => {
                self.missed += 1;
                format!("{mark}: missed")
            }
        };
        let ratio = row.ratio.map_or_else(String::new, |r| format!("{r:.2}"));
        println!("| {} | {} | {} | {ratio} | {verdict} |", row.what, row.measured, row.beside);
    }
}

/// The date in the calendar of UTC.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86_400) as i64;
    // Days from 1 March of the year 0, in eras of 400 years.
    let from = days + 719_468;
    let (era, day) = (from.div_euclid(146_097), from.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (date, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{}-{month:02}-{date:02}", year + era * 400 + i64::from(month <= 2))
}
