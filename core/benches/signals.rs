//! Fourier transforms, spectra and work on images, beside TensorFlow and PyTorch, in turns.
//! `cargo bench -p eagerflow --bench signals` prints a table; the peers take part where `EAGERFLOW_PYTHON` names a Python that has them
//! (`-- fft resize` measures the rows alone whose names begin so).
//!
//! Every time is that of the fastest round of seven; a round repeats the call for 30 ms, or makes it once. All use every processor they
//! are given (`EAGERFLOW_THREADS`, `OMP_NUM_THREADS`). A dash stands where a peer has no such function, or was not asked.

#[path = "support/data.rs"]
mod data;
#[path = "support/peers.rs"]
mod peers;

use eagerflow as tf;
use peers::Peers;
use std::hint::black_box;
use std::time::Instant;
use tf::image::{CropMethod, ResizeMethod, Resizing};
use tf::{DType, Tensor};

const ROUNDS: usize = 7;

/// A name and a call; the peers' script has the same.
type Row = (&'static str, Box<dyn Fn() -> Tensor>);

/// Complex numbers of a shape.
fn complex(seed: u64, shape: &[usize]) -> Tensor {
    tf::complex(data::uniform(seed, shape, -1.0, 1.0), data::uniform(seed + 1, shape, -1.0, 1.0))
}

fn signals() -> Vec<Row> {
    let rows = |shape: &[usize]| complex(1, shape);
    let (many, mixed, prime, few) = (rows(&[1024, 1024]), rows(&[1024, 1000]), rows(&[1024, 1009]), rows(&[64]));
    let plane = rows(&[1024, 1024]);
    let real = data::uniform(3, &[256, 4096], -1.0, 1.0);
    let half = tf::signal::rfft(&real);
    let sound = data::uniform(4, &[16, 16000], -1.0, 1.0);
    let cosines = data::uniform(5, &[1024, 256], -1.0, 1.0);
    vec![
        ("fft_64", Box::new(move || tf::signal::fft(&few))),
        ("fft_1024x1024", Box::new(move || tf::signal::fft(&many))),
        ("fft_1024x1000", Box::new(move || tf::signal::fft(&mixed))),
        ("fft_1024x1009", Box::new(move || tf::signal::fft(&prime))),
        ("fft2d_1024x1024", Box::new(move || tf::signal::fft2d(&plane))),
        ("rfft_256x4096", Box::new(move || tf::signal::rfft(&real))),
        ("irfft_256x4096", Box::new(move || tf::signal::irfft(&half))),
        ("stft_16x16000", Box::new(move || tf::signal::stft(&sound, 400, 160))),
        ("dct_1024x256", Box::new(move || tf::signal::dct(&cosines))),
    ]
}

fn images() -> Vec<Row> {
    let x = data::uniform(6, &[8, 256, 256, 3], 0.0, 1.0);
    let other = data::uniform(7, &[8, 256, 256, 3], 0.0, 1.0);
    let places = data::uniform(8, &[64, 2], 0.0, 0.5);
    let boxes = tf::concat(&[places.clone(), places + 0.4], 1);
    let of = tf::cast(tf::range(0, 64, 1), DType::I32) % 8;
    let resize = |x: &Tensor, to: (usize, usize), how: Resizing| {
        let x = x.clone();
        Box::new(move || tf::image::resize(&x, to, how)) as Box<dyn Fn() -> Tensor>
    };
    let method = Resizing::from;
    let one = |f: fn(&Tensor) -> Tensor| {
        let x = x.clone();
        Box::new(move || f(&x)) as Box<dyn Fn() -> Tensor>
    };
    vec![
        ("resize_bilinear_256_224", resize(&x, (224, 224), method(ResizeMethod::Bilinear))),
        ("resize_bilinear_256_512", resize(&x, (512, 512), method(ResizeMethod::Bilinear))),
        ("resize_nearest_256_224", resize(&x, (224, 224), method(ResizeMethod::Nearest))),
        ("resize_bicubic_256_224", resize(&x, (224, 224), method(ResizeMethod::Bicubic))),
        ("resize_area_256_64", resize(&x, (64, 64), method(ResizeMethod::Area))),
        ("resize_antialias_256_64", resize(&x, (64, 64), method(ResizeMethod::Bilinear).antialias(true))),
        ("resize_lanczos3_256_64", resize(&x, (64, 64), method(ResizeMethod::Lanczos3).antialias(true))),
        ("rgb_to_hsv", one(|x| tf::image::rgb_to_hsv(x))),
        ("adjust_hue", one(|x| tf::image::adjust_hue(x, 0.1))),
        ("adjust_contrast", one(|x| tf::image::adjust_contrast(x, 1.5))),
        ("rgb_to_grayscale", one(|x| tf::image::rgb_to_grayscale(x))),
        ("flip_left_right", one(|x| tf::image::flip_left_right(x))),
        ("ssim", {
            let x = x.clone();
            Box::new(move || tf::image::ssim(&x, &other, 1.0))
        }),
        (
            "crop_and_resize",
            Box::new(move || tf::image::crop_and_resize(&x, &boxes, &of, (64, 64), CropMethod::Bilinear, 0.0)),
        ),
    ]
}

/// Microseconds of one call in a round.
fn round(call: &dyn Fn() -> Tensor) -> f64 {
    let (start, mut calls) = (Instant::now(), 0);
    while calls == 0 || start.elapsed().as_millis() < 30 {
        drop(black_box(call()));
        calls += 1;
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut peers = Peers::start("signals_peers.py");
    println!("{:<26} {:>11} {:>11} {:>11} {:>7} {:>7}", "", "eagerflow", "TensorFlow", "PyTorch", "/TF", "/PyTorch");
    let rows = signals().into_iter().chain(images());
    for (name, call) in
        rows.filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| name.starts_with(w.as_str())))
    {
        let (mut ours, mut theirs) = (f64::INFINITY, [f64::INFINITY; 2]);
        for _ in 0..ROUNDS {
            ours = ours.min(round(&*call));
            if let Some(peers) = &mut peers {
                let times = peers.round(name);
                theirs = [theirs[0].min(times[0]), theirs[1].min(times[1])];
            }
        }
        let shown = |x: f64, digits: usize| if x.is_normal() { format!("{x:.digits$}") } else { "-".to_owned() };
        let [a, b] = theirs.map(|time| shown(time, 1));
        let [c, d] = theirs.map(|time| shown(ours / time, 2));
        println!("{name:<26} {ours:>11.1} {a:>11} {b:>11} {c:>7} {d:>7}");
    }
    if let Some(peers) = peers {
        peers.end();
    }
}
