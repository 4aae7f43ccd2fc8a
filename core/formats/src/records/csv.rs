//! [`CsvReader`]: the records of comma-separated files, as RFC 4180 and TensorFlow's `CsvDataset` have them: fields in quotes may hold
//! delimiters, ends of lines and doubled quotes; quotes anywhere else are an error, after which the next record can be read.

use super::{Compression, Input, Position};
use kernels::error::{Error, Result};
use std::path::Path;

/// How fields are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// What stands between two fields.
    pub delimiter: u8,
    /// Whether quotes mean anything.
    pub quotes: bool,
}

/// Reads the records of a file in order.
pub struct CsvReader {
    input: Input,
    dialect: Dialect,
    next: Position,
    /// The fields of a record, one behind the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Of the record that was read last.
    first_line: u64,
    goes_on: bool,
}

/// What is wrong with a record, and where it goes on.
enum Fault {
    /// A quote in a field without quotes, or text behind a closing one.
    Quote,
    /// A field in quotes that nothing closes.
    Open,
}

impl CsvReader {
    /// Opens a file at the beginning of a record.
    ///
    /// # Errors
    /// Those of [`Input::open`].
    pub fn open(
        path: &Path,
        compression: Compression,
        buffer: usize,
        dialect: Dialect,
        from: Position,
    ) -> Result<Self> {
        let input = Input::open(path, compression, buffer, from.offset)?;
        let (text, ends) = (Vec::new(), Vec::new());
        Ok(Self { input, dialect, next: from, text, ends, first_line: from.line, goes_on: true })
    }

    /// The next record; `None` behind the last.
    ///
    /// # Errors
    /// InvalidArgument for quotes in wrong places; those of [`Input::ahead`], after which nothing more can be read.
    #[allow(clippy::should_implement_trait, reason = "a record is lent, which an iterator cannot do")]
    pub fn next(&mut self) -> Result<Option<Fields<'_>>> {
        self.goes_on = false;
        if self.input.ahead(1)? == 0 {
            return Ok(None);
        }
        self.text.clear();
        self.ends.clear();
        self.first_line = self.next.line;
        let mut at = 0;
        let fault = self.record(&mut at)?;
        self.input.used(at);
        let record = self.next.record;
        self.next = Position { offset: self.input.offset(), record: record + 1, line: self.next.line };
        self.goes_on = true;
        match fault {
            None => Ok(Some(Fields { text: &self.text, ends: &self.ends })),
            Some(Fault::Quote) => Err(self
                .wrong("a quote stands in the middle of a field")
                .expected("quotes around a whole field, and two for one within it")),
            Some(Fault::Open) => {
                Err(self.wrong("the file ends within quotes").expected("a quote that closes the field"))
            }
        }
    }

    /// Where the next record begins.
    pub fn position(&self) -> Position {
        self.next
    }

    /// Whether another record can be read after an error.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// An error of the record that was read last.
    #[cold]
    pub fn wrong(&self, what: &str) -> Error {
        let (record, line) = (self.next.record.saturating_sub(1), self.first_line + 1);
        Error::invalid_argument(self.input.name(), format!("record {record} on line {line}: {what}"))
    }

    /// Bytes that wait from a place on, at least one; nothing at the end of the file.
    fn from(&mut self, at: usize) -> Result<&[u8]> {
        self.input.ahead(at + 1)?;
        Ok(self.input.waiting().get(at..).unwrap_or_default())
    }

    /// Reads fields up to the end of the record, and moves behind it.
    fn record(&mut self, at: &mut usize) -> Result<Option<Fault>> {
        loop {
            let fault = match self.from(*at)?.first().copied() {
                Some(b'"') if self.dialect.quotes => {
                    *at += 1;
                    self.quoted(at)?
                }
                _ => self.plain(at)?,
            };
            if fault.is_some() {
                self.pass_over_line(at)?;
                return Ok(fault);
            }
            self.ends.push(self.text.len());
            let Some(&byte) = self.from(*at)?.first() else { return Ok(None) };
            *at += 1;
            if byte == self.dialect.delimiter {
                continue;
            }
            if byte == b'\r' && self.from(*at)?.first() == Some(&b'\n') {
                *at += 1;
            }
            self.next.line += 1;
            return Ok(None);
        }
    }

    /// A field without quotes: up to a delimiter or the end of the line.
    fn plain(&mut self, at: &mut usize) -> Result<Option<Fault>> {
        let Dialect { delimiter, quotes } = self.dialect;
        loop {
            self.input.ahead(*at + 1)?;
            let there = self.input.waiting().get(*at..).unwrap_or_default();
            let ends = |&byte: &u8| byte == delimiter || byte == b'\n' || byte == b'\r' || quotes && byte == b'"';
            let (part, found) = match there.iter().position(ends) {
                Some(end) => (&there[..end], Some(there[end])),
                None => (there, None),
            };
            self.text.extend_from_slice(part);
            *at += part.len();
            match found {
                Some(b'"') if quotes => return Ok(Some(Fault::Quote)),
                Some(_) => return Ok(None),
                None if part.is_empty() => return Ok(None),
                None => {}
            }
        }
    }

    /// The rest of a field whose quote was opened.
    fn quoted(&mut self, at: &mut usize) -> Result<Option<Fault>> {
        loop {
            self.input.ahead(*at + 1)?;
            let there = self.input.waiting().get(*at..).unwrap_or_default();
            if there.is_empty() {
                return Ok(Some(Fault::Open));
            }
            let end = memchr::memchr(b'"', there);
            let part = &there[..end.unwrap_or(there.len())];
            self.text.extend_from_slice(part);
            self.next.line += memchr::memchr_iter(b'\n', part).count() as u64;
            *at += part.len() + usize::from(end.is_some());
            if end.is_none() {
                continue;
            }
            let delimiter = self.dialect.delimiter;
            match self.from(*at)?.first() {
                Some(b'"') => {
                    self.text.push(b'"');
                    *at += 1;
                }
                None | Some(b'\n' | b'\r') => return Ok(None),
                Some(&byte) if byte == delimiter => return Ok(None),
                Some(_) => return Ok(Some(Fault::Quote)),
            }
        }
    }

    fn pass_over_line(&mut self, at: &mut usize) -> Result<()> {
        loop {
            let there = self.from(*at)?;
            if there.is_empty() {
                return Ok(());
            }
            let end = memchr::memchr(b'\n', there);
            *at += end.map_or(there.len(), |end| end + 1);
            if end.is_some() {
                self.next.line += 1;
                return Ok(());
            }
        }
    }
}

/// The fields of a record.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    text: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Fields<'a> {
    /// How many there are, at least one.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// A field without its quotes.
    pub fn get(&self, number: usize) -> Option<&'a [u8]> {
        let end = *self.ends.get(number)?;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        self.text.get(start..end)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let own = *self;
        (0..own.count()).filter_map(move |number| own.get(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, put_file};

    /// Records, and lines of the errors between them.
    fn read(bytes: &[u8], quotes: bool, buffer: usize) -> Vec<Result<Vec<String>, String>> {
        let folder = Folder::new();
        let path = folder.join("a.csv");
        put_file(&path, bytes);
        let dialect = Dialect { delimiter: b',', quotes };
        let open = |from| CsvReader::open(&path, Compression::None, buffer, dialect, from).unwrap();
        let (mut reader, mut all, mut places) = (open(Position::default()), Vec::new(), Vec::new());
        loop {
            places.push(reader.position());
            let words =
                |fields: Fields<'_>| fields.iter().map(|f| String::from_utf8_lossy(f).into_owned()).collect::<Vec<_>>();
            match reader.next() {
                Ok(None) => break,
                Ok(Some(fields)) => all.push(Ok(words(fields))),
                Err(error) => {
                    assert!(reader.goes_on());
                    all.push(Err(error.to_string()));
                }
            }
        }
        for (number, place) in places.into_iter().enumerate() {
            let mut reader = open(place);
            for expected in &all[number..] {
                match (reader.next(), expected) {
                    (Ok(Some(fields)), Ok(own)) => assert_eq!(fields.count(), own.len()),
                    (Err(error), Err(own)) => assert_eq!(&error.to_string(), own),
                    _ => panic!("another outcome from {place:?} on"),
                }
            }
            assert!(reader.next().unwrap().is_none());
        }
        all
    }

    #[test]
    fn records_are_tensorflows() {
        let text = b"\"a,b\",1\r\n\"c\"\"d\",2\re,3\n\"multi\nline\",4\n\n,\n x ,\"\"";
        let expected: [&[&str]; 7] =
            [&["a,b", "1"], &["c\"d", "2"], &["e", "3"], &["multi\nline", "4"], &[""], &["", ""], &[" x ", ""]];
        for buffer in [1, 70, 1 << 16] {
            let found: Vec<Vec<String>> = read(text, true, buffer).into_iter().map(Result::unwrap).collect();
            assert_eq!(found, expected);
        }
        let plain = read(b"a\"b,1\n\"open,3\n", false, 64);
        assert_eq!(plain[1], Ok(vec!["\"open".to_owned(), "3".to_owned()]));
        assert!(read(b"", true, 64).is_empty());
    }

    #[test]
    fn quotes_in_wrong_places_are_errors_with_their_line() {
        let found = read(b"a,1\nb\"c,2\n\"m\nn\",3\n\"d\"e,4\nf,5\n\"open,6\n", true, 64);
        let ok = |number: usize| found[number].as_ref().unwrap()[1].clone();
        assert_eq!([ok(0), ok(2), ok(4)], ["1", "3", "5"]);
        let error = |number: usize| found[number].as_ref().unwrap_err();
        assert!(error(1).contains("record 1 on line 2") && error(1).contains("a.csv"), "{}", error(1));
        assert!(error(3).contains("record 3 on line 5"), "{}", error(3));
        assert!(error(5).contains("record 5 on line 7") && error(5).contains("ends within quotes"), "{}", error(5));
        assert_eq!(found.len(), 6);
    }
}
