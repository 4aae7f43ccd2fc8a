//! `Embedding`: a vector for each number of a vocabulary, which training moves.
//! Keras's `Embedding`; models of text and of categories begin with it, and the mask of padded sequences comes from it.

use super::base::{Call, Core, Layer, Masking, Outputs, Weight, buildable, layer, named, weights};
use crate::initializers::{self, RandomUniform};
use engine::library::{Typed, cast_to, options, set_mask};
use engine::{AsTensor, Duplicate, Fields, Module, Tensor, TensorType, Variable};
use kernels::dtype::DType;
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// The rows of a trained table, by their numbers: `[batch, …]` integers become `[batch, …, output_dim]` floats.
///
/// Options and defaults are Keras's: rows that start even between −0.05 and 0.05, and no mask. The gradient of the table is rows alone,
/// so a step costs what the batch has, not what the vocabulary has. A number outside of the table is an error. Floats that are given are cut
/// to integers, as in Keras.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Embedding, get_mask};
/// let words = Embedding::new(1000, 16).mask_zero(true);
/// let y = words.call(tf::constant([[4, 7, 0], [2, 0, 0]]));
/// assert_eq!(y.shape(), [2, 3, 16]);
/// assert_eq!(get_mask(&y).unwrap().to_vec::<bool>(), [true, true, false, true, false, false]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Embedding {
    core: Core,
    input_dim: usize,
    output_dim: usize,
    mask_zero: bool,
    embeddings: Weight,
}

layer!(Embedding);

weights! { Embedding:
    embeddings, "table" => embeddings_initializer, try_embeddings_initializer, embeddings_regularizer, try_embeddings_regularizer, embeddings_constraint, try_embeddings_constraint;
}

impl Embedding {
    /// A table of `input_dim` rows, one more than the greatest number, of `output_dim` columns.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(input_dim: usize, output_dim: usize) -> Self {
        Self::try_new(input_dim, output_dim).or_fail()
    }

    /// A table of `input_dim` rows and `output_dim` columns, of which there may be too few.
    ///
    /// # Errors
    /// InvalidArgument for no rows or no columns.
    #[track_caller]
    pub fn try_new(input_dim: usize, output_dim: usize) -> Result<Self> {
        let here = Location::caller();
        let input_dim = options::count("Embedding", "input_dim", input_dim).map_err(|e| e.at(here))?;
        let output_dim = options::count("Embedding", "output_dim", output_dim).map_err(|e| e.at(here))?;
        let embeddings = Weight::new("embeddings", RandomUniform::new());
        Ok(Self { core: Core::new("embedding").uncast(), input_dim, output_dim, mask_zero: false, embeddings })
    }

    /// Whether the number 0 stands for steps that do not count: the output then carries a mask of the others.
    #[must_use]
    pub fn mask_zero(mut self, mask_zero: bool) -> Self {
        self.mask_zero = mask_zero;
        self
    }

    /// A table to start from, `[input_dim, output_dim]`, such as one that was trained elsewhere.
    ///
    /// ```
    /// use eagerflow as tf;
    /// use tf::layers::Embedding;
    /// let layer = Embedding::new(2, 3).weights(tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]));
    /// assert_eq!(layer.call(tf::constant([1])).to_vec::<f32>(), [4.0, 5.0, 6.0]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn weights(mut self, table: impl AsTensor) -> Self {
        let table = (*table.as_tensor()).clone();
        self.embeddings.initializer = initializers::from_fn(move |ty| cast_to(&table, ty.dtype).or_fail());
        self
    }

    /// The table `[input_dim, output_dim]`, once it is built.
    pub fn embeddings(&self) -> Option<&Variable> {
        self.embeddings.get()
    }

    /// The table, made if this is the first time. It does not depend on the input.
    #[track_caller]
    fn make(&self, _: &TensorType) -> Result<()> {
        self.table().map(drop)
    }

    #[track_caller]
    fn table(&self) -> Result<&Variable> {
        self.embeddings.make(&self.core, &[self.input_dim, self.output_dim])
    }

    /// Whole numbers of the input; an error where it has none.
    #[track_caller]
    fn numbers(&self, x: &Tensor) -> Result<Tensor> {
        match x.dtype() {
            dtype if dtype.is_integer() => Ok(x.clone()),
            dtype if dtype.is_floating() => cast_to(x, DType::I32),
            _ => Err(Error::invalid_argument(self.core.name(), "rows are found by their numbers")
                .got(x.ty())
                .expected("integers from 0 up to the number of rows")),
        }
    }
}

buildable!(Embedding, "Embedding::new(1000, 16)", "[1, 10]", 1);

impl Layer for Embedding {
    named!();

    fn masking(&self) -> Masking {
        if self.mask_zero { Masking::Own } else { Masking::Refuses }
    }

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], _: &Call) -> Result<Outputs> {
        let x = &inputs[0];
        let numbers = self.numbers(x)?;
        // The variable itself is asked, not its value in another dtype: so the gradient is rows.
        let rows = engine::try_embedding_lookup(self.table()?, &numbers)?;
        let y = cast_to(&rows, self.core.compute())?;
        if self.mask_zero {
            set_mask(&y, &x.try_not_equal(0)?);
        }
        Ok(Outputs::one(y))
    }
}

impl Module for Embedding {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.input_dim, self.output_dim, self.mask_zero));
        fields.field("embeddings", &self.embeddings);
    }
}
