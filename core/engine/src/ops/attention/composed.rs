//! Attention's derivatives as other operations: that of a numeric mask, and those of second order, which hold the scores of all pairs.
//! The rules in `kernel.rs` call it; what it is made of has gradients of every order.

use super::kernel::Options;
use crate::execute::execute1;
use crate::ops::functions::{
    try_add, try_band_part, try_cast, try_equal, try_greater_equal, try_logical_not, try_multiply, try_select,
    try_softmax, try_subtract,
};
use crate::ops::matmul::MatMul;
use crate::ops::reduce_mean::count_of;
use crate::ops::softmax::sum_last;
use crate::ops::transpose::swap_last;
use crate::ops::{ones_of, sum_to};
use crate::random::try_stateless_uniform;
use crate::tape::Backward;
use crate::tensor::{Tensor, TensorType};
use kernels::dtype::DType;
use kernels::error::Result;
use kernels::shape::{AxisSet, Constraints, Dim, Shape, broadcast};

/// A score that no other is below, though all are finite.
const LOW: f64 = -1e30;

/// The tensors of one call, in the type that is computed in.
struct Pairs {
    query: Tensor,
    key: Tensor,
    value: Tensor,
    owed: Tensor,
    scale: Scale,
    /// Probabilities `[.., Tq, Tk]`, and the factors of those that are dropped or not.
    chances: Tensor,
    factors: Option<Tensor>,
}

/// What scores are multiplied by: a number, or 1 / sqrt(D) for a D that may be a symbol.
enum Scale {
    Number(f64),
    Depth(Tensor),
}

impl Scale {
    #[track_caller]
    fn times(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Number(scale) => try_multiply(x, *scale),
            Self::Depth(scale) => try_multiply(x, scale),
        }
    }
}

#[track_caller]
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    execute1(&MatMul, &[a, b])
}

impl Pairs {
    #[track_caller]
    fn new(
        options: &Options,
        operands: [&Tensor; 3],
        mask: Option<&Tensor>,
        seed: Option<&Tensor>,
        owed: &Tensor,
    ) -> Result<Self> {
        let dtype = operands[0].dtype().compute();
        let wide = |x: &Tensor| try_cast(x, dtype);
        let [query, key, value] = [wide(operands[0])?, wide(operands[1])?, wide(operands[2])?];
        let depth = query.shape().dim(query.rank() - 1);
        let scale = match (options.scale, depth.known_value()) {
            (Some(scale), _) => Scale::Number(scale),
            (None, Some(depth)) => Scale::Number(1.0 / (depth as f64).sqrt()),
            (None, None) => {
                let depth = count_of(query.shape(), AxisSet::of(&[query.rank() - 1]), dtype)?;
                Scale::Depth(crate::ops::functions::try_rsqrt(&depth)?)
            }
        };
        let mut scores = product(&scale.times(&query)?, &swap_last(&key)?)?;
        let shape = *scores.shape();
        if let Some(mask) = mask {
            scores = match mask.dtype() {
                DType::Bool => try_select(mask, &scores, f64::NEG_INFINITY)?,
                _ => try_add(&scores, &wide(mask)?)?,
            };
        }
        if options.causal {
            let rank = shape.rank();
            let pairs = Shape::from_dims(&[shape.dim(rank - 2), shape.dim(rank - 1)])?;
            let seen = try_band_part(&ones_of(&TensorType::new(DType::Bool, pairs))?, -1, 0)?;
            scores = try_select(&seen, &scores, f64::NEG_INFINITY)?;
        }
        // A query that sees nothing would divide zero by zero.
        let seen = try_logical_not(&try_equal(&scores, f64::NEG_INFINITY)?)?;
        let chances = try_softmax(&try_select(&seen, &scores, LOW)?, -1)?;
        let chances = try_select(&seen, &chances, 0.0)?;
        let factors = match seed {
            None => None,
            Some(seed) => {
                let noise = try_stateless_uniform(shape, seed, 0.0, 1.0, DType::F32)?;
                let kept = try_greater_equal(&noise, options.rate as f32)?;
                Some(try_multiply(&try_cast(&kept, dtype)?, 1.0 / (1.0 - options.rate))?)
            }
        };
        Ok(Self { query, key, value, owed: wide(owed)?, scale, chances, factors })
    }

    /// What is left of the cotangents of probabilities, or of probabilities, once some are dropped.
    #[track_caller]
    fn kept(&self, x: &Tensor) -> Result<Tensor> {
        match &self.factors {
            None => Ok(x.clone()),
            Some(factors) => try_multiply(x, factors),
        }
    }

    /// Cotangents of probabilities that owe `owed` by their results, and the sum of each row with the probabilities.
    #[track_caller]
    fn owing(&self) -> Result<(Tensor, Tensor)> {
        let owing = self.kept(&product(&self.owed, &swap_last(&self.value)?)?)?;
        let sums = sum_last(&try_multiply(&owing, &self.chances)?)?;
        Ok((owing, sums))
    }

    /// Cotangents of scores from those of probabilities: p (dp - sum(p dp)).
    #[track_caller]
    fn slopes(&self, owing: &Tensor, sums: &Tensor) -> Result<Tensor> {
        try_multiply(&self.chances, &try_subtract(owing, sums)?)
    }
}

/// A cotangent in the type and shape of what it belongs to.
#[track_caller]
fn given(x: &Tensor, ty: &TensorType) -> Result<Tensor> {
    let x = try_cast(x, ty.dtype)?;
    sum_to(x, ty)
}

/// The cotangent of a mask of numbers, which has the size of the scores before it is summed to the mask's.
#[track_caller]
pub(super) fn mask_gradient(
    options: &Options,
    operands: [&Tensor; 3],
    mask: &Tensor,
    seed: Option<&Tensor>,
    owed: &Tensor,
) -> Result<Tensor> {
    let pairs = Pairs::new(options, operands, Some(mask), seed, owed)?;
    let (owing, sums) = pairs.owing()?;
    given(&pairs.slopes(&owing, &sums)?, mask.ty())
}

/// The rule of the gradient's operation: cotangents of queries, keys, values, mask and cotangent.
///
/// With S = s Q Kᵀ + mask, P = softmax(S), dP = dO Vᵀ and dS = P (dP - sum(P dP)), it gave dQ = s dS K, dK = s dSᵀ Q and dV = Pᵀ dO, of which
/// x, y and z are the cotangents here. Results and logarithms are functions of the rest, so nothing flows into them.
#[track_caller]
pub(super) fn second_order(options: &Options, g: &mut Backward<'_>) -> Result<()> {
    let (mask, seed) = {
        let extras: Vec<usize> = (6..g.len()).collect();
        let (mask, seed) = options.extras(&extras, 0);
        (mask.copied(), seed.copied())
    };
    let mask_input = mask.map(|i| g.input(i)).transpose()?;
    let seed_input = seed.map(|i| g.input(i)).transpose()?;
    let p = Pairs::new(options, [g.input(0)?, g.input(1)?, g.input(2)?], mask_input, seed_input, g.input(5)?)?;
    let dtype = p.query.dtype();
    let [x, y, z] = [0, 1, 2].map(|i| g.dy_or_none(i).map(|dy| try_cast(dy, dtype)));
    let [x, y, z] = [x.transpose()?, y.transpose()?, z.transpose()?];
    let (owing, sums) = p.owing()?;
    let slopes = p.slopes(&owing, &sums)?;
    let sum = |a: Option<Tensor>, b: Tensor| match a {
        None => Ok(b),
        Some(a) => try_add(&a, &b),
    };
    let (mut dq, mut dk, mut dv, mut dowed, mut dchances) = (None, None, None, None, None);
    let mut e = None;
    if let Some(x) = &x {
        e = Some(p.scale.times(&product(x, &swap_last(&p.key)?)?)?);
        dk = Some(p.scale.times(&product(&swap_last(&slopes)?, x)?)?);
    }
    if let Some(y) = &y {
        e = Some(sum(e, p.scale.times(&product(&p.query, &swap_last(y)?)?)?)?);
        dq = Some(p.scale.times(&product(&slopes, y)?)?);
    }
    if let Some(z) = &z {
        dowed = Some(product(&p.kept(&p.chances)?, z)?);
        dchances = Some(p.kept(&product(&p.owed, &swap_last(z)?)?)?);
    }
    if let Some(e) = &e {
        let total = sum_last(&try_multiply(e, &p.chances)?)?;
        let back = p.kept(&p.slopes(e, &total)?)?;
        dowed = Some(sum(dowed, product(&back, &p.value)?)?);
        dv = Some(product(&swap_last(&back)?, &p.owed)?);
        let more = try_subtract(&try_multiply(e, &try_subtract(&owing, &sums)?)?, &try_multiply(&total, &owing)?)?;
        dchances = Some(sum(dchances, more)?);
    }
    let mut dmask = None;
    if let Some(dchances) = &dchances {
        let total = sum_last(&try_multiply(dchances, &p.chances)?)?;
        let dscores = p.slopes(dchances, &total)?;
        dq = Some(sum(dq, p.scale.times(&product(&dscores, &p.key)?)?)?);
        dk = Some(sum(dk, p.scale.times(&product(&swap_last(&dscores)?, &p.query)?)?)?);
        dmask = Some(dscores);
    }
    for (i, dx) in [(0, dq), (1, dk), (2, dv), (5, dowed), (6, dmask)] {
        let asked = i < g.len() && g.needs(i) && (i != 6 || mask.is_some());
        if let Some(dx) = dx.filter(|_| asked && g.input_type(i).dtype != DType::Bool) {
            let dx = given(&dx, g.input_type(i))?;
            g.give(i, dx);
        }
    }
    Ok(())
}

/// The shape that broadcasts all but the last two dimensions (and the heads before them, if they may differ) of three operands together.
pub(super) fn together(shapes: [&Shape; 3], kept: usize) -> Result<Shape> {
    let outer = |s: &Shape| Shape::from_dims(&s.sizes()[..s.rank() - kept]);
    let mut constraints = Constraints::default();
    let first = broadcast(&outer(shapes[0])?, &outer(shapes[1])?, &mut constraints)?;
    broadcast(&first, &outer(shapes[2])?, &mut constraints)
}

/// An operand's shape with other outer dimensions in front of its last `kept` ones.
pub(super) fn behind(outer: &Shape, shape: &Shape, kept: usize) -> Result<Shape> {
    let mut all: Vec<Dim> = outer.sizes().to_vec();
    all.extend_from_slice(&shape.sizes()[shape.rank() - kept..]);
    Shape::from_dims(&all)
}
