//! What more threads would make of a call: its chunks are timed one by one on one thread, and handed out as the thread pool does.
//! Benches of shapes and of whole steps print it (`-- --cuts`), since machines with sixteen cores are rare and cuts do not depend on threads.

use kernels::backend::cpu::thread_pool::observe::{Phase, observe};
use kernels::backend::cpu::thread_pool::{self, threads};
use std::time::{Duration, Instant};

/// The numbers of threads that are looked at.
pub const THREADS: [usize; 4] = [2, 4, 8, 16];
/// Calls, of which the fastest counts.
const CALLS: usize = 5;

/// A call on one thread.
pub struct Cuts {
    pub time: Duration,
    phases: Vec<Phase>,
}

impl Cuts {
    /// The fastest of some calls.
    pub fn of<T>(mut call: impl FnMut() -> T) -> Self {
        let one = || {
            let start = Instant::now();
            let (result, phases) = observe(&mut call);
            let time = start.elapsed();
            drop(result);
            Self { time, phases }
        };
        let all = std::iter::repeat_with(one).take(CALLS);
        all.min_by_key(|cuts| cuts.time).expect("some calls")
    }

    /// What no other thread can help with.
    fn serial(&self) -> Duration {
        self.time.saturating_sub(self.phases.iter().map(Phase::alone).sum())
    }

    /// How many times as fast `threads` threads would be.
    pub fn gain(&self, threads: usize) -> f64 {
        let shared: Duration = self.phases.iter().map(|phase| phase.shared(threads)).sum();
        self.time.as_secs_f64() / (self.serial() + shared).as_secs_f64()
    }

    /// The part of the time that no other thread can help with, how many phases there are, and the chunks of the longest.
    pub fn about(&self) -> String {
        let longest = self.phases.iter().max_by_key(|phase| phase.alone()).map_or(0, |phase| phase.0.len());
        let serial = 100.0 * self.serial().as_secs_f64() / self.time.as_secs_f64();
        format!("{serial:>5.1} % alone, {:>4} phases, {longest:>4} chunks in the longest", self.phases.len())
    }

    /// A row of a table: time, gains, and what is behind them.
    pub fn row(&self, name: &str) -> String {
        let gains: String = THREADS.map(|threads| format!(" {:>6.2}", self.gain(threads))).concat();
        format!("{name:<46} {:>10.4} ms {gains}   {}", self.time.as_secs_f64() * 1e3, self.about())
    }

    /// The head of the table.
    pub fn head() -> String {
        let columns: String = THREADS.map(|threads| format!(" {:>6}", format!("×{threads}"))).concat();
        format!("{:<46} {:>13} {columns}", "one thread, and the gain of more by the cuts", "")
    }
}

/// What a phase costs whose chunks do nothing, with the threads that there are: nanoseconds, for some numbers of chunks.
pub fn overhead() -> String {
    let costs = [2, 4, 16, 64].map(|chunks| {
        let phases = vec![chunks; 2000];
        thread_pool::wake();
        let best = (0..20)
            .map(|_| {
                let start = Instant::now();
                thread_pool::run(&phases, &|_, _| {});
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        format!("{:.0} ns of {chunks} chunks", best / phases.len() as f64 * 1e9)
    });
    format!("an empty phase with {} threads: {}", threads(), costs.join(", "))
}
