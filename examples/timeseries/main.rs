//! Forecasts of a time series: `cargo run --release --example timeseries`.

mod data;
mod models;

use data::{DAY, Scale, Series, Windows};
use eagerflow as tf;
use eagerflow_examples::command_line::{self, Given};
use eagerflow_examples::plot::{self, Curve};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tf::callbacks::EarlyStopping;
use tf::optim::Adam;
use tf::training::{Compile, Fit, Trainer};
use tf::{Module, Sequential, Tensor};

const USAGE: &str = "\
Forecasts the electricity that a town will want in the next 24 hours, by several networks, and compares them.

usage: cargo run --release --example timeseries [-- OPTIONS]

  --epochs N       passes over the windows, at most (default: 15)
  --seed N         seed of the data, the first weights and the order of the windows (default: 7)
  --picture FILE   where the forecast goes, a PNG (default: timeseries.png)
  --help           this text
";

struct Options {
    epochs: usize,
    seed: i64,
    picture: PathBuf,
}

fn read(given: &mut Given) -> Result<Options, String> {
    Ok(Options {
        epochs: given.value("--epochs", 15)?,
        seed: given.value("--seed", 7)?,
        picture: given.value("--picture", "timeseries.png".into())?,
    })
}

/// How many hours a network sees.
const SEEN: usize = 3 * DAY;

/// Windows to learn from, to stop by, and to be judged by: in this order in time, as they would come.
struct Split {
    train: Windows,
    validation: Windows,
    test: Windows,
    /// The demand a week before what is asked for in the test.
    week_before: Tensor,
    scale: Scale,
    /// The mean error of one who knows all but the noise, in megawatts, over the hours of the test.
    least: f64,
}

impl Split {
    fn new(series: &Series, stride: usize) -> tf::Result<Self> {
        let hours = series.demand.len();
        let (first, second) = (hours * 7 / 10, hours * 8 / 10);
        let scale = Scale::of(&series.demand[..first]);
        let features = series.features(scale);
        let windows = |part| Windows::new(&features, part, SEEN, stride);
        let noise = &series.surprise[second..];
        let least = noise.iter().map(|x| f64::from(x.abs())).sum::<f64>() / noise.len() as f64;
        let (train, validation, test) = (windows(0..first)?, windows(first..second)?, windows(second..hours)?);
        let week_before = windows(second - 7 * DAY..hours - 7 * DAY)?.next;
        Ok(Self { train, validation, test, week_before, scale, least })
    }

    /// The mean absolute error of forecasts for the test, in megawatts.
    fn error(&self, forecasts: &Tensor) -> f64 {
        self.scale.difference(f64::from((forecasts - &self.test.next).abs().mean().item::<f32>()))
    }
}

fn train(network: Sequential, split: &Split, epochs: usize) -> tf::Result<Trainer<Sequential>> {
    let trainer = network.compile(Adam::new(1e-3), "mse").metrics(["mae"]);
    let stop = EarlyStopping::new("val_loss").patience(3).restore_best_weights(true);
    let held_out = (&split.validation.seen, &split.validation.next);
    let fit = Fit::new().try_epochs(epochs)?.validation_data(held_out).callback(stop).verbose(0);
    trainer.try_fit((&split.train.seen, &split.train.next), fit)?;
    Ok(trainer)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    tf::random::set_seed(options.seed);
    let split = Split::new(&Series::new(2 * 365 * DAY), 1)?;
    println!("{} windows to learn from, {} to be judged by\n", split.train.seen.dim(0), split.test.seen.dim(0));
    println!("{:<12} {:>10} {:>8} {:>8}", "forecast", "parameters", "seconds", "MAE, MW");
    let naive = [("yesterday", models::yesterday(&split.test.seen)), ("last week", split.week_before.clone())];
    for (name, forecasts) in naive {
        println!("{name:<12} {:>10} {:>8} {:>8.2}", "-", "-", split.error(&forecasts));
    }
    let mut best: Option<(f64, &str, Tensor)> = None;
    for (name, network) in models::networks() {
        let begin = Instant::now();
        let trainer = train(network, &split, options.epochs)?;
        let seconds = begin.elapsed().as_secs_f64();
        let forecasts = trainer.predict(&split.test.seen);
        let error = split.error(&forecasts);
        println!("{name:<12} {:>10} {seconds:>8.0} {error:>8.2}", trainer.model().count_params().total());
        if best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, name, forecasts));
        }
    }
    println!("{:<12} {:>10} {:>8} {:>8.2}", "noise alone", "-", "-", split.least);
    if let Some((_, name, forecasts)) = best {
        draw(&options.picture, &split, name, &forecasts)?;
        println!("\nforecast: {}", options.picture.display());
    }
    Ok(())
}

/// The days before, what came, what the best network said, and yesterday once more, for a day of the test.
fn draw(path: &Path, split: &Split, name: &str, forecasts: &Tensor) -> Result<(), Box<dyn Error>> {
    let window = SHOWN.min(split.test.seen.shape()[0] - 1) as isize;
    let of = |tensor: &Tensor, from: usize| -> Vec<(f64, f64)> {
        let values = split.scale.megawatts(tensor).to_vec::<f32>();
        values.iter().enumerate().map(|(hour, &y)| ((from + hour) as f64, f64::from(y))).collect()
    };
    let seen = split.test.seen.at(tf::s![window, .., 0]);
    let came = of(&tf::concat(&[&seen, &split.test.next.at(window)], 0), 0);
    let yesterday = of(&models::yesterday(&split.test.seen).at(window), SEEN);
    let forecast = of(&forecasts.at(window), SEEN);
    let curves = [
        Curve { name: "what came", points: &came, color: (120, 126, 138), width: 1.6, dots: false },
        Curve { name: "yesterday", points: &yesterday, color: (214, 120, 40), width: 1.6, dots: false },
        Curve { name, points: &forecast, color: (24, 92, 158), width: 2.2, dots: true },
    ];
    plot::write(path, "demand in mw", "hour", &curves)
}

/// The window in the picture: three days up to a Friday, and the Saturday after.
const SHOWN: usize = 60;

fn main() -> ExitCode {
    command_line::main(USAGE, read, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line through the days before knows more than that tomorrow is like today, and no forecast knows the noise.
    #[test]
    fn a_network_beats_yesterday() {
        tf::random::set_seed(1);
        let split = Split::new(&Series::new(200 * DAY), 2).unwrap();
        let (_, linear) = models::networks().swap_remove(0);
        let trainer = train(linear, &split, 20).unwrap();
        let (error, yesterday) =
            (split.error(&trainer.predict(&split.test.seen)), split.error(&models::yesterday(&split.test.seen)));
        assert!(split.least < error && error < 0.8 * yesterday, "{} {error} {yesterday}", split.least);
    }

    #[test]
    fn each_network_answers_a_day() {
        for (name, network) in models::networks() {
            assert_eq!(network.call(tf::zeros([2, SEEN, 6])).shape(), [2, DAY], "{name}");
        }
    }

    #[test]
    fn last_week_is_a_week_before() {
        let mut series = Series::new(100 * DAY);
        series.demand = (0..100 * DAY).map(|hour| hour as f32).collect();
        let split = Split::new(&series, 5).unwrap();
        let apart = split.error(&split.week_before);
        assert!((apart - 168.0).abs() < 0.1, "{apart}");
    }
}
