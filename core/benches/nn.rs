//! Attention, normalisation, convolutions and poolings with their gradients, which `beside_torch.py` times in turns with PyTorch's.
//! `cargo bench -p eagerflow --bench nn` alone prints the times of each workload; with `-- --serve` a line on the input asks for one sample.

use eagerflow as tf;
use std::io::BufRead;
use std::time::Instant;
use tf::{Attention, GradientTape, Padding, Tensor};

/// A workload: one step of it.
type Step = Box<dyn Fn()>;

/// A step that calls `f`, or that asks for its gradient by all operands under a tape.
fn step(operands: Vec<Tensor>, gradient: bool, f: impl Fn(&[Tensor]) -> Tensor + 'static) -> Step {
    let owed = tf::ones_like(f(&operands));
    Box::new(move || {
        if !gradient {
            std::hint::black_box(f(&operands));
            return;
        }
        let mut tape = GradientTape::new();
        tape.watch(&operands);
        let y = f(&operands);
        let options = tf::GradientOptions::new().output_gradients([owed.clone()]);
        std::hint::black_box(tape.gradient_with(&y, &operands, &options));
    })
}

fn attention(shape: [usize; 4], causal: bool, gradient: bool) -> Step {
    let [q, k, v] = [1, 2, 3].map(|seed| tf::random::stateless_normal(shape, [seed, 0], 0.0, 1.0));
    let options = move || Attention { causal, ..Attention::default() };
    step(vec![q, k, v], gradient, move |x| tf::scaled_dot_product_attention(&x[0], &x[1], &x[2], options()))
}

fn norm(centred: bool, gradient: bool) -> Step {
    let x: Tensor = tf::random::stateless_normal([4096, 768], [4, 0], 0.0, 1.0);
    let (scale, offset) = (tf::ones([768]), tf::zeros([768]));
    match centred {
        true => step(vec![x, scale, offset], gradient, |x| {
            tf::layer_normalization(&x[0], -1, Some(&x[1]), Some(&x[2]), 1e-5)
        }),
        false => step(vec![x, scale], gradient, |x| tf::rms_norm(&x[0], -1, Some(&x[1]), 1e-6)),
    }
}

/// Convolutions and poolings: a name, the shapes of the operands, and the call.
type Windows = (&'static str, &'static [&'static [usize]], fn(&[Tensor]) -> Tensor);

const WINDOWS: &[Windows] = &[
    ("conv1d", &[&[16, 1024, 64], &[3, 64, 64]], |x| tf::conv1d!(&x[0], &x[1], 1, Padding::Same)),
    ("conv2d", &[&[16, 32, 32, 64], &[3, 3, 64, 64]], |x| tf::conv2d!(&x[0], &x[1], 1, Padding::Same)),
    ("conv2d_1x1", &[&[16, 32, 32, 128], &[1, 1, 128, 128]], |x| tf::conv2d!(&x[0], &x[1], 1, Padding::Valid)),
    ("conv2d_stride", &[&[16, 65, 65, 32], &[3, 3, 32, 64]], |x| tf::conv2d!(&x[0], &x[1], 2, Padding::Valid)),
    ("conv2d_dilated", &[&[16, 32, 32, 64], &[3, 3, 64, 64]], |x| {
        tf::conv2d!(&x[0], &x[1], 1, Padding::Same, dilations = 2)
    }),
    ("conv2d_groups", &[&[16, 32, 32, 64], &[3, 3, 16, 64]], |x| tf::conv2d!(&x[0], &x[1], 1, Padding::Same)),
    ("depthwise_conv2d", &[&[16, 64, 64, 64], &[3, 3, 64, 1]], |x| {
        tf::depthwise_conv2d!(&x[0], &x[1], 1, Padding::Same)
    }),
    ("separable_conv2d", &[&[16, 32, 32, 64], &[3, 3, 64, 1], &[1, 1, 64, 64]], |x| {
        tf::separable_conv2d!(&x[0], &x[1], &x[2], 1, Padding::Same)
    }),
    ("conv2d_transpose", &[&[16, 16, 16, 64], &[4, 4, 32, 64]], |x| {
        tf::conv2d_transpose!(&x[0], &x[1], [16, 32, 32, 32], 2)
    }),
    ("conv3d", &[&[2, 16, 32, 32, 16], &[3, 3, 3, 16, 32]], |x| tf::conv3d!(&x[0], &x[1], 1, Padding::Same)),
    ("max_pool2d", &[&[16, 64, 64, 64]], |x| tf::max_pool2d!(&x[0], 2, 2, Padding::Valid)),
    ("avg_pool2d", &[&[16, 64, 64, 64]], |x| tf::avg_pool2d!(&x[0], 2, 2, Padding::Valid)),
    ("max_pool3d", &[&[4, 16, 32, 32, 32]], |x| tf::max_pool3d!(&x[0], 2, 2, Padding::Valid)),
];

fn windows(shapes: &[&[usize]], gradient: bool, call: fn(&[Tensor]) -> Tensor) -> Step {
    let operand = |(i, shape): (usize, &&[usize])| {
        let shape: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
        tf::random::stateless_normal(shape, [5 + i as i32, 0], 0.0, 1.0)
    };
    step(shapes.iter().enumerate().map(operand).collect(), gradient, call)
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
    for (name, shapes, call) in WINDOWS {
        all.extend(
            [false, true].map(|gradient| (format!("{name} {}", u8::from(gradient)), windows(shapes, gradient, *call))),
        );
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
