//! How texts become tokens: what is changed in them first, where they are cut, and runs of neighbouring tokens.
//! `TextVectorization` asks for the tokens of each text.

use engine::Tensor;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A function of the user's on a tensor of strings.
pub type OnTexts<R> = Arc<dyn Fn(&Tensor) -> R + Send + Sync>;

/// What is changed in texts before they are cut.
#[derive(Clone, Default)]
pub enum Standardize {
    /// Small letters, of ASCII, and no punctuation.
    #[default]
    LowerAndStripPunctuation,
    /// Small letters.
    Lower,
    /// No punctuation.
    StripPunctuation,
    /// Nothing.
    None,
    /// A function of the user's: strings of the same shape.
    Function(OnTexts<Tensor>),
}

impl Standardize {
    /// By a function of tensors of strings, such as one that calls `tf::strings::regex_replace`.
    pub fn by(function: impl Fn(&Tensor) -> Tensor + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(function))
    }

    fn number(&self) -> usize {
        match self {
            Self::LowerAndStripPunctuation => 0,
            Self::Lower => 1,
            Self::StripPunctuation => 2,
            Self::None => 3,
            Self::Function(function) => Arc::as_ptr(function).addr(),
        }
    }

    /// Writes the text as it is cut.
    fn write(&self, text: &[u8], to: &mut Vec<u8>) {
        let lower = matches!(self, Self::LowerAndStripPunctuation | Self::Lower);
        let strip = matches!(self, Self::LowerAndStripPunctuation | Self::StripPunctuation);
        to.clear();
        let kept = text.iter().copied().filter(|byte| !(strip && byte.is_ascii_punctuation()));
        to.extend(kept.map(|byte| if lower { byte.to_ascii_lowercase() } else { byte }));
    }
}

/// Where texts are cut.
#[derive(Clone, Default)]
pub enum Split {
    /// At white space.
    #[default]
    Whitespace,
    /// Between characters.
    Character,
    /// Nowhere: a text is a token.
    None,
    /// By a function of the user's: all tokens, and where those of each text begin, with the end of the last, as
    /// `tf::strings::split_ragged` gives them.
    Function(OnTexts<(Tensor, Tensor)>),
}

impl Split {
    /// By a function that gives tokens and where those of each text begin.
    pub fn by(function: impl Fn(&Tensor) -> (Tensor, Tensor) + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(function))
    }

    fn number(&self) -> usize {
        match self {
            Self::Whitespace => 0,
            Self::Character => 1,
            Self::None => 2,
            Self::Function(function) => Arc::as_ptr(function).addr(),
        }
    }
}

/// Both, and the lengths of runs of tokens that become tokens.
#[derive(Clone, Default)]
pub struct Tokens {
    pub standardize: Standardize,
    pub split: Split,
    /// Empty for tokens alone.
    pub ngrams: Vec<usize>,
}

impl Tokens {
    fn words(&self) -> (usize, usize, &[usize]) {
        (self.standardize.number(), self.split.number(), &self.ngrams)
    }

    /// Tells the tokens of one text, of which functions of the user's have done their part.
    pub fn of_text(&self, text: &[u8], visit: &mut dyn FnMut(&[u8])) {
        let mut changed = Vec::new();
        self.standardize.write(text, &mut changed);
        match self.split {
            Split::Whitespace => {
                let tokens = changed.split(|byte| byte.is_ascii_whitespace() || *byte == 0x0b);
                self.runs(tokens.filter(|token| !token.is_empty()), visit);
            }
            Split::Character => {
                let text = String::from_utf8_lossy(&changed);
                let ends = text.char_indices().map(|(start, c)| text[start..start + c.len_utf8()].as_bytes());
                self.runs(ends, visit);
            }
            Split::None | Split::Function(_) => visit(&changed),
        }
    }

    /// Tells the runs of the tokens of a text: all of the first length, then all of the next.
    pub fn runs<'a>(&self, tokens: impl Iterator<Item = &'a [u8]>, visit: &mut dyn FnMut(&[u8])) {
        if self.ngrams.is_empty() {
            return tokens.for_each(visit);
        }
        let tokens: Vec<&[u8]> = tokens.collect();
        for &length in &self.ngrams {
            tokens.windows(length).for_each(|run| visit(&run.join(&b' ')));
        }
    }
}

impl PartialEq for Tokens {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Hash for Tokens {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.words().hash(state);
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (standardize, split, ngrams) = self.words();
        write!(f, "Tokens({standardize:x}, {split:x}, {ngrams:?})")
    }
}
