//! Reads protocol buffers' text form, as far as the file `checkpoint` can need it.
//! [`CheckpointState`] calls it with bytes that may be anything.

use super::{CheckpointState, number};
use kernels::error::{Error, Result};

pub(super) fn parse(text: &[u8], name: &str) -> Result<CheckpointState> {
    let mut reader = Reader { rest: text, line: 1 };
    reader.state().map_err(|what| Error::data_loss(name, format!("line {}: {what}", reader.line)))
}

struct Reader<'a> {
    rest: &'a [u8],
    line: usize,
}

type Read<T> = std::result::Result<T, &'static str>;

/// A value as it stands in the text.
enum Value<'a> {
    Text(Vec<u8>),
    Word(&'a str),
}

impl<'a> Reader<'a> {
    fn state(&mut self) -> Read<CheckpointState> {
        let mut state = CheckpointState::default();
        loop {
            self.skip();
            if self.rest.is_empty() {
                return Ok(state);
            }
            let field = self.word();
            if field.is_empty() {
                return Err("the name of a field is missing");
            }
            self.skip();
            if !self.take(b':') {
                return Err("a field has no colon");
            }
            self.values(field, &mut state)?;
            self.skip();
            // Fields may be parted by either.
            let _ = self.take(b',') || self.take(b';');
        }
    }

    /// One value, or several in brackets.
    fn values(&mut self, field: &str, state: &mut CheckpointState) -> Read<()> {
        self.skip();
        if !self.take(b'[') {
            return set(state, field, self.value()?);
        }
        self.skip();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            set(state, field, self.value()?)?;
            self.skip();
            if self.take(b']') {
                return Ok(());
            }
            if !self.take(b',') {
                return Err("a list has no end");
            }
        }
    }

    fn value(&mut self) -> Read<Value<'a>> {
        self.skip();
        if !matches!(self.rest.first(), Some(b'"' | b'\'')) {
            let word = self.word();
            return if word.is_empty() { Err("a field has no value") } else { Ok(Value::Word(word)) };
        }
        // Strings beside each other are one.
        let mut bytes = Vec::new();
        while let Some(&quote @ (b'"' | b'\'')) = self.rest.first() {
            self.rest = &self.rest[1..];
            self.string(quote, &mut bytes)?;
            self.skip();
        }
        Ok(Value::Text(bytes))
    }

    fn string(&mut self, quote: u8, bytes: &mut Vec<u8>) -> Read<()> {
        loop {
            match self.next() {
                None | Some(b'\n') => return Err("a string has no end"),
                Some(byte) if byte == quote => return Ok(()),
                Some(b'\\') => self.escape(bytes)?,
                Some(byte) => bytes.push(byte),
            }
        }
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Read<()> {
        let byte = match self.next().ok_or("a string has no end")? {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            mark @ (b'\\' | b'\'' | b'"' | b'?') => mark,
            first @ b'0'..=b'7' => {
                let more = self.digits(8, 2);
                let number = more.iter().fold(u32::from(first - b'0'), |n, digit| n * 8 + digit);
                u8::try_from(number).map_err(|_| "an octal escape is larger than a byte")?
            }
            b'x' | b'X' => match self.digits(16, 2)[..] {
                [] => return Err("a hexadecimal escape has no digits"),
                ref digits => digits.iter().fold(0, |n, digit| n * 16 + *digit as u8),
            },
            mark @ (b'u' | b'U') => {
                let wanted = if mark == b'u' { 4 } else { 8 };
                let digits = self.digits(16, wanted);
                let number = digits.iter().fold(0u32, |n, digit| n << 4 | digit);
                let c = char::from_u32(number).filter(|_| digits.len() == wanted).ok_or("an escape is no character")?;
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err("a string has an unknown escape"),
        };
        bytes.push(byte);
        Ok(())
    }

    /// At most so many digits.
    fn digits(&mut self, base: u32, most: usize) -> Vec<u32> {
        let digits: Vec<u32> = self.rest.iter().take(most).map_while(|&byte| char::from(byte).to_digit(base)).collect();
        self.rest = &self.rest[digits.len()..];
        digits
    }

    /// A name or a number.
    fn word(&mut self) -> &'a str {
        let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-');
        let length = self.rest.iter().take_while(|byte| inside(byte)).count();
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        str::from_utf8(word).unwrap_or_default()
    }

    /// Passes over blanks and comments.
    fn skip(&mut self) {
        loop {
            match self.rest.first() {
                Some(b'#') => {
                    let length = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
                    self.rest = &self.rest[length..];
                }
                Some(byte) if byte.is_ascii_whitespace() => drop(self.next()),
                _ => return,
            }
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.rest.first() == Some(&byte);
        if there {
            self.rest = &self.rest[1..];
        }
        there
    }

    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        self.line += usize::from(byte == b'\n');
        Some(byte)
    }
}

fn set(state: &mut CheckpointState, field: &str, value: Value<'_>) -> Read<()> {
    match field {
        "model_checkpoint_path" => state.model_checkpoint_path = text(value)?,
        "all_model_checkpoint_paths" => state.all_model_checkpoint_paths.push(text(value)?),
        "all_model_checkpoint_timestamps" => state.all_model_checkpoint_timestamps.push(time(value)?),
        "last_preserved_timestamp" => state.last_preserved_timestamp = Some(time(value)?),
        _ => {}
    }
    Ok(())
}

fn text(value: Value<'_>) -> Read<String> {
    match value {
        Value::Text(bytes) => String::from_utf8(bytes).map_err(|_| "a path is no text"),
        Value::Word(_) => Err("a path is not in quotes"),
    }
}

fn time(value: Value<'_>) -> Read<f64> {
    match value {
        Value::Word(word) => number::parse(word).ok_or("a time is no number"),
        Value::Text(_) => Err("a time is in quotes"),
    }
}
