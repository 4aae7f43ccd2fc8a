//! The bytes of one value on their way into a file: of a tensor, which may lie on a GPU, or of a checkpoint that was restored and whose
//! value no variable has taken yet. Snapshots make one of each value; the writer asks for its pieces.

use super::restoration::Restoration;
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

/// Where bytes come from.
enum Origin {
    Tensor(Tensor),
    /// A node of a file.
    File(Arc<Restoration>, usize),
}

struct Fetching {
    origin: Option<Origin>,
    bytes: Option<Arc<HostBytes>>,
    /// Bytes that were not handed out yet.
    left: u64,
}

impl Fetched {
    pub fn of(tensor: Tensor) -> Self {
        Self::new(*Typed::ty(&tensor), Origin::Tensor(tensor))
    }

    /// Of a value in a file that is of this type.
    pub fn of_file(restoration: Arc<Restoration>, node: usize, ty: TensorType) -> Self {
        Self::new(ty, Origin::File(restoration, node))
    }

    fn new(ty: TensorType, origin: Origin) -> Self {
        let left = (ty.shape.num_elements() * ty.dtype.size()) as u64;
        Self { ty, state: Mutex::new(Fetching { origin: Some(origin), bytes: None, left }) }
    }

    fn bytes(&self) -> Result<Arc<HostBytes>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = &state.bytes {
            return Ok(bytes.clone());
        }
        let tensor = match state.origin.take() {
            Some(Origin::Tensor(tensor)) => Some(tensor),
            Some(Origin::File(restoration, node)) => restoration.read(node, "a value that waits", &self.ty)?,
            None => None,
        };
        let Some(tensor) = tensor else {
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
