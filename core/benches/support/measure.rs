//! The measuring loop of the comparison and its output: a table, or one JSON line per workload in the common form.
//! First call alone, five more where a loss is checked, warm-up, then samples for a second; the median is quoted.
#![allow(dead_code, reason = "each benchmark uses a part of it")]

use std::time::Instant;

/// Options of a run, from the command line.
pub struct Bench {
    mode: &'static str,
    json: bool,
    only: Vec<String>,
    min_time: f64,
}

impl Bench {
    /// Reads `--json`, `--only w1,w2` and `--min-time SECONDS`; whatever cargo adds is ignored.
    pub fn new(mode: &'static str) -> Self {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
        let bench = Self {
            mode,
            json: args.iter().any(|a| a == "--json"),
            only: value("--only").map(|v| v.split(',').map(str::to_string).collect()).unwrap_or_default(),
            min_time: value("--min-time").and_then(|v| v.parse().ok()).unwrap_or(1.0),
        };
        if !bench.json {
            println!("{:<38} {:>12} {:>12} {:>12}   check or ratio", "workload", "median us", "fastest us", "first ms");
        }
        bench
    }

    fn wants(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|o| workload.starts_with(o.as_str()))
    }

    /// Measures steps made by `make`; `check` reads numbers off a result. With `loss`, the checks are those of calls 1
    /// and 6.
    pub fn run<R, S: FnMut() -> R>(
        &self,
        workload: &str,
        loss: bool,
        make: impl FnOnce() -> S,
        check: impl Fn(&R) -> Vec<f64>,
    ) {
        self.run_rounds(workload, 1, loss, make, check);
    }

    /// As [`run`](Self::run), with times of one of the `rounds` that a step consists of.
    pub fn run_rounds<R, S: FnMut() -> R>(
        &self,
        workload: &str,
        rounds: usize,
        loss: bool,
        make: impl FnOnce() -> S,
        check: impl Fn(&R) -> Vec<f64>,
    ) {
        if !self.wants(workload) {
            return;
        }
        let mut step = make();
        let start = Instant::now();
        let result = step();
        let first_ms = start.elapsed().as_secs_f64() * 1e3;
        let mut checks = check(&result);
        drop(result);
        if loss {
            (0..4).for_each(|_| drop(step()));
            checks.extend(check(&step()));
        }
        let (mut samples, inner) = self.sample(&mut step);
        samples.iter_mut().for_each(|time| *time /= rounds as f64);
        let measured = Measured::new(samples, inner, first_ms);
        if self.json {
            measured.print_json("eagerflow", env!("CARGO_PKG_VERSION"), self.mode, workload, &checks);
        } else {
            measured.print(workload, &format!("{checks:?}"));
        }
    }

    /// Measures the same work done by several peers, which take turns, so that all of them meet the same noise.
    /// The table's last column is the first peer's time as a part of each other's, of medians and of the fastest.
    pub fn side_by_side(&self, workload: &str, peers: &mut [Peer<'_>]) {
        if !self.wants(workload) {
            return;
        }
        let mut all: Vec<_> = peers.iter_mut().map(Turns::new).collect();
        while all[0].total < self.min_time || all[0].samples.len() < 5 {
            for (turns, peer) in all.iter_mut().zip(peers.iter_mut()) {
                turns.take(peer);
            }
        }
        let all: Vec<_> = all.into_iter().map(|t| Measured::new(t.samples, t.inner, t.first_ms)).collect();
        for (peer, measured) in peers.iter().zip(&all) {
            if self.json {
                measured.print_json(peer.name, "", self.mode, workload, &[]);
            } else {
                let (median, fastest) = (all[0].median / measured.median, all[0].fastest() / measured.fastest());
                measured.print(&format!("{workload} {}", peer.name), &format!("{median:.3} {fastest:.3}"));
            }
        }
    }

    /// Times of a step in microseconds, and how many steps one sample holds.
    fn sample<R>(&self, step: &mut impl FnMut() -> R) -> (Vec<f64>, usize) {
        let start = Instant::now();
        let mut warm = 0;
        while warm < 3 || start.elapsed().as_secs_f64() < self.min_time * 0.25 {
            step();
            warm += 1;
        }
        let one = start.elapsed().as_secs_f64() / f64::from(warm);
        let inner = if one >= 1e-3 { 1 } else { (1e-3 / one).ceil() as usize };
        let (mut samples, mut total) = (Vec::new(), 0.0);
        let fewest = if one > 0.3 { 3 } else { 5 };
        while (total < self.min_time || samples.len() < fewest) && !(total > 30.0 && samples.len() >= 3) {
            let start = Instant::now();
            for _ in 0..inner {
                std::hint::black_box(step());
            }
            let time = start.elapsed().as_secs_f64();
            samples.push(time / inner as f64 * 1e6);
            total += time;
        }
        (samples, inner)
    }
}

/// One of several that do the same work.
pub struct Peer<'a> {
    name: &'static str,
    step: Box<dyn FnMut() + 'a>,
}

impl<'a> Peer<'a> {
    /// A peer whose step is over when its result is in memory.
    pub fn new(name: &'static str, step: impl FnMut() + 'a) -> Self {
        Self { name, step: Box::new(step) }
    }
}

/// The samples of a peer so far.
struct Turns {
    samples: Vec<f64>,
    inner: usize,
    first_ms: f64,
    total: f64,
}

impl Turns {
    /// Warms up, and finds how many steps make a sample of some milliseconds.
    fn new(peer: &mut Peer<'_>) -> Self {
        let start = Instant::now();
        (peer.step)();
        let first_ms = start.elapsed().as_secs_f64() * 1e3;
        let start = Instant::now();
        let mut warm = 0;
        while warm < 3 || start.elapsed().as_secs_f64() < 0.05 {
            (peer.step)();
            warm += 1;
        }
        let one = start.elapsed().as_secs_f64() / f64::from(warm);
        Self { samples: Vec::new(), inner: ((4e-3 / one) as usize).max(1), first_ms, total: 0.0 }
    }

    /// One sample, after steps enough for the threads of the peer before to go to sleep and for its own to wake.
    fn take(&mut self, peer: &mut Peer<'_>) {
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < 1e-3 {
            (peer.step)();
        }
        let start = Instant::now();
        for _ in 0..self.inner {
            (peer.step)();
        }
        let time = start.elapsed().as_secs_f64();
        self.samples.push(time / self.inner as f64 * 1e6);
        self.total += time;
    }
}

/// What came of a workload.
struct Measured {
    /// In microseconds, ascending.
    samples: Vec<f64>,
    inner: usize,
    first_ms: f64,
    median: f64,
}

impl Measured {
    fn new(mut samples: Vec<f64>, inner: usize, first_ms: f64) -> Self {
        samples.sort_by(f64::total_cmp);
        let n = samples.len();
        let median = (samples[n / 2] + samples[(n - 1) / 2]) / 2.0;
        Self { samples, inner, first_ms, median }
    }

    fn fastest(&self) -> f64 {
        self.samples[0]
    }

    fn print(&self, title: &str, last: &str) {
        let digits = if self.median < 1.0 { 6 } else { 3 };
        let (median, fastest) = (self.median, self.fastest());
        println!("{title:<38} {median:>12.digits$} {fastest:>12.digits$} {:>12.3}   {last}", self.first_ms);
    }

    /// A line in the form that the other frameworks' harnesses use.
    fn print_json(&self, peer: &str, version: &str, mode: &str, workload: &str, checks: &[f64]) {
        let n = self.samples.len();
        let checks: Vec<String> = checks.iter().map(f64::to_string).collect();
        println!(
            "{{\"peer\": \"{peer}\", \"version\": \"{version}\", \"mode\": \"{mode}\", \"workload\": \"{workload}\", \
             \"threads\": {}, \"us\": {:.6}, \"us_min\": {:.6}, \"us_p90\": {:.6}, \"samples\": {n}, \
             \"inner\": {}, \"unit\": \"us/step\", \"first_call_ms\": {:.3}, \"check\": [{}], \"load1\": {}}}",
            std::thread::available_parallelism().map_or(1, usize::from),
            self.median,
            self.fastest(),
            self.samples[(n as f64 * 0.9) as usize],
            self.inner,
            self.first_ms,
            checks.join(", "),
            load()
        );
    }
}

/// The machine's load average, by which a noisy run is told.
fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|v| v.parse().ok()).unwrap_or(-1.0)
}
