//! A text as numbers, one for each character, and windows of it to learn from.
//! The examples `transformer` and `text_rnn` train on it.

use eagerflow as tf;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use tf::{Error, Result, Tensor};

/// The text that comes along: eight chapters of Alice's Adventures in Wonderland.
pub const ALICE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/text/alice.txt");

/// A text, and the characters that it is made of.
#[derive(Debug)]
pub struct Text {
    /// Each kind of character once, in order; a code is a place in this list.
    pub symbols: Vec<char>,
    /// The code of each character of the text.
    pub codes: Vec<i32>,
}

impl Text {
    /// Reads a file.
    ///
    /// # Errors
    /// NotFound for a file that cannot be read as UTF-8.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .map_err(|e| Error::not_found("text", format!("{} cannot be read: {e}", path.display())))?;
        Ok(Self::new(&text))
    }

    /// The codes of a text.
    pub fn new(text: &str) -> Self {
        let mut symbols: Vec<char> = text.chars().collect();
        symbols.sort_unstable();
        symbols.dedup();
        let codes = text.chars().filter_map(|c| symbols.binary_search(&c).ok()).map(|code| code as i32).collect();
        Self { symbols, codes }
    }

    /// The codes of another text.
    ///
    /// # Errors
    /// InvalidArgument where it is empty or has a character that is not in this one.
    pub fn encode(&self, text: &str) -> Result<Vec<i32>> {
        let code = |c: char| match self.symbols.binary_search(&c) {
            Ok(code) => Ok(code as i32),
            Err(_) => Err(Error::invalid_argument("text", format!("the text has no {c:?} to learn from"))),
        };
        match text.is_empty() {
            true => Err(Error::invalid_argument("text", "there is no character to go on from")),
            false => text.chars().map(code).collect(),
        }
    }

    /// The character of a code.
    pub fn symbol(&self, code: i32) -> char {
        self.symbols[code as usize]
    }

    /// Windows of a part of the text, one every `stride` characters: inputs and targets, `int32` `[windows, length]`. A target is the
    /// character behind the input's. It is TensorFlow's `batch` and `split_input_target`, and with a small stride windows overlap.
    ///
    /// # Errors
    /// InvalidArgument where the part has no whole window.
    pub fn windows(&self, part: Range<usize>, length: usize, stride: usize) -> Result<(Tensor, Tensor)> {
        if part.len() <= length {
            return Err(Error::invalid_argument("text", "the text is too short")
                .got(format!("{} characters", part.len()))
                .expected(format!("more than {length}")));
        }
        let codes = tf::constant(self.codes[part.clone()].to_vec());
        let starts = tf::range(0, (part.len() - length) as i32, stride as i32).try_expand_dims(1)?;
        let places = starts + tf::range(0, length as i32, 1);
        Ok((tf::try_gather(&codes, &places, 0)?, tf::try_gather(&codes, places + 1, 0)?))
    }

    /// Where the last tenth begins, which a model does not learn from.
    pub fn held_out(&self) -> usize {
        self.codes.len() * 9 / 10
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} characters of {} kinds", self.codes.len(), self.symbols.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let text = Text::new("abba cab");
        assert_eq!(text.symbols, [' ', 'a', 'b', 'c']);
        assert_eq!(text.encode("cab").unwrap(), [3, 1, 2]);
        assert_eq!(text.codes.iter().map(|&code| text.symbol(code)).collect::<String>(), "abba cab");
        assert!(text.encode("dab").unwrap_err().to_string().contains("'d'"));
        assert!(text.encode("").is_err());
    }

    #[test]
    fn targets_are_one_further() {
        let text = Text::new("abcdefgh");
        let (x, y) = text.windows(1..8, 3, 2).unwrap();
        assert_eq!(x.to_vec::<i32>(), [1, 2, 3, 3, 4, 5]);
        assert_eq!(y.to_vec::<i32>(), [2, 3, 4, 4, 5, 6]);
        assert!(text.windows(0..3, 3, 1).is_err());
    }

    #[test]
    fn alice_is_plain() {
        let text = Text::read(Path::new(ALICE)).unwrap();
        assert_eq!(text.to_string(), "97139 characters of 66 kinds");
        assert!(Text::read(Path::new("/no/such/file")).is_err());
    }
}
