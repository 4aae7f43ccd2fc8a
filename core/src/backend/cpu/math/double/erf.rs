//! `erf` in f64.
//! The CPU instruction loops in `backend/cpu/vector` call it per element.

use super::exp::exp;

/// The error function, within 2 ulp for every f64, odd, +-1 from 5.93 on; keeps the sign of zero.
///
/// Below 1, x + x p(x^2) with a degree-11 minimax polynomial p (2^-55). Above, 1 - e^-q(x): q = -log(erfc) is smooth
/// and takes a degree-18 polynomial in x - 1.25, fitted on [0.9, 5.95] with the weight erfc/erf (2^-56 of the result).
/// The centre lies near the low end, where an error of q weighs most.
#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let a = x.abs();
    let z = a * a;
    let w = z * z;
    let even = horner!(w; 0.128_379_167_095_512_56, 0.112_837_916_709_452_52, 0.005_223_977_607_420_149,
        1.205_529_531_525_541_2e-4, 1.644_751_645_289_511_8e-6, 1.372_293_776_060_828_8e-8);
    let odd = horner!(w; -0.376_126_389_031_835_5, -0.026_866_170_643_275_872, -8.548_325_989_526_046e-4,
        -1.492_474_456_262_792_8e-5, -1.620_916_674_739_085_6e-7, -7.801_119_296_347_657e-10);
    let small = a + a * (even + z * odd);

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
