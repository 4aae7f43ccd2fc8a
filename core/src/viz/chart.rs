//! A chart: curves over common axes, with title, ticks and a legend. `line` draws one, a plot of a training several.
//! Points that are no finite numbers are gaps.

use super::axis::{Axis, Ends};
use super::font;
use super::line::Curve;
use super::pen::{Color, INK, PALE, Pen, drawn};
use super::picture::Picture;
use kernels::error::Result;

/// Colors of curves that were given none, in their order; they differ in brightness too.
const COLORS: [Color; 8] = [
    [24, 92, 158],
    [222, 111, 32],
    [44, 140, 76],
    [172, 44, 54],
    [124, 92, 172],
    [122, 84, 60],
    [208, 112, 172],
    [96, 100, 108],
];

/// Pixels: the edge at the right, the height of the title's row, of further rows of the legend, and below the plot.
const RIGHT: f64 = 28.0;
const TITLE: f64 = 60.0;
const ROW: f64 = 24.0;
const BOTTOM: f64 = 62.0;

/// What a chart shows.
pub struct Chart<'a> {
    pub title: &'a str,
    pub x_label: &'a str,
    pub curves: &'a [Curve],
    pub x_ends: Ends,
}

/// A curve's place in the legend.
struct Entry {
    name: String,
    x: f64,
    y: f64,
    curve: usize,
}

/// Where the axes lie in a picture.
struct Frame {
    x: Axis,
    y: Axis,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Chart<'_> {
    /// Draws it as a picture of its own.
    pub fn picture(&self, width: u32, height: u32) -> Result<Picture> {
        drawn(width, height, |pen| self.draw(pen, f64::from(width), f64::from(height)))
    }

    fn draw(&self, pen: &Pen<'_>, width: f64, height: f64) -> Result<()> {
        let x = Axis::around(self.points().map(|p| p.0), 10, self.x_ends);
        let y = Axis::around(self.points().map(|p| p.1), 6, Ends::Round);
        let widest = y.ticks().iter().map(|(_, text)| font::width(text, 10.0)).fold(24.0, f64::max);
        let left = widest + 40.0;
        let title = font::fitted(self.title, 14.0, width - left - RIGHT);
        let (legend, rows) = self.legend(left, width - RIGHT, font::width(&title, 14.0));
        let top = TITLE + rows as f64 * ROW;
        let frame = Frame { x, y, left, top, right: width - RIGHT, bottom: height - BOTTOM };
        frame.draw(pen)?;
        for (at, curve) in self.curves.iter().enumerate() {
            self.curve(pen, &frame, at, curve)?;
        }
        if self.points().all(|(x, y)| !(x.is_finite() && y.is_finite())) {
            let text = "no finite numbers";
            let middle = (frame.left + frame.right - font::width(text, 11.0)) / 2.0;
            pen.write(text, (middle, (frame.top + frame.bottom) / 2.0), 11.0, INK)?;
        }
        pen.write(&title, (left, TITLE - 24.0), 14.0, INK)?;
        let label = font::fitted(self.x_label, 11.0, frame.right - left);
        let middle = left + (frame.right - left - font::width(&label, 11.0)) / 2.0;
        pen.write(&label, (middle, height - 16.0), 11.0, INK)?;
        legend.iter().try_for_each(|entry| self.entry(pen, entry))
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        self.curves.iter().flat_map(|curve| curve.points.iter().copied())
    }

    fn color(&self, at: usize) -> Color {
        self.curves[at].color.unwrap_or(COLORS[at % COLORS.len()])
    }

    /// The entries of the legend: at the right beside the title, or in rows of their own below it; with the number of these.
    fn legend(&self, left: f64, right: f64, title: f64) -> (Vec<Entry>, usize) {
        const SAMPLE: f64 = 34.0;
        const BETWEEN: f64 = 24.0;
        let room = right - left;
        let names: Vec<String> = self.curves.iter().map(|c| font::fitted(&c.name, 11.0, room - SAMPLE)).collect();
        let shown: Vec<usize> = (0..names.len()).filter(|&at| !names[at].is_empty()).collect();
        let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
        let (mut taken, mut widths) = (0.0, vec![0.0]);
        let width = |at: usize| SAMPLE + font::width(&names[at], 11.0);
        for &at in &shown {
            if taken > 0.0 && taken + width(at) > room {
                rows.push(Vec::new());
                widths.push(0.0);
                taken = 0.0;
            }
            taken += width(at) + BETWEEN;
            let row = rows.len() - 1;
            rows[row].push(at);
            widths[row] = taken - BETWEEN;
        }
        let beside_title = rows.len() == 1 && widths[0] + title + 2.0 * BETWEEN <= room;
        let mut entries = Vec::with_capacity(shown.len());
        for (row, (items, width_of_row)) in rows.iter().zip(&widths).enumerate() {
            let mut x = right - width_of_row;
            let y = TITLE - 24.0 + if beside_title { 0.0 } else { (row as f64 + 1.0) * ROW };
            for &at in items {
                entries.push(Entry { name: names[at].clone(), x, y, curve: at });
                x += width(at) + BETWEEN;
            }
        }
        (entries, if beside_title || shown.is_empty() { 0 } else { rows.len() })
    }

    /// A name of the legend behind a sample of its line.
    fn entry(&self, pen: &Pen<'_>, entry: &Entry) -> Result<()> {
        let (curve, color) = (&self.curves[entry.curve], self.color(entry.curve));
        let y = entry.y - 4.0;
        pen.stroke(&[(entry.x, y), (entry.x + 24.0, y)], curve.width.clamp(2.0, 8.0), color)?;
        if curve.dots {
            pen.dot((entry.x + 12.0, y), 1.9 * curve.width.min(4.0), color)?;
        }
        pen.write(&entry.name, (entry.x + 34.0, entry.y), 11.0, INK)
    }

    /// A curve in runs of finite points; a point alone is a dot.
    fn curve(&self, pen: &Pen<'_>, frame: &Frame, at: usize, curve: &Curve) -> Result<()> {
        let color = self.color(at);
        for run in curve.points.split(|(x, y)| !(x.is_finite() && y.is_finite())) {
            let points = thinned(run.iter().map(|&p| frame.place(p)).collect());
            pen.stroke(&points, curve.width, color)?;
            if curve.dots || points.len() == 1 {
                points.iter().try_for_each(|&p| pen.dot(p, 1.9 * curve.width, color))?;
            }
        }
        Ok(())
    }
}

/// Without points that nobody would see: of those that follow each other in the same third of a pixel's column, the first, the last, the
/// lowest and the highest stay. So a curve of a million points is drawn as quickly as one of some thousands.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let column = |p: &(f64, f64)| (p.0 * 3.0).round();
    let mut kept = Vec::with_capacity(points.len().min(1 << 14));
    for group in points.chunk_by(|a, b| column(a) == column(b)) {
        let extreme = |sign: f64| (0..group.len()).max_by(|&a, &b| (sign * group[a].1).total_cmp(&(sign * group[b].1)));
        let mut stay = [0, extreme(1.0).unwrap_or(0), extreme(-1.0).unwrap_or(0), group.len() - 1];
        stay.sort_unstable();
        let mut last = None;
        for at in stay.into_iter().filter(|&at| last.replace(at) != Some(at)) {
            kept.push(group[at]);
        }
    }
    kept
}

impl Frame {
    /// Where a point lies in the picture.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (across, up) = (self.x.share(x), self.y.share(y));
        (self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top))
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        for (value, text) in self.y.ticks() {
            let (_, y) = self.place((self.x.low, value));
            pen.stroke(&[(self.left, y), (self.right, y)], 1.0, PALE)?;
            pen.write(&text, (self.left - 14.0 - font::width(&text, 10.0), y + 5.0), 10.0, INK)?;
        }
        for (value, text) in self.x.ticks() {
            let (x, _) = self.place((value, self.y.low));
            pen.stroke(&[(x, self.bottom), (x, self.bottom + 6.0)], 1.0, INK)?;
            pen.write(&text, (x - font::width(&text, 10.0) / 2.0, self.bottom + 22.0), 10.0, INK)?;
        }
        pen.stroke(&[(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)], 1.2, INK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_would_see_is_left_out() {
        let few: Vec<(f64, f64)> = (0..50).map(|i| (f64::from(i), f64::from(i % 7))).collect();
        assert_eq!(thinned(few.clone()), few);
        let heights = [3.0, 5.0, 1.0, 4.0, 9.0, 2.0, 6.0];
        let many: Vec<(f64, f64)> = heights.iter().map(|&y| (10.01, y)).chain([(12.0, 0.0)]).collect();
        assert_eq!(thinned(many), [(10.01, 3.0), (10.01, 1.0), (10.01, 9.0), (10.01, 6.0), (12.0, 0.0)]);
        assert_eq!(thinned(vec![(1.0, 2.0)]), [(1.0, 2.0)]);
        let long = (0..100_000).map(|i| (f64::from(i) / 1000.0, f64::from(i * 7919 % 1000))).collect();
        assert!(thinned(long).len() <= 4 * 301);
    }
}
