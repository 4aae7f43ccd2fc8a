//! The library's own product kernel: a tile of C in registers, A by broadcast from where it lies, B by rows.
//! All products of f32 and f64 on processors with AVX2 or AVX-512 come here, but for those that `dot` does better.

use super::number::Operands;
use crate::backend::cpu::simd::{Simd, ask_for};

/// Steps of k that are taken at once by tiles of at least so many rows, of vectors of so many bytes. A step of six rows by two vectors loads and
/// multiplies with 20 instructions, and took 28, which cost 5 to 16 % on cores that others shared; wider vectors, which compute more
/// for each address that moves, gained 4 to 7 % on Intel's processors.
const DEEP: usize = 4;
const DEEP_ROWS: usize = 4;
const DEEP_BYTES: usize = 32;

/// Bytes that are asked for ahead with [`DEEP`] steps.
const LINE: usize = 64;
/// Steps of k from which tiles of vectors as wide as a line ask for the rows of C below, which the next tile reads or writes. Narrower ones lost by it
/// where A is transposed.
const LONG: usize = 128;

/// `MR` rows by `NV` vectors; `lanes` of the last vector count.
///
/// Each element of C is one chain of fused multiply-adds over k in order, whatever the tile, the register or the
/// split of the work: so a row's result depends on nothing but the row and B.
///
/// With `PACK` the rows of B, NV vectors each, are left one after the other at `packed`, with zeros beyond `lanes`. With `AHEAD` they lie so already,
/// and what comes next of B is asked for meanwhile.
#[inline(always)]
pub(super) unsafe fn tile<V: Simd, const MR: usize, const NV: usize, const PACK: bool, const AHEAD: bool>(
    o: &Operands<V::Elem>,
    lanes: usize,
    mut packed: *mut V::Elem,
) {
    // SAFETY: the caller vouches for the instructions, that the operands cover the tile (MR rows of A and C, and
    // NV - 1 vectors and `lanes` elements of the rows of B and C), and for k rows of NV vectors at `packed` if they are
    // written. Elements beyond `lanes` are masked.
    unsafe {
        let mut acc = [[V::zero(); NV]; MR];
        let full = lanes == V::LANES;
        let tail = V::tail(lanes);
        if o.add {
            for i in 0..MR {
                let c = o.c.offset(i as isize * o.c_rs);
                for j in 0..NV - 1 {
                    acc[i][j] = V::load(c.add(j * V::LANES));
                }
                acc[i][NV - 1] = V::load_tail(c.add((NV - 1) * V::LANES), tail);
            }
        }
        if o.k >= LONG && size_of::<V>() == LINE {
            for i in MR..2 * MR {
                // Rows that are not there are not fetched.
                ask_for(o.c.wrapping_offset(i as isize * o.c_rs).cast_const().cast(), NV * size_of::<V>());
            }
        }
        let (mut a, mut b) = (o.a, o.b);
        let mut ahead = o.ahead.cast::<u8>();
        // Macros, not closures: closures would not inherit the instructions.
        // Told where it is used: from a variable, AVX2 tiles of a transposed A came out 3 % slower.
        macro_rules! b_rs {
            () => {
                if AHEAD { (NV * V::LANES) as isize } else { o.b_rs }
            };
        }
        macro_rules! step {
            ($b:expr, $last:ident => $load:expr, $i:ident => $element:expr) => {
                let b = $b;
                let mut row = [V::zero(); NV];
                for j in 0..NV - 1 {
                    row[j] = V::load(b.add(j * V::LANES));
                }
                let $last = b.add((NV - 1) * V::LANES);
                row[NV - 1] = $load;
                if PACK {
                    for j in 0..NV {
                        row[j].store(packed.add(j * V::LANES));
                    }
                    packed = packed.add(NV * V::LANES);
                }
                for $i in 0..MR {
                    let s = V::splat($element);
                    for j in 0..NV {
                        acc[$i][j] = s.fma(row[j], acc[$i][j]);
                    }
                }
            };
        }
        // Elements of A with neighbours are told by constant distances, and several steps share what moves the addresses on.
        macro_rules! deep_steps {
            ($at:ident, $d:ident, $i:ident => $element:expr) => {
                for _ in 0..o.k / DEEP {
                    if AHEAD {
                        ask_for(ahead, 1);
                        ahead = ahead.wrapping_add(LINE);
                    }
                    for $d in 0..DEEP {
                        step!(b.wrapping_offset($d as isize * b_rs!()), last => V::load(last), $i => $element);
                    }
                    $at += DEEP;
                    b = b.wrapping_offset(DEEP as isize * b_rs!());
                }
            };
        }
        macro_rules! steps {
            ($count:expr, $last:ident => $load:expr) => {
                for _ in 0..$count {
                    step!(b, $last => $load, i => *a.wrapping_offset(i as isize * o.a_rs));
                    a = a.wrapping_offset(o.a_cs);
                    b = b.wrapping_offset(b_rs!());
                }
            };
        }
        if full {
            let mut at = 0;
            if MR >= DEEP_ROWS && size_of::<V>() >= DEEP_BYTES {
                if o.a_cs == 1 {
                    let rows: [_; MR] = std::array::from_fn(|i| a.wrapping_offset(i as isize * o.a_rs));
                    deep_steps!(at, d, i => *rows[i].wrapping_add(at + d));
                } else if o.a_rs == 1 {
                    deep_steps!(at, d, i => *a.wrapping_offset((at + d) as isize * o.a_cs).wrapping_add(i));
                }
            }
            a = a.wrapping_offset(at as isize * o.a_cs);
            steps!(o.k - at, last => V::load(last));
        } else {
            steps!(o.k, last => V::load_tail(last, tail));
        }
        if o.last {
            for i in 0..MR {
                for j in 0..NV {
                    acc[i][j] = acc[i][j].flushed();
                }
            }
        }
        if !o.plus.is_null() {
            for i in 0..MR {
                let plus = o.plus.offset(i as isize * o.plus_rs);
                for j in 0..NV - 1 {
                    acc[i][j] = V::load(plus.add(j * V::LANES)).add(acc[i][j]);
                }
                acc[i][NV - 1] = V::load_tail(plus.add((NV - 1) * V::LANES), tail).add(acc[i][NV - 1]);
            }
        }
        for i in 0..MR {
            let c = o.c.offset(i as isize * o.c_rs);
            for j in 0..NV - 1 {
                acc[i][j].store(c.add(j * V::LANES));
            }
            acc[i][NV - 1].store_tail(c.add((NV - 1) * V::LANES), tail);
        }
    }
}

/// One row of C by `DEPTH` rows of B at a time: reads B in long runs, which memory likes better than narrow tiles.
/// Returns how many rows of B it did.
///
/// The chain of each element is that of [`tile`].
#[inline(always)]
pub(super) unsafe fn row<V: Simd, const DEPTH: usize>(o: &Operands<V::Elem>, mut add: bool) -> usize {
    let mut at = 0;
    // SAFETY: the caller vouches for the instructions and that the operands cover the row and k rows of B.
    unsafe {
        while at + DEPTH <= o.k {
            let b = o.b.offset(at as isize * o.b_rs);
            let mut s = [V::zero(); DEPTH];
            for d in 0..DEPTH {
                s[d] = V::splat(*o.a.offset((at + d) as isize * o.a_cs));
            }
            let mut j = 0;
            while j + V::LANES <= o.n {
                let mut acc = if add { V::load(o.c.add(j)) } else { V::zero() };
                for d in 0..DEPTH {
                    acc = s[d].fma(V::load(b.offset(d as isize * o.b_rs).add(j)), acc);
                }
                acc.store(o.c.add(j));
                j += V::LANES;
            }
            if j < o.n {
                let tail = V::tail(o.n - j);
                let mut acc = if add { V::load_tail(o.c.add(j), tail) } else { V::zero() };
                for d in 0..DEPTH {
                    acc = s[d].fma(V::load_tail(b.offset(d as isize * o.b_rs).add(j), tail), acc);
                }
                acc.store_tail(o.c.add(j), tail);
            }
            add = true;
            at += DEPTH;
        }
    }
    at
}

/// Puts zeros in place of denormal numbers in the rows of C, where they are finished.
#[inline(always)]
pub(super) unsafe fn finish<V: Simd>(o: &Operands<V::Elem>) {
    for i in 0..if o.last { o.m } else { 0 } {
        let mut j = 0;
        while j < o.n {
            // SAFETY: the caller vouches for the instructions and the rows.
            unsafe {
                let (c, tail) = (o.c.offset(i as isize * o.c_rs).add(j), V::tail((o.n - j).min(V::LANES)));
                V::load_tail(c, tail).flushed().store_tail(c, tail);
            }
            j += V::LANES;
        }
    }
}

/// Few rows of C by `DEPTH` rows of B at a time, for the same reason: sums lie in C meanwhile. Returns how many rows of B it did.
/// The next rows are asked for meanwhile: so much is computed with each that the processor does not look ahead far enough by itself.
///
/// The chain of each element is that of [`tile`].
#[inline(always)]
pub(super) unsafe fn few_rows<V: Simd, const DEPTH: usize>(o: &Operands<V::Elem>, mut add: bool) -> usize {
    let mut at = 0;
    // SAFETY: the caller vouches for the instructions and that the operands cover the rows and k rows of B.
    unsafe {
        while at + DEPTH <= o.k {
            let (a, b) = (o.a.offset(at as isize * o.a_cs), o.b.offset(at as isize * o.b_rs));
            macro_rules! columns {
                ($vectors:literal, $j:ident, |$p:ident| $load:expr, |$v:ident, $to:ident| $store:expr) => {
                    let mut rows = [[V::zero(); $vectors]; DEPTH];
                    for d in 0..DEPTH {
                        for v in 0..$vectors {
                            let $p = b.offset(d as isize * o.b_rs).add($j + v * V::LANES);
                            rows[d][v] = $load;
                        }
                    }
                    for i in 0..o.m {
                        let (a, c) = (a.offset(i as isize * o.a_rs), o.c.offset(i as isize * o.c_rs).add($j));
                        let mut acc = [V::zero(); $vectors];
                        if add {
                            for v in 0..$vectors {
                                let $p = c.add(v * V::LANES).cast_const();
                                acc[v] = $load;
                            }
                        }
                        for d in 0..DEPTH {
                            let s = V::splat(*a.offset(d as isize * o.a_cs));
                            for v in 0..$vectors {
                                acc[v] = s.fma(rows[d][v], acc[v]);
                            }
                        }
                        for v in 0..$vectors {
                            let ($v, $to) = (acc[v], c.add(v * V::LANES));
                            $store;
                        }
                    }
                };
            }
            let mut j = 0;
            while j + 2 * V::LANES <= o.n {
                for d in DEPTH..2 * DEPTH {
                    // A row that is not there any more is not fetched: no address is wrong here.
                    ask_for(b.wrapping_offset(d as isize * o.b_rs).wrapping_add(j).cast(), 1);
                }
                columns!(2, j, |p| V::load(p), |v, to| v.store(to));
                j += 2 * V::LANES;
            }
            while j < o.n {
                let tail = V::tail((o.n - j).min(V::LANES));
                columns!(1, j, |p| V::load_tail(p, tail), |v, to| v.store_tail(to, tail));
                j += V::LANES;
            }
            add = true;
            at += DEPTH;
        }
    }
    at
}

/// Copies `k` columns of `rows` elements each, `cs` apart, to where they are `pitch` apart.
#[inline(always)]
pub(super) unsafe fn columns<V: Simd>(
    from: *const V::Elem,
    cs: isize,
    [rows, k]: [usize; 2],
    to: *mut V::Elem,
    pitch: usize,
) {
    let whole = rows / V::LANES * V::LANES;
    // SAFETY: the caller vouches for the instructions, the columns and the room.
    unsafe {
        let tail = V::tail((rows - whole).max(1));
        for at in 0..k {
            let (from, to) = (from.wrapping_offset(at as isize * cs), to.wrapping_add(at * pitch));
            let mut i = 0;
            while i < whole {
                V::load(from.add(i)).store(to.add(i));
                i += V::LANES;
            }
            if i < rows {
                V::load_tail(from.add(i), tail).store_tail(to.add(i), tail);
            }
        }
    }
}
