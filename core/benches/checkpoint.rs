//! W12 of the comparison: 100 variables of a million `f32` each, saved and restored: `cargo bench -p eagerflow --bench checkpoint`.
//! Checkpoints and safetensors, without and with waiting for the disk, and what a save in the background costs the training.
//!
//! `-- --json` prints lines in the form of the other frameworks' harnesses; `BENCH_TMP` is where files go.

#[path = "support/data.rs"]
mod data;

use eagerflow as tf;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tf::optim::{Optimizer, SGD};
use tf::train::{Checkpoint, load_weights, save_weights};
use tf::{GradientTape, Variable};

const VARIABLES: usize = 100;
const LENGTH: usize = 1_000_000;
const MEGABYTES: f64 = (VARIABLES * LENGTH * 4) as f64 / 1e6;

/// Seconds of each of some runs, sorted; at least five and so many that they fill `min_time`.
fn samples(min_time: f64, mut run: impl FnMut() -> f64) -> Vec<f64> {
    run();
    let (mut all, mut total) = (Vec::new(), 0.0);
    while all.len() < 5 || total < min_time {
        let time = run();
        total += time;
        all.push(time);
    }
    all.sort_by(f64::total_cmp);
    all
}

struct Report {
    json: bool,
    min_time: f64,
}

impl Report {
    fn rate(&self, mode: &str, workload: &str, run: impl FnMut() -> f64) {
        let times = samples(self.min_time, run);
        let (median, fastest) = (times[times.len() / 2], times[0]);
        let (rate, best) = (MEGABYTES / median, MEGABYTES / fastest);
        match self.json {
            true => println!(
                "{{\"peer\":\"eagerflow\",\"mode\":\"{mode}\",\"workload\":\"{workload}\",\"threads\":2,\"value\":{rate:.1},\
                 \"unit\":\"MB/s\",\"us\":{:.1},\"us_min\":{:.1},\"samples\":{}}}",
                median * 1e6,
                fastest * 1e6,
                times.len()
            ),
            false => println!("{mode:<24} {workload:<22} {rate:>9.0} MB/s, fastest {best:>9.0}"),
        }
    }
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn remove(directory: &Path) {
    let _ = std::fs::remove_dir_all(directory);
    std::fs::create_dir_all(directory).unwrap();
}

/// The greatest anonymous memory of the process so far, in MB; the peak counts from the last reset.
fn anonymous() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).map_or(f64::NAN, |kb| kb / 1e3)
}

/// Most anonymous memory while `work` runs, above what there was before.
fn growth(work: impl FnOnce()) -> f64 {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (before, done) = (anonymous(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = before;
            while !done.load(Ordering::Relaxed) {
                most = most.max(anonymous());
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            most
        });
        work();
        done.store(true, Ordering::Relaxed);
        watch.join().unwrap() - before
    })
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let min_time =
        args.iter().position(|a| a == "--min-time").and_then(|i| args.get(i + 1)).and_then(|v| v.parse().ok());
    let report = Report { json: args.iter().any(|a| a == "--json"), min_time: min_time.unwrap_or(1.0) };
    let directory =
        std::env::var_os("BENCH_TMP").map_or_else(std::env::temp_dir, PathBuf::from).join("bench_eagerflow_ckpt");
    remove(&directory);
    let variables: Vec<Variable> =
        (0..VARIABLES).map(|i| Variable::new(data::uniform(1200 + i as u64, &[LENGTH], 0.0, 1.0))).collect();
    {
        // The first calls of the process: later ones would reuse memory.
        let checkpoint = Checkpoint::new().with("v", &variables).durable(false);
        let path = directory.join("memory");
        let (save, restore) = (
            growth(|| drop(checkpoint.write(&path).unwrap())),
            growth(|| _ = checkpoint.read(&path).unwrap().assert_consumed()),
        );
        eprintln!("anonymous memory above the start: save {save:.1} MB, restore {restore:.1} MB");
    }
    for (mode, durable) in [("Checkpoint", false), ("Checkpoint+sync", true)] {
        let checkpoint = Checkpoint::new().with("v", &variables).durable(durable);
        let path = directory.join("ck");
        report.rate(mode, "w12_ckpt_save", || {
            remove(&directory);
            timed(|| drop(checkpoint.write(&path).unwrap()))
        });
        if !durable {
            report.rate(mode, "w12_ckpt_restore", || timed(|| _ = checkpoint.read(&path).unwrap().assert_consumed()));
        }
    }
    let file = directory.join("w.safetensors");
    report.rate("safetensors+sync", "w12_ckpt_save", || {
        let _ = std::fs::remove_file(&file);
        timed(|| save_weights(&variables, &file).unwrap())
    });
    report.rate("safetensors+sync", "w12_ckpt_restore", || timed(|| drop(load_weights(&variables, &file).unwrap())));
    remove(&directory);
    background(&variables, &directory);
    let _ = std::fs::remove_dir_all(&directory);
}

/// How long a save in the background keeps the training from its next step: the call itself, and what the steps take longer meanwhile.
fn background(variables: &[Variable], directory: &Path) {
    let optimizer = SGD::new(0.01);
    let step = |v: &[Variable]| {
        let tape = GradientTape::new();
        let loss = tf::reduce_mean(v[0].value().square(), ());
        optimizer.apply_gradients(&tape.gradient(&loss, &v[..1]), &v[..1]);
    };
    let checkpoint = Checkpoint::new().with("v", variables).durable(false);
    let whole = timed(|| drop(checkpoint.write(directory.join("whole")).unwrap()));
    (0..3).for_each(|_| step(variables));
    let mut calls: Vec<f64> = (0..7)
        .map(|i| {
            let mut saving = None;
            let call = timed(|| saving = Some(checkpoint.save_async(directory.join(format!("a{i}"))).unwrap()));
            step(variables);
            saving.unwrap().wait().unwrap();
            remove(directory);
            call
        })
        .collect();
    calls.sort_by(f64::total_cmp);
    let (call, share) = (calls[3], calls[3] / whole * 100.0);
    eprintln!("save_async: the call takes {:.2} ms, {share:.2} % of a save ({:.0} ms)", call * 1e3, whole * 1e3);
}
