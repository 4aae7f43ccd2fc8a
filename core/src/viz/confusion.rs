//! A confusion matrix as a picture: a cell for each pair of classes, with its count, in a color that says its share of the row.
//! Programs call it with what `tf::confusion_matrix` answers.

use super::font;
use super::pen::{Color, INK, WHITE, drawn};
use super::picture::{Picture, checked_size};
use engine::library::cast_to;
use engine::{AsTensor, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::path::Path;

/// The color of a cell that has the whole of its row.
const FULL: Color = [12, 74, 132];
/// Counts of 0, which most are.
const FAINT: Color = [178, 184, 192];
/// The heights of capitals in pixels: of names, and of counts.
const NAME: f64 = 11.0;
const COUNT: f64 = 10.0;
/// The widest that names of classes are drawn.
const LONGEST_NAME: f64 = 180.0;
/// Pixels around everything, and between cells and names.
const EDGE: u32 = 20;
const GAP: u32 = 10;
/// The row of a title of an axis.
const TITLE: u32 = 30;

/// Writes a confusion matrix as a PNG: rows are labels, columns are predictions, as [`confusion_matrix`](fn@crate::confusion_matrix)
/// answers it. A cell shows its count, and how dark it is says which share of the label's examples it has. The file is replaced at once.
///
/// ```
/// use eagerflow as tf;
/// # let path = std::env::temp_dir().join(format!("eagerflow-confusion-page-{}.png", std::process::id()));
/// let (labels, predictions) = (tf::constant([0, 0, 1, 2, 2]), tf::constant([0, 1, 1, 2, 2]));
/// let matrix = tf::confusion_matrix(&labels, &predictions, 3);
/// tf::viz::confusion(&matrix, &["cat", "dog", "bird"], &path);
/// assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// # Panics
/// As [`try_confusion`] fails, at the caller's line.
#[track_caller]
pub fn confusion(matrix: impl AsTensor, names: &[impl AsRef<str>], path: impl AsRef<Path>) {
    try_confusion(matrix, names, path).or_fail()
}

/// Writes a confusion matrix as a PNG: `[classes, classes]` of integers or floats, with the classes' names.
///
/// # Errors
/// InvalidArgument for a matrix that is not square or has no classes, another number of names, counts that are negative or no finite
/// numbers, and more classes than a picture of 2^27 pixels shows; FailedPrecondition for a value of a graph that is being recorded; what
/// the file system refuses, with the path: then a file that was there is as it was.
#[track_caller]
pub fn try_confusion(matrix: impl AsTensor, names: &[impl AsRef<str>], path: impl AsRef<Path>) -> Result<()> {
    let here = Location::caller();
    let matrix = matrix.as_tensor();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let write = || Matrix::of(&matrix, &names)?.picture()?.save(path.as_ref());
    write().map_err(|e| e.at(here))
}

/// Counts, row by row, and how they are written.
struct Matrix {
    counts: Vec<f64>,
    texts: Vec<String>,
    names: Vec<String>,
}

impl Matrix {
    fn of(matrix: &Tensor, names: &[&str]) -> Result<Self> {
        let dtype = matrix.dtype();
        let wrong = |what: &str| Error::invalid_argument("confusion", what);
        let got = format!("{dtype} {}", matrix.shape());
        if !(dtype.is_floating() || dtype.is_integer()) {
            return Err(wrong("the matrix has no real numbers").got(got).expected("integers or floats"));
        }
        if matrix.rank() != 2 {
            return Err(wrong("the matrix has a wrong rank").got(got).expected("[classes, classes]"));
        }
        let counts = cast_to(matrix, DType::F64)?.try_to_vec::<f64>()?;
        let shape = matrix.shape();
        if shape[0] != shape[1] || shape[0] == 0 {
            return Err(wrong("the matrix is not square, or has no classes").got(got).expected("[classes, classes]"));
        }
        if names.len() != shape[0] {
            return Err(wrong("there are not as many names as classes")
                .got(format!("{} names for a matrix of {}", names.len(), matrix.shape()))
                .expected(format!("{} names", shape[0])));
        }
        if let Some(at) = counts.iter().position(|count| !(count.is_finite() && *count >= 0.0)) {
            return Err(wrong("a count is out of range")
                .got(format!("{} at [{}, {}]", counts[at], at / shape[0], at % shape[0]))
                .expected("finite numbers of at least 0"));
        }
        let texts = counts.iter().map(|&count| text(count)).collect();
        let names = names.iter().map(|name| font::fitted(name, NAME, LONGEST_NAME)).collect();
        Ok(Self { counts, texts, names })
    }

    fn picture(&self) -> Result<Picture> {
        let classes = self.names.len();
        let widest = |texts: &[String], height: f64| {
            texts.iter().map(|text| font::width(text, height)).fold(0.0, f64::max).ceil() as u32
        };
        // Strokes reach beyond the points that they join.
        let name = widest(&self.names, NAME) + 4;
        let cell = (widest(&self.texts, COUNT) + 16).max(40);
        let upwards = name + 12 > cell;
        // Room beside the cells, and above them.
        let left = EDGE + TITLE + name + GAP;
        let top = EDGE + TITLE + GAP + if upwards { name } else { NAME as u32 + 4 };
        let side = classes as u64 * u64::from(cell) + u64::from(EDGE);
        let help = "merge classes, or take a part of the matrix";
        let size = checked_size("confusion", u64::from(left) + side, u64::from(top) + side, help)?;
        let mut picture = Picture::blank(size, 3, WHITE);
        for at in 0..classes * classes {
            let (row, column) = ((at / classes) as u32, (at % classes) as u32);
            picture.paste((left + column * cell, top + row * cell), &self.cell(at, cell)?);
        }
        for (at, text) in self.names.iter().enumerate() {
            let from = at as u32 * cell;
            picture.paste((EDGE + TITLE, top + from), &row_name(text, name, cell)?);
            let above = top - GAP - if upwards { name } else { NAME as u32 + 4 };
            picture.paste((left + from, above), &column_name(text, name, cell, upwards)?);
        }
        let cells = classes as u32 * cell;
        picture.paste((left, EDGE), &title("prediction", cells, false)?);
        picture.paste((EDGE, top), &title("label", cells, true)?);
        Ok(picture)
    }

    /// A cell with its count.
    fn cell(&self, at: usize, side: u32) -> Result<Picture> {
        let classes = self.names.len();
        let row = &self.counts[at / classes * classes..][..classes];
        // Divided first: the sum of large counts may be infinite.
        let largest = row.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let share = self.counts[at] / largest / row.iter().map(|count| count / largest).sum::<f64>().max(1e-300);
        let mix = |full: u8, white: u8| {
            (f64::from(white) + (f64::from(full) - f64::from(white)) * share.sqrt()).round() as u8
        };
        let ground = [mix(FULL[0], 250), mix(FULL[1], 250), mix(FULL[2], 251)];
        let ink = match (self.counts[at] == 0.0, share > 0.2) {
            (true, _) => FAINT,
            (_, true) => WHITE,
            (_, false) => INK,
        };
        let (text, edge) = (&self.texts[at], f64::from(side));
        drawn(side, side, |pen| {
            pen.fill((0.0, 0.0), (edge - 1.0, edge - 1.0), ground)?;
            let x = (edge - 1.0 - font::width(text, COUNT)) / 2.0;
            pen.write(text, (x, (edge - 1.0 + COUNT) / 2.0), COUNT, ink)
        })
    }
}

/// A count: whole as it is, others by two digits behind the point.
fn text(count: f64) -> String {
    match count {
        c if c >= 1e7 => format!("{c:.2e}"),
        c if c.fract() == 0.0 => format!("{c:.0}"),
        c => format!("{c:.2}"),
    }
}

/// The name of a row, at the right end of its room.
fn row_name(name: &str, width: u32, side: u32) -> Result<Picture> {
    drawn(width, side, |pen| {
        let x = f64::from(width) - 2.0 - font::width(name, NAME);
        pen.write(name, (x, (f64::from(side) + NAME) / 2.0), NAME, INK)
    })
}

/// The name of a column, read from below if it would be too wide.
fn column_name(name: &str, width: u32, side: u32, upwards: bool) -> Result<Picture> {
    let middle = f64::from(side) / 2.0;
    match upwards {
        true => {
            drawn(side, width, |pen| pen.write_upwards(name, (middle + NAME / 2.0, f64::from(width) - 2.0), NAME, INK))
        }
        false => drawn(side, NAME as u32 + 4, |pen| {
            pen.write(name, (middle - font::width(name, NAME) / 2.0, NAME + 1.0), NAME, INK)
        }),
    }
}

/// What an axis shows, along it.
fn title(text: &str, length: u32, upwards: bool) -> Result<Picture> {
    let text = font::fitted(text, 12.0, f64::from(length));
    let from = (f64::from(length) - font::width(&text, 12.0)) / 2.0;
    match upwards {
        true => drawn(TITLE, length, |pen| pen.write_upwards(&text, (14.0, f64::from(length) - from), 12.0, INK)),
        false => drawn(length, TITLE, |pen| pen.write(&text, (from, 14.0), 12.0, INK)),
    }
}
