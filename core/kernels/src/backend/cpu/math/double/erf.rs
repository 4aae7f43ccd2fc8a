//! `erf` and `erfc` in f64.
//! The CPU instruction loops in `backend/cpu/vector` call it per element.

use super::exp::{exp, parts, scale};

/// erf(x) - x for |x| < 1: x times an even polynomial of degree 22 (2^-55).
#[inline(always)]
fn near(x: f64) -> f64 {
    let z = x * x;
    let w = z * z;
    let even = horner!(w; 0.128_379_167_095_512_56, 0.112_837_916_709_452_52, 0.005_223_977_607_420_149,
        1.205_529_531_525_541_2e-4, 1.644_751_645_289_511_8e-6, 1.372_293_776_060_828_8e-8);
    let odd = horner!(w; -0.376_126_389_031_835_5, -0.026_866_170_643_275_872, -8.548_325_989_526_046e-4,
        -1.492_474_456_262_792_8e-5, -1.620_916_674_739_085_6e-7, -7.801_119_296_347_657e-10);
    x * (even + z * odd)
}

/// The error function, within 2 ulp for every f64, odd, +-1 from 5.93 on; keeps the sign of zero.
///
/// Below 1, x + x p(x^2) with the minimax polynomial of [`near`]. Above, 1 - e^-q(x): q = -log(erfc) is smooth
/// and takes a degree-18 polynomial in x - 1.25, fitted on [0.9, 5.95] with the weight erfc/erf (2^-56 of the result).
/// The centre lies near the low end, where an error of q weighs most.
#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let a = x.abs();
    let small = a + near(a);

    let c = if a > 5.95 { 5.95 } else { a };
    let t = c - 1.25;
    let u = t * t;
    let even = horner!(u; 2.562_653_661_922_125_6, 0.870_810_164_058_788_4, -0.007_791_961_612_052_201_5,
        -2.467_839_880_367_533_6e-4, 1.083_086_952_212_694_8e-5, 1.445_471_662_408_212_8e-6, 2.782_617_011_541_555e-9,
        -7.235_957_111_375_277e-9, -2.904_749_146_653_465e-10, -1.222_985_474_850_497_6e-12);
    let odd = horner!(u; 3.067_723_941_669_240_3, 0.032_687_008_682_551_87, 0.001_606_950_963_989_775_8,
        1.004_165_508_874_802_9e-5, -5.166_321_538_065_419e-6, -2.510_755_628_576_837e-7, 1.698_365_687_709_310_2e-8,
        1.803_444_845_890_720_2e-9, 2.797_271_871_666_656_2e-11);
    let large = 1.0 - exp(-(even + t * odd));
    let y = if a < 1.0 { small } else { large };
    y.copysign(x)
}

/// 1 - erf(x), within 4 ulp for every f64, denormal results included: 0 from 27.23 on, 2 below -5.87.
///
/// Below 0.8, (1 - x) - (erf(x) - x), where little cancels. Above, e^(-a^2) F / (1 + 2 a) for a = |x|: F(q) = (1 + 2 a) e^(a^2) erfc(a) varies little and
/// takes a degree-21 polynomial in q = (a - 4) / (a + 4), fitted on [0.5, 28] (2^-58). What a^2 loses to rounding weighs
/// hundreds of ulp in e^(-a^2): it is found by splitting a in halves, and joins the small part of the exponential.
#[inline(always)]
pub fn erfc(x: f64) -> f64 {
    let a = x.abs();
    let small = (1.0 - x) - near(x);

    let a = if a > 28.0 { 28.0 } else { a };
    let q = (a - 4.0) / (a + 4.0);
    let u = q * q;
    let even = horner!(u; 1.232_995_118_625_552_6, 0.015_379_652_102_619_027, -0.101_039_066_036_253_75,
        -0.066_330_365_813_607_13, -0.016_197_734_038_265_92, -7.577_734_486_762_808e-4, 1.506_224_951_226_478_5e-4,
        -1.122_473_224_735_01e-5, 2.995_579_068_556_707_7e-7, 6.702_452_833_728_971e-8, -1.222_404_830_315_238_8e-8);
    let odd = horner!(u; -0.139_621_116_840_562_53, 0.068_097_054_254_694_8, 0.093_732_834_998_287_51,
        0.037_167_515_538_188_93, 0.005_031_969_975_613_813_5, -1.992_567_134_504_071_6e-4,
        -2.439_898_380_913_455_3e-5, 5.708_642_804_404_814_5e-6, -8.225_595_632_060_72e-7, 1.056_802_513_582_095_9e-7,
        -1.047_671_867_466_837_1e-8);
    let factor = (even + q * odd) / (1.0 + 2.0 * a);

    // The upper 26 bits of a: their square is exact, and so are the other products.
    let high = f64::from_bits(a.to_bits() & 0xffff_ffff_f800_0000);
    let low = a - high;
    let square = a * a;
    let lost = ((high * high - square) + 2.0 * high * low) + low * low;
    let (r, t, n) = parts(-square);
    let power = r + t;
    let large = scale(factor + factor * (power - lost * (1.0 + power)), n);
    let far = if x < 0.0 { 2.0 - large } else { large };
    if x.abs() < 0.8 { small } else { far }
}
