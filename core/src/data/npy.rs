//! [`NpyDataset`]: the rows of the array in a `.npy` file, read by their numbers when they are asked for.
//! A shuffle draws numbers, and a batch of rows that follow each other is one read.
//!
//! The file is read at offsets, not mapped into memory: the system kills a program whose mapped file is cut under it, and a read of what
//! the system has in its cache copies no more than the row, which has to be a tensor anyway.

use crate::io::npy;
use engine::data::stage::{Item, Pass, Rows, Saved, Stage};
use engine::data::{Cardinality, Dataset};
use engine::library::{OrFail, StateWriter};
use engine::{Error, Result, Shape, Tensor, TensorType};
use formats::files::{self, read_exact_at};
use formats::npy::Header;
use smallvec::smallvec;
use std::fs::File;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The tensors of an element.
type Outputs = smallvec::SmallVec<[Tensor; 1]>;

/// The rows of NumPy's arrays in files.
///
/// ```
/// use eagerflow as tf;
/// use tf::data::{NpyDataset, Shuffle};
/// let path = std::env::temp_dir().join(format!("eagerflow-npy-{}.npy", std::process::id()));
/// tf::io::save_npy(&path, tf::constant([[1, 2], [3, 4], [5, 6]]));
/// let rows = NpyDataset::new(&path);
/// assert_eq!(rows.cardinality(), 3);
/// let batch = rows.shuffle(Shuffle::whole().seed(1)).batch(3).iter().next().unwrap();
/// assert_eq!(tf::reduce_sum(batch, ()).item::<i32>(), 21);
/// # std::fs::remove_file(path).unwrap();
/// ```
///
/// Rows lie in memory when they are asked for, and no others: the array may be larger than memory. An array in Fortran's order, whose rows
/// lie scattered over the file, is read whole.
#[derive(Clone, Copy, Debug)]
pub enum NpyDataset {}

// It answers a data set of tensors.
#[allow(clippy::new_ret_no_self)]
impl NpyDataset {
    /// The rows of the array in a file.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails.
    #[track_caller]
    pub fn new(path: impl AsRef<Path>) -> Dataset {
        Self::try_new(path).or_fail()
    }

    /// The rows of the array in a file.
    ///
    /// # Errors
    /// Those of [`try_load_npy`](crate::io::try_load_npy), of the header and the file's size; InvalidArgument for an array without axes.
    /// What is wrong with the file later, the pass answers.
    #[track_caller]
    pub fn try_new(path: impl AsRef<Path>) -> Result<Dataset> {
        let here = Location::caller();
        rows_of(path.as_ref()).map_err(|e| e.at(here))
    }
}

#[track_caller]
fn rows_of(path: &Path) -> Result<Dataset> {
    let (file, header, _) = npy::open(path)?;
    if header.shape.is_empty() {
        return Err(Error::invalid_argument(path.display().to_string(), "the array is a scalar, which has no rows"));
    }
    if header.fortran && header.shape.len() > 1 {
        return Dataset::try_from_tensor_slices(npy::array(&path.display().to_string(), &header, |bytes| {
            read_exact_at(&file, bytes, header.start as u64).map_err(|e| files::error(path, "cannot be read", e))
        })?);
    }
    let array = Arc::new(Array { path: path.to_owned(), file, header });
    let types = array.types().unwrap_or_default();
    Dataset::__of_source("NpyDataset", &[], types, move |_| Ok(Arc::new(InOrder(array.clone())) as Arc<dyn Stage>))
}

/// An array in a file.
struct Array {
    path: PathBuf,
    file: File,
    header: Header,
}

impl Array {
    fn row_shape(&self) -> &[usize] {
        &self.header.shape[1..]
    }

    /// Rows under a new first axis, or one without it.
    fn read(&self, rows: &[usize], shape: &[usize]) -> Result<Tensor> {
        let size = self.row_shape().iter().product::<usize>() * self.header.kind.size();
        npy::elements(&self.path.display().to_string(), &self.header, shape, |mut bytes| {
            let mut rest = rows;
            while let Some(&first) = rest.first() {
                let run = rest.iter().enumerate().take_while(|(number, row)| **row == first + number).count();
                let (own, others) = bytes.split_at_mut(run * size);
                let offset = self.header.start as u64 + first as u64 * size as u64;
                read_exact_at(&self.file, own, offset).map_err(|e| {
                    files::error(&self.path, "cannot be read", e).got(format!("row {first} at byte {offset}"))
                })?;
                (bytes, rest) = (others, &rest[run..]);
            }
            Ok(())
        })
    }
}

impl Rows for Array {
    fn count(&self) -> usize {
        self.header.shape[0]
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        Some(vec![TensorType::new(npy::dtype_of(self.header.kind), Shape::new(self.row_shape()).ok()?)])
    }

    fn row(&self, row: usize) -> Result<Outputs> {
        Ok(smallvec![self.read(&[row], self.row_shape())?])
    }

    fn rows(&self, rows: &[usize]) -> Result<Outputs> {
        let shape: Vec<usize> = [rows.len()].iter().chain(self.row_shape()).copied().collect();
        Ok(smallvec![self.read(rows, &shape)?])
    }

    fn describe(&self) -> String {
        format!("NpyDataset({:?} of {:?})", self.header.kind, self.header.shape)
    }
}

/// The rows in order.
struct InOrder(Arc<dyn Rows>);

impl Stage for InOrder {
    fn begin(&self, from: Option<&mut Saved<'_>>) -> Result<Box<dyn Pass>> {
        let next = from.map_or(Ok(0), |from| from.at_most(self.0.count()))?;
        Ok(Box::new(Going { next, count: self.0.count() }))
    }

    fn cardinality(&self) -> Cardinality {
        Cardinality::Known(self.0.count())
    }

    fn types(&self) -> Option<Vec<TensorType>> {
        self.0.types()
    }

    fn source(&self) -> Option<&Arc<dyn Rows>> {
        Some(&self.0)
    }

    fn inputs(&self) -> &[Arc<dyn Stage>] {
        &[]
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}

struct Going {
    next: usize,
    count: usize,
}

impl Pass for Going {
    fn next(&mut self) -> Result<Option<Item>> {
        if self.next == self.count {
            return Ok(None);
        }
        self.next += 1;
        Ok(Some(Item::Row(self.next - 1)))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.next as u64);
        Ok(())
    }
}
