//! Pictures of training curves, drawn with `plotters` and without any font of the system.
//! Everything is drawn three times as large and averaged down, which smooths lines and letters.

mod font;

use plotters::backend::RGBPixel;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// The area that the backend draws on.
type Canvas<'a> = DrawingArea<BitMapBackend<'a, RGBPixel>, Shift>;

/// A line of the picture.
pub struct Curve<'a> {
    /// What the legend calls it; lowercase letters and digits.
    pub name: &'a str,
    /// Its points, from left to right.
    pub points: &'a [(f64, f64)],
    /// Red, green and blue.
    pub color: (u8, u8, u8),
    /// Width in pixels.
    pub width: f64,
    /// Whether each point is marked.
    pub dots: bool,
}

const WIDTH: u32 = 960;
const HEIGHT: u32 = 540;
/// How much larger the picture is drawn than it is written.
const SCALE: u32 = 3;
/// Pixels around the plot: left, right, top, bottom.
const MARGINS: [f64; 4] = [76.0, 28.0, 64.0, 62.0];

const BACKGROUND: RGBColor = RGBColor(255, 255, 255);
const INK: RGBColor = RGBColor(70, 74, 84);
const GRID: RGBColor = RGBColor(228, 231, 236);

/// Writes a PNG with curves over the same axes; both begin at zero.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, title: &str, x_label: &str, curves: &[Curve<'_>]) -> Result<(), Box<dyn Error>> {
    let size = (WIDTH * SCALE, HEIGHT * SCALE);
    let mut large = vec![0u8; (size.0 * size.1 * 3) as usize];
    {
        let canvas = BitMapBackend::with_buffer(&mut large, size).into_drawing_area();
        draw(&canvas, title, x_label, curves)?;
        canvas.present()?;
    }
    let file = BitMapBackend::new(path, (WIDTH, HEIGHT)).into_drawing_area();
    for (x, y) in (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y))) {
        file.draw_pixel((x as i32, y as i32), &average(&large, x, y))?;
    }
    file.present().map_err(|e| format!("{}: the picture cannot be written: {e}", path.display()))?;
    Ok(())
}

/// The mean color of the large picture's pixels that become one.
fn average(large: &[u8], x: u32, y: u32) -> RGBColor {
    let mut sums = [0u32; 3];
    for (dx, dy) in (0..SCALE).flat_map(|dy| (0..SCALE).map(move |dx| (dx, dy))) {
        let at = (((y * SCALE + dy) * WIDTH * SCALE + x * SCALE + dx) * 3) as usize;
        sums.iter_mut().zip(&large[at..at + 3]).for_each(|(sum, &value)| *sum += u32::from(value));
    }
    let [r, g, b] = sums.map(|sum| ((sum + SCALE * SCALE / 2) / (SCALE * SCALE)) as u8);
    RGBColor(r, g, b)
}

fn draw(canvas: &Canvas<'_>, title: &str, x_label: &str, curves: &[Curve<'_>]) -> Result<(), Box<dyn Error>> {
    canvas.fill(&BACKGROUND)?;
    let axes = Axes::around(curves);
    axes.draw(canvas)?;
    for curve in curves {
        let points: Vec<(f64, f64)> = curve.points.iter().map(|&p| axes.place(p)).collect();
        let color = RGBColor(curve.color.0, curve.color.1, curve.color.2);
        stroke(canvas, &points, curve.width, color)?;
        if curve.dots {
            points.iter().try_for_each(|&p| dot(canvas, p, 1.9 * curve.width, color))?;
        }
    }
    let [left, right, top, _] = MARGINS;
    font::write(canvas, title, (left, top - 26.0), 14.0, INK)?;
    let middle = left + (f64::from(WIDTH) - left - right - font::width(x_label, 11.0)) / 2.0;
    font::write(canvas, x_label, (middle, f64::from(HEIGHT) - 16.0), 11.0, INK)?;
    legend(canvas, curves)
}

/// The curves' names beside samples of their lines, at the right above the plot.
fn legend(canvas: &Canvas<'_>, curves: &[Curve<'_>]) -> Result<(), Box<dyn Error>> {
    let (mut x, y) = (f64::from(WIDTH) - MARGINS[1], MARGINS[2] - 26.0);
    for curve in curves.iter().rev() {
        x -= font::width(curve.name, 11.0);
        font::write(canvas, curve.name, (x, y), 11.0, INK)?;
        let color = RGBColor(curve.color.0, curve.color.1, curve.color.2);
        stroke(canvas, &[(x - 34.0, y - 4.0), (x - 10.0, y - 4.0)], curve.width.max(2.0), color)?;
        if curve.dots {
            dot(canvas, (x - 22.0, y - 4.0), 1.9 * curve.width, color)?;
        }
        x -= 58.0;
    }
    Ok(())
}

/// The ranges of both axes and the steps of their ticks.
struct Axes {
    x: (f64, f64),
    y: (f64, f64),
}

impl Axes {
    fn around(curves: &[Curve<'_>]) -> Self {
        let largest = |value: fn(&(f64, f64)) -> f64| {
            let values = curves.iter().flat_map(|c| c.points).map(value).filter(|v| v.is_finite());
            values.fold(0.0, f64::max).max(1e-6)
        };
        let (x, y) = (largest(|p| p.0), largest(|p| p.1));
        let y_step = step(y, 6);
        Self { x: (x, step(x, 10).max(1.0)), y: ((y / y_step).ceil() * y_step, y_step) }
    }

    /// Where a point lies in the picture, in pixels of the small one.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, right, top, bottom] = MARGINS;
        let (width, height) = (f64::from(WIDTH) - left - right, f64::from(HEIGHT) - top - bottom);
        (left + x / self.x.0 * width, top + (1.0 - (y / self.y.0).clamp(0.0, 1.0)) * height)
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<(), Box<dyn Error>> {
        let (low, high) = (self.place((0.0, 0.0)), self.place((self.x.0, self.y.0)));
        for (value, text) in ticks(self.y) {
            let (_, y) = self.place((0.0, value));
            stroke(canvas, &[(low.0, y), (high.0, y)], 1.0, GRID)?;
            font::write(canvas, &text, (low.0 - 14.0 - font::width(&text, 10.0), y + 5.0), 10.0, INK)?;
        }
        for (value, text) in ticks(self.x) {
            let (x, _) = self.place((value, 0.0));
            stroke(canvas, &[(x, low.1), (x, low.1 + 6.0)], 1.0, INK)?;
            font::write(canvas, &text, (x - font::width(&text, 10.0) / 2.0, low.1 + 22.0), 10.0, INK)?;
        }
        stroke(canvas, &[(low.0, high.1), low, (high.0, low.1)], 1.2, INK)
    }
}

/// A round step that divides `range` into at most `most` parts.
fn step(range: f64, most: usize) -> f64 {
    let least = range / most as f64;
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= least).unwrap_or(10.0);
    factor * power
}

/// The ticks of an axis with their texts.
fn ticks((end, step): (f64, f64)) -> Vec<(f64, String)> {
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let count = (end / step + 1e-9).floor() as usize;
    (0..=count).map(|i| i as f64 * step).map(|value| (value, format!("{value:.digits$}"))).collect()
}

/// A line with round joints through points in pixels of the small picture.
fn stroke(canvas: &Canvas<'_>, points: &[(f64, f64)], width: f64, color: RGBColor) -> Result<(), Box<dyn Error>> {
    let half = width * f64::from(SCALE) / 2.0;
    let at = |(x, y): (f64, f64)| (x * f64::from(SCALE), y * f64::from(SCALE));
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (at(pair[0]), at(pair[1]));
        let length = (x1 - x0).hypot(y1 - y0);
        if length > 0.0 {
            let (dx, dy) = ((y1 - y0) / length * half, (x0 - x1) / length * half);
            let corners = [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)];
            let corners = corners.map(|(x, y)| (x.round() as i32, y.round() as i32));
            canvas.draw(&Polygon::new(corners, color))?;
        }
    }
    match half > 1.7 {
        true => points.iter().try_for_each(|&p| dot(canvas, p, width / 2.0, color)),
        false => Ok(()),
    }
}

/// A filled circle; all numbers in pixels of the small picture.
fn dot(canvas: &Canvas<'_>, (x, y): (f64, f64), radius: f64, color: RGBColor) -> Result<(), Box<dyn Error>> {
    let scale = f64::from(SCALE);
    let center = ((x * scale).round() as i32, (y * scale).round() as i32);
    canvas.draw(&Circle::new(center, (radius * scale).round() as i32, color.filled()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_steps() {
        assert_eq!([step(20.0, 10), step(2.3, 6), step(0.04, 6), step(937.0, 10)], [2.0, 0.5, 0.01, 100.0]);
        let texts: Vec<String> = ticks((1.5, 0.5)).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["0.0", "0.5", "1.0", "1.5"]);
    }

    #[test]
    fn a_picture_is_written() {
        let path = std::env::temp_dir().join(format!("eagerflow-plot-{}.png", std::process::id()));
        let points: Vec<(f64, f64)> = (0..50).map(|i| (f64::from(i) / 10.0, 2.0 / (1.0 + f64::from(i)))).collect();
        let curve = Curve { name: "loss", points: &points, color: (31, 119, 180), width: 2.0, dots: true };
        write(&path, "training loss", "epoch", &[curve]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 5000, "{} bytes", bytes.len());
        std::fs::remove_file(&path).unwrap();
        assert!(write(Path::new("/no/such/folder/loss.png"), "loss", "epoch", &[]).is_err());
    }
}
