//! `Attention`: queries that choose among values by products with keys, or by sums, without products of their own.
//! Keras's layer of this name.

use super::attend::{Told, attention_calls};
use super::given::{Given, shared_options};
use super::scores::attend;
use crate::initializers::Ones;
use crate::layers::base::{Weight, named};
use crate::layers::dropout::own_seeds;
use crate::layers::{Call, Core, Layer, Outputs};
use engine::random::SeedGenerator;
use engine::{Duplicate, Fields, Module, Tensor};
use kernels::error::{Error, OrFail, Result};
use std::panic::Location;

/// How queries are compared with keys: Keras's `score_mode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ScoreMode {
    /// By the product of both (Luong et al., 2015).
    #[default]
    Dot,
    /// By the hyperbolic tangent of their sum, summed.
    Concat,
}

/// What the option `score_mode` takes: a mode, or Keras's name for it.
pub trait IntoScoreMode {
    /// The mode.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    fn into_score_mode(self) -> Result<ScoreMode>;
}

impl IntoScoreMode for ScoreMode {
    fn into_score_mode(self) -> Result<ScoreMode> {
        Ok(self)
    }
}

impl IntoScoreMode for &str {
    fn into_score_mode(self) -> Result<ScoreMode> {
        match self {
            "dot" => Ok(ScoreMode::Dot),
            "concat" => Ok(ScoreMode::Concat),
            other => Err(Error::invalid_argument("Attention", "there is no such `score_mode`")
                .got(format!("\"{other}\""))
                .expected("\"dot\" or \"concat\"")),
        }
    }
}

/// Attention by products, without variables unless there is a scale: Keras's `Attention` (Luong et al., 2015).
///
/// Inputs are queries `[batch, steps, features]`, values `[batch, other steps, …]`, and keys `[batch, other steps, features]`, which are the values unless
/// given. Masked values do not count, masked queries give zeros. Scores of all pairs are held only where a call asks for them.
///
/// ```
/// use eagerflow as tf;
/// use tf::layers::{Attend, Attention};
/// let (query, value) = (tf::ones([2, 3, 4]), tf::ones([2, 5, 4]));
/// assert_eq!(Attention::new().call([&query, &value]).shape(), [2, 3, 4]);
/// let (_, scores) = Attention::new().use_scale(true).call_with_scores(Attend::new(&query, &value));
/// assert_eq!(scores.shape(), [2, 3, 5]);
/// ```
#[derive(Clone, Debug, Duplicate)]
pub struct Attention {
    core: Core,
    use_scale: bool,
    #[module(value)]
    score_mode: ScoreMode,
    dropout: f64,
    scale: Weight,
    concat_score_weight: Weight,
    seeds: SeedGenerator,
    #[module(value)]
    told: Told,
}

attention_calls!(Attention);

shared_options!(Attention);

impl Attention {
    /// Attention by products, without a scale.
    ///
    /// # Panics
    /// Without memory for the random state.
    #[track_caller]
    pub fn new() -> Self {
        Self {
            core: Core::new("attention"),
            use_scale: false,
            score_mode: ScoreMode::Dot,
            dropout: 0.0,
            scale: Weight::new("scale", Ones),
            concat_score_weight: Weight::new("concat_score_weight", Ones),
            seeds: own_seeds().or_fail(),
            told: Told::default(),
        }
    }

    /// How queries are compared with keys: a [`ScoreMode`], or Keras's name for it.
    ///
    /// # Panics
    /// As [`try_score_mode`](Self::try_score_mode) fails, at the caller's line.
    #[must_use]
    #[track_caller]
    pub fn score_mode(self, mode: impl IntoScoreMode) -> Self {
        self.try_score_mode(mode).or_fail()
    }

    /// As [`score_mode`](Self::score_mode), for a name that comes from data.
    ///
    /// # Errors
    /// InvalidArgument for a name that is none.
    #[track_caller]
    pub fn try_score_mode(mut self, mode: impl IntoScoreMode) -> Result<Self> {
        let here = Location::caller();
        self.score_mode = mode.into_score_mode().map_err(|e| e.at(here))?;
        Ok(self)
    }
}

impl Default for Attention {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Layer for Attention {
    named!();

    #[track_caller]
    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let core = &self.core;
        let given = Given::new(core, self.told, (self.dropout, &self.seeds), inputs, cx)?;
        let scale = self.use_scale.then(|| core.read(self.scale.make(core, &[])?)).transpose()?;
        let scaled = |x: &Tensor| scale.as_ref().map_or_else(|| Ok(x.clone()), |scale| x.try_multiply(scale));
        if self.score_mode == ScoreMode::Concat {
            let weight = core.read(self.concat_score_weight.make(core, &[])?)?;
            let sums = given.sums(|pairs| engine::try_tanh(scaled(&pairs)?))?;
            return given.finish(given.weighted(&weight.try_multiply(&sums)?)?);
        }
        if given.asked.scores {
            let scores = scaled(&engine::try_matmul_transposed(given.q, false, given.k, true)?)?;
            return given.finish(given.weighted(&scores)?);
        }
        let attended = attend(&scaled(given.q)?, given.k, given.v, given.asked.clone())?;
        given.finish(attended)
    }
}

impl Module for Attention {
    fn visit(&self, fields: &mut Fields<'_>) {
        self.core.visit(fields);
        fields.value(&(self.use_scale, self.score_mode, self.dropout.to_bits(), self.told));
        if self.use_scale {
            fields.field("scale", &self.scale);
        }
        if self.score_mode == ScoreMode::Concat {
            fields.field("concat_score_weight", &self.concat_score_weight);
        }
        if self.dropout > 0.0 {
            fields.field("seed_generator", &self.seeds);
        }
    }
}
