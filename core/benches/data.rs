//! One epoch over 60,000 images of 28 by 28 bytes: shuffle, map, batch, prefetch. `data_peers.py` times it in turns with `tf.data` and PyTorch's
//! `DataLoader`. `cargo bench -p eagerflow --bench data` alone prints images per second; with `-- --serve` a line on the input asks
//! for one epoch.

use eagerflow::{self as tf, DType, Tensor};
use std::io::BufRead;
use std::time::Instant;
use tf::data::{AUTOTUNE, Dataset};

const IMAGES: usize = 60_000;

/// A workload: the batches of an epoch.
type Epoch = (&'static str, Dataset);

fn scaled(image: Tensor) -> Tensor {
    image.cast(DType::F32) / 255.0
}

fn workloads() -> Vec<Epoch> {
    let pixels: Vec<u8> = (0..IMAGES * 28 * 28).map(|i| (i * 31 % 251) as u8).collect();
    let images = Tensor::from(pixels).reshape([IMAGES, 28, 28]);
    let shuffled = Dataset::from_tensor_slices(images).shuffle(1000);
    vec![
        ("each image", shuffled.map(scaled).batch(32).prefetch(AUTOTUNE)),
        ("each image, in parallel", shuffled.map_with(AUTOTUNE, scaled).batch(32).prefetch(AUTOTUNE)),
        ("batch before map", shuffled.batch(32).map(scaled).prefetch(AUTOTUNE)),
    ]
}

/// Seconds of an epoch.
fn seconds(set: &Dataset) -> f64 {
    let start = Instant::now();
    let images: usize = set.iter().map(|batch| batch.shape()[0]).sum();
    assert_eq!(images, IMAGES);
    start.elapsed().as_secs_f64()
}

fn main() {
    let all = workloads();
    if !std::env::args().any(|argument| argument == "--serve") {
        for (name, set) in &all {
            let mut times: Vec<f64> = (0..7).map(|_| seconds(set)).collect();
            times.sort_by(f64::total_cmp);
            println!("{name:<26} {:>12.0} images a second", IMAGES as f64 / times[3]);
        }
        return;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match all.iter().find(|(name, _)| *name == line) {
            Some((_, set)) => println!("{}", seconds(set)),
            None => println!("nan"),
        }
    }
}
