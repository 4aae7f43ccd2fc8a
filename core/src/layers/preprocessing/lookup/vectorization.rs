//! `TextVectorization`: texts to the numbers of their tokens, or to rows.
//! Keras's `TextVectorization`; models of texts begin with it, or pipelines of data end with it.

use super::adapt::AdaptData;
use super::options::vocabulary_options;
use super::rule::Rule;
use super::text::{Split, Standardize, Tokens};
use super::told::{OfLine, Told, found, settled, terms_of_file, unknown_yet};
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

vocabulary_options! {
    TextVectorization, Vec<u8>, shown: String => |term| String::from_utf8_lossy(&term).into_owned();

    /// What texts become: the numbers of their tokens unless set.
    #[must_use]
    fn output_mode;

    /// Finds the vocabulary of texts: the most frequent tokens first, of equally frequent ones the greatest. What was found before is
    /// forgotten.
    ///
    /// The data are a tensor of strings, a list of texts, or a data set of tensors, batched or not.
    fn adapt;
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

    fn found(&self, data: &dyn AdaptData) -> Result<Vocabulary<Vec<u8>>> {
        let rule = self.named_rule();
        found(&rule, self.told.is_some(), data, &mut |counts, texts, _| self.tokens.count(&rule.layer, texts, counts))
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
