//! An epoch over 2,000 JPEG files of 256 by 256: read, decode, crop at random to 224, flip at random, normalise, batch, prefetch.
//! `images_peers.py` makes the files and times it in turns with `tf.data` and torchvision. `cargo bench -p eagerflow --bench images -- DIR`
//! alone prints images per second, and how long `fit` waits for such data; with `-- --serve DIR` a line on the input asks for one epoch.

use eagerflow::{self as tf, DType, Sequential, Tensor, tf_function};
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tf::data::{AUTOTUNE, Dataset};
use tf::layers::{Conv2D, Dense, GlobalAveragePooling2D};
use tf::losses::MeanSquaredError;
use tf::optim::SGD;
use tf::training::{Compile, Fit};

/// A workload: the batches of an epoch.
type Epoch = (&'static str, Dataset);

const SIDE: i32 = 256;
const CROP: i32 = 224;

/// Where a random window begins.
fn corner() -> Tensor {
    tf::random::uniform_int([2], 0, i64::from(SIDE - CROP + 1)).cast(DType::I32)
}

/// Flipped or not, and normalised.
fn finished(image: Tensor) -> Tensor {
    let heads = tf::random::uniform_int((), 0, 2).item::<i32>() == 1;
    let image = if heads { image.at(tf::s![.., ..;-1, ..]) } else { image };
    normalised(&image)
}

#[tf_function]
fn normalised(image: &Tensor) -> Tensor {
    (image.cast(DType::F32) / 255.0 - tf::constant([0.485, 0.456, 0.406])) / tf::constant([0.229, 0.224, 0.225])
}

/// The whole image is decoded and then cropped.
fn whole(path: Tensor) -> Tensor {
    let image = tf::io::decode_jpeg(tf::io::read_file(path), 3);
    let corner = corner().to_vec::<i32>();
    let (y, x) = (corner[0] as isize, corner[1] as isize);
    finished(image.at(tf::s![y..y + CROP as isize, x..x + CROP as isize, ..]))
}

/// Only the window is decoded.
fn window(path: Tensor) -> Tensor {
    let window = tf::concat(&[corner(), tf::constant([CROP, CROP])], 0);
    finished(tf::io::decode_and_crop_jpeg(tf::io::read_file(path), window, 3))
}

fn paths(dir: &str) -> Tensor {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("a file").path().display().to_string())
        .collect();
    names.sort();
    Tensor::try_from_byte_strings(&names, [names.len()]).expect("a vector")
}

fn workloads(dir: &str) -> Vec<Epoch> {
    let files = Dataset::from_tensor_slices(paths(dir));
    vec![
        ("decoded whole", files.map_with(AUTOTUNE, whole).batch(32).prefetch(AUTOTUNE)),
        ("only the window", files.map_with(AUTOTUNE, window).batch(32).prefetch(AUTOTUNE)),
    ]
}

/// Seconds of an epoch.
fn seconds(set: &Dataset) -> f64 {
    let start = Instant::now();
    let images: usize = set.iter().map(|batch| batch.shape()[0]).sum();
    assert!(images > 0);
    start.elapsed().as_secs_f64()
}

/// How long `fit` waits for batches, and how long it takes in all, of a model that takes longer than decoding.
fn waiting(dir: &str) -> (f64, f64) {
    let waited = Arc::new(AtomicU64::new(0));
    let files = Dataset::from_tensor_slices(paths(dir));
    let batches = files.map_with(AUTOTUNE, window).batch(32).prefetch(AUTOTUNE);
    let clock = Arc::clone(&waited);
    let timed = Dataset::from_generator(move || {
        let (mut iterator, clock) = (batches.iter(), Arc::clone(&clock));
        std::iter::from_fn(move || {
            let start = Instant::now();
            let batch = iterator.next();
            clock.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
            batch.map(|x| {
                let y = tf::zeros([x.shape()[0], 1]);
                (x, y)
            })
        })
    });
    let model = Sequential::new((
        Conv2D::new(32, 5).strides(2).activation("relu"),
        Conv2D::new(64, 3).strides(2).activation("relu"),
        Conv2D::new(64, 3).activation("relu"),
        GlobalAveragePooling2D::new(),
        Dense::new(1),
    ));
    let trainer = model.compile(SGD::new(0.01), MeanSquaredError::new());
    trainer.fit(&timed, Fit::new().epochs(1).steps_per_epoch(2).verbose(0));
    waited.store(0, Ordering::Relaxed);
    let start = Instant::now();
    trainer.fit(&timed, Fit::new().epochs(1).verbose(0));
    (waited.load(Ordering::Relaxed) as f64 / 1e9, start.elapsed().as_secs_f64())
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(dir) = arguments.iter().find(|argument| !argument.starts_with("--")) else {
        println!("no folder of images was given; `images_peers.py` makes one");
        return;
    };
    let all = workloads(dir);
    if !arguments.iter().any(|argument| argument == "--serve") {
        for (name, set) in &all {
            let mut times: Vec<f64> = (0..5).map(|_| seconds(set)).collect();
            times.sort_by(f64::total_cmp);
            println!("{name:<20} {:>9.0} images a second", paths(dir).num_elements() as f64 / times[2]);
        }
        let (waited, took) = waiting(dir);
        println!("fit waits {waited:.3} s of {took:.3} s: {:.1} %", 100.0 * waited / took);
        return;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match all.iter().find(|(name, _)| *name == line) {
            Some((_, set)) => println!("{}", seconds(set)),
            None => println!("nan"),
        }
    }
}
