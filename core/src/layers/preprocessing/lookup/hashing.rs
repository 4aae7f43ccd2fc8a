//! `Hashing`: strings and integers as the numbers of bins, without a vocabulary.
//! Keras's `Hashing`; models of tables with very many categories begin with it.

use super::operation::{fill, rows_shape};
use super::{LookupMode, Salt, Spread, bins};
use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, named};
use crate::layers::copied_by_clone;
use engine::library::options::options;
use engine::library::{OnHost, cast_to, each_string, on_host};
use engine::{Fields, Module, Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::Dim;
use std::panic::Location;
use std::sync::Arc;

/// What bin 0 is kept for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MaskValue {
    /// A string.
    Text(Vec<u8>),
    /// A number.
    Integer(i64),
}

impl From<&str> for MaskValue {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for MaskValue {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bins {
    layer: String,
    count: usize,
    mask: Option<MaskValue>,
    mode: LookupMode,
    spread: Spread,
}

/// The bin of each string or integer, by a hash of its text: the same in every program. Different ones may share a bin.
///
/// Input: strings or numbers of any shape; floats are cut to integers first. Output: `int64` of the same shape, or rows of floats by
/// [`output_mode`](Self::output_mode).
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Hashing;
/// let x = tf::constant([["A"], ["B"], ["C"], ["D"], ["E"]]);
/// assert_eq!(Hashing::new(3).call(&x).to_vec::<i64>(), [1, 0, 1, 1, 2]);
/// assert_eq!(Hashing::new(3).salt(133).call(&x).to_vec::<i64>(), [0, 0, 2, 1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct Hashing {
    core: Core,
    bins: Bins,
}

layer!(Hashing);
copied_by_clone!(Hashing);

impl Hashing {
    /// So many bins.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(num_bins: usize) -> Self {
        Self::try_new(num_bins).or_fail()
    }

    /// So many bins, of which there may be none.
    ///
    /// # Errors
    /// InvalidArgument for none.
    #[track_caller]
    pub fn try_new(num_bins: usize) -> Result<Self> {
        let here = Location::caller();
        let count = bins("Hashing", num_bins).map_err(|e| e.at(here))?;
        let (layer, spread) = ("hashing".to_owned(), Spread::Farm);
        let bins = Bins { layer, count, mask: None, mode: LookupMode::Int, spread };
        Ok(Self { core: Core::new("hashing").uncast(), bins })
    }

    /// What bin 0 is kept for, such as the string of padding; everything else shares the other bins.
    #[must_use]
    pub fn mask_value(mut self, mask: impl Into<MaskValue>) -> Self {
        self.bins.mask = Some(mask.into());
        self
    }

    /// The key of the hash: SipHash in place of FarmHash.
    #[must_use]
    pub fn salt(mut self, salt: impl Into<Salt>) -> Self {
        self.bins.spread = Spread::Sip(salt.into().0);
        self
    }
}

options! { Hashing:
    /// What bins become; TF-IDF is refused, since bins have no weights.
    #[must_use]
    pub fn output_mode, try_output_mode(this, output_mode: LookupMode) {
        if output_mode == LookupMode::TfIdf {
            return Err(Error::invalid_argument("Hashing", "bins have no weights")
                .got("output_mode TfIdf")
                .expected("Int, OneHot, MultiHot or Count"));
        }
        this.bins.mode = output_mode;
        Ok(this)
    }
}

impl Bins {
    /// The bin of a text.
    fn bin(&self, text: &[u8]) -> i64 {
        let kept = u64::from(self.mask.is_some() && self.count > 1);
        (self.spread.of_text(text, self.count as u64 - kept) + kept) as i64
    }

    fn masks(&self) -> Option<&MaskValue> {
        self.mask.as_ref().filter(|_| self.count > 1)
    }

    fn all(&self, x: &Tensor) -> Result<Vec<i64>> {
        let mut all = Vec::with_capacity(x.num_elements());
        if x.dtype() == DType::String {
            each_string(x, &mut |text| {
                let masked = matches!(self.masks(), Some(MaskValue::Text(mask)) if mask == text);
                all.push(if masked { 0 } else { self.bin(text) });
                Ok(())
            })?;
            return Ok(all);
        }
        for number in cast_to(x, DType::I64)?.to_vec::<i64>() {
            let masked = self.masks() == Some(&MaskValue::Integer(number));
            all.push(if masked { 0 } else { self.bin(number.to_string().as_bytes()) });
        }
        Ok(all)
    }
}

struct HashBins {
    bins: Bins,
    settings: String,
}

impl OnHost for HashBins {
    fn name(&self) -> &'static str {
        "hashing"
    }

    fn settings(&self) -> &str {
        &self.settings
    }

    fn types(&self, inputs: &[&TensorType], _: &mut dyn FnMut() -> Dim) -> Result<Vec<TensorType>> {
        let (x, bins) = (inputs[0], &self.bins);
        let is_text = x.dtype == DType::String;
        let wrong = |what: &str| Error::invalid_argument(bins.layer.as_str(), what.to_owned()).got(x);
        if !is_text && !x.dtype.is_integer() && !x.dtype.is_floating() {
            return Err(wrong("strings and numbers have bins").expected("strings, integers or floats"));
        }
        match (&bins.mask, is_text) {
            (Some(MaskValue::Text(_)), false) => return Err(wrong("`mask_value` is a string").expected("strings")),
            (Some(MaskValue::Integer(_)), true) => return Err(wrong("`mask_value` is a number").expected("numbers")),
            _ => {}
        }
        Ok(vec![match bins.mode {
            LookupMode::Int => TensorType::new(DType::I64, x.shape),
            mode => TensorType::new(DType::F32, rows_shape(mode, &x.shape, bins.count)?),
        }])
    }

    fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let (x, bins) = (inputs[0], &self.bins);
        let all = bins.all(x)?;
        if bins.mode == LookupMode::Int {
            return Ok(vec![Tensor::try_from_vec(all, *x.shape())?]);
        }
        let shape = rows_shape(bins.mode, x.shape(), bins.count)?;
        let each = match bins.mode {
            LookupMode::OneHot => 1,
            _ => x.shape().dims().last().copied().unwrap_or(1),
        };
        let mut rows = vec![0.0; shape.num_elements()];
        let numbers: Vec<Option<usize>> = all.into_iter().map(|bin| usize::try_from(bin).ok()).collect();
        if each > 0 {
            let examples = numbers.chunks(each).zip(rows.chunks_mut(bins.count));
            examples.for_each(|(numbers, row)| fill(bins.mode, None, numbers, row));
        }
        Ok(vec![Tensor::try_from_vec(rows, shape)?])
    }
}

impl Layer for Hashing {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let bins = Bins { layer: self.core.name().to_owned(), ..self.bins.clone() };
        let (settings, mode) = (format!("{bins:?}"), bins.mode);
        let y = Outputs::many(on_host(Arc::new(HashBins { bins, settings }), &[&inputs[0]])?);
        let y = y.into_first(self.core.name())?;
        match mode {
            LookupMode::Int => Ok(Outputs::one(y)),
            _ => cast_to(&y, self.core.compute()).map(Outputs::one),
        }
    }
}

impl Module for Hashing {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&self.bins);
    }
}
