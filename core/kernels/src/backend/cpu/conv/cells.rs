//! The split of the pixels of a batch into cells of about one size: whole images, else bands of rows, else columns.
//! Work is handed out by cells, and the filter gradient walks cells that fit the cache.

use std::ops::Range;

/// A grid of cells over `batch x rows x cols` pixels. It depends on the sizes alone, so sums split by it repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    size: [usize; 3],
    parts: [usize; 3],
}

/// A box of pixels.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub images: Range<usize>,
    pub rows: Range<usize>,
    pub cols: Range<usize>,
}

impl Cells {
    /// Cells of about `target` pixels; whole images up to twice as many, since bands repeat work at their borders.
    pub fn new(batch: usize, rows: usize, cols: usize, target: usize) -> Self {
        let target = target.max(1);
        let image = rows * cols;
        let parts = if image <= 2 * target {
            [batch.div_ceil((target / image.max(1)).max(1)), 1, 1]
        } else if cols <= 2 * target {
            [batch, rows.div_ceil((target / cols).max(1)), 1]
        } else {
            [batch, rows, cols.div_ceil(target)]
        };
        Self { size: [batch, rows, cols], parts }
    }

    pub fn count(self) -> usize {
        if self.size.contains(&0) { 0 } else { self.parts.iter().product() }
    }

    /// Pixels of the largest cell.
    pub fn most_pixels(self) -> usize {
        self.size.iter().zip(self.parts).map(|(size, parts)| size.div_ceil(parts.max(1))).product()
    }

    /// Pixels of the cells before this one.
    pub fn before(self, cell: &Cell) -> usize {
        let [_, rows, cols] = self.size;
        let in_image = cell.rows.start * cols + cell.rows.len() * cell.cols.start;
        cell.images.start * rows * cols + cell.images.len() * in_image
    }

    pub fn get(self, i: usize) -> Cell {
        let part = |axis: usize, i: usize| {
            let (n, parts) = (self.size[axis], self.parts[axis]);
            i * n / parts..(i + 1) * n / parts
        };
        let [_, rows, cols] = self.parts;
        Cell { images: part(0, i / (rows * cols)), rows: part(1, i / cols % rows), cols: part(2, i % cols) }
    }
}

impl Cell {
    pub fn pixels(&self) -> usize {
        self.images.len() * self.rows.len() * self.cols.len()
    }
}

/// Part `i` of `n` things in `parts` parts.
pub(super) fn share(n: usize, parts: usize, i: usize) -> Range<usize> {
    i * n / parts..(i + 1) * n / parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_tile_the_pixels() {
        for (batch, rows, cols, target) in
            [(3, 5, 7, 10), (1, 1, 1000, 96), (10, 2, 2, 13), (2, 30, 8, 50), (0, 3, 3, 5)]
        {
            let cells = Cells::new(batch, rows, cols, target);
            let mut before = 0;
            let mut seen = vec![0; batch * rows * cols];
            for i in 0..cells.count() {
                let c = cells.get(i);
                assert_eq!(cells.before(&c), before);
                assert!(c.pixels() <= cells.most_pixels());
                before += c.pixels();
                for b in c.images {
                    for r in c.rows.clone() {
                        c.cols.clone().for_each(|w| seen[(b * rows + r) * cols + w] += 1);
                    }
                }
            }
            assert!(seen.iter().all(|&n| n == 1), "{cells:?}");
        }
    }
}
