//! The options and methods that all layers with a vocabulary have, written once by the type of their terms.
//! `StringLookup`, `IntegerLookup` and `TextVectorization` are written with it.

/// Writes what a layer with the fields `core`, `rule`, `told` and `shared` can be told of its vocabulary, and tells of it. The layer brings
/// `found`, which learns a vocabulary from data, and `checked`, which answers the layer if its settings go together.
macro_rules! vocabulary_options {
    (
        $layer:ident, $term:ty, shown: $shown:ty => |$term_shown:ident| $show:expr;
        $(#[$mode:meta])* fn output_mode;
        $(#[$adapt:meta])* fn adapt;
    ) => {
        impl Default for $layer {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $layer {
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
            pub fn vocabulary(self, terms: impl IntoIterator<Item = impl Into<$term>>) -> Self {
                self.try_vocabulary(terms).or_fail()
            }

            /// Tells the vocabulary.
            ///
            /// # Errors
            /// InvalidArgument for no terms, terms that occur twice or stand for something else, and more than `max_tokens`.
            #[track_caller]
            pub fn try_vocabulary(mut self, terms: impl IntoIterator<Item = impl Into<$term>>) -> Result<Self> {
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
                terms: impl IntoIterator<Item = impl Into<$term>>,
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
                terms: impl IntoIterator<Item = impl Into<$term>>,
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
            /// As [`try_vocabulary`](Self::try_vocabulary), NotFound and its like for the file, and for lines that are no terms.
            #[track_caller]
            pub fn try_vocabulary_file(mut self, path: impl AsRef<Path>) -> Result<Self> {
                let here = Location::caller();
                let terms = terms_of_file(self.core.name(), path.as_ref(), &|line| <$term as OfLine>::of_line(line));
                self.told = Some(Told { terms: terms.map_err(|e| e.at(here))?, weights: None });
                self.checked(here)
            }

            $(#[$adapt])*
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
                let found = self.found(&data).map_err(|e| e.at(here))?;
                self.shared.set(Some(Arc::new(found)));
                Ok(())
            }

            /// The terms by their numbers, the special ones among them; none before there is a vocabulary.
            pub fn get_vocabulary(&self) -> Vec<$shown> {
                let special = self.shared.get().map(|_| self.rule.special());
                special.into_iter().flatten().chain(self.own_terms()).map(|$term_shown: $term| $show).collect()
            }

            /// How many numbers there are, those of special terms among them.
            pub fn vocabulary_size(&self) -> usize {
                self.rule.first_term() + self.own_terms().len()
            }

            fn own_terms(&self) -> Vec<$term> {
                self.shared.get().map(|vocabulary| vocabulary.terms().to_vec()).unwrap_or_default()
            }

            /// The settings with the layer's name.
            fn named_rule(&self) -> Rule<$term> {
                Rule { layer: self.core.name().to_owned(), ..self.rule.clone() }
            }
        }

        options::options! { $layer:
            /// The greatest number of numbers, those of special terms among them; without an end unless set.
            pub fn max_tokens, try_max_tokens(this, most: usize) {
                this.rule.most = Some(max_tokens(stringify!($layer), most)?);
                this.checked(Location::caller())
            }

            $(#[$mode])*
            pub fn output_mode, try_output_mode(this, output_mode: LookupMode) {
                this.rule.mode = output_mode;
                this.checked(Location::caller())
            }
        }

        impl Duplicate for $layer {
            fn duplicate_in(&self, _: &mut Copies) -> Self {
                Self { shared: Shared::new(self.shared.get()), ..self.clone() }
            }
        }
    };
}
pub(super) use vocabulary_options;
