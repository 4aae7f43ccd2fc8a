//! Curves over common axes as a picture of their own: `line`, and the curves that it is given.
//! Programs call it for losses of batches and other numbers that no `History` has.

use super::axis::Ends;
use super::chart::Chart;
use super::pen::Color;
use engine::library::options::{self, options};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::path::Path;

/// A curve of a chart: a name, points, and how they are drawn.
///
/// ```
/// use eagerflow as tf;
/// use tf::viz::Curve;
/// let losses = [(1.0, 2.3), (2.0, 0.9), (3.0, 0.4)];
/// let curve = Curve::new("loss", losses).color([24, 92, 158]).width(2.2).dots(true);
/// # let _ = curve;
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
    pub(super) color: Option<Color>,
    pub(super) width: f64,
    pub(super) dots: bool,
}

impl Curve {
    /// A curve with the name that the legend shows, none if it is empty, and its points in the order in which they are joined. One
    /// that is no finite number is a gap.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().collect();
        Self { name: name.into(), points, color: None, width: 2.0, dots: false }
    }

    /// Red, green and blue; one of eight colors in turn unless set.
    #[must_use]
    pub fn color(mut self, color: [u8; 3]) -> Self {
        self.color = Some(color);
        self
    }

    /// Whether each point is marked.
    #[must_use]
    pub fn dots(mut self, dots: bool) -> Self {
        self.dots = dots;
        self
    }
}

options! { Curve:
    /// The width of the line in pixels, 2 unless set: above 0, at most 100.
    pub fn width, try_width(this, width: f64) {
        this.width = options::positive("Curve", "width", width)?;
        match width <= 100.0 {
            true => Ok(this),
            false => Err(Error::invalid_argument("Curve", "`width` is out of range").got(width).expected("at most 100 pixels")),
        }
    }
}

/// Writes curves over common axes as a PNG of 960 by 540 pixels, with title, ticks and legend. The file is replaced at once: whoever reads
/// it sees the old picture or the new one.
///
/// Titles and names are drawn without fonts of the system, and have the printable characters of ASCII; others are boxes.
///
/// ```
/// use eagerflow as tf;
/// use tf::viz::{Curve, line};
/// # let path = std::env::temp_dir().join(format!("eagerflow-line-page-{}.png", std::process::id()));
/// let train = Curve::new("training", (1..=20).map(|i| (f64::from(i), 2.0 / f64::from(i))));
/// let test = Curve::new("test", [(5.0, 0.6), (10.0, 0.4), (20.0, 0.35)]).dots(true);
/// line(&path, "loss", "epoch", &[train, test]);
/// assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// # Panics
/// As [`try_line`] fails, at the caller's line.
#[track_caller]
pub fn line(path: impl AsRef<Path>, title: &str, x_label: &str, curves: &[Curve]) {
    try_line(path, title, x_label, curves).or_fail()
}

/// Writes curves over common axes as a PNG.
///
/// # Errors
/// InvalidArgument where there are no curves, or no points; what the file system refuses, with the path: then a file that was there is
/// as it was.
#[track_caller]
pub fn try_line(path: impl AsRef<Path>, title: &str, x_label: &str, curves: &[Curve]) -> Result<()> {
    let here = Location::caller();
    let write = || {
        if curves.iter().all(|curve| curve.points.is_empty()) {
            return Err(Error::invalid_argument("line", "there is nothing to draw")
                .got(format!("{} curves without points", curves.len()))
                .expected("at least one curve with at least one point"));
        }
        Chart { title, x_label, curves, x_ends: Ends::Exact }.picture(960, 540)?.save(path.as_ref())
    };
    write().map_err(|e| e.at(here))
}
