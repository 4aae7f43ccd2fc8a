//! A bundle that is open for reading. Values are checked in a first pass and read in a second, so that those who restore change
//! nothing before they know that all is whole.

use super::index::{self, Index, Place, Region, Stored};
use super::leftovers::interrupted_commit;
use super::{names, strings};
use crate::checksum;
use crate::files::{error, read_exact_at, whole_file};
use crate::messages::DataType;
use crate::transfer::{self, Stretch};
use kernels::error::{Error, Result};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A bundle whose index was read and checked. Its data files are opened when they are first needed, and stay open: what was
/// verified is what is read, even if another bundle takes this one's names meanwhile.
#[derive(Debug)]
pub struct Bundle {
    prefix: PathBuf,
    index_path: PathBuf,
    shards: u32,
    entries: Vec<Stored>,
    files: Mutex<HashMap<u32, Arc<DataFile>>>,
}

#[derive(Debug)]
struct DataFile {
    path: PathBuf,
    file: File,
}

impl Bundle {
    /// Opens the bundle with this prefix: `dir/ck-1` for `dir/ck-1.index` and its data files.
    ///
    /// # Errors
    /// `NotFound` if the index or a data file is not there, `DataLoss` if the index is damaged or a data file is cut off,
    /// `Unimplemented` for what TensorFlow does not write on machines as they are today: big-endian values, compressed indexes.
    pub fn open(prefix: &Path) -> Result<Self> {
        match interrupted_commit(prefix) {
            Some(bundle) => Ok(bundle),
            None => Self::open_by(prefix, &names::index(prefix)),
        }
    }

    /// Opens a bundle by an index under some name.
    pub(super) fn open_by(prefix: &Path, index_path: &Path) -> Result<Self> {
        let bytes = whole_file(index_path)?;
        let Index { shards, entries, ends } = index::read(&bytes, &index_path.display().to_string())?;
        for (shard, end) in ends {
            let path = names::data(prefix, shard, shards);
            let length = path.metadata().map_err(|e| error(&path, "cannot be opened", e))?.len();
            if length < end {
                let what = Error::data_loss(path.display().to_string(), "the data file is cut off");
                return Err(what.got(format!("{length} bytes")).expected(format!("{end}, by its index")));
            }
        }
        let files = Mutex::default();
        Ok(Self { prefix: prefix.to_owned(), index_path: index_path.to_owned(), shards, entries, files })
    }

    /// What its files' names begin with.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The file of the index.
    pub(super) fn index_path(&self) -> &Path {
        &self.index_path
    }

    /// All values, in the order of their keys.
    pub fn entries(&self) -> &[Stored] {
        &self.entries
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Stored> {
        self.entries.binary_search_by(|entry| entry.key().cmp(key)).ok().map(|at| &self.entries[at])
    }

    /// Reads values and compares them with their checksums. No more memory is used than a mebibyte for each thread, and the bytes
    /// of the strings.
    ///
    /// # Errors
    /// `NotFound` for a key that is not there, `DataLoss` for a value that is damaged.
    pub fn verify(&self, keys: &[&str], threads: usize) -> Result<()> {
        let mut whole = Vec::new();
        for key in keys {
            let entry = self.entry(key)?;
            match entry.dtype() {
                DataType::String => self.each_string_part(entry, |_| ())?,
                // Their checksums are of something else than their bytes.
                DataType::Variant => {}
                _ => whole.extend(entry.regions().filter(|region| region.size > 0).map(|region| (entry, region))),
            }
        }
        let files = self.files_of(&whole)?;
        let stretches = stretches(&files, &whole);
        compare(&whole, &transfer::sum(&stretches, threads)?, &stretches, "does not match its checksum")
    }

    /// Reads values into memory, each as it lies in the file: little-endian and row-major. Slices are put together.
    ///
    /// # Errors
    /// `NotFound` for a key that is not there, `InvalidArgument` for memory that has not the size of its value and for values that
    /// have no bytes, `DataLoss` for a value that does not match its checksum, which after [`verify`](Self::verify) means that the
    /// file has changed. The memory holds something then.
    pub fn read_into(&self, targets: &mut [(&str, &mut [u8])], threads: usize) -> Result<()> {
        let mut straight: Vec<(&Stored, Region)> = Vec::new();
        let mut into: Vec<&mut [u8]> = Vec::new();
        for (key, target) in targets.iter_mut() {
            let entry = self.entry(key)?;
            self.fits(entry, target)?;
            match &entry.place {
                Place::Whole(region) if region.size == 0 => {}
                Place::Whole(region) => {
                    straight.push((entry, *region));
                    into.push(target);
                }
                Place::Sliced(_) => self.read_sliced(entry, target, threads)?,
            }
        }
        self.read_regions(&straight, into, threads)
    }

    /// The bytes of a value.
    ///
    /// # Errors
    /// See [`read_into`](Self::read_into).
    pub fn read_bytes(&self, key: &str) -> Result<Vec<u8>> {
        let entry = self.entry(key)?;
        let mut bytes = self.room(entry, entry.size())?;
        self.read_into(&mut [(key, &mut bytes)], 0)?;
        Ok(bytes)
    }

    /// The strings of a value, row-major.
    ///
    /// # Errors
    /// `NotFound` if the key is not there, `InvalidArgument` if its value is not made of strings, `DataLoss` if it is damaged.
    pub fn read_strings(&self, key: &str) -> Result<Vec<Vec<u8>>> {
        let entry = self.entry(key)?;
        if entry.dtype() != DataType::String {
            let what = self.refused(entry, "holds no strings");
            return Err(what.got(entry.dtype()).expected(DataType::String));
        }
        let owned = |part: Vec<&[u8]>| part.into_iter().map(<[u8]>::to_vec).collect();
        let mut parts: Vec<Vec<Vec<u8>>> = Vec::new();
        self.each_string_part(entry, |part| parts.push(owned(part)))?;
        let Place::Sliced(blocks) = &entry.place else { return Ok(parts.pop().unwrap_or_default()) };
        // The slices cover each once, and each string has a length in the file: there are no more than bytes.
        let mut strings = vec![Vec::new(); entry.elements() as usize];
        for ((block, _), part) in blocks.iter().zip(&mut parts) {
            block.runs(entry.shape(), |to, from, length| {
                strings[to..to + length].swap_with_slice(&mut part[from..from + length]);
            });
        }
        Ok(strings)
    }

    fn entry(&self, key: &str) -> Result<&Stored> {
        self.get(key)
            .ok_or_else(|| Error::not_found(self.prefix.display().to_string(), format!("has no entry \"{key}\"")))
    }

    fn refused(&self, entry: &Stored, what: &str) -> Error {
        Error::invalid_argument(self.prefix.display().to_string(), format!("the entry \"{}\" {what}", entry.key()))
    }

    fn fits(&self, entry: &Stored, target: &[u8]) -> Result<()> {
        if entry.dtype().size().is_none() {
            let what = format!("is of type {}, which has no bytes to read", entry.dtype());
            return Err(self.refused(entry, &what));
        }
        if target.len() as u64 != entry.size() {
            let what = self.refused(entry, "does not have the size of the memory for it");
            return Err(what.got(format!("{} bytes", entry.size())).expected(target.len()));
        }
        Ok(())
    }

    /// Memory for bytes that the files are known to hold.
    fn room(&self, entry: &Stored, bytes: u64) -> Result<Vec<u8>> {
        let mut room = Vec::new();
        let length = usize::try_from(bytes).ok().filter(|&n| room.try_reserve_exact(n).is_ok());
        let too_large = || {
            let what = format!("the entry \"{}\" does not fit in memory", entry.key());
            Error::resource_exhausted(self.prefix.display().to_string(), what).got(format!("{bytes} bytes"))
        };
        room.resize(length.ok_or_else(too_large)?, 0);
        Ok(room)
    }

    fn read_regions(&self, regions: &[(&Stored, Region)], into: Vec<&mut [u8]>, threads: usize) -> Result<()> {
        let files = self.files_of(regions)?;
        let stretches = stretches(&files, regions);
        let what = "does not match its checksum: it is damaged, or has changed since it was verified";
        compare(regions, &transfer::read(&stretches, into, threads)?, &stretches, what)
    }

    /// Parts that lie together in the whole are read to where they belong; others take the way through a buffer.
    fn read_sliced(&self, entry: &Stored, target: &mut [u8], threads: usize) -> Result<()> {
        let Place::Sliced(parts) = &entry.place else { return Ok(()) };
        let size = entry.dtype().size().unwrap_or(1);
        let mut together: Vec<(u64, Region)> = Vec::new();
        for (block, region) in parts.iter().filter(|(_, region)| region.size > 0) {
            match block.together(entry.shape()) {
                Some(first) => together.push((first * size, *region)),
                None => {
                    let mut bytes = self.room(entry, region.size)?;
                    self.read_regions(&[(entry, *region)], vec![&mut bytes], threads)?;
                    let size = size as usize;
                    block.runs(entry.shape(), |to, from, length| {
                        let run = &bytes[from * size..(from + length) * size];
                        target[to * size..(to + length) * size].copy_from_slice(run);
                    });
                }
            }
        }
        together.sort_by_key(|(first, _)| *first);
        let mut rest = target;
        let mut at = 0;
        let mut into = Vec::new();
        for (first, region) in &together {
            let (part, after) = rest.split_at_mut((first - at) as usize).1.split_at_mut(region.size as usize);
            into.push(part);
            rest = after;
            at = first + region.size;
        }
        let regions: Vec<(&Stored, Region)> = together.iter().map(|(_, region)| (entry, *region)).collect();
        self.read_regions(&regions, into, threads)
    }

    /// Calls `take` with the strings of each part, checked.
    fn each_string_part(&self, entry: &Stored, mut take: impl FnMut(Vec<&[u8]>)) -> Result<()> {
        let counts: Vec<u64> = match &entry.place {
            Place::Whole(_) => vec![entry.elements()],
            Place::Sliced(parts) => parts.iter().map(|(block, _)| block.volume()).collect(),
        };
        for (region, count) in entry.regions().zip(counts) {
            let file = self.file(region.shard)?;
            let mut bytes = self.room(entry, region.size)?;
            read_exact_at(&file.file, &mut bytes, region.offset).map_err(|e| error(&file.path, "cannot be read", e))?;
            let (strings, crc) = strings::decode(&bytes, count).map_err(|what| damaged(&file.path, entry, what))?;
            if checksum::mask(crc) != region.crc {
                return Err(damaged(&file.path, entry, "does not match its checksum"));
            }
            take(strings);
        }
        Ok(())
    }

    fn file(&self, shard: u32) -> Result<Arc<DataFile>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = files.get(&shard) {
            return Ok(file.clone());
        }
        let path = names::data(&self.prefix, shard, self.shards);
        let file = File::open(&path).map_err(|e| error(&path, "cannot be opened", e))?;
        let file = Arc::new(DataFile { path, file });
        files.insert(shard, file.clone());
        Ok(file)
    }

    /// The data file of each region.
    fn files_of(&self, regions: &[(&Stored, Region)]) -> Result<Vec<Arc<DataFile>>> {
        regions.iter().map(|(_, region)| self.file(region.shard)).collect()
    }
}

fn stretches<'a>(files: &'a [Arc<DataFile>], regions: &[(&Stored, Region)]) -> Vec<Stretch<'a>> {
    let stretch = |(file, (_, region)): (&'a Arc<DataFile>, &(&Stored, Region))| {
        let Region { offset, size, .. } = *region;
        Stretch { file: &file.file, path: &file.path, offset, size }
    };
    files.iter().zip(regions).map(stretch).collect()
}

/// Compares what was summed with what the index has.
fn compare(regions: &[(&Stored, Region)], sums: &[u32], stretches: &[Stretch<'_>], what: &str) -> Result<()> {
    let mut all = regions.iter().zip(sums).zip(stretches);
    match all.find(|(((_, region), sum), _)| region.crc != checksum::mask(**sum)) {
        Some((((entry, _), _), stretch)) => Err(damaged(stretch.path, entry, what)),
        None => Ok(()),
    }
}

#[cold]
fn damaged(path: &Path, entry: &Stored, what: &str) -> Error {
    Error::data_loss(path.display().to_string(), format!("the entry \"{}\" {what}", entry.key()))
}
