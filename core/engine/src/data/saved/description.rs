//! [`Description`]: the small file of a saved data set, which says which record files hold the elements, how many there are, and of which types.
//! It is put in place at once, when all of the others are whole: a folder without it was not finished.

use crate::data::pipeline::named_alike;
use crate::module::{StateReader, StateWriter};
use crate::op::Outputs;
use crate::tensor::TensorType;
use formats::files::{self, Options};
use formats::records::Compression;
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, MAX_RANK, Shape, Symbol, as_symbol};
use std::path::Path;

/// The file's name.
const NAME: &str = "dataset.eagerflow";
const KIND: &str = "saved data set";
/// Bytes beyond which no description is read: that of a few thousand tensors.
const LARGEST: u64 = 16 << 20;
pub(super) const MOST_SHARDS: usize = 10_000;

pub(super) struct Description {
    /// Differs from that of the data set that was there before.
    run: u64,
    pub compression: Compression,
    pub shards: usize,
    pub count: u64,
    /// How many tensors an element has, where there is an element.
    pub components: Option<usize>,
    /// The elements' types, unless those differ by more than sizes.
    pub types: Option<Vec<TensorType>>,
}

impl Description {
    /// Of a data set that is about to be saved in place of an older one.
    pub fn begin(folder: &Path, old: Option<&Self>, compression: Compression, shards: usize) -> Self {
        let mut new = Self {
            run: old.map_or(0, |old| old.run.wrapping_add(1)),
            compression,
            shards,
            count: 0,
            components: None,
            types: None,
        };
        // Files that a crash has left may have names of later runs.
        while folder.join(new.file(0)).exists() {
            new.run = new.run.wrapping_add(1);
        }
        new
    }

    /// The name of a record file.
    pub fn file(&self, shard: usize) -> String {
        format!("elements-{:06}-{shard:05}-of-{:05}.tfrecord", self.run, self.shards)
    }

    pub fn write(&self, folder: &Path) -> Result<()> {
        let mut to = StateWriter::new(KIND);
        to.number(self.run);
        to.number(match self.compression {
            Compression::None => 0,
            Compression::Gzip => 1,
            Compression::Zlib => 2,
        });
        to.number(self.shards as u64);
        to.number(self.count);
        to.flag(self.components.is_some());
        to.number(self.components.unwrap_or(0) as u64);
        to.flag(self.types.is_some());
        for ty in named_alike(self.types.as_deref().unwrap_or_default())?.iter() {
            to.dtype(ty.dtype);
            to.number(ty.shape.rank() as u64);
            for size in ty.shape.iter() {
                // An even number is a size, an odd one says which of the open sizes it is.
                to.number(match (size.known_value(), as_symbol(size)) {
                    (Some(size), _) => 2 * size as u64,
                    (None, Some(Symbol::Unbacked(number))) => 1 + 2 * u64::from(number),
                    (None, _) => return Err(Error::internal("save", "an open size has no number")),
                });
            }
        }
        files::replace(&folder.join(NAME), &to.finish(), &Options::default())
    }

    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let failed = |e| files::error(&path, "cannot be read", e);
        let size = match std::fs::metadata(&path) {
            Ok(metadata) => metadata.len(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let what = "no data set was saved to its end in this folder";
                return Err(Error::not_found(folder.display().to_string(), what)
                    .got(format!("no file `{NAME}`"))
                    .help("a data set is whole once `save` has come back"));
            }
            Err(e) => return Err(failed(e)),
        };
        if size > LARGEST {
            return Err(Error::data_loss(path.display().to_string(), "is no description of a data set"));
        }
        let bytes = std::fs::read(&path).map_err(failed)?;
        Self::of_bytes(&bytes).map_err(|e| e.variable(path.display().to_string()))
    }

    fn of_bytes(bytes: &[u8]) -> Result<Self> {
        let mut from = StateReader::new(bytes, KIND)?;
        let run = from.number()?;
        let compression = [Compression::None, Compression::Gzip, Compression::Zlib][from.at_most(2)?];
        let (shards, count) = (from.at_most(MOST_SHARDS)?, from.number()?);
        if shards == 0 {
            return Err(from.damaged("there are no files"));
        }
        let (known, number) = (from.flag()?, from.at_most(bytes.len())?);
        let components = known.then_some(number);
        let types = match from.flag()? {
            true => Some((0..components.unwrap_or(0)).map(|_| saved_type(&mut from)).collect::<Result<Vec<_>>>()?),
            false => None,
        };
        from.finish()?;
        Ok(Self { run, compression, shards, count, components, types })
    }
}

fn saved_type(from: &mut StateReader<'_>) -> Result<TensorType> {
    let dtype: DType = from.dtype()?;
    let rank = from.at_most(MAX_RANK)?;
    let mut sizes = Vec::new();
    for _ in 0..rank {
        let word = from.number()?;
        let number = usize::try_from(word / 2).map_err(|_| from.damaged("a size is out of range"))?;
        sizes.push(match word % 2 {
            0 => Dim::known(number),
            _ => Dim::unbacked(u32::try_from(number).map_err(|_| from.damaged("a size is out of range"))?),
        });
    }
    Ok(TensorType::new(dtype, Shape::from_dims(&sizes)?))
}

/// Removes the record files that a description does not name.
pub(super) fn remove_others(folder: &Path, of: &Description) {
    let own: Vec<String> = (0..of.shards).map(|shard| of.file(shard)).collect();
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok());
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_elements = name.starts_with("elements-") && name.contains(".tfrecord");
        if is_elements && !own.contains(&name) {
            // What cannot be removed takes room and does no harm.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The types of all elements, as far as they have one dtype and rank.
#[derive(Default)]
pub(super) struct Unified {
    components: Option<usize>,
    /// Nothing once two elements did not fit.
    types: Option<Vec<(DType, Vec<Option<usize>>)>>,
}

impl Unified {
    pub fn add(&mut self, element: &Outputs) {
        let new = || element.iter().map(|t| (t.dtype(), t.shape().dims().iter().map(|&n| Some(n)).collect()));
        if self.components.is_none() {
            self.components = Some(element.len());
            self.types = Some(new().collect());
            return;
        }
        let Some(types) = &mut self.types else { return };
        let fits = types.len() == element.len()
            && types.iter().zip(element).all(|((dtype, sizes), t)| *dtype == t.dtype() && sizes.len() == t.rank());
        if !fits {
            self.types = None;
            return;
        }
        for ((_, sizes), tensor) in types.iter_mut().zip(element) {
            for (size, &own) in sizes.iter_mut().zip(tensor.shape().dims()) {
                if *size != Some(own) {
                    *size = None;
                }
            }
        }
    }

    pub fn components(&self) -> Option<usize> {
        self.components
    }

    pub fn types(&self) -> Option<Vec<TensorType>> {
        let mut open = 0;
        let mut size = |size: &Option<usize>| {
            open += u32::from(size.is_none());
            size.map_or(Dim::unbacked(open.saturating_sub(1)), Dim::known)
        };
        let mut ty = |(dtype, sizes): &(DType, Vec<Option<usize>>)| {
            let sizes: Vec<Dim> = sizes.iter().map(&mut size).collect();
            Some(TensorType::new(*dtype, Shape::from_dims(&sizes).ok()?))
        };
        self.types.as_ref()?.iter().map(&mut ty).collect()
    }
}
