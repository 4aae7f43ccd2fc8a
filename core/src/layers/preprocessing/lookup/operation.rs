//! The lookups as operations on the host: terms to numbers or rows, and numbers to terms.
//! Layers make one for each call, over the vocabulary that they have then.

use super::LookupMode;
use super::rule::{Rule, Terms};
use super::term::Term;
use super::vocabulary::Vocabulary;
use engine::library::{OnHost, on_host};
use engine::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// A lookup by a rule in a vocabulary.
struct LookUp<T> {
    rule: Rule<T>,
    vocabulary: Arc<Vocabulary<T>>,
    settings: String,
}

/// Looks terms, or for an inverse rule numbers, up.
///
/// # Errors
/// InvalidArgument for a tensor of another dtype, and terms that have no number.
#[track_caller]
pub fn look_up<T: Term>(rule: &Rule<T>, vocabulary: Arc<Vocabulary<T>>, x: &Tensor) -> Result<Tensor> {
    check(rule, &vocabulary)?;
    let settings = format!("{rule:?} {:016x}", vocabulary.word());
    let layer = rule.layer.clone();
    let results = on_host(Arc::new(LookUp { rule: rule.clone(), vocabulary, settings }), &[x])?;
    results.into_iter().next().ok_or_else(|| Error::internal(layer, "a lookup has no result"))
}

/// An error where a vocabulary, which may come from a checkpoint, does not fit the settings.
pub fn check<T: Term>(rule: &Rule<T>, vocabulary: &Vocabulary<T>) -> Result<()> {
    let size = rule.first_term() + vocabulary.terms().len();
    let wrong = |what: &str| Error::failed_precondition(rule.layer.as_str(), what.to_owned());
    if let Some(most) = rule.most.filter(|&most| size > most) {
        return Err(wrong("the vocabulary is larger than `max_tokens`").got(size).expected(format!("up to {most}")));
    }
    match (rule.mode, vocabulary.weights().map(<[f32]>::len)) {
        (LookupMode::TfIdf, None) => Err(wrong("the vocabulary has no weights for TF-IDF")
            .help("call `adapt`, or give the weights by `vocabulary_with_idf`")),
        (LookupMode::TfIdf, Some(weights)) if weights != size => {
            Err(wrong("the vocabulary has not a weight for each number")
                .got(weights)
                .expected(size)
                .help("it was made by a layer with other options"))
        }
        _ => Ok(()),
    }
}

impl<T: Term> OnHost for LookUp<T> {
    fn name(&self) -> &'static str {
        "lookup"
    }

    fn settings(&self) -> &str {
        &self.settings
    }

    fn types(&self, inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
        let given = inputs[0];
        let fits = match (self.rule.inverse, T::DTYPE) {
            (false, DType::String) => given.dtype == DType::String,
            _ => given.dtype.is_integer(),
        };
        if !fits {
            let words = if self.rule.inverse { "integers, the numbers of terms" } else { T::WORDS };
            return Err(Error::invalid_argument(self.rule.layer.as_str(), "the input is not what the layer looks up")
                .got(given)
                .expected(words));
        }
        let (dtype, shape) = match (self.rule.inverse, self.rule.mode) {
            (true, _) => (T::DTYPE, given.shape),
            (false, LookupMode::Int) => (DType::I64, given.shape),
            (false, mode) => (DType::F32, rows_shape(mode, &given.shape, self.rule.depth(&self.vocabulary))?),
        };
        Ok(vec![TensorType::new(dtype, shape)])
    }

    fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let (x, rule) = (inputs[0], &self.rule);
        if rule.inverse {
            let mut terms = Vec::with_capacity(x.num_elements());
            i64::each(x, &mut |number| {
                terms.push(rule.term(&self.vocabulary, *number));
                Ok(())
            })?;
            return Ok(vec![T::tensor(terms, x.shape())?]);
        }
        let mut terms = |visit: &mut dyn FnMut(&T::Given) -> Result<()>| T::each(x, visit);
        let numbers = rule.numbers(&self.vocabulary, &mut terms as &mut Terms<'_, T>)?;
        if rule.mode == LookupMode::Int {
            let numbers: Vec<i64> = numbers.into_iter().map(|number| number.unwrap_or(0) as i64).collect();
            return Ok(vec![Tensor::try_from_vec(numbers, *x.shape())?]);
        }
        let depth = rule.depth(&self.vocabulary);
        let shape = rows_shape(rule.mode, x.shape(), depth)?;
        let each = match rule.mode {
            LookupMode::OneHot => 1,
            _ => x.shape().dims().last().copied().unwrap_or(1),
        };
        let mut rows = vec![0.0; shape.num_elements()];
        if each > 0 {
            let examples = numbers.chunks(each).zip(rows.chunks_mut(depth.max(1)));
            examples.for_each(|(numbers, row)| fill(rule.mode, self.vocabulary.weights(), numbers, row));
        }
        Ok(vec![Tensor::try_from_vec(rows, shape)?])
    }
}

/// The shape of rows of a length for terms of a shape.
pub fn rows_shape(mode: LookupMode, given: &Shape, depth: usize) -> Result<Shape> {
    let mut sizes = given.sizes().to_vec();
    let last = sizes.last().copied();
    // A single term for each example needs no axis of its own, and the terms of an example become one row.
    let drops = match mode {
        LookupMode::OneHot => sizes.len() > 1 && last == Some(Dim::ONE),
        _ => last.is_some(),
    };
    if drops {
        sizes.pop();
    }
    sizes.push(Dim::from(depth));
    Shape::from_dims(&sizes)
}

/// Writes the terms of an example to its row, which is zeros.
pub fn fill(mode: LookupMode, weights: Option<&[f32]>, numbers: &[Option<usize>], row: &mut [f32]) {
    for number in numbers.iter().flatten() {
        let Some(place) = row.get_mut(*number) else { continue };
        match mode {
            LookupMode::Count | LookupMode::TfIdf => *place += 1.0,
            _ => *place = 1.0,
        }
    }
    if let (LookupMode::TfIdf, Some(weights)) = (mode, weights) {
        row.iter_mut().zip(weights).for_each(|(place, weight)| *place *= weight);
    }
}
