//! `scaled_dot_product_attention`: softmax(scale · Q Kᵀ + mask) V by blocks of queries and keys, which never holds the scores of all pairs.
//! PyTorch's function of this name in `torch.nn.functional`, and `dot_product_attention`, Keras 3's in `keras.ops.nn`; TensorFlow has it in layers alone.

mod composed;
mod device;
mod kernel;
#[cfg(test)]
mod tests;

use super::functions::{try_expand_dims, try_transpose};
use super::{AsTensor, broadcast_to_shape, public, reshape_to};
use crate::execute::execute;
use crate::random::try_uniform_int;
use crate::tensor::Tensor;
use kernels::dtype::{DType, DTypes};
use kernels::error::{Error, OnTheWay, Result};
use kernels::shape::{Dim, Shape};
use smallvec::SmallVec;

const NAME: &str = "scaled_dot_product_attention";

/// What [`scaled_dot_product_attention`] is asked for beside its operands; by default nothing of it.
///
/// ```
/// use eagerflow as tf;
/// let causal = tf::Attention { causal: true, ..Default::default() };
/// let x = tf::ones([3, 4]);
/// assert_eq!(tf::scaled_dot_product_attention(&x, &x, &x, causal).shape(), [3, 4]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Attention {
    /// Truth values, true where a query attends to a key; or numbers of the operands' dtype that are added to the scores. It broadcasts to
    /// `[.., heads, Tq, Tk]`.
    pub mask: Option<Tensor>,
    /// Whether query `i` sees keys `0..=i` alone. It goes together with a mask.
    pub causal: bool,
    /// The rate at which probabilities are dropped, from 0.0 to below 1.0; the others are divided by `1 - dropout`. A rate above 0 always drops:
    /// set it to 0 outside of training.
    pub dropout: f64,
    /// Two integers that say which probabilities are dropped; without, they are drawn from the global random state.
    pub seed: Option<Tensor>,
    /// What scores are multiplied by: 1 / sqrt(D) unless told.
    pub scale: Option<f64>,
    /// Whether there may be fewer heads of keys and values than of queries, whose number is a multiple of theirs; neighbouring heads of
    /// queries then share one of keys: PyTorch's `enable_gqa`.
    pub grouped: bool,
}

#[track_caller]
fn refused(what: &str, shapes: [&Tensor; 3]) -> Error {
    let [q, k, v] = shapes;
    Error::invalid_argument(NAME, what).got(format!("queries {}, keys {}, values {}", q.ty(), k.ty(), v.ty()))
}

/// Queries `[.., heads, Tq, D]` as `[.., key heads, group, Tq, D]`, keys and values as `[.., key heads, 1, Tk, D]`, and a mask in the same way.
#[track_caller]
fn in_groups(operands: [&Tensor; 3], mask: Option<&Tensor>) -> Result<([Tensor; 3], Option<Tensor>)> {
    let [q, k, v] = operands;
    if operands.iter().any(|x| x.rank() < 3) {
        return Err(
            refused("grouped queries need a dimension of heads", operands).expected("at least three dimensions")
        );
    }
    let heads = |x: &Tensor| x.shape().dim(x.rank() - 3);
    let (all, own) = (heads(q), heads(k));
    if let (Some(all), Some(own)) = (all.known_value(), own.known_value())
        && (own == 0 || all % own != 0)
    {
        return Err(refused("the heads of the queries are no multiple of those of the keys", operands));
    }
    let group = all / own;
    let split = |x: &Tensor, parts: [Dim; 2]| -> Result<Tensor> {
        let [first, second] = parts;
        reshape_to(x, &x.shape().with(x.rank() - 3, first)?.insert(x.rank() - 2, second)?)
    };
    let mask = match mask {
        Some(mask) if mask.rank() >= 3 && heads(mask) == Dim::ONE => Some(try_expand_dims(mask, -3)?),
        Some(mask) if mask.rank() >= 3 => Some(split(mask, [own, group])?),
        other => other.cloned(),
    };
    Ok(([split(q, [own, group])?, try_expand_dims(k, -3)?, try_expand_dims(v, -3)?], mask))
}

#[track_caller]
fn attend(operands: [&Tensor; 3], options: &Attention) -> Result<Tensor> {
    let rate = options.dropout;
    if !(0.0..1.0).contains(&rate) {
        return Err(Error::invalid_argument(NAME, "the rate of dropout is no probability below 1")
            .got(rate)
            .expected("0.0 <= dropout < 1.0"));
    }
    if operands.iter().any(|x| x.rank() < 2) {
        return Err(refused("queries, keys and values must be matrices, or batches of them", operands));
    }
    for x in operands {
        if !DTypes::FLOATING.has(x.dtype()) {
            return Err(refused("queries, keys and values must hold floating-point numbers", operands)
                .help("convert them with `cast`"));
        }
    }
    let shape = *operands[0].shape();
    let (operands, mask) = match options.grouped {
        true => in_groups(operands, options.mask.as_ref())?,
        false => (operands.map(Tensor::clone), options.mask.clone()),
    };
    let [q, k, v] = &operands;
    // One set of keys and values may serve all heads as it is; all other batches are spread out as views.
    let kept = if options.grouped { 3 } else { 2 };
    let mut spread: SmallVec<[Tensor; 8]> = SmallVec::new();
    let outer = composed::together([q.shape(), k.shape(), v.shape()], kept)?;
    for x in [q, k, v] {
        spread.push(broadcast_to_shape(x, &composed::behind(&outer, x.shape(), kept)?)?);
    }
    let spread_shape = *spread[0].shape();
    let masked = mask.is_some();
    spread.extend(mask);
    if rate > 0.0 {
        spread.push(match &options.seed {
            Some(seed) => seed.clone(),
            None => try_uniform_int(2, i64::MIN, i64::MAX, DType::I64, None)?,
        });
    }
    let inputs: SmallVec<[&Tensor; 8]> = spread.iter().collect();
    let asked = kernel::Options { masked, causal: options.causal, scale: options.scale, rate };
    let out = execute(&kernel::Attention { options: asked }, &inputs)?.swap_remove(0);
    if !options.grouped {
        return Ok(out);
    }
    // Back to one dimension of heads, with the batches of all operands in front.
    let heads = Shape::from_dims(&[shape.dim(shape.rank() - 3)])?;
    let front = Shape::from_dims(&spread_shape.sizes()[..spread_shape.rank() - 4])?;
    let front = composed::behind(&front, &heads, 1)?;
    reshape_to(&out, &composed::behind(&front, out.shape(), 2)?)
}

public! {
    /// Attention: for each query `[.., heads, Tq, D]` the mean of the values `[.., heads, Tk, Dv]`, weighted by the softmax of its scores with the
    /// keys `[.., heads, Tk, D]`, `[.., heads, Tq, Dv]` in all. Batches broadcast. Floats, all of one dtype; 16-bit floats are computed with in `float32`.
    ///
    /// The scores of all pairs are never held: memory grows with the number of queries and keys, not with their product (FlashAttention's way,
    /// Dao et al. 2022), and the gradient computes them again, block by block. What is dropped is drawn again, too. Only the gradient by a mask of numbers, and
    /// gradients of second order, hold as many numbers as there are pairs. A query that sees no key gets zeros, and its gradient is zero: as PyTorch has it.
    /// Results are the same bits for any number of threads.
    ///
    /// PyTorch's `torch.nn.functional.scaled_dot_product_attention`; [`dot_product_attention`] is the same for Keras' order of dimensions.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let (q, k) = (tf::ones([2, 4, 8]), tf::ones([2, 6, 8]));
    /// let y = tf::scaled_dot_product_attention(&q, &k, &k, tf::Attention::default());
    /// assert_eq!(y.shape(), [2, 4, 8]);
    /// let y = tf::scaled_dot_product_attention!(&q, &k, &k, is_causal = true);
    /// assert_eq!(y.to_vec::<f32>(), [1.0; 64]);
    /// ```
    pub fn scaled_dot_product_attention, try_scaled_dot_product_attention(
        query,
        key: impl AsTensor,
        value: impl AsTensor,
        options: Attention,
    ) -> Tensor {
        attend([query, &key.as_tensor(), &value.as_tensor()], &options)
    }

    /// [`scaled_dot_product_attention`] of operands with time in front of the heads: queries `[B, Tq, heads, D]`, keys `[B, Tk, heads, D]`, values
    /// `[B, Tk, heads, Dv]`; the result is `[B, Tq, heads, Dv]`. The mask is still one for `[B, heads, Tq, Tk]`.
    ///
    /// Keras 3's `keras.ops.dot_product_attention`, whose `bias` is a mask of numbers here, and which lets heads of keys be shared: `grouped` is always on.
    ///
    /// ```
    /// use eagerflow as tf;
    /// let x = tf::ones([2, 5, 4, 8]);
    /// let y = tf::dot_product_attention(&x, &x, &x, tf::Attention { causal: true, ..Default::default() });
    /// assert_eq!(y.shape(), [2, 5, 4, 8]);
    /// ```
    pub fn dot_product_attention, try_dot_product_attention(
        query,
        key: impl AsTensor,
        value: impl AsTensor,
        options: Attention,
    ) -> Tensor {
        let (key, value) = (key.as_tensor(), value.as_tensor());
        let operands: [&Tensor; 3] = [query, &key, &value];
        if operands.iter().any(|x| x.rank() != 4) {
            return Err(refused("the operands have not four dimensions", operands)
                .expected("[batch, time, heads, D] each")
                .named("dot_product_attention"));
        }
        let turned = |x: &Tensor| try_transpose(x, [0, 2, 1, 3]);
        let (q, k, v) = (turned(query)?, turned(&key)?, turned(&value)?);
        let heads = |x: &Tensor| x.shape().dim(1);
        let options = Attention { grouped: heads(&q) != heads(&k), ..options };
        turned(&attend([&q, &k, &v], &options).map_err(|e| e.named("dot_product_attention"))?)
    }
}
