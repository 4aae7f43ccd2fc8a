//! Saving and resuming: checkpoints that TensorFlow opens, and what belongs to them; reports of gradients.
//! Training programs call [`Checkpoint`] and [`CheckpointManager`]; guides::saving tells how.

mod aliases;
mod background;
mod checkpoint;
mod demand;
mod fetched;
mod file_graph;
mod fitting;
mod gradient_report;
mod kept;
mod latest;
mod manager;
mod reader;
mod restoration;
mod save;
mod slots;
mod snapshot;
mod status;
mod weights;

pub use background::PendingSave;
pub use checkpoint::Checkpoint;
#[doc(inline)]
pub use formats::examples::{
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, Kind as FeatureKind,
    SequenceExample,
};
pub(crate) use gradient_report::why;
pub use gradient_report::{GradientEntry, GradientFault, GradientReport, report, try_report};
pub use latest::{CheckpointState, get_checkpoint_state, latest_checkpoint};
pub use manager::CheckpointManager;
pub use reader::{CheckpointReader, list_variables, load_checkpoint};
pub use status::CheckpointLoadStatus;
pub use weights::{LoadReport, WeightsLoader, load_weights, save_weights};

/// Reads an object graph and asks it all that a restore may: for tests of damage.
#[cfg(feature = "testing")]
#[doc(hidden)]
pub fn __read_object_graph(bytes: &[u8]) -> kernels::error::Result<usize> {
    let graph = file_graph::FileGraph::decode(bytes, bytes.len() as u64, "graph")?;
    graph.filled();
    let last = graph.nodes.len() - 1;
    for at in [0, last / 2, last] {
        graph.value_key(at);
        graph.spoken(at);
        aliases::child(&graph, at, "kernel", &["a/b".to_owned()]);
        aliases::child(&graph, at, "7", &[]);
    }
    Ok(graph.nodes.len())
}
