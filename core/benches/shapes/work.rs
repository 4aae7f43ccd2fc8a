//! A workload of the grid: its line, its operands, its call, and how a sample of it is taken.
//! The five families make them; `shapes.rs` times them, and its peers do the same in Python (`peer.py`).

use crate::inputs::probe;
use eagerflow as tf;
use std::hint::black_box;
use std::time::Instant;
use tf::{Closure, Tensor, tf_function};

/// Operands to results.
type Body = dyn Fn(&[Tensor]) -> Vec<Tensor> + Send + Sync;
type Call = Closure<Box<Body>>;

#[tf_function]
fn traced(call: &Call, operands: &[Tensor]) -> Vec<Tensor> {
    call(operands)
}

/// A line of the grid, in words.
pub struct Spec<'a> {
    pub name: &'a str,
    pub family: &'a str,
    words: Vec<&'a str>,
}

impl<'a> Spec<'a> {
    /// All lines of the grid, in its order.
    pub fn all(grid: &'a str) -> Vec<Self> {
        let (mut family, mut all) = ("", Vec::new());
        for line in grid.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) => family = name,
                None => all.push(Self { name: line, family, words: line.split_whitespace().collect() }),
            }
        }
        all
    }

    pub fn kind(&self) -> &'a str {
        self.words[0]
    }

    pub fn word(&self, index: usize) -> &'a str {
        self.words[index]
    }

    /// The word at `index` as sizes with `x` between them.
    pub fn sizes(&self, index: usize) -> Vec<usize> {
        self.words[index].split('x').map(|size| size.parse().expect("a size in the grid")).collect()
    }

    /// The word at `index` as a number, behind a `/` if there is one.
    pub fn number(&self, index: usize) -> usize {
        self.words[index].trim_start_matches('/').parse().expect("a number in the grid")
    }

    fn is_traced(&self) -> bool {
        match self.words.last() {
            Some(&"traced") => true,
            Some(&"eager") => false,
            _ => panic!("`{}` does not say whether it is traced", self.name),
        }
    }
}

/// What a call is worth: the least that has to be computed, or moved between memory and processor.
#[derive(Clone, Copy)]
pub enum Amount {
    Operations(f64),
    Bytes(f64),
}

impl Amount {
    /// In thousand millions, with their unit.
    pub fn giga(self) -> (f64, &'static str) {
        match self {
            Self::Operations(n) => (n / 1e9, "GFLOP"),
            Self::Bytes(n) => (n / 1e9, "GB"),
        }
    }
}

/// A workload that is ready to run.
pub struct Work {
    pub amount: Amount,
    operands: Vec<Tensor>,
    call: Call,
    traced: bool,
    /// The norm and the probe of each result of the first call.
    pub checks: Vec<[f64; 2]>,
}

/// How long a sample takes, and how long calls go on before one, which wake the threads.
const SAMPLE_S: f64 = 20e-3;
const WAKE_S: f64 = 3e-3;

impl Work {
    /// Calls once for the checks, and some times more, since the first calls of a shape make memory and plans.
    pub fn new(
        spec: &Spec<'_>,
        amount: Amount,
        operands: Vec<Tensor>,
        call: impl Fn(&[Tensor]) -> Vec<Tensor> + Send + Sync + 'static,
    ) -> Self {
        let call: Call = Closure::new(Box::new(call));
        let mut this = Self { amount, operands, call, traced: spec.is_traced(), checks: Vec::new() };
        this.checks = this.call().iter().map(probe).collect();
        this.run_for(SAMPLE_S, 2);
        this
    }

    /// The same work traced where it was eager, and eager where it was traced.
    pub fn other_way(&mut self) {
        self.traced = !self.traced;
    }

    /// One call.
    pub fn call(&self) -> Vec<Tensor> {
        match self.traced {
            true => traced(&self.call, &self.operands),
            false => (self.call)(&self.operands),
        }
    }

    /// Calls for so many seconds, and `least` times; how often it was, and how long.
    fn run_for(&self, seconds: f64, least: usize) -> (usize, f64) {
        let (start, mut times) = (Instant::now(), 0);
        loop {
            black_box(self.call());
            times += 1;
            let passed = start.elapsed().as_secs_f64();
            if passed >= seconds && times >= least {
                return (times, passed);
            }
        }
    }

    /// The milliseconds of a call, by the mean of some 20 ms of them, behind others that wake the threads and tell how many that are.
    pub fn sample(&self) -> f64 {
        let (times, seconds) = self.run_for(WAKE_S, 1);
        let calls = ((SAMPLE_S * times as f64 / seconds).round() as usize).max(1);
        let start = Instant::now();
        for _ in 0..calls {
            black_box(self.call());
        }
        start.elapsed().as_secs_f64() * 1e3 / calls as f64
    }
}
