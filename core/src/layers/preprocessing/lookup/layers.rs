//! `StringLookup` and `IntegerLookup`: terms to their numbers in a vocabulary or to rows, and back.
//! Keras's layers of these names; both are written once, by the type of their terms.

use super::adapt::AdaptData;
use super::operation::look_up;
use super::options::vocabulary_options;
use super::rule::Rule;
use super::told::{OfLine, Told, found, settled, terms_of_file, unknown_yet};
use super::vocabulary::{Shared, Vocabulary};
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
        $layer:ident, $kind:literal, $term:ty,
        shown: $shown:ty => |$term_shown:ident| $show:expr, unknown: $unknown:expr, spread: $spread:expr;
        $(#[$unknown_doc:meta])* fn oov_token;
        $(#[$salt_doc:meta])* fn salt;
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

        vocabulary_options! {
            $layer, $term, shown: $shown => |$term_shown| $show;
            /// What terms become. Rows are refused for an [inverse](Self::invert) layer, and TF-IDF for a vocabulary without weights.
            #[must_use]
            fn output_mode;
            /// Finds the vocabulary: the most frequent terms first, of equally frequent ones the greatest. What was found before is
            /// forgotten.
            ///
            /// The data are a tensor, whose last of several axes are the terms of one example, a list, or a data set of such tensors.
            fn adapt;
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

            /// The term that stands for nothing, such as padding: it becomes 0 where the output is numbers, and has no place in a row.
            ///
            /// # Panics
            /// For one that the vocabulary has.
            #[must_use]
            #[track_caller]
            pub fn mask_token(mut self, mask: impl Into<$term>) -> Self {
                self.rule.mask = Some(mask.into());
                self.checked(Location::caller()).or_fail()
            }

            $(#[$unknown_doc])*
            ///
            /// # Panics
            /// For one that the vocabulary of an inverse layer has.
            #[must_use]
            #[track_caller]
            pub fn oov_token(mut self, token: impl Into<$term>) -> Self {
                self.rule.unknown = token.into();
                self.checked(Location::caller()).or_fail()
            }

            $(#[$salt_doc])*
            #[must_use]
            pub fn salt(mut self, salt: impl Into<Salt>) -> Self {
                self.rule.spread = Spread::Sip(salt.into().0);
                self
            }

            /// The terms without the special ones.
            pub fn terms(&self) -> Vec<$shown> {
                self.own_terms().into_iter().map(|$term_shown: $term| $show).collect()
            }

            /// The weights of TF-IDF by number, once they are known.
            pub fn idf_weights(&self) -> Option<Vec<f32>> {
                self.shared.get()?.weights().map(<[f32]>::to_vec)
            }

            fn found(&self, data: &dyn AdaptData) -> Result<Vocabulary<$term>> {
                let rule = self.named_rule();
                found(&rule, self.told.is_some(), data, &mut |counts, batch, of_data_set| {
                    counts.batch(batch, of_data_set).map_err(|e| e.in_op(&rule.layer))
                })
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
    shown: String => |term| String::from_utf8_lossy(&term).into_owned(),
    unknown: b"[UNK]".to_vec(), spread: Spread::Farm;

    /// What stands for terms outside of the vocabulary where numbers become terms: `"[UNK]"` unless set.
    fn oov_token;

    /// The key of the hash that spreads terms outside of the vocabulary over several numbers: SipHash in place of FarmHash.
    fn salt;
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
    shown: i64 => |term| term,
    unknown: -1, spread: Spread::Remainder;

    /// What stands for terms outside of the vocabulary where numbers become terms: -1 unless set.
    fn oov_token;

    /// As [`oov_by_hash`](Self::oov_by_hash), by SipHash under a key.
    fn salt;
}

impl IntegerLookup {
    /// Spreads terms outside of the vocabulary over several numbers by FarmHash of their text, in place of the remainder: Keras's
    /// `oov_method="farmhash"`.
    #[must_use]
    pub fn oov_by_hash(mut self) -> Self {
        self.rule.spread = Spread::Farm;
        self
    }
}
