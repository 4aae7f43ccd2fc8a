//! Curves: where they lie, gaps, panels of a training, and what is refused.

use super::{Folder, places, read};
use eagerflow as tf;
use tf::callbacks::LambdaCallback;
use tf::layers::Dense;
use tf::optim::SGD;
use tf::training::{Compile, Fit, History};
use tf::viz::{Curve, line, try_line};

const RED: [u8; 3] = [220, 20, 20];

#[test]
fn a_curve_falls_from_left_to_right_and_has_a_gap() {
    let folder = Folder::new("line");
    let path = folder.file("loss.png");
    let value = |i: i32| if (40..60).contains(&i) { f64::NAN } else { 3.0 - f64::from(i) / 50.0 };
    let curve = Curve::new("", (0..=100).map(|i| (f64::from(i), value(i)))).color(RED).width(3.0);
    line(&path, "loss", "step", &[curve]);
    assert_eq!(folder.names(), ["loss.png"]);
    let picture = read(&path);
    assert_eq!(picture.dimensions(), (960, 540));
    let red = places(&picture, RED);
    let (left, right) = (red.iter().map(|p| p.0).min().unwrap(), red.iter().map(|p| p.0).max().unwrap());
    assert!(left < 120 && right > 900, "{left} to {right}");
    let height_at = |x: u32| {
        let rows: Vec<u32> = red.iter().filter(|p| p.0.abs_diff(x) < 4).map(|p| p.1).collect();
        rows.iter().sum::<u32>() as f64 / rows.len() as f64
    };
    assert!(height_at(left + 10) + 100.0 < height_at(right - 10), "y grows downwards");
    let middle = left + (right - left) / 2;
    assert!(!red.iter().any(|p| p.0.abs_diff(middle) < 60), "the gap is empty");
    assert!(red.iter().any(|p| p.0.abs_diff(middle) < 110), "and no wider than it must be");
}

#[test]
fn numbers_of_any_size_are_drawn() {
    let folder = Folder::new("sizes");
    let path = folder.file("any.png");
    let lists: [&[f64]; 6] = [
        &[f64::NAN, f64::INFINITY],
        &[f64::MAX, f64::MIN],
        &[5e-324, 0.0],
        &[7.0],
        &[-3e-9, -3e-9],
        &[1e16, 1e16 + 2.0],
    ];
    for list in lists {
        let points = list.iter().enumerate().map(|(at, &value)| (at as f64, value));
        line(&path, "any", "x", &[Curve::new("a name", points).color(RED).dots(true)]);
        let finite = list.iter().any(|value| value.is_finite());
        // One in the legend; the curve beside it where it has finite points.
        let below = places(&read(&path), RED).iter().filter(|p| p.1 > 50).count();
        assert_eq!(below > 20, finite, "{list:?}: {below}");
    }
    for x in [f64::NAN, f64::INFINITY, f64::MAX] {
        line(&path, "any", "x", &[Curve::new("", [(x, 1.0), (0.0, 1.0)])]);
    }
    // Many points as far as few: the extremes are seen, wherever they lie.
    let spike = |i: i32| if i == 123_456 { 50.0 } else { f64::from(i % 3) };
    line(&path, "any", "x", &[Curve::new("", (0..200_000).map(|i| (f64::from(i), spike(i)))).color(RED)]);
    let highest = places(&read(&path), RED).into_iter().min_by_key(|p| p.1).unwrap();
    assert!(highest.1 < 100 && highest.0.abs_diff(600) < 20, "{highest:?}");
    let long = "a long title that has no room ".repeat(20);
    let curves: Vec<Curve> = (0..30).map(|at| Curve::new(&long[..at * 3], [(0.0, 1.0)])).collect();
    line(&path, &long, &long, &curves);
    assert_eq!(read(&path).dimensions(), (960, 540));
}

/// A number of each epoch.
type Number = (&'static str, fn(usize) -> f64);

/// A history of so many epochs with these numbers in addition to the loss.
fn history(epochs: usize, more: &[Number]) -> History {
    let note = LambdaCallback::new().on_epoch_end(|epoch, logs, _| {
        more.iter().for_each(|(name, value)| logs.set(*name, value(epoch)));
        Ok(())
    });
    let trainer = tf::Sequential::new((Dense::new(1),)).compile(SGD::new(0.1), "mse");
    trainer.fit((&tf::ones([8, 2]), &tf::ones([8, 1])), Fit::new().epochs(epochs).callback(note).verbose(0))
}

const TRAINING: [u8; 3] = [24, 92, 158];
const VALIDATION: [u8; 3] = [222, 111, 32];

#[test]
fn a_training_has_a_panel_for_each_number_and_its_twin() {
    let folder = Folder::new("panels");
    let path = folder.file("history.png");
    history(3, &[]).plot(&path);
    let alone = read(&path);
    assert_eq!(alone.dimensions(), (960, 540));
    assert!(places(&alone, VALIDATION).is_empty() && !places(&alone, TRAINING).is_empty());

    let more: [Number; 4] = [
        ("val_loss", |_| 0.5),
        ("accuracy", |epoch| 1.0 - 1.0 / (epoch + 2) as f64),
        ("val_accuracy", |_| f64::NAN),
        ("learning_rate", |epoch| 0.1f64.powi(epoch as i32)),
    ];
    history(4, &more).plot(&path);
    let grid = read(&path);
    // Loss, accuracy and the learning rate, in a grid of two by two.
    assert_eq!(grid.dimensions(), (1200, 800));
    let in_panel = |color: [u8; 3], column: u32, row: u32| {
        let inside = |p: &&(u32, u32)| p.0 / 600 == column && p.1 / 400 == row && p.1 % 400 > 50;
        places(&grid, color).iter().filter(inside).count()
    };
    let counts = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| (in_panel(TRAINING, x, y), in_panel(VALIDATION, x, y)));
    assert!(counts[0].0 > 50 && counts[0].1 > 50, "{counts:?}");
    // A validation without finite numbers is in the legend only.
    assert!(counts[1].0 > 50 && counts[1].1 == 0, "{counts:?}");
    assert!(counts[2].0 > 50 && counts[2].1 == 0 && counts[3] == (0, 0), "{counts:?}");
}

#[test]
fn one_epoch_and_many_are_drawn() {
    let folder = Folder::new("epochs");
    let path = folder.file("history.png");
    for epochs in [1, 300] {
        history(epochs, &[("val_loss", |_| 0.3)]).plot(&path);
        assert!(places(&read(&path), VALIDATION).len() > 20, "{epochs} epochs");
    }
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::new("mistakes-of-charts");
    let path = folder.file("none.png");
    let refused = |error: tf::Error, words: &[&str]| {
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)) && text.contains("charts.rs"), "{text}");
    };
    refused(History::default().try_plot(&path).unwrap_err(), &["plot: ", "nothing to draw", "0 curves of 0 epochs"]);
    refused(try_line(&path, "t", "x", &[]).unwrap_err(), &["line: ", "nothing to draw", "0 curves"]);
    refused(try_line(&path, "t", "x", &[Curve::new("a", [])]).unwrap_err(), &["1 curves without points", "at least"]);
    refused(Curve::new("a", []).try_width(0.0).unwrap_err(), &["Curve: ", "`width` is out of range", "got: 0"]);
    refused(Curve::new("a", []).try_width(1e9).unwrap_err(), &["`width` is out of range", "at most 100"]);
    let missing = folder.file("no/such/loss.png");
    refused(history(1, &[]).try_plot(&missing).unwrap_err(), &["NotFound", "loss.png"]);
    assert_eq!(folder.names(), [""; 0]);
}
