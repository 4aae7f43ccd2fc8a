//! The bytes of saved states: a header with the kind of object, numbers, texts and tensors, and a checksum of all of it.
//! Iterators, data sets and the random state write them; whatever is read back, nothing is allocated beyond the size of what is given.

use crate::execute::{dense, on_host};
use crate::tensor::strings::{Builder, Strings};
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::ptr;

/// In front of every state; the last byte is the version.
const MAGIC: [u8; 4] = *b"efs\x01";

/// Bytes of the checksum at the end.
const SUM: usize = 8;

/// FNV-1a over 64 bits. Each step is a bijection of the sum, so that no change of a single byte goes unnoticed.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Collects a state.
#[doc(hidden)]
pub struct StateWriter(Vec<u8>);

impl StateWriter {
    /// Of an object of this kind.
    pub fn new(kind: &str) -> Self {
        let mut writer = Self(MAGIC.to_vec());
        writer.text(kind);
        writer
    }

    /// Of bytes that claim to be a state.
    #[cfg(test)]
    pub fn from_content(content: Vec<u8>) -> Self {
        Self(content)
    }

    /// A number, seven bits a byte.
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number that may be negative, eight bytes.
    pub fn signed(&mut self, number: i64) {
        self.0.extend(number.to_le_bytes());
    }

    pub fn flag(&mut self, flag: bool) {
        self.0.push(flag.into());
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub fn dtype(&mut self, dtype: DType) {
        self.0.push(dtype as u8);
    }

    fn ty(&mut self, ty: &TensorType) {
        self.dtype(ty.dtype);
        self.number(ty.shape.rank() as u64);
        ty.shape.dims().iter().for_each(|&size| self.number(size as u64));
    }

    /// Dtype, shape and elements.
    ///
    /// # Errors
    /// FailedPrecondition for a value without elements, such as another dataset.
    pub fn tensor(&mut self, tensor: &Tensor) -> Result<()> {
        let ty = *tensor.ty();
        if ty.dtype != DType::String && !DType::ALL.contains(&ty.dtype) {
            return Err(
                Error::failed_precondition("save", "a value that is no tensor of elements cannot be saved").got(ty)
            );
        }
        if ty.dtype == DType::String {
            tensor.concrete("save")?;
            self.ty(&ty);
            return Strings::of(tensor, "save")?.each(|string| {
                self.number(string.len() as u64);
                self.0.extend(string);
                Ok(())
            });
        }
        let here = dense(&on_host(tensor.numbers("save")?)?)?;
        self.ty(&ty);
        // SAFETY: the elements of a live tensor in the host's memory, dense.
        self.0.extend(unsafe { std::slice::from_raw_parts(here.data(), ty.bytes()) });
        Ok(())
    }

    /// A writer of bytes that a checksum of somebody else's covers, as records of files are: see [`StateReader::of_record`].
    pub fn for_record() -> Self {
        Self(Vec::new())
    }

    /// What was written, without a checksum.
    pub fn into_record(self) -> Vec<u8> {
        self.0
    }

    /// The whole state.
    pub fn finish(mut self) -> Vec<u8> {
        let sum = checksum(&self.0);
        self.0.extend(sum.to_le_bytes());
        self.0
    }
}

/// Reads a state front to back.
#[doc(hidden)]
pub struct StateReader<'a> {
    kind: &'static str,
    rest: &'a [u8],
}

impl<'a> StateReader<'a> {
    /// The state of an object of this kind, undamaged.
    pub fn new(bytes: &'a [u8], kind: &'static str) -> Result<Self> {
        let whole = bytes.strip_prefix(&MAGIC[..3]).filter(|rest| rest.len() > SUM);
        let Some(whole) = whole else {
            return Err(damaged(kind, "it does not begin as a state does"));
        };
        let (content, sum) = bytes.split_at(bytes.len() - SUM);
        if checksum(content).to_le_bytes() != sum {
            return Err(damaged(kind, "its checksum does not match"));
        }
        if whole[0] != MAGIC[3] {
            return Err(Error::failed_precondition("restore", format!("the state of a {kind} is of another version"))
                .got(whole[0])
                .expected(MAGIC[3])
                .help("read it with the version of the library that wrote it"));
        }
        let mut reader = Self { kind, rest: &content[MAGIC.len()..] };
        let saved = reader.text()?;
        if saved != kind {
            return Err(Error::invalid_argument("restore", "the state is that of another kind of object")
                .got(format!("a {saved}"))
                .expected(format!("a {kind}")));
        }
        Ok(reader)
    }

    /// The content of a record whose checksum was compared.
    pub fn of_record(bytes: &'a [u8], kind: &'static str) -> Self {
        Self { kind, rest: bytes }
    }

    /// What is wrong with the state, as an error.
    #[cold]
    pub fn damaged(&self, what: &str) -> Error {
        damaged(self.kind, what)
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(bytes) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(self.damaged("it ends too early")),
        }
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.damaged("a number has more than 64 bits"))
    }

    /// A number up to a greatest one.
    pub fn at_most(&mut self, most: usize) -> Result<usize> {
        match usize::try_from(self.number()?) {
            Ok(number) if number <= most => Ok(number),
            _ => Err(self.damaged("a number is out of range")),
        }
    }

    /// How many things follow, none of which takes less than a byte.
    pub fn count(&mut self) -> Result<usize> {
        self.at_most(self.rest.len())
    }

    pub fn signed(&mut self) -> Result<i64> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.take(8)?);
        Ok(i64::from_le_bytes(bytes))
    }

    pub fn flag(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.damaged("a truth value is neither true nor false")),
        }
    }

    pub fn text(&mut self) -> Result<&'a str> {
        let len = self.count()?;
        std::str::from_utf8(self.take(len)?).map_err(|_| self.damaged("a text is not UTF-8"))
    }

    pub fn dtype(&mut self) -> Result<DType> {
        let number = self.byte()?;
        let dtype = DType::ALL.into_iter().chain([DType::String]).find(|dtype| *dtype as u8 == number);
        dtype.ok_or_else(|| self.damaged("a dtype is not known"))
    }

    /// A tensor in the host's memory.
    pub fn tensor(&mut self) -> Result<Tensor> {
        let dtype = self.dtype()?;
        let rank = self.at_most(kernels::shape::MAX_RANK)?;
        // No memory has more elements than this along an axis, and products of such sizes are checked.
        let sizes = (0..rank).map(|_| self.at_most(1 << 47)).collect::<Result<Vec<_>>>()?;
        let shape = Shape::new(&sizes).map_err(|_| self.damaged("a shape has too many elements"))?;
        let ty = TensorType::new(dtype, shape);
        if dtype == DType::String {
            // Each has a length of some bytes, so that there are at least as many.
            if shape.num_elements() > self.rest.len() {
                return Err(self.damaged("there are fewer bytes than strings"));
            }
            let mut strings = Builder::with_capacity(shape.num_elements(), 0);
            for _ in 0..shape.num_elements() {
                let len = self.count()?;
                strings.push(self.take(len)?)?;
            }
            return strings.finish(&shape);
        }
        let elements = self.take(ty.bytes())?;
        let tensor = Tensor::uninit(&ty)?;
        // SAFETY: a fresh tensor of so many bytes, whose elements may be any bits.
        unsafe { ptr::copy_nonoverlapping(elements.as_ptr(), tensor.data(), elements.len()) };
        Ok(tensor)
    }

    /// Nothing may follow.
    pub fn finish(self) -> Result<()> {
        match self.rest {
            [] => Ok(()),
            _ => Err(self.damaged("something follows its end")),
        }
    }
}

#[cold]
fn damaged(kind: &str, what: &str) -> Error {
    Error::data_loss("restore", format!("the state of a {kind} is damaged: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as tf;

    #[test]
    fn what_is_written_is_read() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let tensors = [tf::constant([[1.5f32, -2.0], [f32::NAN, 0.0]]), tf::zeros([3, 0]), tf::constant(true)];
        let mut writer = StateWriter::new("thing");
        numbers.iter().for_each(|&n| writer.number(n));
        writer.signed(-3);
        writer.flag(true);
        writer.text("text");
        tensors.iter().for_each(|t| writer.tensor(t).unwrap());
        // A strided tensor is written in the order of its elements.
        writer.tensor(&tf::transpose(tf::constant([[1, 2, 3], [4, 5, 6]]), [1, 0])).unwrap();
        let bytes = writer.finish();
        let mut reader = StateReader::new(&bytes, "thing").unwrap();
        assert!(numbers.iter().all(|&n| reader.number().unwrap() == n));
        assert_eq!((reader.signed().unwrap(), reader.flag().unwrap(), reader.text().unwrap()), (-3, true, "text"));
        for tensor in &tensors {
            let read = reader.tensor().unwrap();
            assert_eq!((read.ty(), format!("{read}")), (tensor.ty(), format!("{tensor}")));
        }
        assert_eq!(reader.tensor().unwrap().to_vec::<i32>(), [1, 4, 2, 5, 3, 6]);
        reader.finish().unwrap();
        let other = StateReader::new(&bytes, "other").err().unwrap().to_string();
        assert!(other.contains("a thing") && other.contains("a other"), "{other}");
    }

    #[test]
    fn lengths_beyond_the_bytes_are_damage_and_take_no_memory() {
        let read = |write: fn(&mut StateWriter), read: fn(&mut StateReader<'_>) -> Result<()>| {
            let mut writer = StateWriter::new("thing");
            write(&mut writer);
            let bytes = writer.finish();
            let mut reader = StateReader::new(&bytes, "thing").unwrap();
            let error = read(&mut reader).and_then(|()| reader.finish()).unwrap_err();
            assert!(matches!(error, Error::DataLoss(_)), "{error}");
        };
        read(|w| w.number(u64::MAX), |r| r.text().map(drop));
        read(|w| w.0.extend([0xff; 10]), |r| r.number().map(drop));
        read(|w| w.0.push(2), |r| r.flag().map(drop));
        read(|w| w.0.extend([2, 0xff, 0xfe]), |r| r.text().map(drop));
        read(|w| w.0.push(DType::Variant as u8), |r| r.tensor().map(drop));
        read(|w| w.0.extend([1, 200, 1]), |r| r.tensor().map(drop));
        read(
            |w| {
                w.0.extend([1, 2]);
                w.number(1 << 40);
                w.number(1 << 40);
            },
            |r| r.tensor().map(drop),
        );
        read(
            |w| {
                w.0.extend([1, 1]);
                w.number(1 << 33);
            },
            |r| r.tensor().map(drop),
        );
        read(|_| {}, |r| r.signed().map(drop));
        read(|w| w.flag(true), |_| Ok(()));
    }
}
