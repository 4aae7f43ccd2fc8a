//! `Attention` and `AdditiveAttention`: queries that choose among values by keys, without products of their own.
//! Keras's layers of these names.

use super::attend::{Told, attention_calls};
use super::scores::{Asked, along, attend, both, dropped, masked_softmax, triangle, with_axes};
use crate::initializers::{GlorotUniform, Ones};
use crate::layers::base::{Weight, channels, misfit, named};
use crate::layers::dropout::own_seeds;
use crate::layers::{Call, Core, Layer, Outputs};
use engine::library::{Typed, options, set_mask};
use engine::random::SeedGenerator;
use engine::{Duplicate, Fields, Module, Tensor, Variable};
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

/// Queries, values and keys of a call, with what is asked of them.
struct Given<'i> {
    q: &'i Tensor,
    v: &'i Tensor,
    k: &'i Tensor,
    query_mask: Option<Tensor>,
    asked: Asked,
}

impl<'i> Given<'i> {
    #[track_caller]
    fn new(core: &Core, told: Told, drop: (f64, &SeedGenerator), inputs: &'i [Tensor], cx: &Call) -> Result<Self> {
        let given = if told.masked { inputs.len() - 1 } else { inputs.len() };
        if !(2..=3).contains(&given) {
            return Err(Error::invalid_argument(core.name(), "attention takes queries and values, and may take keys")
                .got(format!("{given} inputs"))
                .expected("`[query, value]` or `[query, value, key]`"));
        }
        let (q, v) = (&inputs[0], &inputs[1]);
        let k = if given == 3 { &inputs[2] } else { v };
        for x in [q, v, k] {
            if x.rank() < 2 || x.dtype() != core.compute() {
                let expected = format!("{}[batch, steps, features]", core.compute());
                return Err(misfit(core.name(), "queries, values or keys are no batch of sequences", x.ty(), expected));
            }
        }
        let axis = |x: &Tensor, from_end: usize| x.shape().dim(x.rank() - from_end);
        if !axis(q, 1).can_equal(axis(k, 1)) || !axis(k, 2).can_equal(axis(v, 2)) {
            return Err(Error::invalid_argument(core.name(), "queries, keys and values do not fit each other")
                .got(format!("queries {}, keys {}, values {}", q.ty(), k.ty(), v.ty()))
                .expected("as many features of queries as of keys, and as many keys as values"));
        }
        let of_values = cx.mask_of(inputs, 1).map(|mask| along(&mask, -2)).transpose()?;
        let pairs = match told.masked {
            true => Some(with_axes(core.name(), &inputs[given], q.rank(), 2)?),
            false => None,
        };
        let (rate, seeds) = drop;
        let drops = cx.is_training() && rate > 0.0;
        let asked = Asked {
            mask: both(of_values, pairs)?,
            causal: told.causal,
            scale: 1.0,
            dropped: drops.then(|| Ok((rate, seeds.try_next()?))).transpose()?,
            scores: told.scores,
            spread: true,
            shared: 1,
        };
        Ok(Self { q, v, k, query_mask: cx.mask_of(inputs, 0), asked })
    }

    /// Values weighted by the softmax of scores `[.., queries, keys]`, and the weights.
    #[track_caller]
    fn weighted(&self, scores: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
        let causal = self.asked.causal.then(|| triangle(self.q, self.k)).transpose()?;
        let mask = both(self.asked.mask.clone(), causal)?;
        let weights = dropped(&masked_softmax(scores, mask.as_ref())?, &self.asked)?;
        Ok((engine::try_matmul(&weights, self.v)?, Some(weights)))
    }

    /// The sum along features of `tanh(query + key)` for all pairs, after `scaled`.
    #[track_caller]
    fn sums(&self, scaled: impl Fn(Tensor) -> Result<Tensor>) -> Result<Tensor> {
        let pairs = engine::try_expand_dims(self.q, -2)?.try_add(&engine::try_expand_dims(self.k, -3)?)?;
        engine::try_reduce_sum(scaled(pairs)?, [-1])
    }

    /// The outputs: zeros for queries that are masked, and the weights if they are asked for.
    #[track_caller]
    fn finish(&self, (output, weights): (Tensor, Option<Tensor>)) -> Result<Outputs> {
        let output = match &self.query_mask {
            Some(mask) => {
                let output = engine::try_select(along(mask, -1)?, &output, 0.0)?;
                set_mask(&output, mask);
                output
            }
            None => output,
        };
        Ok(Outputs::many(std::iter::once(output).chain(weights.filter(|_| self.asked.scores))))
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

/// Attention by sums, of which each feature has a scale: Keras's `AdditiveAttention` (Bahdanau et al., 2014).
///
/// Inputs, masks and outputs are those of [`Attention`].
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

attention_calls!(Attention);
attention_calls!(AdditiveAttention);

/// The options that both have.
macro_rules! shared_options {
    ($($layer:ident),*) => {$(
        options::options! { $layer:
            /// The share of the weights that is dropped while the model is trained.
            #[must_use]
            pub fn dropout, try_dropout(this, rate: f64) {
                this.dropout = options::share(stringify!($layer), "dropout", rate)?;
                Ok(this)
            }
        }

        impl $layer {
            /// Whether scores have a scale that is learnt.
            #[must_use]
            pub fn use_scale(mut self, use_scale: bool) -> Self {
                self.use_scale = use_scale;
                self
            }

            /// What the random state begins with that says what is dropped.
            #[must_use]
            #[track_caller]
            pub fn seed(mut self, seed: impl Into<i128>) -> Self {
                self.seeds = SeedGenerator::new(seed);
                self
            }

            /// The scale, once it is built.
            pub fn scale(&self) -> Option<&Variable> {
                self.scale.get()
            }
        }
    )*};
}

shared_options!(Attention, AdditiveAttention);

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

impl Default for Attention {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl Default for AdditiveAttention {
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
