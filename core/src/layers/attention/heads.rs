//! [`Heads`]: what attention with many heads computes, with as many heads of keys as of queries or fewer.
//! `MultiHeadAttention` and `GroupQueryAttention` are made of it.

use super::attend::Told;
use super::given::same_batch;
use super::projection::{Projection, Template};
use super::scores::{Asked, along, attend, band, both, triangle, with_axes};
use crate::layers::base::{Core, channels, misfit};
use crate::layers::dropout::own_seeds;
use crate::layers::{Call, Outputs};
use engine::library::{Typed, reshape_to, set_mask};
use engine::random::SeedGenerator;
use engine::{Duplicate, Fields, Module, Tensor, TensorType};
use kernels::error::{Error, Result};
use kernels::shape::{Dim, Shape};

/// Options and variables.
#[derive(Clone, Debug, Duplicate)]
pub(super) struct Heads {
    pub queries: usize,
    /// Heads of keys and values.
    pub keys: usize,
    pub key_dim: usize,
    pub value_dim: usize,
    pub dropout: f64,
    pub use_bias: bool,
    pub use_gate: bool,
    #[module(value)]
    pub output_shape: Option<Vec<usize>>,
    #[module(value)]
    pub attention_axes: Option<Vec<isize>>,
    #[module(value)]
    pub sliding_window: Option<usize>,
    #[module(value)]
    pub flash_attention: Option<bool>,
    pub template: Template,
    pub query_dense: Projection,
    pub key_dense: Projection,
    pub gate_dense: Projection,
    pub value_dense: Projection,
    pub output_dense: Projection,
    pub seeds: SeedGenerator,
}

impl Heads {
    #[track_caller]
    pub fn new([queries, keys]: [usize; 2], key_dim: usize) -> Result<Self> {
        Ok(Self {
            queries,
            keys,
            key_dim,
            value_dim: key_dim,
            dropout: 0.0,
            use_bias: true,
            use_gate: false,
            output_shape: None,
            attention_axes: None,
            sliding_window: None,
            flash_attention: None,
            template: Template::new(),
            query_dense: Projection::new("query/kernel", "query/bias"),
            key_dense: Projection::new("key/kernel", "key/bias"),
            gate_dense: Projection::new("gate/kernel", "gate/bias"),
            value_dense: Projection::new("value/kernel", "value/bias"),
            output_dense: Projection::new("attention_output/kernel", "attention_output/bias"),
            seeds: own_seeds()?,
        })
    }

    pub fn set_use_bias(&mut self, use_bias: bool) {
        self.use_bias = use_bias;
        let all = [
            &mut self.query_dense,
            &mut self.key_dense,
            &mut self.gate_dense,
            &mut self.value_dense,
            &mut self.output_dense,
        ];
        all.into_iter().for_each(|projection| projection.set_use_bias(use_bias));
    }

    /// The variables for queries, keys and values of these types, made if they are the first ones.
    #[track_caller]
    pub fn make(&self, core: &Core, q: &TensorType, k: &TensorType, v: &TensorType) -> Result<()> {
        for (what, x) in [("queries", q), ("keys", k), ("values", v)] {
            if x.shape.rank() < 3 || x.dtype != core.compute() {
                let expected = format!("{}[batch, steps, features]", core.compute());
                return Err(misfit(core.name(), &format!("the {what} are no batch of sequences"), x, expected));
            }
        }
        self.query_dense.check(core, "queries", q)?;
        self.key_dense.check(core, "keys", k)?;
        self.value_dense.check(core, "values", v)?;
        let like = &self.template;
        let last = |x: &TensorType, projection: &Projection| match projection.features() {
            Some(features) => Ok(features),
            None => channels(core.name(), x),
        };
        let features = last(q, &self.query_dense)?;
        self.query_dense.make(core, like, &[features], &[self.queries, self.key_dim])?;
        self.key_dense.make(core, like, &[last(k, &self.key_dense)?], &[self.keys, self.key_dim])?;
        if self.use_gate {
            self.gate_dense.make(core, like, &[features], &[self.queries, self.value_dim])?;
        }
        self.value_dense.make(core, like, &[last(v, &self.value_dense)?], &[self.keys, self.value_dim])?;
        let output = self.output_shape.clone().unwrap_or_else(|| vec![features]);
        self.output_dense.make(core, like, &[self.queries, self.value_dim], &output)
    }

    /// The axes along which queries see keys, of inputs with so many axes.
    fn axes(&self, core: &Core, rank: usize) -> Result<Vec<usize>> {
        let Some(axes) = &self.attention_axes else { return Ok((1..rank - 1).collect()) };
        let resolved = |&axis: &isize| {
            let at = if axis < 0 { axis + rank as isize } else { axis };
            let axis_of_steps = (1..rank as isize - 1).contains(&at);
            axis_of_steps.then_some(at as usize).ok_or_else(|| {
                Error::invalid_argument(core.name(), "`attention_axes` names an axis along which there are no steps")
                    .got(format!("axis {axis} of inputs with {rank} axes"))
                    .expected(format!("from 1 to {}", rank - 2))
            })
        };
        axes.iter().map(resolved).collect()
    }

    /// The output, and the scores if they are asked for.
    #[track_caller]
    pub fn forward(&self, core: &Core, told: Told, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let given = if told.masked { inputs.len() - 1 } else { inputs.len() };
        if !(2..=3).contains(&given) {
            return Err(Error::invalid_argument(core.name(), "attention takes queries and values, and may take keys")
                .got(format!("{given} inputs"))
                .expected("`[query, value]` or `[query, value, key]`"));
        }
        if self.flash_attention == Some(true) && told.scores {
            return Err(Error::invalid_argument(
                core.name(),
                "scores are asked for that `flash_attention` never holds",
            )
            .help("leave `flash_attention` as it is: scores are held only where they are asked for"));
        }
        let (query, value) = (&inputs[0], &inputs[1]);
        let key = if given == 3 { &inputs[2] } else { value };
        let rank = query.rank();
        self.make(core, query.ty(), key.ty(), value.ty())?;
        let steps = |x: &Tensor| x.shape().sizes()[1..x.rank() - 1].to_vec();
        let (of_keys, of_values) = (steps(key), steps(value));
        let batches = [key, value].into_iter().all(|x| x.rank() > 0 && rank > 0 && same_batch(query, x));
        if key.rank() != rank
            || value.rank() != rank
            || of_keys.iter().zip(&of_values).any(|(a, b)| !a.can_equal(*b))
            || !batches
        {
            return Err(Error::invalid_argument(core.name(), "queries, keys and values do not fit each other")
                .got(format!("queries {}, keys {}, values {}", query.ty(), key.ty(), value.ty()))
                .expected("one batch for all, the same number of axes, and as many keys as values"));
        }
        let axes = self.axes(core, rank)?;
        let in_order = |x: &Tensor, projection: &Projection| in_heads(&projection.of(core, x, 1)?, &axes);
        let q = in_order(query, &self.query_dense)?;
        let k = in_order(key, &self.key_dense)?;
        let v = in_order(value, &self.value_dense)?;

        // Masks of the inputs are about steps, which are one axis.
        let query_mask = cx.mask_of(inputs, 0);
        let key_mask = if given == 3 { cx.mask_of(inputs, 2) } else { None };
        let of_inputs = both(
            query_mask.as_ref().map(|mask| along(mask, -1)).transpose()?,
            both(
                cx.mask_of(inputs, 1).map(|mask| along(&mask, -2)).transpose()?,
                key_mask.map(|mask| along(&mask, -2)).transpose()?,
            )?,
        )?;
        let window = self.sliding_window.map(|width| band(&q, &k, width)).transpose()?;
        if (of_inputs.is_some() || window.is_some() || told.causal) && axes.len() != 1 {
            let what = "masks of steps, causal masks and windows are for attention along one axis";
            return Err(Error::invalid_argument(core.name(), what).got(format!("`attention_axes` {axes:?}")));
        }
        let scores_rank = q.rank();
        let with_heads = |mask: Tensor| with_axes(core.name(), &mask, scores_rank, 2);
        let mut mask = both(of_inputs.map(with_heads).transpose()?, window)?;
        if told.masked {
            let pairs =
                self.pairs(core, &inputs[given], &axes, &[steps(query), of_keys].map(|s| of_axes(&s, &axes)), rank)?;
            mask = both(Some(pairs), mask)?;
        }
        // Together with a mask, what is causal is part of it.
        let causal = told.causal && mask.is_none();
        let mask = if told.causal && !causal { both(mask, Some(triangle(&q, &k)?))? } else { mask };

        let drops = cx.is_training() && self.dropout > 0.0;
        let asked = Asked {
            mask,
            causal,
            scale: 1.0 / (self.key_dim as f64).sqrt(),
            dropped: drops.then(|| Ok((self.dropout, self.seeds.try_next()?))).transpose()?,
            scores: told.scores || self.flash_attention == Some(false),
            // Keras has it so: what goes through its own softmax is zero where nothing is seen.
            spread: self.dropout == 0.0 && !told.scores,
            shared: self.queries / self.keys,
        };
        let (output, scores) = attend(&q, &k, &v, asked)?;
        let mut output = out_of_heads(&output, query, &axes, self.queries, self.value_dim)?;
        if self.use_gate {
            output = output.try_multiply(&engine::try_sigmoid(&self.gate_dense.of(core, query, 1)?)?)?;
        }
        let output = self.output_dense.of(core, &output, 2)?;
        if let Some(mask) = &query_mask {
            set_mask(&output, mask);
        }
        let scores =
            scores.filter(|_| told.scores).map(|scores| self.spread(&scores, query, key, &axes)).transpose()?;
        Ok(Outputs::many(std::iter::once(output).chain(scores)))
    }

    /// A mask `[batch, queries.., keys..]` as `[.., heads, queries, keys]`.
    #[track_caller]
    fn pairs(&self, core: &Core, mask: &Tensor, axes: &[usize], steps: &[Vec<Dim>; 2], rank: usize) -> Result<Tensor> {
        let kept = 2 * axes.len();
        // Batch, axes without attention, heads, queries, keys.
        let all = with_axes(core.name(), mask, rank - 1 - axes.len() + 1 + kept, kept)?;
        if axes.len() == 1 {
            return Ok(all);
        }
        let front = &all.shape().sizes()[..all.rank() - kept];
        let wide = Shape::from_dims(&[front, &steps.concat()].concat())?;
        let product = |dims: &[Dim]| dims.iter().fold(Dim::ONE, |product, &dim| product * dim);
        let flat = Shape::from_dims(&[front, &[product(&steps[0]), product(&steps[1])]].concat())?;
        reshape_to(&engine::try_broadcast_to(&all, wide)?, &flat)
    }

    /// Scores with the axes of queries and of keys apart.
    #[track_caller]
    fn spread(&self, scores: &Tensor, query: &Tensor, key: &Tensor, axes: &[usize]) -> Result<Tensor> {
        let front = scores.shape().sizes()[..scores.rank() - 2].to_vec();
        let of = |x: &Tensor| axes.iter().map(|&axis| x.shape().dim(axis)).collect::<Vec<Dim>>();
        reshape_to(scores, &Shape::from_dims(&[front, of(query), of(key)].concat())?)
    }
}

/// The sizes along axes, of those behind the batch.
fn of_axes(steps: &[Dim], axes: &[usize]) -> Vec<Dim> {
    axes.iter().map(|&axis| steps[axis - 1]).collect()
}

/// The axes of `[batch.., heads, depth]` in the order of batches, heads, attention, depth.
fn order(rank: usize, axes: &[usize]) -> Vec<usize> {
    let batches = (0..rank - 1).filter(|axis| !axes.contains(axis));
    batches.chain(axes.iter().copied()).chain([rank - 1]).collect()
}

/// `[batch, steps.., heads, depth]` as `[batch.., heads, steps, depth]`.
#[track_caller]
fn in_heads(x: &Tensor, axes: &[usize]) -> Result<Tensor> {
    let order = order(x.rank(), axes);
    let turned = engine::try_transpose(x, order.iter().map(|&axis| axis as isize).collect::<Vec<_>>())?;
    if axes.len() == 1 {
        return Ok(turned);
    }
    let sizes = turned.shape().sizes();
    let (front, last) = (x.rank() - 1 - axes.len(), x.rank() - 1);
    let steps = sizes[front..last].iter().fold(Dim::ONE, |product, &dim| product * dim);
    reshape_to(&turned, &Shape::from_dims(&[&sizes[..front], &[steps, sizes[last]]].concat())?)
}

/// `[batch.., heads, steps, depth]` as `[batch, steps.., heads, depth]`, with the steps of the queries.
#[track_caller]
fn out_of_heads(y: &Tensor, query: &Tensor, axes: &[usize], heads: usize, depth: usize) -> Result<Tensor> {
    let rank = query.rank() + 1;
    let order = order(rank, axes);
    let own = |axis: usize| match axis {
        axis if axis == rank - 1 => Dim::known(depth),
        axis if axis == rank - 2 => Dim::known(heads),
        axis => query.shape().dim(axis),
    };
    let apart = reshape_to(y, &Shape::from_dims(&order.iter().map(|&axis| own(axis)).collect::<Vec<_>>())?)?;
    let mut back = vec![0isize; rank];
    order.iter().enumerate().for_each(|(at, &axis)| back[axis] = at as isize);
    engine::try_transpose(&apart, back)
}

impl Module for Heads {
    fn visit(&self, fields: &mut Fields<'_>) {
        let sizes = (self.queries, self.keys, self.key_dim, self.value_dim, self.dropout.to_bits());
        fields.value(&(sizes, &self.output_shape, &self.attention_axes, self.sliding_window, self.flash_attention));
        fields.value(&(self.use_bias, self.use_gate, self.template.words()));
        fields.field("query_dense", &self.query_dense);
        fields.field("key_dense", &self.key_dense);
        if self.use_gate {
            fields.field("gate_dense", &self.gate_dense);
        }
        fields.field("value_dense", &self.value_dense);
        fields.field("output_dense", &self.output_dense);
        if self.dropout > 0.0 {
            fields.field("seed_generator", &self.seeds);
        }
    }
}
