//! What all layers of attention compute: masks of inputs as one, and values weighted by the softmax of scores.
//! Where nobody asks for the scores they are never held: the engine's attention computes them block by block.

use engine::library::{cast_to, reshape_to};
use engine::{Tensor, keep_dims, random};
use kernels::dtype::DType;
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// What attention is told beside queries, keys and values.
#[derive(Clone)]
pub(super) struct Asked {
    /// Truth values that broadcast to `[.., queries, keys]`.
    pub mask: Option<Tensor>,
    /// Whether query `i` sees keys `0..=i` alone; it goes together with a mask.
    pub causal: bool,
    pub scale: f64,
    /// The share of the weights that is dropped, and two numbers that say which.
    pub dropped: Option<(f64, Tensor)>,
    /// Whether scores are asked for.
    pub scores: bool,
    /// Whether a query that sees no key has the mean of all values, and not zeros.
    pub spread: bool,
    /// How many heads of queries share one of keys.
    pub shared: usize,
}

/// Values weighted by the scores of `[.., queries, depth]` and `[.., keys, depth]`, and the scores if they are asked for.
#[track_caller]
pub(super) fn attend(q: &Tensor, k: &Tensor, v: &Tensor, asked: Asked) -> Result<(Tensor, Option<Tensor>)> {
    let all_dropped = asked.dropped.as_ref().is_some_and(|(rate, _)| *rate == 1.0);
    if asked.scores || all_dropped {
        return with_scores(q, k, v, &asked);
    }
    let mask = match (&asked.mask, asked.causal) {
        (Some(mask), true) => Some(mask.try_logical_and(triangle(q, k)?)?),
        (mask, _) => mask.clone(),
    };
    let causal = asked.causal && mask.is_none();
    let (q, mask) = match mask {
        Some(mask) if asked.spread => {
            let (q, mask) = spread_over_all(q, &mask)?;
            (q, Some(mask))
        }
        mask => (q.clone(), mask),
    };
    let (dropout, seed) = asked.dropped.map_or((0.0, None), |(rate, seed)| (rate, Some(seed)));
    let options =
        engine::Attention { mask, causal, dropout, seed, scale: Some(asked.scale), grouped: asked.shared > 1 };
    Ok((engine::try_scaled_dot_product_attention(&q, k, v, options)?, None))
}

/// A query that sees no key has the mean of all values: it sees all, and all scores are zero.
#[track_caller]
fn spread_over_all(q: &Tensor, mask: &Tensor) -> Result<(Tensor, Tensor)> {
    let any = engine::try_reduce_any(mask, keep_dims([-1]))?;
    let spread = mask.try_logical_or(engine::try_logical_not(&any)?)?;
    // As the mask, `any` may have fewer axes than the queries; both end with the axis of queries and one more.
    Ok((q.try_multiply(&cast_to(&any, q.dtype())?)?, spread))
}

#[track_caller]
fn with_scores(q: &Tensor, k: &Tensor, v: &Tensor, asked: &Asked) -> Result<(Tensor, Option<Tensor>)> {
    let repeated = |x: &Tensor| match asked.shared {
        1 => Ok(x.clone()),
        shared => engine::try_repeat(x, i32::try_from(shared).unwrap_or(i32::MAX), [-3]),
    };
    let scores = engine::try_matmul_transposed(q.try_multiply(asked.scale)?, false, repeated(k)?, true)?;
    let mask = match (&asked.mask, asked.causal) {
        (Some(mask), true) => Some(mask.try_logical_and(triangle(q, k)?)?),
        (None, true) => Some(triangle(q, k)?),
        (mask, false) => mask.clone(),
    };
    let weights = masked_softmax(&scores, mask.as_ref())?;
    let weights = match &mask {
        Some(mask) if !asked.spread => engine::try_select(mask, weights, 0.0)?,
        _ => weights,
    };
    let output = engine::try_matmul(dropped(&weights, asked)?, repeated(v)?)?;
    Ok((output, Some(weights)))
}

/// The softmax over keys, where `mask` allows them; of none of them, all alike.
#[track_caller]
pub(super) fn masked_softmax(scores: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let Some(mask) = mask else { return engine::try_softmax(scores, -1) };
    let least = if scores.dtype() == DType::F16 { -3e4 } else { -1e9 };
    engine::try_softmax(engine::try_select(mask, scores, least)?, -1)
}

/// Weights, of which a share is dropped.
#[track_caller]
pub(super) fn dropped(weights: &Tensor, asked: &Asked) -> Result<Tensor> {
    let Some((rate, seed)) = &asked.dropped else { return Ok(weights.clone()) };
    if *rate == 1.0 {
        return engine::try_zeros_like(weights);
    }
    let drawn = random::try_stateless_uniform(*weights.shape(), seed, 0.0, 1.0, weights.dtype().compute())?;
    let kept = cast_to(&drawn.try_greater_equal(*rate)?, weights.dtype())?;
    weights.try_multiply(&kept.try_multiply(1.0 / (1.0 - rate))?)
}

/// Which keys a query sees that sees none behind its own place: `[queries, keys]`.
#[track_caller]
pub(super) fn triangle(q: &Tensor, k: &Tensor) -> Result<Tensor> {
    let (rows, columns) = places(q, k)?;
    rows.try_greater_equal(columns)
}

/// Which keys a query sees that sees those alone which are less than `width` places away.
#[track_caller]
pub(super) fn band(q: &Tensor, k: &Tensor, width: usize) -> Result<Tensor> {
    let (rows, columns) = places(q, k)?;
    engine::try_abs(rows.try_subtract(columns)?)?.try_less(i32::try_from(width).unwrap_or(i32::MAX))
}

/// The numbers of queries, `[queries, 1]`, and of keys, `[keys]`.
#[track_caller]
fn places(q: &Tensor, k: &Tensor) -> Result<(Tensor, Tensor)> {
    let counted = |x: &Tensor| {
        let axis = x.rank() - 2;
        match x.shape().dim(axis).known_value() {
            Some(count) => engine::try_range(0, i32::try_from(count).unwrap_or(i32::MAX), 1),
            None => engine::try_range(0, engine::shape(x).at(axis), 1),
        }
    };
    Ok((engine::try_expand_dims(counted(q)?, 1)?, counted(k)?))
}

/// Both masks, of those that there are.
#[track_caller]
pub(super) fn both(one: Option<Tensor>, other: Option<Tensor>) -> Result<Option<Tensor>> {
    match (one, other) {
        (Some(one), Some(other)) => one.try_logical_and(&other).map(Some),
        (one, other) => Ok(one.or(other)),
    }
}

/// A mask as truth values, with an axis of size 1 at `axis`.
#[track_caller]
pub(super) fn along(mask: &Tensor, axis: isize) -> Result<Tensor> {
    engine::try_expand_dims(cast_to(mask, DType::Bool)?, axis)
}

/// A mask with as many axes as scores have: those that are missing come in front of the last `kept` ones, with size 1.
#[track_caller]
pub(super) fn with_axes(layer: &str, mask: &Tensor, rank: usize, kept: usize) -> Result<Tensor> {
    if mask.rank() > rank || mask.rank() < kept {
        return Err(Error::invalid_argument(
            layer,
            "the attention mask has another number of axes than scores may have",
        )
        .got(engine::library::Typed::ty(mask))
        .expected(format!("from {kept} to {rank} axes, the last {kept} of them queries and keys")));
    }
    let (front, last) = mask.shape().sizes().split_at(mask.rank() - kept);
    let missing = vec![Dim::ONE; rank - mask.rank()];
    reshape_to(&cast_to(mask, DType::Bool)?, &Shape::from_dims(&[front, &missing, last].concat())?)
}
