//! The bits of a scan: stuffed bytes are taken out once, then codes are read from eight bytes at a time.
//! The readers of baseline and progressive scans take their bits here.

/// The data of a scan between restart markers, one stretch after the other, without stuffing.
pub(super) struct Stretches {
    bytes: Vec<u8>,
    /// Where each stretch begins and ends.
    ends: Vec<(usize, usize)>,
}

/// Bytes of zero behind each stretch, so that eight can be read anywhere in it.
const PADDING: usize = 8;

impl Stretches {
    /// Takes the data of a scan that begins at `at`; answers also where the marker behind it stands.
    pub fn new(bytes: &[u8], at: usize) -> (Self, usize) {
        let mut stretches = Self { bytes: Vec::with_capacity(bytes.len() - at + PADDING), ends: Vec::new() };
        let (mut from, mut start) = (at, 0);
        loop {
            let next = bytes[from..].iter().position(|&byte| byte == 0xff).map_or(bytes.len(), |n| from + n);
            stretches.bytes.extend_from_slice(&bytes[from..next]);
            match bytes.get(next + 1) {
                Some(0) => {
                    stretches.bytes.push(0xff);
                    from = next + 2;
                }
                // Bytes of FF may fill up before a marker.
                Some(0xff) => from = next + 1,
                Some(0xd0..=0xd7) => {
                    start = stretches.end(start);
                    from = next + 2;
                }
                _ => {
                    stretches.end(start);
                    return (stretches, next.min(bytes.len()));
                }
            }
        }
    }

    fn end(&mut self, start: usize) -> usize {
        self.ends.push((start, self.bytes.len()));
        self.bytes.resize(self.bytes.len() + PADDING, 0);
        self.bytes.len()
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.ends.iter().map(|(start, end)| end - start).sum()
    }

    /// The bits of a stretch; those of one that is missing have ended.
    pub fn bits(&self, index: usize) -> Bits<'_> {
        let (at, end) = self.ends.get(index).copied().unwrap_or((self.bytes.len(), self.bytes.len()));
        Bits { bytes: &self.bytes, at, end, held: 0, count: 0 }
    }
}

/// Bits of a stretch, the first in the highest place. Behind the end come any bits; `is_over` says that some were taken.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    held: u64,
    count: u32,
}

impl Bits<'_> {
    /// Sees to it that at least 56 bits are held.
    #[inline(always)]
    pub fn fill(&mut self) {
        let next = match self.bytes.get(self.at..self.at + 8) {
            Some(&[a, b, c, d, e, f, g, h]) => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        };
        self.held |= next >> self.count;
        let bytes = (63 - self.count) >> 3;
        self.at += bytes as usize;
        self.count += bytes * 8;
    }

    /// The next bits, which must be held. At least one.
    #[inline(always)]
    pub fn peek(&self, count: u32) -> usize {
        (self.held >> (64 - count)) as usize
    }

    /// Passes over bits that are held.
    #[inline(always)]
    pub fn skip(&mut self, count: u32) {
        self.held <<= count;
        self.count -= count;
    }

    /// Takes bits that are held; none gives 0.
    #[inline(always)]
    pub fn take(&mut self, count: u32) -> i32 {
        let bits = (self.held >> 1 >> (63 - count)) as i32;
        self.skip(count);
        bits
    }

    /// Takes one bit.
    #[inline(always)]
    pub fn one(&mut self) -> bool {
        if self.count == 0 {
            self.fill();
        }
        self.take(1) != 0
    }

    /// A signed number of so many bits, in the format's code for them.
    #[inline(always)]
    pub fn signed(&mut self, count: u32) -> i32 {
        let value = self.take(count);
        let is_negative = count > 0 && value < 1 << (count - 1);
        if is_negative { value - (1 << count) + 1 } else { value }
    }

    /// Whether more bits were taken than there are.
    pub fn is_over(&self) -> bool {
        self.at * 8 > self.end * 8 + self.count as usize
    }
}
