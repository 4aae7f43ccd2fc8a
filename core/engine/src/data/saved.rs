//! Data sets in folders: `save` writes the elements of a pass, `load` reads them, in this process or another.
//! A folder holds record files, over which the elements are dealt in turn, and a small file that is written last and says what they are.
//!
//! The small file names the record files, so that a folder that is saved again changes from the old elements to the new ones at once.

mod description;
mod load;

use super::dataset::Dataset;
use super::form::{DatasetElement, Form};
use super::stage::{Stage, Values};
use super::state::record_of;
use crate::tensor::Tensor;
use description::{Description, Unified};
use formats::files::{self, DirectoryLock};
use formats::records::{Compression, RecordWriter};
use kernels::error::{Error, OrFail, Result};
use load::Loaded;
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

/// How [`Dataset::save`] writes; a [`Compression`] stands for the options with it.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{Compression, SaveOptions};
/// let options = SaveOptions::new().compression(Compression::Gzip).shards(4);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    compression: Compression,
    shards: usize,
}

impl SaveOptions {
    /// One file without compression.
    pub fn new() -> Self {
        Self { compression: Compression::None, shards: 1 }
    }

    /// How the files are packed.
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }
}

crate::options::options! { SaveOptions:
    /// Over how many files the elements are dealt in turn; their order stays. At most 10,000.
    pub fn shards, try_shards(options, shards: usize) {
        options.shards = crate::options::count("SaveOptions", "shards", shards)?;
        match shards <= description::MOST_SHARDS {
            true => Ok(options),
            false => Err(Error::invalid_argument("SaveOptions", "`shards` is out of range")
                .got(shards)
                .expected(format!("at most {}", description::MOST_SHARDS))),
        }
    }
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Compression> for SaveOptions {
    fn from(compression: Compression) -> Self {
        Self::new().compression(compression)
    }
}

impl<S: DatasetElement> Dataset<S> {
    /// Writes the elements of a pass into a folder, from which [`load`](Self::load) reads them: TensorFlow's `save`, in a form of its own.
    ///
    /// The folder is made if it is not there. One that holds a data set holds the new one at once when all of it is written; until then, and
    /// after a crash, the old one.
    ///
    /// ```
    /// use eagerflow::{self as tf, Tensor};
    /// use tf::data::{Compression, Dataset};
    /// let folder = std::env::temp_dir().join(format!("eagerflow-save-{}", std::process::id()));
    /// let pairs = Dataset::from_tensor_slices((tf::constant([1, 2, 3]), tf::constant(["a", "b", "c"])));
    /// pairs.save_with(&folder, Compression::Gzip);
    /// let loaded: Dataset<(Tensor, Tensor)> = Dataset::load(&folder);
    /// assert_eq!(loaded.cardinality(), 3);
    /// let names: Vec<String> = loaded.iter().map(|(_, name)| name.item_string()).collect();
    /// assert_eq!(names, ["a", "b", "c"]);
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// ```
    ///
    /// # Panics
    /// As [`try_save_with`](Self::try_save_with) fails.
    #[track_caller]
    pub fn save(&self, path: impl AsRef<Path>) {
        self.try_save_with(path, SaveOptions::new()).or_fail();
    }

    /// [`save`](Self::save) that answers an error instead of panicking.
    ///
    /// # Errors
    /// See [`try_save_with`](Self::try_save_with).
    #[track_caller]
    pub fn try_save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.try_save_with(path, SaveOptions::new())
    }

    /// [`save`](Self::save) with options.
    ///
    /// # Panics
    /// As [`try_save_with`](Self::try_save_with) fails.
    #[track_caller]
    pub fn save_with(&self, path: impl AsRef<Path>, options: impl Into<SaveOptions>) {
        self.try_save_with(path, options).or_fail();
    }

    /// Writes the elements of a pass into a folder.
    ///
    /// # Errors
    /// What the pass answers; what the file system refuses; FailedPrecondition in a traced function, and for an endless data set.
    #[track_caller]
    pub fn try_save_with(&self, path: impl AsRef<Path>, options: impl Into<SaveOptions>) -> Result<()> {
        let here = Location::caller();
        let saved = self.pipeline("save").and_then(|pipeline| write(&pipeline.stages, path.as_ref(), options.into()));
        saved.map_err(|e| e.at(here))
    }

    /// The elements that [`save`](Self::save) wrote into a folder, in their order. Their form is that of the data set's type; for lists and
    /// maps, whose length no type tells, [`load_like`](Self::load_like) is told.
    ///
    /// # Panics
    /// As [`try_load`](Self::try_load) fails.
    #[track_caller]
    pub fn load(path: impl AsRef<Path>) -> Self {
        Self::try_load(path).or_fail()
    }

    /// The elements that [`save`](Self::save) wrote into a folder.
    ///
    /// # Errors
    /// NotFound for a folder in which no data set was saved to its end; InvalidArgument if an element has another number of tensors;
    /// DataLoss for a damaged folder. Damage of elements is an error of the pass.
    #[track_caller]
    pub fn try_load(path: impl AsRef<Path>) -> Result<Self> {
        let here = Location::caller();
        loaded(path.as_ref(), Form::open()).map_err(|e| e.at(here))
    }

    /// [`load`](Self::load) of elements that have the form of this one: TensorFlow's `element_spec`.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use std::collections::BTreeMap;
    /// use tf::data::Dataset;
    /// let folder = std::env::temp_dir().join(format!("eagerflow-load-like-{}", std::process::id()));
    /// let columns = BTreeMap::from([("x".to_owned(), tf::constant([1, 2])), ("y".to_owned(), tf::constant([3.0, 4.0]))]);
    /// Dataset::from_tensor_slices(columns.clone()).save(&folder);
    /// let loaded = Dataset::load_like(&folder, &columns);
    /// assert_eq!(loaded.iter().last().unwrap()["y"].item::<f32>(), 4.0);
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// ```
    ///
    /// # Panics
    /// As [`try_load_like`](Self::try_load_like) fails.
    #[track_caller]
    pub fn load_like(path: impl AsRef<Path>, element: &S) -> Self {
        Self::try_load_like(path, element).or_fail()
    }

    /// [`load_like`](Self::load_like) that answers an error instead of panicking.
    ///
    /// # Errors
    /// See [`try_load`](Self::try_load).
    #[track_caller]
    pub fn try_load_like(path: impl AsRef<Path>, element: &S) -> Result<Self> {
        let here = Location::caller();
        loaded(path.as_ref(), Form::of(element)).map_err(|e| e.at(here))
    }
}

/// Writes the elements of a pass.
fn write(stage: &Arc<dyn Stage>, folder: &Path, options: SaveOptions) -> Result<()> {
    if stage.cardinality() == super::cardinality::Cardinality::Infinite {
        return Err(
            Error::failed_precondition("save", "an endless data set cannot be saved").help("`take` a part of it")
        );
    }
    std::fs::create_dir_all(folder).map_err(|e| files::error(folder, "the folder cannot be made", e))?;
    let _lock = DirectoryLock::lock(folder)?;
    let old = Description::read(folder).ok();
    let SaveOptions { compression, shards } = options;
    let mut new = Description::begin(folder, old.as_ref(), compression, shards);
    let create = |shard| RecordWriter::create(&folder.join(new.file(shard)), compression, 6, true);
    let mut writers = (0..shards).map(create).collect::<Result<Vec<_>>>()?;
    let (mut pass, mut unified) = (Values::begin(stage, None)?, Unified::default());
    while let Some(element) = pass.next()? {
        unified.add(&element);
        writers[(new.count % shards as u64) as usize].write(&record_of(&element)?)?;
        new.count += 1;
    }
    writers.into_iter().try_for_each(RecordWriter::finish)?;
    new.types = stage.types().or_else(|| unified.types());
    new.components = unified.components().or(new.types.as_ref().map(Vec::len));
    new.write(folder)?;
    // Those who read the old files have them open; the names are not needed any more.
    description::remove_others(folder, &new);
    Ok(())
}

#[track_caller]
fn loaded<S: DatasetElement>(folder: &Path, form: Form<S>) -> Result<Dataset<S>> {
    let description = Arc::new(Description::read(folder)?);
    if let Some(components) = description.components {
        // With some to spare: a type that takes more than there are says so, too.
        let stand_ins: Vec<Tensor> = (0..components + 64).map(|_| Tensor::from(0i32)).collect();
        let taken = form.put(&stand_ins).map(|(_, taken)| taken);
        let taken = taken.map_err(|error| error.help("`load_like` takes an element of the same form"))?;
        // A list takes all that there are.
        if taken != components && taken != stand_ins.len() {
            let what = "the saved elements have another number of tensors than the data set's type";
            return Err(Error::invalid_argument("load", what)
                .got(format!("{components} in `{}`", folder.display()))
                .expected(format!("{taken} of `{}`", std::any::type_name::<S>())));
        }
    }
    let types = description.types.clone();
    let folder = folder.to_owned();
    let make = move |_: &[Tensor]| -> Result<Arc<dyn Stage>> {
        Ok(Arc::new(Loaded { folder: folder.clone(), description: description.clone() }))
    };
    Dataset::source("load", &[], form, || Ok(types), make)
}
