//! Literal numbers of TensorFlow 2.21 against these kernels, and the rules that let a draw be cut into parts.
//! The whole golden file of random numbers is checked by the integration tests.

use super::batch::{LANES, words_on};
use super::*;
use crate::backend::cpu::isa::Isa;
use half::{bf16, f16};

const SEED: [i64; 2] = [1, 2];

/// The first `N` elements of a distribution, not scaled.
fn first<T: Real + std::fmt::Debug, const N: usize>(draw: fn(Philox, usize, T, T, &mut [T]), one: T) -> [T; N] {
    let mut out = [T::default(); N];
    draw(Philox::from_seed(SEED), 0, one, T::default(), &mut out);
    out
}

#[test]
fn seeds_are_scrambled_as_in_tensorflow() {
    let cases = [
        ([0, 0], 16_103_252_647_613_272_195, 18_388_005_586_443_337_812),
        ([1, 2], 10_413_732_777_507_651_514, 17_830_669_156_045_600_267),
        ([-1, 5], 14_871_329_193_082_503_880, 13_010_662_996_493_797_292),
    ];
    for (seed, key, counter) in cases {
        assert_eq!(Philox::from_seed(seed).key_counter(), (key, [0, counter]), "{seed:?}");
    }
}

#[test]
fn uniform_reals() {
    let right = [0x3f581458, 0x3e44a788, 0x3f7f087c, 0x3e243c98, 0x3e8b424c, 0x3f263b8a];
    assert_eq!(first(uniform, 1.0f32).map(f32::to_bits), right);
    let right = [0x3fe81458cf3129e2, 0x3fef087c2c290f26, 0x3fc6849f8a98ee28, 0x3feb60b64610ae7c, 0x3fe07956bf15b35e];
    assert_eq!(first(uniform, 1.0f64).map(f64::to_bits), right);
    let right = [0x3858, 0x3388, 0x2bc0, 0x3b26, 0x3098, 0x3714];
    assert_eq!(first(uniform, f16::ONE).map(f16::to_bits), right);
    let right = [0x3eb0, 0x3f62, 0x3ef8, 0x3e18, 0x3e18, 0x3f0a];
    assert_eq!(first(uniform, bf16::ONE).map(bf16::to_bits), right);
}

#[test]
fn normal_reals() {
    let right = [0x3f0b4acd, 0x3e545b81, 0x3d96a8e4, 0x3d3e3228, 0xbfa69a7f, 0xbf742ff1];
    assert_eq!(first(normal, 1.0f32).map(f32::to_bits), right);
    let right = [0x385a, 0x32a3, 0x2cb5, 0x29f2, 0xbd35, 0xbba1];
    assert_eq!(first(normal, f16::ONE).map(f16::to_bits), right);
    let right = [0x3f0b, 0x3e54, 0x3d97, 0x3d3e, 0xbfa7, 0xbf74];
    assert_eq!(first(normal, bf16::ONE).map(bf16::to_bits), right);
    let right = [0x3f0b4acd, 0x3e545b81, 0x3d96a8e4, 0x3d3e3228, 0x3e2c3e2c, 0xbfd7af2c];
    assert_eq!(first(truncated_normal, 1.0f32).map(f32::to_bits), right);
    let right = [0x385a, 0x32a3, 0x2cb5, 0x29f2, 0x3162, 0xbebd];
    assert_eq!(first(truncated_normal, f16::ONE).map(f16::to_bits), right);
    let right = [0x3f0b, 0x3e54, 0x3d97, 0x3d3e, 0x3e2c, 0xbfd8];
    assert_eq!(first(truncated_normal, bf16::ONE).map(bf16::to_bits), right);
}

/// `f64` asks the C library, whose last bit is its own.
#[test]
fn normal_doubles() {
    let near = |ours: [f64; 4], right: [u64; 4]| {
        for (ours, right) in ours.into_iter().zip(right) {
            assert!(ours.to_bits().abs_diff(right) <= 4, "{ours} for {}", f64::from_bits(right));
        }
    };
    near(first(normal, 1.0), [0xbfc23745fceed393, 0x3fe7b30df7adce2e, 0xbff7813821086c87, 0x3ff25d2c6f1a9e3a]);
    let right = [0xbfc23745fceed393, 0x3fe7b30df7adce2e, 0xbfe1ad29167909a9, 0xbfe7809d7af7e4ad];
    near(first(truncated_normal, 1.0), right);
}

#[test]
fn scaled_with_two_roundings() {
    let state = Philox::from_seed(SEED);
    let mut out = [0.0f32; 3];
    uniform(state, 0, 2.25 - -1.5, -1.5, &mut out);
    assert_eq!(out.map(f32::to_bits), [1_070_933_540, 3_209_143_024, 1_074_730_996]);
    let mut out = [f16::ZERO; 3];
    normal(state, 0, f16::from_f32(2.0), f16::from_f32(0.5), &mut out);
    assert_eq!(out.map(f16::to_bits), [0x3e5a, 0x3b52, 0x392d]);
    let mut out = [bf16::ZERO; 3];
    normal(state, 0, bf16::from_f32(2.0), bf16::from_f32(0.5), &mut out);
    assert_eq!(out.map(bf16::to_bits), [0x3fcb, 0x3f6a, 0x3f26]);
}

/// The sums of the bits of a million TensorFlow numbers: equal only when every one of them is.
#[test]
fn a_million_of_each() {
    type Kernel = fn(Philox, usize, f32, f32, &mut [f32]);
    let cases: [(Kernel, u32); 3] = [(uniform, 0xfe4015e4), (normal, 0x71003bf0), (truncated_normal, 0x8ba2a730)];
    let mut out = vec![0.0; 1_000_003];
    for (draw, right) in cases {
        draw(Philox::from_seed([3, 4]), 0, 1.0, 0.0, &mut out);
        assert_eq!(out.iter().fold(0, |sum: u32, x| sum.wrapping_add(x.to_bits())), right);
    }
    assert_eq!(out[1_000_000..].iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0x3f9b901f, 0xbd9be14b, 0xbea2f67e]);
}

#[test]
fn integers() {
    let state = Philox::from_seed(SEED);
    let mut out = [0i32; 6];
    uniform_int(state, 0, 0, 10, &mut out);
    assert_eq!(out, [0, 9, 4, 9, 7, 5]);
    uniform_int(state, 0, -7, i32::MAX, &mut out[..4]);
    assert_eq!(out[..4], [1_105_988_133, 1_738_052_842, 1_811_907_633, 370_444_172]);
    uniform_full(state, 0, &mut out[..3]);
    assert_eq!(out[..3], [1_105_988_140, 1_738_052_849, -335_576_002]);
    let mut out = [0i64; 6];
    uniform_int(state, 0, 0, 10, &mut out);
    assert_eq!(out, [4, 8, 7, 3, 3, 4]);
    uniform_int(state, 0, -7, i64::MAX, &mut out[..2]);
    assert_eq!(out[..2], [7_464_880_146_280_614_437, 1_591_045_637_757_961_271]);
    let mut out = [0u32; 3];
    uniform_full(state, 0, &mut out);
    assert_eq!(out, [1_105_988_140, 1_738_052_849, 3_959_391_294]);
    let mut out = [0u64; 3];
    uniform_full(state, 0, &mut out);
    assert_eq!(out, [7_464_880_146_280_614_444, 1_591_045_637_757_961_278, 17_389_275_318_164_050_067]);
}

#[test]
#[should_panic(expected = "5..5 is empty")]
fn empty_range() {
    uniform_int(Philox::from_seed(SEED), 0, 5, 5, &mut [0i32]);
}

#[test]
fn generator_moves_as_in_tensorflow() {
    let mut generator = Generator::from_seed(1234);
    let mut out = [0.0f32; 3];
    uniform(generator.draw(3), 0, 1.0, 0.0, &mut out);
    assert_eq!(out.map(f32::to_bits), [1_052_204_828, 1_038_607_328, 1_058_083_800]);
    normal(generator.draw(2), 0, 1.0, 0.0, &mut out[..2]);
    assert_eq!(out.map(f32::to_bits)[..2], [1_066_413_742, 3_213_120_644]);
    let mut whole = [0i32; 2];
    uniform_int(generator.draw(2), 0, 0, 10, &mut whole);
    assert_eq!((whole, generator.words()), ([2, 8], [3026, 0, 0]));
    generator.skip(4);
    assert_eq!(generator.words(), [4050, 0, 0]);
    assert_eq!(Generator::from_seed(-3).words(), [-3, -1, -1]);
}

#[test]
fn counter_carries_through_all_words() {
    let mut generator = Generator::from_words([-1, -1, 77]);
    let mut out = [0u32; 6];
    uniform_full(generator.draw(6), 0, &mut out);
    assert_eq!(out, [0xa97d5d32, 0x95c76cf5, 0xae2261d4, 0x90986769, 0x34c7256f, 0x47f5eb6f]);
    assert_eq!(generator.words(), [1535, 0, 77]);
}

#[test]
fn instruction_sets_agree() {
    for counter in [[0, 0], [u64::MAX - 5, 7], [u64::MAX - 700, u64::MAX]] {
        let state = Philox::from_key_counter(0x0123_4567_89ab_cdef, counter);
        for stride in [1, 128, 256] {
            let right: Vec<u32> = (0..LANES as u64).flat_map(|i| state.skip(i * stride).block()).collect();
            for isa in Isa::available() {
                assert_eq!(words_on(isa, &state, stride)[..], right, "{isa:?} {counter:?} {stride}");
            }
        }
    }
}

#[test]
fn any_cut_gives_the_same_numbers() {
    fn check<T: Real + PartialEq + std::fmt::Debug>(one: T) {
        let state = Philox::from_seed([7, 8]);
        for draw in [uniform::<T>, normal::<T>, truncated_normal::<T>] {
            let mut whole = [T::default(); 3 * BATCH + 5];
            draw(state, 0, one, T::default(), &mut whole);
            for start in [0, 1, 2, 3, 4, 7, BATCH - 1, BATCH, BATCH + 6] {
                for len in [0, 1, 3, 4, BATCH, 2 * BATCH - 1] {
                    let mut part = vec![T::default(); len.min(whole.len() - start)];
                    draw(state, start, one, T::default(), &mut part);
                    assert_eq!(part, whole[start..start + part.len()], "{start} {len}");
                }
            }
        }
    }
    check(1.0f32);
    check(1.0f64);
    check(f16::ONE);
    check(bf16::ONE);
}
