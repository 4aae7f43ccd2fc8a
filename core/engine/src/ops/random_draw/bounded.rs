//! `bounded_normal_draw`: normal numbers between bounds from a seed, by means, deviations and bounds that are tensors.
//! `random::stateless_parameterized_truncated_normal` runs it. The numbers are those of TensorFlow with one thread, which draws all from
//! one stream: each set of parameters begins where the one before has ended, so one thread draws here too.

use crate::op::{Gradient, Infer, Kind, Lookup, Op, OpRef, Saves, identity};
use crate::ops::{broadcast_to_shape, functions};
use crate::tape::Backward;
use crate::tensor::Tensor;
use kernels::backend::cpu::CpuCall;
use kernels::backend::cpu::philox::{Bounded, NotDrawn, Philox, Sampled, bounded_normal};
use kernels::dtype::{DType, DTypes, f16};
use kernels::error::{Error, Result};
use kernels::shape::Shape;
use std::sync::Arc;

/// Inputs: a seed of two integers; means, deviations, lower and upper bounds, of one shape that ends that of the result.
#[derive(Clone)]
pub(crate) struct BoundedNormalDraw {
    pub shape: Shape,
}

pub(crate) const NAME: &str = "stateless_parameterized_truncated_normal";

impl Op for BoundedNormalDraw {
    identity!("bounded_normal_draw", { "shape": Shape = |this| &this.shape });

    fn bind(&self, lookup: &Lookup<'_>) -> Result<OpRef> {
        Ok(OpRef::Shared(Arc::new(Self { shape: self.shape.bind(lookup)? })))
    }

    fn kind(&self) -> Kind {
        Kind::Opaque
    }

    fn infer(&self, cx: &mut Infer<'_>) -> Result<()> {
        cx.check_dtype(0, DTypes::of(&[DType::I32, DType::I64]))?;
        cx.check_dtype(1, DTypes::of(&[DType::F16, DType::F32, DType::F64]))?;
        (2..5).try_for_each(|input| cx.check_dtype(input, DTypes::of(&[cx.dtype(1)])))?;
        let seed = cx.shape(0);
        if seed.rank() != 1 || seed.dim(0).known_value().is_some_and(|n| n != 2) {
            return Err(Error::invalid_argument(NAME, "a seed has two numbers").got(seed).expected("[2]"));
        }
        let parameters = *cx.shape(1);
        let extra = self.shape.rank().checked_sub(parameters.rank());
        let fits = |extra: usize| self.shape.iter().skip(extra).zip(parameters.iter()).all(|(a, b)| a.can_equal(b));
        let Some(extra) = extra.filter(|&extra| fits(extra)) else {
            return Err(Error::invalid_argument(NAME, "the shape does not end with that of the parameters")
                .got(format!("shape {}, parameters {parameters}", self.shape)));
        };
        for (a, b) in self.shape.iter().skip(extra).zip(parameters.iter()).filter(|(a, b)| a != b) {
            cx.constraints.push(a, b);
        }
        cx.output(cx.dtype(1), self.shape);
        Ok(())
    }

    /// Rejections take branches of their own, and each number begins where the one before has ended.
    fn runs_on_host(&self) -> bool {
        true
    }

    unsafe fn cpu(&self, call: &CpuCall<'_>, _: usize, _: usize) -> Result<()> {
        // SAFETY: dense views of the inferred types.
        unsafe {
            let seed = call.inputs[0].integers();
            let &[first, second] = &seed[..] else {
                return Err(Error::invalid_argument(NAME, "a seed has two numbers").got(seed.len()));
            };
            let stream = Philox::from_seed([first, second]);
            match call.outputs[0].dtype {
                DType::F16 => draw::<f16>(call, stream),
                DType::F32 => draw::<f32>(call, stream),
                _ => draw::<f64>(call, stream),
            }
        }
    }

    fn gradient(&self) -> Gradient {
        Gradient::Rule
    }

    fn saves(&self, _: &[bool]) -> Saves {
        Saves::inputs(&[1, 2, 3, 4]).and(Saves::outputs(&[0]))
    }

    /// TensorFlow's rule: a number moves with its mean as it is, with the deviation by how many of these it lies apart, and with a bound by
    /// what keeps its place between both (implicit reparameterisation).
    fn backward(&self, g: &mut Backward<'_>) -> Result<()> {
        let dy = g.dy(0)?;
        let mean = g.input(1)?.clone();
        let [deviation, low, high] = [g.input(2)?.clone(), g.input(3)?.clone(), g.input(4)?.clone()];
        let drawn = g.output(0)?.clone();
        let apart = |x: &Tensor| functions::try_divide(&functions::try_subtract(x, &mean)?, &deviation);
        let [sample, lowest, highest] = [apart(&drawn)?, apart(&low)?, apart(&high)?];
        if g.needs(1) {
            let dx = summed(&dy, mean.shape())?;
            g.give(1, dx);
        }
        if g.needs(2) {
            let dx = summed(&functions::try_multiply(&dy, &sample)?, mean.shape())?;
            g.give(2, dx);
        }
        if !g.needs(3) && !g.needs(4) {
            return Ok(());
        }
        let below = share(&lowest)?;
        let place = functions::try_divide(
            &functions::try_subtract(&share(&sample)?, &below)?,
            &functions::try_subtract(&share(&highest)?, &below)?,
        )?;
        // Neither logarithm is asked for zero.
        let (tiny, eps) = match drawn.dtype() {
            DType::F16 => (f16::MIN_POSITIVE.to_f64(), f16::EPSILON.to_f64()),
            DType::F32 => (f64::from(f32::MIN_POSITIVE), f64::from(f32::EPSILON)),
            _ => (f64::MIN_POSITIVE, f64::EPSILON),
        };
        let place = functions::try_minimum(&functions::try_maximum(&place, tiny)?, 1.0 - eps)?;
        for (input, bound) in [(3, &lowest), (4, &highest)] {
            if !g.needs(input) {
                continue;
            }
            let log = match input {
                3 => functions::try_log1p(&functions::try_neg(&place)?)?,
                _ => functions::try_log(&place)?,
            };
            let squares = functions::try_subtract(&functions::try_square(&sample)?, &functions::try_square(bound)?)?;
            let slope = functions::try_exp(&functions::try_add(&functions::try_multiply(&squares, 0.5)?, &log)?)?;
            let dx = summed(&functions::try_multiply(&dy, &slope)?, mean.shape())?;
            g.give(input, dx);
        }
        Ok(())
    }
}

/// The sum over the axes that parameters of a shape lack.
#[track_caller]
fn summed(x: &Tensor, shape: &Shape) -> Result<Tensor> {
    let axes: Vec<isize> = (0..(x.rank() - shape.rank()) as isize).collect();
    let sum = if axes.is_empty() { x.clone() } else { functions::try_reduce_sum(x, &axes[..])? };
    broadcast_to_shape(&sum, shape)
}

/// The share of a normal distribution below a number, with its digits on both sides.
#[track_caller]
fn share(x: &Tensor) -> Result<Tensor> {
    let w = functions::try_multiply(x, std::f64::consts::FRAC_1_SQRT_2)?;
    let z = functions::try_abs(&w)?;
    let near = functions::try_add(&functions::try_erf(&w)?, 1.0)?;
    let tail = functions::try_erfc(&z)?;
    let above = functions::try_add(&functions::try_neg(&tail)?, 2.0)?;
    let far = functions::try_select(&functions::try_greater(&w, 0.0)?, &above, &tail)?;
    let both = functions::try_select(&functions::try_less(&z, std::f64::consts::FRAC_1_SQRT_2)?, &near, &far)?;
    functions::try_multiply(&both, 0.5)
}

/// Draws all numbers of one set of parameters after the other.
///
/// # Safety
/// As `Op::cpu`, for numbers of type `T`.
unsafe fn draw<T: Sampled>(call: &CpuCall<'_>, mut stream: Philox) -> Result<()> {
    let out = &call.outputs[0];
    let sets = call.inputs[1].len();
    if out.is_empty() {
        return Ok(());
    }
    for set in 0..sets {
        // SAFETY: as many parameters of each kind; by the caller's promise.
        let [mean, deviation, low, high] =
            [1, 2, 3, 4].map(|input| unsafe { call.inputs[input].ptr.cast::<T>().add(set).read() });
        let parameters = Bounded { mean, deviation, low, high };
        let drawn = bounded_normal(&mut stream, parameters, out.len() / sets, |number, value| {
            // SAFETY: inside the output.
            unsafe { out.ptr.cast::<T>().add(number * sets + set).write(value) };
        });
        drawn.map_err(|why| match why {
            NotDrawn::Parameters => Error::invalid_argument(NAME, format!("parameters number {set} give no numbers"))
                .expected("a positive deviation, and a lower bound below the upper one, of which one is finite"),
            NotDrawn::Refused => Error::internal(NAME, format!("parameters number {set} refuse all that is proposed"))
                .help("bounds that far from the mean leave no numbers of this dtype; a longer float has more"),
        })?;
    }
    Ok(())
}
