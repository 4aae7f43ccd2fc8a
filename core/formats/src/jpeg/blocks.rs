//! One block of a baseline scan: from bits to 64 coefficients.
//! This is the loop in which most of a decoder's time goes; `scan` calls it.

use super::bad;
use super::bits::Bits;
use super::huffman::Table;
use super::markers::ZIGZAG;
use kernels::error::Result;

/// Reads a block into coefficients that are all 0, in natural order. Answers whether all but the first stay 0.
#[inline]
pub(super) fn read(
    bits: &mut Bits<'_>,
    (dc, ac): (&Table, &Table),
    last_dc: &mut i16,
    out: &mut [i16; 64],
) -> Result<bool> {
    bits.fill();
    let size = u32::from(dc.symbol(bits)?);
    if size > 15 {
        return Err(bad("a DC coefficient is too large"));
    }
    *last_dc = last_dc.wrapping_add(bits.signed(size) as i16);
    out[0] = *last_dc;
    let (mut k, mut only_dc) = (1, true);
    while k < 64 {
        bits.fill();
        let quick = ac.quick(bits);
        if quick.bits() != 0 {
            bits.skip(quick.bits());
            k += quick.run();
            if k >= 64 {
                break;
            }
            out[usize::from(ZIGZAG[k]) & 63] = quick.value();
        } else {
            let symbol = ac.symbol(bits)?;
            let (run, size) = (usize::from(symbol >> 4), u32::from(symbol & 15));
            if size == 0 && run < 15 {
                break;
            }
            k += run;
            let value = bits.signed(size) as i16;
            if k >= 64 {
                break;
            }
            out[usize::from(ZIGZAG[k]) & 63] = value;
        }
        only_dc = false;
        k += 1;
    }
    Ok(only_dc)
}

/// Passes over a block whose samples nobody wants; only its first coefficient is kept, for the next.
pub(super) fn pass_over(bits: &mut Bits<'_>, tables: (&Table, &Table), last_dc: &mut i16) -> Result<()> {
    read(bits, tables, last_dc, &mut [0; 64]).map(drop)
}
