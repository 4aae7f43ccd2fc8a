//! NumPy's `.npy` files: a header in the notation of Python, and the elements; and `.npz` files, which are zip archives of them.
//! The crate above makes tensors of the elements; nothing is allocated before the file was found to be long enough.

mod literal;
mod zip;

pub use zip::Archive;

use kernels::error::{Error, Result};
use literal::{Value, parse};

/// What every file begins with.
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Headers beyond this are none: NumPy itself refuses those beyond 10,000 bytes unless it is told to trust the file.
const LARGEST_HEADER: usize = 1 << 20;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A byte that is 0 or not.
    Bool,
    /// Signed, of so many bytes.
    Int(usize),
    /// Unsigned, of so many bytes.
    UInt(usize),
    /// Of so many bytes.
    Float(usize),
    /// Two floats, of so many bytes together.
    Complex(usize),
    /// So many bytes, filled up with zeros.
    Bytes(usize),
    /// So many characters of four bytes, filled up with zeros.
    Text(usize),
}

impl Kind {
    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(size) | Self::UInt(size) | Self::Float(size) | Self::Complex(size) | Self::Bytes(size) => size,
            Self::Text(characters) => characters.saturating_mul(4),
        }
    }

    /// Bytes of the numbers of which an element consists, whose order differs between machines.
    pub fn unit(self) -> usize {
        match self {
            Self::Bytes(_) => 1,
            Self::Complex(size) => size / 2,
            Self::Text(_) => 4,
            other => other.size(),
        }
    }

    fn of(letter: char, size: usize) -> Option<Self> {
        Some(match (letter, size) {
            ('b', 1) => Self::Bool,
            ('i', 1 | 2 | 4 | 8) => Self::Int(size),
            ('u', 1 | 2 | 4 | 8) => Self::UInt(size),
            ('f', 2 | 4 | 8) => Self::Float(size),
            ('c', 8 | 16) => Self::Complex(size),
            ('S', _) => Self::Bytes(size),
            ('U', _) => Self::Text(size),
            _ => return None,
        })
    }
}

/// The header of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// What an element is.
    pub kind: Kind,
    /// Whether numbers have their highest byte first.
    pub big_endian: bool,
    /// Whether the first axis changes fastest.
    pub fortran: bool,
    /// The sizes.
    pub shape: Vec<usize>,
    /// The offset of the first element.
    pub start: usize,
}

impl Header {
    /// How many bytes the header of a file takes, by its first twelve or fewer.
    ///
    /// # Errors
    /// InvalidArgument for what is no such file, DataLoss for one that ends within these bytes.
    pub fn length(name: &str, bytes: &[u8]) -> Result<usize> {
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) || bytes.is_empty() {
            return Err(
                Error::invalid_argument(name, "is no .npy file").got(format!("{:?}", &bytes[..bytes.len().min(6)]))
            );
        }
        let cut_off = || Error::data_loss(name, "the file ends within its header");
        let (length, start) = match bytes.get(6) {
            None => return Err(cut_off()),
            Some(1) => match bytes.get(8..10) {
                Some(&[low, high]) => (usize::from(u16::from_le_bytes([low, high])), 10),
                _ => return Err(cut_off()),
            },
            Some(2 | 3) => match bytes.get(8..12) {
                Some(&[a, b, c, d]) => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
                _ => return Err(cut_off()),
            },
            Some(version) => {
                return Err(Error::unimplemented(name, "the file is of another version")
                    .got(version)
                    .expected("1 to 3"));
            }
        };
        match length <= LARGEST_HEADER {
            true => Ok(start + length),
            false => Err(Error::data_loss(name, "the header is too long").got(length).expected(LARGEST_HEADER)),
        }
    }

    /// Reads the header in front of a file's bytes.
    ///
    /// # Errors
    /// Those of [`length`](Self::length); InvalidArgument for a header that is not NumPy's; Unimplemented for elements that are no numbers
    /// and no strings.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        let start = Self::length(name, &bytes[..bytes.len().min(12)])?;
        let Some(header) = bytes.get(..start) else {
            return Err(Error::data_loss(name, "the file ends within its header"));
        };
        let wrong = |what: &str| Error::invalid_argument(name, format!("the header is damaged: {what}"));
        let text = header[if header[6] == 1 { 10 } else { 12 }..].iter().map(|&b| char::from(b)).collect::<String>();
        let entries = parse(&text).ok_or_else(|| wrong("it is no dictionary of Python").got(text.trim()))?;
        let entry = |key: &str| {
            let found = entries.iter().find(|(own, _)| own == key).map(|(_, value)| value);
            found.ok_or_else(|| wrong(&format!("there is no `{key}`")).got(text.trim()))
        };
        let (kind, big_endian) = match entry("descr")? {
            Value::Text(descr) => element(name, descr)?,
            _ => {
                return Err(Error::unimplemented(name, "the elements are records of several fields")
                    .got(text.trim())
                    .help("save each field as an array of its own"));
            }
        };
        let Value::Flag(fortran) = *entry("fortran_order")? else {
            return Err(wrong("`fortran_order` is no truth value"));
        };
        let Value::Numbers(shape) = entry("shape")? else { return Err(wrong("`shape` is no tuple of sizes")) };
        let header = Self { kind, big_endian, fortran, shape: shape.clone(), start };
        header.size().ok_or_else(|| wrong("there are more elements than memory has addresses").got(text.trim()))?;
        Ok(header)
    }

    /// How many elements there are.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes of all elements; none if no memory has so many.
    fn size(&self) -> Option<usize> {
        // Sizes of 0 hide others from the product, and must not hide an overflow of theirs.
        let most = self.shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size.max(1)))?;
        most.checked_mul(self.kind.size().max(1)).filter(|&bytes| bytes <= isize::MAX as usize)?;
        Some(self.count() * self.kind.size())
    }

    /// Bytes of all elements.
    ///
    /// # Errors
    /// DataLoss if the file, which has so many bytes with the header, is shorter.
    pub fn data_size(&self, name: &str, file: u64) -> Result<usize> {
        let size = self.count() * self.kind.size();
        match (self.start as u64).checked_add(size as u64).is_some_and(|needed| needed <= file) {
            true => Ok(size),
            false => Err(Error::data_loss(name, "the file is shorter than its header says")
                .got(format!("{file} bytes"))
                .expected(format!("{} + {size}", self.start))),
        }
    }

    /// The header as bytes: of version 1, with the highest byte last and the last axis fastest, filled up as NumPy fills it up.
    pub fn bytes(kind: Kind, shape: &[usize]) -> Vec<u8> {
        let (letter, size) = match kind {
            Kind::Bool => ('b', 1),
            Kind::Int(size) => ('i', size),
            Kind::UInt(size) => ('u', size),
            Kind::Float(size) => ('f', size),
            Kind::Complex(size) => ('c', size),
            Kind::Bytes(size) => ('S', size),
            Kind::Text(size) => ('U', size),
        };
        let order = if kind.unit() == 1 { '|' } else { '<' };
        let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
        let sizes = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
        let mut text = format!("{{'descr': '{order}{letter}{size}', 'fortran_order': False, 'shape': ({sizes}), }}");
        while !(10 + text.len() + 1).is_multiple_of(64) {
            text.push(' ');
        }
        text.push('\n');
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }
}

/// Turns the bytes of numbers of another machine around.
pub fn swap(bytes: &mut [u8], unit: usize) {
    if unit > 1 {
        bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
    }
}

/// An element by NumPy's description, such as `<f4`.
fn element(name: &str, descr: &str) -> Result<(Kind, bool)> {
    let parts = || {
        let mut letters = descr.chars();
        let order = letters.next().filter(|order| "<>|=".contains(*order))?;
        let letter = letters.next()?;
        let kind = Kind::of(letter, letters.as_str().parse().ok()?)?;
        Some((kind, order == '>'))
    };
    parts().ok_or_else(|| {
        Error::unimplemented(name, "the elements are of a kind that no tensor holds")
            .got(format!("`{descr}`"))
            .expected("truth values, numbers of up to 8 bytes, complex numbers or strings")
    })
}

#[cfg(test)]
mod tests;
