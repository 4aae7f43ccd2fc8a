//! What lookups learn a vocabulary from: counts of terms, most frequent first, and in how many examples each occurs.
//! `adapt` of the layers calls it, with tensors, lists of texts, or data sets.

use super::LookupMode;
use super::rule::{Rule, padded};
use super::term::Term;
use super::vocabulary::Vocabulary;
use engine::data::{Cardinality, Dataset};
use engine::{Tensor, constant};
use kernels::error::{Error, Result};
use std::borrow::Borrow;
use std::collections::HashMap;

/// What `adapt` takes: a tensor, a list of strings, or a data set, batched or not.
pub trait AdaptData {
    /// Shows each batch in turn, and whether it is one of several that a data set gave.
    ///
    /// # Errors
    /// Those of the data set, and what `visit` answers.
    #[doc(hidden)]
    fn each(&self, visit: &mut dyn FnMut(&Tensor, bool) -> Result<()>) -> Result<()>;
}

impl AdaptData for Tensor {
    fn each(&self, visit: &mut dyn FnMut(&Tensor, bool) -> Result<()>) -> Result<()> {
        visit(self, false)
    }
}

impl AdaptData for Dataset {
    #[track_caller]
    fn each(&self, visit: &mut dyn FnMut(&Tensor, bool) -> Result<()>) -> Result<()> {
        if self.cardinality() == Cardinality::Infinite {
            return Err(Error::invalid_argument("adapt", "the data set has no end")
                .help("`take(n)` gives as many batches as shall be looked at"));
        }
        let mut pass = self.try_iter()?;
        while let Some(batch) = pass.try_next()? {
            visit(&batch, true)?;
        }
        Ok(())
    }
}

macro_rules! lists_of_texts {
    ($($list:ty)*) => {$(
        impl AdaptData for $list {
            fn each(&self, visit: &mut dyn FnMut(&Tensor, bool) -> Result<()>) -> Result<()> {
                visit(&constant(self.iter().map(|text| text.to_string()).collect::<Vec<_>>()), false)
            }
        }
    )*};
}

lists_of_texts!([&str] Vec<&str> [String] Vec<String>);

impl<const N: usize> AdaptData for [&str; N] {
    fn each(&self, visit: &mut dyn FnMut(&Tensor, bool) -> Result<()>) -> Result<()> {
        AdaptData::each(&self[..], visit)
    }
}

impl<A: AdaptData + ?Sized> AdaptData for &A {
    fn each(&self, visit: &mut dyn FnMut(&Tensor, bool) -> Result<()>) -> Result<()> {
        (**self).each(visit)
    }
}

/// How often each term was seen.
pub struct Counts<T> {
    /// All occurrences, and the examples with at least one.
    of_terms: HashMap<T, (u64, u64)>,
    examples: u64,
}

impl<T: Term> Counts<T> {
    pub fn new() -> Self {
        Self { of_terms: HashMap::new(), examples: 0 }
    }

    /// Counts the terms of one example.
    pub fn example<'a>(&mut self, terms: impl IntoIterator<Item = &'a T::Given>)
    where
        T::Given: 'a,
    {
        self.examples += 1;
        let mut seen: HashMap<T, u64> = HashMap::new();
        for term in terms {
            match seen.get_mut(term) {
                Some(count) => *count += 1,
                None => drop(seen.insert(term.to_owned(), 1)),
            }
        }
        for (term, count) in seen {
            let (all, examples) = self.of_terms.entry(term).or_insert((0, 0));
            *all += count;
            *examples += 1;
        }
    }

    /// The terms of a batch: the last axis of a tensor of several axes are those of one example; so are all of a vector that a data set
    /// gave, as in Keras, while each of another vector is an example.
    pub fn batch(&mut self, x: &Tensor, of_data_set: bool) -> Result<()> {
        let each = match (x.rank(), of_data_set) {
            (0, _) | (1, false) => 1,
            _ => x.shape().dims().last().copied().unwrap_or(1),
        };
        let mut terms: Vec<T> = Vec::with_capacity(x.num_elements());
        T::each(x, &mut |term| {
            terms.push(term.to_owned());
            Ok(())
        })?;
        if each > 0 {
            terms.chunks(each).for_each(|example| self.example(example.iter().map(Borrow::<T::Given>::borrow)));
        }
        Ok(())
    }

    /// The vocabulary: the most frequent first, of equally frequent ones the greatest.
    ///
    /// # Errors
    /// InvalidArgument where no term was seen.
    pub fn vocabulary(mut self, rule: &Rule<T>) -> Result<Vocabulary<T>> {
        let of_special = |term: &T| Some(term) == rule.mask.as_ref() || *term == rule.unknown;
        self.of_terms.retain(|term, _| !of_special(term));
        if self.of_terms.is_empty() {
            return Err(Error::invalid_argument(rule.layer.as_str(), "there is no data to adapt to").got("no terms"));
        }
        let mut all: Vec<(T, (u64, u64))> = self.of_terms.into_iter().collect();
        all.sort_unstable_by(|(a, (of_a, _)), (b, (of_b, _))| of_b.cmp(of_a).then_with(|| b.cmp(a)));
        if let Some(most) = rule.most {
            let room = most.saturating_sub(rule.first_term());
            if room == 0 {
                return Err(Error::invalid_argument(rule.layer.as_str(), "`max_tokens` leaves no room for a term")
                    .got(format!("{most} tokens, of which {} are special", rule.first_term())));
            }
            all.truncate(room);
        }
        let examples = self.examples as f32;
        let weights: Vec<f32> = all.iter().map(|(_, (_, with))| (1.0 + examples / (1.0 + *with as f32)).ln()).collect();
        let weights = (rule.mode == LookupMode::TfIdf).then(|| padded(&weights, rule.first_term()));
        Vocabulary::new(&rule.layer, all.into_iter().map(|(term, _)| term).collect(), weights, false)
    }
}
