//! Memory over ten thousand training steps: what the process holds after the first thousand is all it ever holds.
//! The resident size is read from the operating system, so that leaks outside the pool show too.

use eagerflow as tf;
use tf::{GradientTape, Variable};

/// Kilobytes this process holds in memory; `None` where the system does not say.
fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|l| l.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn train(steps: usize, w: &Variable, b: &Variable) {
    let x = tf::reshape(tf::cast(tf::range(0, 32 * 24, 1), tf::DType::F32), [32, 24]) * 0.001;
    for _ in 0..steps {
        let tape = GradientTape::new();
        let y = tf::tanh(tf::matmul(&x, w) + b);
        let loss = tf::reduce_sum(tf::square(&y - 0.5), ());
        let (dw, db) = tape.gradient(&loss, (w, b));
        w.assign_sub(dw * 0.01);
        b.assign_sub(db * 0.01);
    }
}

/// In a process of its own: what other tests of this binary hold meanwhile is none of its business.
#[test]
fn ten_thousand_steps_hold_no_more_than_one_thousand() {
    eagerflow_tests::child::run_test("growth::alone", &[]);
}

#[test]
#[ignore = "runs in a process of its own, from the test above"]
fn alone() {
    let (w, b) = (Variable::new(vec![vec![0.1f32; 48]; 24]), Variable::new(vec![0.0f32; 48]));
    train(1_000, &w, &b);
    let Some(before) = resident() else {
        println!("skipped: this system does not tell a process its resident size");
        return;
    };
    train(10_000, &w, &b);
    let after = resident().expect("it was readable before");
    // One leaked 4.6 kB activation per step would be 45 MB.
    assert!(after < before + 20_000, "grew from {before} kB to {after} kB");
    assert!(w.value().to_vec::<f32>().iter().all(|v| v.is_finite()));
}
