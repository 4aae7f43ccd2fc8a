//! Tables of Huffman codes, with everything that ten bits can tell laid down beforehand.
//! Scans look their coefficients up in them.

use super::bad;
use super::bits::Bits;
use kernels::error::Result;

/// Bits that are looked up at once.
const LOOKUP: u32 = 10;

/// A table of codes.
#[derive(Debug)]
pub(super) struct Table {
    /// By the next bits: the symbol, and above it the length of its code; 0 for codes that are longer.
    short: [u16; 1 << LOOKUP],
    /// By the next bits: a whole AC coefficient, if code and value are short: see [`Quick`]. Empty for DC.
    quick: Vec<u32>,
    /// By length: the first code that is too large for it, as 16 bits, and what is added to a code to find its symbol.
    limits: [i32; 18],
    offsets: [i32; 17],
    symbols: Vec<u8>,
}

/// A coefficient that was looked up: the bits of code and value, the zeros before it, and its value.
pub(super) struct Quick(u32);

impl Quick {
    /// Bits of code and value together; 0 if they are too long for the table.
    #[inline(always)]
    pub fn bits(&self) -> u32 {
        self.0 & 0xff
    }

    /// Zeros before the coefficient; 64 for the end of the block.
    #[inline(always)]
    pub fn run(&self) -> usize {
        (self.0 >> 8 & 0xff) as usize
    }

    /// The coefficient.
    #[inline(always)]
    pub fn value(&self) -> i16 {
        (self.0 >> 16) as i16
    }
}

impl Table {
    /// A table by the number of codes of each length and the symbols in their order. `is_ac` lays whole coefficients down too.
    pub fn new(counts: &[u8; 16], symbols: &[u8], is_ac: bool) -> Result<Self> {
        let mut table = Self {
            short: [0; 1 << LOOKUP],
            quick: Vec::new(),
            limits: [0; 18],
            offsets: [0; 17],
            symbols: symbols.to_vec(),
        };
        let (mut code, mut index) = (0_i32, 0_i32);
        for length in 1..=16 {
            let count = i32::from(counts[length - 1]);
            table.offsets[length] = index - code;
            for n in 0..count {
                let Some(free) = LOOKUP.checked_sub(length as u32) else { break };
                let first = ((code + n) as usize) << free;
                let entry = (length as u16) << 8 | u16::from(symbols[(index + n) as usize]);
                let Some(places) = table.short.get_mut(first..first + (1 << free)) else { break };
                places.fill(entry);
            }
            (code, index) = (code + count, index + count);
            if code > 1 << length {
                return Err(bad("a table has more codes of a length than there are"));
            }
            table.limits[length] = code << (16 - length);
            code <<= 1;
        }
        table.limits[17] = i32::MAX;
        if is_ac {
            table.quick = (0..1 << LOOKUP).map(|bits| table.quick_entry(bits)).collect();
        }
        Ok(table)
    }

    /// What the bits say of a coefficient.
    fn quick_entry(&self, bits: u32) -> u32 {
        let entry = u32::from(self.short[bits as usize]);
        let (length, run, size) = (entry >> 8, entry >> 4 & 15, entry & 15);
        if length == 0 || length + size > LOOKUP {
            return 0;
        }
        if size == 0 {
            // Sixteen zeros, or the end of the block. In progressive scans other runs mean something else, which is read there.
            return match run {
                15 => length | 15 << 8,
                0 => length | 64 << 8,
                _ => 0,
            };
        }
        let value = (bits >> (LOOKUP - length - size) & ((1 << size) - 1)) as i32;
        let value = if value < 1 << (size - 1) { value - (1 << size) + 1 } else { value };
        (length + size) | (run << 8) | ((value as u16 as u32) << 16)
    }

    /// The coefficient that comes next, if the table has it whole. At least ten bits must be held.
    #[inline(always)]
    pub fn quick(&self, bits: &Bits<'_>) -> Quick {
        Quick(self.quick.get(bits.peek(LOOKUP)).copied().unwrap_or(0))
    }

    /// The next symbol, for which at least 16 bits must be held. A code that there is not gives 0, as in libjpeg, and an error.
    #[inline(always)]
    pub fn symbol(&self, bits: &mut Bits<'_>) -> Result<u8> {
        let entry = self.short[bits.peek(LOOKUP)];
        if entry != 0 {
            bits.skip(u32::from(entry >> 8));
            return Ok(entry as u8);
        }
        self.long(bits)
    }

    fn long(&self, bits: &mut Bits<'_>) -> Result<u8> {
        let code = bits.peek(16) as i32;
        let length = (1..=16).find(|&length| code < self.limits[length]);
        let length = length.ok_or_else(|| bad("the data hold a code that the table has not"))?;
        bits.skip(length as u32);
        let index = (code >> (16 - length)) + self.offsets[length];
        let symbol = usize::try_from(index).ok().and_then(|index| self.symbols.get(index));
        symbol.copied().ok_or_else(|| bad("the data hold a code that the table has not"))
    }
}
