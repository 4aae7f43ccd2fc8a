//! The options of recurrent layers, their traits, and what they build, written once.
//! The files of the layers use it.

/// Writes the options of a recurrent layer with `core`, `how` and a method `with_cell`, its traits, and calls with states.
macro_rules! recurrence_options {
    ($layer:ident) => {
        impl $layer {
            /// Whether all outputs are given, `[batch, steps, …]`, and not the last one alone.
            #[must_use]
            pub fn return_sequences(mut self, return_sequences: bool) -> Self {
                self.how.return_sequences = return_sequences;
                self
            }

            /// Whether the layer, called as any layer, gives its last states behind its output; see also
            /// [`call_with_state`](Self::call_with_state).
            #[must_use]
            pub fn return_state(mut self, return_state: bool) -> Self {
                self.how.return_state = return_state;
                self
            }

            /// Whether steps are taken from the last to the first; outputs come in the order in which they are made.
            #[must_use]
            pub fn go_backwards(mut self, go_backwards: bool) -> Self {
                self.how.go_backwards = go_backwards;
                self
            }

            /// Whether each call begins with the states with which the call before has ended, example by example. They are variables
            /// that no optimizer trains; [`reset_state`](Self::reset_state) sets them to zero.
            #[must_use]
            pub fn stateful(mut self, stateful: bool) -> Self {
                let states = self.with_cell(|cell| cell.state_sizes().len());
                self.how.set_stateful(stateful, states);
                self
            }

            /// Whether the graph has each step by itself in place of a loop, for a few steps of a known number.
            #[must_use]
            pub fn unroll(mut self, unroll: bool) -> Self {
                self.how.unroll = unroll;
                self
            }

            /// Whether the output of a masked step is zeros, and not that of the step before.
            #[must_use]
            pub fn zero_output_for_mask(mut self, zero_output_for_mask: bool) -> Self {
                self.how.zero_output_for_mask = zero_output_for_mask;
                self
            }

            /// Sets the states of a stateful layer to zeros, between sequences that have nothing to do with each other.
            ///
            /// # Panics
            /// Without memory.
            #[track_caller]
            pub fn reset_state(&self) {
                kernels::error::OrFail::or_fail(self.how.reset());
            }

            /// The variables for an input of a type, made if this is the first one.
            #[track_caller]
            #[allow(dead_code, reason = "a layer over any cell is built by a call")]
            fn make(&self, x: &engine::TensorType) -> $crate::Result<()> {
                self.with_cell(|cell| self.how.make(&self.core, cell, x))
            }
        }

        $crate::layers::recurrent::with_state::calls_with_state!($layer);

        impl $crate::layers::Layer for $layer {
            $crate::layers::named!();

            #[track_caller]
            fn forward(
                &self,
                inputs: &[engine::Tensor],
                cx: &$crate::layers::Call,
            ) -> $crate::Result<$crate::layers::Outputs> {
                self.with_cell(|cell| self.how.forward(&self.core, cell, inputs, cx))
            }
        }

        impl $crate::layers::Recurrent for $layer {
            fn recurrence(&self) -> &$crate::layers::Recurrence {
                &self.how
            }

            #[track_caller]
            fn with_states(
                &self,
                inputs: &[engine::Tensor],
                cx: &$crate::layers::Call,
            ) -> $crate::Result<$crate::layers::Outputs> {
                $crate::layers::run(&self.clone().return_state(true), inputs, cx)
            }

            fn anew(
                &self,
                name: String,
                backwards: bool,
                zeros: bool,
            ) -> $crate::Result<std::sync::Arc<dyn $crate::layers::Recurrent>> {
                let mut layer = self.made_anew()?.name(name);
                layer.how.go_backwards = backwards;
                layer.how.zero_output_for_mask = zeros;
                Ok(std::sync::Arc::new(layer))
            }
        }
    };
}
pub(super) use recurrence_options;
