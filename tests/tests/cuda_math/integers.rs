//! Integer arithmetic and conversions at the ends of what their dtypes hold: where devices and processors differ, if anywhere.

use crate::agree;
use eagerflow as tf;
use eagerflow_tests::cuda::watched_gpu as gpu;
use tf::{DType, Tensor};

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

/// The lowest and the highest numbers of a dtype, and some around zero, which is left out on request.
fn edges(dtype: DType, zero: bool) -> Tensor {
    let bits = 8 * dtype.size() as u32;
    let signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    if signed {
        let high = i64::MAX >> (64 - bits);
        let all = [-high - 1, -high, -7, -2, -1, 0, 1, 2, 7, high - 1, high];
        return tf::cast(&Tensor::from(all.into_iter().filter(|&n| zero || n != 0).collect::<Vec<_>>()), dtype);
    }
    let high = u64::MAX >> (64 - bits);
    let all = [0, 1, 2, 7, high / 2, high / 2 + 1, high - 1, high];
    tf::cast(&Tensor::from(all.into_iter().filter(|&n| zero || n != 0).collect::<Vec<_>>()), dtype)
}

#[test]
fn arithmetic_wraps_and_divides_alike() {
    let Some(gpu) = gpu() else { return };
    for dtype in INTEGERS {
        let (a, b) = (tf::expand_dims(&edges(dtype, true), 1), tf::expand_dims(&edges(dtype, false), 0));
        agree(&gpu, &[a, b], 0.0, |x| {
            let (a, b) = (&x[0], &x[1]);
            let all = [
                tf::try_add(a, b),
                tf::try_subtract(a, b),
                tf::try_multiply(a, b),
                tf::try_floordiv(a, b),
                tf::try_floormod(a, b),
                tf::try_truncatemod(a, b),
                tf::try_maximum(a, b),
                tf::try_minimum(a, b),
                tf::try_squared_difference(a, b),
            ];
            // Some take not all dtypes.
            let results: Vec<Tensor> = all.into_iter().flatten().collect();
            assert!(results.len() >= 6, "{dtype}: {}", results.len());
            results
        });
    }
}

#[test]
fn conversions_saturate_and_wrap_alike() {
    let Some(gpu) = gpu() else { return };
    let floats = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 127.5, 128.0, 255.5, 256.0, -129.0, 32_767.5, 65_535.5];
    let large = [2e9, 2_147_483_648.0, -2_147_483_904.0, 4_294_967_296.0, 1e15, 9.3e18, -9.3e18, 2e19, 3e38];
    let none = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let floats = Tensor::from([&floats[..], &large, &none].concat());
    for to in INTEGERS {
        for from in [DType::F32, DType::F64, DType::F16, DType::BF16] {
            agree(&gpu, &[tf::cast(&floats, from)], 0.0, |x| vec![tf::cast(&x[0], to)]);
            agree(&gpu, &[edges(to, true)], 0.0, |x| vec![tf::cast(&x[0], from)]);
        }
        for from in INTEGERS {
            agree(&gpu, &[edges(from, true)], 0.0, |x| vec![tf::cast(&x[0], to)]);
        }
    }
}
