//! What is differentiated: a row of the op table, or a small program; and the ways to differentiate it.
//! All tests of this table go through [`Program`].

use eagerflow as tf;
use eagerflow_tests::golden::{Array, Attrs};
use eagerflow_tests::rows::{self, Answer, Call};
use tf::{ForwardAccumulator, GradientOptions, GradientTape, Result, Tensor};

/// A function of tensors with its attributes.
pub struct Program {
    pub call: fn(&Call<'_>) -> Answer,
    pub attrs: Attrs,
}

type Run = fn(&Call<'_>) -> Answer;

/// Programs that are not a row: those of `gradients.json`, and operations without golden numbers.
const PROGRAMS: &[(&str, Run)] = &[
    ("x_times_x", |c| Ok(vec![tf::try_multiply(&c.x[0], &c.x[0])?])),
    ("where_log", |c| {
        let (x, zeros) = (&c.x[0], tf::try_zeros_like(&c.x[0])?);
        Ok(vec![tf::try_where(tf::try_greater(x, 0.0)?, tf::try_log(x)?, zeros)?])
    }),
    ("top_k_values", |c| Ok(vec![tf::try_top_k(&c.x[0], c.a.int("k"), true)?.0])),
    ("where_log_safe", |c| {
        let (x, ones) = (&c.x[0], tf::try_ones_like(&c.x[0])?);
        Ok(vec![tf::try_log(tf::try_where(tf::try_greater(x, 0.0)?, x, ones)?)?])
    }),
    ("where_sqrt", |c| {
        let (x, zeros) = (&c.x[0], tf::try_zeros_like(&c.x[0])?);
        Ok(vec![tf::try_where(tf::try_greater(x, 0.0)?, tf::try_sqrt(x)?, zeros)?])
    }),
    ("tensor_scatter_nd_add", |c| Ok(vec![tf::try_tensor_scatter_nd_add(&c.x[0], &c.x[1], &c.x[2])?])),
    ("tensor_scatter_nd_sub", |c| Ok(vec![tf::try_tensor_scatter_nd_sub(&c.x[0], &c.x[1], &c.x[2])?])),
    ("stateless_dropout", |c| Ok(vec![tf::try_stateless_dropout(&c.x[0], 0.4, [7, 1])?])),
    ("of_complex", of_complex),
    // The gradient of the CTC loss, so that its derivatives of the second and third order are looked at.
    ("ctc_slope", |c| {
        let mut tape = GradientTape::new();
        tape.watch(&c.x[0]);
        let loss = tf::try_ctc_loss(&c.x[1], &c.x[0], &c.x[2], &c.x[3], true, 0)?;
        Ok(vec![tape.try_gradient(&loss, &c.x[0])?])
    }),
    ("in_parts", in_parts),
    ("cholesky_of_gram", |c| Ok(vec![tf::try_cholesky(gram(&c.x[0])?)?])),
    ("complex_cholesky_of_gram", |c| {
        let l = tf::try_cholesky(gram(&tf::try_complex(&c.x[0], &c.x[1])?)?)?;
        Ok(vec![tf::try_real(&l)?, tf::try_imag(&l)?])
    }),
    ("truncatemod", |c| Ok(vec![tf::try_truncatemod(&c.x[0], &c.x[1])?])),
    ("operator_divide", |c| Ok(vec![&c.x[0] / &c.x[1]])),
    ("stop_gradient", |c| Ok(vec![tf::try_multiply(&c.x[0], tf::try_stop_gradient(&c.x[0])?)?])),
    // A tangent without its poles.
    ("tan_of_half", |c| Ok(vec![tf::try_tan(tf::try_multiply(&c.x[0], 0.5)?)?])),
    // Functions by the operand that has derivatives of every order.
    ("polygamma_of_x", |c| Ok(vec![tf::try_polygamma(2.0, &c.x[0])?])),
    ("zeta_of_q", |c| Ok(vec![tf::try_zeta(2.5, &c.x[0])?])),
    ("igamma_of_x", |c| Ok(vec![tf::try_igamma(1.75, &c.x[0])?])),
    ("igammac_of_x", |c| Ok(vec![tf::try_igammac(1.75, &c.x[0])?])),
    ("igamma_near_its_mean", |c| Ok(vec![tf::try_igamma(24.0, tf::try_add(&c.x[0], 22.0)?)?])),
    ("betainc_of_x", |c| {
        let of = |value: f64| tf::try_fill((), value)?.try_cast(c.x[0].dtype());
        Ok(vec![tf::try_betainc(of(2.5)?, of(1.25)?, &c.x[0])?])
    }),
    ("xdivy_of_y", |c| Ok(vec![tf::try_xdivy(1.5, &c.x[0])?])),
    ("norm", |c| {
        let squares = tf::try_square(&c.x[0])?;
        Ok(vec![tf::try_sqrt(tf::try_reduce_sum(squares, c.a.ints("axis"))?)?])
    }),
    ("square_sum_sqrt", |c| {
        let sum = tf::try_reduce_sum(tf::try_square(&c.x[0])?, ())?;
        Ok(vec![tf::try_sqrt(sum)?])
    }),
];

/// X Xᴴ + 1, which is positive definite.
fn gram(x: &Tensor) -> Result<Tensor> {
    tf::try_add(tf::try_matmul_adjoint(x, false, x, true)?, tf::try_eye(*x.shape(), x.dtype())?)
}

/// A row's function of real numbers whose complex outputs go as real and imaginary parts.
fn in_parts(c: &Call<'_>) -> Answer {
    let row = rows::find(c.a.text("of")).expect("a row");
    let mut outputs = Vec::new();
    for y in (row.call)(c)? {
        match y.dtype().is_complex() {
            true => outputs.extend([tf::try_real(&y)?, tf::try_imag(&y)?]),
            false => outputs.push(y),
        }
    }
    Ok(outputs)
}

/// A row's function of complex numbers as one of real numbers: its inputs come as real and imaginary parts, one after the other, and
/// its complex outputs go as such.
fn of_complex(c: &Call<'_>) -> Answer {
    let row = rows::find(c.a.text("of")).expect("a row");
    let pair = |parts: &[Tensor]| match parts {
        [re, im] => tf::try_complex(re, im),
        _ => unreachable!("parts come in twos"),
    };
    let x = c.x.chunks(2).map(pair).collect::<Result<Vec<Tensor>>>()?;
    let mut outputs = Vec::new();
    for y in (row.call)(&Call { x: &x, a: c.a })? {
        match y.dtype().is_complex() {
            true => outputs.extend([tf::try_real(&y)?, tf::try_imag(&y)?]),
            false => outputs.push(y),
        }
    }
    Ok(outputs)
}

impl Program {
    /// The program with a name of `gradients.json`.
    pub fn named(name: &str, attrs: Attrs) -> Option<Self> {
        let program = PROGRAMS.iter().find(|(n, _)| *n == name).map(|(_, call)| *call);
        let call = program.or_else(|| rows::find(name).map(|row| row.call))?;
        Some(Self { call, attrs })
    }

    pub fn run(&self, x: &[Tensor]) -> Answer {
        (self.call)(&Call { x, a: &self.attrs })
    }

    /// Outputs, and the gradients of the inputs for given output gradients.
    pub fn gradients(&self, x: &[Tensor], upstream: &[Tensor]) -> Result<(Vec<Tensor>, Vec<Option<Tensor>>)> {
        let mut tape = GradientTape::new();
        tape.watch(x.to_vec());
        let outputs = self.run(x)?;
        let options = GradientOptions::new().output_gradients(upstream.to_vec());
        let gradients = tape.try_gradient_with(&outputs[..], x, &options)?;
        Ok((outputs, (0..x.len()).map(|i| gradients.get(i)).collect()))
    }

    /// A scalar that depends on the outputs in a way that is not linear, so that second derivatives are not zero.
    pub fn loss(&self, x: &[Tensor], weights: &[Array]) -> Result<Tensor> {
        let mut sum: Option<Tensor> = None;
        for (y, w) in self.run(x)?.iter().zip(weights) {
            let w = w.to_dtype(y.dtype()).tensor();
            let bent = tf::try_add(y, tf::try_multiply(tf::try_multiply(y, y)?, 0.25)?)?;
            let part = tf::try_reduce_sum(tf::try_multiply(bent, &w)?, ())?;
            sum = Some(match sum {
                None => part,
                Some(sum) => tf::try_add(&sum, &part)?,
            });
        }
        Ok(sum.expect("an output"))
    }

    /// The same scalar, added up on the host, without any operation but the program's.
    pub fn host_loss(&self, x: &[Array], weights: &[Array]) -> Result<f64> {
        let x: Vec<Tensor> = x.iter().map(Array::tensor).collect();
        let mut sum = 0.0;
        for (y, w) in self.run(&x)?.iter().zip(weights) {
            let pairs = Array::of(y).to_f64().into_iter().zip(w.to_f64());
            sum += pairs.map(|(y, w)| w * (y + 0.25 * y * y)).sum::<f64>();
        }
        Ok(sum)
    }

    /// The gradient of [`loss`](Self::loss) by each input.
    pub fn slope(&self, x: &[Tensor], weights: &[Array]) -> Result<Vec<Option<Tensor>>> {
        let mut tape = GradientTape::new();
        tape.watch(x.to_vec());
        let loss = self.loss(x, weights)?;
        let gradients = tape.try_gradient(&loss, x)?;
        Ok((0..x.len()).map(|i| gradients.get(i)).collect())
    }

    /// The derivative of the loss along `along`, and the gradient of that derivative.
    pub fn curvature(&self, x: &[Tensor], weights: &[Array], along: &[Option<Array>]) -> Result<Vec<Option<Tensor>>> {
        let mut outer = GradientTape::new();
        outer.watch(x.to_vec());
        let mut slope: Option<Tensor> = None;
        for (g, v) in self.slope(x, weights)?.iter().zip(along) {
            if let (Some(g), Some(v)) = (g, v) {
                let part = tf::try_reduce_sum(tf::try_multiply(g, v.tensor())?, ())?;
                slope = Some(match slope {
                    None => part,
                    Some(sum) => tf::try_add(&sum, &part)?,
                });
            }
        }
        let Some(slope) = slope else { return Ok(vec![None; x.len()]) };
        let gradients = outer.try_gradient(&slope, x)?;
        Ok((0..x.len()).map(|i| gradients.get(i)).collect())
    }

    /// The derivative of the loss along `along` by forward mode.
    pub fn forward(&self, x: &[Tensor], weights: &[Array], along: &[Option<Array>]) -> Result<f64> {
        let tangents: Vec<Option<Tensor>> = along.iter().map(|v| v.as_ref().map(Array::tensor)).collect();
        let pairs: Vec<(&Tensor, &Tensor)> =
            x.iter().zip(&tangents).filter_map(|(x, t)| Some((x, t.as_ref()?))).collect();
        let forward = ForwardAccumulator::try_new(&pairs)?;
        let loss = self.loss(x, weights)?;
        forward.jvp(&loss).map_or(Ok(0.0), |t| t.try_to_f64())
    }
}
