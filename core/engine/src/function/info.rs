//! What can be asked about a traced function: its traces and their reasons, pins, and graphs.
//! [`function`] finds it by the function item itself.

use super::cache::Function;
use super::signature::short;
use crate::graph::plan::profile::Profiling;
use crate::ir::print::{dot, print};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

static FUNCTIONS: LazyLock<Mutex<HashMap<&'static str, Vec<&'static Function>>>> = LazyLock::new(Mutex::default);

pub(super) fn register(path: &'static str, function: &'static Function) {
    let mut functions = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = functions.entry(path).or_default();
    if !known.iter().any(|other| std::ptr::eq(*other, function)) {
        known.push(function);
    }
}

/// A traced function, as [`function`] finds it.
#[derive(Clone, Copy, Debug)]
pub struct FunctionInfo(Option<&'static Function>);

/// What is known of a traced function, given by its name: `tf::function(train_step)`. Nothing is known before its first call.
///
/// ```
/// use eagerflow as tf;
/// fn plain() {}
/// assert_eq!(tf::function(plain).trace_count(), 0);
/// ```
pub fn function<F>(_: F) -> FunctionInfo {
    let path = std::any::type_name::<F>();
    let functions = FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    FunctionInfo(functions.get(path).and_then(|all| all.first()).copied())
}

/// Measures every step of the plans that run meanwhile, on all threads: see [`FunctionInfo::plan`]. Measuring slows short
/// steps down by some 50 ns each.
///
/// ```
/// use eagerflow::{self as tf, Tensor, tf_function};
///
/// #[tf_function]
/// fn norm(x: &Tensor) -> Tensor {
///     tf::sqrt(tf::reduce_sum(x * x, ()))
/// }
///
/// tf::profile(|| norm(&tf::ones([1000])));
/// println!("{}", tf::function(norm).plan().unwrap());
/// ```
pub fn profile<R>(run: impl FnOnce() -> R) -> R {
    let _measuring = Profiling::start();
    run()
}

impl FunctionInfo {
    pub(super) fn traces(&self) -> Vec<std::sync::Arc<super::Trace>> {
        self.0.map(Function::all).unwrap_or_default()
    }

    /// How often it was traced, the traces that were dropped included. TensorFlow's `experimental_get_tracing_count`.
    pub fn trace_count(&self) -> usize {
        self.0.map_or(0, |f| f.made() as usize)
    }

    /// Why each trace that is kept was made, the last one used first.
    pub fn reasons(&self) -> Vec<String> {
        self.traces().iter().map(|t| t.reason.clone()).collect()
    }

    /// The signatures that the traces serve, such as `images: f32[s0,28,28,1]`.
    pub fn signatures(&self) -> Vec<String> {
        let text = |t: &super::Trace| {
            let each = t.pattern.leaves.iter().map(|l| format!("{}: {}", l.name, short(&l.ty)));
            each.collect::<Vec<_>>().join(", ")
        };
        self.traces().iter().map(|t| text(t)).collect()
    }

    /// The sizes that the program read as numbers while it was traced, and where.
    pub fn pins(&self) -> Vec<String> {
        let traces = self.traces();
        let pins = traces.iter().flat_map(|t| &t.pins);
        pins.map(|p| format!("{} = {} at {}", p.size, p.number, p.location)).collect()
    }

    /// The graph of the trace used last, as it was recorded.
    pub fn graph(&self) -> Option<String> {
        self.traces().first().map(|t| print(&t.recorded))
    }

    /// The graph of the trace used last, after the passes that need no sizes.
    pub fn optimized_graph(&self) -> Option<String> {
        self.traces().first().map(|t| print(&t.callable.optimised()))
    }

    /// The steps of the plan that the last call ran: bytes touched, operation and line; with times of calls that ran inside
    /// [`profile`], and a note where a step met denormal numbers then (below 1.2e-38 in `float32`), which many processors are
    /// slow with; x86-64 alone tells. Where sizes depend on values, the parts between them have plans, which are all listed, with
    /// the operations that run by themselves. On a GPU: whether calls start one CUDA graph, or what keeps them from it. `None`
    /// before the first call.
    pub fn plan(&self) -> Option<String> {
        self.traces().first()?.callable.report()
    }

    /// The graph of the trace used last as a picture in Graphviz' language.
    pub fn dot(&self) -> Option<String> {
        self.traces().first().map(|t| dot(&t.callable.graph))
    }

    /// The number of operations of the trace used last, bodies of branches and loops included.
    pub fn node_count(&self) -> usize {
        self.traces().first().map_or(0, |t| t.callable.graph.node_count())
    }

    /// Frees all traces; the next call makes a new one.
    pub fn clear(&self) {
        if let Some(function) = self.0 {
            function.clear();
        }
    }
}
