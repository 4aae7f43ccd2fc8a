//! Kernel texts that the emulation has compiled for the tests before this one, shown to NVIDIA's own compiler for two architectures: what
//! runs here must be CUDA. Reports are kept beside the texts; skipped, with a message, where that compiler is not found.

use eagerflow as tf;
use eagerflow_cuda_emulation::{RealCompiler, kept_programs, skipped};
use eagerflow_tests::cuda::gpu;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];

/// What NVRTC is asked for besides the architecture; the backend asks for the same.
const OPTIONS: [&str; 2] = ["--fmad=false", "--std=c++17"];

/// Kernels in which time is spent. Neither registers nor arrays of theirs may go to memory.
const HOT: [&str; 16] = [
    "conv_",
    "grouped_",
    "patches",
    "gather_patches",
    "product",
    "add_parts",
    "softmax",
    "log_softmax",
    "cross_entropy",
    "sparse_cross_entropy",
    "max_pool",
    "avg_pool",
    "fused",
    "elementwise",
    "reduce_",
    "many",
];

fn is_hot(kernel: &str) -> bool {
    HOT.iter().any(|name| kernel.starts_with(name))
}

fn compiler() -> Option<RealCompiler> {
    RealCompiler::find().map_err(|why| skipped(&why)).ok()
}

/// How many texts that this compiler has not seen yet are shown to it in one run, which takes two minutes on two cores: every kernel by
/// name, and then those that random programs ask for. The next run goes on with others, and `EAGERFLOW_NVRTC_PROGRAMS` asks for more.
fn most() -> usize {
    std::env::var("EAGERFLOW_NVRTC_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000)
}

/// Bytes that CUDA's own `sin` and `cos` keep in memory for arguments of 10⁵ and more.
const TURNS: &str = "   0 spilled    32 stack";

/// A kept text, and where what the compiler said of it is kept.
struct Program {
    path: PathBuf,
    text: String,
    report: PathBuf,
}

impl Program {
    /// The first kernel of the text.
    fn kernel(&self) -> &str {
        let names =
            self.text.split("__global__").skip(1).filter_map(|rest| rest.split('(').find(|part| !part.contains("__")));
        names.flat_map(|part| part.split_whitespace().last()).next().unwrap_or_default()
    }

    /// Those lines of its report that tell of a hot kernel with spilled registers or arrays in memory.
    fn spilling(&self, report: &[String]) -> Vec<String> {
        // Special functions are calls, which keep what they return to in memory: to inline them took minutes to compile.
        if self.text.contains("__noinline__ double log_gamma(") {
            return Vec::new();
        }
        let turns = ["sin(", "cos(", "sinf(", "cosf(", "tan(", "tanf("].iter().any(|name| self.text.contains(name));
        let calm = |line: &String| line.contains("   0 spilled     0 stack") || turns && line.contains(TURNS);
        let hot = report.iter().filter(|line| is_hot(line) && !calm(line));
        hot.map(|line| format!("{line} in {}", self.path.display())).collect()
    }

    /// What was said before, unless it was asked for other things.
    fn kept(&self) -> Option<Vec<String>> {
        let report = std::fs::read_to_string(&self.report).ok()?;
        let (asked, lines) = report.split_once('\n')?;
        (asked == asked_for()).then(|| lines.lines().map(str::to_owned).collect())
    }

    /// One line for each kernel and architecture, kept for other runs; or why the compiler refuses the text.
    fn compile(&self, compiler: &RealCompiler) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        for architecture in ARCHITECTURES {
            let compiled = compiler.compile(&self.text, architecture, &OPTIONS);
            let compiled = compiled.map_err(|log| format!("{} for {architecture}:\n{log}", self.path.display()))?;
            lines.extend(compiled.into_iter().map(|k| {
                format!(
                    "{:<32} {architecture} {:>3} registers {:>4} spilled {:>5} stack {:>6} shared",
                    k.kernel, k.registers, k.spilled, k.stack, k.shared
                )
            }));
        }
        // Whole or not at all, whoever else writes it.
        let unfinished = self.report.with_extension(format!("{}.tmp", std::process::id()));
        let report = format!("{}\n{}\n", asked_for(), lines.join("\n"));
        if std::fs::write(&unfinished, report).is_ok() {
            let _ = std::fs::rename(&unfinished, &self.report);
        }
        Ok(lines)
    }
}

fn asked_for() -> String {
    [&ARCHITECTURES[..], &OPTIONS[..]].concat().join(" ")
}

/// The programs in turns by their first kernel, so that the first few show every kernel.
fn spread(programs: Vec<Program>) -> Vec<Program> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut numbered: Vec<(usize, Program)> = programs
        .into_iter()
        .map(|program| {
            let count = seen.entry(program.kernel().to_owned()).or_default();
            *count += 1;
            (*count, program)
        })
        .collect();
    numbered.sort_by_key(|(count, _)| *count);
    numbered.into_iter().map(|(_, program)| program).collect()
}

/// What the compiler said of all programs.
#[derive(Default)]
struct Found {
    lines: Vec<String>,
    spilling: Vec<String>,
    refused: Vec<String>,
}

impl Found {
    fn add(&mut self, program: &Program, report: Vec<String>) {
        self.spilling.extend(program.spilling(&report));
        self.lines.extend(report);
    }
}

/// Compiles programs on all cores.
fn compile_all(compiler: &RealCompiler, programs: &[Program]) -> Found {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Found::default()));
    let work = || {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let compiled = program.compile(compiler);
            let mut found = found.lock().unwrap();
            match compiled {
                Ok(report) => found.add(program, report),
                Err(log) => found.refused.push(log),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    found.into_inner().unwrap()
}

#[test]
fn the_real_compiler_takes_what_the_emulation_took() {
    let Some(compiler) = compiler() else { return };
    let Some(_gpu) = gpu() else { return };
    // One at least, on a machine where nothing else has run yet.
    assert_eq!((tf::constant([1.0, 2.0]).gpu() + 1.0).to_vec::<f32>(), [2.0, 3.0]);
    let (major, minor) = compiler.version();
    let (mut before, mut unseen, mut seen) = (Found::default(), Vec::new(), 0);
    for (path, text) in kept_programs() {
        let report = path.with_extension(format!("nvrtc-{major}.{minor}"));
        let program = Program { path, text, report };
        match program.kept() {
            Some(report) => {
                seen += 1;
                before.add(&program, report);
            }
            None => unseen.push(program),
        }
    }
    let all = seen + unseen.len();
    let mut unseen = spread(unseen);
    unseen.truncate(most());
    let Found { mut lines, mut spilling, refused } = compile_all(&compiler, &unseen);
    lines.append(&mut before.lines);
    spilling.append(&mut before.spilling);
    // One line for kernels that take the same, hot ones first.
    lines.sort_by_key(|line| (!is_hot(line), line.clone()));
    lines.dedup();
    lines.iter().for_each(|line| println!("{line}"));
    println!("NVRTC {major}.{minor}: {} programs now, {seen} before, of {all}", unseen.len());
    assert!(lines.len() >= 2, "the compiler's report names no kernels");
    assert!(refused.is_empty(), "{} texts are not CUDA; the first:\n{}", refused.len(), refused[0]);
    assert!(spilling.is_empty(), "hot kernels use memory of their own:\n{}", spilling.join("\n"));
}

#[test]
fn the_real_compiler_refuses_what_is_not_cuda() {
    let Some(compiler) = compiler() else { return };
    let log = compiler.compile("extern \"C\" __global__ void f(float* x) { x[0] = missing(); }", "sm_90", &OPTIONS);
    assert!(log.unwrap_err().contains("missing"));
    let spilling = r#"extern "C" __global__ void __launch_bounds__(1024) f(float* x, int n) {
        float a[128];
        for (int i = 0; i < 128; i++) a[i] = x[i * n];
        for (int j = 0; j < n; j++) {
            #pragma unroll
            for (int i = 0; i < 128; i++) a[i] = a[i] * a[(i + 7) % 128] + j;
        }
        for (int i = 0; i < 128; i++) x[i] = a[i];
    }"#;
    let compiled = compiler.compile(spilling, "sm_90", &[]).unwrap();
    assert!(compiled[0].spilled + compiled[0].stack > 0, "{compiled:?}");
}
