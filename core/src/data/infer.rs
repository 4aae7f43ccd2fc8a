//! What the first rows of comma-separated files tell: the names of columns, and the narrowest dtype that holds all values.
//! `make_csv_dataset` asks, and takes the dtypes that TensorFlow would.

use super::csv::{CsvColumn, CsvOptions};
use engine::{Error, Result, Tensor};
use formats::records::{CsvReader, Position};
use std::path::{Path, PathBuf};

/// The dtype of a column, from the narrowest on: none while all of its fields were empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Found {
    #[default]
    Nothing,
    I32,
    I64,
    F32,
    F64,
    Text,
}

impl Found {
    /// With one more value.
    fn and(self, field: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(field) else { return Self::Text };
        // Python reads these, and takes an underscore between digits for nothing.
        let text = text.trim();
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let between = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let plain: String = match digits.contains('_') && digits.split('_').all(between) {
            true => text.replace('_', ""),
            false => text.to_owned(),
        };
        // TensorFlow takes the infinity below zero for a number, and the other for a text.
        let below = |infinite: bool| infinite && digits.starts_with(['i', 'I']) && text.starts_with('-');
        let single = plain.parse::<f32>().is_ok_and(|value| value.is_finite() || below(value.is_infinite()));
        let double = plain.parse::<f64>().is_ok_and(f64::is_finite);
        let own = if plain.parse::<i32>().is_ok() {
            Self::I32
        } else if plain.parse::<i64>().is_ok() {
            Self::I64
        } else if single {
            Self::F32
        } else if double {
            Self::F64
        } else {
            Self::Text
        };
        self.max(own)
    }

    /// The column, with 0 or the empty string for empty fields. One without a value holds strings.
    pub fn column(self) -> CsvColumn {
        CsvColumn::Optional(match self {
            Self::I32 => Tensor::from(0i32),
            Self::I64 => Tensor::from(0i64),
            Self::F32 => Tensor::from(0f32),
            Self::F64 => Tensor::from(0f64),
            Self::Nothing | Self::Text => engine::constant(""),
        })
    }

    /// Its dtype.
    #[cfg(test)]
    fn dtype(self) -> engine::DType {
        self.column().dtype()
    }
}

fn open(path: &Path, csv: &CsvOptions) -> Result<CsvReader> {
    let (compression, buffer) = csv.files.reading();
    CsvReader::open(path, compression, buffer, csv.dialect, Position::default())
}

/// The names in the headers, which must be the same in all files.
pub(super) fn names(paths: &[PathBuf], csv: &CsvOptions) -> Result<Vec<String>> {
    if !csv.header {
        let what = "the files have no header, and no names of columns are given";
        return Err(Error::invalid_argument("make_csv_dataset", what).help("set `column_names`"));
    }
    let mut names: Option<Vec<String>> = None;
    for path in paths {
        let mut reader = open(path, csv)?;
        let header = reader
            .next()?
            .map(|fields| fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect::<Vec<_>>());
        let wrong = |what: &str| Error::invalid_argument(path.display().to_string(), what);
        let own =
            header.ok_or_else(|| wrong("the file has no header").expected("a record with the names of columns"))?;
        let first = names.get_or_insert_with(|| own.clone());
        if *first != own {
            return Err(wrong("the header names other columns than that of the first file")
                .got(own.join(", "))
                .expected(first.join(", ")));
        }
    }
    let names = names.unwrap_or_default();
    match names.iter().enumerate().find(|(number, name)| names[..*number].contains(name)) {
        Some((_, name)) => {
            Err(Error::invalid_argument("make_csv_dataset", "the header names a column twice").got(format!("`{name}`")))
        }
        None => Ok(names),
    }
}

/// The dtypes of columns, by the first rows of the files in order.
pub(super) fn columns(
    paths: &[PathBuf],
    csv: &CsvOptions,
    fields: usize,
    used: &[usize],
    rows: usize,
) -> Result<Vec<Found>> {
    let (mut found, mut left) = (vec![Found::Nothing; used.len()], rows);
    for path in paths {
        let mut reader = open(path, csv)?;
        if csv.header {
            reader.next()?;
        }
        while left > 0 {
            let Some(row) = reader.next()? else { break };
            let count = row.count();
            if count != fields {
                return Err(reader
                    .wrong("it has another number of fields than there are columns")
                    .got(count)
                    .expected(fields)
                    .help("set `column_defaults` and `ignore_errors` to leave such records out"));
            }
            left -= 1;
            for (found, &number) in found.iter_mut().zip(used) {
                let field = row.get(number).unwrap_or_default();
                if !field.is_empty() && field != csv.na_value {
                    *found = found.and(field);
                }
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::DType;

    #[test]
    fn the_narrowest_dtype_is_found() {
        let of = |fields: &[&str]| fields.iter().fold(Found::Nothing, |found, f| found.and(f.as_bytes())).dtype();
        assert_eq!(of(&["1", " -2 ", "+3"]), DType::I32);
        assert_eq!(of(&["1", "2147483648"]), DType::I64);
        assert_eq!(of(&["1", "9223372036854775808"]), DType::F32);
        assert_eq!(of(&["1.5", "2"]), DType::F32);
        assert_eq!(of(&["1e39", "2"]), DType::F64);
        assert_eq!(of(&["1e400"]), DType::String);
        assert_eq!(of(&["1", "nan"]), DType::String);
        assert_eq!((of(&["-inf"]), of(&["inf"])), (DType::F32, DType::String));
        assert_eq!(of(&["1_000"]), DType::I32);
        assert_eq!(of(&[]), DType::String);
        assert_eq!(of(&["2147483648", "1.5"]), DType::F32);
    }
}
