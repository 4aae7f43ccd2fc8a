//! [`Strings`]: what lies behind a tensor of strings, a tensor of words over shared arenas of bytes.
//! `execute` moves the words by the loops of integers; reads, constants and the operations on strings look into the arenas.
//!
//! A word is two numbers: which arena, counted from 1, and which string in it; 0 is the empty string, so memory of zeros
//! holds empty strings. A word means something only beside the list of arenas that its tensor holds, and every use of it
//! is checked against that list: no word, whatever a kernel made of it, can name memory that is gone.

use super::Tensor;
use kernels::backend::cpu::View;
use kernels::backend::cpu::merge_dims::{for_each_offset, for_each_row};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{MAX_RANK, Shape};
use std::collections::HashMap;
use std::sync::Arc;

use super::TensorType;

/// Bytes of many strings, one behind the other; never changed once it is made.
pub(crate) struct Arena {
    bytes: Box<[u8]>,
    /// Where each string ends.
    ends: Box<[usize]>,
}

impl Arena {
    fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.bytes.get(start..end)
    }
}

/// The arenas of a tensor, shared by its views.
pub(crate) type Arenas = Arc<[Arc<Arena>]>;

/// The object behind a tensor of strings.
pub(crate) struct Strings {
    /// Where each element lies: `uint64`, of the tensor's shape and in any layout.
    pub words: Tensor,
    pub arenas: Arenas,
}

const fn word(arena: usize, index: usize) -> u64 {
    (arena as u64 + 1) << 32 | index as u64
}

/// The arena and the string in it; none for the empty string.
const fn parts(word: u64) -> Option<(usize, usize)> {
    match word >> 32 {
        0 => None,
        arena => Some((arena as usize - 1, word as u32 as usize)),
    }
}

/// Arenas up to this number are kept whatever they hold.
const FEW: usize = 16;
/// Of more arenas the strings are copied into one, if they are no longer than this on average.
const SHORT: usize = 1024;

impl Strings {
    /// The strings behind a tensor.
    pub fn of<'a>(tensor: &'a Tensor, op: &str) -> Result<&'a Self> {
        let strings = tensor.as_object::<Self>().filter(|strings| strings.words.shape() == tensor.shape());
        strings.ok_or_else(|| match tensor.dtype() {
            DType::String => Error::internal(op, "a tensor of strings without strings").got(tensor.ty()),
            _ => Error::invalid_argument(op, "the tensor holds no strings").got(tensor.ty()).expected(DType::String),
        })
    }

    /// The string of a word.
    fn get(&self, word: u64) -> Result<&[u8]> {
        let Some((arena, index)) = parts(word) else { return Ok(&[]) };
        let found = self.arenas.get(arena).and_then(|arena| arena.get(index));
        found.ok_or_else(|| Error::internal("string", "a word that names no string"))
    }

    /// Calls `with` for each element in row-major order.
    pub fn each<'a>(&'a self, mut with: impl FnMut(&'a [u8]) -> Result<()>) -> Result<()> {
        let mut result = Ok(());
        each_word(&self.words, |word| {
            if result.is_ok() {
                result = self.get(word).and_then(&mut with);
            }
        });
        result
    }

    /// All elements in row-major order.
    pub fn rows(&self) -> Result<Vec<&[u8]>> {
        let mut rows = Vec::with_capacity(self.words.num_elements());
        self.each(|row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// All elements in row-major order, broadcast to a shape.
    pub fn broadcast(&self, shape: &Shape) -> Result<Vec<&[u8]>> {
        let own = self.words.shape();
        if own == shape {
            return self.rows();
        }
        let (lead, strides) = (shape.rank() - own.rank(), self.words.strides());
        let mut spread = [0; MAX_RANK];
        for axis in (0..own.rank()).filter(|&axis| own[axis] != 1) {
            spread[lead + axis] = strides[axis];
        }
        let mut rows = Vec::with_capacity(shape.num_elements());
        let mut result = Ok(());
        for_each_offset(shape.dims(), &spread, |offset| {
            // SAFETY: the offset of an element of a live tensor of words, which broadcasts to the shape.
            match self.get(unsafe { *self.words.address().cast::<u64>().offset(offset) }) {
                Ok(row) => rows.push(row),
                Err(error) => result = Err(error),
            }
        });
        result.map(|()| rows)
    }

    /// A tensor of strings over words and the arenas that they name.
    #[track_caller]
    pub fn tensor(words: Tensor, arenas: Arenas) -> Tensor {
        let ty = TensorType::new(DType::String, *words.shape());
        Tensor::object_with(&ty, Box::new(Self { words, arenas }))
    }

    /// As [`tensor`](Self::tensor) of words that may name only some of the arenas: the others are let go. Short strings of many
    /// arenas are copied into one, so that what is gathered from many places in turn does not hold on to all of them.
    #[track_caller]
    pub fn settled(words: Tensor, arenas: &Arenas) -> Result<Tensor> {
        if arenas.len() == 1 {
            return Ok(Self::tensor(words, arenas.clone()));
        }
        let (mut used, mut bytes, mut count) = (vec![false; arenas.len()], 0, 0_usize);
        each_word(&words, |word| {
            if let Some((arena, index)) = parts(word)
                && let Some(own) = arenas.get(arena)
            {
                used[arena] = true;
                bytes += own.get(index).map_or(0, <[u8]>::len);
                count += 1;
            }
        });
        let number = used.iter().filter(|used| **used).count();
        if number == arenas.len() && number <= FEW {
            return Ok(Self::tensor(words, arenas.clone()));
        }
        if number > FEW && bytes <= count.saturating_mul(SHORT) {
            let old = Self { words, arenas: arenas.clone() };
            let mut new = Builder::with_capacity(count, bytes);
            old.each(|string| new.push(string))?;
            return new.finish(old.words.shape());
        }
        let (mut places, mut kept) = (vec![None; arenas.len()], Vec::with_capacity(number));
        for (at, arena) in arenas.iter().enumerate().filter(|(at, _)| used[*at]) {
            places[at] = Some(kept.len());
            kept.push(arena.clone());
        }
        let words = renumbered(&words, &places)?;
        Ok(Self::tensor(words, kept.into()))
    }
}

/// The strings of tensors with as many elements as a shape has, one behind the other, if they are so short that they are better copied
/// than held on to where they lie: what batches of records are made of.
#[track_caller]
pub(crate) fn stacked<'a>(parts: impl Iterator<Item = &'a Tensor> + Clone, shape: &Shape) -> Result<Option<Tensor>> {
    let (mut count, mut bytes) = (0_usize, 0_usize);
    for part in parts.clone() {
        Strings::of(part, "batch")?.each(|string| {
            count += 1;
            bytes += string.len();
            Ok(())
        })?;
    }
    if bytes > count.saturating_mul(SHORT) {
        return Ok(None);
    }
    let mut all = Builder::with_capacity(count, bytes);
    for part in parts {
        Strings::of(part, "batch")?.each(|string| all.push(string))?;
    }
    all.finish(shape).map(Some)
}

/// The words of several tensors over one list of arenas.
pub(crate) struct Union {
    arenas: Vec<Arc<Arena>>,
    places: HashMap<*const Arena, usize>,
}

impl Union {
    pub fn new() -> Self {
        Self { arenas: Vec::new(), places: HashMap::new() }
    }

    /// The words of one more tensor, as they name its strings in the union.
    pub fn words(&mut self, strings: &Strings) -> Result<Tensor> {
        let first = self.arenas.is_empty();
        let mut same = true;
        let mut places = Vec::with_capacity(strings.arenas.len());
        for (at, arena) in strings.arenas.iter().enumerate() {
            let next = self.arenas.len();
            let place = *self.places.entry(Arc::as_ptr(arena)).or_insert(next);
            if place == next {
                self.arenas.push(arena.clone());
            }
            same &= place == at;
            places.push(Some(place));
        }
        if first || same { Ok(strings.words.clone()) } else { renumbered(&strings.words, &places) }
    }

    pub fn arenas(self) -> Arenas {
        self.arenas.into()
    }
}

/// Words whose arenas have other places in a list.
#[track_caller]
fn renumbered(words: &Tensor, places: &[Option<usize>]) -> Result<Tensor> {
    let mut new = Vec::with_capacity(words.num_elements());
    let mut fits = true;
    each_word(words, |old| {
        new.push(match parts(old) {
            None => 0,
            Some((arena, index)) => match places.get(arena).copied().flatten() {
                Some(place) => word(place, index),
                None => {
                    fits = false;
                    0
                }
            },
        });
    });
    match fits {
        true => of_words(&new, words.shape()),
        false => Err(Error::internal("string", "a word that names no arena")),
    }
}

/// Words as a tensor.
#[track_caller]
fn of_words(words: &[u64], shape: &Shape) -> Result<Tensor> {
    let out = Tensor::uninit(&TensorType::new(DType::U64, *shape))?;
    if words.len() != out.num_elements() {
        return Err(Error::internal("string", format!("{} strings for shape {shape}", words.len())));
    }
    // SAFETY: as many words as the fresh tensor has elements.
    unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), out.data().cast::<u64>(), words.len()) };
    Ok(out)
}

/// Calls `with` for each word in row-major order.
fn each_word(words: &Tensor, mut with: impl FnMut(u64)) {
    debug_assert!(words.dtype() == DType::U64 && !words.is_symbol());
    let strides: [isize; MAX_RANK] = words.strides();
    let view = View::new(words.address(), DType::U64, words.shape().dims(), &strides);
    for_each_row(view.dims(), view.strides(), |offset, len, stride| {
        for i in 0..len as isize {
            // SAFETY: the offset of an element of a live tensor of words on the host.
            with(unsafe { *view.ptr.cast::<u64>().offset(offset + i * stride) });
        }
    });
}

/// Strings on their way into a tensor: all of one operation share an arena.
pub(crate) struct Builder {
    full: Vec<Arc<Arena>>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    words: Vec<u64>,
}

impl Builder {
    pub fn with_capacity(count: usize, bytes: usize) -> Self {
        Self {
            full: Vec::new(),
            bytes: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(count),
            words: Vec::with_capacity(count),
        }
    }

    /// The next element.
    pub fn push(&mut self, string: &[u8]) -> Result<()> {
        self.push_with(|bytes| {
            bytes.extend_from_slice(string);
            Ok(())
        })
    }

    /// The next element, whose bytes `write` appends to those that are there.
    pub fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let start = self.bytes.len();
        write(&mut self.bytes)?;
        if self.bytes.len() <= start {
            self.words.push(0);
            return Ok(());
        }
        self.words.push(word(self.full.len(), self.ends.len()));
        self.ends.push(self.bytes.len());
        if self.ends.len() == u32::MAX as usize {
            self.close();
        }
        Ok(())
    }

    fn close(&mut self) {
        let bytes = std::mem::take(&mut self.bytes).into_boxed_slice();
        self.full.push(Arc::new(Arena { bytes, ends: std::mem::take(&mut self.ends).into_boxed_slice() }));
    }

    /// The tensor of all elements.
    #[track_caller]
    pub fn finish(mut self, shape: &Shape) -> Result<Tensor> {
        if !self.ends.is_empty() {
            self.close();
        }
        Ok(Strings::tensor(of_words(&self.words, shape)?, self.full.into()))
    }
}

impl Tensor {
    /// A scalar string. Sources of data sets make one for each record, so that it takes as few allocations as it can.
    #[track_caller]
    pub(crate) fn of_string(string: &[u8]) -> Result<Self> {
        if string.is_empty() {
            return Ok(Strings::tensor(of_words(&[0], &Shape::SCALAR)?, Arc::new([])));
        }
        let arena = Arena { bytes: string.into(), ends: Box::new([string.len()]) };
        Ok(Strings::tensor(of_words(&[word(0, 0)], &Shape::SCALAR)?, Arc::new([Arc::new(arena)])))
    }

    /// A tensor of strings in row-major order.
    #[track_caller]
    pub(crate) fn of_strings<S: AsRef<[u8]>>(strings: &[S], shape: &Shape) -> Result<Self> {
        let bytes = strings.iter().map(|s| s.as_ref().len()).sum();
        let mut builder = Builder::with_capacity(strings.len(), bytes);
        strings.iter().try_for_each(|s| builder.push(s.as_ref()))?;
        builder.finish(shape)
    }
}
