//! The operation of `TextVectorization`: texts to tokens to numbers, in one pass over the bytes.
//! The layer calls it with the vocabulary that it has then, and counts tokens with it while it adapts.

use super::LookupMode;
use super::adapt::Counts;
use super::operation::{check, fill};
use super::rule::{Rule, Terms};
use super::text::{Split, Standardize, Tokens};
use super::vocabulary::Vocabulary;
use engine::library::{OnHost, Typed, each_string, on_host, reshape_to};
use engine::{Tensor, TensorType, strings};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};
use std::sync::Arc;

/// What Keras takes for punctuation.
const PUNCTUATION: &str = r##"[!"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']"##;

struct Vectorize {
    rule: Rule<Vec<u8>>,
    tokens: Tokens,
    length: Option<usize>,
    vocabulary: Arc<Vocabulary<Vec<u8>>>,
    settings: String,
}

/// Texts as numbers of their tokens, or as rows.
///
/// # Errors
/// InvalidArgument for what are no texts.
#[track_caller]
pub fn vectorize(
    rule: &Rule<Vec<u8>>,
    tokens: &Tokens,
    length: Option<usize>,
    vocabulary: Arc<Vocabulary<Vec<u8>>>,
    x: &Tensor,
) -> Result<Tensor> {
    check(rule, &vocabulary)?;
    let settings = format!("{rule:?} {tokens:?} {length:?} {:016x}", vocabulary.word());
    let work = Vectorize { rule: rule.clone(), tokens: tokens.clone(), length, vocabulary, settings };
    let x = tokens.by_users(&rule.layer, x)?;
    let given: Vec<&Tensor> = x.iter().collect();
    let results = on_host(Arc::new(work), &given)?;
    results.into_iter().next().ok_or_else(|| Error::internal(rule.layer.as_str(), "texts have no result"))
}

impl Tokens {
    /// The texts after the user's functions: texts, or tokens and where those of each text begin.
    fn by_users(&self, layer: &str, x: &Tensor) -> Result<Vec<Tensor>> {
        if x.dtype() != DType::String {
            return Err(Error::invalid_argument(layer, "texts are strings").got(x.ty()).expected("strings"));
        }
        let mut x = x.clone();
        if let Standardize::Function(function) = &self.standardize {
            let changed = function(&x);
            if changed.dtype() != DType::String || changed.rank() != x.rank() {
                return Err(Error::invalid_argument(layer, "the function for `standardize` must give as many strings")
                    .got(changed.ty())
                    .expected(x.ty()));
            }
            x = changed;
        }
        let Split::Function(split) = &self.split else { return Ok(vec![x]) };
        if matches!(self.standardize, Standardize::LowerAndStripPunctuation | Standardize::Lower) {
            x = strings::try_lower(&x)?;
        }
        if matches!(self.standardize, Standardize::LowerAndStripPunctuation | Standardize::StripPunctuation) {
            x = strings::try_regex_replace(&x, PUNCTUATION, "")?;
        }
        let shape = texts_shape(layer, x.ty())?;
        let (tokens, starts) = split(&reshape_to(&x, &shape)?);
        Ok(vec![tokens, starts])
    }

    /// Tells the tokens of each text.
    fn each(&self, inputs: &[&Tensor], visit: &mut dyn FnMut(Token<'_>) -> Result<()>) -> Result<()> {
        if let (Split::Function(_), [tokens, starts]) = (&self.split, inputs) {
            return self.of_users(tokens, starts, visit);
        }
        let x = inputs[0];
        // Where nothing is cut, the last axis of several are the tokens of a text.
        let each = match (&self.split, x.rank()) {
            (Split::None, 2..) => x.shape().dims().last().copied().unwrap_or(1),
            _ => 1,
        };
        let (mut own, mut count) = (Vec::new(), 0);
        each_string(x, &mut |text| {
            let mut result = Ok(());
            if each == 1 && !matches!(self.split, Split::None) {
                self.of_text(text, &mut |token| {
                    if result.is_ok() {
                        result = visit(Token::One(token));
                    }
                });
                result?;
                return visit(Token::End);
            }
            self.of_text(text, &mut |token| own.push(token.to_vec()));
            count += 1;
            if count % each == 0 {
                self.runs(own.iter().map(Vec::as_slice), &mut |token| {
                    if result.is_ok() {
                        result = visit(Token::One(token));
                    }
                });
                own.clear();
                result?;
                return visit(Token::End);
            }
            Ok(())
        })
    }

    /// Tells the tokens that a function of the user's gave.
    fn of_users(&self, tokens: &Tensor, starts: &Tensor, visit: &mut dyn FnMut(Token<'_>) -> Result<()>) -> Result<()> {
        let starts = engine::library::cast_to(starts, DType::I64)?.to_vec::<i64>();
        let mut all = Vec::with_capacity(tokens.num_elements());
        each_string(tokens, &mut |token| {
            all.push(token.to_vec());
            Ok(())
        })?;
        for pair in starts.windows(2) {
            let range = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
            let Some(own) = range.and_then(|(start, end)| all.get(start..end)) else {
                return Err(Error::invalid_argument(
                    "split",
                    "the places where texts begin are not those of the tokens",
                )
                .got(format!("from {} to {} of {} tokens", pair[0], pair[1], all.len())));
            };
            let mut result = Ok(());
            self.runs(own.iter().map(Vec::as_slice), &mut |token| {
                if result.is_ok() {
                    result = visit(Token::One(token));
                }
            });
            result?;
            visit(Token::End)?;
        }
        Ok(())
    }

    /// Counts the tokens of texts, of which each is an example.
    pub fn count(&self, layer: &str, texts: &Tensor, counts: &mut Counts<Vec<u8>>) -> Result<()> {
        let given = self.by_users(layer, texts)?;
        let mut own: Vec<Vec<u8>> = Vec::new();
        self.each(&given.iter().collect::<Vec<_>>(), &mut |token| {
            match token {
                Token::One(token) => own.push(token.to_vec()),
                Token::End => {
                    counts.example(own.iter().map(Vec::as_slice));
                    own.clear();
                }
            }
            Ok(())
        })
    }
}

/// A token of a text, or the text's end.
enum Token<'a> {
    One(&'a [u8]),
    End,
}

/// The shape of texts without the axis of one text each.
fn texts_shape(layer: &str, given: &TensorType) -> Result<Shape> {
    let sizes = given.shape.sizes();
    match sizes {
        [] | [_] => Ok(given.shape),
        [front @ .., last] if last.can_equal(Dim::ONE) => Shape::from_dims(front),
        _ => Err(Error::invalid_argument(layer, "the texts have too many axes")
            .got(given)
            .expected("texts `[batch]` or `[batch, 1]`")
            .help("join the parts of a text first: `tf::strings::reduce_join`")),
    }
}

impl Vectorize {
    /// The axes in front of numbers or rows, and whether the numbers of texts have no axis of their own.
    fn front(&self, inputs: &[&TensorType]) -> Result<(Vec<Dim>, bool)> {
        let layer = self.rule.layer.as_str();
        match (&self.tokens.split, inputs) {
            (Split::Function(_), [_, starts]) => {
                // There is one place more than there are texts.
                let places = starts.shape.sizes().first().copied().unwrap_or(Dim::ONE);
                Ok((vec![places - Dim::ONE], false))
            }
            (Split::None, [x, ..]) => {
                let sizes = x.shape.sizes();
                let single = sizes.len() < 2;
                if single && (!self.tokens.ngrams.is_empty() || self.length.is_some()) {
                    return Err(Error::invalid_argument(
                        layer,
                        "each text is a single token, which `ngrams` and a length do not suit",
                    )
                    .got(x)
                    .expected("tokens `[batch, tokens]`, or a `split`"));
                }
                let kept = if single { sizes.len() } else { sizes.len() - 1 };
                Ok((sizes[..kept].to_vec(), single))
            }
            (_, [x, ..]) => Ok((texts_shape(layer, x)?.sizes().to_vec(), false)),
            (_, []) => Err(Error::internal(layer, "no texts")),
        }
    }
}

impl OnHost for Vectorize {
    fn name(&self) -> &'static str {
        "text_vectorization"
    }

    fn settings(&self) -> &str {
        &self.settings
    }

    fn types(&self, inputs: &[&TensorType], unknown: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
        let (mut sizes, single) = self.front(inputs)?;
        let dtype = match (self.rule.mode, single) {
            (LookupMode::Int, true) => DType::I64,
            (LookupMode::Int, false) => {
                sizes.push(self.length.map_or_else(unknown, Dim::from));
                DType::I64
            }
            (_, true) => {
                sizes.pop();
                sizes.push(Dim::from(self.rule.depth(&self.vocabulary)));
                DType::F32
            }
            (_, false) => {
                sizes.push(Dim::from(self.rule.depth(&self.vocabulary)));
                DType::F32
            }
        };
        Ok(vec![TensorType::new(dtype, Shape::from_dims(&sizes)?)])
    }

    fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let mut ends = Vec::new();
        let mut count = 0;
        let mut terms = |visit: &mut dyn FnMut(&[u8]) -> Result<()>| {
            self.tokens.each(inputs, &mut |token| match token {
                Token::One(token) => {
                    count += 1;
                    visit(token)
                }
                Token::End => {
                    ends.push(count);
                    Ok(())
                }
            })
        };
        let numbers = self.rule.numbers(&self.vocabulary, &mut terms as &mut Terms<'_, Vec<u8>>)?;
        let types: Vec<&TensorType> = inputs.iter().map(|x| x.ty()).collect();
        let (front, single) = self.front(&types)?;
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let texts = starts.zip(&ends).map(|(start, &end)| &numbers[start..end]);
        if self.rule.mode == LookupMode::Int {
            let longest = if single { Some(1) } else { self.length };
            let length = longest.or_else(|| texts.clone().map(<[_]>::len).max()).unwrap_or(0);
            let mut padded = vec![0_i64; ends.len() * length];
            for (text, row) in texts.zip(padded.chunks_mut(length.max(1))) {
                row.iter_mut().zip(text).for_each(|(place, number)| *place = number.unwrap_or(0) as i64);
            }
            let sizes = if single { front } else { front.into_iter().chain([Dim::from(length)]).collect() };
            return Ok(vec![Tensor::try_from_vec(padded, Shape::from_dims(&sizes)?)?]);
        }
        let depth = self.rule.depth(&self.vocabulary);
        let weights = self.vocabulary.weights();
        let examples: Vec<&[Option<usize>]> = if single { vec![&numbers[..]] } else { texts.collect() };
        let mut rows = vec![0.0; examples.len() * depth];
        let each = examples.iter().zip(rows.chunks_mut(depth.max(1)));
        each.for_each(|(numbers, row)| fill(self.rule.mode, weights, numbers, row));
        let front = if single { Vec::new() } else { front };
        let sizes: Vec<Dim> = front.into_iter().chain([Dim::from(depth)]).collect();
        Ok(vec![Tensor::try_from_vec(rows, Shape::from_dims(&sizes)?)?])
    }
}
