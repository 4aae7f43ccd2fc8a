//! Copies an operand to rows of unit stride, or to panels of them, in scratch, widening 16-bit floats on the way.
//! The first phase of a product, for operands that the kernels cannot read where they lie.

use super::blocking::{Operand, STRIP};
use super::number::Stored;
use super::pairs::Pairs;
use crate::backend::cpu::isa::Isa;

/// Copies one strip of rows.
///
/// # Safety
///
/// The processor has the instructions of `isa`. `from` is valid for what `operand` describes, `scratch` for its copy, and nobody else touches the strip's copy.
pub(super) unsafe fn strip<S: Stored>(isa: Isa, operand: &Operand, from: *const S, scratch: *mut u8, strip: usize) {
    let Some(at) = operand.copied_to else { return };
    let per_item = operand.rows.div_ceil(STRIP);
    let (item, row) = (strip / per_item, strip % per_item * STRIP);
    let rows = STRIP.min(operand.rows - row);
    let [rs, cs, bs] = operand.from;
    let [pitch, _, to_bs] = operand.seen;
    // A row of pairs takes two of the operand.
    let deep = if matches!(operand.pairs, Some(Pairs::Rows(_))) { 2 } else { 1 };
    let from = from.wrapping_offset(item as isize * bs + (deep * row) as isize * rs);
    let to = scratch.wrapping_add(at).cast::<S::Compute>();
    let to = to.wrapping_offset(item as isize * to_bs + row as isize * pitch);
    // SAFETY: the strip's rows lie in the operand and in its copy.
    unsafe {
        if let Some(pairs) = operand.pairs {
            return super::pairs::strip(operand, pairs, from.cast(), row, rows, to.cast());
        }
        match (rs, cs, rows) {
            (1, _, _) if operand.panels != 0 && cs != 1 => {
                turned_panels(isa, [rows, operand.cols], from, cs, to, [pitch, operand.panels]);
            }
            _ if operand.panels != 0 => match pitch as usize * size_of::<S>() {
                256 => panels::<S, 256>([rows, operand.cols], from, rs, to, operand.panels),
                row => {
                    debug_assert_eq!(row, 64);
                    panels::<S, 64>([rows, operand.cols], from, rs, to, operand.panels);
                }
            },
            (_, 1, _) => {
                for r in 0..rows as isize {
                    let from = std::slice::from_raw_parts(from.offset(r * rs), operand.cols);
                    let to = std::slice::from_raw_parts_mut(to.offset(r * pitch), operand.cols);
                    S::widen_row(from, to);
                }
            }
            (1, _, STRIP) => turned(isa, from, cs, to, pitch, operand.cols),
            _ => {
                for j in 0..operand.cols as isize {
                    for r in 0..rows as isize {
                        *to.offset(r * pitch + j) = (*from.offset(r * rs + j * cs)).widen();
                    }
                }
            }
        }
    }
}

/// A strip of rows to panels whose rows have `ROW` bytes, and room for whole ones. What is copied is computed in the type that it is stored in.
unsafe fn panels<S: Stored, const ROW: usize>(
    [rows, cols]: [usize; 2],
    from: *const S,
    rs: isize,
    to: *mut S::Compute,
    apart: isize,
) {
    debug_assert_eq!(size_of::<S>(), size_of::<S::Compute>());
    let width = ROW / size_of::<S>();
    for (panel, first) in (0..cols).step_by(width).enumerate() {
        let (from, to) =
            (from.wrapping_add(first).cast::<u8>(), to.wrapping_offset(panel as isize * apart).cast::<u8>());
        let bytes = (cols - first).min(width) * size_of::<S>();
        for row in 0..rows {
            let from = from.wrapping_offset(row as isize * rs * size_of::<S>() as isize);
            let to = to.wrapping_add(row * ROW);
            // SAFETY: the row of the panel lies in the strip; in the copy there is room for a whole one, and any bits are elements.
            unsafe {
                if bytes == ROW {
                    to.cast::<[u8; ROW]>().write(from.cast::<[u8; ROW]>().read());
                } else {
                    to.write_bytes(0, ROW);
                    to.copy_from_nonoverlapping(from, bytes);
                }
            }
        }
    }
}

/// A strip of rows, from columns of unit stride, to panels whose rows are `pitch` elements, with zeros beyond the columns.
unsafe fn turned_panels<S: Stored>(
    isa: Isa,
    [rows, cols]: [usize; 2],
    from: *const S,
    cs: isize,
    to: *mut S::Compute,
    [pitch, apart]: [isize; 2],
) {
    let width = pitch as usize;
    for (panel, first) in (0..cols).step_by(width).enumerate() {
        let (from, to) = (from.wrapping_offset(first as isize * cs), to.wrapping_offset(panel as isize * apart));
        let there = (cols - first).min(width);
        // SAFETY: the rows of the panel lie in the strip; in the copy there is room for whole ones.
        unsafe {
            if rows == STRIP {
                turned(isa, from, cs, to, pitch, there);
            } else {
                for (row, j) in (0..rows).flat_map(|row| (0..there).map(move |j| (row, j))) {
                    *to.add(row * width + j) = (*from.offset(j as isize * cs).add(row)).widen();
                }
            }
            for row in 0..if there < width { rows } else { 0 } {
                to.add(row * width + there).write_bytes(0, width - there);
            }
        }
    }
}

/// A full strip from columns of unit stride: in registers, where elements have four bytes.
unsafe fn turned<S: Stored>(isa: Isa, from: *const S, cs: isize, to: *mut S::Compute, pitch: isize, cols: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let done = match isa {
            // Types of four bytes are not widened: their words move as they are.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 | Isa::Avx512 if size_of::<S>() == 4 => {
                super::transpose::strip(from.cast(), cs, to.cast(), pitch, cols)
            }
            _ => 0,
        };
        transpose(from.wrapping_offset(done as isize * cs), cs, to.wrapping_add(done), pitch, cols - done);
    }
}

/// A full strip from columns of unit stride: squares are read by columns and written by rows.
unsafe fn transpose<S: Stored>(from: *const S, cs: isize, to: *mut S::Compute, pitch: isize, cols: usize) {
    const SIDE: usize = 8;
    // SAFETY: the squares, and the columns left over, lie in the strip.
    unsafe {
        let whole = cols / SIDE * SIDE;
        for j in (0..whole).step_by(SIDE) {
            for r in (0..STRIP).step_by(SIDE) {
                let mut square = [[S::Compute::default(); SIDE]; SIDE];
                for c in 0..SIDE {
                    for i in 0..SIDE {
                        square[i][c] = (*from.offset((j + c) as isize * cs).add(r + i)).widen();
                    }
                }
                for (i, row) in square.iter().enumerate() {
                    *to.offset((r + i) as isize * pitch).add(j).cast::<[S::Compute; SIDE]>() = *row;
                }
            }
        }
        for j in whole..cols {
            for r in 0..STRIP {
                *to.offset(r as isize * pitch).add(j) = (*from.offset(j as isize * cs).add(r)).widen();
            }
        }
    }
}
