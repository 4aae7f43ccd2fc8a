//! Attention and normalisation with their gradients, which `beside_torch.py` times in turns with PyTorch's.
//! `cargo bench -p eagerflow --bench nn` alone prints the times of each workload; with `-- --serve` a line on the input asks for one sample.

use eagerflow as tf;
use std::io::BufRead;
use std::time::Instant;
use tf::{Attention, GradientTape, Tensor};

/// A workload: one step of it.
type Step = Box<dyn Fn()>;

fn attention(shape: [usize; 4], causal: bool, gradient: bool) -> Step {
    let [q, k, v] = [1, 2, 3].map(|seed| tf::random::stateless_normal(shape, [seed, 0], 0.0, 1.0));
    let options = move || Attention { causal, ..Attention::default() };
    let owed = tf::ones(shape);
    Box::new(move || {
        if !gradient {
            std::hint::black_box(tf::scaled_dot_product_attention(&q, &k, &v, options()));
            return;
        }
        let mut tape = GradientTape::new();
        let sources = vec![q.clone(), k.clone(), v.clone()];
        tape.watch(&sources);
        let y = tf::scaled_dot_product_attention(&q, &k, &v, options());
        let options = tf::GradientOptions::new().output_gradients([owed.clone()]);
        std::hint::black_box(tape.gradient_with(&y, &sources, &options));
    })
}

fn norm(centred: bool, gradient: bool) -> Step {
    let x: Tensor = tf::random::stateless_normal([4096, 768], [4, 0], 0.0, 1.0);
    let (scale, offset, owed) = (tf::ones([768]), tf::zeros([768]), tf::ones([4096, 768]));
    let run = move |x: &Tensor, scale: &Tensor, offset: &Tensor| match centred {
        true => tf::layer_normalization(x, -1, Some(scale), Some(offset), 1e-5),
        false => tf::rms_norm(x, -1, Some(scale), 1e-6),
    };
    Box::new(move || {
        if !gradient {
            std::hint::black_box(run(&x, &scale, &offset));
            return;
        }
        let mut tape = GradientTape::new();
        let sources = vec![x.clone(), scale.clone(), offset.clone()];
        tape.watch(&sources);
        let y = run(&x, &scale, &offset);
        let options = tf::GradientOptions::new().output_gradients([owed.clone()]);
        std::hint::black_box(tape.gradient_with(&y, &sources, &options));
    })
}

fn workloads() -> Vec<(String, Step)> {
    let mut all: Vec<(String, Step)> = Vec::new();
    for shape in [[4, 8, 512, 64], [1, 8, 4096, 64]] {
        for causal in [false, true] {
            for gradient in [false, true] {
                let name = format!("attention {} {} {}", shape[2], u8::from(causal), u8::from(gradient));
                all.push((name, attention(shape, causal, gradient)));
            }
        }
    }
    for (name, centred) in [("layer_norm", true), ("rms_norm", false)] {
        all.extend([false, true].map(|gradient| (format!("{name} {}", u8::from(gradient)), norm(centred, gradient))));
    }
    all
}

fn milliseconds(step: &Step) -> f64 {
    let start = Instant::now();
    step();
    start.elapsed().as_secs_f64() * 1e3
}

fn main() {
    let all = workloads();
    if !std::env::args().any(|argument| argument == "--serve") {
        for (name, step) in &all {
            let mut times: Vec<f64> = (0..7).map(|_| milliseconds(step)).collect();
            times.sort_by(f64::total_cmp);
            println!("{name:<24} {:>10.3} ms", times[3]);
        }
        return;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match all.iter().find(|(name, _)| *name == line) {
            Some((_, step)) => println!("{}", milliseconds(step)),
            None => println!("nan"),
        }
    }
}
