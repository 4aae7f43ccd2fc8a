//! What the cells and layers of `SimpleRNN`, `LSTM` and `GRU` have in common, written once: options of Keras's names, and traits.
//! Their files use the macros, and say what is their own.

/// Writes the options of variables, of what is dropped, and of the activation, for a type with `gates`.
macro_rules! gate_options {
    ($layer:ident) => {
        $crate::layers::base::macros::object_option!($layer, $crate::activations::Activation,
            /// The function of the output, or of candidate and memory: `tanh`, unless told otherwise.
            activation, try_activation => |this, object| this.gates.activation = object);
        $crate::layers::recurrent::gated::weight_options! { $layer:
            kernel, "kernel" => kernel_initializer, try_kernel_initializer, kernel_regularizer, try_kernel_regularizer, kernel_constraint, try_kernel_constraint;
            recurrent_kernel, "recurrent kernel" => recurrent_initializer, try_recurrent_initializer, recurrent_regularizer, try_recurrent_regularizer, recurrent_constraint, try_recurrent_constraint;
            bias, "bias" => bias_initializer, try_bias_initializer, bias_regularizer, try_bias_regularizer, bias_constraint, try_bias_constraint;
        }

        engine::library::options::options! { $layer:
            /// The share of the inputs that is dropped while the model is trained, the same at all steps.
            #[must_use]
            pub fn dropout, try_dropout(this, rate: f64) {
                this.gates.dropout = engine::library::options::share(stringify!($layer), "dropout", rate)?;
                Ok(this)
            }
            /// The share of the states that is dropped in their products while the model is trained, the same at all steps.
            #[must_use]
            pub fn recurrent_dropout, try_recurrent_dropout(this, rate: f64) {
                this.gates.recurrent_dropout = engine::library::options::share(stringify!($layer), "recurrent_dropout", rate)?;
                Ok(this)
            }
        }

        impl $layer {
            /// Whether a bias is added.
            #[must_use]
            pub fn use_bias(mut self, use_bias: bool) -> Self {
                self.gates.use_bias = use_bias;
                self
            }

            /// What the random state begins with that says what is dropped.
            #[must_use]
            #[track_caller]
            pub fn seed(mut self, seed: impl Into<i128>) -> Self {
                self.gates.set_seed(seed.into());
                self
            }

            /// The number of outputs.
            pub fn units(&self) -> usize {
                self.gates.units
            }

            /// The kernel `[features, blocks * units]`, once it is built.
            pub fn kernel(&self) -> Option<&engine::Variable> {
                self.gates.kernel.get()
            }

            /// The recurrent kernel `[units, blocks * units]`, once it is built.
            pub fn recurrent_kernel(&self) -> Option<&engine::Variable> {
                self.gates.recurrent_kernel.get()
            }

            /// The bias, once it is built.
            pub fn bias(&self) -> Option<&engine::Variable> {
                self.gates.bias.get()
            }
        }
    };
}
pub(super) use gate_options;

/// As `weights!` of the other layers, for variables in `gates`.
macro_rules! weight_options {
    ($layer:ident: $($field:ident, $word:literal => $init:ident, $try_init:ident, $reg:ident, $try_reg:ident, $con:ident, $try_con:ident;)*) => {$(
        $crate::layers::base::macros::object_option!($layer, $crate::initializers::Initializer,
            #[doc = concat!("How the ", $word, " starts: an initializer, or its name, such as `\"he_normal\"`.")]
            $init, $try_init => |this, object| this.gates.$field.initializer = object);
        $crate::layers::base::macros::object_option!($layer, $crate::regularizers::Regularizer,
            #[doc = concat!("What is added to the loss for the ", $word, ": a regularizer, or its name, such as `\"l2\"`.")]
            $reg, $try_reg => |this, object| this.gates.$field.regularizer = Some(object));
        $crate::layers::base::macros::object_option!($layer, $crate::constraints::Constraint,
            #[doc = concat!("What the ", $word, " is kept within after each step: a constraint, or its name, such as `\"non_neg\"`.")]
            $con, $try_con => |this, object| this.gates.$field.constraint = Some(object));
    )*};
}
pub(super) use weight_options;

/// Writes the option that cells with gates have.
macro_rules! recurrent_activation_option {
    ($($layer:ident),*) => {$(
        $crate::layers::base::macros::object_option!($layer, $crate::activations::Activation,
            /// The function of the gates: `sigmoid`, unless told otherwise.
            recurrent_activation, try_recurrent_activation => |this, object| this.gates.recurrent_activation = object);
    )*};
}
pub(super) use recurrent_activation_option;

/// Writes `new` and `try_new` of a type with a number of units.
macro_rules! new_with_units {
    ($name:ident, |$core:ident, $gates:ident| $made:expr, $kind_name:literal, $kind:expr) => {
        impl $name {
            /// A layer with `units` outputs.
            ///
            /// # Panics
            /// As [`try_new`](Self::try_new) fails, at the caller's line.
            #[track_caller]
            pub fn new(units: usize) -> Self {
                kernels::error::OrFail::or_fail(Self::try_new(units))
            }

            /// A layer with `units` outputs, of which there may be too few.
            ///
            /// # Errors
            /// InvalidArgument for no units.
            #[track_caller]
            pub fn try_new(units: usize) -> Result<Self> {
                let here = std::panic::Location::caller();
                let $gates = Gates::new(stringify!($name), $kind, units).map_err(|e| e.at(here))?;
                let $core = $crate::layers::Core::new($kind_name);
                Ok($made)
            }
        }
    };
}
pub(super) use new_with_units;

/// Writes a cell.
macro_rules! gated_cell {
    ($(#[$doc:meta])* $cell:ident, $kind_name:literal, $kind:expr, $states:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, engine::Duplicate)]
        pub struct $cell {
            core: $crate::layers::Core,
            gates: Gates,
        }

        $crate::layers::recurrent::gated::new_with_units!($cell, |core, gates| Self { core, gates }, $kind_name, $kind);
        $crate::layers::recurrent::gated::gate_options!($cell);
        $crate::layers::recurrent::one_step::cell_methods!($cell);

        impl $crate::layers::Cell for $cell {
            fn cell_name(&self) -> &str {
                self.core.name()
            }

            fn state_sizes(&self) -> Vec<usize> {
                vec![self.gates.units; $states]
            }

            #[track_caller]
            fn step(
                &self,
                x: &engine::Tensor,
                states: &[engine::Tensor],
                cx: &$crate::layers::Call,
            ) -> Result<(engine::Tensor, Vec<engine::Tensor>)> {
                let ty = engine::library::Typed::ty(x);
                $crate::layers::recurrent::one_step::check_states(self, ty, states)?;
                let begun = self.begin(x, ty, cx)?;
                (begun.steps)(&begun.inputs, states)
            }

            fn output_is_state(&self) -> bool {
                true
            }

            fn anew(&self) -> Result<std::sync::Arc<dyn $crate::layers::Cell>> {
                Ok(std::sync::Arc::new(Self { core: self.core.clone(), gates: self.gates.anew()? }))
            }

            #[track_caller]
            fn prepare(&self, x: &engine::TensorType) -> Result<()> {
                self.gates.make(&self.core, x)
            }

            #[track_caller]
            fn begin<'c>(
                &'c self,
                xs: &engine::Tensor,
                step: &engine::TensorType,
                cx: &'c $crate::layers::Call,
            ) -> Result<$crate::layers::recurrent::Begun<'c>> {
                self.gates.begin(&self.core, xs, step, cx.is_training())
            }

            #[track_caller]
            fn steps<'c>(&'c self, step: &engine::TensorType, cx: &'c $crate::layers::Call) -> Result<Steps<'c>> {
                self.gates.steps(&self.core, step, cx.is_training())
            }
        }

        impl engine::Module for $cell {
            fn visit(&self, fields: &mut engine::Fields<'_>) {
                self.core.visit(fields);
                self.gates.visit(fields);
            }
        }
    };
}
pub(super) use gated_cell;

/// Writes the layer that goes over sequences with such a cell. The cell takes the layer's name and dtypes when it is called.
macro_rules! gated_layer {
    ($(#[$doc:meta])* $layer:ident, $kind_name:literal, $new:literal, $cell:ident, $kind:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, engine::Duplicate)]
        pub struct $layer {
            core: $crate::layers::Core,
            gates: Gates,
            how: $crate::layers::recurrent::recurrence::Recurrence,
        }

        $crate::layers::recurrent::gated::new_with_units!(
            $layer,
            |core, gates| Self { core, gates, how: $crate::layers::recurrent::recurrence::Recurrence::new() },
            $kind_name,
            $kind
        );
        $crate::layers::recurrent::gated::gate_options!($layer);
        $crate::layers::layer!($layer);
        $crate::layers::recurrent::options::recurrence_options!($layer);
        $crate::layers::base::buildable!($layer, $new, "[2, 7, 3]", 4);

        impl $layer {
            /// What goes from step to step.
            #[track_caller]
            fn with_cell<R>(&self, f: impl FnOnce(&dyn $crate::layers::Cell) -> R) -> R {
                f(&$cell { core: self.core.clone(), gates: self.gates.clone() })
            }

            fn made_anew(&self) -> Result<Self> {
                Ok(Self { gates: self.gates.anew()?, how: self.how.anew(), ..self.clone() })
            }
        }

        impl engine::Module for $layer {
            fn visit(&self, fields: &mut engine::Fields<'_>) {
                self.core.visit(fields);
                fields.field("cell", &self.gates);
                self.how.visit(fields);
            }
        }
    };
}
pub(super) use gated_layer;
