//! Values on their way into a file: fetched when their first piece is written, and let go with their last.
//! Snapshots of checkpoints and `save_weights` write through them.

use engine::library::{HostBytes, Typed};
use engine::{Tensor, TensorType};
use formats::bundle::Pieces;
use kernels::error::{Error, Result};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// A tensor whose bytes are fetched when its first piece is written, and let go with its last: so a model on a GPU is never whole in
/// the host's memory, and a variable that changes meanwhile is copied only while it is not written yet.
pub(super) struct Fetched {
    pub ty: TensorType,
    state: Mutex<Fetching>,
}

struct Fetching {
    tensor: Option<Tensor>,
    bytes: Option<Arc<HostBytes>>,
    /// Bytes that were not handed out yet.
    left: u64,
}

impl Fetched {
    pub fn of(tensor: Tensor) -> Self {
        let ty = *Typed::ty(&tensor);
        let left = (ty.shape.num_elements() * ty.dtype.size()) as u64;
        Self { ty, state: Mutex::new(Fetching { tensor: Some(tensor), bytes: None, left }) }
    }

    fn bytes(&self) -> Result<Arc<HostBytes>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = &state.bytes {
            return Ok(bytes.clone());
        }
        let Some(tensor) = state.tensor.take() else {
            return Err(Error::internal("save", "a value was written already"));
        };
        let bytes = Arc::new(HostBytes::of(&tensor)?);
        state.bytes = Some(bytes.clone());
        Ok(bytes)
    }
}

impl Pieces for Fetched {
    fn size(&self) -> u64 {
        (self.ty.shape.num_elements() * self.ty.dtype.size()) as u64
    }

    fn piece(&self, range: Range<u64>, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let bytes = self.bytes()?;
        let part = bytes.as_slice().get(range.start as usize..range.end as usize);
        take(part.ok_or_else(|| Error::internal("save", "a piece lies outside of its value"))?)?;
        drop(bytes);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.left = state.left.saturating_sub(range.end - range.start);
        if state.left == 0 {
            state.bytes = None;
        }
        Ok(())
    }
}
