//! Times of calls on the device: rounds of many calls around one wait, their median and their spread.
//! All parts of the check time with it.

use eagerflow as tf;
use std::time::Instant;
use tf::Result;

/// Seconds per call: the median of the rounds, the least and the most.
#[derive(Clone, Copy)]
pub struct Time {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Time {
    fn of(mut rounds: Vec<f64>) -> Self {
        rounds.sort_by(f64::total_cmp);
        Self { median: rounds[rounds.len() / 2], least: rounds[0], most: rounds[rounds.len() - 1] }
    }

    /// As text, in a unit that suits it.
    pub fn show(self) -> String {
        let (unit, name) = if self.median < 1e-3 { (1e6, "µs") } else { (1e3, "ms") };
        format!("{:.2} {name} ({:.2} - {:.2})", self.median * unit, self.least * unit, self.most * unit)
    }

    /// What it amounts to per second.
    pub fn rate(self, amount: f64) -> f64 {
        amount / self.median
    }
}

fn wait() -> Result<()> {
    tf::config::synchronize("/gpu:0")
}

/// How a part is timed.
#[derive(Clone, Copy)]
pub struct Rounds {
    pub count: usize,
    /// Seconds that a round should last.
    pub length: f64,
    /// Calls of a round, at most.
    pub most: usize,
}

impl Rounds {
    pub fn new(quick: bool) -> Self {
        if quick { Self { count: 3, length: 0.0, most: 2 } } else { Self { count: 9, length: 0.02, most: 2000 } }
    }
}

/// One round of calls, from an idle device to an idle device.
fn round(calls: usize, call: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    wait()?;
    let start = Instant::now();
    for _ in 0..calls {
        call()?;
    }
    wait()?;
    Ok(start.elapsed().as_secs_f64() / calls as f64)
}

/// Calls that fill a round. The first calls compile, choose and record.
fn calls_of(rounds: Rounds, call: &mut dyn FnMut() -> Result<()>) -> Result<usize> {
    for _ in 0..6 {
        call()?;
    }
    let once = round(rounds.most.min(2), call)?;
    Ok(((rounds.length / once) as usize).clamp(1, rounds.most))
}

/// The time of a call, host and device.
pub fn time<T>(rounds: Rounds, mut call: impl FnMut() -> Result<T>) -> Result<Time> {
    let mut call = || call().map(drop);
    let calls = calls_of(rounds, &mut call)?;
    let all: Result<Vec<f64>> = (0..rounds.count).map(|_| round(calls, &mut call)).collect();
    all.map(Time::of)
}

/// The times of two calls, round by round in turns, so that a clock that changes changes both.
pub fn time_both(
    rounds: Rounds,
    first: &mut dyn FnMut() -> Result<()>,
    second: &mut dyn FnMut() -> Result<()>,
) -> Result<[Time; 2]> {
    let calls = [calls_of(rounds, first)?, calls_of(rounds, second)?];
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..rounds.count {
        a.push(round(calls[0], first)?);
        b.push(round(calls[1], second)?);
    }
    Ok([Time::of(a), Time::of(b)])
}

/// The host's time of a call: how long it takes until the device has been told, with a device that keeps up.
pub fn host_time<T>(rounds: Rounds, mut call: impl FnMut() -> Result<T>) -> Result<Time> {
    let calls = if rounds.most < 10 { rounds.most } else { 500 };
    for _ in 0..6 {
        call()?;
    }
    let mut all = Vec::new();
    for _ in 0..rounds.count {
        wait()?;
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        all.push(start.elapsed().as_secs_f64() / calls as f64);
        wait()?;
    }
    Ok(Time::of(all))
}
