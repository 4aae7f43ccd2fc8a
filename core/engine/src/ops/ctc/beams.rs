//! Decoding of one example's logits: the best class of each frame, and the search that keeps a number of prefixes.
//! The operation in `decode.rs` runs them.

use super::paths::Log;
use std::collections::HashMap;

/// The best class of each frame, repeated ones taken once if they are merged, without blanks; and the sum of their logits with its sign turned.
pub(super) fn greedy(logits: &[f64], classes: usize, blank: usize, merge: bool) -> (Vec<i64>, f64) {
    let (mut label, mut sum, mut last) = (Vec::new(), 0.0, None);
    for row in logits.chunks_exact(classes.max(1)) {
        let mut best = 0;
        for (k, &x) in row.iter().enumerate() {
            if x > row[best] {
                best = k;
            }
        }
        sum -= row[best];
        if best != blank && !(merge && last == Some(best)) {
            label.push(best as i64);
        }
        last = Some(best);
    }
    (label, sum)
}

/// A prefix: the one that it extends, and by which class.
struct Prefix {
    parent: usize,
    class: usize,
}

/// The logarithms of the probabilities of a prefix, by what the last frame was: a blank, or its last class.
#[derive(Clone, Copy)]
struct Beam {
    blank: f64,
    class: f64,
}

impl Beam {
    const NONE: Self = Self { blank: f64::NEG_INFINITY, class: f64::NEG_INFINITY };

    fn total(&self) -> f64 {
        self.blank.or(self.class)
    }
}

/// The labels of the `paths` most probable prefixes among the `width` that are kept from frame to frame, with their logarithms of probabilities; the
/// last class is the blank (Graves et al. 2006; Hannun et al. 2014).
pub(super) fn search(logits: &[f64], classes: usize, width: usize, paths: usize) -> Vec<(Vec<i64>, f64)> {
    const NO_CLASS: usize = usize::MAX;
    let mut prefixes = vec![Prefix { parent: 0, class: NO_CLASS }];
    let mut children: HashMap<(usize, usize), usize> = HashMap::new();
    let mut kept = vec![(0, Beam { blank: 0.0, class: f64::NEG_INFINITY })];
    for row in logits.chunks_exact(classes.max(1)) {
        let all = row.iter().fold(f64::NEG_INFINITY, |all, &x| all.or(x));
        let chance = |k: usize| row[k] - all;
        let mut next: Vec<(usize, Beam)> = Vec::new();
        let mut places: HashMap<usize, usize> = HashMap::new();
        let mut place = |prefix: usize, next: &mut Vec<(usize, Beam)>| {
            *places.entry(prefix).or_insert_with(|| {
                next.push((prefix, Beam::NONE));
                next.len() - 1
            })
        };
        for &(prefix, beam) in &kept {
            let last = prefixes[prefix].class;
            let at = place(prefix, &mut next);
            next[at].1.blank = next[at].1.blank.or(beam.total() + chance(classes - 1));
            if last != NO_CLASS {
                next[at].1.class = next[at].1.class.or(beam.class + chance(last));
            }
            for k in 0..classes - 1 {
                let from = if k == last { beam.blank } else { beam.total() };
                if from == f64::NEG_INFINITY {
                    continue;
                }
                let longer = *children.entry((prefix, k)).or_insert_with(|| {
                    prefixes.push(Prefix { parent: prefix, class: k });
                    prefixes.len() - 1
                });
                let at = place(longer, &mut next);
                next[at].1.class = next[at].1.class.or(from + chance(k));
            }
        }
        // Ties go to the prefix that was met first.
        next.sort_by(|a, b| b.1.total().total_cmp(&a.1.total()));
        next.truncate(width);
        kept = next;
    }
    kept.iter()
        .take(paths)
        .map(|&(prefix, beam)| {
            let (mut label, mut at) = (Vec::new(), prefix);
            while prefixes[at].class != NO_CLASS {
                label.push(prefixes[at].class as i64);
                at = prefixes[at].parent;
            }
            label.reverse();
            (label, beam.total())
        })
        .collect()
}
