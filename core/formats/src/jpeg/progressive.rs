//! The scans of progressive pictures, which send coefficients a band or a bit at a time.
//! `scan` calls one function for each block of a scan; coefficients stay until the last scan.

use super::bad;
use super::bits::Bits;
use super::huffman::Table;
use super::markers::{Scan, ZIGZAG};
use kernels::error::Result;

/// What a scan of DC coefficients does to a block.
pub(super) fn dc(
    bits: &mut Bits<'_>,
    scan: &Scan,
    table: Option<&Table>,
    last_dc: &mut i16,
    out: &mut [i16; 64],
) -> Result<()> {
    if scan.high > 0 {
        if bits.one() {
            out[0] |= 1 << scan.low;
        }
        return Ok(());
    }
    let table = table.ok_or_else(|| bad("a scan uses a table that was not sent"))?;
    bits.fill();
    let size = u32::from(table.symbol(bits)?);
    if size > 15 {
        return Err(bad("a DC coefficient is too large"));
    }
    *last_dc = last_dc.wrapping_add(bits.signed(size) as i16);
    out[0] = last_dc.wrapping_shl(scan.low);
    Ok(())
}

/// What a scan of AC coefficients does to a block. `blocks` counts those that have no more coefficients of the band.
pub(super) fn ac(bits: &mut Bits<'_>, scan: &Scan, table: &Table, blocks: &mut u32, out: &mut [i16; 64]) -> Result<()> {
    match scan.high {
        0 => first(bits, scan, table, blocks, out),
        _ => refine(bits, scan, table, blocks, out),
    }
}

/// How many blocks end here, by the code for 2^run and more.
fn run_of_blocks(bits: &mut Bits<'_>, run: u32) -> u32 {
    (1 << run) + bits.take(run) as u32
}

fn first(bits: &mut Bits<'_>, scan: &Scan, table: &Table, blocks: &mut u32, out: &mut [i16; 64]) -> Result<()> {
    if *blocks > 0 {
        *blocks -= 1;
        return Ok(());
    }
    let mut k = scan.band.0;
    while k <= scan.band.1 {
        bits.fill();
        let symbol = table.symbol(bits)?;
        let (run, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
        if size == 0 && run < 15 {
            *blocks = run_of_blocks(bits, run) - 1;
            break;
        }
        k += run as usize;
        let value = bits.signed(size) as i16;
        if k > scan.band.1 {
            break;
        }
        out[usize::from(ZIGZAG[k])] = value.wrapping_shl(scan.low);
        k += 1;
    }
    Ok(())
}

/// Gives a coefficient that is there already one more bit.
fn refine_one(bits: &mut Bits<'_>, coefficient: &mut i16, bit: i16) {
    if bits.one() && *coefficient & bit == 0 {
        *coefficient = coefficient.wrapping_add(if *coefficient >= 0 { bit } else { -bit });
    }
}

fn refine(bits: &mut Bits<'_>, scan: &Scan, table: &Table, blocks: &mut u32, out: &mut [i16; 64]) -> Result<()> {
    let (mut k, bit) = (scan.band.0, 1_i16 << scan.low);
    if *blocks == 0 {
        while k <= scan.band.1 {
            bits.fill();
            let symbol = table.symbol(bits)?;
            let (mut run, size) = (u32::from(symbol >> 4), symbol & 15);
            let mut new = 0;
            if size != 0 {
                new = if bits.one() { bit } else { -bit };
            } else if run < 15 {
                *blocks = run_of_blocks(bits, run);
                break;
            }
            while k <= scan.band.1 {
                let coefficient = &mut out[usize::from(ZIGZAG[k])];
                if *coefficient != 0 {
                    refine_one(bits, coefficient, bit);
                } else if run == 0 {
                    *coefficient = new;
                    k += 1;
                    break;
                } else {
                    run -= 1;
                }
                k += 1;
            }
        }
    }
    if *blocks > 0 {
        for &place in &ZIGZAG[k..=scan.band.1.max(k).min(63)] {
            let coefficient = &mut out[usize::from(place)];
            if *coefficient != 0 && k <= scan.band.1 {
                refine_one(bits, coefficient, bit);
            }
        }
        *blocks -= 1;
    }
    Ok(())
}
