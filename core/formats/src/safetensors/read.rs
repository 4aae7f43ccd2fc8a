//! A safetensors file that is open for reading.
//! Who loads models calls it; only the header is in memory.

use super::header::{self, Header, Stored};
use super::{LENGTH, LONGEST_HEADER};
use crate::files::{error, read_exact_at};
use crate::transfer::{self, Stretch};
use kernels::error::{Error, Result};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A file whose header was read and checked.
#[derive(Debug)]
pub struct Safetensors {
    path: PathBuf,
    file: File,
    /// Where the values begin.
    behind: u64,
    metadata: BTreeMap<String, String>,
    tensors: Vec<Stored>,
    by_name: HashMap<String, usize>,
}

impl Safetensors {
    /// Opens a file.
    ///
    /// # Errors
    /// `NotFound` if there is none, `DataLoss` if it is damaged or cut off, `ResourceExhausted` if its header is larger than any that
    /// is of use.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |e| error(path, "cannot be opened", e);
        let name = path.display().to_string();
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(Error::failed_precondition(name, "is no file"));
        }
        let mut length = [0; LENGTH];
        let after = metadata.len().checked_sub(LENGTH as u64);
        let after = after.ok_or_else(|| Error::data_loss(&name, "is too short to be a safetensors file"))?;
        read_exact_at(&file, &mut length, 0).map_err(|e| error(path, "cannot be read", e))?;
        let length = u64::from_le_bytes(length);
        let Some(behind) = after.checked_sub(length) else {
            let what = Error::data_loss(name, "is shorter than its header, or no safetensors file");
            return Err(what.got(format!("{after} bytes")).expected(format!("at least {length}")));
        };
        if length > LONGEST_HEADER as u64 {
            let what = Error::resource_exhausted(name, "has a header that is too long");
            return Err(what.got(format!("{length} bytes")).expected(format!("at most {LONGEST_HEADER}")));
        }
        let mut json = vec![0; length as usize];
        read_exact_at(&file, &mut json, LENGTH as u64).map_err(|e| error(path, "cannot be read", e))?;
        let Header { metadata, tensors } = header::read(&json, behind, &name)?;
        let by_name = tensors.iter().enumerate().map(|(at, tensor)| (tensor.name().to_owned(), at)).collect();
        let path = path.to_owned();
        Ok(Self { path, file, behind: LENGTH as u64 + length, metadata, tensors, by_name })
    }

    /// What the file says of itself.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// All tensors, in the order of their places.
    pub fn tensors(&self) -> &[Stored] {
        &self.tensors
    }

    /// The tensor of a name.
    pub fn get(&self, name: &str) -> Option<&Stored> {
        self.by_name.get(name).map(|&at| &self.tensors[at])
    }

    /// Reads values into memory, each as it lies in the file: little-endian and row-major. The format has no checksums, so that what
    /// is damaged cannot be told from what is not.
    ///
    /// # Errors
    /// `NotFound` for a name that is not there, `InvalidArgument` for memory that has not the size of its value.
    pub fn read_into(&self, targets: &mut [(&str, &mut [u8])], threads: usize) -> Result<()> {
        let mut stretches = Vec::with_capacity(targets.len());
        let mut into: Vec<&mut [u8]> = Vec::with_capacity(targets.len());
        for (name, target) in targets.iter_mut() {
            let tensor = self.tensor(name)?;
            if target.len() as u64 != tensor.size() {
                let what = format!("the tensor \"{name}\" does not have the size of the memory for it");
                let what = Error::invalid_argument(self.path.display().to_string(), what);
                return Err(what.got(format!("{} bytes", tensor.size())).expected(target.len()));
            }
            let (offset, size) = (self.behind + tensor.offset, tensor.size());
            stretches.push(Stretch { file: &self.file, path: &self.path, offset, size });
            into.push(target);
        }
        transfer::read(&stretches, into, threads).map(drop)
    }

    /// The bytes of a value.
    ///
    /// # Errors
    /// `NotFound` if it is not there, `ResourceExhausted` if it does not fit in memory.
    pub fn read_bytes(&self, name: &str) -> Result<Vec<u8>> {
        let tensor = self.tensor(name)?;
        let mut bytes = Vec::new();
        let length = usize::try_from(tensor.size()).ok().filter(|&n| bytes.try_reserve_exact(n).is_ok());
        let length = length.ok_or_else(|| {
            let what = format!("the tensor \"{name}\" does not fit in memory");
            Error::resource_exhausted(self.path.display().to_string(), what).got(tensor.size())
        })?;
        bytes.resize(length, 0);
        self.read_into(&mut [(name, &mut bytes)], 0)?;
        Ok(bytes)
    }

    fn tensor(&self, name: &str) -> Result<&Stored> {
        let missing = || Error::not_found(self.path.display().to_string(), format!("has no tensor \"{name}\""));
        self.get(name).ok_or_else(missing)
    }
}
