//! What more threads would make of a call: its chunks are timed one by one on one thread, and handed out as the thread pool does.
//! Benches of shapes and of whole steps print it (`-- --cuts`), since machines with sixteen cores are rare and cuts do not depend on threads.

use kernels::backend::cpu::thread_pool::observe::{Phase, observe};
use kernels::backend::cpu::thread_pool::{self, threads};
use std::time::{Duration, Instant};

/// The numbers of threads that are looked at.
pub const THREADS: [usize; 4] = [2, 4, 8, 16];
/// Phases are told apart by whether they have at most so many chunks.
const CHUNKS: [usize; 5] = [4, 8, 16, 32, usize::MAX];
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

    /// Of what the most threads would take: the share that no thread can help with, and those of phases of up to so many chunks.
    fn about(&self) -> String {
        let most = THREADS[THREADS.len() - 1];
        let whole = self.time.as_secs_f64() / self.gain(most);
        let percent = |time: Duration| 100.0 * time.as_secs_f64() / whole;
        let mut text = format!("{:>4.0} % alone", percent(self.serial()));
        let mut least = 2;
        for top in CHUNKS {
            let within = self.phases.iter().filter(|phase| (least..=top).contains(&phase.0.len()));
            let (count, time) = within.fold((0, Duration::ZERO), |(n, sum), phase| (n + 1, sum + phase.shared(most)));
            if count > 0 {
                let name = if top == usize::MAX { "more".to_owned() } else { format!("{least}-{top}") };
                text += &format!(", {:.0} % in {count} of {name}", percent(time));
            }
            least = top.saturating_add(1);
        }
        text
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
