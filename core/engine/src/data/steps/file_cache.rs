//! The stage that keeps the elements of the first pass in a file, for all passes of all processes that follow: `cache_in`.
//! The file has its name once a pass came to its end; what a pass leaves that was given up is removed.

use super::one_input;
use crate::data::cardinality::Cardinality;
use crate::data::stage::{Item, Pass, Stage, Values};
use crate::data::state::{Saved, element_of, record_of, words};
use crate::module::{StateReader, StateWriter};
use crate::op::Outputs;
use crate::tensor::TensorType;
use formats::files::{FileLock, remove_leftovers};
use formats::records::{BUFFER, Compression, Position, RecordReader, RecordWriter, Records};
use kernels::error::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;

pub(in crate::data) struct FileCache {
    pub before: Arc<dyn Stage>,
    pub path: PathBuf,
}

/// What the first record of a cache says it is.
const KIND: &str = "data set cache";

impl FileCache {
    /// The first record: what the cache is of.
    fn head(&self) -> Vec<u8> {
        let mut head = StateWriter::new(KIND);
        head.text(&words(&*self.before));
        head.finish()
    }

    /// Reads what is kept; `None` if nothing is.
    fn reading(&self, from: Option<(Position, u64)>) -> Result<Option<Reading>> {
        let name = self.path.display().to_string();
        let open = |from| RecordReader::open(&self.path, Compression::None, BUFFER, from);
        let mut file = match open(Position::default()) {
            Ok(file) => file,
            Err(Error::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let no_cache = || Error::failed_precondition(name.clone(), "the file is no cache of a data set");
        let head = file.next()?.ok_or_else(no_cache)?;
        let mut head = StateReader::new(head, KIND).map_err(|e| no_cache().got(e))?;
        let (got, expected) = (head.text()?.to_owned(), words(&*self.before));
        if got != expected {
            return Err(Error::failed_precondition(name, "the cache is that of a pipeline with other steps")
                .got(got)
                .expected(expected)
                .help("remove the file, or give each pipeline a file of its own"));
        }
        let Some((place, given)) = from else { return Ok(Some(Reading { file: Some(file), given: 0, name })) };
        Ok(Some(Reading { file: Some(open(place)?), given, name }))
    }

    /// Begins to fill the cache, if nobody else does.
    fn filling(&self) -> Result<Filling> {
        let Some(lock) = FileLock::try_lock(&self.path)? else {
            return Err(Error::already_exists(self.path.display().to_string(), "another pass is filling this cache")
                .help("let the first pass come to its end before another one begins, or give each process a file of its own"));
        };
        remove_leftovers(&self.path)?;
        let mut file = RecordWriter::create(&self.path, Compression::None, 0, true)?;
        file.write(&self.head())?;
        Ok(Filling { before: Values::begin(&self.before, None)?, given: 0, file: Some((file, lock)) })
    }
}

impl Stage for FileCache {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let Some(from) = from else {
            // It may be finished between the look and the lock: whoever has the lock looks again.
            if let Some(reading) = self.reading(None)? {
                return Ok(Box::new(reading));
            }
            let filling = self.filling()?;
            return Ok(match self.reading(None)? {
                Some(reading) => Box::new(reading),
                None => Box::new(filling),
            });
        };
        let (reads, given) = (from.flag()?, from.number()?);
        if !reads {
            // What was given is in no file any more: this pass goes on without one, and the next whole one fills the cache.
            return Ok(Box::new(Filling { before: Values::begin(&self.before, Some(from))?, given, file: None }));
        }
        if from.flag()? {
            return Ok(Box::new(Reading { file: None, given, name: self.path.display().to_string() }));
        }
        let place = Position { offset: from.number()?, record: from.number()?, line: 0 };
        let gone = || {
            Error::not_found(self.path.display().to_string(), "the cache that the saved pass stood in is gone")
                .help("let a new pass fill the cache")
        };
        Ok(Box::new(self.reading(Some((place, given)))?.ok_or_else(gone)?))
    }

    fn cardinality(&self) -> Cardinality {
        self.before.cardinality()
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.before.types()
    }

    one_input!();

    fn describe(&self) -> String {
        "cache_in".to_owned()
    }
}

/// What stands in front of an element's record, and of the last record, which tells how many elements there are.
const ELEMENT: u8 = 0;
const END: u8 = 1;

/// The pass that fills the cache.
struct Filling {
    before: Values,
    given: u64,
    /// Nothing once the cache is full, or cannot be filled.
    file: Option<(RecordWriter, FileLock)>,
}

impl Filling {
    fn keep(&mut self, values: &Outputs) -> Result<()> {
        let Some((mut file, lock)) = self.file.take() else { return Ok(()) };
        let mut record = vec![ELEMENT];
        record.extend(record_of(values)?);
        file.write(&record)?;
        self.file = Some((file, lock));
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let Some((mut file, _lock)) = self.file.take() else { return Ok(()) };
        let mut record = vec![END];
        record.extend(self.given.to_le_bytes());
        file.write(&record)?;
        file.finish()
    }
}

impl Pass for Filling {
    fn next(&mut self) -> Result<Option<Item>> {
        match self.before.next()? {
            Some(values) => {
                self.keep(&values)?;
                self.given += 1;
                Ok(Some(Item::Values(values)))
            }
            None => self.finish().map(|()| None),
        }
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.flag(false);
        to.number(self.given);
        self.before.save(to)
    }
}

/// A pass over what is kept.
struct Reading {
    /// Nothing behind the end.
    file: Option<RecordReader>,
    given: u64,
    name: String,
}

impl Reading {
    fn element(&mut self) -> Result<Option<Outputs>> {
        let Some(file) = &mut self.file else { return Ok(None) };
        let damaged = |what: &str| Error::data_loss(self.name.clone(), format!("the cache is damaged: {what}"));
        match file.next()? {
            Some([ELEMENT, element @ ..]) => {
                self.given += 1;
                element_of(element).map(Some)
            }
            Some([END, count @ ..]) if *count == self.given.to_le_bytes() => {
                self.file = None;
                Ok(None)
            }
            Some(_) => Err(damaged("a record is neither an element nor the end")),
            None => Err(damaged("its end is missing").help("remove the file, so that the next pass fills it anew")),
        }
    }
}

impl Pass for Reading {
    fn next(&mut self) -> Result<Option<Item>> {
        let element = self.element().inspect_err(|_| self.file = None);
        Ok(element?.map(Item::Values))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.flag(true);
        to.number(self.given);
        to.flag(self.file.is_none());
        if let Some(file) = &self.file {
            let Position { offset, record, .. } = file.position();
            to.number(offset);
            to.number(record);
        }
        Ok(())
    }
}
