//! `TextVectorization`: texts to the numbers of their tokens, or to rows.
//! Keras's `TextVectorization`; models of texts begin with it, or pipelines of data end with it.

use super::adapt::{AdaptData, Counts};
use super::rule::Rule;
use super::text::{Split, Standardize, Tokens};
use super::told::{Told, settled, terms_of_file, unknown_yet};
use super::vectorize::vectorize;
use super::vocabulary::{Shared, Vocabulary};
use super::{LookupMode, Spread, max_tokens};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use engine::library::{cast_to, options};
use engine::{Copies, Duplicate, Fields, Module, Tensor};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

/// Texts as the numbers of their tokens: 0 behind the last token of shorter texts, 1 for tokens outside of the vocabulary, then the
/// vocabulary's. Or as rows, by [`output_mode`](Self::output_mode).
///
/// Input: strings `[batch]` or `[batch, 1]`, or one string. Output: `int64` `[batch, tokens]`, as long as the longest text unless
/// [`output_sequence_length`](Self::output_sequence_length) is set, or floats `[batch, vocabulary]`. Keras's ragged outputs are those of
/// `tf::strings::split_ragged` with [`StringLookup`](super::StringLookup).
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{LookupMode, TextVectorization};
/// let layer = TextVectorization::new();
/// layer.adapt(["The quick brown fox.", "The dog!"]);
/// assert_eq!(layer.get_vocabulary()[..4], ["", "[UNK]", "the", "quick"]);
/// assert_eq!(layer.call(tf::constant(["the quick cat", "dog"])).to_vec::<i64>(), [2, 3, 1, 5, 0, 0]);
///
/// let counts = TextVectorization::new().output_mode(LookupMode::Count).vocabulary(["a", "b"]);
/// assert_eq!(counts.call(tf::constant(["b a b c"])).to_vec::<f32>(), [1.0, 1.0, 2.0]);
/// ```
#[derive(Clone, Debug)]
pub struct TextVectorization {
    core: Core,
    rule: Rule<Vec<u8>>,
    tokens: Tokens,
    length: Option<usize>,
    told: Option<Told<Vec<u8>>>,
    /// Clones share what `adapt` has found.
    shared: Shared<Vec<u8>>,
}

layer!(TextVectorization);

impl Default for TextVectorization {
    fn default() -> Self {
        Self::new()
    }
}

impl TextVectorization {
    /// A layer whose vocabulary [`adapt`](Self::adapt) finds, unless [`vocabulary`](Self::vocabulary) tells it.
    pub fn new() -> Self {
        let rule = Rule {
            layer: "text_vectorization".to_owned(),
            mode: LookupMode::Int,
            most: None,
            outside: 1,
            mask: Some(Vec::new()),
            unknown: b"[UNK]".to_vec(),
            inverse: false,
            pad_to_max: false,
            spread: Spread::Farm,
        };
        let core = Core::new("text_vectorization").uncast();
        Self { core, rule, tokens: Tokens::default(), length: None, told: None, shared: Shared::new(None) }
    }

    /// What is changed in texts before they are cut: small letters and no punctuation unless set.
    #[must_use]
    pub fn standardize(mut self, standardize: Standardize) -> Self {
        self.tokens.standardize = standardize;
        self
    }

    /// Where texts are cut: at white space unless set.
    #[must_use]
    pub fn split(mut self, split: Split) -> Self {
        self.tokens.split = split;
        self
    }

    /// Rows as long as the vocabulary can become: `max_tokens`.
    ///
    /// # Panics
    /// Where `max_tokens` is not set.
    #[must_use]
    #[track_caller]
    pub fn pad_to_max_tokens(mut self) -> Self {
        self.rule.pad_to_max = true;
        self.checked(Location::caller()).or_fail()
    }

    /// Tells the vocabulary, with or without the special terms `""` and `"[UNK]"` in front.
    ///
    /// # Panics
    /// As [`try_vocabulary`](Self::try_vocabulary) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn vocabulary(self, terms: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        self.try_vocabulary(terms).or_fail()
    }

    /// Tells the vocabulary.
    ///
    /// # Errors
    /// InvalidArgument for no terms, terms that occur twice or stand for something else, and more than `max_tokens`.
    #[track_caller]
    pub fn try_vocabulary(mut self, terms: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Result<Self> {
        self.told = Some(Told { terms: terms.into_iter().map(Into::into).collect(), weights: None });
        self.checked(Location::caller())
    }

    /// Tells the vocabulary with the weight of each term, for [`LookupMode::TfIdf`], which this sets.
    ///
    /// # Panics
    /// As [`try_vocabulary_with_idf`](Self::try_vocabulary_with_idf) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn vocabulary_with_idf(
        self,
        terms: impl IntoIterator<Item = impl Into<Vec<u8>>>,
        idf_weights: impl Into<Vec<f32>>,
    ) -> Self {
        self.try_vocabulary_with_idf(terms, idf_weights).or_fail()
    }

    /// Tells the vocabulary with weights.
    ///
    /// # Errors
    /// As [`try_vocabulary`](Self::try_vocabulary), and for another number of weights.
    #[track_caller]
    pub fn try_vocabulary_with_idf(
        mut self,
        terms: impl IntoIterator<Item = impl Into<Vec<u8>>>,
        idf_weights: impl Into<Vec<f32>>,
    ) -> Result<Self> {
        self.rule.mode = LookupMode::TfIdf;
        let terms = terms.into_iter().map(Into::into).collect();
        self.told = Some(Told { terms, weights: Some(idf_weights.into()) });
        self.checked(Location::caller())
    }

    /// Tells the vocabulary by a text file with a term a line.
    ///
    /// # Errors
    /// As [`try_vocabulary`](Self::try_vocabulary), and NotFound and its like for the file.
    #[track_caller]
    pub fn try_vocabulary_file(mut self, path: impl AsRef<Path>) -> Result<Self> {
        let here = Location::caller();
        let terms = terms_of_file(self.core.name(), path.as_ref(), &|line| Some(line.as_bytes().to_vec()));
        self.told = Some(Told { terms: terms.map_err(|e| e.at(here))?, weights: None });
        self.checked(here)
    }

    /// Finds the vocabulary of texts: the most frequent tokens first, of equally frequent ones the greatest. What was found before is
    /// forgotten.
    ///
    /// The data are a tensor of strings, a list of texts, or a data set of tensors, batched or not.
    ///
    /// # Panics
    /// As [`try_adapt`](Self::try_adapt) fails, at the caller's line.
    #[track_caller]
    pub fn adapt(&self, data: impl AdaptData) {
        self.try_adapt(data).or_fail();
    }

    /// Finds the vocabulary.
    ///
    /// # Errors
    /// FailedPrecondition where it is told, InvalidArgument for no tokens, and those of a data set.
    #[track_caller]
    pub fn try_adapt(&self, data: impl AdaptData) -> Result<()> {
        let here = Location::caller();
        let found = self.found(&data).map_err(|e| e.at(here))?;
        self.shared.set(Some(Arc::new(found)));
        Ok(())
    }

    /// The terms by their numbers, the special ones among them; none before there is a vocabulary.
    pub fn get_vocabulary(&self) -> Vec<String> {
        let Some(vocabulary) = self.shared.get() else { return Vec::new() };
        let special = self.rule.special();
        let all = special.iter().chain(vocabulary.terms());
        all.map(|term| String::from_utf8_lossy(term).into_owned()).collect()
    }

    /// How many numbers there are, those of special terms among them.
    pub fn vocabulary_size(&self) -> usize {
        self.rule.first_term() + self.shared.get().map_or(0, |vocabulary| vocabulary.terms().len())
    }

    fn named_rule(&self) -> Rule<Vec<u8>> {
        Rule { layer: self.core.name().to_owned(), ..self.rule.clone() }
    }

    fn found(&self, data: &dyn AdaptData) -> Result<Vocabulary<Vec<u8>>> {
        let rule = self.named_rule();
        if self.told.is_some() {
            let what = "the vocabulary is told, so nothing is adapted";
            return Err(Error::failed_precondition(rule.layer, what).help("make the layer without `vocabulary`"));
        }
        let mut counts = Counts::new();
        data.each(&mut |texts, _| self.tokens.count(&rule.layer, texts, &mut counts))?;
        counts.vocabulary(&rule)
    }

    /// The layer, if its settings and the vocabulary that was told go together.
    fn checked(mut self, here: &'static Location<'static>) -> Result<Self> {
        let rule = self.named_rule();
        let wrong = |what: &str| Err(Error::invalid_argument(rule.layer.as_str(), what.to_owned()).at(here));
        match rule.mode {
            LookupMode::OneHot => return wrong("a text has several tokens, so it is no row with a single one"),
            LookupMode::Int => {}
            _ if self.length.is_some() => return wrong("`output_sequence_length` is for the mode Int"),
            _ => {}
        }
        if let Some(told) = settled(&rule, self.told.as_ref()).map_err(|e| e.at(here))? {
            self.shared = Shared::new(Some(Arc::new(told)));
        }
        Ok(self)
    }
}

options::options! { TextVectorization:
    /// The greatest number of numbers, those of special terms among them; without an end unless set.
    pub fn max_tokens, try_max_tokens(this, most: usize) {
        this.rule.most = Some(max_tokens("TextVectorization", most)?);
        this.checked(Location::caller())
    }

    /// What texts become: the numbers of their tokens unless set.
    pub fn output_mode, try_output_mode(this, output_mode: LookupMode) {
        this.rule.mode = output_mode;
        this.checked(Location::caller())
    }

    /// How many numbers each text becomes: longer texts are cut, shorter ones filled with 0.
    pub fn output_sequence_length, try_output_sequence_length(this, length: usize) {
        this.length = Some(options::count("TextVectorization", "output_sequence_length", length)?);
        this.checked(Location::caller())
    }

    /// Runs of up to so many neighbouring tokens are tokens too.
    pub fn ngrams, try_ngrams(this, most: usize) {
        let most = options::count("TextVectorization", "ngrams", most)?;
        this.tokens.ngrams = (1..=most).collect();
        Ok(this)
    }

    /// Runs of these numbers of neighbouring tokens are the tokens.
    pub fn ngrams_of, try_ngrams_of(this, lengths: impl Into<Vec<usize>>) {
        let lengths = lengths.into();
        if lengths.is_empty() || lengths.contains(&0) {
            return Err(Error::invalid_argument("TextVectorization", "`ngrams` are numbers of tokens")
                .got(format!("{lengths:?}"))
                .expected("at least one number, all of them above 0"));
        }
        this.tokens.ngrams = lengths;
        Ok(this)
    }
}

impl Layer for TextVectorization {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let vocabulary = self.shared.get().ok_or_else(|| unknown_yet(self.core.name()))?;
        let rule = self.named_rule();
        let y = vectorize(&rule, &self.tokens, self.length, vocabulary, &inputs[0])?;
        match rule.mode {
            LookupMode::Int => Ok(Outputs::one(y)),
            _ => cast_to(&y, self.core.compute()).map(Outputs::one),
        }
    }
}

impl Module for TextVectorization {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        let vocabulary = self.shared.get();
        let word = vocabulary.as_ref().map(|vocabulary| vocabulary.word());
        fields.value(&(&self.rule, &self.tokens, self.length, word));
        if !vocabulary.is_some_and(|vocabulary| vocabulary.is_told()) {
            fields.state(&self.shared);
        }
    }
}

impl Duplicate for TextVectorization {
    fn duplicate_in(&self, _: &mut Copies) -> Self {
        Self { shared: Shared::new(self.shared.get()), ..self.clone() }
    }
}
