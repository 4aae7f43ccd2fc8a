//! Inverse cosine transforms of blocks: libjpeg's fast one on 16 bits, its accurate one, and its reduced ones for smaller pictures.
//! Planes turn coefficients into samples with them, to the bits that libjpeg gives.

use super::Transform;
use super::lanes::Lanes;

/// What coefficients are multiplied with, in natural order.
pub(super) type Factors = [i16; 64];

/// Scales of the fast transform, by 2^14.
const AAN: [u16; 64] = [
    16384, 22725, 21407, 19266, 16384, 12873, 8867, 4520, 22725, 31521, 29692, 26722, 22725, 17855, 12299, 6270, 21407,
    29692, 27969, 25172, 21407, 16819, 11585, 5906, 19266, 26722, 25172, 22654, 19266, 15137, 10426, 5315, 16384,
    22725, 21407, 19266, 16384, 12873, 8867, 4520, 12873, 17855, 16819, 15137, 12873, 10114, 6967, 3552, 8867, 12299,
    11585, 10426, 8867, 6967, 4799, 2446, 4520, 6270, 5906, 5315, 4520, 3552, 2446, 1247,
];

/// A transform of blocks to `size` by `size` samples.
pub(super) struct Inverse {
    size: usize,
    is_fast: bool,
    factors: Factors,
}

impl Inverse {
    pub fn new(quantization: &[u16; 64], size: usize, transform: Transform) -> Self {
        let is_fast = size == 8 && transform == Transform::Fast;
        let mut factors = [0; 64];
        for ((factor, &step), &scale) in factors.iter_mut().zip(quantization).zip(&AAN) {
            *factor = match is_fast {
                true => ((u32::from(step) * u32::from(scale) + (1 << 11)) >> 12) as i16,
                false => step as i16,
            };
        }
        Self { size, is_fast, factors }
    }

    /// Writes the samples of a block into rows that are `stride` apart. `only_dc` says that all coefficients but the first are 0.
    #[inline]
    pub fn block(&self, coefficients: &[i16; 64], only_dc: bool, out: &mut [u8], stride: usize) {
        match self.size {
            8 if only_dc => {
                let sample = self.flat(coefficients[0]);
                (0..8).for_each(|row| out[row * stride..][..8].fill(sample));
            }
            8 if self.is_fast => fast(coefficients, &self.factors, out, stride),
            8 => accurate(coefficients, &self.factors, out, stride),
            4 => quarter(coefficients, &self.factors, out, stride),
            2 => two(coefficients, &self.factors, out, stride),
            _ => out[0] = raised(rounded(i32::from(coefficients[0]) * i32::from(self.factors[0]), 3)),
        }
    }

    /// The sample of a block that has one value.
    fn flat(&self, dc: i16) -> u8 {
        match self.is_fast {
            true => raised(i32::from(dc.wrapping_mul(self.factors[0]) >> 5)),
            false => raised(rounded(i32::from(dc) * i32::from(self.factors[0]), 3)),
        }
    }
}

/// A number divided by a power of two and rounded.
#[inline(always)]
fn rounded(value: i32, bits: u32) -> i32 {
    value.wrapping_add(1 << (bits - 1)) >> bits
}

/// The byte of a sample around zero.
#[inline(always)]
fn raised(value: i32) -> u8 {
    (value.saturating_add(128)).clamp(0, 255) as u8
}

/// Arai, Agui and Nakajima's transform.
fn fast(coefficients: &[i16; 64], factors: &Factors, out: &mut [u8], stride: usize) {
    let (rows, _) = coefficients.as_chunks::<8>();
    let (factors, _) = factors.as_chunks::<8>();
    let row = |i: usize| Lanes::of(&rows[i]).times(Lanes::of(&factors[i]));
    let columns = fast_pass([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)]);
    let done = Lanes::transposed(fast_pass(Lanes::transposed(columns)).map(Lanes::right::<5>));
    for pair in 0..4 {
        let (first, second) = done[pair * 2].raised(done[pair * 2 + 1]);
        out[pair * 2 * stride..][..8].copy_from_slice(&first);
        out[(pair * 2 + 1) * stride..][..8].copy_from_slice(&second);
    }
}

/// The transform over one direction. Factors are by 2^8, of which the numbers bring two bits.
#[inline(always)]
fn fast_pass(d: [Lanes; 8]) -> [Lanes; 8] {
    let times = |x: Lanes, factor: i16| x.left::<2>().high_times(factor << 6);
    let (sum, difference) = (d[0].plus(d[4]), d[0].minus(d[4]));
    let even = d[2].plus(d[6]);
    let turned = times(d[2].minus(d[6]), 362).minus(even);
    let (t0, t3) = (sum.plus(even), sum.minus(even));
    let (t1, t2) = (difference.plus(turned), difference.minus(turned));

    let (z13, z10) = (d[5].plus(d[3]), d[5].minus(d[3]));
    let (z11, z12) = (d[1].plus(d[7]), d[1].minus(d[7]));
    let t7 = z11.plus(z13);
    let z5 = times(z10.plus(z12), 473);
    let t10 = times(z12, 277).minus(z5);
    // The factor is -669, which does not fit.
    let t12 = times(z10, -413).minus(z10).plus(z5);
    let t6 = t12.minus(t7);
    let t5 = times(z11.minus(z13), 362).minus(t6);
    let t4 = t10.plus(t5);
    [t0.plus(t7), t1.plus(t6), t2.plus(t5), t3.minus(t4), t3.plus(t4), t2.minus(t5), t1.minus(t6), t0.minus(t7)]
}

/// Loeffler, Ligtenberg and Moschytz's transform, on 32 bits.
fn accurate(coefficients: &[i16; 64], factors: &Factors, out: &mut [u8], stride: usize) {
    let mut between = [[0_i32; 8]; 8];
    for column in 0..8 {
        let at = |row: usize| i32::from(coefficients[row * 8 + column]) * i32::from(factors[row * 8 + column]);
        let values = accurate_pass([at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)], 11);
        (0..8).for_each(|row| between[row][column] = values[row]);
    }
    for (row, values) in between.into_iter().enumerate() {
        out[row * stride..][..8].copy_from_slice(&accurate_pass(values, 18).map(raised));
    }
}

/// The transform over one direction, by 2^13; results lose so many bits.
#[inline(always)]
fn accurate_pass(d: [i32; 8], bits: u32) -> [i32; 8] {
    let times = |x: i32, factor: i32| x.wrapping_mul(factor);
    let plus = |x: i32, y: i32| x.wrapping_add(y);
    let z1 = times(plus(d[2], d[6]), 4433);
    let (t2, t3) = (plus(z1, times(d[6], -15137)), plus(z1, times(d[2], 6270)));
    let (t0, t1) = (plus(d[0], d[4]) << 13, d[0].wrapping_sub(d[4]) << 13);
    let even = [plus(t0, t3), plus(t1, t2), t1.wrapping_sub(t2), t0.wrapping_sub(t3)];

    let z5 = times(plus(plus(d[7], d[3]), plus(d[5], d[1])), 9633);
    let (z1, z2) = (times(plus(d[7], d[1]), -7373), times(plus(d[5], d[3]), -20995));
    let z3 = plus(times(plus(d[7], d[3]), -16069), z5);
    let z4 = plus(times(plus(d[5], d[1]), -3196), z5);
    let odd = [
        plus(times(d[1], 12299), plus(z1, z4)),
        plus(times(d[3], 25172), plus(z2, z3)),
        plus(times(d[5], 16819), plus(z2, z4)),
        plus(times(d[7], 2446), plus(z1, z3)),
    ];
    let mut out = [0; 8];
    for i in 0..4 {
        out[i] = rounded(plus(even[i], odd[i]), bits);
        out[7 - i] = rounded(even[i].wrapping_sub(odd[i]), bits);
    }
    out
}

/// Four by four samples of a block.
fn quarter(coefficients: &[i16; 64], factors: &Factors, out: &mut [u8], stride: usize) {
    let mut between = [[0_i32; 8]; 4];
    for column in [0, 1, 2, 3, 5, 6, 7] {
        let at = |row: usize| i32::from(coefficients[row * 8 + column]) * i32::from(factors[row * 8 + column]);
        let values = quarter_pass([at(0), at(1), at(2), at(3), 0, at(5), at(6), at(7)], 12);
        (0..4).for_each(|row| between[row][column] = values[row]);
    }
    for (row, values) in between.into_iter().enumerate() {
        out[row * stride..][..4].copy_from_slice(&quarter_pass(values, 19).map(raised));
    }
}

#[inline(always)]
fn quarter_pass(d: [i32; 8], bits: u32) -> [i32; 4] {
    let sum = |terms: [(i32, i32); 4]| terms.iter().fold(0_i32, |sum, (x, f)| sum.wrapping_add(x.wrapping_mul(*f)));
    let even = sum([(d[2], 15137), (d[6], -6270), (0, 0), (0, 0)]);
    let (t10, t12) = ((d[0] << 14).wrapping_add(even), (d[0] << 14).wrapping_sub(even));
    let t0 = sum([(d[7], -1730), (d[5], 11893), (d[3], -17799), (d[1], 8697)]);
    let t2 = sum([(d[7], -4176), (d[5], -4926), (d[3], 7373), (d[1], 20995)]);
    [
        rounded(t10.wrapping_add(t2), bits),
        rounded(t12.wrapping_add(t0), bits),
        rounded(t12.wrapping_sub(t0), bits),
        rounded(t10.wrapping_sub(t2), bits),
    ]
}

/// Two by two samples of a block.
fn two(coefficients: &[i16; 64], factors: &Factors, out: &mut [u8], stride: usize) {
    let mut between = [[0_i32; 8]; 2];
    for column in [0, 1, 3, 5, 7] {
        let at = |row: usize| i32::from(coefficients[row * 8 + column]) * i32::from(factors[row * 8 + column]);
        let values = two_pass([at(0), at(1), 0, at(3), 0, at(5), 0, at(7)], 13);
        (0..2).for_each(|row| between[row][column] = values[row]);
    }
    for (row, values) in between.into_iter().enumerate() {
        out[row * stride..][..2].copy_from_slice(&two_pass(values, 20).map(raised));
    }
}

#[inline(always)]
fn two_pass(d: [i32; 8], bits: u32) -> [i32; 2] {
    let terms = [(d[7], -5906), (d[5], 6967), (d[3], -10426), (d[1], 29692)];
    let odd = terms.iter().fold(0_i32, |sum, (x, factor)| sum.wrapping_add(x.wrapping_mul(*factor)));
    let even = d[0] << 15;
    [rounded(even.wrapping_add(odd), bits), rounded(even.wrapping_sub(odd), bits)]
}
