//! The steps of data pipelines, one file for each kind: what `Dataset`'s methods put behind each other.
//! Each has a stage, which holds the settings, and a pass, which holds the state.

pub(super) mod batch;
pub(super) mod cache;
pub(super) mod choose;
pub(super) mod concatenate;
pub(super) mod device;
pub(super) mod enumerate;
pub(super) mod file_cache;
pub(super) mod filter;
pub(super) mod flatten;
pub(super) mod generated;
pub(super) mod group;
pub(super) mod ignore_errors;
pub(super) mod map;
pub(super) mod numbers;
pub(super) mod padded;
pub(super) mod parallel;
pub(super) mod part;
pub(super) mod prefetch;
pub(super) mod repeat;
pub(super) mod resample;
pub(super) mod rows;
pub(super) mod scan;
pub(super) mod shuffle;
pub(super) mod timeseries;
pub(super) mod unbatch;
pub(super) mod unique;
pub(super) mod window;
pub(super) mod zip;

/// What all stages with one stage before them answer alike.
macro_rules! one_input {
    () => {
        fn inputs(&self) -> &[std::sync::Arc<dyn $crate::data::stage::Stage>] {
            std::slice::from_ref(&self.before)
        }
    };
    (with its rows) => {
        one_input!();

        fn source(&self) -> Option<&std::sync::Arc<dyn $crate::data::stage::Rows>> {
            self.before.source()
        }
    };
    (with its types and rows) => {
        one_input!(with its rows);

        fn types(&self) -> Option<Vec<$crate::tensor::TensorType>> {
            self.before.types()
        }
    };
}
pub(super) use one_input;
