//! The measuring loop of the comparison and its output: a table, or one JSON line per workload in the common form.
//! First call alone, five more where a loss is checked, warm-up, then samples for a second; the median is quoted.

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
            println!("{:<26} {:>12} {:>12} {:>12}   check", "workload", "median us", "fastest us", "first ms");
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
        samples.sort_by(f64::total_cmp);
        let n = samples.len();
        let median = (samples[n / 2] + samples[(n - 1) / 2]) / 2.0;
        let p90 = samples[(n as f64 * 0.9) as usize];
        if !self.json {
            println!("{workload:<26} {median:>12.3} {:>12.3} {first_ms:>12.3}   {checks:?}", samples[0]);
            return;
        }
        let checks: Vec<String> = checks.iter().map(f64::to_string).collect();
        println!(
            "{{\"peer\": \"eagerflow\", \"version\": \"{}\", \"mode\": \"{}\", \"workload\": \"{workload}\", \
             \"threads\": {}, \"us\": {median:.6}, \"us_min\": {:.6}, \"us_p90\": {p90:.6}, \"samples\": {n}, \
             \"inner\": {inner}, \"unit\": \"us/step\", \"first_call_ms\": {first_ms:.3}, \"check\": [{}], \"load1\": {}}}",
            env!("CARGO_PKG_VERSION"),
            self.mode,
            std::thread::available_parallelism().map_or(1, usize::from),
            samples[0],
            checks.join(", "),
            load()
        );
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

/// The machine's load average, by which a noisy run is told.
fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|v| v.parse().ok()).unwrap_or(-1.0)
}
