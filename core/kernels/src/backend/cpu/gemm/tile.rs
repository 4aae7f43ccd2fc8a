//! The library's own product kernel: a tile of C in registers, A by broadcast from where it lies, B by rows.
//! All products of f32 and f64 on processors with AVX2 or AVX-512 come here, but for those that `dot` does better.

use super::blocking::STRIP;
use super::number::Operands;
use crate::backend::cpu::simd::x86::{F32x8, F32x16, F64x4, F64x8, Pairs16};
use crate::backend::cpu::simd::{Simd, ask_for};

/// Steps of k that are taken at once by tiles of at least so many rows, of vectors of so many bytes. A step of six rows by two vectors loads and
/// multiplies with 20 instructions, and took 28, which cost 5 to 16 % on cores that others shared. Wider vectors and tiles compute more
/// for each address that moves.
const DEEP: usize = 4;
const DEEP_ROWS: usize = 4;
const DEEP_BYTES: usize = 32;

/// `MR` rows by `NV` vectors; `lanes` of the last vector count.
///
/// Each element of C is one chain of fused multiply-adds over k in order, whatever the tile, the register or the
/// split of the work: so a row's result depends on nothing but the row and B.
///
/// With `PACK` the rows of B, NV vectors each, are left one after the other at `packed`, with zeros beyond `lanes`.
#[inline(always)]
unsafe fn tile<V: Simd, const MR: usize, const NV: usize, const PACK: bool>(
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
        let (mut a, mut b) = (o.a, o.b);
        // Macros, not closures: closures would not inherit the instructions.
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
                    for $d in 0..DEEP {
                        step!(b.wrapping_offset($d as isize * o.b_rs), last => V::load(last), $i => $element);
                    }
                    $at += DEEP;
                    b = b.wrapping_offset(DEEP as isize * o.b_rs);
                }
            };
        }
        macro_rules! steps {
            ($count:expr, $last:ident => $load:expr) => {
                for _ in 0..$count {
                    step!(b, $last => $load, i => *a.wrapping_offset(i as isize * o.a_rs));
                    a = a.wrapping_offset(o.a_cs);
                    b = b.wrapping_offset(o.b_rs);
                }
            };
        }
        if full {
            let mut at = 0;
            if MR >= DEEP_ROWS && size_of::<V>() == DEEP_BYTES {
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
unsafe fn row<V: Simd, const DEPTH: usize>(o: &Operands<V::Elem>, mut add: bool) -> usize {
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
unsafe fn finish<V: Simd>(o: &Operands<V::Elem>) {
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
unsafe fn few_rows<V: Simd, const DEPTH: usize>(o: &Operands<V::Elem>, mut add: bool) -> usize {
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
unsafe fn columns<V: Simd>(from: *const V::Elem, cs: isize, [rows, k]: [usize; 2], to: *mut V::Elem, pitch: usize) {
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

/// A register type with its compiled kernels.
pub(super) trait Kernel: Simd {
    /// The widest tile in vectors.
    const WIDEST: usize;

    /// Bytes of a panel of B that pass by in one go where B was copied to panels, and of the rows of A that they meet: both lie in the caches.
    const PANEL: usize;
    const ROWS: usize;

    /// The most rows of a tile that is `nv` vectors wide.
    fn most_rows(nv: usize) -> usize;

    /// One tile of `mr` rows and `nv` vectors.
    ///
    /// # Safety
    ///
    /// The processor has the instructions; `mr` and `nv` are in the limits above; the operands cover the tile.
    unsafe fn tile(mr: usize, nv: usize, o: &Operands<Self::Elem>, lanes: usize);

    /// The same, which leaves what it read of B packed: k rows of `nv` vectors.
    ///
    /// # Safety
    ///
    /// As for [`Self::tile`], and there is room for so many rows at `packed`.
    unsafe fn tile_and_pack(mr: usize, nv: usize, o: &Operands<Self::Elem>, lanes: usize, packed: *mut Self::Elem);

    /// One row of C.
    ///
    /// # Safety
    ///
    /// The processor has the instructions, and the operands are valid.
    unsafe fn row(o: &Operands<Self::Elem>);

    /// Few rows of C, with nothing to add.
    ///
    /// # Safety
    ///
    /// The processor has the instructions, and the operands are valid.
    unsafe fn few_rows(o: &Operands<Self::Elem>);

    /// Copies columns of unit stride, `cs` apart, to rows that are `pitch` apart; `size` has rows and columns.
    ///
    /// # Safety
    ///
    /// The processor has the instructions, the columns are there, and there is room for the rows.
    unsafe fn turn(from: *const Self::Elem, cs: isize, size: [usize; 2], to: *mut Self::Elem, pitch: usize);

    /// Copies columns of unit stride, `cs` apart, to columns that are `pitch` apart.
    ///
    /// # Safety
    ///
    /// The processor has the instructions, the columns are there, and there is room for them.
    unsafe fn columns(from: *const Self::Elem, cs: isize, size: [usize; 2], to: *mut Self::Elem, pitch: usize);
}

macro_rules! compile {
    ($v:ident, $features:literal, [$panel:literal, $rows:literal], $widest:literal, $($nv:literal: [$($mr:literal)*] $most:literal),*) => {
        impl Kernel for $v {
            const WIDEST: usize = $widest;
            const PANEL: usize = $panel << 10;
            const ROWS: usize = $rows << 10;

            #[inline(always)]
            fn most_rows(nv: usize) -> usize {
                match nv {
                    $($nv => $most,)*
                    _ => unreachable!("a tile that is too wide"),
                }
            }

            #[inline(always)]
            unsafe fn tile(mr: usize, nv: usize, o: &Operands<Self::Elem>, lanes: usize) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<const MR: usize, const NV: usize>(o: &Operands<<$v as Simd>::Elem>, lanes: usize) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe { tile::<$v, MR, NV, false>(o, lanes, std::ptr::null_mut()) }
                }
                // SAFETY: the caller's promise.
                unsafe {
                    match (nv, mr) {
                        $($(($nv, $mr) => compiled::<$mr, $nv>(o, lanes),)*)*
                        _ => unreachable!("a tile that is not compiled"),
                    }
                }
            }

            #[inline(always)]
            unsafe fn tile_and_pack(
                mr: usize,
                nv: usize,
                o: &Operands<Self::Elem>,
                lanes: usize,
                packed: *mut Self::Elem,
            ) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<const MR: usize, const NV: usize>(
                    o: &Operands<<$v as Simd>::Elem>,
                    lanes: usize,
                    packed: *mut <$v as Simd>::Elem,
                ) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe { tile::<$v, MR, NV, true>(o, lanes, packed) }
                }
                // SAFETY: the caller's promise.
                unsafe {
                    match (nv, mr) {
                        $($(($nv, $mr) => compiled::<$mr, $nv>(o, lanes, packed),)*)*
                        _ => unreachable!("a tile that is not compiled"),
                    }
                }
            }

            unsafe fn row(o: &Operands<Self::Elem>) {
                #[target_feature(enable = $features)]
                unsafe fn compiled(o: &Operands<<$v as Simd>::Elem>) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe {
                        let done = row::<$v, 8>(o, o.add);
                        let rest = Operands {
                            k: o.k - done,
                            a: o.a.wrapping_offset(done as isize * o.a_cs),
                            b: o.b.wrapping_offset(done as isize * o.b_rs),
                            ..*o
                        };
                        row::<$v, 1>(&rest, o.add || done > 0);
                        finish::<$v>(o);
                    }
                }
                // SAFETY: the caller's promise.
                unsafe { compiled(o) }
            }

            unsafe fn few_rows(o: &Operands<Self::Elem>) {
                #[target_feature(enable = $features)]
                unsafe fn compiled(o: &Operands<<$v as Simd>::Elem>) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe {
                        let done = few_rows::<$v, 4>(o, o.add);
                        let rest = Operands {
                            k: o.k - done,
                            a: o.a.wrapping_offset(done as isize * o.a_cs),
                            b: o.b.wrapping_offset(done as isize * o.b_rs),
                            ..*o
                        };
                        few_rows::<$v, 1>(&rest, o.add || done > 0);
                        finish::<$v>(o);
                    }
                }
                // SAFETY: the caller's promise.
                unsafe { compiled(o) }
            }

            unsafe fn columns(from: *const Self::Elem, cs: isize, size: [usize; 2], to: *mut Self::Elem, pitch: usize) {
                #[target_feature(enable = $features)]
                unsafe fn compiled(from: *const <$v as Simd>::Elem, cs: isize, size: [usize; 2], to: *mut <$v as Simd>::Elem, pitch: usize) {
                    // SAFETY: the features are enabled here; the rest is the caller's promise.
                    unsafe { columns::<$v>(from, cs, size, to, pitch) }
                }
                // SAFETY: the caller's promise.
                unsafe { compiled(from, cs, size, to, pitch) }
            }

            #[inline]
            unsafe fn turn(from: *const Self::Elem, cs: isize, [k, cols]: [usize; 2], to: *mut Self::Elem, pitch: usize) {
                for at in (0..k).step_by(STRIP) {
                    let rows = STRIP.min(k - at);
                    let (from, to) = (from.wrapping_add(at), to.wrapping_add(at * pitch));
                    let mut first = 0;
                    // SAFETY: the caller's promise; whoever packs has AVX2.
                    unsafe {
                        if size_of::<Self::Elem>() == 4 && rows == STRIP {
                            first = super::transpose::strip(from.cast(), cs, to.cast(), pitch as isize, cols);
                        }
                        for row in 0..rows {
                            for col in first..cols {
                                *to.add(row * pitch + col) = *from.offset(col as isize * cs).add(row);
                            }
                        }
                    }
                }
            }
        }
    };
}

compile!(F32x16, "avx512f", [128, 512], 4, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6 7 8] 8, 3: [1 2 3 4 5 6 7 8] 8, 4: [1 2 3 4 5 6] 6);
compile!(Pairs16, "avx512f,avx512bf16", [128, 512], 4, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6 7 8] 8, 3: [1 2 3 4 5 6 7 8] 8, 4: [1 2 3 4 5 6] 6);
compile!(F64x8, "avx512f", [128, 512], 4, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6 7 8] 8, 3: [1 2 3 4 5 6 7 8] 8, 4: [1 2 3 4 5 6] 6);
compile!(F32x8, "avx2,fma", [32, 256], 2, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6] 6);
compile!(F64x4, "avx2,fma", [32, 256], 2, 1: [1 2 3 4 5 6 7 8] 8, 2: [1 2 3 4 5 6] 6);
