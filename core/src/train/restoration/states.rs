//! The states of objects of the host in a restore: iterators, data sets, counters and the global random state.
//! The restore reads them with the rest, and its status asks whether each object took one.

use super::super::fitting::fits;
use super::Restoration;
use engine::TensorType;
use engine::library::{End, ObjectGraph, StateValue};
use kernels::dtype::DType;
use kernels::error::Result;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

impl Restoration {
    /// What the file has for the objects of the host, by their numbers.
    pub(super) fn states_for(
        &self,
        objects: &ObjectGraph,
        matched: &[Option<usize>],
    ) -> Result<HashMap<u64, StateValue>> {
        let mut states = HashMap::new();
        for (object, node) in objects.objects.iter().zip(matched) {
            if let (End::State(id), Some(node)) = (&object.end, *node) {
                states.extend(self.state(node)?.map(|state| (*id, state)));
            }
        }
        Ok(states)
    }

    /// Whether an object of the host took a state.
    pub fn has_state(&self, id: u64) -> bool {
        self.states.contains(&id)
    }

    /// The state of an object of the host: a scalar that a node names, or bytes that none names.
    fn state(&self, node: usize) -> Result<Option<StateValue>> {
        if let Some(stored) = self.stored(node)? {
            let mut number = [0; 8];
            fits(&self.file(), stored, &TensorType::scalar(DType::I64))
                .map_err(|e| e.variable(self.graph.spoken(node)))?;
            self.bundle.read_into(&mut [(stored.key(), &mut number)], 0)?;
            self.used[node].store(true, Ordering::Relaxed);
            return Ok(Some(StateValue::Int64(i64::from_le_bytes(number))));
        }
        let key = self.graph.state_key(node);
        if self.bundle.get(&key).is_none() {
            return Ok(None);
        }
        Ok(self.bundle.read_strings(&key)?.into_iter().next().map(StateValue::Bytes))
    }
}
