//! The macros of eagerflow: entry points only. The crate `eagerflow` re-exports them.

mod custom_gradient;
mod diag;
mod duplicate;
mod model;
mod module;
mod names;
mod nest;
mod short_form;
mod tf_function;

use proc_macro::TokenStream;

/// Gives a function a gradient of its own, as TensorFlow's `tf.custom_gradient`.
///
/// The body ends with a pair: what the function returns, and a closure that turns the cotangent of each output into the
/// cotangent of each differentiable parameter. The signature shows what callers see: the outputs alone.
///
/// ```
/// use eagerflow::{self as tf, GradientTape, Tensor, custom_gradient};
///
/// /// The identity, whose gradient is kept within a limit.
/// #[custom_gradient]
/// fn limited(x: &Tensor, limit: f32) -> Tensor {
///     (x + 0.0, move |dy: &Tensor| dy * limit)
/// }
///
/// let x = tf::constant([1.0, 2.0]);
/// let mut tape = GradientTape::new();
/// tape.watch(&x);
/// let y = limited(&x, 0.5);
/// assert_eq!(tape.gradient(&y, &x).to_vec::<f32>(), [0.5, 0.5]);
/// ```
///
/// - **Parameters** whose type names `Tensor` or `Variable` are differentiable: `&Tensor`, `&Variable`, `&[Tensor]`,
///   `[Tensor; 2]`, `Vec<Tensor>`, `Option<&Tensor>`. All others are host values and get no cotangent. `#[host]` on a
///   parameter makes it a host value, `#[differentiable]` makes a generic one differentiable.
/// - **The closure** takes one `&Tensor` for each output (one `&[Tensor]` where the function returns an array or `Vec`)
///   and returns a tensor for one parameter, a tuple for several; `Option<Tensor>` or `()` stand for no gradient. It
///   may return a `Result`. It may use reference parameters of the function: it gets copies of the handles.
/// - **Variables** that the body reads, but that are no parameters, need a cotangent too if they are trainable: pairs
///   after the others, `(dx, [(variable.clone(), dv)])`. Forgetting one is an error that names it.
/// - **Errors**: a function that returns `Result<Tensor>` may use `?`, and ends with `Ok((outputs, closure))`.
/// - Each branch of an `if` or `match` and each `return` may have a closure of its own.
///
/// The body's operations are recorded like all others, so the closure may be differentiated again.
/// `#[custom_gradient(crate = path)]` names the crate where it is re-exported.
#[proc_macro_attribute]
pub fn custom_gradient(options: TokenStream, item: TokenStream) -> TokenStream {
    custom_gradient::expand(options.into(), item.into()).into()
}

/// Makes a struct or enum a module: its variables are found, and its settings tell it from others.
///
/// Every field is visited in order: variables, tensors, other modules, and `Option`s, lists, maps, pointers, cells, arrays and tuples
/// of them; numbers, texts and derived enums are settings, whose values are part of the signature. Any generics work.
///
/// ```
/// use eagerflow::{self as tf, Module, Variable};
///
/// #[derive(Module)]
/// struct Dense {
///     kernel: Variable,
///     bias: Option<Variable>,
///     activation: Activation,
///     #[module(skip)]
///     calls: std::cell::RefCell<u64>,
/// }
///
/// #[derive(Module)]
/// enum Activation {
///     Linear,
///     LeakyRelu { alpha: f32 },
/// }
///
/// let dense = |activation| Dense {
///     kernel: Variable::new([[1.0]]),
///     bias: None,
///     activation,
///     calls: Default::default(),
/// };
/// let model = (dense(Activation::Linear), dense(Activation::LeakyRelu { alpha: 0.2 }));
/// assert_eq!(model.trainable_variables().len(), 2);
/// assert_eq!(model.named_variables()[1].0, "1/kernel");
/// ```
///
/// - `#[module(skip)]` leaves a field out.
/// - `#[module(value)]` makes a field of any type that implements `Hash` a setting.
/// - `#[module(not_trainable)]` leaves all variables below a field out of the trainable ones.
/// - `#[module(name = "..")]` gives a field another name in paths and checkpoints.
/// - `#[module(renamed_from = "..")]` tells a name that it had before, by which older checkpoints know it, or a path such as
///   `"body/0"` where it was a part of a part; it may be repeated.
/// - `#[module(crate = path)]` on the type names the crate where it is re-exported.
#[proc_macro_derive(Module, attributes(module))]
pub fn derive_module(item: TokenStream) -> TokenStream {
    module::expand(item.into()).into()
}

/// Makes deep copies of a struct or enum, whose variables are its own: see the trait.
///
/// Every field is copied by `Duplicate`; fields that are `#[module(skip)]` or `#[module(value)]` by `Clone`.
///
/// ```
/// use eagerflow::{self as tf, Duplicate, Module, Variable};
///
/// #[derive(Module, Duplicate)]
/// struct Line {
///     slope: Variable,
///     #[module(skip)]
///     name: std::sync::Arc<str>,
///     #[module(skip)]
///     #[duplicate(default)]
///     calls: std::cell::Cell<u64>,
/// }
///
/// let line = Line { slope: Variable::new(2.0), name: "line".into(), calls: std::cell::Cell::new(7) };
/// let copy = line.duplicate();
/// line.slope.assign(0.0);
/// assert_eq!((copy.slope.value().item::<f32>(), copy.calls.get()), (2.0, 0));
/// ```
///
/// - `#[duplicate(default)]` gives the copy's field the default of its type.
/// - `#[module(crate = path)]` on the type names the crate where it is re-exported.
#[proc_macro_derive(Duplicate, attributes(module, duplicate))]
pub fn derive_duplicate(item: TokenStream) -> TokenStream {
    duplicate::expand(item.into()).into()
}

/// Makes a function a traced one, as TensorFlow's `tf.function`: its Rust control flow becomes a graph.
///
/// ```
/// use eagerflow::{self as tf, Tensor, tf_function};
///
/// #[tf_function]
/// fn collatz_steps(n: &Tensor) -> Tensor {
///     let mut n = n.clone();
///     let mut steps = tf::constant(0);
///     while n != 1 {
///         if &n % 2 == 0 {
///             n = n / 2;
///         } else {
///             n = n * 3 + 1;
///         }
///         steps = steps + 1;
///     }
///     steps
/// }
///
/// assert_eq!(collatz_steps(&tf::constant(27)).item::<i32>(), 111);
/// ```
///
/// - **Conditions** on tensors become branches and loops of the graph; conditions on host values (`bool`, numbers, `if let`,
///   `match`) stay Rust's own and are decided while the function is traced.
/// - `break`, `continue` and `return` work anywhere, with labels and values; so do `?`, closures and `let x;`.
/// - `==`, `<`, `&&`, `||` on tensors give tensors; `println!`, `dbg!`, `assert!` and `panic!` are effects of the function.
/// - **`&mut` parameters** of structures of tensors, slices of them, and `&mut self`, get their new values when a call has
///   succeeded.
/// - **Options**: `input_signature` declares the tensors of each parameter (see below); `name = ".."` is what graphs and
///   messages call the function; `max_traces = 8` is the most traces that are kept, 32 if nothing is said;
///   `relax_shapes = false` gives every size a trace of its own, where else sizes that change become open; `crate = path`
///   says where the library is re-exported.
///
/// ```
/// use eagerflow::{self as tf, Tensor, tf_function};
///
/// /// One trace for any number of images and labels, as long as there are as many of each. Other arguments are refused.
/// #[tf_function(input_signature = [f32[n, 4], i32[n], _])]
/// fn step(images: &Tensor, labels: &Tensor, scale: f32) -> Tensor {
///     tf::reduce_sum(images, 1) * labels.cast(tf::DType::F32) * scale
/// }
///
/// assert_eq!(step(&tf::ones([2, 4]), &tf::constant([1, 2]), 0.5).to_vec::<f32>(), [2.0, 4.0]);
/// assert_eq!(step(&tf::ones([1, 4]), &tf::constant([3]), 0.5).to_vec::<f32>(), [6.0]);
/// assert_eq!(tf::function(step).trace_count(), 1);
///
/// /// Changes what it is lent.
/// #[tf_function]
/// fn accumulate(sum: &mut Tensor, x: &Tensor) {
///     if x > 0.0 {
///         *sum = &*sum + x;
///     }
/// }
///
/// let mut sum = tf::constant(1.0);
/// accumulate(&mut sum, &tf::constant(2.0));
/// assert_eq!(sum.item::<f32>(), 3.0);
/// ```
///
/// An entry of the signature is a dtype with sizes: numbers, `_` for any size, or a name for any that is the same elsewhere.
/// `(f32[_], i32[])` lists the tensors of a structure; `_` alone declares nothing, as for models and host values.
///
/// With `EAGERFLOW_EXPAND=name` in the environment the compiler prints what became of the function `name`.
#[proc_macro_attribute]
pub fn tf_function(options: TokenStream, item: TokenStream) -> TokenStream {
    tf_function::expand(options.into(), item.into()).into()
}

/// Makes a struct with a method `call` a model, which can be compiled, trained by `fit`, and used: Keras's subclass of `Model`.
///
/// It stands on the `impl`. The body of `call` is that of a [`tf_function`]: conditions on tensors become branches of the graph. Layers that
/// are called in it are called as the model is, for training or not.
///
/// ```
/// use eagerflow::{self as tf, Module, Tensor, layers::{Dense, Dropout}};
/// use tf::{optim::Adam, training::{Compile, Fit}};
///
/// #[derive(Module)]
/// struct Net {
///     hidden: Dense,
///     dropout: Dropout,
///     output: Dense,
/// }
///
/// #[tf::model]
/// impl Net {
///     fn new() -> Self {
///         Self { hidden: Dense::new(16).activation("relu"), dropout: Dropout::new(0.1), output: Dense::new(1) }
///     }
///
///     fn call(&self, x: &Tensor) -> Tensor {
///         let mut h = self.hidden.call(x);
///         if tf::reduce_max(&h, ()) > 10.0 {
///             h = h / 10.0;
///         }
///         self.output.call(self.dropout.call(h))
///     }
/// }
///
/// let x = tf::random::normal([64, 3], 0.0, 1.0);
/// let y = tf::reduce_sum(&x, tf::keep_dims(1));
/// let trainer = Net::new().compile(Adam::new(0.02), "mse");
/// let history = trainer.fit((&x, &y), Fit::new().epochs(10).verbose(0));
/// assert!(history["loss"][9] < history["loss"][0]);
/// assert_eq!(trainer.model().call(&x).shape(), [64, 1]);
/// ```
///
/// - **`call`** takes `&self`, inputs by reference (tensors, or any `Nest`), and perhaps a `&Call` as the last parameter, which says whether
///   the model is trained. Several inputs are a tuple to `fit`. It answers a tensor or a `Nest`, or a `Result` of one.
/// - **`train_step`**, `test_step`, `predict_step` and `output_names` in the same `impl` are those of the trait `Model`, which replace Keras's.
/// - **`#[model(layer)]`** makes a model of one tensor a layer, too, for `Sequential` and functional models; it then derives `Clone` and
///   `Duplicate` as well as `Module`. A `call` without a context, and without a `Result`, takes nodes as well as tensors.
/// - `#[model(crate = path)]` names the crate where it is re-exported.
#[proc_macro_attribute]
pub fn model(options: TokenStream, item: TokenStream) -> TokenStream {
    model::expand(options.into(), item.into()).into()
}

/// Makes a struct or enum a structure of tensors, which traced functions take, return and keep as state.
///
/// ```
/// use eagerflow::{self as tf, Nest, Tensor, tf_function};
///
/// #[derive(Nest)]
/// struct State {
///     hidden: Tensor,
///     memory: (Tensor, Option<Tensor>),
///     layer: usize,
/// }
///
/// #[tf_function]
/// fn step(state: &State, x: &Tensor) -> State {
///     let hidden = if x > 0.0 { &state.hidden + x } else { state.hidden.clone() };
///     State { hidden, memory: (x.clone(), None), layer: state.layer }
/// }
///
/// let state = State { hidden: tf::constant(1.0), memory: (tf::constant(0.0), None), layer: 2 };
/// assert_eq!(step(&state, &tf::constant(2.0)).hidden.item::<f32>(), 3.0);
/// ```
///
/// - `#[nest(value)]` makes a field of any type that implements `Hash` and `Clone` a host value, part of the structure.
/// - `#[nest(skip)]` copies a field along, by `Clone`, without looking at it.
/// - `#[nest(crate = path)]` on the type names the crate where it is re-exported.
#[proc_macro_derive(Nest, attributes(nest))]
pub fn derive_nest(item: TokenStream) -> TokenStream {
    nest::expand(item.into()).into()
}

/// What the short forms of the library expand to; not for other use.
#[doc(hidden)]
#[proc_macro]
pub fn __call(form: TokenStream) -> TokenStream {
    short_form::expand(form.into()).into()
}
