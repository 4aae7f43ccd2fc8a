//! Equal elements found by hashing: for each element the number of its value, counted in the order of their first places.
//! `unique` runs here, on keys of elements or on the bytes of strings.

use super::item::Item;

/// Multiplier of the hash: the golden ratio, whose product spreads neighbouring keys over all of a table.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
const FREE: u32 = u32::MAX;

/// A table of keys and their numbers, with at least twice as many places as keys.
struct Table {
    places: Vec<(u64, u32)>,
    shift: u32,
    count: usize,
}

impl Table {
    fn new() -> Self {
        Self { places: vec![(0, FREE); 256], shift: 56, count: 0 }
    }

    /// The number of the key, and whether it is new.
    #[inline(always)]
    fn number(&mut self, key: u64) -> (u32, bool) {
        let mask = self.places.len() - 1;
        let mut at = (key.wrapping_mul(SPREAD) >> self.shift) as usize;
        loop {
            let place = &mut self.places[at];
            if place.1 == FREE {
                let number = self.count as u32;
                *place = (key, number);
                self.count += 1;
                if 2 * self.count > mask {
                    self.grow();
                }
                return (number, true);
            }
            if place.0 == key {
                return (place.1, false);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let len = 4 * self.places.len();
        let old = std::mem::replace(&mut self.places, vec![(0, FREE); len]);
        self.shift -= 2;
        for (key, number) in old.into_iter().filter(|place| place.1 != FREE) {
            let mut at = (key.wrapping_mul(SPREAD) >> self.shift) as usize;
            while self.places[at].1 != FREE {
                at = (at + 1) & (len - 1);
            }
            self.places[at] = (key, number);
        }
    }
}

/// Tells `put` for each element the number of its value and whether it is the first of it. NaN equals nothing, -0 equals 0.
pub fn numbers<T: Item>(elements: &[T], mut put: impl FnMut(usize, usize, bool))
where
    T::Key: Into<u64>,
{
    let mut table = Table::new();
    for (i, &element) in elements.iter().enumerate() {
        #[allow(clippy::eq_op, reason = "what does not equal itself is NaN")]
        if element != element {
            let number = table.count;
            table.count += 1;
            put(i, number, true);
            continue;
        }
        let (number, first) = table.number(element.key().into());
        put(i, number as usize, first);
    }
}

/// The same for rows of bytes.
pub fn numbers_of_bytes(rows: &[&[u8]], mut put: impl FnMut(usize, usize, bool)) {
    let mut known: std::collections::HashMap<&[u8], usize> = std::collections::HashMap::new();
    for (i, &row) in rows.iter().enumerate() {
        let count = known.len();
        let number = *known.entry(row).or_insert(count);
        put(i, number, number == count);
    }
}
