//! Strings of tensors on the host: reads as Rust's `String` or as bytes, tensors of bytes, and their text.
//! Users call these; operations look at `tensor::strings::Strings` instead.

use super::text::{Brackets, LONG, shown};
use crate::tensor::strings::Strings;
use crate::tensor::{Tensor, note_read};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::IntoShape;
use std::fmt::Write;
use std::panic::Location;

impl Tensor {
    /// The strings of a tensor that is read now.
    #[track_caller]
    fn read_strings(&self, op: &str) -> Result<&Strings> {
        if self.is_symbol() {
            self.concrete(op)?;
        }
        note_read(self, Some(Location::caller()));
        Strings::of(self, op).map_err(|e| match self.dtype() {
            DType::String => e,
            _ => e.help("`as_string` writes numbers as strings; read numbers with `to_vec`"),
        })
    }

    /// All strings in row-major order, which must be UTF-8.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant([["a", "b"], ["c", "é"]]).to_strings(), ["a", "b", "c", "é"]);
    /// ```
    ///
    /// # Panics
    /// As [`try_to_strings`](Self::try_to_strings) fails.
    #[track_caller]
    pub fn to_strings(&self) -> Vec<String> {
        self.try_to_strings().or_fail()
    }

    /// All strings in row-major order.
    ///
    /// # Errors
    /// InvalidArgument if the tensor holds no strings, or bytes that are not UTF-8:
    /// [`to_byte_strings`](Self::to_byte_strings) reads those.
    #[track_caller]
    pub fn try_to_strings(&self) -> Result<Vec<String>> {
        let here = Location::caller();
        let mut all = Vec::new();
        let read = self.read_strings("to_strings").and_then(|strings| {
            strings.each(|bytes| {
                all.push(utf8("to_strings", bytes)?);
                Ok(())
            })
        });
        read.map(|()| all).map_err(|e| e.at(here))
    }

    /// The bytes of all strings in row-major order.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::Tensor::try_from_byte_strings(&[b"\xff\x00", b"ab"], [2])?;
    /// assert_eq!(x.to_byte_strings(), [b"\xff\x00", b"ab"]);
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Panics
    /// As [`try_to_byte_strings`](Self::try_to_byte_strings) fails.
    #[track_caller]
    pub fn to_byte_strings(&self) -> Vec<Vec<u8>> {
        self.try_to_byte_strings().or_fail()
    }

    /// The bytes of all strings in row-major order.
    ///
    /// # Errors
    /// InvalidArgument if the tensor holds no strings.
    #[track_caller]
    pub fn try_to_byte_strings(&self) -> Result<Vec<Vec<u8>>> {
        let here = Location::caller();
        let read = self.read_strings("to_byte_strings").and_then(Strings::rows);
        read.map(|rows| rows.into_iter().map(<[u8]>::to_vec).collect()).map_err(|e| e.at(here))
    }

    /// The only string of a tensor with one element, which must be UTF-8.
    ///
    /// ```
    /// use eagerflow as tf;
    /// assert_eq!(tf::constant("abc").item_string(), "abc");
    /// ```
    ///
    /// # Panics
    /// As [`try_item_string`](Self::try_item_string) fails.
    #[track_caller]
    pub fn item_string(&self) -> String {
        self.try_item_string().or_fail()
    }

    /// The only string of a tensor with one element; `String::try_from(&tensor)` is the same.
    ///
    /// # Errors
    /// InvalidArgument if there is not exactly one element, or it is no string, or not UTF-8.
    #[track_caller]
    pub fn try_item_string(&self) -> Result<String> {
        let here = Location::caller();
        let read = self.read_strings("item_string").and_then(|strings| match strings.rows()?[..] {
            [one] => utf8("item_string", one),
            _ => Err(Error::invalid_argument("item_string", "only a tensor with one element can be read as a string")
                .got(self.ty())
                .expected("shape [] or a shape of ones")
                .help("index it, or use `to_strings`")),
        });
        read.map_err(|e| e.at(here))
    }

    /// A tensor of strings of any bytes, as `tf.constant` of Python's `bytes`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::Tensor::try_from_byte_strings(&[&b"a"[..], b"\xfe\xff"], [2, 1])?;
    /// assert_eq!((x.dtype(), x.shape().dims()), (tf::string, &[2, 1][..]));
    /// # Ok::<(), tf::Error>(())
    /// ```
    ///
    /// # Errors
    /// InvalidArgument if the shape has another number of elements.
    #[track_caller]
    pub fn try_from_byte_strings<S: AsRef<[u8]>>(strings: &[S], shape: impl IntoShape) -> Result<Self> {
        let here = Location::caller();
        let shape = shape.into_shape().map_err(|e| e.in_op("from_byte_strings").at(here))?;
        if shape.num_elements() != strings.len() {
            return Err(Error::invalid_argument("from_byte_strings", "the shape has another number of elements")
                .got(format!("{} strings", strings.len()))
                .expected(format!("{} for shape {shape}", shape.num_elements()))
                .at(here));
        }
        Self::of_strings(strings, &shape).map_err(|e| e.at(here))
    }
}

fn utf8(op: &str, bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec()).map_err(|e| {
        Error::invalid_argument(op, format!("the bytes are not UTF-8: {}", e.utf8_error()))
            .got(quoted(&bytes[..bytes.len().min(40)]))
            .help("`to_byte_strings` reads strings of any bytes")
    })
}

/// The only string, as [`Tensor::try_item_string`].
impl TryFrom<&Tensor> for String {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: &Tensor) -> Result<Self> {
        tensor.try_item_string()
    }
}

/// The only string, as [`Tensor::try_item_string`].
impl TryFrom<Tensor> for String {
    type Error = Error;

    #[track_caller]
    fn try_from(tensor: Tensor) -> Result<Self> {
        tensor.try_item_string()
    }
}

/// Bytes as Python writes them: `b'a\n\xff'`.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    let mut out = format!("b{quote}");
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ if char::from(byte) == quote => {
                out.push('\\');
                out.push(quote);
            }
            b' '..=b'~' => out.push(char::from(byte)),
            // Writing to a string does not fail.
            _ => _ = write!(out, "\\x{byte:02x}"),
        }
    }
    out.push(quote);
    out
}

/// The elements of a tensor of strings as nested brackets.
pub(crate) fn elements(tensor: &Tensor) -> String {
    let rows = match Strings::of(tensor, "print").and_then(Strings::rows) {
        Ok(rows) => rows,
        Err(error) => return format!("<{error}>"),
    };
    if tensor.rank() == 0 {
        return rows.first().map_or_else(String::new, |row| quoted(row));
    }
    if rows.is_empty() {
        return "[]".into();
    }
    let (dims, abridged) = (tensor.shape().dims(), rows.len() > LONG);
    let mut cells = Vec::new();
    collect(dims, &rows, abridged, &mut cells);
    Brackets { dims, abridged, cells: cells.into_iter() }.text()
}

/// The texts of all elements that are shown, in order.
fn collect(dims: &[usize], rows: &[&[u8]], abridged: bool, out: &mut Vec<String>) {
    let Some((&size, inner)) = dims.split_first() else {
        out.extend(rows.first().map(|row| quoted(row)));
        return;
    };
    let step = rows.len() / size.max(1);
    for i in shown(size, abridged).0 {
        collect(inner, &rows[i * step..][..step], abridged, out);
    }
}
