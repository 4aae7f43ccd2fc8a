//! Reduction of huge angles modulo pi/2 with the bits of 2/pi (Payne and Hanek's method).
//! The rare paths of `sin` and `cos` in both precisions call it, one element at a time.

/// The first 1280 bits of 2/pi after the point, led by one zero word so that a window may begin before the point.
const TWO_OVER_PI: [u64; 21] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];
/// pi/2 cut to 26 bits (times a 26-bit number it is exact), and the rest.
const PIO2_HI: f64 = 1.570_796_310_901_641_8;
const PIO2_LO: f64 = 1.589_325_477_352_819_6e-8;
/// 2^-128.
const FRACTION: f64 = f64::from_bits((1023 - 128) << 52);

/// `(quadrant, r, low)` with x = quadrant pi/2 + r + low modulo 2 pi and |r| <= pi/4, for finite x >= 2^20; nan for
/// inf and nan. The relative error of r + low is below 2^-64.
pub fn large(x: f64) -> (u64, f64, f64) {
    if !x.is_finite() {
        return (0, f64::NAN, 0.0);
    }
    let bits = x.to_bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    // x = mantissa * 2^e. Bits of 2/pi that weigh 4 or more after the shift by e only add whole turns: the window
    // begins with the bit that weighs 2.
    let e = (bits >> 52) as i64 - 1075;
    let start = (e - 2 + 64).max(0) as usize;
    let (word, bit) = (start / 64, start % 64);
    let at = |i: usize| {
        let pair = (u128::from(TWO_OVER_PI[word + i]) << 64) | u128::from(TWO_OVER_PI[word + i + 1]);
        u128::from((pair << bit >> 64) as u64)
    };
    let m = u128::from(mantissa);
    let low = m * at(2);
    let middle = m * at(1) + (low >> 64);
    let high = (m * at(0) + (middle >> 64)) as u64;
    let (middle, low) = (middle as u64, low as u64);
    // Two integer bits, then the fraction; read as a signed number the fraction is already the nearest one.
    let fraction = ((u128::from(high) << 66) | (u128::from(middle) << 2) | u128::from(low >> 62)) as i128;
    let quadrant = (high >> 62) + u64::from(fraction < 0);
    let f = fraction as f64;
    let rest = fraction.wrapping_sub(f as i128) as f64 * FRACTION;
    let f = f * FRACTION;
    let f_hi = f64::from_bits(f.to_bits() & !0x7ff_ffff);
    let main = f_hi * PIO2_HI;
    let side = f_hi * PIO2_LO + ((f - f_hi) + rest) * std::f64::consts::FRAC_PI_2;
    let r = main + side;
    (quadrant, r, side - (r - main))
}
