//! `decode_csv`: strings of comma separated values as one tensor per column, by TensorFlow's rules.
//! Users call it on lines, mostly in functions of data sets.

use super::host::{Work, io_fn};
use engine::library::options::options;
use engine::{AsTensor, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Dim;
use std::fmt::Display;
use std::str::FromStr;

const OP: &str = "decode_csv";

/// What a column holds, and what stands for a field that is empty: an entry of `record_defaults`.
#[derive(Clone, Debug, PartialEq)]
pub enum CsvDefault {
    /// `int32`.
    I32(i32),
    /// `int64`.
    I64(i64),
    /// `float32`.
    F32(f32),
    /// `float64`.
    F64(f64),
    /// `string`.
    String(String),
    /// A column of this dtype in which no field may be empty.
    Required(DType),
}

impl CsvDefault {
    fn dtype(&self) -> DType {
        match self {
            Self::I32(_) => DType::I32,
            Self::I64(_) => DType::I64,
            Self::F32(_) => DType::F32,
            Self::F64(_) => DType::F64,
            Self::String(_) => DType::String,
            Self::Required(dtype) => *dtype,
        }
    }
}

macro_rules! defaults {
    ($($t:ty => $kind:ident),*) => {$(
        impl From<$t> for CsvDefault {
            fn from(value: $t) -> Self {
                Self::$kind(value.into())
            }
        }
    )*};
}
defaults!(i32 => I32, i64 => I64, f32 => F32, f64 => F64, &str => String, String => String);

/// How fields are separated: the options of `tf.io.decode_csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvDecoding {
    delimiter: u8,
    use_quote_delim: bool,
    na_value: String,
    select_cols: Option<Vec<usize>>,
}

impl Default for CsvDecoding {
    fn default() -> Self {
        Self::new()
    }
}

impl CsvDecoding {
    /// Commas between fields, which may be quoted; all columns.
    pub fn new() -> Self {
        Self { delimiter: b',', use_quote_delim: true, na_value: String::new(), select_cols: None }
    }

    /// Whether quotes are taken for what they are, or as parts of a field.
    #[must_use]
    pub fn use_quote_delim(mut self, quotes: bool) -> Self {
        self.use_quote_delim = quotes;
        self
    }

    /// One more text, beside the empty one, that stands for a missing value.
    #[must_use]
    pub fn na_value(mut self, text: impl Into<String>) -> Self {
        self.na_value = text.into();
        self
    }
}

options! { [] CsvDecoding:
    /// What stands between fields: one character of ASCII, no quote and no end of line.
    pub fn field_delim, try_field_delim(this, delimiter: char) {
        match u8::try_from(delimiter) {
            Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => this.delimiter = byte,
            _ => return Err(Error::invalid_argument(OP, "`field_delim` is out of range").got(format!("{delimiter:?}")).expected("one character of ASCII, no quote and no end of line")),
        }
        Ok(this)
    }

    /// The columns that are wanted, in rising order; there must be as many defaults.
    pub fn select_cols, try_select_cols(this, columns: &[usize]) {
        if columns.is_empty() || !columns.is_sorted_by(|a, b| a < b) {
            return Err(Error::invalid_argument(OP, "`select_cols` must rise").got(format!("{columns:?}")));
        }
        this.select_cols = Some(columns.to_vec());
        Ok(this)
    }
}

impl CsvDecoding {
    /// The wanted fields of a record.
    fn fields(&self, record: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let (mut fields, mut at, mut number) = (Vec::new(), 0, 0);
        let is_wanted = |fields: &Vec<Vec<u8>>, number: usize| match &self.select_cols {
            Some(columns) => columns.get(fields.len()) == Some(&number),
            None => true,
        };
        while let Some(&first) = record.get(at) {
            if matches!(first, b'\n' | b'\r') {
                at += 1;
                continue;
            }
            let is_quoted = self.use_quote_delim && first == b'"';
            let (field, behind) = if is_quoted { self.quoted(record, at + 1)? } else { self.plain(record, at)? };
            if is_wanted(&fields, number) {
                fields.push(field);
                if self.select_cols.as_ref().is_some_and(|columns| columns.len() == fields.len()) {
                    return Ok(fields);
                }
            }
            (at, number) = (behind, number + 1);
        }
        // What follows the last delimiter is an empty field.
        if record.last() == Some(&self.delimiter) && is_wanted(&fields, number) {
            fields.push(Vec::new());
        }
        Ok(fields)
    }

    fn plain(&self, record: &[u8], at: usize) -> Result<(Vec<u8>, usize), String> {
        let rest = &record[at..];
        let length = rest.iter().position(|&byte| byte == self.delimiter).unwrap_or(rest.len());
        let is_foreign = |byte: &u8| matches!(byte, b'\n' | b'\r') || self.use_quote_delim && *byte == b'"';
        match rest[..length].iter().any(is_foreign) {
            true => Err("a field without quotes has a quote or an end of line inside".to_owned()),
            false => Ok((rest[..length].to_vec(), at + length + 1)),
        }
    }

    fn quoted(&self, record: &[u8], mut at: usize) -> Result<(Vec<u8>, usize), String> {
        let mut field = Vec::new();
        loop {
            match (record.get(at), record.get(at + 1)) {
                (Some(b'"'), None) => return Ok((field, at + 2)),
                (Some(b'"'), Some(&next)) if next == self.delimiter => return Ok((field, at + 2)),
                (Some(b'"'), Some(b'"')) => {
                    field.push(b'"');
                    at += 2;
                }
                (Some(b'"'), Some(_)) => return Err("a quote inside a quoted field is not doubled".to_owned()),
                (Some(&byte), _) => {
                    field.push(byte);
                    at += 1;
                }
                (None, _) => return Err("a quoted field does not end".to_owned()),
            }
        }
    }

    /// All columns of all records.
    fn columns(&self, records: &Tensor, defaults: &[CsvDefault]) -> Result<Vec<Tensor>> {
        let rows = records.try_to_byte_strings().map_err(|e| e.in_op(OP))?;
        let mut all = Vec::with_capacity(rows.len());
        for (number, row) in rows.iter().enumerate() {
            let fields =
                self.fields(row).map_err(|what| Error::invalid_argument(OP, format!("record {number}: {what}")))?;
            if fields.len() != defaults.len() {
                return Err(Error::invalid_argument(OP, format!("record {number} has another number of fields"))
                    .got(fields.len())
                    .expected(defaults.len()));
            }
            all.push(fields);
        }
        let shape = records.shape();
        let column = |(index, default): (usize, &CsvDefault)| {
            let fields: Vec<&[u8]> = all.iter().map(|fields| &fields[index][..]).collect();
            let place = |number: usize| format!("record {number}, field {index}");
            match default {
                CsvDefault::I32(value) => Tensor::try_from_vec(self.numbers(&fields, Some(*value), place)?, shape),
                CsvDefault::I64(value) => Tensor::try_from_vec(self.numbers(&fields, Some(*value), place)?, shape),
                CsvDefault::F32(value) => Tensor::try_from_vec(self.numbers(&fields, Some(*value), place)?, shape),
                CsvDefault::F64(value) => Tensor::try_from_vec(self.numbers(&fields, Some(*value), place)?, shape),
                CsvDefault::String(value) => {
                    Tensor::try_from_byte_strings(&self.texts(&fields, Some(value), place)?, shape)
                }
                CsvDefault::Required(DType::I32) => {
                    Tensor::try_from_vec(self.numbers::<i32>(&fields, None, place)?, shape)
                }
                CsvDefault::Required(DType::I64) => {
                    Tensor::try_from_vec(self.numbers::<i64>(&fields, None, place)?, shape)
                }
                CsvDefault::Required(DType::F32) => {
                    Tensor::try_from_vec(self.numbers::<f32>(&fields, None, place)?, shape)
                }
                CsvDefault::Required(DType::F64) => {
                    Tensor::try_from_vec(self.numbers::<f64>(&fields, None, place)?, shape)
                }
                CsvDefault::Required(_) => Tensor::try_from_byte_strings(&self.texts(&fields, None, place)?, shape),
            }
        };
        defaults.iter().enumerate().map(column).collect()
    }

    fn is_missing(&self, field: &[u8]) -> bool {
        field.is_empty() || field == self.na_value.as_bytes()
    }

    fn numbers<T: FromStr + Copy>(
        &self,
        fields: &[&[u8]],
        default: Option<T>,
        place: impl Fn(usize) -> String,
    ) -> Result<Vec<T>> {
        let one = |(number, field): (usize, &&[u8])| match (self.is_missing(field), default) {
            (true, Some(default)) => Ok(default),
            (true, None) => Err(missing(&place(number))),
            (false, _) => {
                let text = std::str::from_utf8(field).ok().map(str::trim);
                text.and_then(|text| text.parse().ok()).ok_or_else(|| {
                    Error::invalid_argument(OP, format!("{} is no {}", place(number), std::any::type_name::<T>()))
                        .got(format!("{:?}", String::from_utf8_lossy(field)))
                })
            }
        };
        fields.iter().enumerate().map(one).collect()
    }

    fn texts(
        &self,
        fields: &[&[u8]],
        default: Option<&String>,
        place: impl Fn(usize) -> String,
    ) -> Result<Vec<Vec<u8>>> {
        let one = |(number, field): (usize, &&[u8])| match (self.is_missing(field), default) {
            (true, Some(default)) => Ok(default.as_bytes().to_vec()),
            (true, None) => Err(missing(&place(number))),
            (false, _) => Ok(field.to_vec()),
        };
        fields.iter().enumerate().map(one).collect()
    }
}

#[cold]
fn missing(place: &impl Display) -> Error {
    Error::invalid_argument(OP, format!("{place} is required but missing"))
}

io_fn! {
    /// Records of comma separated values as one tensor per column, each of the records' shape.
    ///
    /// `record_defaults` has an entry per column: its dtype and what an empty field becomes, or that there is none.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::io::{CsvDecoding, CsvDefault};
    /// let lines = tf::constant(["1,a b,0.5", "2,,", "3,\"x,y\",-1"]);
    /// let columns = tf::io::decode_csv(&lines, &[CsvDefault::Required(tf::int32), "none".into(), 9.0_f32.into()], CsvDecoding::new());
    /// assert_eq!(columns[0].to_vec::<i32>(), [1, 2, 3]);
    /// assert_eq!(columns[1].to_strings(), ["a b", "none", "x,y"]);
    /// assert_eq!(columns[2].to_vec::<f32>(), [0.5, 9.0, -1.0]);
    /// ```
    pub fn decode_csv, try_decode_csv(records: impl AsTensor, record_defaults: &[CsvDefault], options: CsvDecoding) -> Vec<Tensor> {
        let (defaults, dtypes): (Vec<_>, Vec<_>) = record_defaults.iter().map(|default| (default.clone(), default.dtype())).unzip();
        let of = [DType::I32, DType::I64, DType::F32, DType::F64, DType::String];
        if let Some(dtype) = dtypes.iter().find(|dtype| !of.contains(dtype)) {
            return Err(Error::invalid_argument(OP, "a column has a dtype that is not read").got(dtype).expected(format!("one of {of:?}")));
        }
        if dtypes.is_empty() || options.select_cols.as_ref().is_some_and(|columns| columns.len() != dtypes.len()) {
            return Err(Error::invalid_argument(OP, "there must be a default for each column").got(dtypes.len()));
        }
        let types = move |inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim| match inputs[0].dtype {
            DType::String => Ok(dtypes.iter().map(|&dtype| TensorType::new(dtype, inputs[0].shape)).collect()),
            _ => Err(Error::invalid_argument(OP, "strings are needed").got(inputs[0])),
        };
        let settings = format!("{options:?} {defaults:?}");
        Work::new(OP, settings, types, move |inputs| options.columns(inputs[0], &defaults)).call(&[&records.as_tensor()])
    }
}
