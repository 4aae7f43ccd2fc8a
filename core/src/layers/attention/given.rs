//! What `Attention` and `AdditiveAttention` have in common: checks of their inputs and masks, weights, outputs, and options.
//! Both ask it in `forward`.

use super::attend::Told;
use super::scores::{Asked, along, both, dropped, masked_softmax, triangle, with_axes};
use crate::layers::base::misfit;
use crate::layers::{Call, Core, Outputs};
use engine::Tensor;
use engine::library::{Typed, set_mask};
use engine::random::SeedGenerator;
use kernels::error::{Error, Result};

/// Queries, values and keys of a call, with what is asked of them.
pub(super) struct Given<'i> {
    pub q: &'i Tensor,
    pub v: &'i Tensor,
    pub k: &'i Tensor,
    query_mask: Option<Tensor>,
    pub asked: Asked,
}

impl<'i> Given<'i> {
    #[track_caller]
    pub fn new(core: &Core, told: Told, drop: (f64, &SeedGenerator), inputs: &'i [Tensor], cx: &Call) -> Result<Self> {
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
        let batches = q.rank() != v.rank() || q.rank() < 3 || same_batch(q, v) && same_batch(q, k);
        if !axis(q, 1).can_equal(axis(k, 1)) || !axis(k, 2).can_equal(axis(v, 2)) || !batches {
            return Err(Error::invalid_argument(core.name(), "queries, keys and values do not fit each other")
                .got(format!("queries {}, keys {}, values {}", q.ty(), k.ty(), v.ty()))
                .expected("one batch for all, as many features of queries as of keys, and as many keys as values"));
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
    pub fn weighted(&self, scores: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
        let causal = self.asked.causal.then(|| triangle(self.q, self.k)).transpose()?;
        let mask = both(self.asked.mask.clone(), causal)?;
        let weights = dropped(&masked_softmax(scores, mask.as_ref())?, &self.asked)?;
        Ok((engine::try_matmul(&weights, self.v)?, Some(weights)))
    }

    /// The sum along features of `tanh(query + key)` for all pairs, after `scaled`.
    #[track_caller]
    pub fn sums(&self, scaled: impl Fn(Tensor) -> Result<Tensor>) -> Result<Tensor> {
        let pairs = engine::try_expand_dims(self.q, -2)?.try_add(&engine::try_expand_dims(self.k, -3)?)?;
        engine::try_reduce_sum(scaled(pairs)?, [-1])
    }

    /// The outputs: zeros for queries that are masked, and the weights if they are asked for.
    #[track_caller]
    pub fn finish(&self, (output, weights): (Tensor, Option<Tensor>)) -> Result<Outputs> {
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

/// The options that both have.
macro_rules! shared_options {
    ($($layer:ident),*) => {$(
        engine::library::options::options! { $layer:
            /// The share of the weights that is dropped while the model is trained.
            #[must_use]
            pub fn dropout, try_dropout(this, rate: f64) {
                this.dropout = engine::library::options::share(stringify!($layer), "dropout", rate)?;
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
                self.seeds = engine::random::SeedGenerator::new(seed);
                self
            }

            /// The scale, once it is built.
            pub fn scale(&self) -> Option<&engine::Variable> {
                self.scale.get()
            }
        }
    )*};
}
pub(super) use shared_options;

/// Whether two inputs are of one batch; a batch of one goes with every other.
pub(super) fn same_batch(a: &Tensor, b: &Tensor) -> bool {
    let (a, b) = (a.shape().dim(0), b.shape().dim(0));
    a.can_equal(b) || a.known_value() == Some(1) || b.known_value() == Some(1)
}
