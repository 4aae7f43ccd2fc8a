//! Trains a convolutional classifier on real handwritten digits: `cargo run --release --example digits`.
//! The data lie in `examples/data/digits`; `--data` takes a folder with MNIST's own files.

mod args;
mod fit;
mod logs;
mod model;
mod step;
mod train;

use args::{Command, Options};
use eagerflow as tf;
use eagerflow_examples::digits::{self, Digits};
use logs::Logs;
use std::process::ExitCode;
use tf::viz::{Curve, try_line};
use train::History;

fn main() -> ExitCode {
    let done = match args::parse(std::env::args().skip(1)) {
        Ok(Command::Run(options)) => run(&options),
        Ok(Command::Help) => {
            print!("{}", args::USAGE);
            Ok(())
        }
        Err(message) => {
            eprintln!("{message}\n\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> tf::Result<()> {
    tf::random::set_seed(options.seed);
    let digits = digits::load(&options.data)?;
    println!("{digits}");
    if options.fit {
        let (history, accuracy) = fit::fit(&digits, options.epochs, 1, options.logdir.as_deref())?;
        history.try_plot(&options.picture)?;
        println!("curves: {}", options.picture.display());
        println!("test accuracy: {accuracy:.4}");
        return Ok(());
    }
    let model = model::build(options.model, digits.classes);
    let logs = Logs::new(options.logdir.as_deref())?;
    logs.begin(options, &digits);
    let how = if options.graph { step::graph } else { step::eager };
    let (epochs, save, resume) = (options.epochs, options.save.as_deref(), options.resume);
    let watch = (&logs, &digits.test);
    let training = train::Training { epochs, step: how, save, resume, watch: &watch };
    let history = train::train(&*model, &digits.train, &training, &mut |line| println!("{line}"))?;
    logs.end()?;
    if !history.epochs.is_empty() {
        draw(&history, options)?;
        println!("loss curve: {}", options.picture.display());
    }
    time_steps(options, &digits);
    println!("test accuracy: {:.4}", train::accuracy(&*model, &digits.test));
    Ok(())
}

/// Prints how long a step takes either way, on networks that are thrown away.
fn time_steps(options: &Options, digits: &Digits) {
    let batch = |x: &tf::Tensor| x.at(..x.dim(0).min(train::BATCH.into()));
    let (images, labels) = (batch(&digits.train.images), batch(&digits.train.labels));
    let time =
        |how: step::Step| step::milliseconds(how, &*model::build(options.model, digits.classes), &images, &labels);
    let (graph, eager) = (time(step::graph), time(step::eager));
    println!("step: {graph:.2} ms as a graph, {eager:.2} ms operation by operation");
}

/// The loss of every batch as a thin line, and its mean over every epoch as a bold one.
fn draw(history: &History, options: &Options) -> tf::Result<()> {
    let batches = Curve::new("each batch", history.batches.iter().copied()).color([173, 203, 232]).width(1.0);
    let epochs = Curve::new("epoch mean", history.epochs.iter().copied()).color([24, 92, 158]).width(2.2).dots(true);
    try_line(&options.picture, "training loss", "epoch", &[batches, epochs])
}
