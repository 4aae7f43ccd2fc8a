//! One row per operation: how to call it with a golden record's inputs and attributes, and how exact it has to be.
//! The op table, the gradient table, and the tests of strided inputs and of CPU paths walk over the same rows.

mod arrays;
mod complex;
mod conv;
mod diagonals;
mod elementwise;
mod linalg;
mod linear;
mod norms;
mod random;
mod reduce;
mod segments;
mod shapes;
mod signal;
mod sorting;
mod spaces;
mod special;

use crate::compare::Bound;
use crate::golden::Attrs;
use eagerflow::{Result, Tensor};

/// One call: inputs and attributes as the golden scripts give them.
pub struct Call<'a> {
    /// The inputs.
    pub x: &'a [Tensor],
    /// The attributes.
    pub a: &'a Attrs,
}

/// Every operation's outputs as a list.
pub type Answer = Result<Vec<Tensor>>;

/// How an operation is called and compared.
pub struct Row {
    /// The name in the golden files.
    pub name: &'static str,
    /// The library's public function, where it is not called as the golden record.
    pub function: &'static str,
    /// How far results may lie from TensorFlow's.
    pub bound: Bound,
    /// Whether each result element depends only on the elements at its place.
    pub elementwise: bool,
    /// Calls the `try_` form.
    pub call: fn(&Call<'_>) -> Answer,
    /// Cases in which we differ from TensorFlow on purpose, and why; a case that does not differ is an error.
    pub except: Vec<Exception>,
}

/// A case in which we differ from TensorFlow on purpose.
pub struct Exception {
    /// The case; `*` stands for all, `*_end` for those with this end, and `refused` for a dtype that we take and TensorFlow does not.
    pub case: &'static str,
    /// The dtypes it is about; none stands for all.
    pub dtypes: &'static [&'static str],
    /// At most so many elements differ.
    pub elements: usize,
    /// How far results may lie from TensorFlow's then.
    pub bound: Bound,
    /// Why.
    pub why: &'static str,
}

impl Row {
    fn new(name: &'static str, bound: Bound, call: fn(&Call<'_>) -> Answer) -> Self {
        Self { name, function: name, bound, elementwise: false, call, except: Vec::new() }
    }

    fn elementwise(name: &'static str, bound: Bound, call: fn(&Call<'_>) -> Answer) -> Self {
        Self { elementwise: true, ..Self::new(name, bound, call) }
    }

    /// The row of another golden name for the same function.
    fn of(self, function: &'static str) -> Self {
        Self { function, ..self }
    }

    /// Exceptions are few and explained one by one.
    fn except<const N: usize>(self, except: [Exception; N]) -> Self {
        Self { except: except.into(), ..self }
    }
}

impl Exception {
    /// At most `elements` elements differ in a case.
    const fn elements(case: &'static str, dtypes: &'static [&'static str], elements: usize, why: &'static str) -> Self {
        Self { case, dtypes, elements, bound: Bound::EXACT, why }
    }

    /// Another bound holds in all cases of some dtypes.
    const fn bound(dtypes: &'static [&'static str], bound: Bound, why: &'static str) -> Self {
        Self::bound_in("*", dtypes, bound, why)
    }

    /// Another bound holds in some cases of some dtypes.
    const fn bound_in(case: &'static str, dtypes: &'static [&'static str], bound: Bound, why: &'static str) -> Self {
        Self { case, dtypes, elements: 0, bound, why }
    }
}

/// A result as the list of outputs.
fn one(result: Result<Tensor>) -> Answer {
    result.map(|tensor| vec![tensor])
}

/// All rows.
pub fn all() -> Vec<Row> {
    [
        arrays::rows(),
        complex::rows(),
        conv::rows(),
        diagonals::rows(),
        elementwise::rows(),
        reduce::rows(),
        shapes::rows(),
        linalg::rows(),
        linear::rows(),
        norms::rows(),
        random::rows(),
        segments::rows(),
        signal::rows(),
        sorting::rows(),
        spaces::rows(),
        special::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether the operation of a row has no kernel for a GPU, on purpose.
pub fn runs_on_the_cpu_alone(name: &str) -> bool {
    linalg::rows().iter().chain(&signal::with_transforms()).any(|row| row.name == name)
}

/// The row with a name.
pub fn find(name: &str) -> Option<Row> {
    all().into_iter().find(|row| row.name == name)
}
