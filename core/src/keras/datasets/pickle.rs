//! A reader of Python's pickles, of the part that holds numbers, texts, lists, dictionaries and arrays. It calls nothing that a pickle names.
//! The readers of Keras's data sets read CIFAR's and IMDB's files with it.

use kernels::error::{Error, Result};
use std::collections::BTreeMap;

/// What a pickle holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Value>),
    Tuple(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    /// A name of Python's that would be imported.
    Name(String),
    /// What a name would have made of arguments, and the state it would have been given.
    Object(Box<(Value, Value, Value)>),
}

fn damaged(what: impl Into<String>) -> Error {
    Error::data_loss("load_data", format!("the pickle {}", what.into()))
}

/// The machine that a pickle is a program for.
struct Machine<'a> {
    rest: &'a [u8],
    stack: Vec<Value>,
    marks: Vec<usize>,
    /// By number; nothing for what is too large to be given back.
    memo: BTreeMap<usize, Option<Value>>,
    /// Values that the memo has given back: each is a copy, and there may be so many.
    copied: usize,
}

/// Values that may be copied out of the memo in all.
const MOST_COPIES: usize = 1 << 22;

impl Value {
    fn size(&self) -> usize {
        match self {
            Self::List(items) | Self::Tuple(items) => 1 + items.iter().map(Self::size).sum::<usize>(),
            Self::Dict(items) => 1 + items.iter().map(|(k, v)| k.size() + v.size()).sum::<usize>(),
            Self::Object(parts) => 1 + parts.0.size() + parts.1.size() + parts.2.size(),
            Self::Bytes(bytes) => 1 + bytes.len() / 16,
            _ => 1,
        }
    }
}

impl<'a> Machine<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| damaged("is cut off"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self, bytes: usize) -> Result<usize> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte)))
    }

    fn line(&mut self) -> Result<String> {
        let end = self.rest.iter().position(|&byte| byte == b'\n').ok_or_else(|| damaged("is cut off"))?;
        let line = String::from_utf8_lossy(self.take(end)?).into_owned();
        self.take(1)?;
        Ok(line)
    }

    fn pop(&mut self) -> Result<Value> {
        self.stack.pop().ok_or_else(|| damaged("takes more than it has"))
    }

    /// What was put behind the last mark.
    fn marked(&mut self) -> Result<Vec<Value>> {
        let mark = self.marks.pop().filter(|&mark| mark <= self.stack.len());
        Ok(self.stack.split_off(mark.ok_or_else(|| damaged("has no mark"))?))
    }

    fn remember(&mut self, key: usize) -> Result<()> {
        let value = self.stack.last().ok_or_else(|| damaged("takes more than it has"))?;
        // Data sets recall classes and names; to keep lists and arrays as well would copy them all.
        let small = (value.size() < 64).then(|| value.clone());
        self.memo.insert(key, small);
        Ok(())
    }

    fn recall(&mut self, key: usize) -> Result<()> {
        let value = self.memo.get(&key).cloned().ok_or_else(|| damaged("recalls what it has not kept"))?;
        let value = value.ok_or_else(|| damaged("uses a list or an array twice, which no data set does"))?;
        self.copied += value.size();
        if self.copied > MOST_COPIES {
            return Err(damaged("is too large"));
        }
        self.stack.push(value);
        Ok(())
    }

    fn extend(&mut self, items: Vec<Value>) -> Result<()> {
        match self.stack.last_mut() {
            Some(Value::List(list)) => list.extend(items),
            _ => return Err(damaged("appends to what is no list")),
        }
        Ok(())
    }

    fn set(&mut self, items: Vec<Value>) -> Result<()> {
        let Some(Value::Dict(dict)) = self.stack.last_mut() else {
            return Err(damaged("sets items of what is no dictionary"));
        };
        let mut items = items.into_iter();
        while let (Some(key), Some(value)) = (items.next(), items.next()) {
            dict.push((key, value));
        }
        Ok(())
    }

    /// One instruction; answers the result at the end.
    fn step(&mut self) -> Result<Option<Value>> {
        let code = self.take(1)?[0];
        let value = match code {
            b'.' => return self.pop().map(Some),
            0x80 => return self.take(1).map(|_| None),
            0x95 => return self.take(8).map(|_| None),
            b'(' => {
                self.marks.push(self.stack.len());
                return Ok(None);
            }
            b'q' => return self.number(1).and_then(|key| self.remember(key)).map(|()| None),
            b'r' => return self.number(4).and_then(|key| self.remember(key)).map(|()| None),
            0x94 => return self.remember(self.memo.len()).map(|()| None),
            b'h' => return self.number(1).and_then(|key| self.recall(key)).map(|()| None),
            b'j' => return self.number(4).and_then(|key| self.recall(key)).map(|()| None),
            b'a' => return self.pop().and_then(|item| self.extend(vec![item])).map(|()| None),
            b'e' => return self.marked().and_then(|items| self.extend(items)).map(|()| None),
            b'u' => return self.marked().and_then(|items| self.set(items)).map(|()| None),
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                return self.set(vec![key, value]).map(|()| None);
            }
            b'b' => {
                let state = self.pop()?;
                match self.stack.last_mut() {
                    Some(Value::Object(parts)) => parts.2 = state,
                    _ => return Err(damaged("builds what is no object")),
                }
                return Ok(None);
            }
            b'N' => Value::None,
            0x88 => Value::Bool(true),
            0x89 => Value::Bool(false),
            b'K' => Value::Int(self.number(1)? as i64),
            b'M' => Value::Int(self.number(2)? as i64),
            b'J' => Value::Int(i64::from(self.number(4)? as u32 as i32)),
            0x8a => {
                let count = self.number(1)?;
                let bytes = self.take(count)?;
                if count > 8 {
                    return Err(damaged("has an integer that does not fit"));
                }
                let fill = if bytes.last().is_some_and(|&byte| byte >= 0x80) { 0xff } else { 0 };
                let mut whole = [fill; 8];
                whole[..count].copy_from_slice(bytes);
                Value::Int(i64::from_le_bytes(whole))
            }
            b'G' => {
                let bytes = self.take(8)?;
                Value::Float(bytes.try_into().map(f64::from_be_bytes).unwrap_or_default())
            }
            b'U' | b'C' => {
                let count = self.number(1)?;
                Value::Bytes(self.take(count)?.to_vec())
            }
            b'T' | b'B' => {
                let count = self.number(4)?;
                Value::Bytes(self.take(count)?.to_vec())
            }
            0x8e => {
                let count = self.number(8)?;
                Value::Bytes(self.take(count)?.to_vec())
            }
            0x8c | b'X' => {
                let count = self.number(if code == b'X' { 4 } else { 1 })?;
                Value::Text(String::from_utf8_lossy(self.take(count)?).into_owned())
            }
            b']' => Value::List(Vec::new()),
            b'l' => Value::List(self.marked()?),
            b')' => Value::Tuple(Vec::new()),
            b't' => Value::Tuple(self.marked()?),
            0x85..=0x87 => {
                let count = usize::from(code - 0x84);
                let start = self.stack.len().checked_sub(count).ok_or_else(|| damaged("takes more than it has"))?;
                Value::Tuple(self.stack.split_off(start))
            }
            b'}' => Value::Dict(Vec::new()),
            b'c' => Value::Name(format!("{}.{}", self.line()?, self.line()?)),
            0x93 => match (self.pop()?, self.pop()?) {
                (Value::Text(name), Value::Text(module)) => Value::Name(format!("{module}.{name}")),
                _ => return Err(damaged("names what is no text")),
            },
            b'R' | 0x81 => {
                let (arguments, class) = (self.pop()?, self.pop()?);
                Value::Object(Box::new((class, arguments, Value::None)))
            }
            other => return Err(damaged("has an instruction that data sets do not need").got(format!("{other:#04x}"))),
        };
        self.stack.push(value);
        Ok(None)
    }
}

/// Reads a pickle.
pub(super) fn read(bytes: &[u8]) -> Result<Value> {
    let mut machine = Machine { rest: bytes, stack: Vec::new(), marks: Vec::new(), memo: BTreeMap::new(), copied: 0 };
    loop {
        if let Some(value) = machine.step()? {
            return Ok(value);
        }
    }
}

/// The state of an array of NumPy: version, shape, dtype, order and data.
fn array(value: Value) -> Result<Vec<Value>> {
    match value {
        Value::Object(parts) => match *parts {
            (Value::Name(name), _, Value::Tuple(state)) if name.ends_with("._reconstruct") && state.len() == 5 => {
                Ok(state)
            }
            _ => Err(damaged("holds another object than an array")),
        },
        _ => Err(damaged("holds no array")),
    }
}

/// The objects of an array of them.
pub(super) fn array_of_objects(value: Value) -> Result<Vec<Value>> {
    match array(value)?.pop() {
        Some(Value::List(items)) => Ok(items),
        _ => Err(damaged("holds an array of something else than objects")),
    }
}

/// The bytes of an array of them.
pub(super) fn array_of_bytes(value: Value) -> Result<Vec<u8>> {
    let mut state = array(value)?;
    if state.get(3) == Some(&Value::Bool(true)) {
        return Err(damaged("holds an array in Fortran's order"));
    }
    match state.pop() {
        Some(Value::Bytes(bytes)) => Ok(bytes),
        _ => Err(damaged("holds an array of something else than bytes")),
    }
}
