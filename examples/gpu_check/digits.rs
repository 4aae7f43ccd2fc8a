//! The digits that come along, learnt on the CPU and on the GPU from one seed to the same accuracy.
//! The images are part of the program, which needs no file of this repository where it runs.

use crate::args::Model;
use crate::report::{Report, Row};
use crate::{model, step, train};
use eagerflow as tf;
use eagerflow_examples::digits::{self as data, Split};
use std::time::Instant;
use tf::{Error, Result};

macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("../data/digits/", $name)).as_slice())),*]
    };
}

const FILES: [(&str, &[u8]); 4] = files!(
    "train-images-idx3-ubyte.gz" "train-labels-idx1-ubyte.gz" "t10k-images-idx3-ubyte.gz" "t10k-labels-idx1-ubyte.gz"
);

/// How far apart the accuracies may be: the devices add in other orders, and the GPU's factors are rounded to TF32.
const APART: f32 = 0.02;

fn load() -> Result<data::Digits> {
    let folder = std::env::temp_dir().join(format!("eagerflow-digits-{}", std::process::id()));
    let put = |(name, bytes): &(&str, &[u8])| std::fs::write(folder.join(name), bytes);
    let written = std::fs::create_dir_all(&folder).and_then(|()| FILES.iter().try_for_each(put));
    let loaded = match written {
        Ok(()) => data::load(&folder),
        Err(error) => Err(Error::internal("digits", format!("{} cannot be written: {error}", folder.display()))),
    };
    let _ = std::fs::remove_dir_all(&folder);
    loaded
}

fn first(split: &Split, count: usize) -> Split {
    let count = count.min(split.images.shape()[0]) as isize;
    Split { images: split.images.at(..count), labels: split.labels.at(..count) }
}

/// The accuracy after some epochs on a device, and the seconds that they took.
fn learnt(device: &str, digits: &data::Digits, epochs: usize) -> Result<(f32, f64)> {
    let _there = tf::try_device(device)?;
    tf::random::set_seed(7);
    let net = model::build(Model::Default, digits.classes);
    let start = Instant::now();
    let how = train::Training { epochs, step: step::graph, save: None, resume: false, watch: &() };
    train::train(&*net, &digits.train, &how, &mut |_| {})?;
    let seconds = start.elapsed().as_secs_f64();
    Ok((train::accuracy(&*net, &digits.test), seconds))
}

pub fn run(report: &mut Report) -> Result<()> {
    let _here = tf::try_device("/cpu:0")?;
    let mut digits = load()?;
    let epochs = if report.quick { 1 } else { 10 };
    if report.quick {
        digits.train = first(&digits.train, 32);
        digits.test = first(&digits.test, 20);
    }
    let (cpu, slow) = learnt("/cpu:0", &digits, epochs)?;
    let (gpu, fast) = learnt("/gpu:0", &digits, epochs)?;
    report.row(
        Row::new(format!("digits, {epochs} epochs: accuracy {gpu:.4} on the GPU"), format!("{fast:.2} s"))
            .beside(format!("accuracy {cpu:.4} on the CPU, {slow:.2} s"), slow / fast),
    );
    match (gpu - cpu).abs() <= APART || report.quick {
        true => Ok(()),
        false => Err(Error::internal("digits", "the accuracy is not that of the CPU").got(gpu).expected(cpu)),
    }
}
