//! [`ConcreteFunction`]: a function that was recorded once, for inputs that a signature describes; it is never traced again.
//! Users make one to look at a graph, to keep tracing out of a program's first calls, or to be sure that one trace serves all.

use super::parts::{Parts, with_tensors};
use crate::autograph::call::trace::check_lasting;
use crate::builder::{Apart, Builder};
use crate::execute::{execute_at, observed};
use crate::function::Tracing;
use crate::graph::control::Call;
use crate::graph::control::call::{Callable, distinct};
use crate::ir::fresh_sizes;
use crate::ir::print::print;
use crate::ir::sizes::Known;
use crate::module::InputSpec;
use crate::op::Operands;
use crate::structure::Nest;
use crate::tensor::{Tensor, TensorType};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::{Dim, Shape, Symbol};
use smallvec::SmallVec;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// A function recorded for one signature: inputs `I`, and results `R`. TensorFlow's `ConcreteFunction`.
pub struct ConcreteFunction<I, R> {
    name: String,
    types: Vec<TensorType>,
    /// Variables and tensors of the outside, operands behind the inputs.
    captures: Vec<Tensor>,
    callable: Arc<Callable>,
    /// The result as it was recorded, for its form.
    result: R,
    inputs: PhantomData<fn(&I)>,
}

/// Records `f` once, for inputs of this signature: TensorFlow's `get_concrete_function`.
///
/// The signature is a shape of `float32`, in which `None` is a size that is any in each call, 0 and 1 among them; a
/// [`TensorSpec`](crate::TensorSpec) for other dtypes; a [`TensorType`]; or a tuple or array of these for several inputs, as `f` takes them. Open sizes of one axis
/// are the same in all inputs, as a batch's. What is called in `f`, functions under `#[tf_function]` among it, becomes part of the one graph.
/// Variables that it reads are read and changed when it is called; layers make theirs now.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::Dense;
/// let layer = Dense::new(3);
/// let own = layer.clone();
/// let predict = tf::get_concrete_function(move |x| tf::softmax(own.call(x), -1), [None, Some(4)]);
/// assert_eq!(predict.call(&tf::ones([2, 4])).shape(), [2, 3]);
/// assert_eq!(predict.call(&tf::ones([7, 4])).shape(), [7, 3]);
/// assert_eq!(predict.signature(), "float32[s0,4]");
/// ```
///
/// # Panics
/// As [`try_get_concrete_function`] fails, and where `f` does.
#[track_caller]
pub fn get_concrete_function<S, R>(f: impl Fn(&S::Tensors) -> R, signature: S) -> ConcreteFunction<S::Tensors, R>
where
    S: InputSpec,
    S::Tensors: Nest,
    R: Nest,
{
    try_get_concrete_function(f, signature).or_fail()
}

/// As [`get_concrete_function`].
///
/// # Errors
/// InvalidArgument for a shape that cannot be; FailedPrecondition where `f` changes a variable that it makes itself and
/// does not keep.
#[track_caller]
pub fn try_get_concrete_function<S, R>(
    f: impl Fn(&S::Tensors) -> R,
    signature: S,
) -> Result<ConcreteFunction<S::Tensors, R>>
where
    S: InputSpec,
    S::Tensors: Nest,
    R: Nest,
{
    let here = Location::caller();
    let name = short_name(std::any::type_name_of_val(&f));
    record(&f, &signature, name, here).map_err(|e| e.at(here))
}

/// The last part of a type's path that is a name of the user's.
fn short_name(path: &str) -> String {
    let named = |part: &&str| !part.starts_with('{');
    path.rsplit("::").find(named).unwrap_or("concrete_function").to_owned()
}

fn record<S, R>(
    f: &dyn Fn(&S::Tensors) -> R,
    signature: &S,
    name: String,
    here: &'static Location<'static>,
) -> Result<ConcreteFunction<S::Tensors, R>>
where
    S: InputSpec,
    S::Tensors: Nest,
    R: Nest,
{
    let (mut types, mut names) = (Vec::new(), Vec::new());
    let builder = Builder::function(&name);
    let inputs = {
        let mut failed = Ok(());
        let symbols = signature.tensors(&mut |ty| {
            let ty = open(ty, &mut names).unwrap_or_else(|error| {
                failed = Err(error);
                *ty
            });
            types.push(ty);
            builder.param_at(&ty, here)
        })?;
        failed?;
        symbols
    };
    // The graph is of nobody's: a trace under way goes on when it is made.
    let (closed, result) = {
        let _apart = Apart::begin();
        let tracing = Tracing::start(Default::default());
        let result = builder.record_in(|| Ok::<_, Error>(f(&inputs)))?;
        let closed = builder.finish(&Parts::of(&result).tensors)?;
        check_lasting(&closed, &tracing)?;
        (closed, result)
    };
    let callable = Callable::new(Arc::new(closed.graph));
    Ok(ConcreteFunction { name, types, captures: closed.captures, callable, result, inputs: PhantomData })
}

/// The type with a name of its own for each open size, the same one wherever it stands; not one that a size of 1 is guarded from.
fn open(ty: &TensorType, names: &mut Vec<(Dim, Dim)>) -> Result<TensorType> {
    let mut sizes: SmallVec<[Dim; 8]> = SmallVec::new();
    for size in ty.shape.iter() {
        sizes.push(match names.iter().find(|(said, _)| *said == size) {
            _ if size.is_known() => size,
            Some((_, own)) => *own,
            None => {
                let own = Dim::unbacked(fresh_sizes(1));
                names.push((size, own));
                own
            }
        });
    }
    Ok(TensorType::new(ty.dtype, Shape::from_dims(&sizes)?))
}

impl<I: Nest, R: Nest> ConcreteFunction<I, R> {
    /// Runs the graph.
    ///
    /// # Panics
    /// As [`try_call`](Self::try_call) fails.
    #[track_caller]
    pub fn call(&self, inputs: &I) -> R {
        self.try_call(inputs).or_fail()
    }

    /// Runs the graph.
    ///
    /// # Errors
    /// InvalidArgument for inputs that do not fit the signature; the errors of its operations.
    #[track_caller]
    pub fn try_call(&self, inputs: &I) -> Result<R> {
        let here = Location::caller();
        self.run(inputs, here).map_err(|e| e.at(here))
    }

    fn run(&self, inputs: &I, here: &'static Location<'static>) -> Result<R> {
        let given = Parts::of(inputs).tensors;
        self.check(&given)?;
        let operands: Operands = given.into_iter().chain(self.captures.iter().cloned()).collect();
        let outputs = match observed() {
            false => self.callable.run(operands, &Known::new()).map(distinct)?,
            true => {
                let refs: SmallVec<[&Tensor; 8]> = operands.iter().collect();
                execute_at(&Call::new(self.callable.clone()), &refs, here)?
            }
        };
        Ok(with_tensors(&self.result, outputs.into_vec()))
    }

    /// An error unless the inputs have the types of the signature.
    fn check(&self, given: &[Tensor]) -> Result<()> {
        let refused = |what: String| Error::invalid_argument("concrete_function", what);
        if given.len() != self.types.len() {
            return Err(refused(format!("`{}` takes another number of tensors", self.name))
                .got(given.len())
                .expected(self.types.len()));
        }
        let mut sizes: SmallVec<[(Dim, Dim); 4]> = SmallVec::new();
        for (i, (tensor, ty)) in given.iter().zip(&self.types).enumerate() {
            let misfit =
                || refused(format!("input {i} does not fit the signature of `{}`", self.name)).got(tensor.ty());
            if tensor.dtype() != ty.dtype || tensor.rank() != ty.shape.rank() {
                return Err(misfit().expected(ty));
            }
            for (own, size) in tensor.shape().iter().zip(ty.shape.iter()) {
                match sizes.iter().find(|(name, _)| *name == size) {
                    _ if size.is_known() && own.can_equal(size) => {}
                    _ if size.is_known() => return Err(misfit().expected(ty)),
                    Some((_, first)) if first.can_equal(own) => {}
                    Some((_, first)) => {
                        return Err(misfit().expected(format!("{ty}, where {size} is {first} in an input before")));
                    }
                    None => sizes.push((size, own)),
                }
            }
        }
        Ok(())
    }

    /// The types of the inputs, as `float32[s0,4]`.
    pub fn signature(&self) -> String {
        let mut names: Vec<Symbol> = Vec::new();
        let mut text = Vec::new();
        for ty in &self.types {
            let sizes = ty.shape.iter().map(|size| match size.symbols().first() {
                None => size.to_string(),
                Some(symbol) => {
                    let at = names.iter().position(|name| name == symbol).unwrap_or_else(|| {
                        names.push(*symbol);
                        names.len() - 1
                    });
                    format!("s{at}")
                }
            });
            text.push(format!("{}[{}]", ty.dtype, sizes.collect::<Vec<_>>().join(",")));
        }
        text.join(", ")
    }

    /// What the function is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The graph as it was recorded.
    pub fn graph(&self) -> String {
        print(&self.callable.graph)
    }

    /// The graph after the passes that need no sizes.
    pub fn optimized_graph(&self) -> String {
        print(&self.callable.optimised())
    }

    /// The steps of the plan that the last call ran, as [`FunctionInfo::plan`](crate::FunctionInfo::plan).
    pub fn plan(&self) -> Option<String> {
        self.callable.report()
    }
}

impl<I, R> fmt::Debug for ConcreteFunction<I, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConcreteFunction({}, {} inputs)", self.name, self.types.len())
    }
}
