//! Where the largest or the smallest elements along an axis are, the first among equals: loops for each dtype and instruction set.
//! `argmax` and `argmin` call them; NaN is passed over, and where there is nothing else the answer is 0.

mod columns;
mod rows;
#[cfg(test)]
mod tests;

use super::Isa;
use crate::dtype::DType;

/// An element, and what it is compared by.
trait Extreme: Copy + 'static {
    type Key: Copy + PartialOrd + 'static;
    /// A number of a row, as wide as the key, so that both are chosen by one mask.
    type Place: Place;
    /// No element comes after it, and before it.
    const LOWEST: Self::Key;
    const HIGHEST: Self::Key;
    /// Whether an element may be [`Extreme::LOWEST`] while others are passed over: then it has to be looked for.
    const MAY_HIDE: bool;
    /// `LEAST` tells which end what is passed over goes to.
    fn key<const LEAST: bool>(self) -> Self::Key;
}

/// Numbers of rows: those up to `MOST` fit.
trait Place: Copy + Ord + 'static {
    const ZERO: Self;
    const MOST: usize;
    fn of(number: usize) -> Self;
    fn number(self) -> usize;
}

macro_rules! places {
    ($($t:ty)*) => {$(
        impl Place for $t {
            const ZERO: Self = 0;
            const MOST: usize = <$t>::MAX as usize;
            #[inline(always)]
            fn of(number: usize) -> Self { number as $t }
            #[inline(always)]
            fn number(self) -> usize { self as usize }
        }
    )*};
}
places!(u8 u16 u32 u64);

macro_rules! extremes {
    ($hides:literal; $($t:ident $place:ident $lowest:ident $highest:ident)*) => {$(
        impl Extreme for $t {
            type Key = $t;
            type Place = $place;
            const LOWEST: $t = $t::$lowest;
            const HIGHEST: $t = $t::$highest;
            const MAY_HIDE: bool = $hides;
            #[inline(always)]
            fn key<const LEAST: bool>(self) -> $t { self }
        }
    )*};
}
extremes!(true; f32 u32 NEG_INFINITY INFINITY f64 u64 NEG_INFINITY INFINITY);
extremes!(false; i8 u8 MIN MAX u8 u8 MIN MAX i16 u16 MIN MAX u16 u16 MIN MAX i32 u32 MIN MAX u32 u32 MIN MAX i64 u64 MIN MAX u64 u64 MIN MAX);

/// A float of 16 bits whose infinity has the bits `INFINITY`: compared as an integer, both zeros as one.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Short<const INFINITY: i16>(i16);

impl<const INFINITY: i16> Extreme for Short<INFINITY> {
    type Key = i16;
    type Place = u16;
    const LOWEST: i16 = i16::MIN;
    const HIGHEST: i16 = i16::MAX;
    const MAY_HIDE: bool = false;
    #[inline(always)]
    fn key<const LEAST: bool>(self) -> i16 {
        let size = self.0 & i16::MAX;
        let key = if self.0 < 0 { -size } else { size };
        let nan = if LEAST { i16::MAX } else { i16::MIN };
        if size > INFINITY { nan } else { key }
    }
}
type Half = Short<0x7c00>;
type Brain = Short<0x7f80>;

/// Whether `a` is better than `b`; never true for NaN.
#[inline(always)]
fn better<K: PartialOrd, const LEAST: bool>(a: K, b: K) -> bool {
    if LEAST { a < b } else { a > b }
}

/// What every element that counts is at least as good as.
#[inline(always)]
fn worst<T: Extreme, const LEAST: bool>() -> T::Key {
    if LEAST { T::HIGHEST } else { T::LOWEST }
}

/// `(len, rows, from, found)`: the places in each of `rows` dense rows of `len` elements.
type RowsLoop = unsafe fn(usize, usize, *const u8, *mut u64);
/// `(len, stride, columns, groups, pitch, from, found)`: the places in each of some groups, `pitch` apart, of at most [`MOST_COLUMNS`]
/// neighbouring columns, whose rows are `stride` apart.
type ColumnsLoop = unsafe fn(usize, isize, usize, usize, isize, *const u8, *mut u64);

/// Columns that are searched at a time, at most.
pub const MOST_COLUMNS: usize = 1024;

/// The loops for one dtype.
#[derive(Clone, Copy)]
pub struct Search {
    pub rows: RowsLoop,
    pub columns: ColumnsLoop,
}

macro_rules! instances {
    ($($rows:ident $columns:ident $registers:ident $feature:literal)*) => {$(
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $rows<T: Extreme, const LEAST: bool>(len: usize, rows: usize, from: *const u8, found: *mut u64) {
            // SAFETY: the same contract.
            unsafe { rows::with_vectors::<T, LEAST>(len, rows, from, found) }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $feature)]
        unsafe fn $columns<T: Extreme, const LEAST: bool>(
            len: usize,
            stride: isize,
            columns: usize,
            groups: usize,
            pitch: isize,
            from: *const u8,
            found: *mut u64,
        ) {
            // SAFETY: the same contract.
            unsafe { columns::body::<T, LEAST, { columns::$registers }>(len, stride, columns, groups, pitch, from, found) }
        }
    )*};
}
instances!(rows_avx2 columns_avx2 IN_REGISTERS "avx2" rows_avx512 columns_avx512 IN_LONG_REGISTERS "avx512f,avx512bw,avx512dq,avx512vl");

unsafe fn rows_portable<T: Extreme, const LEAST: bool>(len: usize, rows: usize, from: *const u8, found: *mut u64) {
    // SAFETY: the same contract.
    unsafe { rows::body::<T, LEAST>(len, rows, from, found) }
}

unsafe fn columns_portable<T: Extreme, const LEAST: bool>(
    len: usize,
    stride: isize,
    columns: usize,
    groups: usize,
    pitch: isize,
    from: *const u8,
    found: *mut u64,
) {
    // SAFETY: the same contract.
    unsafe { columns::body::<T, LEAST, { columns::IN_REGISTERS }>(len, stride, columns, groups, pitch, from, found) }
}

fn search<T: Extreme, const LEAST: bool>(isa: Isa) -> Search {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => Search { rows: rows_avx512::<T, LEAST>, columns: columns_avx512::<T, LEAST> },
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => Search { rows: rows_avx2::<T, LEAST>, columns: columns_avx2::<T, LEAST> },
        #[allow(unreachable_patterns, reason = "the others exist on one architecture only")]
        _ => Search { rows: rows_portable::<T, LEAST>, columns: columns_portable::<T, LEAST> },
    }
}

/// The loops for the largest element, or the `least`, of a dtype; `None` where elements have no order.
pub fn lookup(dtype: DType, least: bool, isa: Isa) -> Option<Search> {
    if least { of::<true>(dtype, isa) } else { of::<false>(dtype, isa) }
}

fn of<const LEAST: bool>(dtype: DType, isa: Isa) -> Option<Search> {
    Some(match dtype {
        DType::F32 => search::<f32, LEAST>(isa),
        DType::F64 => search::<f64, LEAST>(isa),
        DType::F16 => search::<Half, LEAST>(isa),
        DType::BF16 => search::<Brain, LEAST>(isa),
        DType::I8 => search::<i8, LEAST>(isa),
        DType::I16 => search::<i16, LEAST>(isa),
        DType::I32 => search::<i32, LEAST>(isa),
        DType::I64 => search::<i64, LEAST>(isa),
        // Truth values order as bytes do.
        DType::U8 | DType::Bool => search::<u8, LEAST>(isa),
        DType::U16 => search::<u16, LEAST>(isa),
        DType::U32 => search::<u32, LEAST>(isa),
        DType::U64 => search::<u64, LEAST>(isa),
        DType::C64 | DType::C128 | DType::Resource | DType::Variant | DType::String => return None,
    })
}
