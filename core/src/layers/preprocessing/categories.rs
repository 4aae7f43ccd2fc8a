//! `CategoryEncoding`: numbers of categories as rows of zeros and ones, or of counts.
//! Keras's `CategoryEncoding`; models of tables begin with it.

use crate::layers::base::{Call, Core, Layer, Masking, Outputs, layer, misfit, named};
use crate::layers::copied_by_clone;
use crate::layers::merge::LayerInputs;
use engine::library::{Typed, cast_to, options, reshape_to};
use engine::{Fields, Module, Tensor};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use kernels::shape::Shape;
use std::panic::Location;

/// How categories are written: Keras's `output_mode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CategoryMode {
    /// A row for each number, with a one in its place.
    OneHot,
    /// A row for each example, with a one in the place of each number that it has.
    #[default]
    MultiHot,
    /// A row for each example, with how often it has each number.
    Count,
}

impl CategoryMode {
    /// Numbers from 0 up to `depth` as rows of a dtype; with weights for what is counted.
    #[track_caller]
    pub(super) fn encode(
        self,
        numbers: &Tensor,
        depth: usize,
        dtype: DType,
        weights: Option<&Tensor>,
    ) -> Result<Tensor> {
        let numbers = if numbers.rank() == 0 { numbers.try_expand_dims(0)? } else { numbers.clone() };
        if self == Self::OneHot {
            let (sizes, rank) = (numbers.shape().sizes(), numbers.rank());
            // A single number for each example needs no axis of its own.
            let numbers = match rank > 1 && sizes[rank - 1] == 1 {
                true => reshape_to(&numbers, &Shape::from_dims(&sizes[..rank - 1])?)?,
                false => numbers,
            };
            return cast_to(&engine::try_one_hot(&numbers, depth, 1.0, 0.0, -1)?, dtype);
        }
        let ones = cast_to(&engine::try_one_hot(&numbers, depth, 1.0, 0.0, -1)?, dtype)?;
        let axis: isize = if numbers.rank() > 1 { 1 } else { 0 };
        match (self, weights) {
            (Self::MultiHot, _) => ones.try_reduce_max(axis),
            (_, Some(weights)) => ones.try_multiply(&weights.try_expand_dims(-1)?)?.try_reduce_sum(axis),
            _ => ones.try_reduce_sum(axis),
        }
    }
}

/// Integers from 0 up to `num_tokens` as rows of that length. A number outside has no place, so its row, or its part of one, is zeros.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{CategoryEncoding, CategoryMode};
/// let x = tf::constant([[0, 1], [3, 3]]);
/// let counts = CategoryEncoding::new(4).output_mode(CategoryMode::Count);
/// assert_eq!(counts.call(&x).to_vec::<f32>(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
/// assert_eq!(CategoryEncoding::new(4).call(&x).to_vec::<f32>(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
/// ```
#[derive(Clone, Debug)]
pub struct CategoryEncoding {
    core: Core,
    num_tokens: usize,
    output_mode: CategoryMode,
}

layer!(CategoryEncoding);
copied_by_clone!(CategoryEncoding);

impl CategoryEncoding {
    /// For so many categories.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(num_tokens: usize) -> Self {
        Self::try_new(num_tokens).or_fail()
    }

    /// For so many categories, of which there may be none.
    ///
    /// # Errors
    /// InvalidArgument for none.
    #[track_caller]
    pub fn try_new(num_tokens: usize) -> Result<Self> {
        let here = Location::caller();
        let num_tokens = options::count("CategoryEncoding", "num_tokens", num_tokens).map_err(|e| e.at(here))?;
        Ok(Self { core: Core::new("category_encoding").uncast(), num_tokens, output_mode: CategoryMode::MultiHot })
    }

    /// How categories are written.
    #[must_use]
    pub fn output_mode(mut self, output_mode: CategoryMode) -> Self {
        self.output_mode = output_mode;
        self
    }

    /// The counts of numbers that do not count alike: the inputs are numbers and weights of one shape, Keras's `count_weights`.
    ///
    /// # Panics
    /// As [`try_call_weighted`](Self::try_call_weighted) fails, at the caller's line.
    #[track_caller]
    pub fn call_weighted<X: LayerInputs>(&self, numbers_and_weights: X) -> X::Output {
        self.try_call_weighted(numbers_and_weights).or_fail()
    }

    /// The counts of numbers that do not count alike.
    ///
    /// # Errors
    /// InvalidArgument for another mode than counts.
    #[track_caller]
    pub fn try_call_weighted<X: LayerInputs>(&self, numbers_and_weights: X) -> Result<X::Output> {
        let here = Location::caller();
        let through = numbers_and_weights.through(self, &Call::inherited());
        through.map_err(|e| crate::layers::base::within(e, self.core.name(), here))
    }
}

impl Layer for CategoryEncoding {
    named!();

    fn masking(&self) -> Masking {
        Masking::Refuses
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let dtype = self.core.compute();
        let numbers = match x.dtype() {
            dtype if dtype.is_integer() => x.clone(),
            dtype if dtype.is_floating() => cast_to(x, DType::I32)?,
            _ => return Err(misfit(self.core.name(), "categories are numbers", x.ty(), "integers from 0 on")),
        };
        let weights = inputs.get(1).map(|weights| cast_to(weights, dtype)).transpose()?;
        if weights.is_some() && self.output_mode != CategoryMode::Count {
            return Err(Error::invalid_argument(self.core.name(), "weights are for counts")
                .got(format!("output_mode {:?}", self.output_mode))
                .expected("output_mode Count"));
        }
        self.output_mode.encode(&numbers, self.num_tokens, dtype, weights.as_ref()).map(Outputs::one)
    }
}

impl Module for CategoryEncoding {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.num_tokens, self.output_mode));
    }
}
