//! The phases of a product: finds what a chunk covers, and calls the kernels on it.
//! `gemm::run` comes here with the plan and the operands' type.

use super::blocking::{Blocking, Operand, Route};
use super::number::{Number, Operands, Stored};
use super::pack;

/// Steps over k that one pass over a tile takes: the panel of B then stays in the second-level cache.
pub(super) const PASS: usize = 1024;

/// Runs one chunk of one phase.
///
/// # Safety
///
/// As for `gemm::run`, with the plan of the same arguments.
pub(super) unsafe fn run<S: Stored>(
    plan: &Blocking,
    a: *const S,
    b: *const S,
    c: *mut S,
    plus: (*const S, isize),
    scratch: *mut u8,
    phase: usize,
    chunk: usize,
) {
    let (a, b) = if plan.swapped { (b, a) } else { (a, b) };
    // SAFETY: the caller's promises.
    unsafe {
        match phase {
            0 => {
                let (start, end) = part(plan.a.strips() + plan.b.strips(), plan.work().phases[0], chunk);
                for strip in start..end {
                    match strip.checked_sub(plan.a.strips()) {
                        None => pack::strip(plan.isa, &plan.a, a, scratch, strip),
                        Some(strip) => pack::strip(plan.isa, &plan.b, b, scratch, strip),
                    }
                }
            }
            1 => multiply::<S>(plan, a, b, c, plus, scratch, chunk),
            _ => finish(plan, c, scratch, chunk),
        }
    }
}

/// Quotient and remainder, for divisors that mostly are 1.
#[inline]
fn split(index: usize, by: usize) -> (usize, usize) {
    if by == 1 { (index, 0) } else { (index / by, index % by) }
}

/// The `index`-th of `parts` almost equal parts of `0..length`.
#[inline]
pub(super) fn part(length: usize, parts: usize, index: usize) -> (usize, usize) {
    if parts == 1 {
        return (0, length);
    }
    // The first `longer` parts have one more than the others.
    let (each, longer) = (length / parts, length % parts);
    let start = index * each + index.min(longer);
    (start, start + each + usize::from(index < longer))
}

/// The same for rows. Dot products add up in another order for other numbers of rows side by side, four at most: they are cut between those.
fn rows(length: usize, parts: usize, index: usize, route: Route) -> (usize, usize) {
    if parts == 1 || route == Route::Tile {
        return part(length, parts, index);
    }
    let (start, end) = part(length.div_ceil(4), parts, index);
    ((start * 4).min(length), (end * 4).min(length))
}

/// The same for columns, at multiples of a cache line of f32, so that no two chunks share a register's worth, or of a panel.
fn columns(length: usize, parts: usize, index: usize, panel: usize) -> (usize, usize) {
    if parts == 1 {
        return (0, length);
    }
    let unit = panel.max(16);
    let (start, end) = part(length.div_ceil(unit), parts, index);
    ((start * unit).min(length), (end * unit).min(length))
}

unsafe fn multiply<S: Stored>(
    plan: &Blocking,
    a: *const S,
    b: *const S,
    c: *mut S,
    (plus, plus_rs): (*const S, isize),
    scratch: *mut u8,
    chunk: usize,
) {
    let [row_cuts, cols, depths] = plan.cuts;
    // Neighbouring chunks work on the same columns of B.
    let (rest, i) = split(chunk, row_cuts);
    let (rest, j) = split(rest, cols);
    let (group, depth) = split(rest, depths);
    let first = group * plan.group;
    let (i, i_end) = rows(plan.m, row_cuts, i, plan.route);
    let (j, j_end) = columns(plan.n, cols, j, if plan.b.panels == 0 { 0 } else { plan.b.seen[0] as usize });
    let (k, k_end) = part(plan.k, depths, depth);
    let seen = |operand: &Operand, from: *const S, row: usize, col: usize, item: usize| -> *const S::Compute {
        let [rs, cs, bs] = operand.seen;
        let base = match operand.copied_to {
            Some(at) => scratch.wrapping_add(at).cast(),
            // Not copied: stored and compute types are one.
            None => from.cast::<S::Compute>(),
        };
        let across = match operand.panels {
            0 => col as isize * cs,
            // Columns are cut where panels begin.
            apart => col as isize / rs * apart,
        };
        base.wrapping_offset(row as isize * rs + across + item as isize * bs)
    };
    for item in first..(first + plan.group).min(plan.batch) {
        let whole = c.wrapping_offset(item as isize * plan.c[1]);
        let (c, c_rs) = match plan.partial {
            Some(at) => {
                let base: *mut S::Compute = scratch.wrapping_add(at).cast();
                (base.wrapping_add((depth * plan.batch + item) * plan.m * plan.n), plan.n as isize)
            }
            None => (whole.cast::<S::Compute>(), plan.c[0]),
        };
        let mut o = Operands {
            m: i_end - i,
            n: j_end - j,
            k: 0,
            a: std::ptr::null(),
            a_rs: plan.a.seen[0],
            a_cs: plan.a.seen[1],
            b: std::ptr::null(),
            b_rs: plan.b.seen[0],
            b_cs: plan.b.seen[1],
            b_panels: plan.b.panels,
            packs: plan.packs,
            packs_a: plan.packs_a,
            ahead: std::ptr::null(),
            c: c.wrapping_offset(i as isize * c_rs).wrapping_add(j),
            c_rs,
            add: false,
            last: false,
            plus: match plus.is_null() {
                true => std::ptr::null(),
                false => plus.cast::<S::Compute>().wrapping_offset(i as isize * plus_rs).wrapping_add(j),
            },
            plus_rs,
        };
        let mut at = k;
        loop {
            o.k = PASS.min(k_end - at);
            o.last = (plan.partial.is_none() || plan.rounds) && at + o.k == k_end;
            o.a = seen(&plan.a, a, i, at, item);
            o.b = seen(&plan.b, b, at, j, item);
            // SAFETY: the part lies in the operands, or in their copies in scratch; the plan saw to the strides that
            // the route needs. Parts of different chunks do not overlap in C.
            unsafe {
                match plan.a.pairs {
                    Some(_) => S::Compute::multiply_pairs(&o),
                    None => S::Compute::multiply(plan.isa, plan.route, &o),
                }
            };
            at += o.k;
            o.add = true;
            if at >= k_end {
                break;
            }
        }
        for row in if plan.rounds { 0..o.m } else { 0..0 } {
            let sums = o.c.wrapping_offset(row as isize * c_rs);
            let to = whole.wrapping_offset((i + row) as isize * plan.c[0]).wrapping_add(j);
            // SAFETY: the sums and the part of C are this chunk's own, and apart.
            unsafe {
                S::narrow_row(std::slice::from_raw_parts(sums, o.n), std::slice::from_raw_parts_mut(to, o.n));
            }
        }
    }
}

/// Adds the partial sums of some rows, in order, and rounds; denormal ones become zero. Whole sums were rounded by their chunks.
unsafe fn finish<S: Stored>(plan: &Blocking, c: *mut S, scratch: *mut u8, chunk: usize) {
    let Some(at) = plan.partial else { return };
    let partial: *mut S::Compute = scratch.wrapping_add(at).cast();
    let all = plan.batch * plan.m;
    let (start, end) = part(all, plan.work().phases[2], chunk);
    for row in start..end {
        let to = c.wrapping_offset((row / plan.m) as isize * plan.c[1] + (row % plan.m) as isize * plan.c[0]);
        // SAFETY: the partial sums are a row of n elements for each row of C and each part of k, written in the phase
        // before; this row of them, like that of C, is this chunk's own. Parts lie apart from each other.
        unsafe {
            let sums = std::slice::from_raw_parts_mut(partial.add(row * plan.n), plan.n);
            for depth in 1..plan.cuts[2] {
                let more = std::slice::from_raw_parts(partial.add((depth * all + row) * plan.n), plan.n);
                for (sum, more) in sums.iter_mut().zip(more) {
                    *sum = sum.plus(*more);
                }
            }
            sums.iter_mut().for_each(|sum| *sum = sum.finished());
            S::narrow_row(sums, std::slice::from_raw_parts_mut(to, plan.n));
        }
    }
}
