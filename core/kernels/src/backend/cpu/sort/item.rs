//! Elements as integers that order as the elements do, and words that hold such a key alone or with a place.
//! The sort, the search for the best and the search for equal elements are written for them.

use crate::dtype::{bf16, f16};

/// An unsigned integer that is sorted.
pub trait Word: Copy + Ord + Send + Sync {
    const BITS: u32;
    const ZERO: Self;
    const ONES: Self;
    /// The digit of these bits.
    fn digit(self, shift: u32, mask: usize) -> usize;
    /// The middle between two, rounded down.
    fn middle(low: Self, high: Self) -> Self;
    fn next(self) -> Self;
    fn previous(self) -> Self;
}

macro_rules! words {
    ($($t:ty)*) => {$(
        impl Word for $t {
            const BITS: u32 = <$t>::BITS;
            const ZERO: Self = 0;
            const ONES: Self = <$t>::MAX;
            #[inline(always)]
            fn digit(self, shift: u32, mask: usize) -> usize {
                (self >> shift) as usize & mask
            }
            #[inline(always)]
            fn middle(low: Self, high: Self) -> Self {
                low + (high - low) / 2
            }
            #[inline(always)]
            fn next(self) -> Self {
                self.wrapping_add(1)
            }
            #[inline(always)]
            fn previous(self) -> Self {
                self.wrapping_sub(1)
            }
        }
    )*};
}

words!(u32 u64 u128);

/// An element that has an order.
pub trait Item: Copy + PartialEq + Send + Sync + 'static {
    /// Orders as elements do; twice as wide with a place beside it.
    type Key: Word;
    type Pair: Word;
    /// Bits of the key that differ.
    const KEY_BITS: u32;
    /// The key: equal elements have equal ones, -0 and 0 included; all NaN have the greatest.
    fn key(self) -> Self::Key;
    /// The key that tells -0, which comes first, from 0, and of which all but NaN can be had back.
    fn exact_key(self) -> Self::Key;
    fn of_exact_key(key: Self::Key) -> Self;
    /// The exact keys of -0, 0 and NaN, where there are such: elements that [`Item::key`] does not tell apart, or does not keep.
    fn special_keys() -> Option<(Self::Key, Self::Key, Self::Key)>;
    /// The key with its order turned around.
    fn turned(key: Self::Key) -> Self::Key;
    fn pair(key: Self::Key, place: usize) -> Self::Pair;
    fn place(pair: Self::Pair) -> usize;
}

macro_rules! keys {
    ($key:ty, $pair:ty) => {
        type Key = $key;
        type Pair = $pair;
        #[inline(always)]
        fn turned(key: $key) -> $key {
            // Bits above those that differ stay zero.
            !key & (<$key>::MAX >> (<$key>::BITS - Self::KEY_BITS))
        }
        #[inline(always)]
        fn pair(key: $key, place: usize) -> $pair {
            (key as $pair) << <$key>::BITS | place as $pair
        }
        #[inline(always)]
        fn place(pair: $pair) -> usize {
            pair as $key as usize
        }
    };
}

macro_rules! integers {
    ($($t:ty as $bits:ty, $key:ty, $pair:ty, $flip:expr;)*) => {$(
        impl Item for $t {
            const KEY_BITS: u32 = <$bits>::BITS;
            keys!($key, $pair);
            #[inline(always)]
            fn key(self) -> $key {
                (self as $bits ^ $flip) as $key
            }
            #[inline(always)]
            fn exact_key(self) -> $key {
                self.key()
            }
            #[inline(always)]
            fn of_exact_key(key: $key) -> Self {
                (key as $bits ^ $flip) as Self
            }
            #[inline(always)]
            fn special_keys() -> Option<($key, $key, $key)> {
                None
            }
        }
    )*};
}

integers! {
    i8 as u8, u32, u64, 1 << 7;
    i16 as u16, u32, u64, 1 << 15;
    i32 as u32, u32, u64, 1 << 31;
    i64 as u64, u64, u128, 1 << 63;
    u8 as u8, u32, u64, 0;
    u16 as u16, u32, u64, 0;
    u32 as u32, u32, u64, 0;
    u64 as u64, u64, u128, 0;
}

macro_rules! floats {
    ($($t:ty as $bits:ident, $key:ty, $pair:ty;)*) => {$(
        impl Item for $t {
            const KEY_BITS: u32 = $bits::BITS;
            keys!($key, $pair);
            #[inline(always)]
            fn key(self) -> $key {
                let bits = self.to_bits();
                // -0 as 0.
                let bits = if bits == 1 << ($bits::BITS - 1) { 0 } else { bits };
                Self::from_bits(bits).exact_key()
            }
            #[inline(always)]
            fn exact_key(self) -> $key {
                let bits = self.to_bits();
                let negative = bits >> ($bits::BITS - 1) != 0;
                let ordered = if negative { !bits } else { bits | 1 << ($bits::BITS - 1) };
                let ordered = if self.is_nan() { $bits::MAX } else { ordered };
                ordered as $key
            }
            #[inline(always)]
            fn of_exact_key(key: $key) -> Self {
                let key = key as $bits;
                let positive = key >> ($bits::BITS - 1) != 0;
                Self::from_bits(if positive { key & $bits::MAX >> 1 } else { !key })
            }
            #[inline(always)]
            fn special_keys() -> Option<($key, $key, $key)> {
                let zero = 1 << ($bits::BITS - 1);
                Some((zero - 1, zero, $bits::MAX as $key))
            }
        }
    )*};
}

floats! {
    f32 as u32, u32, u64;
    f64 as u64, u64, u128;
    f16 as u16, u32, u64;
    bf16 as u16, u32, u64;
}
