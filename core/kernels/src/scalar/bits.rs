//! Constants of the scalar language as bits: from a number, and back to text.
//! The expression builder encodes with it, printed programs and CUDA text decode.

use crate::dtype::{DType, bf16, f16};

/// The bits of `value` in a dtype, zero-extended to 64. Those of a complex type are its real part's: the other part is 0.
pub fn encode(dtype: DType, value: f64) -> u64 {
    match dtype {
        DType::F32 | DType::C64 => u64::from((value as f32).to_bits()),
        DType::F64 | DType::C128 => value.to_bits(),
        DType::F16 => u64::from(f16::from_f64(value).to_bits()),
        DType::BF16 => u64::from(bf16::from_f64(value).to_bits()),
        DType::I8 => u64::from(value as i8 as u8),
        DType::I16 => u64::from(value as i16 as u16),
        DType::I32 => u64::from(value as i32 as u32),
        DType::I64 => value as i64 as u64,
        DType::U8 => u64::from(value as u8),
        DType::U16 => u64::from(value as u16),
        DType::U32 => u64::from(value as u32),
        DType::U64 => value as u64,
        DType::Bool => u64::from(value != 0.0),
        DType::Resource | DType::Variant | DType::String => 0,
    }
}

/// The number behind bits, of a complex type its real part; integers of more than 53 bits are rounded to the nearest `f64`.
pub fn to_f64(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F32 | DType::C64 => f32::from_bits(bits as u32).into(),
        DType::F64 | DType::C128 => f64::from_bits(bits),
        DType::F16 => f16::from_bits(bits as u16).to_f64(),
        DType::BF16 => bf16::from_bits(bits as u16).to_f64(),
        DType::I8 => (bits as i8).into(),
        DType::I16 => (bits as i16).into(),
        DType::I32 => (bits as i32).into(),
        DType::I64 => bits as i64 as f64,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => bits as f64,
        DType::Bool => f64::from(bits != 0),
        DType::Resource | DType::Variant | DType::String => 0.0,
    }
}

/// The number behind bits, as text that reads back to the same value.
pub fn decode(dtype: DType, bits: u64) -> String {
    match dtype {
        DType::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        DType::F64 => format!("{:?}", f64::from_bits(bits)),
        DType::F16 => format!("{:?}", f16::from_bits(bits as u16).to_f32()),
        DType::BF16 => format!("{:?}", bf16::from_bits(bits as u16).to_f32()),
        DType::I8 => (bits as i8).to_string(),
        DType::I16 => (bits as i16).to_string(),
        DType::I32 => (bits as i32).to_string(),
        DType::I64 => (bits as i64).to_string(),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => bits.to_string(),
        DType::Bool => (bits != 0).to_string(),
        DType::C64 | DType::C128 | DType::Resource | DType::Variant | DType::String => String::new(),
    }
}
