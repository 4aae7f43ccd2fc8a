//! The scalar steps of the distributions: words to numbers in [0, 1), and the Box-Muller pair of a normal draw.
//! The uniform and normal kernels call them in loops over lanes, so everything is branch-free arithmetic.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

/// A number in [0, 1) from the lower 23 bits of a word.
#[inline(always)]
pub(super) fn unit_f32(word: u32) -> f32 {
    f32::from_bits(0x3F80_0000 | (word & 0x007F_FFFF)) - 1.0
}

/// A number in [0, 1) from the lower 20 bits of `high` above the 32 bits of `low`.
#[inline(always)]
pub(super) fn unit_f64(high: u32, low: u32) -> f64 {
    let mantissa = u64::from(high & 0x000F_FFFF) << 32 | u64::from(low);
    f64::from_bits(0x3FF0_0000_0000_0000 | mantissa) - 1.0
}

/// The value of a finite `x` rounded to `bf16`, ties to even, still as an `f32`.
#[inline(always)]
pub(super) fn round_to_bf16(x: f32) -> f32 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) & 0xFFFF_0000;
    // A nan has to keep a mantissa bit above the cut, or it would round to infinity.
    f32::from_bits(if x.is_nan() { bits | 0x0040_0000 } else { rounded })
}

/// Two independent standard normal numbers from two words, by Box and Muller's transform.
#[inline(always)]
pub(super) fn normal_pair_f32(x0: u32, x1: u32) -> (f32, f32) {
    let u = unit_f32(x0).max(1.0e-7);
    let angle = (2.0 * PI * f64::from(unit_f32(x1))) as f32;
    let radius = (-2.0 * ln(u)).sqrt();
    let (sin, cos) = sin_cos(angle);
    (sin * radius, cos * radius)
}

/// Two independent standard normal numbers of `f64` from four words, with the C library's functions.
#[inline(always)]
pub(super) fn normal_pair_f64(x: [u32; 4]) -> (f64, f64) {
    let u = unit_f64(x[0], x[1]).max(1.0e-7);
    let angle = 2.0 * PI * unit_f64(x[2], x[3]);
    let radius = (-2.0 * u.ln()).sqrt();
    let (sin, cos) = angle.sin_cos();
    (sin * radius, cos * radius)
}

/// For each sixteenth of [0.7, 1.4): the reciprocal of a number c in it, and ln c.
const LN: [(f64, f64); 16] = [
    (1.398907162146528, -0.33569133332882284),
    (1.3403141896637998, -0.2929040563774074),
    (1.286432210124115, -0.2518726580937369),
    (1.2367150214269895, -0.21245868807117255),
    (1.1906977166711752, -0.17453945183745634),
    (1.1479821020556429, -0.1380057072319758),
    (1.1082251448272158, -0.10275976698545139),
    (1.0711297413057381, -0.06871392447020525),
    (1.036437278977283, -0.0357891387398228),
    (1.0, 0.0),
    (0.9492859795739057, 0.05204517742929496),
    (0.8951049428609004, 0.11081431298787942),
    (0.8476821620351103, 0.1652495223695143),
    (0.8050314851692001, 0.21687389031699977),
    (0.7664671008843108, 0.2659635028121397),
    (0.731428603316328, 0.3127556664073557),
];

/// The natural logarithm of a positive normal number.
///
/// This and [`sin_cos`] are the algorithms of Arm's optimized routines, with their coefficients, which are `logf` and
/// `sincosf` of the C library that TensorFlow's normals are made with: the numbers come out the same, bit for bit, on
/// every platform, and the arithmetic without branches leaves them to vector instructions.
#[inline(always)]
fn ln(x: f32) -> f32 {
    // x = z 2^k with z in [0.7, 1.4), and c near z: ln x = ln(z / c) + ln c + k ln 2.
    let bits = x.to_bits();
    let offset = bits.wrapping_sub(0x3F33_0000);
    let exponent = offset as i32 >> 23;
    let (reciprocal, ln_c) = LN[(offset >> 19 & 15) as usize];
    let z = f64::from(f32::from_bits(bits.wrapping_sub(offset & 0xFF80_0000)));
    let r = z * reciprocal - 1.0;
    let base = ln_c + f64::from(exponent) * std::f64::consts::LN_2;
    let r2 = r * r;
    let tail = -0.25089342214237154 * r2 + (0.333456765744066 * r + -0.4999997485802103);
    (tail * r2 + (base + r)) as f32
}

/// Sine and cosine of an angle in [0, 2 pi].
#[inline(always)]
fn sin_cos(x: f32) -> (f32, f32) {
    // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the lowest bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = f64::from(x);
    let rounded = x * FRAC_2_PI + ROUND;
    let quadrant = rounded.to_bits();
    let r = x - (rounded - ROUND) * FRAC_PI_2;
    let z = r * r;
    let z2 = z * z;
    let sin = (r + z * r * -0.16666654943701084) + z * r * z * (0.008332178146138854 + z * -0.00019517298981385725);
    let cos = (1.0 + z * -0.49999999725108224 + z2 * 0.041666623324344516)
        + z2 * z * (-0.001388676379437604 + z * 2.4390450703564542e-05);
    // Odd quadrants exchange the two; the second bit of the quadrant (of the next one, for the cosine) is the sign.
    let odd = quadrant & 1 == 1;
    let (a, b) = (if odd { cos } else { sin }, if odd { sin } else { cos });
    let sign_sin = (quadrant & 2) << 62;
    let sign_cos = (quadrant.wrapping_add(1) & 2) << 62;
    (f64::from_bits(a.to_bits() ^ sign_sin) as f32, f64::from_bits(b.to_bits() ^ sign_cos) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_functions_are_close_to_the_correct_ones() {
        let near = |ours: f32, right: f64| {
            let ulp = f64::from((right as f32).abs().next_up()) - f64::from((right as f32).abs());
            assert!((f64::from(ours) - right).abs() < 0.85 * ulp, "{ours} for {right}");
        };
        for step in 0..1 << 15 {
            let word = (step << 8) + step % 251;
            let u = unit_f32(word).max(1.0e-7);
            near(ln(u), f64::from(u).ln());
            let angle = (2.0 * PI * f64::from(unit_f32(word))) as f32;
            let (sin, cos) = sin_cos(angle);
            near(sin, f64::from(angle).sin());
            near(cos, f64::from(angle).cos());
        }
    }

    /// Against the C library of this machine, over all numbers a draw can ask for.
    #[test]
    #[ignore = "holds only where the C library has the same algorithms (glibc since 2.28)"]
    fn own_functions_are_those_of_the_c_library() {
        for word in 0..1 << 23 {
            let u = unit_f32(word).max(1.0e-7);
            assert_eq!(ln(u).to_bits(), u.ln().to_bits(), "ln {u}");
            let angle = (2.0 * PI * f64::from(unit_f32(word))) as f32;
            assert_eq!(sin_cos(angle), angle.sin_cos(), "angle {angle}");
        }
    }
}
