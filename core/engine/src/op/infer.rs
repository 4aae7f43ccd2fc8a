//! What the type rule of an operation sees and answers, with the checks that most rules share.
//! `execute` and the graph's builder make one per operation and call [`super::Op::infer`] with it.

use crate::tensor::TensorType;
use kernels::backend::cpu::View;
use kernels::dtype::rust_name;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, Result};
use kernels::shape::{Constraints, Dim, Shape, broadcast};
use smallvec::SmallVec;

/// What is known of an operation's inputs beyond their types: elements on the host, and what handles stand for.
pub(crate) trait Facts {
    /// The elements of an input, if they are known.
    fn value(&self, index: usize) -> Option<View>;
    /// How many elements of an input are not zero, where that can be told without bringing them to the host.
    fn count_set(&self, _index: usize) -> Option<usize> {
        None
    }
    /// The one element of an input as a size, where it has no number yet.
    fn size(&self, _index: usize) -> Option<Dim> {
        None
    }
    /// The type of the value behind a resource handle, and the shape it must keep.
    fn resource(&self, index: usize) -> Option<(TensorType, Option<Shape>)>;
}

/// What [`Op::infer`] sees: types, and values where they are known; it answers by calling [`Infer::output`].
pub(crate) struct Infer<'a> {
    op: &'static str,
    inputs: &'a [&'a TensorType],
    facts: &'a dyn Facts,
    pub outputs: SmallVec<[TensorType; 1]>,
    /// Pairs of dimensions that must turn out equal when the numbers are known.
    pub constraints: Constraints,
    /// The number of the last size that only the run knows, where such numbers go with the call.
    last_size: Option<u32>,
}

impl<'a> Infer<'a> {
    pub fn new(op: &'static str, inputs: &'a [&'a TensorType], facts: &'a dyn Facts) -> Self {
        Self { op, inputs, facts, outputs: SmallVec::new(), constraints: Constraints::default(), last_size: None }
    }

    /// As [`Self::new`], for an operation that runs at once: sizes that only the run knows are the same ones in each call, since a size that has
    /// been named is kept for as long as the process lives.
    pub fn at_once(op: &'static str, inputs: &'a [&'a TensorType], facts: &'a dyn Facts) -> Self {
        Self { last_size: Some(u32::MAX), ..Self::new(op, inputs, facts) }
    }

    pub fn op(&self) -> &'static str {
        self.op
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn input(&self, index: usize) -> &'a TensorType {
        self.inputs[index]
    }

    pub fn shape(&self, index: usize) -> &'a Shape {
        &self.inputs[index].shape
    }

    pub fn dtype(&self, index: usize) -> DType {
        self.inputs[index].dtype
    }

    pub fn dtypes(&self) -> SmallVec<[DType; 4]> {
        self.inputs.iter().map(|t| t.dtype).collect()
    }

    /// The elements of an input on the host, if they are known.
    pub fn value(&self, index: usize) -> Option<View> {
        self.facts.value(index)
    }

    /// How many elements of an input are not zero, where that can be told without bringing them to the host.
    pub fn count_set(&self, index: usize) -> Option<usize> {
        self.facts.count_set(index)
    }

    /// The one element of an input as a size, where it has no number yet.
    pub fn size(&self, index: usize) -> Option<Dim> {
        self.facts.size(index)
    }

    /// The type of the value behind resource input `index`, and the shape it must keep.
    pub fn resource(&self, index: usize) -> Result<(TensorType, Option<Shape>)> {
        self.facts.resource(index).ok_or_else(|| {
            Error::invalid_argument(self.op, format!("input {index} is not a variable"))
                .got(self.inputs[index])
                .expected("a variable or another resource handle")
        })
    }

    /// A dimension whose size is only known when the operation runs; its number is no other's of this graph, or of this call.
    pub fn unknown_dim(&mut self) -> Dim {
        Dim::unbacked(match &mut self.last_size {
            None => crate::ir::fresh_sizes(1),
            Some(last) => {
                *last -= 1;
                *last
            }
        })
    }

    /// Answers the type of the next output.
    pub fn output(&mut self, dtype: DType, shape: Shape) {
        self.outputs.push(TensorType::new(dtype, shape));
    }

    /// An error unless the dtype of input `index` is one of `accepts`.
    pub fn check_dtype(&self, index: usize, accepts: DTypes) -> Result<()> {
        let dtype = self.dtype(index);
        if accepts.has(dtype) {
            return Ok(());
        }
        Err(Error::invalid_argument(self.op, format!("input {index} has a dtype this operation does not take"))
            .got(dtype)
            .expected(format!("one of {accepts}"))
            .help(convert_help(dtype, accepts)))
    }

    /// An error unless all inputs have the dtype of the first.
    pub fn same_dtype(&self) -> Result<()> {
        let first = self.dtype(0);
        match self.inputs.iter().find(|t| t.dtype != first) {
            None => Ok(()),
            Some(other) => Err(Error::invalid_argument(self.op, "the inputs have different dtypes")
                .got(format!("{first} and {}", other.dtype))
                .expected("one dtype for all")
                .help(cast_help(first, other.dtype))),
        }
    }

    /// The shape of all inputs broadcast together.
    pub fn broadcast_all(&mut self) -> Result<Shape> {
        let mut shape = self.inputs[0].shape;
        for other in &self.inputs[1..] {
            shape = broadcast(&shape, &other.shape, &mut self.constraints).map_err(|e| e.in_op(self.op))?;
        }
        Ok(shape)
    }
}

/// The way out where an operation does not take a dtype.
fn convert_help(dtype: DType, accepts: DTypes) -> &'static str {
    match (dtype, accepts.has(DType::String)) {
        (DType::String, _) => "strings are no numbers: `strings::to_number` reads numbers from them",
        (_, true) if !accepts.has(DType::F32) => "`as_string` writes numbers as strings",
        _ => "convert it with `cast`",
    }
}

/// The way out where these dtypes differ: integers become floats, else the second what the first is.
pub fn cast_help(first: DType, second: DType) -> String {
    if first == DType::String || second == DType::String {
        return "strings are no numbers: `as_string` writes numbers as strings, `strings::to_number` reads them".into();
    }
    let to = if second.is_floating() && !first.is_floating() { second } else { first };
    format!("dtypes are never mixed silently: convert one with `cast`, as in `x.cast(DType::{})`", rust_name(to))
}
