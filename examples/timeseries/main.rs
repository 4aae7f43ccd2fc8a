//! Forecasts of a time series, after TensorFlow's tutorial: `cargo run --release --example timeseries`. How much electricity will a
//! town want in the next 24 hours? Several networks answer, and stand in one table beside forecasts that need no network.
//!
//! # What it shows
//!
//! - Data that the program makes up (`data.rs`), hour by hour over four years: cycles of day, week and year, a trend, weather that
//!   stays for days, and noise. Since its formulas are known, so is what a perfect forecast would reach.
//! - Windows by `gather`: three days that are seen, and the day behind them that is asked for. Two years to learn from, then one to
//!   stop by, then one to be judged by, as they follow in time.
//! - Four kinds of networks (`models.rs`) as `Sequential`, and one as a graph of layers (`Functional`) that adds what an LSTM says
//!   to the day before; all trained by `compile` and `fit` with `EarlyStopping`, which gives back the weights of the best epoch.
//!
//! # What it prints
//!
//! On two cores of an AMD EPYC that other work kept busy, within a minute and a half:
//!
//! ```text
//! 17425 windows to learn from, 8665 to be judged by
//!
//! forecast     parameters  seconds  MAE, MW
//! yesterday             -        -     2.71
//! last week             -        -     2.42
//! linear            10392        1     1.95
//! dense             33432        2     1.50
//! convolution       23960        6     1.65
//! lstm              19736       27     1.93
//! lstm beside       19736       41     1.66
//! formulas              -        -     1.16
//!
//! forecast: timeseries.png
//! ```
//!
//! The mean absolute error (MAE) is over all hours of a year that no network has seen. "formulas" is one who knows how the town was
//! made up, and of the weather what it is now: the rest is noise.
//!
//! # What to learn from it
//!
//! - Compare with what costs nothing. That tomorrow is like today is wrong on Saturdays and Mondays; the picture has a Saturday.
//! - A network that only has to say what changes ("lstm beside") does better than the same one that must say all.
//! - Dense layers do best here. Time of day and week are among the inputs, so that nothing has to be found out from the order of the
//!   hours; an LSTM has that to learn too, and takes many times as long.

mod data;
mod models;

use data::{DAY, Scale, Series, Windows, starts};
use eagerflow as tf;
use eagerflow_examples::command_line::{self, Given};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tf::callbacks::EarlyStopping;
use tf::optim::Adam;
use tf::training::{Compile, Fit, Trainer};
use tf::viz::Curve;
use tf::{Module, Sequential, Tensor};

const USAGE: &str = "\
Forecasts the electricity that a town will want in the next 24 hours, by several networks, and compares them.

usage: cargo run --release --example timeseries [-- OPTIONS]

  --epochs N       passes over the windows, at most (default: 40)
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
        epochs: given.value("--epochs", 40)?,
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
    /// What one who knows the town would say.
    told: Tensor,
    scale: Scale,
}

impl Split {
    fn new(series: &Series, stride: usize) -> tf::Result<Self> {
        let hours = series.demand.len();
        let (first, second) = (hours / 2, hours * 3 / 4);
        let scale = Scale::of(&series.demand[..first]);
        let features = series.features(scale);
        let windows = |part| Windows::new(&features, part, SEEN, stride);
        let told = starts(second..hours, SEEN, stride).flat_map(|start| series.told(start + SEEN));
        let told: Vec<f32> = told.map(|megawatts| scale.small(megawatts)).collect();
        let (train, validation, test) = (windows(0..first)?, windows(first..second)?, windows(second..hours)?);
        let week_before = windows(second - 7 * DAY..hours - 7 * DAY)?.next;
        let told = tf::constant(told).try_reshape(test.next.shape())?;
        Ok(Self { train, validation, test, week_before, told, scale })
    }

    /// The mean absolute error of forecasts for the test, in megawatts.
    fn error(&self, forecasts: &Tensor) -> f64 {
        self.scale.difference(f64::from((forecasts - &self.test.next).abs().mean().item::<f32>()))
    }
}

fn train(network: Sequential, split: &Split, epochs: usize) -> tf::Result<Trainer<Sequential>> {
    let trainer = network.compile(Adam::new(1e-3), "mse").metrics(["mae"]);
    let stop = EarlyStopping::new("val_loss").patience(5).restore_best_weights(true);
    let held_out = (&split.validation.seen, &split.validation.next);
    let fit = Fit::new().try_epochs(epochs)?.validation_data(held_out).callback(stop).verbose(0);
    trainer.try_fit((&split.train.seen, &split.train.next), fit)?;
    Ok(trainer)
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    tf::random::set_seed(options.seed);
    let split = Split::new(&Series::new(4 * 365 * DAY), 1)?;
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
    println!("{:<12} {:>10} {:>8} {:>8.2}", "formulas", "-", "-", split.error(&split.told));
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
        Curve::new("actual", came).color([120, 126, 138]).width(1.6),
        Curve::new("yesterday", yesterday).color([214, 120, 40]).width(1.6),
        Curve::new(name, forecast).color([24, 92, 158]).width(2.2).dots(true),
    ];
    tf::viz::try_line(path, "electricity demand", "hour", &curves)?;
    Ok(())
}

/// The window in the picture: Wednesday to Friday, and the Saturday behind them. The test begins on a Thursday.
const SHOWN: usize = 6 * DAY;

fn main() -> ExitCode {
    command_line::main(USAGE, read, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network learns more than that tomorrow is like today, and who knows the town knows more still.
    #[test]
    fn a_network_beats_yesterday() {
        tf::random::set_seed(1);
        let split = Split::new(&Series::new(2 * 365 * DAY), 3).unwrap();
        let (_, dense) = models::networks().swap_remove(1);
        let trainer = train(dense, &split, 10).unwrap();
        let (error, yesterday) =
            (split.error(&trainer.predict(&split.test.seen)), split.error(&models::yesterday(&split.test.seen)));
        let told = split.error(&split.told);
        assert!(told < error && error < 0.8 * yesterday, "{told} {error} {yesterday}");
    }

    #[test]
    fn each_network_answers_a_day() {
        for (name, network) in models::networks() {
            assert_eq!(network.call(tf::zeros([2, SEEN, data::FEATURES])).shape(), [2, DAY], "{name}");
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
