//! Cotangents of sources: a dense tensor, or the few rows of an embedding that were looked up.
//! The walk backwards answers with them, and optimizers read them from [`Gradients`].

use crate::tensor::Tensor;
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use smallvec::SmallVec;

/// Rows of a large tensor, TensorFlow's `tf.IndexedSlices`: row `indices[i]` gets `values[i]`, repeats add up.
#[derive(Clone, Debug)]
pub struct IndexedRows {
    /// Row numbers, an integer vector.
    pub indices: Tensor,
    /// One row per index: shape `[indices, ...row]`.
    pub values: Tensor,
    /// The shape of the whole tensor.
    pub shape: Shape,
}

/// The answer for one source.
#[derive(Clone, Debug)]
pub enum Cotangent {
    /// A tensor of the source's shape.
    Dense(Tensor),
    /// Rows of one.
    Rows(Box<IndexedRows>),
}

/// The gradients of a list of sources, in its order; an entry is missing where no path led to the source.
///
/// ```
/// use eagerflow as tf;
/// use tf::{GradientTape, Variable};
/// let (v, w) = (Variable::new(2.0), Variable::new(3.0));
/// let tape = GradientTape::new();
/// let y = v.value().square();
/// let gradients = tape.gradient(&y, &[v, w][..]);
/// assert_eq!(gradients.get(0).unwrap().item::<f32>(), 4.0);
/// assert!(gradients.get(1).is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gradients {
    pub(crate) list: SmallVec<[Option<Cotangent>; 4]>,
    /// For missing entries, why: the operation that cut the path.
    pub(crate) reasons: Vec<Option<String>>,
}

impl Gradients {
    /// The number of sources.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no sources.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The gradient of source `index` as a dense tensor; `None` where there is none.
    ///
    /// # Panics
    /// If rows of an embedding name no row of it, which a lookup that ran cannot cause.
    #[track_caller]
    pub fn get(&self, index: usize) -> Option<Tensor> {
        use kernels::error::OrFail;
        // Not `map`: a closure has no caller's line.
        Some(self.list.get(index)?.as_ref()?.to_dense().or_fail())
    }

    /// The gradient of source `index` as rows, if it is one of an embedding lookup.
    pub fn rows(&self, index: usize) -> Option<&IndexedRows> {
        match self.list.get(index)?.as_ref()? {
            Cotangent::Rows(rows) => Some(rows),
            Cotangent::Dense(_) => None,
        }
    }

    /// Why the gradient of source `index` is missing, where an operation cut the path.
    pub fn reason(&self, index: usize) -> Option<&str> {
        self.reasons.get(index)?.as_deref()
    }

    /// All gradients as dense tensors.
    ///
    /// # Errors
    /// InvalidArgument naming the first source that has none, and the operation that cut the path.
    #[track_caller]
    pub fn try_to_vec(&self) -> Result<Vec<Tensor>> {
        self.list
            .iter()
            .enumerate()
            .map(|(i, c)| match c {
                Some(c) => c.to_dense(),
                None => Err(self.missing(i)),
            })
            .collect()
    }

    /// The gradients in the order of the sources, as [`get`](Self::get) gives them.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let v = [tf::Variable::new(2.0), tf::Variable::new(3.0)];
    /// let tape = tf::GradientTape::new();
    /// let y = v[0].value() * v[1].value();
    /// for gradient in &tape.gradient(&y, &v[..]) {
    ///     assert!(gradient.is_some_and(|g| g.item::<f32>() >= 2.0));
    /// }
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<Tensor>> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The tensors behind all gradients.
    pub(crate) fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.list
            .iter()
            .flatten()
            .flat_map(|cotangent| match cotangent {
                Cotangent::Dense(tensor) => [Some(tensor), None],
                Cotangent::Rows(rows) => [Some(&rows.indices), Some(&rows.values)],
            })
            .flatten()
    }

    pub(crate) fn missing(&self, index: usize) -> Error {
        let why = self.reason(index).unwrap_or("the target was not computed from it while the tape recorded");
        Error::invalid_argument("gradient", format!("source {index} has no gradient: {why}"))
            .help("use `gradient_or_none`, or `UnconnectedGradients::Zero` for zeros in its place")
    }
}

impl IntoIterator for Gradients {
    type Item = Option<Tensor>;
    type IntoIter = std::vec::IntoIter<Option<Tensor>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

impl IntoIterator for &Gradients {
    type Item = Option<Tensor>;
    type IntoIter = std::vec::IntoIter<Option<Tensor>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}
