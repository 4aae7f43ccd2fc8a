//! One run of words sorted: short ones by comparing, long ones by digits from the lowest on.
//! [`Rows`](super::Rows) calls it for rows and pieces of rows.

use super::Digits;
use super::item::Word;

/// Fewer words are compared.
const FEW: usize = 400;
/// Bits of a digit, of runs that are short and long: wide digits have to be worth their counts.
const NARROW: u32 = 8;
const WIDE: u32 = 11;
const LONG: usize = 8 * 1024;
/// Digits of the widest key.
const PASSES: usize = 8;

/// Sorts `len` words at `from`, with room for as many at `spare`; they come to lie at one of the two.
///
/// # Safety
/// Words at `from`, room at `spare`, and nobody else's.
pub unsafe fn sort<'a, W: Word>(from: *mut W, spare: *mut W, len: usize, digits: Digits) -> &'a [W] {
    if len < FEW {
        // SAFETY: by the caller's promise.
        let words = unsafe { std::slice::from_raw_parts_mut(from, len) };
        words.sort_unstable();
        return words;
    }
    let width = if len < LONG || digits.bits <= 16 { NARROW } else { WIDE };
    let (mask, passes) = ((1usize << width) - 1, digits.bits.div_ceil(width) as usize);
    let mut counts = [[0u32; 1 << WIDE]; PASSES];
    let (mut from, mut to) = (from, spare);
    // SAFETY: by the caller's promise; a digit's words go to as many places as were counted.
    unsafe {
        for i in 0..len {
            let word = *from.add(i);
            for (pass, counts) in counts[..passes].iter_mut().enumerate() {
                counts[word.digit(digits.low + pass as u32 * width, mask)] += 1;
            }
        }
        for (pass, counts) in counts[..passes].iter_mut().enumerate() {
            let shift = digits.low + pass as u32 * width;
            // All words have this digit.
            if counts[(*from).digit(shift, mask)] as usize == len {
                continue;
            }
            let mut at = 0;
            for count in &mut counts[..=mask] {
                at += std::mem::replace(count, at);
            }
            for i in 0..len {
                let word = *from.add(i);
                let place = &mut counts[word.digit(shift, mask)];
                to.add(*place as usize).write(word);
                *place += 1;
            }
            std::mem::swap(&mut from, &mut to);
        }
        std::slice::from_raw_parts(from, len)
    }
}
