//! Derivatives of scalar expressions: reverse accumulation over the instructions, giving a scalar expression again.
//! `Partial` uses it, so an element-wise operation has gradients of every order as soon as it has a meaning.

use super::{Code, Scalar, Val};
use crate::dtype::DType;

/// The contribution of the cotangent `dy` of `root` to the cotangent of `wrt`, or `None` where there is no path.
///
/// `output` stands for the value of `root` itself wherever a rule asks for its own result, so that a saved output is
/// used instead of computing it again. Conventions at kinks are TensorFlow's: ties of `max` and `min` go to the left
/// operand, `abs` has slope 0 at 0, a `select` never multiplies the branch not taken.
pub fn derivative(s: &Scalar, root: Val, output: Val, wrt: Val, dy: Val) -> Option<Val> {
    let mut adjoint: Vec<Option<Val>> = vec![None; root.0 as usize + 1];
    adjoint[root.0 as usize] = Some(dy);
    for i in (0..=root.0).rev() {
        let node = s.node(Val(i));
        let (Some(adj), Some(code)) = (adjoint[i as usize], node.code) else { continue };
        if wrt.0 == i {
            break;
        }
        let out = if i == root.0 { output } else { Val(i) };
        let args = node.args.map(Val);
        for (position, contribution) in contributions(s, code, args, out, adj) {
            let slot = &mut adjoint[args[position].0 as usize];
            *slot = Some(match *slot {
                Some(sum) => s.add(sum, contribution),
                None => contribution,
            });
        }
    }
    adjoint.get(wrt.0 as usize).copied().flatten()
}

/// What the cotangent `adj` of one instruction gives to each of its operands.
fn contributions(s: &Scalar, code: Code, [x, y, z]: [Val; 3], out: Val, adj: Val) -> Vec<(usize, Val)> {
    let number = |value| s.number(adj, value);
    let one_sided = |value| vec![(0, value)];
    match code {
        Code::Const | Code::Sign | Code::Floor | Code::Ceil | Code::Round | Code::Not => vec![],
        Code::IsNan | Code::IsFinite | Code::FloorDiv | Code::PopulationCount => vec![],
        Code::LeftShift | Code::RightShift => vec![],
        Code::NextAfter => vec![(0, adj), (1, s.mul(number(0.0), adj))],
        Code::And | Code::Or | Code::Xor | Code::Eq | Code::Ne | Code::Lt | Code::Le => vec![],
        Code::Cast if s.dtype(x).is_floating() && s.dtype(adj).is_floating() => one_sided(s.cast(adj, s.dtype(x))),
        Code::Cast => vec![],
        Code::Neg => one_sided(s.neg(adj)),
        Code::Abs => one_sided(s.mul(adj, s.sign(x))),
        Code::Sqrt => one_sided(s.div(s.mul(adj, number(0.5)), out)),
        Code::Rsqrt => one_sided(s.mul(s.mul(adj, number(-0.5)), s.mul(s.mul(out, out), out))),
        Code::Exp => one_sided(s.mul(adj, out)),
        // Not `out + 1`, which loses all digits for very negative x.
        Code::Expm1 => one_sided(s.mul(adj, s.exp(x))),
        Code::Log => one_sided(s.div(adj, x)),
        Code::Log1p => one_sided(s.div(adj, s.add(number(1.0), x))),
        Code::Sin => one_sided(s.mul(adj, s.cos(x))),
        Code::Cos => one_sided(s.neg(s.mul(adj, s.sin(x)))),
        Code::Tanh => one_sided(s.mul(adj, s.sub(number(1.0), s.mul(out, out)))),
        Code::Erf | Code::Erfc => {
            let sign = if code == Code::Erf { 1.0 } else { -1.0 };
            let slope = s.mul(number(sign * std::f64::consts::FRAC_2_SQRT_PI), s.exp(s.neg(s.mul(x, x))));
            one_sided(s.mul(adj, slope))
        }
        Code::Sigmoid => one_sided(s.mul(adj, s.mul(out, s.sub(number(1.0), out)))),
        Code::Tan => one_sided(s.mul(adj, s.add(number(1.0), s.mul(out, out)))),
        // (1 - x)(1 + x) keeps the digits of 1 - x^2 near the ends of the domain.
        Code::Asin => one_sided(s.div(adj, s.sqrt(one_minus_square(s, x)))),
        Code::Acos => one_sided(s.neg(s.div(adj, s.sqrt(one_minus_square(s, x))))),
        Code::Atan => one_sided(s.div(adj, s.add(number(1.0), s.mul(x, x)))),
        Code::Sinh => one_sided(s.mul(adj, s.cosh(x))),
        Code::Cosh => one_sided(s.mul(adj, s.sinh(x))),
        Code::Asinh => one_sided(s.div(adj, s.cosh(out))),
        Code::Acosh => one_sided(s.div(adj, s.sinh(out))),
        Code::Atanh => one_sided(s.div(adj, one_minus_square(s, x))),
        Code::Lgamma => one_sided(s.mul(adj, s.digamma(x))),
        Code::Digamma => one_sided(s.mul(adj, s.polygamma(number(1.0), x))),
        Code::Erfinv => {
            one_sided(s.mul(adj, s.mul(number(1.0 / std::f64::consts::FRAC_2_SQRT_PI), s.exp(s.mul(out, out)))))
        }
        Code::Ndtri => {
            let root = (2.0 * std::f64::consts::PI).sqrt();
            one_sided(s.mul(adj, s.mul(number(root), s.exp(s.mul(number(0.5), s.mul(out, out))))))
        }
        Code::BesselI0 => one_sided(s.mul(adj, s.bessel_i1(x))),
        Code::BesselI0e => one_sided(s.mul(adj, s.sub(s.bessel_i1e(x), s.mul(s.sign(x), out)))),
        Code::BesselI1 => {
            let zero = s.eq(x, number(0.0));
            let safe = s.select(zero, number(1.0), x);
            one_sided(s.mul(adj, s.select(zero, number(0.5), s.sub(s.bessel_i0(x), s.div(out, safe)))))
        }
        Code::BesselI1e => {
            let zero = s.eq(x, number(0.0));
            let safe = s.select(zero, number(1.0), x);
            let slope = s.sub(s.bessel_i0e(x), s.mul(out, s.add(s.sign(x), s.div(number(1.0), safe))));
            one_sided(s.mul(adj, s.select(zero, number(0.5), slope)))
        }
        Code::Atan2 => {
            // TensorFlow's: by the squares, which overflow where the numbers are beyond the root of the greatest.
            let share = s.div(adj, s.add(s.mul(y, y), s.mul(x, x)));
            vec![(0, s.mul(y, share)), (1, s.neg(s.mul(x, share)))]
        }
        // The orders have no derivatives here, as in TensorFlow.
        Code::Zeta => vec![(1, s.neg(s.mul(adj, s.mul(x, s.zeta(s.add(x, number(1.0)), y)))))],
        Code::Polygamma => vec![(1, s.mul(adj, s.polygamma(s.add(x, number(1.0)), y)))],
        Code::Igamma => vec![(0, s.mul(adj, s.igamma_grad_a(x, y))), (1, s.mul(adj, gamma_density(s, x, y)))],
        Code::Igammac => {
            vec![(0, s.neg(s.mul(adj, s.igamma_grad_a(x, y)))), (1, s.neg(s.mul(adj, gamma_density(s, x, y))))]
        }
        Code::IgammaGradA => {
            let slope = s.mul(gamma_density(s, x, y), s.sub(s.log(y), s.digamma(x)));
            vec![(0, s.mul(adj, s.missing(s.dtype(adj)))), (1, s.mul(adj, slope))]
        }
        Code::Betainc => vec![(2, s.mul(adj, beta_density(s, x, y, z)))],
        Code::Add => vec![(0, adj), (1, adj)],
        Code::Sub => vec![(0, adj), (1, s.neg(adj))],
        // The operand first and `adj` last, as the operands of a `Partial` come: one instruction in order.
        Code::Mul => vec![(0, s.mul(y, adj)), (1, s.mul(x, adj))],
        Code::Div => vec![(0, s.div(adj, y)), (1, s.neg(s.div(s.mul(adj, out), y)))],
        Code::Rem => {
            let quotient = s.div(x, y);
            let truncated = s.mul(s.sign(quotient), s.floor(s.abs(quotient)));
            vec![(0, adj), (1, s.neg(s.mul(adj, truncated)))]
        }
        Code::FloorMod => vec![(0, adj), (1, s.neg(s.mul(adj, s.floor(s.div(x, y)))))],
        Code::Pow => {
            let base = s.mul(adj, s.mul(y, s.pow(x, s.sub(y, number(1.0)))));
            let zero = number(0.0);
            let positive = s.gt(x, zero);
            // The inner select keeps log away from where it has no value.
            let log = s.select(positive, s.log(s.select(positive, x, number(1.0))), zero);
            vec![(0, base), (1, s.mul(adj, s.mul(out, log)))]
        }
        Code::Min | Code::Max => {
            let left = if code == Code::Max { s.ge(x, y) } else { s.le(x, y) };
            let zero = number(0.0);
            vec![(0, s.select(left, adj, zero)), (1, s.select(left, zero, adj))]
        }
        Code::Select => {
            let zero = number(0.0);
            let _ = z;
            vec![(1, s.select(x, adj, zero)), (2, s.select(x, zero, adj))]
        }
    }
}

/// (1 - x)(1 + x).
fn one_minus_square(s: &Scalar, x: Val) -> Val {
    let one = s.number(x, 1.0);
    s.mul(s.sub(one, x), s.add(one, x))
}

/// The derivative of the lower incomplete gamma function by x: x^(a - 1) e^-x / gamma(a).
///
/// In f64: the logarithms are large and cancel.
fn gamma_density(s: &Scalar, a: Val, x: Val) -> Val {
    let dtype = s.dtype(a);
    let [a, x] = [a, x].map(|v| s.cast(v, DType::F64));
    let power = s.mul(s.sub(a, s.number(a, 1.0)), s.log(x));
    s.cast(s.exp(s.sub(s.sub(power, x), s.lgamma(a))), dtype)
}

/// The derivative of the incomplete beta function by x: x^(a - 1) (1 - x)^(b - 1) / B(a, b), in f64 too. A power of 0 is 1 for
/// every x, as in TensorFlow.
fn beta_density(s: &Scalar, a: Val, b: Val, x: Val) -> Val {
    let dtype = s.dtype(a);
    let [a, b, x] = [a, b, x].map(|v| s.cast(v, DType::F64));
    let (one, zero) = (s.number(x, 1.0), s.number(x, 0.0));
    let flat = s.eq(a, one);
    let below = s.select(flat, zero, s.mul(s.sub(a, one), s.log(s.select(flat, one, x))));
    let flat = s.eq(b, one);
    let above = s.select(flat, zero, s.mul(s.sub(b, one), s.log1p(s.select(flat, zero, s.neg(x)))));
    let log_beta = s.sub(s.add(s.lgamma(a), s.lgamma(b)), s.lgamma(s.add(a, b)));
    s.cast(s.exp(s.sub(s.add(below, above), log_beta)), dtype)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Program;

    fn text(build: impl Fn(&Scalar, Val) -> Val) -> String {
        let s = Scalar::new(crate::backend::cpu::vector::evaluate);
        let (x, y, dy) = (s.input(0, DType::F32), s.input(1, DType::F32), s.input(2, DType::F32));
        let root = build(&s, x);
        let d = derivative(&s, root, y, x, dy).expect("there is a path");
        Program::new(&s, &[DType::F32; 3], &[d]).to_string()
    }

    #[test]
    fn tanh_uses_its_saved_output() {
        let expected = "t0 = mul.float32(x1, x1)\nt1 = sub.float32(1.0, t0)\ny0 = mul.float32(x2, t1)\n";
        assert_eq!(text(|s, x| s.tanh(x)), expected);
    }

    #[test]
    fn chain_recomputes_what_is_inside() {
        let expected =
            "t0 = sin.float32(x0)\nt1 = mul.float32(x2, x1)\nt2 = cos.float32(x0)\ny0 = mul.float32(t1, t2)\n";
        let got = text(|s, x| s.exp(s.sin(x)));
        // exp's own rule takes the saved output, so sin(x) itself is dead.
        assert_eq!(got, expected.split_once('\n').unwrap().1.replace("t1", "t0").replace("t2", "t1"));
    }
}
