//! [`Closure`]: a closure that traced functions know from call to call, by a number of its own.
//! Users make one where they would give a closure that captures to a traced function more than once.

use crate::module::{Copies, Duplicate, Fields, Module};
use crate::structure::{Leaves, Nest};
use crate::tensor::Tensor;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A closure with an identity, which a traced function that is given it looks at: made once and called often, it needs one
/// trace per signature. TensorFlow tells Python's functions from each other so.
///
/// What a closure captures cannot be seen from outside, so a traced function that is given a bare one which captures is traced
/// anew in each call. A `Closure` is called as the closure itself, and given by value or by reference; copies are the same one.
///
/// What it captures is as Python's: variables are read and changed when the graph runs; tensors and host values are those that
/// they were when the function was traced, also where they lie in a `Cell` or behind a lock. A trace keeps the captured tensors.
/// A `Closure` made in each round of a loop is a new one in each round, and traced anew.
///
/// ```
/// use eagerflow::{self as tf, Closure, Tensor, Variable, tf_function};
///
/// #[tf_function]
/// fn twice<F: Fn(&Tensor) -> Tensor + Send + Sync + 'static>(f: &Closure<F>, x: &Tensor) -> Tensor {
///     f(&f(x))
/// }
///
/// let factor = Variable::new(3.0);
/// let captured = factor.clone();
/// let scale = Closure::new(move |x: &Tensor| x * &captured);
/// for i in 0..10 {
///     assert_eq!(twice(&scale, &tf::constant(i as f32)).item::<f32>(), 9.0 * i as f32);
/// }
/// factor.assign(&tf::constant(2.0));
/// assert_eq!(twice(&scale, &tf::constant(1.0)).item::<f32>(), 4.0);
/// ```
pub struct Closure<F> {
    function: Arc<F>,
    id: u64,
    made: &'static Location<'static>,
}

impl<F> Closure<F> {
    /// The closure, with a number that no other has.
    #[track_caller]
    pub fn new(function: F) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self { function: Arc::new(function), id, made: Location::caller() }
    }
}

impl<F> Deref for Closure<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.function
    }
}

impl<F> Clone for Closure<F> {
    fn clone(&self) -> Self {
        Self { function: self.function.clone(), ..*self }
    }
}

impl<F> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Closure(made at {})", self.made)
    }
}

impl<F: Send + Sync + 'static> Nest for Closure<F> {
    fn visit(&self, leaves: &mut Leaves<'_>) {
        leaves.closure(self.id, self.made);
    }
    fn map(&self, _: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
        self.clone()
    }
}

impl<F> Module for Closure<F> {
    fn visit(&self, fields: &mut Fields<'_>) {
        fields.value(&self.id);
    }
    fn module_name(&self) -> Option<&'static str> {
        None
    }
}

impl<F> Duplicate for Closure<F> {
    fn duplicate_in(&self, _: &mut Copies) -> Self {
        self.clone()
    }
}
