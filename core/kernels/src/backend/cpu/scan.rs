//! Running sums, products and logarithms of sums along one axis: each element combined with all before it.
//! `cumsum`, `cumprod` and `cumulative_logsumexp` call it; columns next to each other in memory run side by side.

use super::{CpuCall, Work, part};
use crate::dtype::{Complex, DType, bf16, f16};

/// How elements are combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Running {
    Sum,
    Prod,
    /// The logarithm of the sum of the exponentials: of floats alone.
    LogSumExp,
}

/// A walk along one axis of a dense tensor into a dense output of the same shape.
#[derive(Clone, Copy)]
pub struct Scan {
    pub running: Running,
    pub axis: usize,
    /// Each result leaves its own element out, so the first is the identity.
    pub exclusive: bool,
    /// From the last element to the first.
    pub reverse: bool,
}

/// Columns whose running values are kept at a time: few enough for the first-level cache.
const COLUMNS: usize = 512;
/// Elements that one chunk walks over, about.
const CHUNK: usize = 32 * 1024;

/// An element, and the type in which its running value is kept.
trait Cell: Copy {
    type Acc: Copy;
    const ZERO: Self::Acc;
    const ONE: Self::Acc;
    fn load(self) -> Self::Acc;
    fn store(acc: Self::Acc) -> Self;
    fn add(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    fn mul(a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The logarithm of nothing, and of the sum of two exponentials; the type rules ask floats alone for them.
    const LOWEST: Self::Acc = Self::ZERO;
    fn log_add(a: Self::Acc, _: Self::Acc) -> Self::Acc {
        a
    }
}

macro_rules! cells {
    ($($t:ty as $acc:ty, $zero:literal $one:literal, $load:expr, $store:expr, $add:expr, $mul:expr $(, $lowest:expr, $log_add:expr)?;)*) => {$(
        impl Cell for $t {
            type Acc = $acc;
            const ZERO: $acc = $zero;
            const ONE: $acc = $one;
            #[inline(always)]
            fn load(self) -> $acc { ($load as fn($t) -> $acc)(self) }
            #[inline(always)]
            fn store(acc: $acc) -> $t { ($store as fn($acc) -> $t)(acc) }
            #[inline(always)]
            fn add(a: $acc, b: $acc) -> $acc { ($add as fn($acc, $acc) -> $acc)(a, b) }
            #[inline(always)]
            fn mul(a: $acc, b: $acc) -> $acc { ($mul as fn($acc, $acc) -> $acc)(a, b) }
            $(
                const LOWEST: $acc = $lowest;
                #[inline(always)]
                fn log_add(a: $acc, b: $acc) -> $acc { ($log_add as fn($acc, $acc) -> $acc)(a, b) }
            )?
        }
    )*};
}

macro_rules! log_add {
    ($($name:ident: $t:ty),*) => {$(
        /// log(exp(a) + exp(b)), from the greater one, so that nothing overflows.
        fn $name(a: $t, b: $t) -> $t {
            let (high, low) = if a < b { (b, a) } else { (a, b) };
            if high.is_infinite() { high } else { high + (low - high).exp().ln_1p() }
        }
    )*};
}

log_add!(log_add_f32: f32, log_add_f64: f64);

macro_rules! integer_cells {
    ($($t:ident)*) => { cells! { $($t as $t, 0 1, |x| x, |x| x, $t::wrapping_add, $t::wrapping_mul;)* } };
}

integer_cells!(i8 i16 i32 i64 u8 u16 u32 u64);
cells! {
    f32 as f32, 0.0 1.0, |x| x, |x| x, |a, b| a + b, |a, b| a * b, f32::NEG_INFINITY, log_add_f32;
    f64 as f64, 0.0 1.0, |x| x, |x| x, |a, b| a + b, |a, b| a * b, f64::NEG_INFINITY, log_add_f64;
    f16 as f32, 0.0 1.0, f16::to_f32, f16::from_f32, |a, b| a + b, |a, b| a * b, f32::NEG_INFINITY, log_add_f32;
    bf16 as f32, 0.0 1.0, bf16::to_f32, bf16::from_f32, |a, b| a + b, |a, b| a * b, f32::NEG_INFINITY, log_add_f32;
}

macro_rules! complex_cells {
    ($($t:ty)*) => {$(
        impl Cell for Complex<$t> {
            type Acc = Self;
            const ZERO: Self = Self { re: 0.0, im: 0.0 };
            const ONE: Self = Self { re: 1.0, im: 0.0 };
            #[inline(always)]
            fn load(self) -> Self { self }
            #[inline(always)]
            fn store(acc: Self) -> Self { acc }
            #[inline(always)]
            fn add(a: Self, b: Self) -> Self { a + b }
            #[inline(always)]
            fn mul(a: Self, b: Self) -> Self { a * b }
        }
    )*};
}

complex_cells!(f32 f64);

impl Scan {
    /// Rows of columns before the axis, elements along it, columns after it, and parts that the columns are cut into.
    fn split(&self, call: &CpuCall<'_>) -> (usize, usize, usize, usize) {
        let dims = call.inputs[0].dims();
        let inner: usize = dims[self.axis + 1..].iter().product();
        let outer: usize = dims[..self.axis].iter().product();
        (outer, dims[self.axis], inner, inner.div_ceil(COLUMNS))
    }

    pub fn work(&self, call: &CpuCall<'_>) -> Work {
        let (outer, _, _, cuts) = self.split(call);
        Work::chunks(call.inputs[0].len().div_ceil(CHUNK).min(outer * cuts))
    }

    /// Walks over one chunk.
    ///
    /// # Safety
    /// As `Op::cpu`: input 0 and output 0 are dense, of one shape and dtype, the output fresh.
    pub unsafe fn run(&self, call: &CpuCall<'_>, chunk: usize) {
        if call.inputs[0].is_empty() {
            // There may be very many rows of no elements.
            return;
        }
        // SAFETY: by the caller's promise.
        unsafe {
            match call.inputs[0].dtype {
                DType::F32 => self.units::<f32>(call, chunk),
                DType::F64 => self.units::<f64>(call, chunk),
                DType::F16 => self.units::<f16>(call, chunk),
                DType::BF16 => self.units::<bf16>(call, chunk),
                DType::I8 => self.units::<i8>(call, chunk),
                DType::I16 => self.units::<i16>(call, chunk),
                DType::I32 => self.units::<i32>(call, chunk),
                DType::I64 => self.units::<i64>(call, chunk),
                DType::U8 => self.units::<u8>(call, chunk),
                DType::U16 => self.units::<u16>(call, chunk),
                DType::U32 => self.units::<u32>(call, chunk),
                DType::U64 => self.units::<u64>(call, chunk),
                DType::C64 => self.units::<Complex<f32>>(call, chunk),
                DType::C128 => self.units::<Complex<f64>>(call, chunk),
                // The type rules let no others through.
                DType::Bool | DType::Resource | DType::Variant | DType::String => {}
            }
        }
    }

    /// # Safety
    /// As [`Scan::run`], for elements of type `T`.
    unsafe fn units<T: Cell>(&self, call: &CpuCall<'_>, chunk: usize) {
        let (outer, len, inner, cuts) = self.split(call);
        let (from, to) = (call.inputs[0].ptr.cast::<T>(), call.outputs[0].ptr.cast::<T>());
        for unit in part(outer * cuts, chunk, self.work(call).phases[0], 1) {
            let columns = part(inner, unit % cuts, cuts, 1);
            let start = unit / cuts * len * inner + columns.start;
            // SAFETY: the columns lie inside the tensors, and units write disjoint ones.
            unsafe {
                let (from, to) = (from.add(start), to.add(start));
                match (self.running, columns.len()) {
                    (Running::Sum, 1) => self.one(len, inner, from, to, T::ZERO, T::add),
                    (Running::Prod, 1) => self.one(len, inner, from, to, T::ONE, T::mul),
                    (Running::LogSumExp, 1) => self.one(len, inner, from, to, T::LOWEST, T::log_add),
                    (Running::LogSumExp, n) => self.many(n, len, inner, from, to, T::LOWEST, T::log_add),
                    (Running::Sum, n) => self.many(n, len, inner, from, to, T::ZERO, T::add),
                    (Running::Prod, n) => self.many(n, len, inner, from, to, T::ONE, T::mul),
                }
            }
        }
    }

    /// # Safety
    /// `len` elements that lie `stride` apart, at both pointers.
    #[inline(always)]
    unsafe fn one<T: Cell>(
        &self,
        len: usize,
        stride: usize,
        from: *const T,
        to: *mut T,
        start: T::Acc,
        combine: impl Fn(T::Acc, T::Acc) -> T::Acc,
    ) {
        let mut total = start;
        for step in 0..len {
            let at = if self.reverse { len - 1 - step } else { step } * stride;
            // SAFETY: by the caller's promise.
            unsafe {
                let next = combine(total, (*from.add(at)).load());
                to.add(at).write(T::store(if self.exclusive { total } else { next }));
                total = next;
            }
        }
    }

    /// # Safety
    /// `len` rows of at most `COLUMNS` elements that lie `stride` apart, at both pointers.
    #[inline(always)]
    unsafe fn many<T: Cell>(
        &self,
        columns: usize,
        len: usize,
        stride: usize,
        from: *const T,
        to: *mut T,
        start: T::Acc,
        combine: impl Fn(T::Acc, T::Acc) -> T::Acc,
    ) {
        let mut totals = [start; COLUMNS];
        let totals = &mut totals[..columns];
        for step in 0..len {
            let at = if self.reverse { len - 1 - step } else { step } * stride;
            // SAFETY: by the caller's promise; the two rows are apart.
            let (from, to) = unsafe {
                (std::slice::from_raw_parts(from.add(at), columns), std::slice::from_raw_parts_mut(to.add(at), columns))
            };
            // Two loops, so that each is free of the choice and runs on vectors.
            if self.exclusive {
                for ((to, from), total) in to.iter_mut().zip(from).zip(totals.iter_mut()) {
                    *to = T::store(*total);
                    *total = combine(*total, from.load());
                }
            } else {
                for ((to, from), total) in to.iter_mut().zip(from).zip(totals.iter_mut()) {
                    *total = combine(*total, from.load());
                    *to = T::store(*total);
                }
            }
        }
    }
}
