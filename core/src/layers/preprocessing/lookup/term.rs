//! [`Term`]: what a vocabulary is of, strings of bytes or integers, with the ways in which tensors hold them.
//! Lookups are written once over it.

use super::Spread;
use engine::Tensor;
use engine::library::{StateReader, StateWriter, cast_to, each_string};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::borrow::Borrow;
use std::fmt::Debug;
use std::hash::Hash;

/// A term of a vocabulary.
pub trait Term: Borrow<Self::Given> + Clone + Ord + Hash + Debug + Send + Sync + 'static {
    /// A term as a tensor shows it.
    type Given: ?Sized + Hash + Eq + ToOwned<Owned = Self>;

    /// Of tensors of terms.
    const DTYPE: DType;

    /// What messages call terms.
    const WORDS: &'static str;

    /// Shows each term of a tensor in row-major order.
    fn each(x: &Tensor, visit: &mut dyn FnMut(&Self::Given) -> Result<()>) -> Result<()>;

    /// Terms as a tensor.
    fn tensor(terms: Vec<Self>, shape: &Shape) -> Result<Tensor>;

    /// One of several numbers for a term outside of the vocabulary.
    fn bucket(given: &Self::Given, spread: Spread, buckets: u64) -> u64;

    /// For messages.
    fn text(given: &Self::Given) -> String;

    /// Writes it to a checkpoint.
    fn save(&self, to: &mut StateWriter) -> Result<()>;

    /// What [`save`](Self::save) wrote.
    fn saved(from: &mut StateReader<'_>) -> Result<Self>;
}

impl Term for Vec<u8> {
    type Given = [u8];
    const DTYPE: DType = DType::String;
    const WORDS: &'static str = "strings";

    fn each(x: &Tensor, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        each_string(x, visit)
    }

    fn tensor(terms: Vec<Self>, shape: &Shape) -> Result<Tensor> {
        Tensor::try_from_byte_strings(&terms, *shape)
    }

    fn bucket(given: &[u8], spread: Spread, buckets: u64) -> u64 {
        spread.of_text(given, buckets)
    }

    fn text(given: &[u8]) -> String {
        format!("{:?}", String::from_utf8_lossy(given))
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.number(self.len() as u64);
        self.iter().for_each(|&byte| to.number(byte.into()));
        Ok(())
    }

    fn saved(from: &mut StateReader<'_>) -> Result<Self> {
        (0..from.count()?).map(|_| Ok(from.at_most(255)? as u8)).collect()
    }
}

impl Term for i64 {
    type Given = i64;
    const DTYPE: DType = DType::I64;
    const WORDS: &'static str = "integers";

    fn each(x: &Tensor, visit: &mut dyn FnMut(&i64) -> Result<()>) -> Result<()> {
        if !x.dtype().is_integer() {
            return Err(Error::invalid_argument("lookup", "terms of integers are looked up").got(x.dtype()));
        }
        cast_to(x, DType::I64)?.to_vec::<i64>().iter().try_for_each(visit)
    }

    fn tensor(terms: Vec<Self>, shape: &Shape) -> Result<Tensor> {
        Tensor::try_from_vec(terms, *shape)
    }

    fn bucket(given: &i64, spread: Spread, buckets: u64) -> u64 {
        match spread {
            // The remainder that is never negative; there are far fewer buckets than 2⁶³.
            Spread::Remainder => given.rem_euclid(buckets as i64) as u64,
            _ => spread.of_text(given.to_string().as_bytes(), buckets),
        }
    }

    fn text(given: &i64) -> String {
        given.to_string()
    }

    fn save(&self, to: &mut StateWriter) -> Result<()> {
        to.signed(*self);
        Ok(())
    }

    fn saved(from: &mut StateReader<'_>) -> Result<Self> {
        from.signed()
    }
}
