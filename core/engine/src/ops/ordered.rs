//! What operations that put elements in order share: the Rust type of a dtype that has an order, and indices of any width.
//! `sort`, `top_k`, `unique`, `searchsorted` and those beside them use it.

use kernels::backend::cpu::View;
use kernels::dtype::DType;

/// Runs the body with `$t` bound to the Rust type of a dtype of numbers; truth values are bytes.
macro_rules! for_ordered {
    ($dtype:expr, $t:ident => $body:expr) => {{
        use kernels::dtype::{DType, bf16, f16};
        macro_rules! arm {
            ($ty:ty) => {{
                type $t = $ty;
                $body
            }};
        }
        match $dtype {
            DType::F32 => arm!(f32),
            DType::F64 => arm!(f64),
            DType::F16 => arm!(f16),
            DType::BF16 => arm!(bf16),
            DType::I8 => arm!(i8),
            DType::I16 => arm!(i16),
            DType::I32 => arm!(i32),
            DType::I64 => arm!(i64),
            DType::U8 | DType::Bool => arm!(u8),
            DType::U16 => arm!(u16),
            DType::U32 => arm!(u32),
            DType::U64 => arm!(u64),
            // The type rules let no others through.
            _ => {}
        }
    }};
}
pub(super) use for_ordered;

/// Writes an index to element `at` of a dense view of signed integers.
///
/// # Safety
/// The element lies inside the view.
#[inline(always)]
pub(super) unsafe fn put(view: &View, at: usize, index: usize) {
    // SAFETY: by the caller's promise.
    unsafe {
        match view.dtype {
            DType::I16 => view.ptr.cast::<i16>().add(at).write(index as i16),
            DType::I32 => view.ptr.cast::<i32>().add(at).write(index as i32),
            _ => view.ptr.cast::<i64>().add(at).write(index as i64),
        }
    }
}
