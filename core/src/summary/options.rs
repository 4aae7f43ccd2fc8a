//! What the options of several kinds of summaries have in common: a text beside them, and `write` with its twin for one tensor.
//! `Histogram`, `Image`, `Audio` and `PrCurve` are written with it.

/// Writes `Default` and the text of a kind's options, and, if their documentation is given, `write` and `try_write` of one tensor.
macro_rules! summary_options {
    ($kind:ident) => {
        impl Default for $kind {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $kind {
            /// A text in Markdown that TensorBoard shows beside it.
            #[must_use]
            pub fn description(mut self, description: impl Into<String>) -> Self {
                self.description = description.into();
                self
            }
        }
    };
    ($kind:ident: $(#[$doc:meta])* fn write; $(#[$errors:meta])* fn try_write;) => {
        $crate::summary::options::summary_options!($kind);

        impl $kind {
            $(#[$doc])*
            ///
            /// # Panics
            /// As [`try_write`](Self::try_write) fails, at the caller's line.
            #[track_caller]
            pub fn write(&self, name: &str, data: impl engine::AsTensor, step: impl $crate::summary::IntoStep) {
                engine::library::OrFail::or_fail(self.try_write(name, data, step));
            }

            $(#[$errors])*
            #[track_caller]
            pub fn try_write(
                &self,
                name: &str,
                data: impl engine::AsTensor,
                step: impl $crate::summary::IntoStep,
            ) -> kernels::error::Result<()> {
                let here = std::panic::Location::caller();
                let content = std::sync::Arc::new(self.clone());
                $crate::summary::work::write(content, name, &[&data.as_tensor()], step).map_err(|e| e.at(here))
            }
        }
    };
}
pub(super) use summary_options;
