//! The walk of tiles over a part of a product: panels of columns of B, as wide as a tile, packed where its rows lie far apart, or copied before.
//! The number types of `number` run it for their vectors.

use super::blocking::FEW_ROWS;
use super::kernel::{AHEAD_ROWS, Kernel};
use super::number::Operands;
use std::mem::MaybeUninit;

/// Bytes of B between the first and the last row of a part from which its panels are packed: below, they stay in the first-level cache as they are.
const SPREAD: usize = 64 << 10;
/// Tiles that read a packed panel, at least.
const READERS: usize = 3;
/// Bytes of B, and columns, from which few rows go along runs of whole rows of B: memory likes that better than panels, second-level caches do not.
const MUCH: usize = 128 << 10;
const RUN: usize = 64;
/// Bytes from one row of B to the next from which that is so. Panels read shorter rows in almost as long runs, and sums in registers are worth more; but not
/// beside an A by columns, unless a panel has all of a row.
const LONG_ROW: usize = 1 << 10;
/// Bytes of the sums of a run, which lie in the first-level cache meanwhile.
const SUMS: usize = 16 << 10;
/// Bytes of a packed panel at most, and those where nothing else decides: it shares the first-level cache with rows of A.
const MOST: usize = 64 << 10;
const PANEL: usize = 32 << 10;

/// Bytes of a packed block of A, and its columns: it stays in the second-level cache while all panels of B meet it.
const BLOCK: usize = 128 << 10;
const DEEP: usize = 256;

/// Room for a packed panel, or a block, at the start of a cache line.
#[repr(align(64))]
struct Room<const BYTES: usize = MOST>([MaybeUninit<u8>; BYTES]);

/// Multiplies a part, by tiles of about equal size.
///
/// # Safety
///
/// The processor has the instructions, the operands are valid, and B has unit column stride; or unit row stride, where it is packed, and
/// [`PASS`](super::multiply::PASS) rows at most.
pub(super) unsafe fn block<K: Kernel>(o: &Operands<K::Elem>) {
    // A single column has no distance to the next.
    let turned = o.b_cs != 1 && o.n > 1;
    let ready = o.b_panels != 0;
    if o.m == 1 && o.n > K::WIDEST * K::LANES && o.k > 0 && !turned && !ready {
        // SAFETY: the caller's promise.
        return unsafe { K::row(o) };
    }
    let size = size_of::<K::Elem>();
    let row = o.b_rs.unsigned_abs().saturating_mul(size);
    let spread = row.saturating_mul(o.k) >= SPREAD;
    let long_rows = row >= LONG_ROW || o.a_cs != 1 && row > K::WIDEST * K::LANES * size;
    let much = o.n >= RUN && o.k.saturating_mul(o.n * size) >= MUCH && !turned && !ready;
    if much && long_rows && o.m <= FEW_ROWS {
        // SAFETY: the caller's promise.
        return unsafe { runs::<K>(o) };
    }
    let tiles = o.m.div_ceil(K::most_rows(K::WIDEST.min(o.n.div_ceil(K::LANES)).max(1)));
    // SAFETY: the caller's promise.
    unsafe {
        match o.packs_a || o.packs && (turned || ready || spread && tiles >= READERS) {
            true => packed::<K>(o),
            false => panels::<K>(o, None, K::WIDEST),
        }
    }
}

/// Few rows of C, by runs of columns: the sums of a run lie side by side while all rows of B pass by.
///
/// # Safety
///
/// As for [`block`], with [`FEW_ROWS`] rows at most and unit column stride.
unsafe fn runs<K: Kernel>(o: &Operands<K::Elem>) {
    let size = size_of::<K::Elem>();
    // Whole cache lines.
    let wide = (SUMS / size / o.m.max(1)) & !15;
    let mut room = Room([MaybeUninit::uninit(); MOST]);
    let sums: *mut K::Elem = room.0.as_mut_ptr().cast();
    let parts = o.n.div_ceil(wide);
    for part in 0..parts {
        let [from, end] = [part, part + 1].map(|part| (o.n.div_ceil(16) * part / parts * 16).min(o.n));
        let n = end - from;
        let run = Operands { n, b: o.b.wrapping_add(from), c: sums, c_rs: wide as isize, plus: std::ptr::null(), ..*o };
        // SAFETY: the run lies in the part, and the room holds its sums: `wide` is at least what a part has.
        unsafe {
            for i in 0..if o.add { o.m } else { 0 } {
                let c = o.c.offset(i as isize * o.c_rs).add(from);
                c.copy_to_nonoverlapping(sums.add(i * wide), n);
            }
            K::few_rows(&run);
            for i in 0..o.m {
                let (sums, c) = (sums.add(i * wide), o.c.offset(i as isize * o.c_rs).add(from));
                if o.plus.is_null() {
                    sums.copy_to_nonoverlapping(c, n);
                } else {
                    // What is added may be C itself.
                    let plus = o.plus.offset(i as isize * o.plus_rs).add(from);
                    (0..n).for_each(|j| *c.add(j) = *plus.add(j) + *sums.add(j));
                }
            }
        }
    }
}

/// The part in blocks of rows and of k whose operands stay in the caches. Sums go on where those of the block before ended, so the bits are
/// those of one block.
///
/// # Safety
///
/// As for [`block`].
unsafe fn packed<K: Kernel>(o: &Operands<K::Elem>) {
    let size = size_of::<K::Elem>();
    let width = K::WIDEST * K::LANES * size;
    // What is added must not be C itself where sums that are not finished are put there.
    let whole = std::ptr::eq(o.plus, o.c) && !o.plus.is_null();
    let ready = o.b_panels != 0;
    let turned = o.b_cs != 1 && o.n > 1;
    let packs_a = o.packs_a && !whole;
    let deepest = if packs_a { DEEP } else { (if ready { K::PANEL } else { PANEL }) / width };
    let parts = if whole { 1 } else { o.k.div_ceil(deepest).max(1) };
    let deep = o.k.div_ceil(parts).max(1);
    // Where all of k is more than there is room for, B is read as it lies, or turned to narrow panels.
    let fits = (MOST / K::LANES / size / deep).min(K::WIDEST);
    debug_assert!(fits > 0 || !turned);
    let as_it_lies = !turned && (!o.packs || fits < K::WIDEST);
    let (has_room, widest) = if ready || as_it_lies { (false, K::WIDEST) } else { (true, fits) };
    let rows = if packs_a {
        longest_column(BLOCK / size / deep)
    } else {
        (K::ROWS / size / deep).max(K::most_rows(K::WIDEST))
    };
    let blocks = o.m.div_ceil(rows);
    let mut room = Room([MaybeUninit::uninit(); MOST]);
    for part in 0..parts {
        let (at, end) = (o.k * part / parts, o.k * (part + 1) / parts);
        for block in 0..blocks {
            let (i, i_end) = (o.m * block / blocks, o.m * (block + 1) / blocks);
            let last = part + 1 == parts;
            let o = Operands {
                k: end - at,
                b: o.b.wrapping_offset(at as isize * o.b_rs),
                add: o.add || part > 0,
                last: o.last && last,
                plus: if last { o.plus } else { std::ptr::null() },
                // The panels of the next block are the same; behind the last one is the next part of k.
                ahead: o.b.wrapping_offset((if block + 1 < blocks { at } else { end }) as isize * o.b_rs),
                ..rows_of(o, i, i_end, at)
            };
            let room = has_room.then_some(&mut room);
            // SAFETY: the caller's promise; a panel of this length has room, and so have a block's columns.
            unsafe {
                match packs_a {
                    true => with_packed_a::<K>(&o, room, widest),
                    false => panels::<K>(&o, room, widest),
                }
            }
        }
    }
}

/// The elements of the longest column that fits into so many: an odd number of cache lines of `f32`, so that columns do not fall on the same few lines.
fn longest_column(most: usize) -> usize {
    most.saturating_sub(16) / 32 * 32 + 16
}

/// The same of the shortest column that has so many rows.
fn shortest_column(rows: usize) -> usize {
    rows.saturating_sub(16).next_multiple_of(32) + 16
}

/// Panels that meet a packed block of A.
///
/// # Safety
///
/// As for [`panels`], with `a_rs` 1, and a block at least as large as `k` times the [`shortest_column`] for `m` rows.
#[inline(never)]
unsafe fn with_packed_a<K: Kernel>(o: &Operands<K::Elem>, room: Option<&mut Room>, widest: usize) {
    let mut block = Room([MaybeUninit::uninit(); BLOCK]);
    let to: *mut K::Elem = block.0.as_mut_ptr().cast();
    let pitch = shortest_column(o.m);
    debug_assert!(o.a_rs == 1 && pitch >= o.m && pitch * o.k * size_of::<K::Elem>() <= BLOCK);
    // SAFETY: the caller's promise.
    unsafe {
        K::columns(o.a, o.a_cs, [o.m, o.k], to, pitch);
        panels::<K>(&Operands { a: to, a_cs: pitch as isize, ..*o }, room, widest);
    }
}

/// Rows `i..end` of A, C and what is added, from column `at` of A on.
fn rows_of<T: Copy>(o: &Operands<T>, i: usize, end: usize, at: usize) -> Operands<T> {
    Operands {
        m: end - i,
        a: o.a.wrapping_offset(i as isize * o.a_rs + at as isize * o.a_cs),
        c: o.c.wrapping_offset(i as isize * o.c_rs),
        plus: if o.plus.is_null() { o.plus } else { o.plus.wrapping_offset(i as isize * o.plus_rs) },
        ..*o
    }
}

/// All panels of a part, each packed by its first tile if there is room to, or as they were copied.
///
/// # Safety
///
/// As for [`block`]; panels are as wide as the widest tile, but those that are packed may be narrower, and a room holds k rows of one.
unsafe fn panels<K: Kernel>(o: &Operands<K::Elem>, mut room: Option<&mut Room>, widest: usize) {
    let turned = o.b_cs != 1 && o.n > 1;
    let vectors = o.n.div_ceil(K::LANES);
    let panels = vectors.div_ceil(widest);
    let mut v = 0;
    for panel in 0..panels {
        let (end, across) = match o.b_panels {
            0 => (vectors * (panel + 1) / panels, (v * K::LANES) as isize * o.b_cs),
            apart => (vectors.min(v + widest), panel as isize * apart),
        };
        let nv = end - v;
        let lanes = (o.n - (end - 1) * K::LANES).min(K::LANES);
        let mut o = Operands {
            b: o.b.wrapping_offset(across),
            c: o.c.wrapping_add(v * K::LANES),
            plus: if o.plus.is_null() { o.plus } else { o.plus.wrapping_add(v * K::LANES) },
            ..*o
        };
        if let Some(room) = room.as_mut().filter(|_| turned) {
            let packed = room.0.as_mut_ptr().cast();
            // SAFETY: the panel lies in the part, and the room holds k rows of it.
            unsafe { K::turn(o.b, o.b_cs, [o.k, (end - 1 - v) * K::LANES + lanes], packed, nv * K::LANES) };
            (o.b, o.b_rs) = (packed, (nv * K::LANES) as isize);
        }
        let rows = o.m.div_ceil(K::most_rows(nv));
        // Tiles ask for the panel that comes next, each from its share of it on, where vectors are so wide that they would wait for it.
        let asks = o.b_panels != 0 && nv == K::WIDEST && lanes == K::LANES && K::LANES * size_of::<K::Elem>() == 64;
        let next = if panel + 1 < panels { o.b.wrapping_offset(o.b_panels) } else { o.ahead };
        let share = o.k * K::WIDEST * K::LANES / rows.max(1);
        for row in 0..rows {
            let (i, i_end) = (o.m * row / rows, o.m * (row + 1) / rows);
            let tile = Operands { ahead: next.wrapping_add(row * share), ..rows_of(&o, i, i_end, 0) };
            // SAFETY: the tile lies in the part: it has at most the allowed rows and vectors by construction.
            unsafe {
                match &mut room {
                    Some(room) if row == 0 && !turned => {
                        let packed = room.0.as_mut_ptr().cast();
                        K::tile_and_pack(tile.m, nv, &tile, lanes, packed);
                        (o.b, o.b_rs) = (packed, (nv * K::LANES) as isize);
                    }
                    _ if asks && AHEAD_ROWS.contains(&tile.m) => K::tile_ahead(tile.m, &tile),
                    _ => K::tile(tile.m, nv, &tile, lanes),
                }
            }
        }
        v = end;
    }
}
