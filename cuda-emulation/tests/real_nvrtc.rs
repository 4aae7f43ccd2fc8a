//! Every kernel text that the emulation has compiled, shown to NVIDIA's own compiler for two architectures: what runs
//! here must be CUDA. Skipped, with a message, where that compiler is not found.

mod support;

use eagerflow_cuda_emulation::{RealCompiler, kept_programs, skipped};

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

#[test]
fn the_real_compiler_takes_what_the_emulation_took() {
    let Some(compiler) = compiler() else { return };
    let Some(_device) = support::device() else { return };
    // One at least, on a machine where nothing else has run yet.
    support::compile("extern \"C\" __global__ void store(float* x) { x[threadIdx.x] = __fadd_rn(1.0f, expf(2.0f)); }")
        .unwrap();
    let programs = kept_programs();
    assert!(!programs.is_empty());
    let (mut kernels, mut refused, mut lines) = (0, Vec::new(), Vec::new());
    let mut spilling = Vec::new();
    for (path, text) in &programs {
        for architecture in ARCHITECTURES {
            match compiler.compile(text, architecture, &OPTIONS) {
                Ok(compiled) => {
                    kernels += compiled.len();
                    for k in compiled {
                        let line = format!(
                            "{:<32} {architecture} {:>3} registers {:>4} spilled {:>5} stack {:>6} shared",
                            k.kernel, k.registers, k.spilled, k.stack, k.shared
                        );
                        if is_hot(&k.kernel) && k.spilled + k.stack > 0 {
                            spilling.push(format!("{line} in {}", path.display()));
                        }
                        lines.push(line);
                    }
                }
                Err(log) => refused.push(format!("{} for {architecture}:\n{log}", path.display())),
            }
        }
    }
    // One line for kernels that take the same, hot ones first.
    lines.sort_by_key(|line| (!is_hot(line), line.clone()));
    lines.dedup();
    lines.iter().for_each(|line| println!("{line}"));
    println!("NVRTC {:?}: {} programs, {kernels} kernels", compiler.version(), programs.len());
    assert!(kernels >= 2, "the compiler's report names no kernels");
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
