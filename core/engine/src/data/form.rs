//! The form of a data set's elements: pipelines keep elements as lists of tensors and give them to users as a [`Nest`].
//! Steps with functions of the user's take elements apart with it; iterators put them together.

use crate::op::Outputs;
use crate::structure::{LeafSink, Leaves, Nest};
use crate::tensor::Tensor;
use crate::variable::Variable;
use kernels::error::{Error, Result};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What an element of a data set can be: a tensor, a tuple, array, list or map of them, and every struct that derives [`Nest`].
///
/// Tensors are what differs between elements. Numbers beside them, and the lengths of lists, are the same in all.
///
/// ```
/// use eagerflow::{self as tf, Nest, Tensor};
/// use tf::data::Dataset;
///
/// #[derive(Nest)]
/// struct Example {
///     point: Tensor,
///     name: Tensor,
/// }
///
/// let all = Example { point: tf::constant([[1.0, 2.0], [3.0, 4.0]]), name: tf::constant([7, 8]) };
/// let first = Dataset::from_tensor_slices(all).iter().next().unwrap();
/// assert_eq!((first.point.to_vec::<f32>(), first.name.item::<i32>()), (vec![1.0, 2.0], 7));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a data set",
    label = "no structure of tensors that threads can share",
    note = "elements are tensors, tuples, arrays, lists and maps of them, and structs that derive `Nest`"
)]
pub trait DatasetElement: Nest + Send + Sync {}

impl<S: Nest + Send + Sync> DatasetElement for S {}

/// The form of elements, known from the first one on.
#[doc(hidden)]
pub struct Form<S> {
    template: Arc<OnceLock<Template<S>>>,
    /// The form of another data set whose elements these are.
    like: Arc<OnceLock<Form<S>>>,
    /// How elements that are made of others are put together.
    of_parts: Option<Arc<Put<S>>>,
}

/// Makes an element of the first of these tensors, and tells how many those were.
type Put<S> = dyn Fn(&[Tensor]) -> Result<(S, usize)> + Send + Sync;

/// An element with a placeholder for each tensor.
struct Template<S> {
    value: S,
    /// Of everything that is no tensor.
    words: Vec<u64>,
    tensors: usize,
}

impl<S> Clone for Form<S> {
    fn clone(&self) -> Self {
        Self { template: self.template.clone(), like: self.like.clone(), of_parts: self.of_parts.clone() }
    }
}

impl Form<Vec<Tensor>> {
    /// Elements as lists of as many tensors as they have.
    pub fn list() -> Self {
        Self { of_parts: Some(Arc::new(|tensors: &[Tensor]| Ok((tensors.to_vec(), tensors.len())))), ..Self::open() }
    }
}

/// Elements of several data sets side by side.
macro_rules! parts {
    ($($name:ident $index:tt),*) => {
        impl<$($name: DatasetElement),*> Form<($($name,)*)> {
            /// Elements of several data sets side by side.
            pub fn parts(forms: ($(Form<$name>,)*)) -> Self {
                let put = move |tensors: &[Tensor]| {
                    let mut used = 0;
                    let whole = ($({
                        let (part, count) = forms.$index.put(&tensors[used..])?;
                        used += count;
                        part
                    },)*);
                    Ok((whole, used))
                };
                Self { of_parts: Some(Arc::new(put)), ..Self::open() }
            }
        }
    };
}

parts!(A 0, B 1);
parts!(A 0, B 1, C 2);
parts!(A 0, B 1, C 2, D 3);

impl<S> Form<S> {
    /// A form that the first element tells.
    pub fn open() -> Self {
        Self { template: Arc::default(), like: Arc::default(), of_parts: None }
    }

    /// Elements of this form are those of another data set.
    pub fn follow(&self, other: &Self) {
        if !Arc::ptr_eq(&self.template, &other.template) {
            let _ = self.like.set(other.clone());
        }
    }

    /// Whether an element can be put together, or at least might be by its type.
    pub fn is_known(&self) -> bool {
        self.of_parts.is_some() || self.template().is_some()
    }

    fn template(&self) -> Option<&Template<S>> {
        self.template.get().or_else(|| self.like.get()?.template())
    }
}

impl<S: DatasetElement> Template<S> {
    fn new(element: &S, words: &[u64], tensors: usize) -> Self {
        Self { value: element.map(&mut |_| Tensor::from(0i32)), words: words.to_vec(), tensors }
    }
}

impl<S: DatasetElement> Form<S> {
    /// The form of elements like this one.
    pub fn of(element: &S) -> Self {
        let (form, mut parts) = (Self::open(), Parts::default());
        element.visit(&mut Leaves::new(&mut parts));
        form.template.get_or_init(|| Template::new(element, &parts.words, parts.tensors.len()));
        form
    }

    /// The tensors of an element, which has the form of the ones before.
    pub fn take_apart(&self, element: &S, step: &str) -> Result<Outputs> {
        let mut parts = Parts::default();
        element.visit(&mut Leaves::new(&mut parts));
        if let Some(error) = parts.error {
            return Err(error);
        }
        let Parts { tensors, words, .. } = parts;
        let template = match self.template() {
            Some(template) => template,
            None => self.template.get_or_init(|| Template::new(element, &words, tensors.len())),
        };
        if template.tensors != tensors.len() || template.words != words {
            let count = |tensors: usize, words: &[u64]| {
                format!(
                    "{tensors} tensors{}",
                    if words.is_empty() { "" } else { ", and lengths or numbers beside them" }
                )
            };
            return Err(Error::invalid_argument(step, "an element has not the form of those before it")
                .got(count(tensors.len(), &words))
                .expected(count(template.tensors, &template.words))
                .help("lists have the same length in all elements, and host values are the same: what differs is a tensor"));
        }
        Ok(tensors)
    }

    /// The element of these tensors.
    pub fn put_together(&self, tensors: &[Tensor]) -> Result<S> {
        match self.put(tensors)? {
            (element, count) if count == tensors.len() => Ok(element),
            _ => Err(wrong_number()),
        }
    }

    /// An element of the first of these tensors, and how many those were.
    pub(super) fn put(&self, tensors: &[Tensor]) -> Result<(S, usize)> {
        if let Some(put) = &self.of_parts {
            return put(tensors);
        }
        let mut count = 0;
        let mut all = tensors.iter().cloned().inspect(|_| count += 1);
        if let Some(element) = S::of_tensors(&mut all) {
            drop(all);
            return Ok((element, count));
        }
        let Some(template) = self.template() else {
            let what = "the form of the elements is not known before a function has made one";
            return Err(Error::failed_precondition("dataset", what)
                .help("let the function give tuples, arrays or structs of tensors, whose type tells their form"));
        };
        if template.tensors > tensors.len() {
            return Err(wrong_number());
        }
        let mut all = tensors.iter();
        Ok((template.value.map(&mut |old| all.next().unwrap_or(old).clone()), template.tensors))
    }
}

fn wrong_number() -> Error {
    Error::internal("dataset", "an element has another number of tensors than its form")
}

/// Collects an element's tensors, and what is no tensor as words.
#[derive(Default)]
struct Parts {
    tensors: Outputs,
    words: Vec<u64>,
    error: Option<Error>,
}

impl LeafSink for Parts {
    fn tensor(&mut self, _: &dyn fmt::Display, tensor: &Tensor) {
        self.tensors.push(tensor.clone());
    }

    fn variable(&mut self, path: &dyn fmt::Display, variable: &Variable) {
        let error = Error::invalid_argument("dataset", "an element holds a variable")
            .got(format!("`{}` at `{path}`", variable.name()))
            .expected("tensors")
            .help("give its present value: `variable.value()`");
        self.error.get_or_insert(error);
    }

    fn word(&mut self, _: &dyn fmt::Display, word: u64) {
        self.words.push(word);
    }

    fn error(&mut self, error: &dyn Any) {
        let error = error.downcast_ref::<Error>().cloned();
        self.error.get_or_insert(error.unwrap_or_else(|| Error::invalid_argument("dataset", "an element is an `Err`")));
    }
}
