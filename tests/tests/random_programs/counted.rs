//! A counter of the host in some programs, as text: which statements count, and the tensor beside it that must agree at the end.
//! A trace refuses what makes the counter differ between ways; what it takes must count as Rust does.

use super::program::{Program, walk};
use std::hash::{DefaultHasher, Hash, Hasher};

/// How often a text says that the counter counts, to be told from everything else.
pub const COUNTS: &str = "h += 1; ht = &ht + 1;";
/// Both counters.
pub const BEGIN: &str = "let mut h = 0;\nlet mut ht = tf::constant(0);";
/// What must hold wherever the function returns.
pub const AGREES: &str = "assert!(&ht == h);";

/// The statements of the first function, in the order in which they are written, that count; of a third of all programs.
pub fn counting(program: &Program) -> Vec<usize> {
    let mut statements = 0;
    walk(&program.bodies[0].block, &mut |_| statements += 1);
    let mut hasher = DefaultHasher::new();
    format!("{:?}", program.bodies[0]).hash(&mut hasher);
    let number = hasher.finish() as usize;
    match number % 3 {
        0 => (0..1 + number / 3 % 3).map(|i| (number >> (8 * (i + 1))) % statements.max(1)).collect(),
        _ => Vec::new(),
    }
}

/// Whether a run was refused because the counter is not the same on all ways.
pub fn is_refused(what: &str) -> bool {
    what.contains("the host value `h` is not the same")
}
