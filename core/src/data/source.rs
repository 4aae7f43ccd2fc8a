//! The stage that reads files record by record, one file after the other; what a record is, a [`Format`] says.
//! `TFRecordDataset`, `TextLineDataset` and `FixedLengthRecordDataset` begin with it.

use super::paths::{Files, paths_of};
use engine::data::stage::{Item, Pass, Saved, Stage};
use engine::data::{Cardinality, Dataset, Parallel};
use engine::library::OrFail;
use engine::library::{StateWriter, string_of};
use engine::{DType, Error, Result, Shape, Tensor, TensorType};
use formats::records::{Position, Records};
use smallvec::smallvec;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the files of a source hold.
pub(super) trait Format: Send + Sync + 'static {
    /// The source's name.
    fn step(&self) -> &'static str;

    /// All of its settings in words.
    fn settings(&self) -> String;

    /// The types of an element's components.
    fn types(&self) -> Vec<TensorType> {
        vec![TensorType::new(DType::String, Shape::SCALAR)]
    }

    /// Opens a file, at its beginning or at a place between two records.
    fn open(&self, path: &Path, from: Option<Position>) -> Result<Box<dyn Opened>>;
}

/// A file that elements are read from.
pub(super) trait Opened: Send {
    /// The next element; `None` behind the last.
    fn next(&mut self) -> Result<Option<Item>>;

    /// Where the next element begins.
    fn position(&self) -> Position;

    /// Whether there may be more elements behind one that failed.
    fn goes_on(&self) -> bool {
        false
    }
}

/// Records as strings.
pub(super) struct Strings<R>(pub R);

impl<R: Records> Opened for Strings<R> {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(record) = self.0.next()? else { return Ok(None) };
        Ok(Some(Item::Values(smallvec![string_of(record)?])))
    }

    fn position(&self) -> Position {
        self.0.position()
    }
}

/// A data set of the records of files. With several at a time, records come from so many files in turn, which threads read ahead.
#[track_caller]
pub(super) fn records(files: Files, format: &Arc<dyn Format>, at_a_time: usize) -> Result<Dataset> {
    let format = format.clone();
    match (files, at_a_time) {
        (Files::Names(names), 1) => of_names(&[names], format, Location::caller()),
        (Files::Names(names), _) => in_turn(&Dataset::try_from_tensor_slices(names)?, format, at_a_time),
        (Files::Dataset(names), _) => in_turn(&names, format, at_a_time),
    }
}

#[track_caller]
fn in_turn(names: &Dataset, format: Arc<dyn Format>, at_a_time: usize) -> Result<Dataset> {
    let spec = names.element_spec();
    if let Some([one]) = spec.as_deref()
        && one.dtype() != DType::String
    {
        return Err(Error::invalid_argument(format.step(), "the data set's elements are no names of files")
            .got(one)
            .expected("strings"));
    }
    // The function that opens a file is called by the pass.
    let location = Location::caller();
    let opened = move |name: Tensor| {
        let names = super::IntoFiles::into_files(name)?;
        match names {
            Files::Names(names) => of_names(&[names], format.clone(), location),
            Files::Dataset(_) => Err(Error::internal(format.step(), "a name that is a data set")),
        }
    };
    match at_a_time {
        1 => Ok(names.flat_map(move |name| opened(name).or_fail())),
        _ => Ok(names.interleave_with(at_a_time, 1, Parallel::calls(at_a_time), move |name| opened(name).or_fail())),
    }
}

#[track_caller]
fn of_names(names: &[Tensor], format: Arc<dyn Format>, location: &'static Location<'static>) -> Result<Dataset> {
    Dataset::__of_source(format.step(), names, format.types(), move |inputs| {
        let mut paths = Vec::new();
        for names in inputs {
            paths.extend(paths_of(names)?);
        }
        let files = Arc::new(Source { paths, format: format.clone(), location });
        Ok(Arc::new(FileRecords(files)) as Arc<dyn Stage>)
    })
}

/// The files and what they hold.
struct Source {
    paths: Vec<PathBuf>,
    format: Arc<dyn Format>,
    /// The user's line.
    location: &'static Location<'static>,
}

impl Source {
    /// What a state calls a file: its name without the folder, which may have moved.
    fn name_of(&self, file: usize) -> String {
        let name = self.paths.get(file).and_then(|path| path.file_name());
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The records of several files.
struct FileRecords(Arc<Source>);

impl Stage for FileRecords {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let mut pass = Reading { of: self.0.clone(), next: 0, open: None };
        let Some(from) = from else { return Ok(Box::new(pass)) };
        pass.next = from.at_most(self.0.paths.len())?;
        if from.flag()? {
            let name = from.text()?.to_owned();
            let place = Position { offset: from.number()?, record: from.number()?, line: from.number()? };
            let Some(file) = pass.next.checked_sub(1) else { return Err(from.damaged("a file before the first")) };
            let here = self.0.name_of(file);
            if here != name {
                let what = format!("the state stands in another file than file {file} of the data set");
                return Err(Error::failed_precondition("restore", what)
                    .got(format!("`{name}`"))
                    .expected(format!("`{here}`"))
                    .help("name the files in the order in which they were named when the state was saved"));
            }
            pass.open = Some(self.0.format.open(&self.0.paths[file], Some(place))?);
        }
        Ok(Box::new(pass))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Unknown
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        Some(self.0.format.types())
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &[]
    }

    fn describe(&self) -> String {
        format!("{}({} files{})", self.0.format.step(), self.0.paths.len(), self.0.format.settings())
    }
}

/// One pass over the files.
struct Reading {
    of: Arc<Source>,
    /// The number of the file that comes behind the open one.
    next: usize,
    open: Option<Box<dyn Opened>>,
}

impl Reading {
    fn record(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some(open) = &mut self.open {
                if let Some(element) = open.next()? {
                    return Ok(Some(element));
                }
                self.open = None;
            }
            let Some(path) = self.of.paths.get(self.next) else { return Ok(None) };
            self.next += 1;
            self.open = Some(self.of.format.open(path, None)?);
        }
    }
}

impl Pass for Reading {
    /// An error ends its file, as in TensorFlow, unless it is that of one record alone: whoever goes on gets the next one.
    fn next(&mut self) -> Result<Option<Item>> {
        self.record().map_err(|error| {
            self.open.take_if(|open| !open.goes_on());
            error.at(self.of.location)
        })
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.next as u64);
        to.flag(self.open.is_some());
        if let Some(open) = &self.open {
            to.text(&self.of.name_of(self.next.wrapping_sub(1)));
            let Position { offset, record, line } = open.position();
            to.number(offset);
            to.number(record);
            to.number(line);
        }
        Ok(())
    }
}
