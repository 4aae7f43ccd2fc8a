//! In which order `einsum` brings its operands together: pairs, so that the multiplications are as few as can be.
//! Up to ten operands the best order of all is found, by sets of operands; beyond, the cheapest pair is taken each time.

use super::equation::Label;

/// More operands than these are brought together greedily: the sets grow as 3^n.
const MOST_TRIED: usize = 10;

/// Labels as bits of a number, in the order in which they were met.
pub(super) struct Labels(Vec<Label>);

impl Labels {
    pub fn of(all: impl Iterator<Item = Label>) -> Self {
        let mut known = Vec::new();
        all.for_each(|label| if !known.contains(&label) { known.push(label) });
        Self(known)
    }

    pub fn bits(&self, labels: &[Label]) -> u128 {
        labels.iter().filter_map(|label| self.0.iter().position(|known| known == label)).fold(0, |bits, at| bits | 1 << at)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn at(&self, index: usize) -> Label {
        self.0[index]
    }
}

/// Pairs to bring together one after another: the second goes out of the list, and the outcome takes the place of the first.
pub(super) fn order(operands: &[u128], result: u128, sizes: &[f64]) -> Vec<(usize, usize)> {
    let operands = summed(operands, result);
    match operands.len() {
        0..=2 => (1..operands.len()).map(|_| (0, 1)).collect(),
        n if n <= MOST_TRIED => best(&operands, result, sizes),
        _ => greedy(&operands, result, sizes),
    }
}

/// The operands without the labels that they alone have: these are summed over first.
fn summed(operands: &[u128], result: u128) -> Vec<u128> {
    let others = |i: usize| (0..operands.len()).filter(|&j| j != i).fold(result, |bits, j| bits | operands[j]);
    (0..operands.len()).map(|i| operands[i] & others(i)).collect()
}

fn volume(labels: u128, sizes: &[f64]) -> f64 {
    (0..sizes.len()).filter(|i| labels >> i & 1 == 1).map(|i| sizes[i]).product()
}

/// The cheapest of all ways to bring the operands together.
fn best(operands: &[u128], result: u128, sizes: &[f64]) -> Vec<(usize, usize)> {
    let n = operands.len();
    let full = (1_usize << n) - 1;
    let union = |set: usize| (0..n).filter(|i| set >> i & 1 == 1).fold(0, |bits, i| bits | operands[i]);
    // What is left of a set: its labels that the result or an operand outside wants.
    let kept: Vec<u128> = (0..=full).map(|set| union(set) & (result | union(full & !set))).collect();
    let mut cost = vec![f64::INFINITY; full + 1];
    let mut cut = vec![0; full + 1];
    (0..n).for_each(|i| cost[1 << i] = 0.0);
    for set in 1..=full {
        let mut part = set & (set - 1);
        while part > 0 {
            let rest = set & !part;
            // Each cut is met from both sides.
            if part > rest {
                let total = cost[part] + cost[rest] + volume(kept[part] | kept[rest], sizes);
                if total < cost[set] {
                    (cost[set], cut[set]) = (total, part);
                }
            }
            part = (part - 1) & set;
        }
    }
    let (mut list, mut pairs) = ((0..n).map(|i| 1 << i).collect::<Vec<usize>>(), Vec::new());
    walk(full, &cut, &mut list, &mut pairs);
    pairs
}

/// Notes the pairs of a set, its parts before it.
fn walk(set: usize, cut: &[usize], list: &mut Vec<usize>, pairs: &mut Vec<(usize, usize)>) {
    if set.count_ones() < 2 {
        return;
    }
    let (a, b) = (cut[set], set & !cut[set]);
    walk(a, cut, list, pairs);
    walk(b, cut, list, pairs);
    let at = |wanted: usize| list.iter().position(|&s| s == wanted).unwrap_or(0);
    let (first, second) = (at(a).min(at(b)), at(a).max(at(b)));
    list.remove(second);
    list[first] = set;
    pairs.push((first, second));
}

/// The cheapest pair, then the cheapest of what there is then.
fn greedy(operands: &[u128], result: u128, sizes: &[f64]) -> Vec<(usize, usize)> {
    let mut list = operands.to_vec();
    let mut pairs = Vec::new();
    while list.len() > 1 {
        let mut cheapest = (f64::INFINITY, 0, 1);
        for second in 1..list.len() {
            for first in 0..second {
                let cost = volume(list[first] | list[second], sizes);
                if cost < cheapest.0 {
                    cheapest = (cost, first, second);
                }
            }
        }
        let (_, first, second) = cheapest;
        let both = list[first] | list.remove(second);
        list[first] = 0;
        let wanted = list.iter().fold(result, |bits, operand| bits | operand);
        list[first] = both & wanted;
        pairs.push((first, second));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multiplications(operands: &[u128], result: u128, sizes: &[f64], pairs: &[(usize, usize)]) -> f64 {
        let (mut list, mut total) = (operands.to_vec(), 0.0);
        for &(first, second) in pairs {
            let both = list[first] | list.remove(second);
            total += volume(both, sizes);
            list[first] = 0;
            list[first] = both & list.iter().fold(result, |bits, o| bits | o);
        }
        assert_eq!(list, [result]);
        total
    }

    #[test]
    fn a_chain_of_matrices_is_multiplied_from_its_narrow_end() {
        // ab, bc, cd -> ad with sizes 10, 1000, 10, 1000.
        let (operands, result, sizes) = ([0b0011, 0b0110, 0b1100], 0b1001, [10.0, 1000.0, 10.0, 1000.0]);
        let pairs = order(&operands, result, &sizes);
        assert_eq!(pairs, [(0, 1), (0, 1)]);
        assert_eq!(multiplications(&operands, result, &sizes, &pairs), 200_000.0);
        let sizes = [1000.0, 10.0, 1000.0, 10.0];
        let pairs = order(&operands, result, &sizes);
        assert_eq!(pairs[0], (1, 2));
    }

    #[test]
    fn the_best_is_never_dearer_than_the_greedy_one() {
        let mut seed = 7_u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..50 {
            let n = 3 + next(4) as usize;
            let sizes: Vec<f64> = (0..6).map(|_| (1 + next(9)) as f64).collect();
            let operands: Vec<u128> = (0..n).map(|_| u128::from(1 + next(63))).collect();
            let result = u128::from(next(64)) & operands.iter().fold(0, |a, b| a | b);
            let operands = summed(&operands, result);
            let (best, greedy) = (best(&operands, result, &sizes), greedy(&operands, result, &sizes));
            let cost = |pairs: &[(usize, usize)]| multiplications(&operands, result, &sizes, pairs);
            assert!(cost(&best) <= cost(&greedy));
        }
    }
}
