//! `StringLookup` and `IntegerLookup`: terms to their numbers in a vocabulary or to rows, and back.
//! Keras's layers of these names; both are written once, by the type of their terms.

use super::adapt::AdaptData;
use super::operation::look_up;
use super::rule::Rule;
use super::told::{OfLine, Told, found, settled, terms_of_file, unknown_yet};
use super::vocabulary::Shared;
use super::{LookupMode, Salt, Spread, max_tokens};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use engine::library::{cast_to, options};
use engine::{Copies, Duplicate, Fields, Module, Tensor};
use kernels::error::{OrFail, Result};
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

/// Writes a layer over terms of a type.
macro_rules! lookup_layer {
    (
        $(#[$doc:meta])*
        $layer:ident, $kind:literal, $term:ty, given: $given:ty => |$one:ident| $into:expr,
        shown: $shown:ty => |$term_shown:ident| $show:expr, unknown: $unknown:expr, spread: $spread:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $layer {
            core: Core,
            rule: Rule<$term>,
            told: Option<Told<$term>>,
            /// Clones share what `adapt` has found.
            shared: Shared<$term>,
        }

        layer!($layer);

        impl Default for $layer {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $layer {
            /// A layer whose vocabulary [`adapt`](Self::adapt) finds, unless [`vocabulary`](Self::vocabulary) tells it.
            pub fn new() -> Self {
                let rule = Rule {
                    layer: $kind.to_owned(),
                    mode: LookupMode::Int,
                    most: None,
                    outside: 1,
                    mask: None,
                    unknown: $unknown,
                    inverse: false,
                    pad_to_max: false,
                    spread: $spread,
                };
                Self { core: Core::new($kind).uncast(), rule, told: None, shared: Shared::new(None) }
            }

            /// What terms become.
            ///
            /// # Panics
            /// As [`try_output_mode`](Self::try_output_mode) fails, at the caller's line.
            #[must_use]
            #[track_caller]
            pub fn output_mode(self, output_mode: LookupMode) -> Self {
                self.try_output_mode(output_mode).or_fail()
            }

            /// What terms become.
            ///
            /// # Errors
            /// InvalidArgument for rows of an [inverse](Self::invert) layer, and for TF-IDF of a vocabulary without weights.
            #[track_caller]
            pub fn try_output_mode(mut self, output_mode: LookupMode) -> Result<Self> {
                self.rule.mode = output_mode;
                self.checked(Location::caller())
            }

            /// The numbers of the vocabulary in place of its terms, and terms out of the layer: Keras's `invert=True`.
            ///
            /// # Panics
            /// For another output mode than [`LookupMode::Int`], and a vocabulary with the token of unknown terms.
            #[must_use]
            #[track_caller]
            pub fn invert(mut self) -> Self {
                self.rule.inverse = true;
                self.checked(Location::caller()).or_fail()
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

            /// Tells the vocabulary, with or without the special terms in front.
            ///
            /// # Panics
            /// As [`try_vocabulary`](Self::try_vocabulary) fails, at the caller's line.
            #[must_use]
            #[track_caller]
            pub fn vocabulary(self, terms: impl IntoIterator<Item = impl Into<$given>>) -> Self {
                self.try_vocabulary(terms).or_fail()
            }

            /// Tells the vocabulary.
            ///
            /// # Errors
            /// InvalidArgument for no terms, terms that occur twice or stand for something else, and more than `max_tokens`.
            #[track_caller]
            pub fn try_vocabulary(mut self, terms: impl IntoIterator<Item = impl Into<$given>>) -> Result<Self> {
                self.told = Some(Told { terms: Self::terms_of(terms), weights: None });
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
                terms: impl IntoIterator<Item = impl Into<$given>>,
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
                terms: impl IntoIterator<Item = impl Into<$given>>,
                idf_weights: impl Into<Vec<f32>>,
            ) -> Result<Self> {
                self.rule.mode = LookupMode::TfIdf;
                self.told = Some(Told { terms: Self::terms_of(terms), weights: Some(idf_weights.into()) });
                self.checked(Location::caller())
            }

            /// Tells the vocabulary by a text file with a term a line.
            ///
            /// # Errors
            /// As [`try_vocabulary`](Self::try_vocabulary), NotFound and its like for the file, and for lines that are no terms.
            #[track_caller]
            pub fn try_vocabulary_file(mut self, path: impl AsRef<Path>) -> Result<Self> {
                let here = Location::caller();
                let terms = terms_of_file(self.core.name(), path.as_ref(), &|line| <$term as OfLine>::of_line(line));
                self.told = Some(Told { terms: terms.map_err(|e| e.at(here))?, weights: None });
                self.checked(here)
            }

            /// Finds the vocabulary: the most frequent terms first, of equally frequent ones the greatest. What was found before is
            /// forgotten.
            ///
            /// The data are a tensor, whose last of several axes are the terms of one example, a list, or a data set of such tensors.
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
            /// FailedPrecondition where it is told, InvalidArgument for no terms, and those of a data set.
            #[track_caller]
            pub fn try_adapt(&self, data: impl AdaptData) -> Result<()> {
                let here = Location::caller();
                self.adapted(&data).map_err(|e| e.at(here))
            }

            /// The terms by their numbers, the special ones among them; none before there is a vocabulary.
            pub fn get_vocabulary(&self) -> Vec<$shown> {
                let special = self.shared.get().map(|_| self.rule.special());
                special.into_iter().flatten().chain(self.own_terms()).map(|$term_shown: $term| $show).collect()
            }

            /// The terms without the special ones.
            pub fn terms(&self) -> Vec<$shown> {
                self.own_terms().into_iter().map(|$term_shown: $term| $show).collect()
            }

            /// How many numbers there are, those of special terms among them.
            pub fn vocabulary_size(&self) -> usize {
                self.rule.first_term() + self.own_terms().len()
            }

            /// The weights of TF-IDF by number, once they are known.
            pub fn idf_weights(&self) -> Option<Vec<f32>> {
                self.shared.get()?.weights().map(<[f32]>::to_vec)
            }

            fn own_terms(&self) -> Vec<$term> {
                self.shared.get().map(|vocabulary| vocabulary.terms().to_vec()).unwrap_or_default()
            }

            fn terms_of(terms: impl IntoIterator<Item = impl Into<$given>>) -> Vec<$term> {
                let one = |$one: $given| -> $term { $into };
                terms.into_iter().map(|term| one(term.into())).collect()
            }

            fn adapted(&self, data: &dyn AdaptData) -> Result<()> {
                let found = found(&self.named_rule(), self.told.is_some(), data)?;
                self.shared.set(Some(Arc::new(found)));
                Ok(())
            }

            /// The settings with the layer's name.
            fn named_rule(&self) -> Rule<$term> {
                Rule { layer: self.core.name().to_owned(), ..self.rule.clone() }
            }

            /// The layer, if its settings and the vocabulary that was told go together.
            fn checked(mut self, here: &'static Location<'static>) -> Result<Self> {
                let told = settled(&self.named_rule(), self.told.as_ref()).map_err(|e| e.at(here))?;
                if let Some(told) = told {
                    self.shared = Shared::new(Some(Arc::new(told)));
                }
                Ok(self)
            }
        }

        options::options! { $layer:
            /// The greatest number of numbers, those of special terms among them; without an end unless set.
            pub fn max_tokens, try_max_tokens(this, most: usize) {
                this.rule.most = Some(max_tokens(stringify!($layer), most)?);
                this.checked(Location::caller())
            }

            /// How many numbers there are for terms outside of the vocabulary: 1 unless set; with 0 such terms are errors.
            pub fn num_oov_indices, try_num_oov_indices(this, count: usize) {
                this.rule.outside = count;
                this.checked(Location::caller())
            }
        }

        impl Layer for $layer {
            named!();

            fn masking(&self) -> Masking {
                Masking::Refuses
            }

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
                let vocabulary = self.shared.get().ok_or_else(|| unknown_yet(self.core.name()))?;
                let rule = self.named_rule();
                let y = look_up(&rule, vocabulary, &inputs[0])?;
                match rule.inverse || rule.mode == LookupMode::Int {
                    true => Ok(Outputs::one(y)),
                    false => cast_to(&y, self.core.compute()).map(Outputs::one),
                }
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                let vocabulary = self.shared.get();
                fields.value(&(&self.rule, vocabulary.as_ref().map(|vocabulary| vocabulary.word())));
                if !vocabulary.is_some_and(|vocabulary| vocabulary.is_told()) {
                    fields.state(&self.shared);
                }
            }
        }

        impl Duplicate for $layer {
            fn duplicate_in(&self, _: &mut Copies) -> Self {
                Self { shared: Shared::new(self.shared.get()), ..self.clone() }
            }
        }
    };
}

lookup_layer! {
    /// Strings to their numbers in a vocabulary, to rows, or back.
    ///
    /// Input: strings of any shape. Output: `int64` of the same shape, or rows of floats by [`output_mode`](Self::output_mode), where the
    /// last axis of several are the terms of an example. Numbers begin with the mask's, if there is one and the output is numbers,
    /// then those of terms outside of the vocabulary.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::{LookupMode, StringLookup};
    /// let lookup = StringLookup::new().vocabulary(["a", "b", "c"]);
    /// assert_eq!(lookup.call(tf::constant(["c", "z", "a"])).to_vec::<i64>(), [3, 0, 1]);
    ///
    /// let adapted = StringLookup::new().output_mode(LookupMode::Count);
    /// adapted.adapt(tf::constant([["red", "blue"], ["red", "green"]]));
    /// assert_eq!(adapted.get_vocabulary(), ["[UNK]", "red", "green", "blue"]);
    /// assert_eq!(adapted.call(tf::constant([["red", "red", "pink"]])).to_vec::<f32>(), [1.0, 2.0, 0.0, 0.0]);
    ///
    /// let back = StringLookup::new().invert().vocabulary(adapted.get_vocabulary());
    /// assert_eq!(back.call(tf::cast(tf::constant([2, 0]), tf::int64)).to_strings(), ["green", "[UNK]"]);
    /// ```
    StringLookup, "string_lookup", Vec<u8>,
    given: Vec<u8> => |term| term,
    shown: String => |term| String::from_utf8_lossy(&term).into_owned(),
    unknown: b"[UNK]".to_vec(), spread: Spread::Farm
}

lookup_layer! {
    /// Integers to their numbers in a vocabulary, to rows, or back.
    ///
    /// Input: integers of any shape. Output: as that of [`StringLookup`].
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::IntegerLookup;
    /// let lookup = IntegerLookup::new().vocabulary([12, 36, 1138, 42]);
    /// assert_eq!(lookup.call(tf::constant([[12, 1138, 42], [42, 1000, 36]])).to_vec::<i64>(), [1, 3, 4, 4, 0, 2]);
    /// ```
    IntegerLookup, "integer_lookup", i64,
    given: i64 => |term| term,
    shown: i64 => |term| term,
    unknown: -1, spread: Spread::Remainder
}

impl StringLookup {
    /// The string that stands for nothing, such as padding: it has number 0 where the output is numbers, and no place in a row.
    ///
    /// # Panics
    /// For one that the vocabulary has.
    #[must_use]
    #[track_caller]
    pub fn mask_token(mut self, mask: impl Into<Vec<u8>>) -> Self {
        self.rule.mask = Some(mask.into());
        self.checked(Location::caller()).or_fail()
    }

    /// What stands for terms outside of the vocabulary where numbers become terms: `"[UNK]"` unless set.
    ///
    /// # Panics
    /// For one that the vocabulary of an inverse layer has.
    #[must_use]
    #[track_caller]
    pub fn oov_token(mut self, token: impl Into<Vec<u8>>) -> Self {
        self.rule.unknown = token.into();
        self.checked(Location::caller()).or_fail()
    }

    /// The key of the hash that spreads terms outside of the vocabulary over several numbers: SipHash in place of FarmHash.
    #[must_use]
    pub fn salt(mut self, salt: impl Into<Salt>) -> Self {
        self.rule.spread = Spread::Sip(salt.into().0);
        self
    }
}

impl IntegerLookup {
    /// The number that stands for nothing, such as padding: it becomes 0 where the output is numbers, and has no place in a row.
    ///
    /// # Panics
    /// For one that the vocabulary has.
    #[must_use]
    #[track_caller]
    pub fn mask_token(mut self, mask: impl Into<i64>) -> Self {
        self.rule.mask = Some(mask.into());
        self.checked(Location::caller()).or_fail()
    }

    /// What stands for terms outside of the vocabulary where numbers become terms: -1 unless set.
    ///
    /// # Panics
    /// For one that the vocabulary of an inverse layer has.
    #[must_use]
    #[track_caller]
    pub fn oov_token(mut self, token: impl Into<i64>) -> Self {
        self.rule.unknown = token.into();
        self.checked(Location::caller()).or_fail()
    }

    /// Spreads terms outside of the vocabulary over several numbers by FarmHash of their text, in place of the remainder: Keras's
    /// `oov_method="farmhash"`.
    #[must_use]
    pub fn oov_by_hash(mut self) -> Self {
        self.rule.spread = Spread::Farm;
        self
    }

    /// As [`oov_by_hash`](Self::oov_by_hash), by SipHash under a key.
    #[must_use]
    pub fn salt(mut self, salt: impl Into<Salt>) -> Self {
        self.rule.spread = Spread::Sip(salt.into().0);
        self
    }
}
