//! `AdditiveAttention`: queries that choose among values by sums with keys.
//! Keras's layer of this name.

use super::attend::{Told, attention_calls};
use super::given::{Given, shared_options};
use crate::initializers::GlorotUniform;
use crate::layers::base::{Weight, channels, named};
use crate::layers::dropout::own_seeds;
use crate::layers::{Call, Core, Layer, Outputs};
use engine::library::Typed;
use engine::random::SeedGenerator;
use engine::{Duplicate, Fields, Module, Tensor};
use kernels::error::{OrFail, Result};

/// Attention by sums, of which each feature has a scale: Keras's `AdditiveAttention` (Bahdanau et al., 2014).
///
/// Inputs, masks and outputs are those of [`Attention`](super::Attention).
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::AdditiveAttention;
/// let (query, value) = (tf::ones([2, 3, 4]), tf::ones([2, 5, 4]));
/// assert_eq!(AdditiveAttention::new().call([&query, &value]).shape(), [2, 3, 4]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct AdditiveAttention {
    core: Core,
    use_scale: bool,
    dropout: f64,
    scale: Weight,
    seeds: SeedGenerator,
    #[module(value)]
    told: Told,
}

attention_calls!(AdditiveAttention);
shared_options!(AdditiveAttention);

impl AdditiveAttention {
    /// Attention by sums, with a scale for each feature.
    ///
    /// # Panics
    /// Without memory for the random state.
    #[track_caller]
    pub fn new() -> Self {
        Self {
            core: Core::new("additive_attention"),
            use_scale: true,
            dropout: 0.0,
            scale: Weight::new("scale", GlorotUniform::new()),
            seeds: own_seeds().or_fail(),
            told: Told::default(),
        }
    }
}

impl Default for AdditiveAttention {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for AdditiveAttention {
    named!();

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let core = &self.core;
        let given = Given::new(core, self.told, (self.dropout, &self.seeds), inputs, cx)?;
        let scale = match self.use_scale {
            true => {
                let features = match self.scale.get() {
                    Some(_) => Vec::new(),
                    None => vec![channels(core.name(), given.q.ty())?],
                };
                Some(core.read(self.scale.make(core, &features)?)?)
            }
            false => None,
        };
        let sums = given.sums(|pairs| {
            let tanh = engine::try_tanh(&pairs)?;
            scale.as_ref().map_or_else(|| Ok(tanh.clone()), |scale| scale.try_multiply(&tanh))
        })?;
        given.finish(given.weighted(&sums)?)
    }
}

impl Module for AdditiveAttention {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.use_scale, self.dropout.to_bits(), self.told));
        if self.use_scale {
            fields.field("scale", &self.scale);
        }
        if self.dropout > 0.0 {
            fields.field("seed_generator", &self.seeds);
        }
    }
}
