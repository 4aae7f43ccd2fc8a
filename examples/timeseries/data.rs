//! The data: the demand of a town for electricity, hour by hour over two years, made up by the program, and windows of it.
//! Since the noise is known too, so is the error that no forecast gets below.

use eagerflow as tf;
use std::f64::consts::TAU;
use std::ops::Range;
use tf::{Result, Tensor};

pub const DAY: usize = 24;
const YEAR: f64 = 365.0 * 24.0;

/// Two years, hour by hour.
pub struct Series {
    /// What is wanted, in megawatts.
    pub demand: Vec<f32>,
    /// What cannot be foreseen of it.
    pub surprise: Vec<f32>,
    /// Degrees centigrade outside.
    pub temperature: Vec<f32>,
}

/// A cycle of a length, between -1 and 1, highest at `peak`.
fn cycle(hour: f64, length: f64, peak: f64) -> f64 {
    (TAU * (hour - peak) / length).cos()
}

impl Series {
    /// Cycles of day, week and year, a trend, weather that is colder or warmer for days, and noise that is new every hour.
    pub fn new(hours: usize) -> Self {
        let noise = || tf::random::normal([hours], 0.0, 1.0).to_vec::<f32>();
        let (gusts, surprise) = (noise(), noise().iter().map(|x| 1.2 * x).collect::<Vec<f32>>());
        let mut weather = 0.0;
        let mut temperature = Vec::with_capacity(hours);
        let mut demand = Vec::with_capacity(hours);
        for (hour, (gust, surprise)) in gusts.iter().zip(&surprise).enumerate() {
            let t = hour as f64;
            weather = 0.98 * weather + 0.7 * f64::from(*gust);
            let degrees = 10.0 - 9.0 * cycle(t, YEAR, 0.0) + 4.0 * cycle(t, 24.0, 15.0) + weather;
            let work = if hour / DAY % 7 < 5 { 1.0 } else { 0.45 };
            let habits = work * (9.0 * cycle(t, 24.0, 14.0) + 4.0 * cycle(t, 12.0, 8.0));
            let heating = 0.9 * (16.0 - degrees).max(0.0);
            temperature.push(degrees as f32);
            demand.push((50.0 + 6.0 * t / (2.0 * YEAR) + 6.0 * work + habits + heating) as f32 + surprise);
        }
        Self { demand, surprise, temperature }
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

const FEATURES: usize = 6;

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

    fn small(self, megawatts: f32) -> f32 {
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

/// Days that are seen, `[windows, seen, features]`, and the demand of the day behind each, `[windows, 24]`.
pub struct Windows {
    pub seen: Tensor,
    pub next: Tensor,
}

impl Windows {
    /// A window for each `stride` hours of a part of the features.
    pub fn new(features: &Tensor, part: Range<usize>, seen: usize, stride: usize) -> Result<Self> {
        let last = (part.end - seen - DAY + 1) as i32;
        let starts = tf::range(part.start as i32, last, stride as i32).try_expand_dims(1)?;
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
