//! The two kinds of vector instructions that programs become: AVX-512's, and AVX2's with fused multiply-adds.
//! Whoever writes code asks here how wide a vector is and how many registers there are.

use crate::backend::cpu::Isa;
use crate::backend::cpu::vector::fold;

/// Which instructions code is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// 16 elements, 32 registers, masks in registers of their own, constants repeated as they are read.
    Avx512,
    /// 8 elements, 16 registers; masks are vectors, and constants lie in memory as whole vectors.
    Avx2,
}

impl Target {
    /// That of an instruction set, if it has one.
    pub fn of(isa: Isa) -> Option<Self> {
        match isa {
            Isa::Avx512 => Some(Self::Avx512),
            Isa::Avx2 => Some(Self::Avx2),
            Isa::Portable => None,
        }
    }

    /// Elements of a vector.
    pub const fn lanes(self) -> usize {
        match self {
            Self::Avx512 => 16,
            Self::Avx2 => 8,
        }
    }

    /// Bytes of a vector.
    pub const fn bytes(self) -> usize {
        self.lanes() * 4
    }

    pub const fn registers(self) -> usize {
        self.lanes() * 2
    }

    /// Vectors of a round where something is folded: one per vector of lanes.
    pub const fn wide(self) -> usize {
        fold::WIDE / self.lanes()
    }

    /// Registers in which so many folds keep their lanes from round to round: none where they would leave too few.
    pub const fn accumulators(self, folds: usize) -> usize {
        let most = match self {
            Self::Avx512 => 3,
            Self::Avx2 => 1,
        };
        if folds <= most { folds * self.wide() } else { 0 }
    }

    /// Vectors of spilled values that fit where the system's guard page is not jumped over.
    pub const fn slots(self) -> u32 {
        3840 / self.bytes() as u32
    }
}
