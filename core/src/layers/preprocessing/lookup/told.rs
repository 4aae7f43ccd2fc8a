//! Vocabularies that the user tells, by lists or files, and those that data give, checked with the settings of the layer.
//! The lookup layers ask here whenever an option changes.

use super::LookupMode;
use super::adapt::{AdaptData, Counts};
use super::rule::Rule;
use super::term::Term;
use super::vocabulary::Vocabulary;
use engine::Tensor;
use kernels::error::{Error, Result};
use std::path::Path;

/// A vocabulary as the user gave it.
#[derive(Clone, Debug)]
pub struct Told<T> {
    pub terms: Vec<T>,
    pub weights: Option<Vec<f32>>,
}

/// A term that a line of a file holds.
pub trait OfLine: Sized {
    fn of_line(line: &str) -> Option<Self>;
}

impl OfLine for Vec<u8> {
    fn of_line(line: &str) -> Option<Self> {
        Some(line.as_bytes().to_vec())
    }
}

impl OfLine for i64 {
    fn of_line(line: &str) -> Option<Self> {
        line.trim().parse().ok()
    }
}

/// The terms of a text file, one a line.
///
/// # Errors
/// NotFound and its like for the file, InvalidArgument for a line that is no term.
pub fn terms_of_file<T>(layer: &str, path: &Path, of_line: &dyn Fn(&str) -> Option<T>) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let what = format!("the vocabulary `{}` cannot be read: {error}", path.display());
        match error.kind() {
            std::io::ErrorKind::NotFound => Error::not_found(layer, what),
            _ => Error::failed_precondition(layer, what),
        }
    })?;
    let term = |(number, line): (usize, &str)| {
        of_line(line).ok_or_else(|| {
            let place = format!("line {} of `{}` is no term of the vocabulary", number + 1, path.display());
            Error::invalid_argument(layer, place).got(format!("{line:?}")).expected("an integer")
        })
    };
    text.lines().enumerate().map(term).collect()
}

/// The vocabulary that was told, checked with all settings.
///
/// # Errors
/// InvalidArgument for settings and terms that do not go together.
pub fn settled<T: Term>(rule: &Rule<T>, told: Option<&Told<T>>) -> Result<Option<Vocabulary<T>>> {
    let wrong = |what: &str| Error::invalid_argument(rule.layer.as_str(), what.to_owned());
    if rule.inverse && rule.mode != LookupMode::Int {
        return Err(wrong("numbers become terms, not rows")
            .got(format!("output_mode {:?}", rule.mode))
            .expected("Int"));
    }
    if rule.pad_to_max && rule.most.is_none() {
        return Err(wrong("rows cannot be padded to `max_tokens`, which is not set").help("set `max_tokens` first"));
    }
    told.map(|told| rule.told(&told.terms, told.weights.as_deref())).transpose()
}

/// Counts the terms of a batch, which may be one of several that a data set gave.
pub type CountBatch<'a, T> = dyn FnMut(&mut Counts<T>, &Tensor, bool) -> Result<()> + 'a;

/// The vocabulary of data.
///
/// # Errors
/// FailedPrecondition where it is told, InvalidArgument for no terms.
pub fn found<T: Term>(
    rule: &Rule<T>,
    is_told: bool,
    data: &dyn AdaptData,
    count: &mut CountBatch<'_, T>,
) -> Result<Vocabulary<T>> {
    if is_told {
        let what = "the vocabulary is told, so nothing is adapted";
        return Err(Error::failed_precondition(rule.layer.as_str(), what).help("make the layer without `vocabulary`"));
    }
    let mut counts = Counts::new();
    data.each(&mut |batch, of_data_set| count(&mut counts, batch, of_data_set))?;
    counts.vocabulary(rule)
}

/// A call before there is a vocabulary.
#[cold]
pub fn unknown_yet(layer: &str) -> Error {
    Error::failed_precondition(layer, "the vocabulary is not known yet")
        .help("call `adapt` with data first, or make the layer with `vocabulary`")
}
