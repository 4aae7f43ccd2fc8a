//! The data sets of records, lines and pieces of one length in files, and their options.
//! Users write `TFRecordDataset::new(files)` and go on with the steps of [`Dataset`].

use super::IntoFiles;
use super::source::{Format, Opened, Strings, records};
use engine::Result;
use engine::data::Dataset;
use engine::library::OrFail;
use engine::library::options::options;
use engine::library::options::{count, count_from};
use formats::records::{BUFFER, FixedReader, Layout, LineReader, Position, RecordReader};
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

pub use formats::records::Compression;

/// How files are read; a [`Compression`] stands for the options with it.
///
/// ```no_run
/// use eagerflow as tf;
/// use tf::data::{Compression, FileOptions, TFRecordDataset};
/// let packed = TFRecordDataset::with("a.tfrecord.gz", Compression::Gzip);
/// let options = FileOptions::new().buffer_size(1 << 20).num_parallel_reads(4);
/// let several = TFRecordDataset::with(["a.tfrecord", "b.tfrecord", "c.tfrecord", "d.tfrecord"], options);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOptions {
    compression: Compression,
    buffer_size: usize,
    num_parallel_reads: usize,
}

impl FileOptions {
    /// Plain files, one after the other, 256 KiB at a time.
    pub fn new() -> Self {
        Self { compression: Compression::None, buffer_size: BUFFER, num_parallel_reads: 1 }
    }

    /// How the files are packed: TensorFlow's `compression_type`.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// How the bytes of a file are had.
    pub(super) fn reading(self) -> (Compression, usize) {
        (self.compression, self.buffer_size)
    }

    /// How many files are read at a time.
    pub(super) fn at_a_time(self) -> usize {
        self.num_parallel_reads
    }

    /// In words, for states. How many bytes are read at a time is no part of it.
    pub(super) fn words(self) -> &'static str {
        match self.compression {
            Compression::None => "",
            Compression::Gzip => ", gzip",
            Compression::Zlib => ", zlib",
        }
    }
}

options! { FileOptions:
    /// How many bytes are read at a time, at least 1024. Records may be longer.
    pub fn buffer_size, try_buffer_size(options, bytes: usize) {
        options.buffer_size = count_from("FileOptions", "buffer_size", bytes, 1024)?;
        Ok(options)
    }

    /// How many files are read at a time, by threads that read ahead: then records come from these files in turn, as in TensorFlow.
    pub fn num_parallel_reads, try_num_parallel_reads(options, files: usize) {
        options.num_parallel_reads = count("FileOptions", "num_parallel_reads", files)?;
        Ok(options)
    }
}

impl Default for FileOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Compression> for FileOptions {
    fn from(compression: Compression) -> Self {
        Self::new().compression(compression)
    }
}

/// What is made of the contents of files: each of these has the same four functions, which answer a [`Dataset`] of strings.
macro_rules! sources {
    ($(
        $(#[$doc:meta])*
        pub enum $name:ident($($arg:ident: $arg_ty:ty)?; $options:ty) |$given:ident| $format:expr;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        // They answer data sets of strings, which have all the steps that follow.
        #[allow(clippy::new_ret_no_self)]
        impl $name {
            /// The data set of files that are not compressed.
            ///
            /// # Panics
            /// As [`try_with`](Self::try_with) fails.
            #[track_caller]
            pub fn new(files: impl IntoFiles $(, $arg: $arg_ty)?) -> Dataset {
                Self::try_with(files, $($arg,)? <$options>::new()).or_fail()
            }

            /// [`new`](Self::new) that answers an error instead of panicking.
            ///
            /// # Errors
            /// See [`try_with`](Self::try_with).
            #[track_caller]
            pub fn try_new(files: impl IntoFiles $(, $arg: $arg_ty)?) -> Result<Dataset> {
                Self::try_with(files, $($arg,)? <$options>::new())
            }

            /// The data set of files, with options.
            ///
            /// # Panics
            /// As [`try_with`](Self::try_with) fails.
            #[track_caller]
            pub fn with(files: impl IntoFiles, $($arg: $arg_ty,)? options: impl Into<$options>) -> Dataset {
                Self::try_with(files, $($arg,)? options).or_fail()
            }

            /// [`with`](Self::with) that answers an error instead of panicking.
            ///
            /// # Errors
            /// InvalidArgument for names that are no strings, and for records of no bytes. Files are opened when a pass comes to them:
            /// what is wrong with them, the pass answers.
            #[track_caller]
            pub fn try_with(
                files: impl IntoFiles,
                $($arg: $arg_ty,)?
                options: impl Into<$options>,
            ) -> Result<Dataset> {
                let here = Location::caller();
                let $given = options.into();
                let format: Result<(Arc<dyn Format>, usize)> = $format;
                let (format, at_a_time) = format.map_err(|e| e.at(here))?;
                let files = files.into_files().map_err(|e| e.in_op(format.step()).at(here))?;
                records(files, &format, at_a_time).map_err(|e| e.at(here))
            }
        }
    )*};
}

sources! {
    /// The records of TensorFlow's record files: TensorFlow's `tf.data.TFRecordDataset`. Each is a scalar string, whose checksums have
    /// been compared.
    ///
    /// [`TFRecordWriter`](crate::io::TFRecordWriter) writes such files.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::TFRecordDataset;
    /// let path = std::env::temp_dir().join(format!("eagerflow-records-{}", std::process::id()));
    /// let mut writer = tf::io::TFRecordWriter::new(&path);
    /// for text in ["one", "two"] {
    ///     writer.write(text);
    /// }
    /// writer.close();
    /// let records: Vec<String> = TFRecordDataset::new(&path).iter().map(|record| record.item_string()).collect();
    /// assert_eq!(records, ["one", "two"]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    ///
    /// A record that is cut off or damaged is an error (DataLoss) with the file, the number of the record and its byte; it ends its file,
    /// and whoever asks on gets the records of the next one, which is what `ignore_errors` does. TensorFlow takes a file that ends within
    /// the first twelve bytes of a record for a whole one; here that is an error, too.
    pub enum TFRecordDataset(; FileOptions) |options| Ok((Arc::new(OfRecords(options)), options.num_parallel_reads));

    /// The lines of text files, without what ends them: TensorFlow's `tf.data.TextLineDataset`. The last line needs no end.
    ///
    /// As in TensorFlow carriage returns are left out, wherever they are.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let path = std::env::temp_dir().join(format!("eagerflow-lines-{}", std::process::id()));
    /// std::fs::write(&path, "one\r\n\ntwo").unwrap();
    /// let lines: Vec<String> = tf::data::TextLineDataset::new(&path).iter().map(|line| line.item_string()).collect();
    /// assert_eq!(lines, ["one", "", "two"]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub enum TextLineDataset(; FileOptions) |options| Ok((Arc::new(OfLines(options)), options.num_parallel_reads));

    /// Pieces of one length of binary files, between a header and a footer: TensorFlow's `tf.data.FixedLengthRecordDataset`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::data::{FixedLengthOptions, FixedLengthRecordDataset};
    /// let path = std::env::temp_dir().join(format!("eagerflow-fixed-{}", std::process::id()));
    /// std::fs::write(&path, "HEADaabbcc").unwrap();
    /// let pieces = FixedLengthRecordDataset::with(&path, 2, FixedLengthOptions::new().header_bytes(4));
    /// assert_eq!(pieces.iter().map(|piece| piece.item_string()).collect::<Vec<_>>(), ["aa", "bb", "cc"]);
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    ///
    /// A file that no whole number of pieces fills is an error: of a plain file before its first piece, of a compressed one behind its last.
    pub enum FixedLengthRecordDataset(record_bytes: usize; FixedLengthOptions) |options| {
        count("FixedLengthRecordDataset", "record_bytes", record_bytes).map(|record| {
            let layout = Layout { header: options.header_bytes, record, footer: options.footer_bytes };
            let format: Arc<dyn Format> = Arc::new(OfPieces(options.files, layout));
            (format, options.files.num_parallel_reads)
        })
    };
}

/// How files of pieces of one length are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedLengthOptions {
    header_bytes: usize,
    footer_bytes: usize,
    files: FileOptions,
}

impl FixedLengthOptions {
    /// No header and no footer, and plain files.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes are passed over at the beginning of each file.
    pub fn header_bytes(mut self, bytes: usize) -> Self {
        self.header_bytes = bytes;
        self
    }

    /// How many bytes are left out at the end of each file.
    pub fn footer_bytes(mut self, bytes: usize) -> Self {
        self.footer_bytes = bytes;
        self
    }

    /// How the files are read.
    pub fn files(mut self, options: impl Into<FileOptions>) -> Self {
        self.files = options.into();
        self
    }
}

impl From<FileOptions> for FixedLengthOptions {
    fn from(options: FileOptions) -> Self {
        Self::new().files(options)
    }
}

impl From<Compression> for FixedLengthOptions {
    fn from(compression: Compression) -> Self {
        Self::new().files(compression)
    }
}

struct OfRecords(FileOptions);

impl Format for OfRecords {
    fn step(&self) -> &'static str {
        "TFRecordDataset"
    }

    fn settings(&self) -> String {
        self.0.words().to_owned()
    }

    fn open(&self, path: &Path, from: Option<Position>) -> Result<Box<dyn Opened>> {
        let FileOptions { compression, buffer_size, .. } = self.0;
        let reader = RecordReader::open(path, compression, buffer_size, from.unwrap_or_default())?;
        Ok(Box::new(Strings(reader)))
    }
}

struct OfLines(FileOptions);

impl Format for OfLines {
    fn step(&self) -> &'static str {
        "TextLineDataset"
    }

    fn settings(&self) -> String {
        self.0.words().to_owned()
    }

    fn open(&self, path: &Path, from: Option<Position>) -> Result<Box<dyn Opened>> {
        let FileOptions { compression, buffer_size, .. } = self.0;
        Ok(Box::new(Strings(LineReader::open(path, compression, buffer_size, from.unwrap_or_default())?)))
    }
}

struct OfPieces(FileOptions, Layout);

impl Format for OfPieces {
    fn step(&self) -> &'static str {
        "FixedLengthRecordDataset"
    }

    fn settings(&self) -> String {
        let Layout { header, record, footer } = self.1;
        format!(", {header} + {record} + {footer} bytes{}", self.0.words())
    }

    fn open(&self, path: &Path, from: Option<Position>) -> Result<Box<dyn Opened>> {
        let FileOptions { compression, buffer_size, .. } = self.0;
        Ok(Box::new(Strings(FixedReader::open(path, compression, buffer_size, self.1, from)?)))
    }
}
