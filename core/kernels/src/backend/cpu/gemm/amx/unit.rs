//! The matrix unit itself: whether there is one, and the few instructions of it that products need.
//! `amx` calls it for each pair of tiles; the tests have a second unit of plain arithmetic, which computes the same bits anywhere.

use super::{PANEL, WORDS};
use crate::backend::cpu::isa::Isa;
use std::arch::asm;
use std::arch::x86_64::*;
use std::sync::LazyLock;

/// Rows and columns of a tile of sums.
pub const TILE: usize = 16;
/// Steps of k that one instruction adds.
pub const STEPS: usize = 32;

/// Two by two tiles of C, of which the second row and the second column may be empty.
pub struct Tiles {
    /// Rows of both tiles.
    pub high: [usize; 2],
    /// Columns of both.
    pub wide: [usize; 2],
    /// The first row of A, and the elements from row to row.
    pub a: *const u16,
    pub a_rs: isize,
    /// How often the unit adds [`STEPS`] from there.
    pub whole: usize,
    /// What it adds after that, of rows of `STEPS` elements.
    pub tail: Option<*const u16>,
    /// The panel of B: two tiles for each step.
    pub b: *const u32,
}

/// What multiplies tiles.
pub trait Unit {
    /// Tells the unit how many rows both tiles have. Sums are lost.
    ///
    /// # Safety
    ///
    /// The processor has the unit.
    unsafe fn configure(high: [usize; 2]);

    /// The sums of the products of A and B.
    ///
    /// # Safety
    ///
    /// The unit is configured for these tiles, and they are there.
    unsafe fn add_up(tiles: &Tiles, sums: &mut [[f32; PANEL]; PANEL]);

    /// Rounds a row of sums to `bfloat16`, to the nearest, and writes the first `wide`.
    ///
    /// # Safety
    ///
    /// The processor has the unit, and there is room for the elements.
    unsafe fn round(sums: &[f32; PANEL], to: *mut u16, wide: usize);

    /// Leaves the unit, so that nobody has to save its registers.
    ///
    /// # Safety
    ///
    /// The processor has the unit.
    unsafe fn release();
}

#[cfg(test)]
thread_local! {
    /// Whether this thread's products go the way of processors without the unit.
    pub static LEFT_OUT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether products of `bfloat16` go to the unit: where the processor and the system have it, unless `EAGERFLOW_CPU` asks for less.
pub fn available(isa: Isa) -> bool {
    static AVAILABLE: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("EAGERFLOW_CPU").is_none() && supported() && permitted());
    #[cfg(test)]
    if LEFT_OUT.get() {
        return false;
    }
    isa == Isa::Avx512 && *AVAILABLE
}

/// Whether the processor has the unit and the system keeps its registers.
fn supported() -> bool {
    const OF_BFLOAT16: u32 = 1 << 22;
    const OF_TILES: u32 = 1 << 24;
    const REGISTERS: u64 = 3 << 17;
    #[target_feature(enable = "xsave")]
    fn kept() -> u64 {
        // SAFETY: the feature is enabled, and the caller has asked whether the system uses it.
        unsafe { _xgetbv(0) }
    }
    if !(is_x86_feature_detected!("avx512bf16")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("xsave"))
    {
        return false;
    }
    let found = __cpuid_count(7, 0).edx & (OF_BFLOAT16 | OF_TILES) == OF_BFLOAT16 | OF_TILES;
    // SAFETY: the feature was just found.
    found && unsafe { kept() } & REGISTERS == REGISTERS
}

/// Asks Linux for the registers of the unit, once for all threads: it makes room for them when they are used first.
fn permitted() -> bool {
    #[cfg(target_os = "linux")]
    {
        const ARCH_PRCTL: i64 = 158;
        const REQUEST: i64 = 0x1023;
        const TILES: i64 = 18;
        let mut answer = ARCH_PRCTL;
        // SAFETY: the call reads no memory; it refuses what the system does not know, and threads whose signal stacks are too small.
        unsafe {
            asm!("syscall", inout("rax") answer, in("rdi") REQUEST, in("rsi") TILES, out("rcx") _, out("r11") _, options(nostack));
        }
        answer == 0
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// The registers of the unit: sums are in the first four, those of A in the next two, those of B in the last.
pub struct Amx;

/// What `ldtilecfg` reads.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

/// Adds up two by two tiles, or fewer: the instructions of one step, between those that clear and store the sums.
macro_rules! tiles {
    ($tiles:ident, $sums:ident, [$($zero:literal)*], [$($step:literal)*], [$($store:literal)*]) => {{
        let rows = $tiles.a_rs * 2;
        let second = $tiles.a.wrapping_offset($tiles.a_rs * TILE as isize);
        let (tail, tails) = $tiles.tail.map_or((std::ptr::null(), 0_usize), |tail| (tail, 1));
        // SAFETY: tiles are read from A, of which each has as many rows as the unit was told, from its tail and from the panel, and written to
        // the sums. The compiler knows no values in the registers of the unit.
        unsafe {
            asm!(
                $($zero,)*
                "test {steps}, {steps}",
                "jz 3f",
                "2:",
                $($step,)*
                "add {a0}, 64",
                "add {a1}, 64",
                "add {b}, 2048",
                "dec {steps}",
                "jnz 2b",
                "3:",
                "mov {a0}, {tail}",
                "lea {a1}, [{tail} + 1024]",
                "mov {rows}, {line}",
                "mov {steps}, {tails}",
                "xor {tails:e}, {tails:e}",
                "test {steps}, {steps}",
                "jnz 2b",
                $($store,)*
                a0 = inout(reg) $tiles.a => _,
                a1 = inout(reg) second => _,
                b = inout(reg) $tiles.b => _,
                rows = inout(reg) rows => _,
                steps = inout(reg) $tiles.whole => _,
                tails = inout(reg) tails => _,
                tail = in(reg) tail,
                line = in(reg) 64_usize,
                sums = in(reg) $sums.as_mut_ptr(),
                pitch = in(reg) 4 * PANEL,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }};
}

impl Unit for Amx {
    unsafe fn configure(high: [usize; 2]) {
        let mut all = Configuration { palette: 1, start: 0, reserved: [0; 14], bytes: [0; 16], rows: [0; 16] };
        for tile in 0..8 {
            let rows = match tile {
                0 | 1 | 4 => high[0],
                2 | 3 | 5 => high[1],
                _ => TILE,
            };
            // A tile without rows is not configured.
            (all.bytes[tile], all.rows[tile]) = if rows == 0 { (0, 0) } else { (64, rows as u8) };
        }
        // SAFETY: 64 bytes are read.
        unsafe { asm!("ldtilecfg [{0}]", in(reg) &raw const all, options(nostack)) }
    }

    unsafe fn add_up(t: &Tiles, sums: &mut [[f32; PANEL]; PANEL]) {
        const { assert!(WORDS * 4 == 1024) };
        match (t.high[1] > 0, t.wide[1] > 0) {
            (true, true) => tiles!(t, sums,
                ["tilezero tmm0" "tilezero tmm1" "tilezero tmm2" "tilezero tmm3"],
                ["tileloadd tmm6, [{b} + {line}]" "tileloadd tmm4, [{a0} + {rows}]" "tdpbf16ps tmm0, tmm4, tmm6"
                 "tileloadd tmm7, [{b} + {line} + 1024]" "tdpbf16ps tmm1, tmm4, tmm7"
                 "tileloadd tmm5, [{a1} + {rows}]" "tdpbf16ps tmm2, tmm5, tmm6" "tdpbf16ps tmm3, tmm5, tmm7"],
                ["tilestored [{sums} + {pitch}], tmm0" "tilestored [{sums} + {pitch} + 64], tmm1"
                 "tilestored [{sums} + {pitch} + 2048], tmm2" "tilestored [{sums} + {pitch} + 2112], tmm3"]),
            (true, false) => tiles!(t, sums,
                ["tilezero tmm0" "tilezero tmm2"],
                ["tileloadd tmm6, [{b} + {line}]" "tileloadd tmm4, [{a0} + {rows}]" "tdpbf16ps tmm0, tmm4, tmm6"
                 "tileloadd tmm5, [{a1} + {rows}]" "tdpbf16ps tmm2, tmm5, tmm6"],
                ["tilestored [{sums} + {pitch}], tmm0" "tilestored [{sums} + {pitch} + 2048], tmm2"]),
            (false, true) => tiles!(t, sums,
                ["tilezero tmm0" "tilezero tmm1"],
                ["tileloadd tmm6, [{b} + {line}]" "tileloadd tmm4, [{a0} + {rows}]" "tdpbf16ps tmm0, tmm4, tmm6"
                 "tileloadd tmm7, [{b} + {line} + 1024]" "tdpbf16ps tmm1, tmm4, tmm7"],
                ["tilestored [{sums} + {pitch}], tmm0" "tilestored [{sums} + {pitch} + 64], tmm1"]),
            (false, false) => tiles!(t, sums,
                ["tilezero tmm0"],
                ["tileloadd tmm6, [{b} + {line}]" "tileloadd tmm4, [{a0} + {rows}]" "tdpbf16ps tmm0, tmm4, tmm6"],
                ["tilestored [{sums} + {pitch}], tmm0"]),
        }
    }

    #[inline]
    unsafe fn round(sums: &[f32; PANEL], to: *mut u16, wide: usize) {
        #[target_feature(enable = "avx512f,avx512bw,avx512bf16")]
        unsafe fn compiled(sums: &[f32; PANEL], to: *mut u16, wide: usize) {
            // SAFETY: the caller's promises; both vectors lie in the sums.
            unsafe {
                let (low, high) = (_mm512_loadu_ps(sums.as_ptr()), _mm512_loadu_ps(sums.as_ptr().add(TILE)));
                let rounded = std::mem::transmute::<__m512bh, __m512i>(_mm512_cvtne2ps_pbh(high, low));
                let mask = ((1_u64 << wide) - 1) as __mmask32;
                _mm512_mask_storeu_epi16(to.cast(), mask, rounded);
            }
        }
        // SAFETY: the caller's promises; who has the unit has these instructions.
        unsafe { compiled(sums, to, wide) }
    }

    unsafe fn release() {
        // SAFETY: no memory is touched.
        unsafe { asm!("tilerelease", options(nostack, nomem)) }
    }
}
