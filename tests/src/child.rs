//! Runs tests of the same binary again in a process of its own, under another CPU path or number of threads.
//! The tables and the comparison of paths use it: both settings are read once per process.

use std::process::{Command, Output};

/// The CPU paths of this processor, as `EAGERFLOW_CPU` names them.
pub fn cpu_paths() -> Vec<&'static str> {
    let mut paths = vec!["portable"];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            paths.push("avx2");
            let wide = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
            if wide && is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512vl") {
                paths.push("avx512");
            }
        }
    }
    paths
}

/// Runs one test of this binary in a child process with settings, and answers what it printed.
///
/// # Panics
/// If the test fails there, or does not exist.
pub fn run_test(name: &str, settings: &[(&str, &str)]) -> String {
    said_by(name, settings).0
}

/// As [`run_test`], with what it wrote to standard error.
///
/// # Panics
/// As there.
pub fn said_by(name: &str, settings: &[(&str, &str)]) -> (String, String) {
    let mut command = this_program();
    command.args([name, "--exact", "--nocapture", "--include-ignored"]).envs(settings.iter().copied());
    let output = command.output().expect("the test's own binary runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{name} with {settings:?} failed:\n{text}\n{errors}");
    assert!(text.contains("1 passed"), "{name} does not exist:\n{text}");
    (text, errors)
}

/// Runs all tests of this binary but some in child processes whose operations run on a GPU: an emulated one, unless there is a
/// real one. Says so and does nothing where there is neither. Two processes share the tests, since most of the time goes into
/// kernels, which a process compiles one after the other.
///
/// # Panics
/// If a test fails there.
pub fn run_on_a_gpu(skip: &[&str], settings: &[(&str, &str)]) {
    on_a_gpu(&tests(&[], skip), 2, settings);
}

/// As [`run_on_a_gpu`], for these tests only and one after the other: what fails on the device fails in whichever thread reads
/// next.
///
/// # Panics
/// If a test fails there.
pub fn run_in_turn_on_a_gpu(only: &[&str]) {
    on_a_gpu(&tests(only, &[]), 1, &[]);
}

/// The names of this binary's tests that contain one of `only`, if there are any, and none of `skip`. Those that run children on a GPU are
/// left out, or they would run themselves.
fn tests(only: &[&str], skip: &[&str]) -> Vec<String> {
    let mut command = this_program();
    command.args(only).args(["--list", "--format", "terse", "--skip", "on_a_gpu"]);
    command.args(skip.iter().flat_map(|name| ["--skip", name]));
    let output = command.output().expect("the test's own binary runs");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_string).collect()
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().expect("this test's own path"))
}

/// Runs these tests in so many processes, with as many threads each.
fn on_a_gpu(tests: &[String], processes: usize, settings: &[(&str, &str)]) {
    // Not loaded into this process, whose other tests run on the CPU.
    let folder = match eagerflow_cuda_emulation::folder() {
        Ok(folder) => folder,
        Err(why) => {
            eagerflow_cuda_emulation::skipped(why);
            return;
        }
    };
    let run = &|first: usize| {
        let mut command = this_program();
        command.args(tests.iter().skip(first).step_by(processes)).args(["--exact", "--nocapture", "--test-threads"]);
        command.arg(processes.to_string());
        command.envs([("EAGERFLOW_DEVICE", "/gpu:0"), ("EAGERFLOW_TF32", "0")]).envs(settings.iter().copied());
        command.envs(folder.iter().map(|folder| ("LD_LIBRARY_PATH", folder)));
        command.output().expect("the test's own binary runs")
    };
    assert!(!tests.is_empty(), "there is no test to run");
    let outputs: Vec<Output> = std::thread::scope(|scope| {
        let children: Vec<_> = (0..processes.min(tests.len())).map(|first| scope.spawn(move || run(first))).collect();
        children.into_iter().map(|child| child.join().expect("a child that was waited for")).collect()
    });
    for output in outputs {
        let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "on a GPU:\n{text}\n{errors}");
        let passed =
            text.lines().find_map(|l| l.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<usize>().ok());
        assert!(passed.is_some_and(|n| n > 0), "no test ran:\n{text}");
    }
}

/// Runs one test of this binary under every CPU path but the one in use.
///
/// # Panics
/// If it fails under one of them.
pub fn under_other_paths(name: &str) {
    for path in cpu_paths().into_iter().filter(|p| *p != eagerflow::__testing::cpu_path()) {
        run_test(name, &[("EAGERFLOW_CPU", path)]);
    }
}
