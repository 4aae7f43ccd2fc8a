//! How a fold along columns is shared out among blocks: neighbouring threads take neighbouring columns, the rest of a block further
//! rows, and what rows are left are cut into parts. Fused kernels and reductions whose kept elements lie side by side are laid out here.

use super::call::{CudaCall, THREADS, grid};
use super::driver::Grid;
use super::reduce::AT_ONCE;

/// Neighbouring threads that read a row together, at most, where there are rows enough for the others: with 16 bytes each they read
/// whole lines of memory.
const ACROSS: usize = 32;
/// Elements that a thread folds before it is worth sharing them within a block.
const FEW: usize = 4;
/// Elements that a thread folds before it is worth another part, which a second pass has to read.
const LONG: usize = 16;

/// Threads of one unit, `across` times `down` of them, and the parts of each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub across: usize,
    pub down: usize,
    pub part: usize,
    pub parts: usize,
    /// Pieces of a row in all parts, each of which is a unit's work.
    pub units: usize,
}

impl Columns {
    /// For `groups` of `count` rows of so many columns, of which a thread takes `each` neighbours.
    pub fn new(call: &CudaCall<'_>, groups: usize, [count, columns]: [usize; 2], each: usize) -> Self {
        Self::on(call.gpu.multiprocessors() as usize * AT_ONCE, groups, [count, columns], each)
    }

    /// For a second pass, without parts: few threads read a row together, so that many share its columns.
    pub fn whole([count, columns]: [usize; 2], each: usize) -> Self {
        Self::shared(ACROSS / 4, None, 1, [count, columns], each)
    }

    /// On a device that is busy with so many blocks.
    fn on(busy: usize, groups: usize, size: [usize; 2], each: usize) -> Self {
        Self::shared(ACROSS, Some(busy), groups, size, each)
    }

    fn shared(
        most_across: usize,
        busy: Option<usize>,
        groups: usize,
        [count, columns]: [usize; 2],
        each: usize,
    ) -> Self {
        let threads = THREADS as usize;
        let packs = columns.div_ceil(each).max(1).next_power_of_two();
        let rows = (count / FEW).max(1);
        // The greatest power of two that is no more than the rows.
        let down = (threads / packs.min(most_across)).min(1 << rows.ilog2());
        let across = packs.min(threads / down);
        let pieces = groups * columns.div_ceil(each * across);
        let beside = threads / (across * down);
        let most = busy.map_or(1, |busy| busy * beside / pieces.max(1));
        let parts = most.clamp(1, count.div_ceil(down * LONG).max(1)).min(1024);
        let part = count.div_ceil(parts).max(1);
        let parts = count.div_ceil(part).max(1);
        Self { across, down, part, parts, units: pieces * parts }
    }

    /// The grid, whose blocks take further units where there are more.
    pub fn grid(&self, call: &CudaCall<'_>) -> Grid {
        let beside = THREADS as usize / (self.across * self.down);
        let most = call.gpu.multiprocessors() as usize * 64;
        grid(self.units.div_ceil(beside).min(most), THREADS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few columns leave most of a block to rows, and all rows are shared; many columns are read along rows; short columns have a
    /// thread each.
    #[test]
    fn blocks_are_filled_whatever_the_shape() {
        let narrow = Columns::on(528, 1, [1 << 20, 16], 4);
        assert_eq!((narrow.across, narrow.down), (4, 64));
        assert!(narrow.units >= 500 && narrow.units <= 528, "{narrow:?}");
        let wide = Columns::on(528, 1, [1 << 16, 1024], 4);
        assert_eq!((wide.across, wide.down), (32, 8));
        assert!(wide.units >= 500 && wide.units <= 528, "{wide:?}");
        let short = Columns::on(528, 1000, [3, 5], 1);
        assert_eq!((short.across, short.down, short.parts, short.units), (8, 1, 1, 1000));
    }

    /// Parts hold all rows, and none is empty.
    #[test]
    fn parts_hold_all_rows() {
        for count in [0, 1, 3, 17, 255, 1000, 12_345, 1 << 20] {
            for columns in [1, 2, 16, 31, 300, 5000] {
                let c = Columns::on(528, 3, [count, columns], 1);
                assert!(c.parts * c.part >= count && (c.parts - 1) * c.part < count.max(1), "{count} {columns} {c:?}");
                assert!(
                    c.across * c.down <= THREADS as usize && c.across.is_power_of_two() && c.down.is_power_of_two()
                );
            }
        }
    }
}
