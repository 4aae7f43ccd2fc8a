//! [`Rule`]: the settings of a lookup, and which number each term has by them: mask, terms outside, then the vocabulary.
//! The layers hold one; the operation gets a copy.

use super::term::Term;
use super::vocabulary::Vocabulary;
use super::{LookupMode, Spread};
use kernels::error::{Error, Result};
use std::borrow::Borrow;

/// How many terms that were not found a message shows.
const SHOWN: usize = 5;

/// The settings of a lookup.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule<T> {
    /// The layer's name, for messages.
    pub layer: String,
    pub mode: LookupMode,
    /// The greatest size of the vocabulary with its special terms.
    pub most: Option<usize>,
    /// How many numbers there are for terms outside of the vocabulary.
    pub outside: usize,
    pub mask: Option<T>,
    /// What stands for terms outside when numbers become terms.
    pub unknown: T,
    /// From numbers to terms.
    pub inverse: bool,
    pub pad_to_max: bool,
    pub spread: Spread,
}

impl<T: Term> Rule<T> {
    /// The first number of a term outside: the mask's number lies before it.
    pub fn first_outside(&self) -> usize {
        usize::from(self.mask.is_some() && self.mode == LookupMode::Int)
    }

    /// The first number of a term of the vocabulary.
    pub fn first_term(&self) -> usize {
        self.first_outside() + self.outside
    }

    /// The terms in front of the vocabulary.
    pub fn special(&self) -> Vec<T> {
        let mask = self.mask.iter().take(self.first_outside()).cloned();
        mask.chain(std::iter::repeat_n(self.unknown.clone(), self.outside)).collect()
    }

    /// The length of the rows that examples become.
    pub fn depth(&self, vocabulary: &Vocabulary<T>) -> usize {
        match self.most.filter(|_| self.pad_to_max) {
            Some(most) => most,
            None => self.first_term() + vocabulary.terms().len(),
        }
    }

    fn is_mask(&self, term: &T::Given) -> bool {
        self.mask.as_ref().is_some_and(|mask| Borrow::<T::Given>::borrow(mask) == term)
    }

    /// The number of a term; none for one that has no place in a row, and an error within for one that is not in the vocabulary.
    pub fn number(&self, vocabulary: &Vocabulary<T>, term: &T::Given) -> std::result::Result<Option<usize>, ()> {
        if self.is_mask(term) {
            return Ok((self.mode == LookupMode::Int).then_some(0));
        }
        match (vocabulary.place(term), self.outside) {
            (Some(place), _) => Ok(Some(self.first_term() + place)),
            (None, 0) => Err(()),
            (None, 1) => Ok(Some(self.first_outside())),
            (None, several) => Ok(Some(self.first_outside() + T::bucket(term, self.spread, several as u64) as usize)),
        }
    }

    /// The term of a number.
    pub fn term(&self, vocabulary: &Vocabulary<T>, number: i64) -> T {
        match (&self.mask, number) {
            (Some(mask), 0) => mask.clone(),
            _ => {
                let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(self.first_term()));
                place.and_then(|place| vocabulary.terms().get(place)).unwrap_or(&self.unknown).clone()
            }
        }
    }

    /// The terms of a vocabulary that the user gave, with or without the special ones, and the weights of all numbers but those behind
    /// the vocabulary, as [`Vocabulary`] holds them.
    ///
    /// # Errors
    /// InvalidArgument for none, terms that occur twice, special ones in other places, too many, and weights that do not fit.
    pub fn told(&self, given: &[T], weights: Option<&[f32]>) -> Result<Vocabulary<T>> {
        let wrong = |what: &str| Error::invalid_argument(self.layer.as_str(), what.to_owned());
        if given.is_empty() {
            return Err(wrong("the vocabulary is empty").expected("at least one term"));
        }
        let special = self.special();
        let with_special = !special.is_empty() && given.starts_with(&special);
        let terms = if with_special { &given[special.len()..] } else { given };
        let reserved = |term: &T| Some(term) == self.mask.as_ref() || self.inverse && *term == self.unknown;
        if let Some(place) = terms.iter().position(reserved) {
            return Err(wrong("a term of the vocabulary stands for something else")
                .got(format!("{} at {place}", T::text(Borrow::<T::Given>::borrow(&terms[place]))))
                .expected(format!("no special terms, or all of them in front: {special:?}"))
                .help("leave `mask_token` and `oov_token` out of the vocabulary"));
        }
        let size = self.first_term() + terms.len();
        if let Some(most) = self.most.filter(|&most| size > most) {
            return Err(wrong("the vocabulary is larger than `max_tokens`")
                .got(size)
                .expected(format!("up to {most}")));
        }
        let weights = match (self.mode, weights) {
            (LookupMode::TfIdf, None) => {
                return Err(wrong("TF-IDF needs a weight for each term").help("`vocabulary_with_idf` takes both"));
            }
            (LookupMode::TfIdf, Some(weights)) => Some(self.weights_of(weights, given.len(), with_special)?),
            (_, Some(_)) => return Err(wrong("weights are for the mode TF-IDF").got(format!("{:?}", self.mode))),
            (_, None) => None,
        };
        Vocabulary::new(&self.layer, terms.to_vec(), weights, true)
    }

    /// The weights of all numbers: those in front of the vocabulary are the mean where they are not given.
    fn weights_of(&self, weights: &[f32], terms: usize, with_special: bool) -> Result<Vec<f32>> {
        if weights.len() != terms {
            return Err(Error::invalid_argument(self.layer.as_str(), "there is not a weight for each term")
                .got(format!("{} weights", weights.len()))
                .expected(terms));
        }
        let missing = if with_special { 0 } else { self.first_term() };
        Ok(padded(weights, missing))
    }

    /// The numbers of terms, in order.
    ///
    /// # Errors
    /// InvalidArgument for terms that have none, with the first of them.
    pub fn numbers(&self, vocabulary: &Vocabulary<T>, terms: &mut Terms<'_, T>) -> Result<Vec<Option<usize>>> {
        let (mut numbers, mut lost, mut count) = (Vec::new(), Vec::new(), 0_usize);
        terms(&mut |term| {
            match self.number(vocabulary, term) {
                Ok(number) => numbers.push(number),
                Err(()) => {
                    count += 1;
                    if lost.len() < SHOWN {
                        lost.push(T::text(term));
                    }
                }
            }
            Ok(())
        })?;
        if count == 0 {
            return Ok(numbers);
        }
        let more = if count > lost.len() { format!(" and {} more", count - lost.len()) } else { String::new() };
        Err(Error::invalid_argument(self.layer.as_str(), "terms are not in the vocabulary, and `num_oov_indices` is 0")
            .got(format!("{}{more}", lost.join(", ")))
            .expected(format!("the {} terms of the vocabulary", vocabulary.terms().len()))
            .help("`num_oov_indices(1)` gives such terms a number of their own"))
    }
}

/// Weights behind so many of their mean.
pub fn padded(weights: &[f32], missing: usize) -> Vec<f32> {
    let mean = weights.iter().map(|&weight| f64::from(weight)).sum::<f64>() / weights.len().max(1) as f64;
    std::iter::repeat_n(mean as f32, missing).chain(weights.iter().copied()).collect()
}

/// Shows terms one by one.
pub type Terms<'a, T> = dyn FnMut(&mut dyn FnMut(&<T as Term>::Given) -> Result<()>) -> Result<()> + 'a;
