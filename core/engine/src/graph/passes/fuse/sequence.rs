//! A line of clusters in which one can be put right behind another, and which tells of two which comes first at once.
//! Fusion keeps a topological order in it; "two simplified algorithms for maintaining order in a list" is where it is from.

/// Labels are below this.
const END: u64 = 1 << 62;

/// The numbers 0 to n in some order, each with a label that grows along the line.
pub(super) struct Sequence {
    label: Vec<u64>,
    next: Vec<usize>,
    previous: Vec<usize>,
}

impl Sequence {
    /// 0, 1, 2 and so on. Behind the last number lies the begin of the line, which is no member of it.
    pub fn new(n: usize) -> Self {
        let gap = END / (n as u64 + 2);
        let mut label: Vec<u64> = (1..=n as u64).map(|i| i * gap).collect();
        label.push(0);
        let ring = n + 1;
        Self {
            label,
            next: (1..=ring).map(|i| i % ring).collect(),
            previous: (0..ring).map(|i| (i + n) % ring).collect(),
        }
    }

    fn begin(&self) -> usize {
        self.label.len() - 1
    }

    /// Whether `a` comes before `b`.
    pub fn is_before(&self, a: usize, b: usize) -> bool {
        self.label[a] < self.label[b]
    }

    /// Where a number stands among the others, to sort by.
    pub fn place(&self, a: usize) -> u64 {
        self.label[a]
    }

    /// Takes a number out of the line.
    pub fn remove(&mut self, a: usize) {
        let (before, behind) = (self.previous[a], self.next[a]);
        self.next[before] = behind;
        self.previous[behind] = before;
    }

    /// Moves a number right behind another one.
    pub fn move_behind(&mut self, a: usize, other: usize) {
        self.remove(a);
        if self.room_behind(other) < 2 {
            self.spread(other);
        }
        self.label[a] = self.label[other] + self.room_behind(other) / 2;
        let behind = self.next[other];
        (self.next[other], self.previous[behind]) = (a, a);
        (self.previous[a], self.next[a]) = (other, behind);
    }

    /// Moves a number right in front of another one.
    pub fn move_before(&mut self, a: usize, other: usize) {
        self.remove(a);
        let before = self.previous[other];
        // Its links are those that it had: taken out once more, nothing changes.
        (self.previous[a], self.next[a]) = (before, other);
        (self.next[before], self.previous[other]) = (a, a);
        self.move_behind(a, before);
    }

    /// The distance to the next label.
    fn room_behind(&self, a: usize) -> u64 {
        let behind = self.next[a];
        let end = if behind == self.begin() { END } else { self.label[behind] };
        end - self.label[a]
    }

    /// Makes room around a number: the smallest range of labels, of sizes that double, which is not crowded gets even gaps. The
    /// larger a range, the emptier it has to be, so that it takes as many insertions until it is crowded again as it holds
    /// numbers: log n steps for each.
    fn spread(&mut self, around: usize) {
        let begin = self.begin();
        let around = if around == begin { self.next[begin] } else { around };
        let (mut first, mut last, mut count) = (around, around, 1u64);
        let mut most = 1.0;
        for bits in 1..=62 {
            most *= 1.5;
            let size = 1u64 << bits;
            let base = self.label[around] & !(size - 1);
            while self.previous[first] != begin && self.label[self.previous[first]] >= base {
                first = self.previous[first];
                count += 1;
            }
            while self.next[last] != begin && self.label[self.next[last]] < base + size {
                last = self.next[last];
                count += 1;
            }
            crate::ir::steps::count(1);
            if (count as f64) < most && size / (count + 1) > 3 {
                return self.lay_out(first, count, base, size / (count + 1));
            }
        }
    }

    fn lay_out(&mut self, first: usize, count: u64, base: u64, gap: u64) {
        crate::ir::steps::count(count as usize);
        let mut at = first;
        for i in 1..=count {
            self.label[at] = base + i * gap;
            at = self.next[at];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line that is moved about beside a plain list, mostly to the same place, so that room gets short there.
    #[test]
    fn it_keeps_its_order_where_room_gets_short() {
        let n = 200;
        let (mut line, mut plain): (Sequence, Vec<usize>) = (Sequence::new(n), (0..n).collect());
        let mut dice = 1u64;
        for round in 0..20_000 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (a, b) = ((dice >> 33) as usize % n, if round % 50 == 0 { (dice >> 45) as usize % n } else { 7 });
            if a == b {
                continue;
            }
            plain.retain(|&x| x != a);
            let at = plain.iter().position(|&x| x == b).unwrap();
            match dice >> 60 & 1 {
                0 => {
                    line.move_behind(a, b);
                    plain.insert(at + 1, a);
                }
                _ => {
                    line.move_before(a, b);
                    plain.insert(at, a);
                }
            }
            if round % 100 == 0 {
                assert!(plain.windows(2).all(|w| line.is_before(w[0], w[1])), "round {round}");
            }
        }
    }
}
