//! [`CsvDataset`]: the records of comma-separated files, each a list of scalars with the dtypes and defaults that are told.
//! `make_csv_dataset` finds those in the files and batches the records by name.

use super::files::FileOptions;
use super::source::{Format, Opened, records};
use super::{Compression, IntoFiles};
use engine::data::Dataset;
use engine::data::stage::Item;
use engine::library::OrFail;
use engine::library::options::options;
use engine::library::string_of;
use engine::{DType, Error, Result, Shape, Tensor, TensorType};
use formats::records::{CsvReader, Dialect, Fields, Position};
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

/// The dtypes that fields are read as.
const DTYPES: [DType; 5] = [DType::I32, DType::I64, DType::F32, DType::F64, DType::String];

/// What a column is: a dtype alone, for fields that have to be there, or the value of empty fields, whose dtype is the column's.
#[derive(Clone, Debug)]
pub enum CsvColumn {
    /// Every field has a value of this dtype.
    Required(DType),
    /// A scalar for empty fields.
    Optional(Tensor),
}

impl CsvColumn {
    pub(super) fn dtype(&self) -> DType {
        match self {
            Self::Required(dtype) => *dtype,
            Self::Optional(value) => value.dtype(),
        }
    }

    /// The value of an empty field.
    pub(super) fn value(&self) -> Option<&Tensor> {
        match self {
            Self::Required(_) => None,
            Self::Optional(value) => Some(value),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: &str| Error::invalid_argument("CsvDataset", what);
        if !DTYPES.contains(&self.dtype()) {
            return Err(wrong("a column is of a dtype that fields are not read as")
                .got(self.dtype())
                .expected("int32, int64, float32, float64 or string")
                .help("read it as one of these and `cast` it in `map`"));
        }
        match self.value() {
            Some(value) if value.rank() > 0 => {
                Err(wrong("the default of a column is no scalar").got(value.shape()).expected("shape []"))
            }
            _ => Ok(()),
        }
    }
}

impl From<DType> for CsvColumn {
    fn from(dtype: DType) -> Self {
        Self::Required(dtype)
    }
}

impl From<Tensor> for CsvColumn {
    fn from(value: Tensor) -> Self {
        Self::Optional(value)
    }
}

impl From<&Tensor> for CsvColumn {
    fn from(value: &Tensor) -> Self {
        Self::Optional(value.clone())
    }
}

macro_rules! defaults {
    ($($ty:ty: $make:path),*) => {$(
        impl From<$ty> for CsvColumn {
            #[track_caller]
            fn from(value: $ty) -> Self {
                Self::Optional($make(value))
            }
        }
    )*};
}

defaults!(i32: Tensor::from, i64: Tensor::from, f32: Tensor::from, f64: Tensor::from, &str: engine::constant, String: engine::constant);

/// The columns of a record: a list or tuple of [`CsvColumn`]s, dtypes and default values.
pub trait IntoColumns {
    /// Them in order.
    #[doc(hidden)]
    fn into_columns(self) -> Vec<CsvColumn>;
}

impl<C: Into<CsvColumn>, const N: usize> IntoColumns for [C; N] {
    fn into_columns(self) -> Vec<CsvColumn> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<C: Into<CsvColumn>> IntoColumns for Vec<C> {
    fn into_columns(self) -> Vec<CsvColumn> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($($($name:ident $index:tt),*;)*) => {$(
        impl<$($name: Into<CsvColumn>),*> IntoColumns for ($($name,)*) {
            fn into_columns(self) -> Vec<CsvColumn> {
                vec![$(self.$index.into()),*]
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

/// How comma-separated files are read.
#[derive(Clone, Debug)]
pub struct CsvOptions {
    pub(super) files: FileOptions,
    pub(super) header: bool,
    pub(super) dialect: Dialect,
    pub(super) na_value: Vec<u8>,
    pub(super) select_cols: Option<Vec<usize>>,
    /// For messages.
    pub(super) names: Vec<String>,
}

impl CsvOptions {
    /// Plain files without a header, commas, and quotes around fields that need them.
    pub fn new() -> Self {
        Self {
            files: FileOptions::new(),
            header: false,
            dialect: Dialect { delimiter: b',', quotes: true },
            na_value: Vec::new(),
            select_cols: None,
            names: Vec::new(),
        }
    }

    /// How the files are read.
    pub fn files(mut self, options: impl Into<FileOptions>) -> Self {
        self.files = options.into();
        self
    }

    /// Whether the first record of each file is passed over.
    pub fn header(mut self, header: bool) -> Self {
        self.header = header;
        self
    }

    /// Whether quotes mean anything; they do, unless this says otherwise.
    pub fn use_quote_delim(mut self, quotes: bool) -> Self {
        self.dialect.quotes = quotes;
        self
    }

    /// What stands for no value, as an empty field does.
    pub fn na_value(mut self, text: impl Into<String>) -> Self {
        self.na_value = text.into().into_bytes();
        self
    }
}

options! { CsvOptions:
    /// What stands between two fields: an ASCII character that is no quote and ends no line.
    pub fn field_delim, try_field_delim(options, delimiter: char) {
        options.dialect.delimiter = delimiter_of(delimiter)?;
        Ok(options)
    }

    /// The numbers of the columns that are read, from 0 and in ascending order: the others may hold anything.
    pub fn select_cols, try_select_cols(options, columns: Vec<usize>) {
        if columns.is_empty() || !columns.is_sorted_by(|a, b| a < b) {
            return Err(Error::invalid_argument("CsvOptions", "`select_cols` is out of order")
                .got(format!("{columns:?}"))
                .expected("numbers of columns in ascending order, each once"));
        }
        options.select_cols = Some(columns);
        Ok(options)
    }
}

pub(super) fn delimiter_of(delimiter: char) -> Result<u8> {
    match u8::try_from(delimiter) {
        Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(byte),
        _ => Err(Error::invalid_argument("CsvOptions", "`field_delim` cannot stand between fields")
            .got(format!("{delimiter:?}"))
            .expected("an ASCII character that is no quote and ends no line")),
    }
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Compression> for CsvOptions {
    fn from(compression: Compression) -> Self {
        Self::new().files(compression)
    }
}

impl From<FileOptions> for CsvOptions {
    fn from(options: FileOptions) -> Self {
        Self::new().files(options)
    }
}

/// The records of comma-separated files: TensorFlow's `tf.data.experimental.CsvDataset`. Each is a list of scalars, one for each column.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{CsvDataset, CsvOptions};
/// let path = std::env::temp_dir().join(format!("eagerflow-csv-{}", std::process::id()));
/// std::fs::write(&path, "name,age,height\n\"Doe, J.\",41,1.8\nRoe,,1.7\n").unwrap();
/// let people = CsvDataset::with(&path, (tf::string, 0, tf::float32), CsvOptions::new().header(true));
/// let ages: Vec<i32> = people.iter().map(|person| person[1].item()).collect();
/// assert_eq!(ages, [41, 0]);
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// A record with another number of fields, or with a field that is no number, is an error (InvalidArgument) with the file, the record, its
/// line and the column; whoever asks on gets the next record. Fields are TensorFlow's: quotes stand around whole fields, white space
/// around numbers does not count, and a field that is empty or the `na_value` is the column's default.
#[derive(Clone, Copy, Debug)]
pub enum CsvDataset {}

// It answers a data set of lists.
#[allow(clippy::new_ret_no_self)]
impl CsvDataset {
    /// The records of files without a header.
    ///
    /// # Panics
    /// As [`try_with`](Self::try_with) fails.
    #[track_caller]
    pub fn new(files: impl IntoFiles, record_defaults: impl IntoColumns) -> Dataset<Vec<Tensor>> {
        Self::try_with(files, record_defaults, CsvOptions::new()).or_fail()
    }

    /// [`new`](Self::new) that answers an error instead of panicking.
    ///
    /// # Errors
    /// See [`try_with`](Self::try_with).
    #[track_caller]
    pub fn try_new(files: impl IntoFiles, record_defaults: impl IntoColumns) -> Result<Dataset<Vec<Tensor>>> {
        Self::try_with(files, record_defaults, CsvOptions::new())
    }

    /// The records of files, with options.
    ///
    /// # Panics
    /// As [`try_with`](Self::try_with) fails.
    #[track_caller]
    pub fn with(
        files: impl IntoFiles,
        record_defaults: impl IntoColumns,
        options: impl Into<CsvOptions>,
    ) -> Dataset<Vec<Tensor>> {
        Self::try_with(files, record_defaults, options).or_fail()
    }

    /// The records of files, with options.
    ///
    /// # Errors
    /// InvalidArgument for no columns, columns of other dtypes than `int32`, `int64`, `float32`, `float64` and `string`, another number of
    /// selected columns than of those that are described, and names that are no strings.
    #[track_caller]
    pub fn try_with(
        files: impl IntoFiles,
        record_defaults: impl IntoColumns,
        options: impl Into<CsvOptions>,
    ) -> Result<Dataset<Vec<Tensor>>> {
        let here = Location::caller();
        let options = options.into();
        let at_a_time = options.files.at_a_time();
        let format: Arc<dyn Format> =
            Arc::new(Table::new(record_defaults.into_columns(), options).map_err(|e| e.at(here))?);
        let files = files.into_files().map_err(|e| e.in_op("CsvDataset").at(here))?;
        records(files, &format, at_a_time).map(|set| set.flattened()).map_err(|e| e.at(here))
    }
}

/// What the files hold.
struct Table {
    columns: Arc<[CsvColumn]>,
    options: CsvOptions,
}

impl Table {
    fn new(columns: Vec<CsvColumn>, options: CsvOptions) -> Result<Self> {
        if columns.is_empty() {
            return Err(Error::invalid_argument("CsvDataset", "there are no columns").expected("at least one"));
        }
        columns.iter().try_for_each(CsvColumn::check)?;
        match &options.select_cols {
            Some(selected) if selected.len() != columns.len() => Err(Error::invalid_argument(
                "CsvDataset",
                "`select_cols` has another length than the columns that are described",
            )
            .got(format!("{} numbers", selected.len()))
            .expected(format!("{} columns", columns.len()))),
            _ => Ok(Self { columns: columns.into(), options }),
        }
    }
}

impl Format for Table {
    fn step(&self) -> &'static str {
        "CsvDataset"
    }

    fn settings(&self) -> String {
        let CsvOptions { files, header, dialect, na_value, select_cols, .. } = &self.options;
        let columns: Vec<String> = self.columns.iter().map(|column| column.dtype().to_string()).collect();
        let na_value = String::from_utf8_lossy(na_value);
        format!(
            ", columns {} of {select_cols:?}, header {header}, {:?}, quotes {}, {na_value:?} for none{}",
            columns.join(" "),
            char::from(dialect.delimiter),
            dialect.quotes,
            files.words()
        )
    }

    fn types(&self) -> Vec<TensorType> {
        self.columns.iter().map(|column| TensorType::new(column.dtype(), Shape::SCALAR)).collect()
    }

    fn open(&self, path: &Path, from: Option<Position>) -> Result<Box<dyn Opened>> {
        let (compression, buffer) = self.options.files.reading();
        let mut reader = CsvReader::open(path, compression, buffer, self.options.dialect, from.unwrap_or_default())?;
        if from.is_none() && self.options.header {
            // Whatever it holds, it is no record.
            if let Err(error) = reader.next().map(|_| ())
                && !reader.goes_on()
            {
                return Err(error);
            }
        }
        Ok(Box::new(Rows { reader, columns: self.columns.clone(), options: self.options.clone() }))
    }
}

/// A file that is read.
struct Rows {
    reader: CsvReader,
    columns: Arc<[CsvColumn]>,
    options: CsvOptions,
}

/// What is wrong with a record.
struct Wrong {
    what: String,
    got: String,
    expected: String,
}

impl Opened for Rows {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(fields) = self.reader.next()? else { return Ok(None) };
        let values = row(fields, &self.columns, &self.options);
        let values =
            values.map_err(|Wrong { what, got, expected }| self.reader.wrong(&what).got(got).expected(expected));
        Ok(Some(Item::Values(values?.into_iter().collect())))
    }

    fn position(&self) -> Position {
        self.reader.position()
    }

    fn goes_on(&self) -> bool {
        self.reader.goes_on()
    }
}

/// The values of a record.
fn row(fields: Fields<'_>, columns: &[CsvColumn], options: &CsvOptions) -> Result<Vec<Tensor>, Wrong> {
    let CsvOptions { na_value, select_cols, names, .. } = options;
    let selected = |number: usize| select_cols.as_ref().map_or(number, |columns| columns[number]);
    let last = selected(columns.len() - 1) + 1;
    if fields.count() < last || select_cols.is_none() && fields.count() > last {
        return Err(Wrong {
            what: "it has another number of fields than there are columns".to_owned(),
            got: fields.count().to_string(),
            expected: format!("{}{last}", if select_cols.is_some() { "at least " } else { "" }),
        });
    }
    let mut values = Vec::with_capacity(columns.len());
    for (number, column) in columns.iter().enumerate() {
        let field = fields.get(selected(number)).unwrap_or_default();
        let name = || match names.get(number) {
            Some(name) => format!("column {} (`{name}`)", selected(number)),
            None => format!("column {}", selected(number)),
        };
        let value = if field.is_empty() || field == na_value {
            column.value().cloned().ok_or_else(|| Wrong {
                what: format!("{} has no value", name()),
                got: format!("{:?}", String::from_utf8_lossy(field)),
                expected: format!("a value of dtype {}, or a default for the column", column.dtype()),
            })?
        } else {
            value_of(field, column.dtype()).ok_or_else(|| Wrong {
                what: format!("{} is no {}", name(), column.dtype()),
                got: format!("{:?}", String::from_utf8_lossy(&field[..field.len().min(60)])),
                expected: format!("a value of dtype {}", column.dtype()),
            })?
        };
        values.push(value);
    }
    Ok(values)
}

/// A field as a scalar.
fn value_of(field: &[u8], dtype: DType) -> Option<Tensor> {
    if dtype == DType::String {
        return string_of(field).ok();
    }
    let text = std::str::from_utf8(field.trim_ascii()).ok()?;
    match dtype {
        DType::I32 => text.parse::<i32>().ok().map(Tensor::from),
        DType::I64 => text.parse::<i64>().ok().map(Tensor::from),
        DType::F32 => text.parse::<f32>().map(Tensor::from).ok().or_else(|| in_other_notation(text, dtype)),
        _ => text.parse::<f64>().map(Tensor::from).ok().or_else(|| in_other_notation(text, dtype)),
    }
}

/// Hexadecimal numbers, which few files have.
#[cold]
fn in_other_notation(text: &str, dtype: DType) -> Option<Tensor> {
    engine::strings::try_to_number(text, dtype).ok()
}
