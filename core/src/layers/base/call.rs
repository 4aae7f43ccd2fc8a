//! What a layer is told beside its inputs: whether the model is trained, and masks. [`Call`] goes with every call;
//! what a call is not told, it inherits from the call of the model around it.

use engine::library::{mask_of, training};
use engine::{Nest, Tensor};
use kernels::error::{Error, Result};

/// The context of a call: Keras's arguments `training` and `mask`.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Call, Dropout};
/// let dropout = Dropout::new(0.5);
/// let x = tf::ones([100]);
/// assert_eq!(dropout.call_with(&x, &Call::inference()).to_vec::<f32>(), [1.0; 100]);
/// assert_ne!(dropout.call_with(&x, &Call::training()).to_vec::<f32>(), [1.0; 100]);
/// ```
#[derive(Clone, Nest, Default)]
pub struct Call {
    is_training: bool,
    /// Given by the caller, one for each input; else inputs carry their own.
    masks: Option<Vec<Option<Tensor>>>,
}

impl Call {
    /// A call of a model that is trained.
    pub fn training() -> Self {
        Self { is_training: true, masks: None }
    }

    /// A call of a model that is used.
    pub fn inference() -> Self {
        Self::default()
    }

    /// Trained or used, as `training` says.
    pub fn of(training: bool) -> Self {
        Self { is_training: training, masks: None }
    }

    /// What the call of the model around this line was told; used, where there is none.
    pub fn inherited() -> Self {
        Self::of(training().unwrap_or(false))
    }

    /// Whether the model is trained: dropout drops, batch normalisation looks at the batch.
    pub fn is_training(&self) -> bool {
        self.is_training
    }

    /// The same with a mask for the first input, `bool[batch, steps]` for a sequence, in place of the one that it carries.
    #[must_use]
    pub fn mask(self, mask: Tensor) -> Self {
        self.masks([Some(mask)])
    }

    /// The same with a mask for each input, or none, in place of those that they carry.
    #[must_use]
    pub fn masks(mut self, masks: impl IntoIterator<Item = Option<Tensor>>) -> Self {
        self.masks = Some(masks.into_iter().collect());
        self
    }

    /// The same for a model that is trained, or not.
    pub(crate) fn with_training(&self, training: bool) -> Self {
        Self { is_training: training, masks: self.masks.clone() }
    }

    /// The same without masks of the caller's: what a layer gives the layers in it.
    #[must_use]
    pub fn without_masks(&self) -> Self {
        Self::of(self.is_training)
    }

    /// The mask of input `index`: the caller's, or the one that the input carries.
    pub fn mask_of(&self, inputs: &[Tensor], index: usize) -> Option<Tensor> {
        match &self.masks {
            Some(masks) => masks.get(index).cloned().flatten(),
            None => inputs.get(index).and_then(mask_of),
        }
    }

    /// Whether any input has a mask.
    pub(super) fn any_mask(&self, inputs: &[Tensor]) -> bool {
        match &self.masks {
            Some(masks) => masks.iter().any(Option::is_some),
            None => inputs.iter().any(|input| mask_of(input).is_some()),
        }
    }

    /// An error where the caller gave masks for more inputs than there are.
    pub(super) fn check(&self, layer: &str, inputs: usize) -> Result<()> {
        match &self.masks {
            Some(masks) if masks.len() > inputs => {
                Err(Error::invalid_argument(layer, "there are more masks than inputs")
                    .got(format!("{} masks, {inputs} inputs", masks.len())))
            }
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let masks = self.masks.as_ref().map(|masks| masks.iter().filter(|m| m.is_some()).count());
        f.debug_struct("Call").field("training", &self.is_training).field("masks", &masks).finish()
    }
}

/// What a layer does with the masks of its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Masking {
    /// It cannot do anything with one: a masked input is an error, where Keras warns and forgets the mask.
    Refuses,
    /// The output has the steps of the first input, and its mask.
    Passes,
    /// It heeds the mask, or takes away the steps: the output has none.
    Ends,
    /// It says itself what mask its outputs carry.
    Own,
}
