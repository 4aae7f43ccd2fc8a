//! [`make_csv_dataset`]: batches of the columns of comma-separated files, by the names in their headers, with dtypes that are found in the
//! first rows. What reads the records is `CsvDataset`.

use super::IntoFiles;
use super::csv::{CsvColumn, CsvDataset, CsvOptions, IntoColumns, delimiter_of};
use super::files::FileOptions;
use super::infer::{self, Found};
use super::paths::{Files, paths_of};
use engine::data::{AUTOTUNE, Dataset, Shuffle};
use engine::library::OrFail;
use engine::library::options::{count, options};
use engine::{Error, Result, Tensor};
use std::collections::BTreeMap;
use std::panic::Location;

/// A column by its name or number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CsvName {
    /// As in the header.
    Name(String),
    /// From 0.
    Number(usize),
}

impl From<&str> for CsvName {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for CsvName {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<usize> for CsvName {
    fn from(number: usize) -> Self {
        Self::Number(number)
    }
}

/// What [`make_csv_dataset`] does beside reading; its defaults are TensorFlow's.
#[derive(Clone, Debug)]
pub struct MakeCsvOptions {
    pub(super) csv: CsvOptions,
    pub(super) column_names: Option<Vec<String>>,
    column_defaults: Option<Vec<CsvColumn>>,
    select_columns: Option<Vec<CsvName>>,
    num_epochs: Option<usize>,
    shuffle: bool,
    shuffle_buffer_size: usize,
    shuffle_seed: Option<i64>,
    prefetch_buffer_size: usize,
    num_rows_for_inference: usize,
    ignore_errors: bool,
}

impl MakeCsvOptions {
    /// Files with a header, shuffled by a buffer of 10,000 records, without an end; dtypes from the first 100 rows.
    pub fn new() -> Self {
        Self {
            csv: CsvOptions::new().header(true),
            column_names: None,
            column_defaults: None,
            select_columns: None,
            num_epochs: None,
            shuffle: true,
            shuffle_buffer_size: 10_000,
            shuffle_seed: None,
            prefetch_buffer_size: AUTOTUNE,
            num_rows_for_inference: 100,
            ignore_errors: false,
        }
    }

    /// The names of all columns in order, in place of those in the header.
    pub fn column_names<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.column_names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The dtypes or default values of all columns, or of those that are selected, in the order of the files. Without them dtypes are found
    /// in the first rows, and empty fields are 0 or the empty string.
    pub fn column_defaults(mut self, columns: impl IntoColumns) -> Self {
        self.column_defaults = Some(columns.into_columns());
        self
    }

    /// The columns that are read, by their names or numbers.
    pub fn select_columns<N: Into<CsvName>>(mut self, columns: impl IntoIterator<Item = N>) -> Self {
        self.select_columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// Whether quotes mean anything; they do, unless this says otherwise.
    pub fn use_quote_delim(mut self, quotes: bool) -> Self {
        self.csv = self.csv.use_quote_delim(quotes);
        self
    }

    /// What stands for no value, as an empty field does.
    pub fn na_value(mut self, text: impl Into<String>) -> Self {
        self.csv = self.csv.na_value(text);
        self
    }

    /// Whether the first record of each file holds the names of the columns: it does, unless this says otherwise.
    pub fn header(mut self, header: bool) -> Self {
        self.csv = self.csv.header(header);
        self
    }

    /// How often the files are gone over; `None` for ever, when only full batches are given.
    pub fn num_epochs(mut self, epochs: impl Into<Option<usize>>) -> Self {
        self.num_epochs = epochs.into();
        self
    }

    /// Whether files and records come in random order: they do, unless this says otherwise.
    pub fn shuffle(mut self, shuffle: bool) -> Self {
        self.shuffle = shuffle;
        self
    }

    /// The seed of the random order.
    pub fn shuffle_seed(mut self, seed: i64) -> Self {
        self.shuffle_seed = Some(seed);
        self
    }

    /// How many batches are made ahead; as many as help unless this says otherwise, and none for 0.
    pub fn prefetch_buffer_size(mut self, batches: usize) -> Self {
        self.prefetch_buffer_size = batches;
        self
    }

    /// Whether records with errors are left out.
    pub fn ignore_errors(mut self, ignore: bool) -> Self {
        self.ignore_errors = ignore;
        self
    }

    /// How the files are read.
    pub fn files(mut self, options: impl Into<FileOptions>) -> Self {
        self.csv = self.csv.files(options);
        self
    }
}

options! { MakeCsvOptions:
    /// What stands between two fields: an ASCII character that is no quote and ends no line.
    pub fn field_delim, try_field_delim(options, delimiter: char) {
        options.csv.dialect.delimiter = delimiter_of(delimiter)?;
        Ok(options)
    }

    /// How many records the random order draws from, at least 1.
    pub fn shuffle_buffer_size, try_shuffle_buffer_size(options, records: usize) {
        options.shuffle_buffer_size = count("MakeCsvOptions", "shuffle_buffer_size", records)?;
        Ok(options)
    }

    /// In how many rows dtypes are looked for, at least 1; `usize::MAX` for all.
    pub fn num_rows_for_inference, try_num_rows_for_inference(options, rows: usize) {
        options.num_rows_for_inference = count("MakeCsvOptions", "num_rows_for_inference", rows)?;
        Ok(options)
    }
}

impl Default for MakeCsvOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// Columns of a batch by their names.
type Columns = BTreeMap<String, Tensor>;

/// Batches of comma-separated files, each a map from the names of the columns to their values: TensorFlow's
/// `tf.data.experimental.make_csv_dataset`. `file_pattern` is a path, a pattern, or a list of them.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{MakeCsvOptions, make_csv_dataset};
/// let path = std::env::temp_dir().join(format!("eagerflow-make-csv-{}.csv", std::process::id()));
/// std::fs::write(&path, "name,age\nDoe,41\nRoe,40\nPoe,\n").unwrap();
/// let batches = make_csv_dataset(&path, 2, MakeCsvOptions::new().shuffle(false).num_epochs(1));
/// let ages: Vec<Vec<i32>> = batches.iter().map(|batch| batch["age"].to_vec()).collect();
/// assert_eq!(ages, [vec![41, 40], vec![0]]);
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// Types of columns are found as in TensorFlow: the first of `int32`, `int64`, `float32`, `float64` and `string` that all values of the
/// first rows fit.
///
/// # Panics
/// As [`try_make_csv_dataset`] fails.
#[track_caller]
pub fn make_csv_dataset(file_pattern: impl IntoFiles, batch_size: usize, options: MakeCsvOptions) -> Dataset<Columns> {
    try_make_csv_dataset(file_pattern, batch_size, options).or_fail()
}

/// [`make_csv_dataset`] that answers an error instead of panicking.
///
/// # Errors
/// InvalidArgument where no file matches, for headers that differ or name a column twice, columns that are not there, and batches of no
/// records; what the file system refuses. FailedPrecondition in a traced function, whose graph cannot look into files.
#[track_caller]
pub fn try_make_csv_dataset(
    file_pattern: impl IntoFiles,
    batch_size: usize,
    options: MakeCsvOptions,
) -> Result<Dataset<Columns>> {
    let here = Location::caller();
    let (batches, names) = batches(file_pattern, batch_size, options).map_err(|e| e.at(here))?;
    Ok(batches.map(move |columns| names.iter().cloned().zip(columns).collect::<Columns>()))
}

/// [`make_csv_dataset`] with one column apart, as what a model is to find: TensorFlow's `label_name`.
///
/// # Panics
/// As [`try_make_labeled_csv_dataset`] fails.
#[track_caller]
pub fn make_labeled_csv_dataset(
    file_pattern: impl IntoFiles,
    batch_size: usize,
    label_name: &str,
    options: MakeCsvOptions,
) -> Dataset<(Columns, Tensor)> {
    try_make_labeled_csv_dataset(file_pattern, batch_size, label_name, options).or_fail()
}

/// [`make_labeled_csv_dataset`] that answers an error instead of panicking.
///
/// # Errors
/// Those of [`try_make_csv_dataset`], and InvalidArgument if no column that is read has this name.
#[track_caller]
pub fn try_make_labeled_csv_dataset(
    file_pattern: impl IntoFiles,
    batch_size: usize,
    label_name: &str,
    options: MakeCsvOptions,
) -> Result<Dataset<(Columns, Tensor)>> {
    let here = Location::caller();
    let (batches, names) = batches(file_pattern, batch_size, options).map_err(|e| e.at(here))?;
    let Some(label) = names.iter().position(|name| name == label_name) else {
        return Err(Error::invalid_argument("make_csv_dataset", "the label is no column that is read")
            .got(format!("`{label_name}`"))
            .expected(format!("one of `{}`", names.join("`, `")))
            .at(here));
    };
    Ok(batches.map(move |mut columns: Vec<Tensor>| {
        let value = columns.remove(label);
        let others = names.iter().enumerate().filter(|(number, _)| *number != label).map(|(_, name)| name.clone());
        (others.zip(columns).collect::<Columns>(), value)
    }))
}

/// Batches of columns, and their names.
#[track_caller]
fn batches(
    file_pattern: impl IntoFiles,
    batch_size: usize,
    options: MakeCsvOptions,
) -> Result<(Dataset<Vec<Tensor>>, Vec<String>)> {
    const STEP: &str = "make_csv_dataset";
    let batch_size = count(STEP, "batch_size", batch_size)?;
    let Files::Names(patterns) = file_pattern.into_files()? else {
        return Err(Error::invalid_argument(
            STEP,
            "files are named by a data set, into which nobody looks before a pass",
        )
        .expected("paths or patterns"));
    };
    let listed = Dataset::try_list_files(&patterns, options.shuffle, options.shuffle_seed)?;
    let paths = paths_of(&engine::io::try_matching_files(&patterns)?)?;
    let MakeCsvOptions { csv, column_names, column_defaults, select_columns, .. } = &options;
    let names = match column_names {
        Some(names) => names.clone(),
        None => infer::names(&paths, csv)?,
    };
    let selected = select_columns.as_ref().map(|columns| numbers(columns, &names)).transpose()?;
    let used: Vec<usize> = selected.clone().unwrap_or_else(|| (0..names.len()).collect());
    let columns = match column_defaults {
        // Of all columns, or of those that are selected.
        Some(all) if all.len() == names.len() => used.iter().map(|&number| all[number].clone()).collect(),
        Some(own) if own.len() == used.len() => own.clone(),
        Some(own) => {
            return Err(Error::invalid_argument(STEP, "`column_defaults` has another length than there are columns")
                .got(own.len())
                .expected(names.len()));
        }
        None => infer::columns(&paths, csv, names.len(), &used, options.num_rows_for_inference)?
            .into_iter()
            .map(Found::column)
            .collect::<Vec<_>>(),
    };
    let used_names: Vec<String> = used.iter().map(|&number| names[number].clone()).collect();
    let mut reading = CsvOptions { names: used_names.clone(), ..csv.clone() };
    reading.select_cols = selected;
    let mut records = CsvDataset::try_with(&listed, columns, reading)?;
    if options.ignore_errors {
        records = records.ignore_errors(false);
    }
    if options.shuffle {
        let buffer = Shuffle::try_buffer(options.shuffle_buffer_size)?;
        records = records.try_shuffle(options.shuffle_seed.map_or(buffer, |seed| buffer.seed(seed)))?;
    }
    if options.num_epochs != Some(1) {
        records = records.repeat(options.num_epochs);
    }
    let batches = match options.num_epochs {
        Some(_) => records.batch(batch_size),
        None => records.batch_exact(batch_size),
    };
    match options.prefetch_buffer_size {
        0 => Ok((batches, used_names)),
        buffer => Ok((batches.try_prefetch(buffer)?, used_names)),
    }
}

/// The numbers of columns in ascending order.
fn numbers(columns: &[CsvName], names: &[String]) -> Result<Vec<usize>> {
    let number = |column: &CsvName| {
        let found = match column {
            CsvName::Name(name) => names.iter().position(|own| own == name),
            CsvName::Number(number) => Some(*number).filter(|&number| number < names.len()),
        };
        found.ok_or_else(|| {
            Error::invalid_argument("make_csv_dataset", "`select_columns` names a column that is not there")
                .got(format!("{column:?}"))
                .expected(format!("one of `{}`", names.join("`, `")))
        })
    };
    let mut numbers = columns.iter().map(number).collect::<Result<Vec<_>>>()?;
    numbers.sort_unstable();
    match numbers.is_empty() || numbers.windows(2).any(|two| two[0] == two[1]) {
        false => Ok(numbers),
        true => Err(Error::invalid_argument("make_csv_dataset", "`select_columns` names no column, or one twice")
            .got(format!("{columns:?}"))),
    }
}
