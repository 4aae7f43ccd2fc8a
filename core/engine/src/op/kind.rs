//! The vocabulary of operations: kinds, flows, uses of resources, gradients, and what a gradient rule reads.
//! Each operation answers in these words; `execute`, the tape and the graph's passes ask.

use kernels::dtype::DTypes;

/// Which broad kind an operation is: what `execute`, the fusion and the code generators may assume of it.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Each output element depends on the broadcast inputs' elements at the same place, by [`super::Op::scalar`].
    Elementwise {
        /// Dtypes of the inputs; all have the same one unless [`super::Op::mixes_dtypes`].
        accepts: DTypes,
        /// The instruction, for operations that are exactly one over their inputs in order: the fast way in.
        direct: Option<kernels::scalar::Code>,
    },
    /// Folds axes with a monoid, see [`super::Op::reduction`].
    Reduction,
    /// Each output shows elements of the first input in some order, see [`super::Op::view`] and [`super::Op::views`].
    View,
    /// Copies elements to other places.
    Movement,
    /// A sum of products: matrix products and convolutions.
    Contraction,
    /// Anything else with a kernel and no effect.
    Opaque,
    /// The output is the present value of resource input 0, without a copy.
    Read,
    /// Changes the state of a resource input or talks to the world; keeps program order.
    Effect,
    /// Runs sub-graphs through `execute`, see [`super::Op::control`].
    Control,
    /// Works on tensor handles instead of elements: branches, loops and lists of graphs, see [`super::Op::host`].
    Host,
}

/// What the [`super::Op::bodies`] of an operation are to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// The one body, once.
    Call,
    /// By the truth of input 0, the first or the second body on the other inputs.
    Branch,
    /// As long as the first body says so, the second gives the next `carried` inputs; the others stay.
    Loop { carried: usize },
}

/// How an operation uses a resource input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    /// The kernel reads the present value.
    Read,
    /// The kernel changes the value in place; `execute` makes sure that nobody else sees the memory.
    Update,
    /// The kernel writes every element of the value without reading it.
    Overwrite,
}

/// What differentiating an operation means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gradient {
    /// [`super::Op::backward`] gives it (for element-wise operations: the derivative of the meaning).
    Rule,
    /// No gradient flows, for this reason: TensorFlow's `None`.
    Stops(&'static str),
    /// Nobody has written it: asking is an error that names the operation.
    Missing,
}

/// A set of inputs or outputs by number, up to 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Mask(pub u64);

impl Mask {
    pub const NONE: Self = Self(0);

    pub const fn of(indices: &[usize]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < indices.len() {
            bits |= 1 << indices[i];
            i += 1;
        }
        Self(bits)
    }

    #[inline]
    pub const fn has(self, index: usize) -> bool {
        index < 64 && self.0 >> index & 1 == 1
    }

    /// How many members are below `index`, which is below 64.
    #[inline]
    const fn before(self, index: usize) -> usize {
        (self.0 & ((1 << index) - 1)).count_ones() as usize
    }
}

/// The tensors that a gradient rule reads, which the tape therefore keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Saves {
    pub inputs: Mask,
    pub outputs: Mask,
}

impl Saves {
    pub const NOTHING: Self = Self { inputs: Mask::NONE, outputs: Mask::NONE };

    pub const fn inputs(indices: &[usize]) -> Self {
        Self { inputs: Mask::of(indices), outputs: Mask::NONE }
    }

    pub const fn outputs(indices: &[usize]) -> Self {
        Self { inputs: Mask::NONE, outputs: Mask::of(indices) }
    }

    /// Where a saved input lies among all saved tensors, which are in order, inputs before outputs.
    #[inline]
    pub const fn place_of_input(self, index: usize) -> usize {
        self.inputs.before(index)
    }

    /// As [`Self::place_of_input`] for an output.
    #[inline]
    pub const fn place_of_output(self, index: usize) -> usize {
        self.inputs.0.count_ones() as usize + self.outputs.before(index)
    }

    pub const fn and(self, other: Self) -> Self {
        Self { inputs: Mask(self.inputs.0 | other.inputs.0), outputs: Mask(self.outputs.0 | other.outputs.0) }
    }
}
