//! The data: the demand of a town for electricity, hour by hour, made up by the program, and windows of it.
//! Since the formulas are known, so is the error that no forecast gets far below.

use eagerflow as tf;
use std::f64::consts::TAU;
use std::ops::Range;
use tf::{Result, Tensor};

pub const DAY: usize = 24;
const YEAR: f64 = 365.0 * 24.0;

/// Hour by hour, from a Monday and the middle of winter on.
pub struct Series {
    /// What is wanted, in megawatts.
    pub demand: Vec<f32>,
    /// Degrees centigrade outside.
    temperature: Vec<f32>,
    /// By how much it is warmer than usual.
    weather: Vec<f64>,
}

/// A cycle of a length, between -1 and 1, highest at `peak`.
fn cycle(hour: f64, length: f64, peak: f64) -> f64 {
    (TAU * (hour - peak) / length).cos()
}

/// How much of the weather is left an hour later.
const STAYS: f64 = 0.98;

/// Temperature and demand of an hour, but for the noise: cycles of day, week and year, a trend, and heating when it is cold.
fn town(hour: usize, weather: f64) -> (f64, f64) {
    let t = hour as f64;
    let degrees = 10.0 - 9.0 * cycle(t, YEAR, 0.0) + 4.0 * cycle(t, 24.0, 15.0) + weather;
    let work = if hour / DAY % 7 < 5 { 1.0 } else { 0.4 };
    let habits = work * (6.0 + 9.0 * cycle(t, 24.0, 14.0) + 4.0 * cycle(t, 12.0, 8.0));
    (degrees, 45.0 + 3.0 * t / YEAR + habits + 0.9 * (16.0 - degrees).max(0.0))
}

impl Series {
    /// The town, with weather that is colder or warmer for days, and noise of one megawatt that is new every hour.
    pub fn new(hours: usize) -> Self {
        let noise = || tf::random::normal([hours], 0.0, 1.0).to_vec::<f32>();
        let (mut demand, mut temperature, mut weather) = (Vec::new(), Vec::new(), Vec::new());
        let mut now = 0.0;
        for (hour, (gust, noise)) in noise().into_iter().zip(noise()).enumerate() {
            now = STAYS * now + 0.45 * f64::from(gust);
            let (degrees, megawatts) = town(hour, now);
            demand.push(megawatts as f32 + noise);
            temperature.push(degrees as f32);
            weather.push(now);
        }
        Self { demand, temperature, weather }
    }

    /// What one who knows the formulas above says in the hour before `first` of the day that begins there.
    pub fn told(&self, first: usize) -> impl Iterator<Item = f32> {
        let mut weather = self.weather[first - 1];
        (first..first + DAY).map(move |hour| {
            weather *= STAYS;
            town(hour, weather).1 as f32
        })
    }

    /// What a network sees of each hour, `[hours, features]`: demand, temperature, and the time of day and week as points on a circle,
    /// so that midnight lies beside midnight. All are about 1 in size.
    pub fn features(&self, scale: Scale) -> Tensor {
        let mut rows = Vec::with_capacity(self.demand.len() * FEATURES);
        for (hour, (demand, degrees)) in self.demand.iter().zip(&self.temperature).enumerate() {
            let angles = [24.0, 7.0 * 24.0].map(|length| TAU * hour as f64 / length);
            rows.extend([scale.small(*demand), (degrees - 10.0) / 8.0]);
            rows.extend(angles.iter().flat_map(|angle| [angle.sin() as f32, angle.cos() as f32]));
        }
        tf::constant(rows).reshape([self.demand.len(), FEATURES])
    }
}

pub const FEATURES: usize = 6;

/// Mean and deviation of the demand in the hours that a network learns from.
#[derive(Clone, Copy)]
pub struct Scale {
    mean: f32,
    deviation: f32,
}

impl Scale {
    pub fn of(demand: &[f32]) -> Self {
        let mean = demand.iter().sum::<f32>() / demand.len() as f32;
        let square = demand.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / demand.len() as f32;
        Self { mean, deviation: square.sqrt() }
    }

    /// As networks see it: about 1 in size.
    pub fn small(self, megawatts: f32) -> f32 {
        (megawatts - self.mean) / self.deviation
    }

    /// In megawatts again.
    pub fn megawatts(self, small: &Tensor) -> Tensor {
        small * self.deviation + self.mean
    }

    /// A difference in megawatts.
    pub fn difference(self, small: f64) -> f64 {
        small * f64::from(self.deviation)
    }
}

/// The first hours of the windows of a part.
pub fn starts(part: Range<usize>, seen: usize, stride: usize) -> impl Iterator<Item = usize> {
    (part.start..part.end + 1 - seen - DAY).step_by(stride)
}

/// Days that are seen, `[windows, seen, features]`, and the demand of the day behind each, `[windows, 24]`.
pub struct Windows {
    pub seen: Tensor,
    pub next: Tensor,
}

impl Windows {
    /// A window for each `stride` hours of a part of the features.
    pub fn new(features: &Tensor, part: Range<usize>, seen: usize, stride: usize) -> Result<Self> {
        let starts: Vec<i32> = starts(part, seen, stride).map(|hour| hour as i32).collect();
        let starts = tf::constant(starts).try_expand_dims(1)?;
        let hours = |count: usize| tf::range(0, count as i32, 1);
        let demand = features.at(tf::s![.., 0]);
        Ok(Self {
            seen: tf::try_gather(features, &starts + hours(seen), 0)?,
            next: tf::try_gather(&demand, &starts + seen as i32 + hours(DAY), 0)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without noise, and with the weather as it is, the formulas tell the demand.
    #[test]
    fn who_knows_the_town_is_right() {
        tf::random::set_seed(3);
        let series = Series::new(400);
        let apart = |first: usize| -> f32 {
            series.told(first).zip(&series.demand[first..]).map(|(told, came)| (told - came).abs()).sum::<f32>() / 24.0
        };
        let mean = (1..370).map(apart).sum::<f32>() / 369.0;
        assert!(mean > 0.6 && mean < 1.6, "{mean}");
    }

    #[test]
    fn windows_go_on_where_they_end() {
        let features = tf::range(0.0, 200.0, 1.0).reshape([100, 2]);
        let windows = Windows::new(&features, 10..90, 48, 3).unwrap();
        assert_eq!(windows.seen.shape(), [3, 48, 2]);
        assert_eq!(windows.next.shape(), [3, 24]);
        assert_eq!(windows.seen.at(tf::s![1, 47, 0]).item::<f32>(), 120.0);
        assert_eq!(windows.next.at(tf::s![1, 0]).item::<f32>(), 122.0);
        assert_eq!(windows.next.at(tf::s![2, 23]).item::<f32>(), 2.0 * (16.0 + 48.0 + 23.0));
    }

    #[test]
    fn there_and_back_again() {
        let scale = Scale::of(&[40.0, 60.0]);
        assert_eq!([scale.small(40.0), scale.small(60.0)], [-1.0, 1.0]);
        assert_eq!(scale.megawatts(&tf::constant([-1.0, 1.0])).to_vec::<f32>(), [40.0, 60.0]);
        assert_eq!(scale.difference(0.5), 5.0);
    }
}
