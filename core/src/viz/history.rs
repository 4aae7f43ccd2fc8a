//! The curves of a training as one picture: `History::plot`.
//! Each number and its twin of the validation share a panel; panels lie in a grid.

use super::axis::Ends;
use super::chart::Chart;
use super::line::Curve;
use super::pen::WHITE;
use super::picture::{Picture, checked_size};
use crate::training::History;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::path::Path;

/// Of a number of the training, and of its twin of the validation.
const TRAINING: [u8; 3] = [24, 92, 158];
const VALIDATION: [u8; 3] = [222, 111, 32];
/// The size of a panel that is alone, and of one among others.
const ALONE: (u32, u32) = (960, 540);
const PANEL: (u32, u32) = (600, 400);
/// Up to so many epochs each one is marked.
const MOST_MARKS: usize = 40;

impl History {
    /// Writes all curves of a training as one PNG: a panel for the loss and its `val_` twin, one for each metric and its twin, and one
    /// for whatever else was logged, such as `learning_rate`. Epochs count from 1, as the progress bar shows them; where a number is
    /// NaN or infinite, as for epochs without a validation, the curve has a gap.
    ///
    /// This needs the feature `viz`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::{layers::Dense, optim::SGD, training::{Compile, Fit}};
    /// # let path = std::env::temp_dir().join(format!("eagerflow-plot-page-{}.png", std::process::id()));
    /// let (x, y) = (tf::ones([32, 2]), tf::ones([32, 1]));
    /// let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse").metrics(["mae"]);
    /// let history = trainer.fit((&x, &y), Fit::new().epochs(5).validation_split(0.25).verbose(0));
    /// history.plot(&path);
    /// assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    ///
    /// # Panics
    /// As [`try_plot`](Self::try_plot) fails, at the caller's line.
    #[track_caller]
    pub fn plot(&self, path: impl AsRef<Path>) {
        self.try_plot(path).or_fail()
    }

    /// Writes all curves of a training as one PNG.
    ///
    /// # Errors
    /// InvalidArgument for a history without epochs or numbers; what the file system refuses, with the path: then a file that was there
    /// is as it was.
    #[track_caller]
    pub fn try_plot(&self, path: impl AsRef<Path>) -> Result<()> {
        let here = Location::caller();
        self.picture().and_then(|picture| picture.save(path.as_ref())).map_err(|e| e.at(here))
    }

    fn picture(&self) -> Result<Picture> {
        let names = panels(self.curves().map(|(name, _)| name));
        if names.is_empty() || self.epochs().is_empty() {
            return Err(Error::invalid_argument("plot", "the history has nothing to draw")
                .got(format!("{} curves of {} epochs", names.len(), self.epochs().len()))
                .help("plot what `fit` answered"));
        }
        if let [only] = names[..] {
            return self.panel(only, ALONE);
        }
        let columns = columns(names.len());
        let (across, down) = (columns as u64, names.len().div_ceil(columns) as u64);
        let size = checked_size("plot", across * u64::from(PANEL.0), down * u64::from(PANEL.1), "log fewer numbers")?;
        let mut picture = Picture::blank(size, 3, WHITE);
        for (at, name) in names.into_iter().enumerate() {
            let place = ((at % columns) as u32 * PANEL.0, (at / columns) as u32 * PANEL.1);
            picture.paste(place, &self.panel(name, PANEL)?);
        }
        Ok(picture)
    }

    /// A number and its twin, over the epochs.
    fn panel(&self, name: &str, (width, height): (u32, u32)) -> Result<Picture> {
        let twin = format!("val_{name}");
        let own = |name: &str, legend: &str, color: [u8; 3]| {
            let values = self.get(name)?;
            let points = self.epochs().iter().map(|epoch| *epoch as f64 + 1.0).zip(values.iter().copied());
            Some(Curve::new(legend, points).color(color).dots(values.len() <= MOST_MARKS))
        };
        let curves = [own(name, "training", TRAINING), own(&twin, "validation", VALIDATION)];
        let mut curves: Vec<Curve> = curves.into_iter().flatten().collect();
        if let [curve] = &mut curves[..] {
            // Its title names it; a name that has no twin may be of either.
            curve.name.clear();
        }
        Chart { title: name, x_label: "epoch", curves: &curves, x_ends: Ends::Whole }.picture(width, height)
    }
}

/// The names of the panels: the loss first, the learning rate last; one that begins with `val_` shares that of its twin if there is one.
fn panels<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let names: Vec<&str> = names.collect();
    let known: std::collections::HashSet<&str> = names.iter().copied().collect();
    let mut panels: Vec<&str> = names;
    panels.retain(|name| !name.strip_prefix("val_").is_some_and(|twin| known.contains(twin)));
    panels.sort_by_key(|name| match *name {
        "loss" => 0,
        "learning_rate" => 2,
        _ => 1,
    });
    panels
}

/// Into how many columns panels go: as many as rows, or one more.
fn columns(panels: usize) -> usize {
    (1..).find(|n| n * n >= panels).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_share_a_panel() {
        let names = ["learning_rate", "accuracy", "loss", "auc", "val_loss", "val_accuracy", "val_auc", "val_only"];
        assert_eq!(panels(names.into_iter()), ["loss", "accuracy", "auc", "val_only", "learning_rate"]);
        assert_eq!([1, 2, 4, 5, 9, 10].map(columns), [1, 2, 2, 3, 3, 4]);
    }
}
