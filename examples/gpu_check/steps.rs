//! Training steps of the network of TensorFlow's eager guide on the GPU: to the same losses as on the CPU, and how long they take,
//! eager and traced, beside a bound from what such a step must move and compute.

use crate::args::Model;
use crate::model::{self, Classifier};
use crate::report::{Mark, Report, Row};
use crate::step::{self, Step};
use crate::timing::{Rounds, time};
use eagerflow as tf;
use tf::optim::Adam;
use tf::{Error, Result, Tensor};

/// The share of the bound that a traced step has to reach.
const MARK: f64 = 0.6;

/// Sizes of the network for images of 28 by 28.
const CLASSES: usize = 10;
const CHANNELS: usize = 16;
const PIXELS: [usize; 3] = [28 * 28, 26 * 26, 24 * 24];

/// What kernels can do at best: bytes and operations per second, as measured before.
#[derive(Clone, Copy, Default)]
pub struct Peaks {
    pub bandwidth: f64,
    pub operations: f64,
}

fn batch(device: &str, count: usize) -> Result<(Tensor, Tensor)> {
    let _there = tf::try_device("/cpu:0")?;
    let images = tf::random::stateless_uniform([count, 28, 28, 1], [1, 2], 0.0, 1.0);
    let labels = tf::floormod(&tf::range(0, count as i32, 1), CLASSES as i32).try_cast(tf::DType::I64)?;
    Ok((images.to_device(device)?, labels.to_device(device)?))
}

fn network() -> (Box<dyn Classifier>, Adam) {
    tf::random::set_seed(5);
    (model::build(Model::Guide, CLASSES), Adam::new(1e-3))
}

/// The losses of the first steps.
fn losses(device: &str, step: Step) -> Result<Vec<f32>> {
    let (images, labels) = batch(device, 8)?;
    let _there = tf::try_device(device)?;
    let (net, optimizer) = network();
    (0..6).map(|_| step(&*net, &optimizer, &images, &labels).0.try_item::<f32>()).collect()
}

/// Compares the losses of steps with the CPU's, at full precision.
pub fn same_as_on_the_cpu(report: &mut Report) -> Result<()> {
    tf::config::enable_tensor_float_32_execution(false);
    let all = || -> Result<[Vec<f32>; 3]> {
        Ok([losses("/cpu:0", step::eager)?, losses("/gpu:0", step::eager)?, losses("/gpu:0", step::graph)?])
    };
    let losses = all();
    tf::config::enable_tensor_float_32_execution(true);
    let [want, eager, traced] = losses?;
    for (name, got) in [("eager", eager), ("traced", traced)] {
        let apart = got.iter().zip(&want).map(|(a, b)| (a - b).abs() / b.abs()).fold(0.0, f32::max);
        if apart.is_nan() || apart > 1e-3 {
            return Err(Error::internal("step", format!("the losses of {name} steps are not the CPU's"))
                .got(format!("{got:?}"))
                .expected(format!("{want:?}")));
        }
        report.row(Row::new(format!("losses of six {name} steps, beside the CPU's"), format!("{apart:.1e} apart")));
    }
    Ok(())
}

/// Operations of a step, a product and a sum being two.
fn operations(batch: usize) -> f64 {
    let first = PIXELS[1] * 9 * CHANNELS;
    let second = PIXELS[2] * 9 * CHANNELS * CHANNELS;
    let head = CHANNELS * CLASSES;
    // Forwards, and backwards by filters and by images; nobody asks for the gradient by the input.
    (2 * batch * (2 * first + 3 * second + 3 * head)) as f64
}

/// Bytes that a step reads and writes if every kernel reads its operands once, and whatever is element-wise is part of another
/// kernel.
fn bytes(batch: usize) -> f64 {
    let [image, first, second] = [PIXELS[0], PIXELS[1] * CHANNELS, PIXELS[2] * CHANNELS].map(|n| n * batch);
    let variables = 9 * CHANNELS + CHANNELS + 9 * CHANNELS * CHANNELS + CHANNELS + CHANNELS * CLASSES + CLASSES;
    let forwards = (image + first) + (first + second) + second;
    // The mean's gradient with the mask of relu, filters, images with the mask of relu, filters of the first.
    let backwards = (second + second) + (first + second) + (second + first + first) + (image + first);
    // Gradients are written and read; two moments and the variables are read and written.
    (4 * (forwards + backwards + 8 * variables)) as f64
}

pub fn run(report: &mut Report, peaks: Peaks) {
    let batches: &[usize] = if report.quick { &[2] } else { &[32, 256, 2048] };
    for &count in batches {
        for (name, step) in [("eager", step::eager as Step), ("traced", step::graph)] {
            let what = format!("step of the guide's network, batch {count}, {name}");
            report.check(&what, 15, |report| {
                let (images, labels) = batch("/gpu:0", count)?;
                let _there = tf::try_device("/gpu:0")?;
                let (net, optimizer) = network();
                let took = time(Rounds::new(report.quick), || Ok(step(&*net, &optimizer, &images, &labels)))?;
                let row = Row::new(&*what, took.show());
                if peaks.bandwidth <= 0.0 || peaks.operations <= 0.0 {
                    report.row(row);
                    return Ok(());
                }
                let [moved, computed] = [bytes(count) / peaks.bandwidth, operations(count) / peaks.operations];
                let ratio = (moved + computed) / took.median;
                let row = row.beside(
                    format!("bound {:.2} µs of memory + {:.2} µs of products", moved * 1e6, computed * 1e6),
                    ratio,
                );
                report.row(if name == "traced" { row.mark(ratio, Mark::AtLeast(MARK)) } else { row });
                Ok(())
            });
        }
    }
}
