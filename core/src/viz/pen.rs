//! The pen: lines, circles, boxes and texts on a canvas, by `plotters`. Charts and matrices draw with it.
//! Everything is drawn three times as large and averaged down, which smooths lines and letters.

use super::font;
use super::picture::Picture;
use kernels::error::{Error, Result};
use plotters::backend::RGBPixel;
use plotters::coord::Shift;
use plotters::prelude::{BitMapBackend, Circle, DrawingArea, IntoDrawingArea, Polygon, Rectangle};
use plotters::style::{Color as _, RGBColor};
use std::fmt::Display;

/// Red, green and blue.
pub type Color = [u8; 3];

pub const WHITE: Color = [255, 255, 255];
/// Texts and axes.
pub const INK: Color = [70, 74, 84];
/// Lines behind the curves.
pub const PALE: Color = [228, 231, 236];

/// How much larger a picture is drawn than it is written.
const SCALE: u32 = 3;

/// What draws on a canvas; all numbers are pixels of the small picture, and y grows downwards.
pub struct Pen<'a> {
    area: DrawingArea<BitMapBackend<'a, RGBPixel>, Shift>,
}

/// A picture of this size on white ground, as `draw` draws it.
///
/// # Errors
/// What `draw` answers.
pub fn drawn(width: u32, height: u32, draw: impl FnOnce(&Pen<'_>) -> Result<()>) -> Result<Picture> {
    let size = (width * SCALE, height * SCALE);
    let mut large = vec![255u8; size.0 as usize * size.1 as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut large, size).into_drawing_area();
        let pen = Pen { area };
        draw(&pen)?;
        pen.area.present().map_err(broken)?;
    }
    let mut bytes = Vec::with_capacity(width as usize * height as usize * 3);
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        bytes.extend(average(&large, size.0, x, y));
    }
    Ok(Picture { width, height, channels: 3, bytes })
}

/// The mean color of the large picture's pixels that become one.
fn average(large: &[u8], width: u32, x: u32, y: u32) -> Color {
    let mut sums = [0u32; 3];
    for dy in 0..SCALE {
        let at = ((y * SCALE + dy) as usize * width as usize + (x * SCALE) as usize) * 3;
        for pixel in large[at..at + 3 * SCALE as usize].chunks_exact(3) {
            sums.iter_mut().zip(pixel).for_each(|(sum, &value)| *sum += u32::from(value));
        }
    }
    sums.map(|sum| ((sum + SCALE * SCALE / 2) / (SCALE * SCALE)) as u8)
}

/// Drawing into memory fails at nothing that a user could change.
fn broken(error: impl Display) -> Error {
    Error::internal("viz", "a picture cannot be drawn").got(error)
}

fn rgb([r, g, b]: Color) -> RGBColor {
    RGBColor(r, g, b)
}

/// A point in pixels of the large picture.
fn large((x, y): (f64, f64)) -> (i32, i32) {
    ((x * f64::from(SCALE)).round() as i32, (y * f64::from(SCALE)).round() as i32)
}

impl Pen<'_> {
    /// A line with round joints and ends through points; a dot where there is only one.
    pub fn stroke(&self, points: &[(f64, f64)], width: f64, color: Color) -> Result<()> {
        let half = width * f64::from(SCALE) / 2.0;
        for pair in points.windows(2) {
            let scaled = |(x, y): (f64, f64)| (x * f64::from(SCALE), y * f64::from(SCALE));
            let ((x0, y0), (x1, y1)) = (scaled(pair[0]), scaled(pair[1]));
            let length = (x1 - x0).hypot(y1 - y0);
            if length > 0.0 {
                let (dx, dy) = ((y1 - y0) / length * half, (x0 - x1) / length * half);
                let corners = [(x0 + dx, y0 + dy), (x1 + dx, y1 + dy), (x1 - dx, y1 - dy), (x0 - dx, y0 - dy)];
                let corners = corners.map(|(x, y)| (x.round() as i32, y.round() as i32));
                self.area.draw(&Polygon::new(corners, rgb(color).filled())).map_err(broken)?;
            }
        }
        let is_dot = points.windows(2).all(|pair| pair[0] == pair[1]);
        match half > 1.7 || is_dot {
            true => points.iter().try_for_each(|&p| self.dot(p, width / 2.0, color)),
            false => Ok(()),
        }
    }

    /// A filled circle.
    pub fn dot(&self, center: (f64, f64), radius: f64, color: Color) -> Result<()> {
        let radius = (radius * f64::from(SCALE)).round() as i32;
        self.area.draw(&Circle::new(large(center), radius, rgb(color).filled())).map_err(broken)
    }

    /// A filled box between two corners.
    pub fn fill(&self, from: (f64, f64), to: (f64, f64), color: Color) -> Result<()> {
        self.area.draw(&Rectangle::new([large(from), large(to)], rgb(color).filled())).map_err(broken)
    }

    /// A text from the left end of its base line on, whose capitals are `height` high.
    pub fn write(&self, text: &str, (x, y): (f64, f64), height: f64, color: Color) -> Result<()> {
        self.lines(text, height, color, |(across, up)| (x + across, y - up))
    }

    /// A text that is read from below, from the lower end of its base line on.
    pub fn write_upwards(&self, text: &str, (x, y): (f64, f64), height: f64, color: Color) -> Result<()> {
        self.lines(text, height, color, |(across, up)| (x - up, y - across))
    }

    fn lines(&self, text: &str, height: f64, color: Color, place: impl Fn((f64, f64)) -> (f64, f64)) -> Result<()> {
        font::lines(text, height).into_iter().try_for_each(|line| {
            let points: Vec<(f64, f64)> = line.into_iter().map(&place).collect();
            self.stroke(&points, height * 0.13, color)
        })
    }
}
