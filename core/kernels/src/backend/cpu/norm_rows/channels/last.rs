//! Passes over rows of channels, which lie one behind the other: sums down the columns, and elements by coefficients of their columns.
//! `mod.rs` runs them over units and parts.

use super::{ROWS, on_every_isa};
use crate::backend::cpu::Isa;
use crate::backend::cpu::norm_rows::Root;
use crate::backend::cpu::norm_rows::parts::{Part, Tail, Whole, each};
use crate::backend::cpu::simd::Simd;
use std::marker::PhantomData;

/// Columns that are summed together: their sums stay in the first-level cache.
const TILE: usize = 512;
/// Rows that are read side by side, so that the sums are loaded and stored once for all.
const BESIDE: usize = 4;

/// Runs `$body` for the rows of a block, from `$row` on `$rows` of them, a constant.
macro_rules! by_rows {
    ($count:expr, |$row:ident, $rows:ident| $body:expr) => {{
        let (count, mut $row) = ($count, 0);
        while $row + BESIDE <= count {
            let $rows = const { BESIDE };
            $body;
            $row += BESIDE;
        }
        while $row < count {
            let $rows = const { 1 };
            $body;
            $row += 1;
        }
    }};
}

/// # Safety
/// Where the CPU has the instruction set of `V`. `room` has three numbers for each column of the period.
#[inline(always)]
unsafe fn moments_body<V: Simd>(period: usize, channels: usize, x: &[V::Elem], room: &mut [f64])
where
    V::Elem: Root,
{
    let rows = x.len().checked_div(period).unwrap_or(0);
    let (first, others) = room.split_at_mut(period);
    let (sums, squares) = others.split_at_mut(period);
    sums.fill(0.0);
    squares.fill(0.0);
    // The first row is what all are summed around, which loses nothing in `f64`.
    for (i, first) in first.iter_mut().enumerate() {
        *first = x.get(if rows > 0 { i } else { i % channels }).map_or(0.0, |x| x.wide());
    }
    let minus = V::Elem::rounded(-1.0);
    for start in (0..rows).step_by(ROWS) {
        let count = ROWS.min(rows - start);
        for tile in (0..period).step_by(TILE) {
            let n = TILE.min(period - tile);
            let block = &x[start * period + tile..];
            let mut near = [V::Elem::default(); TILE];
            let mut far = [V::Elem::default(); TILE];
            // SAFETY: by the caller's promise; the tail ends with the tile.
            unsafe {
                let minus = V::splat(minus);
                by_rows!(count, |row, rows| each!(V, n, |i, part| {
                    let x = block.as_ptr().add(row * period + i);
                    let shift = part.load(block.as_ptr().add(i)).mul(minus);
                    let mut sums = [part.load(near.as_ptr().add(i)), part.load(far.as_ptr().add(i))];
                    for r in 0..rows {
                        let x = part.load(x.add(r * period)).add(shift);
                        sums = [sums[0].add(x), sums[1].add(x.mul(x))];
                    }
                    part.store(sums[0], near.as_mut_ptr().add(i));
                    part.store(sums[1], far.as_mut_ptr().add(i));
                }));
            }
            let (first, sums, squares) =
                (&first[tile..tile + n], &mut sums[tile..tile + n], &mut squares[tile..tile + n]);
            for j in 0..n {
                let apart = block[j].wide() - first[j];
                let (near, moved) = (near[j].wide(), count as f64 * apart);
                sums[j] += near + moved;
                squares[j] += far[j].wide() + apart * (2.0 * near + moved);
            }
        }
    }
    // Repeated channels come together, and what remains behind the last whole row.
    let rest = &x[rows * period..];
    let count = (rows * period + rest.len()).checked_div(channels).unwrap_or(0) as f64;
    for c in 0..channels {
        let middle = first[c];
        let (mut sum, mut square) = (sums[c], squares[c]);
        for j in (c + channels..period).step_by(channels) {
            let apart = first[j] - middle;
            let moved = rows as f64 * apart;
            sum += sums[j] + moved;
            square += squares[j] + apart * (2.0 * sums[j] + moved);
        }
        for x in rest.iter().skip(c).step_by(channels) {
            let apart = x.wide() - middle;
            sum += apart;
            square += apart * apart;
        }
        let around = square - sum * sum / count;
        first[c] = middle + sum / count;
        sums[c] = if around < 0.0 { 0.0 } else { around };
    }
}

/// # Safety
/// Where the CPU has the instruction set of `V`. `x` and `dy` have one length, `less` that of the period, `room` two for each column of it.
#[inline(always)]
unsafe fn sums_body<V: Simd>(
    period: usize,
    channels: usize,
    x: &[V::Elem],
    dy: &[V::Elem],
    less: &[V::Elem],
    room: &mut [f64],
) where
    V::Elem: Root,
{
    let rows = x.len().checked_div(period).unwrap_or(0);
    let (all, along) = room.split_at_mut(period);
    all.fill(0.0);
    along.fill(0.0);
    for start in (0..rows).step_by(ROWS) {
        let count = ROWS.min(rows - start);
        for tile in (0..period).step_by(TILE) {
            let n = TILE.min(period - tile);
            let at = start * period + tile;
            let mut plain = [V::Elem::default(); TILE];
            let mut product = [V::Elem::default(); TILE];
            // SAFETY: by the caller's promise; the tail ends with the tile.
            unsafe {
                let (x, dy, less) = (x.as_ptr().add(at), dy.as_ptr().add(at), less.as_ptr().add(tile));
                by_rows!(count, |row, rows| each!(V, n, |i, part| {
                    let (x, dy) = (x.add(row * period + i), dy.add(row * period + i));
                    let less = part.load(less.add(i));
                    let mut sums = [part.load(plain.as_ptr().add(i)), part.load(product.as_ptr().add(i))];
                    for r in 0..rows {
                        let owed = part.load(dy.add(r * period));
                        let along = owed.mul(part.load(x.add(r * period)).add(less));
                        sums = [sums[0].add(owed), sums[1].add(along)];
                    }
                    part.store(sums[0], plain.as_mut_ptr().add(i));
                    part.store(sums[1], product.as_mut_ptr().add(i));
                }));
            }
            let (all, along) = (&mut all[tile..tile + n], &mut along[tile..tile + n]);
            for j in 0..n {
                all[j] += plain[j].wide();
                along[j] += product[j].wide();
            }
        }
    }
    let done = rows * period;
    for c in 0..channels {
        for j in (c + channels..period).step_by(channels) {
            all[c] += all[j];
            along[c] += along[j];
        }
        for (x, dy) in x[done..].iter().zip(&dy[done..]).skip(c).step_by(channels) {
            all[c] += dy.wide();
            along[c] += dy.wide() * (x.wide() + less[c].wide());
        }
    }
}

/// # Safety
/// Where the CPU has the instruction set of `V`. `x`, `dy` and `out` have `len` elements, and there are three or four rows of coefficients.
#[inline(always)]
unsafe fn write_body<V: Simd>(
    period: usize,
    len: usize,
    x: *const V::Elem,
    dy: Option<*const V::Elem>,
    coefficients: &[V::Elem],
    out: *mut V::Elem,
) where
    V::Elem: Root,
{
    let c = coefficients.as_ptr();
    for start in (0..len).step_by(period) {
        let n = period.min(len - start);
        // SAFETY: by the caller's promise; the tail ends with the row.
        unsafe {
            let (x, out) = (x.add(start), out.add(start));
            match dy {
                None => each!(V, n, |i, part| {
                    let far = part.load(x.add(i)).add(part.load(c.add(i)));
                    let y = far.mul(part.load(c.add(period + i))).add(part.load(c.add(2 * period + i)));
                    part.store(y, out.add(i));
                }),
                Some(dy) => {
                    let dy = dy.add(start);
                    each!(V, n, |i, part| {
                        let far = part.load(x.add(i)).add(part.load(c.add(i)));
                        let other = far.mul(part.load(c.add(2 * period + i))).add(part.load(c.add(3 * period + i)));
                        let own = part.load(dy.add(i)).mul(part.load(c.add(period + i)));
                        part.store(own.add(other), out.add(i));
                    });
                }
            }
        }
    }
}

on_every_isa!(
    /// Mean and squares around it of each column of `x`, in the first two parts of `room`.
    ///
    /// # Safety
    /// That of the body.
    moments = moments_body; (period: usize, channels: usize, x: &[T], room: &mut [f64])
);
on_every_isa!(
    /// Sums of `dy` and of `dy (x + less)` of each column, in both parts of `room`.
    ///
    /// # Safety
    /// That of the body.
    sums = sums_body; (period: usize, channels: usize, x: &[T], dy: &[T], less: &[T], room: &mut [f64])
);
on_every_isa!(
    /// Elements by coefficients of their columns.
    ///
    /// # Safety
    /// That of the body.
    write = write_body; (period: usize, len: usize, x: *const T, dy: Option<*const T>, coefficients: &[T], out: *mut T)
);
