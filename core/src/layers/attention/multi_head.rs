//! `MultiHeadAttention` and `GroupQueryAttention`: queries that choose among values by keys, in several ways at once.
//! Keras's layers of these names.

use super::attend::{Told, attention_calls};
use super::heads::Heads;
use crate::layers::base::named;
use crate::layers::{Call, Core, Layer, Outputs};
use engine::library::options;
use engine::{Duplicate, Fields, Module, Tensor, TensorType};
use kernels::error::{Error, OrFail, Result};
use kernels::shape::IntoShape;
use std::panic::Location;

/// Writes what both layers have.
macro_rules! with_heads {
    ($layer:ident, $kind:literal) => {
        attention_calls!($layer);

        $crate::layers::attention::multi_head::weight_options! { $layer:
            kernel, "kernels" => kernel_initializer, try_kernel_initializer, kernel_regularizer, try_kernel_regularizer, kernel_constraint, try_kernel_constraint;
            bias, "biases" => bias_initializer, try_bias_initializer, bias_regularizer, try_bias_regularizer, bias_constraint, try_bias_constraint;
        }

        options::options! { $layer:
            /// The share of the weights that is dropped while the model is trained.
            #[must_use]
            pub fn dropout, try_dropout(this, rate: f64) {
                this.heads.dropout = options::share(stringify!($layer), "dropout", rate)?;
                Ok(this)
            }
            /// How near a key must be to be seen: less than so many places away from the query.
            #[must_use]
            pub fn sliding_window, try_sliding_window(this, width: usize) {
                this.heads.sliding_window = Some(options::count(stringify!($layer), "sliding_window", width)?);
                Ok(this)
            }
        }

        impl $layer {
            /// Whether biases are added.
            #[must_use]
            pub fn use_bias(mut self, use_bias: bool) -> Self {
                self.heads.set_use_bias(use_bias);
                self
            }

            /// Whether what attention gives is multiplied by gates, sigmoids of the queries, before the output.
            #[must_use]
            pub fn use_gate(mut self, use_gate: bool) -> Self {
                self.heads.use_gate = use_gate;
                self
            }

            /// Scores are held only where they are asked for, as long as nothing is said. `true` refuses calls that ask for them, and `false` holds
            /// them always.
            #[must_use]
            pub fn flash_attention(mut self, flash_attention: bool) -> Self {
                self.heads.flash_attention = Some(flash_attention);
                self
            }

            /// What the random state begins with that says what is dropped.
            #[must_use]
            #[track_caller]
            pub fn seed(mut self, seed: impl Into<i128>) -> Self {
                self.heads.seeds = engine::random::SeedGenerator::new(seed);
                self
            }

            /// Makes the variables for queries and values of these shapes; keys are values.
            ///
            /// # Panics
            /// Where inputs of the shapes do not fit the layer.
            #[track_caller]
            pub fn build(&self, query_shape: impl IntoShape, value_shape: impl IntoShape) {
                let here = Location::caller();
                let types = || {
                    let of = |shape| TensorType::new(self.core.compute(), shape);
                    let value = of(value_shape.into_shape()?);
                    self.heads.make(&self.core, &of(query_shape.into_shape()?), &value, &value)
                };
                types().map_err(|e| $crate::layers::base::within(e, self.core.name(), here)).or_fail();
            }
        }

        impl Layer for $layer {
            named!();

            #[track_caller]
            fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
                self.heads.forward(&self.core, self.told, inputs, cx)
            }
        }

        impl Module for $layer {
            fn visit(&self, fields: &mut Fields<'_>) {
                self.core.visit(fields);
                fields.value(&self.told);
                self.heads.visit(fields);
            }
        }
    };
}

/// As `weights!` of other layers, for all products at once.
macro_rules! weight_options {
    ($layer:ident: $($field:ident, $word:literal => $init:ident, $try_init:ident, $reg:ident, $try_reg:ident, $con:ident, $try_con:ident;)*) => {$(
        $crate::layers::base::macros::object_option!($layer, $crate::initializers::Initializer,
            #[doc = concat!("How the ", $word, " start: an initializer, or its name, such as `\"he_normal\"`.")]
            $init, $try_init => |this, object| this.heads.template.$field.initializer = object);
        $crate::layers::base::macros::object_option!($layer, $crate::regularizers::Regularizer,
            #[doc = concat!("What is added to the loss for the ", $word, ": a regularizer, or its name, such as `\"l2\"`.")]
            $reg, $try_reg => |this, object| this.heads.template.$field.regularizer = Some(object));
        $crate::layers::base::macros::object_option!($layer, $crate::constraints::Constraint,
            #[doc = concat!("What the ", $word, " are kept within after each step: a constraint, or its name, such as `\"non_neg\"`.")]
            $con, $try_con => |this, object| this.heads.template.$field.constraint = Some(object));
    )*};
}
use weight_options;

/// Attention in several heads: Keras's `MultiHeadAttention` (Vaswani et al., 2017).
///
/// Queries are `[batch, steps, features]`, values and keys `[batch, other steps, …]`; the output is `[batch, steps, features]`. Masks that queries,
/// values and keys carry, the mask of pairs, and the causal one hold together; the output carries the mask of the queries. Scores of all pairs are
/// held only where a call asks for them. A query that sees no key has the mean of all values, or zeros where scores are asked for or
/// [`dropout`](Self::dropout) is set, as in Keras.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Attend, MultiHeadAttention};
/// let attention = MultiHeadAttention::new(4, 16).dropout(0.1);
/// let x = tf::ones([2, 7, 32]);
/// assert_eq!(attention.call([&x, &x]).shape(), [2, 7, 32]);
/// let seen = tf::greater(tf::random::uniform([2, 7, 7], 0.0, 1.0), 0.5);
/// let y = attention.call_attention(Attend::new(&x, &x).causal(true).mask(&seen));
/// assert_eq!(y.shape(), [2, 7, 32]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct MultiHeadAttention {
    core: Core,
    heads: Heads,
    #[module(value)]
    told: Told,
}

with_heads!(MultiHeadAttention, "multi_head_attention");

impl MultiHeadAttention {
    /// So many heads, with queries and keys of `key_dim` numbers in each.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(num_heads: usize, key_dim: usize) -> Self {
        Self::try_new(num_heads, key_dim).or_fail()
    }

    /// So many heads, with queries and keys of `key_dim` numbers in each, of which there may be too few.
    ///
    /// # Errors
    /// InvalidArgument for no heads, or no numbers.
    #[track_caller]
    pub fn try_new(num_heads: usize, key_dim: usize) -> Result<Self> {
        const NAME: &str = "MultiHeadAttention";
        let here = Location::caller();
        let made = || {
            let heads = options::count(NAME, "num_heads", num_heads)?;
            let heads = Heads::new([heads, heads], options::count(NAME, "key_dim", key_dim)?)?;
            Ok(Self { core: Core::new("multi_head_attention"), heads, told: Told::default() })
        };
        made().map_err(|e: Error| e.at(here))
    }

    /// The sizes behind the steps of the output: those of the queries, unless told otherwise.
    #[must_use]
    pub fn output_shape(mut self, output_shape: impl Into<Vec<usize>>) -> Self {
        self.heads.output_shape = Some(output_shape.into());
        self
    }

    /// The axes along which queries see keys: all between batch and features, unless told otherwise.
    #[must_use]
    pub fn attention_axes(mut self, axes: impl Into<Vec<isize>>) -> Self {
        self.heads.attention_axes = Some(axes.into());
        self
    }
}

options::options! { MultiHeadAttention:
    /// How many numbers values have in each head: as many as keys, unless told otherwise.
    #[must_use]
    pub fn value_dim, try_value_dim(this, value_dim: usize) {
        this.heads.value_dim = options::count("MultiHeadAttention", "value_dim", value_dim)?;
        Ok(this)
    }
}

/// Attention in which several heads of queries share one of keys and values: Keras's `GroupQueryAttention` (Ainslie et al., 2023).
///
/// Inputs, masks and output are those of [`MultiHeadAttention`]. With one head of keys it is multi-query attention. Shared heads are not
/// copied.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::GroupQueryAttention;
/// let attention = GroupQueryAttention::new(16, 8, 2);
/// let x = tf::ones([2, 7, 32]);
/// assert_eq!(attention.call([&x, &x]).shape(), [2, 7, 32]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct GroupQueryAttention {
    core: Core,
    heads: Heads,
    #[module(value)]
    told: Told,
}

with_heads!(GroupQueryAttention, "grouped_query_attention");

impl GroupQueryAttention {
    /// Heads of `head_dim` numbers, so many of queries, and fewer of keys and values.
    ///
    /// # Panics
    /// As [`try_new`](Self::try_new) fails, at the caller's line.
    #[track_caller]
    pub fn new(head_dim: usize, num_query_heads: usize, num_key_value_heads: usize) -> Self {
        Self::try_new(head_dim, num_query_heads, num_key_value_heads).or_fail()
    }

    /// Heads of `head_dim` numbers, so many of queries, and fewer of keys and values, which may not divide them.
    ///
    /// # Errors
    /// InvalidArgument for no heads or numbers, or where heads of queries are no multiple of those of keys.
    #[track_caller]
    pub fn try_new(head_dim: usize, num_query_heads: usize, num_key_value_heads: usize) -> Result<Self> {
        const NAME: &str = "GroupQueryAttention";
        let here = Location::caller();
        let made = || {
            let queries = options::count(NAME, "num_query_heads", num_query_heads)?;
            let keys = options::count(NAME, "num_key_value_heads", num_key_value_heads)?;
            if !queries.is_multiple_of(keys) {
                let what = "the heads of queries are no multiple of those of keys and values";
                return Err(Error::invalid_argument(NAME, what).got(format!("{queries} and {keys}")));
            }
            let heads = Heads::new([queries, keys], options::count(NAME, "head_dim", head_dim)?)?;
            Ok(Self { core: Core::new("grouped_query_attention"), heads, told: Told::default() })
        };
        made().map_err(|e: Error| e.at(here))
    }
}
