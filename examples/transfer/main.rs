//! Transfer learning, as TensorFlow's guide does it: `cargo run --release --example transfer`. A trunk learns of many images of eight
//! digits, and helps to learn the last two of four images each.
//!
//! The trunk alone goes into a checkpoint, and from there into a new network, where it is frozen while a head learns, and then
//! fine-tuned. In the end both heads lie on one trunk, in a graph of layers. It takes 3 seconds of processor time, and prints:
//!
//! ```text
//! 1437 training and 360 test images of 8 by 8 pixels
//! accuracy on test images
//!   0 to 7, of all training images                   0.966
//!   8 and 9, of 4 images each, from nothing          0.857
//!   8 and 9, the same images, frozen trunk           0.926
//!   8 and 9, the same images, fine-tuned             0.923
//!   0 to 7 again, by the fine-tuned trunk            0.963
//!   0 to 9, both heads on that trunk, 4 images each  0.871
//! ```
//!
//! All but the first are means over five choices of the few images. What the trunk knows helps; fine-tuning adds nothing here, where there
//! is so little to learn of, and hardly moves what the first head stands on.

mod model;

use eagerflow as tf;
use eagerflow_examples::digits::{self, Digits, Split};
use model::{Classifier, both_heads, trunk};
use std::ops::Range;
use std::path::Path;
use tf::losses::SparseCategoricalCrossentropy;
use tf::optim::Adam;
use tf::train::Checkpoint;
use tf::training::{Compile, Evaluate, Fit};
use tf::{Module as _, Tensor};

/// The digits that the trunk learns first, and those that come later.
const FIRST: Range<i64> = 0..8;
const LATER: Range<i64> = 8..10;
/// How many images there are of each of the later digits.
const FEW: usize = 4;

/// Images and their labels.
type Labelled = (Tensor, Tensor);

/// Images of some digits only, of each those from one to another, with labels that count from 0.
fn some(split: &Split, digits: Range<i64>, of_each: Range<usize>) -> Labelled {
    let mut seen = [0; 10];
    let chosen = |label: i64| {
        seen[label as usize] += 1;
        digits.contains(&label) && of_each.contains(&(seen[label as usize] - 1))
    };
    let mask: Vec<bool> = split.labels.to_vec::<i64>().into_iter().map(chosen).collect();
    let mask = tf::constant(mask);
    (tf::boolean_mask(&split.images, &mask, 0), tf::boolean_mask(&split.labels, &mask, 0) - digits.start)
}

/// The accuracies on test images of what is learnt one way and another; those of few images are means over several choices of images.
#[derive(Debug, Default)]
struct Accuracies {
    /// The trunk with its first head, on the first digits.
    first: f64,
    /// A network that knows nothing, on the later digits.
    from_nothing: f64,
    /// The trunk as it was saved, with a new head.
    frozen: f64,
    /// The same, after all of it went on learning slowly.
    fine_tuned: f64,
    /// The first head again, on the trunk that was moved under it.
    first_afterwards: f64,
    /// Both heads on one trunk, on all digits.
    both: f64,
}

/// Trains a model on labelled images and answers its accuracy on others.
fn learn<M: tf::Model<Input = Tensor>>(
    model: &M,
    (rate, epochs): (f64, usize),
    data: &Labelled,
    test: &Labelled,
) -> tf::Result<f64> {
    let loss = SparseCategoricalCrossentropy::new().from_logits(true);
    let trainer = model.try_compile(Adam::new(rate), loss)?.try_metrics(["accuracy"])?;
    trainer.try_fit((&data.0, &data.1), Fit::new().try_epochs(epochs)?.batch_size(16).verbose(0))?;
    accuracy(model, test)
}

/// The share of test images that a model tells right.
fn accuracy<M: tf::Model<Input = Tensor>>(model: &M, test: &Labelled) -> tf::Result<f64> {
    let loss = SparseCategoricalCrossentropy::new().from_logits(true);
    let trainer = model.try_compile(Adam::new(1e-3), loss)?.try_metrics(["accuracy"])?;
    Ok(trainer.try_evaluate((&test.0, &test.1), Evaluate::new().batch_size(500))?["accuracy"])
}

/// The whole story. `effort` scales the number of epochs, and each of the `choices` takes other images of the later digits.
fn transfer(digits: &Digits, effort: usize, choices: usize, folder: &Path) -> tf::Result<Accuracies> {
    tf::random::set_seed(4);
    let test = |range: Range<i64>| some(&digits.test, range, 0..usize::MAX);
    let (first_test, later_test, all_test) = (test(FIRST), test(LATER), test(0..10));

    // Learn of many images of 0 to 7, and keep the trunk alone.
    let teacher = Classifier::new(trunk(), FIRST.count());
    let first = learn(&teacher, (1e-3, effort), &some(&digits.train, FIRST, 0..usize::MAX), &first_test)?;
    let saved = Checkpoint::new().with("trunk", &teacher.trunk).write(folder.join("trunk"))?;

    let mut means = Accuracies { first, ..Accuracies::default() };
    for choice in 0..choices {
        let images = choice * FEW..(choice + 1) * FEW;
        let later = some(&digits.train, LATER, images.clone());
        let add = |mean: &mut f64, accuracy: f64| *mean += accuracy / choices as f64;

        // What few images teach a network that knows nothing.
        let nothing = Classifier::new(trunk(), LATER.count());
        add(&mut means.from_nothing, learn(&nothing, (1e-3, 4 * effort), &later, &later_test)?);

        // A network with the trunk of the file, whose variables take their values when they are made. Only the head learns.
        let model = Classifier::new(trunk(), LATER.count());
        Checkpoint::new().with("trunk", &model.trunk).read(&saved)?.expect_partial();
        model.trunk.set_trainable(false);
        add(&mut means.frozen, learn(&model, (3e-3, 4 * effort), &later, &later_test)?);
        assert!(same(&model.trunk, &teacher.trunk), "a frozen trunk stays as it was");

        // All of it learns, slowly.
        model.trunk.set_trainable(true);
        add(&mut means.fine_tuned, learn(&model, (1e-4, 2 * effort), &later, &later_test)?);
        assert!(!same(&model.trunk, &teacher.trunk));

        // One trunk under both heads: a clone of a layer shares its variables. The first head was learnt on the trunk as it was before.
        let again = Classifier { trunk: model.trunk.clone(), head: teacher.head.clone() };
        add(&mut means.first_afterwards, accuracy(&again, &first_test)?);
        let both = both_heads(&model.trunk, &tf::Duplicate::duplicate(&teacher.head), &model.head);
        let few = some(&digits.train, 0..10, images);
        add(&mut means.both, learn(&both, (3e-4, 2 * effort), &few, &all_test)?);
    }
    Ok(means)
}

/// Whether two trunks have the same weights.
fn same(a: &tf::Sequential, b: &tf::Sequential) -> bool {
    let weights = |of: &tf::Sequential| of.variables().iter().map(|v| v.value().to_vec::<f32>()).collect::<Vec<_>>();
    weights(a) == weights(b)
}

fn main() -> tf::Result<()> {
    let digits = digits::load(&digits::folder())?;
    println!("{digits}");
    let folder = std::env::temp_dir().join(format!("eagerflow-transfer-{}", std::process::id()));
    let got = transfer(&digits, 25, 5, &folder);
    let _ = std::fs::remove_dir_all(&folder);
    let Accuracies { first, from_nothing, frozen, fine_tuned, first_afterwards, both } = got?;
    println!("accuracy on test images");
    println!("  0 to 7, of all training images                   {first:.3}");
    println!("  8 and 9, of {FEW} images each, from nothing          {from_nothing:.3}");
    println!("  8 and 9, the same images, frozen trunk           {frozen:.3}");
    println!("  8 and 9, the same images, fine-tuned             {fine_tuned:.3}");
    println!("  0 to 7 again, by the fine-tuned trunk            {first_afterwards:.3}");
    println!("  0 to 9, both heads on that trunk, {FEW} images each  {both:.3}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learnt_helps_to_learn() {
        let digits = digits::load(&digits::folder()).unwrap();
        let folder = std::env::temp_dir().join(format!("eagerflow-transfer-test-{}", std::process::id()));
        let got = transfer(&digits, 4, 1, &folder).unwrap();
        assert!(folder.join("trunk.index").is_file());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(got.first > 0.85, "{got:?}");
        // Of two digits one half is told right by chance, of ten a tenth.
        assert!(got.frozen > 0.75 && got.fine_tuned > 0.75 && got.both > 0.5, "{got:?}");
    }

    #[test]
    fn digits_are_chosen_by_their_labels() {
        let digits = digits::load(&digits::folder()).unwrap();
        let (images, labels) = some(&digits.train, LATER, FEW..2 * FEW);
        assert_eq!(images.shape(), [2 * FEW, 8, 8, 1]);
        assert_eq!(tf::reduce_sum(&labels, ()).item::<i64>(), FEW as i64);
        let (others, _) = some(&digits.train, LATER, 0..FEW);
        assert_ne!(images.to_vec::<f32>(), others.to_vec::<f32>());
    }
}
