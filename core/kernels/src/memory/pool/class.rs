//! The size classes of blocks: powers of two with four steps between, from 64 bytes.
//! The magazines and the depot keep one list per class, and a block's class is all its owner has to remember.

use super::system::HUGE;

/// Which list a block belongs to; fixes its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class(u8);

/// The largest request; anything above is a mistake in somebody's arithmetic.
const ABSURD: usize = isize::MAX as usize / 2;

impl Class {
    /// The number of classes.
    pub(super) const COUNT: usize = Self::of(ABSURD).index() + 1;
    /// The largest class that threads keep for themselves: 1 MiB.
    pub(super) const LARGEST_OWN: Self = Self::of(1 << 20);

    /// The smallest class with blocks of at least this many bytes.
    #[inline]
    pub(super) const fn holding(bytes: usize) -> Option<Self> {
        if bytes > ABSURD { None } else { Some(Self::of(bytes)) }
    }

    #[inline]
    const fn of(bytes: usize) -> Self {
        // In units of 64 bytes, and minus one so that full classes round to themselves: 0 ..= 3 are classes of their
        // own, and from there on the three highest bits decide.
        let last = bytes.saturating_sub(1) >> 6;
        if last < 4 {
            return Self(last as u8);
        }
        let top = last.ilog2() as usize;
        Self((4 * (top - 1) + ((last >> (top - 2)) & 3)) as u8)
    }

    /// The bytes in a block of this class.
    #[inline]
    pub(super) const fn size(self) -> usize {
        let i = self.0 as usize;
        if i < 4 { (i + 1) << 6 } else { (5 + i % 4) << (i / 4 - 1 + 6) }
    }

    /// The place of this class in tables of [`Self::COUNT`].
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The class at a place below [`Self::COUNT`].
    pub(super) const fn at(index: usize) -> Self {
        debug_assert!(index < Self::COUNT);
        Self(index as u8)
    }

    /// The alignment of blocks of this class.
    pub(super) const fn align(self) -> usize {
        if self.size() >= HUGE { HUGE } else { 64 }
    }
}
