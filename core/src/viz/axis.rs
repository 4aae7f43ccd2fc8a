//! An axis of a chart: its range, round steps, and the texts of its ticks.
//! Charts have two of them, around the points of all curves.

/// A range of numbers with ticks at round ones.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    step: f64,
}

/// How an axis lies around its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ends {
    /// It ends where the numbers do, at a round number or not.
    Exact,
    /// As `Exact`, with ticks at whole numbers only.
    Whole,
    /// It ends at round numbers.
    Round,
}

impl Axis {
    /// An axis around the finite ones of some numbers, with at most so many steps. Unless they are whole, it begins at 0 where the
    /// numbers are not far from 0 beside their range.
    pub fn around(values: impl Iterator<Item = f64>, steps: usize, ends: Ends) -> Self {
        // Sums and differences of what lies within these bounds are finite.
        let finite = values.filter(|v| v.is_finite()).map(|v| v.clamp(-1e300, 1e300));
        let (mut low, mut high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if ends != Ends::Whole && low > 0.0 && low < high / 3.0 {
            low = 0.0;
        }
        if ends != Ends::Whole && high < 0.0 && high > low / 3.0 {
            high = 0.0;
        }
        let magnitude = low.abs().max(high.abs());
        if high - low <= magnitude * 1e-9 || magnitude < 1e-290 {
            let around = match ends {
                Ends::Whole => (magnitude * 1e-6).max(1.0),
                Ends::Exact | Ends::Round if magnitude < 1e-290 => 1.0,
                Ends::Exact | Ends::Round => magnitude * 0.5,
            };
            (low, high) = (low - around, high + around);
        }
        let mut step = round_step(high - low, steps);
        if ends == Ends::Whole {
            step = step.max(1.0);
        }
        if ends == Ends::Round {
            (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        }
        Self { low, high, step }
    }

    /// Where a number lies: 0 at the low end, 1 at the high one.
    pub fn share(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The ticks with their texts.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let first = (self.low / self.step - 1e-9).ceil();
        let count = ((self.high - first * self.step) / self.step + 1e-9).floor().clamp(0.0, 100.0) as usize;
        let values = (0..=count).map(|i| (first + i as f64) * self.step);
        values.map(|value| (value, self.text(value))).collect()
    }

    /// A number with as many digits as the steps have; with an exponent where it would be long.
    fn text(&self, value: f64) -> String {
        let power = |x: f64| (x.abs().log10() + 1e-9).floor();
        let largest = self.low.abs().max(self.high.abs());
        if value.abs() < self.step * 1e-6 {
            return "0".to_owned();
        }
        if largest < 1e5 && self.step > 9e-5 {
            let digits = (-power(self.step)).max(0.0) as usize;
            return format!("{value:.digits$}");
        }
        let digits = (power(value) - power(self.step)).clamp(0.0, 8.0) as usize;
        let text = format!("{value:.digits$e}");
        match text.split_once('e') {
            Some((mantissa, power)) if digits > 0 => {
                format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'))
            }
            _ => text,
        }
    }
}

/// A round step that divides `range` into at most `most` parts.
fn round_step(range: f64, most: usize) -> f64 {
    let least = range / most as f64;
    let power = 10f64.powf((least.log10() + 1e-9).floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= least * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[f64], steps: usize, ends: Ends) -> Vec<String> {
        let axis = Axis::around(values.iter().copied(), steps, ends);
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn round_steps() {
        let steps = [round_step(20.0, 10), round_step(2.3, 6), round_step(0.04, 6), round_step(937.0, 10)];
        assert_eq!(steps, [2.0, 0.5, 0.01, 100.0]);
        assert_eq!(texts(&[0.01, 1.4], 6, Ends::Round), ["0", "0.5", "1.0", "1.5"]);
        assert_eq!(texts(&[0.91, 0.98], 6, Ends::Round), ["0.90", "0.92", "0.94", "0.96", "0.98"]);
        assert_eq!(texts(&[-3.0, 2.0], 5, Ends::Round), ["-3", "-2", "-1", "0", "1", "2"]);
        assert_eq!(texts(&[1e-5, 1e-4], 5, Ends::Round), ["0", "2e-5", "4e-5", "6e-5", "8e-5", "1e-4"]);
    }

    #[test]
    fn epochs_are_whole() {
        assert_eq!(texts(&[1.0, 2.0, 3.0], 10, Ends::Whole), ["1", "2", "3"]);
        assert_eq!(texts(&[1.0, 20.0], 10, Ends::Whole), ["2", "4", "6", "8", "10", "12", "14", "16", "18", "20"]);
        assert_eq!(texts(&[4.0], 10, Ends::Whole), ["3", "4", "5"]);
    }

    #[test]
    fn numbers_of_any_size_have_an_axis() {
        let odd = [f64::NAN, f64::INFINITY];
        assert_eq!(texts(&odd, 5, Ends::Round), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        for values in [[f64::MIN, f64::MAX], [5e-324, 1e-310], [0.0, 0.0], [7.5, 7.5], [-1e16, -1e16 - 2.0]] {
            for ends in [Ends::Exact, Ends::Whole, Ends::Round] {
                let axis = Axis::around(values.into_iter(), 6, ends);
                assert!(axis.low < axis.high && (axis.high - axis.low).is_finite(), "{values:?}: {axis:?}");
                assert!(axis.ticks().len() < 102 && axis.share(values[0]).is_finite(), "{values:?}: {axis:?}");
            }
        }
    }
}
