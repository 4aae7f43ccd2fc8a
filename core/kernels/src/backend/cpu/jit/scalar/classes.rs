//! Which kind of register each word belongs to: numbers that are moved into each other share one.
//! Words that nobody writes may lie in one of each kind; the choice of registers asks here for every use.

use super::ops::{Line, Op, Request};
use super::uses::{Class, Use, Want};

/// The classes of the words of a program.
pub(super) struct Classes {
    /// Of words that some line writes, the kinds that are wanted: bit 0 general, bit 1 float.
    wanted: Vec<u8>,
    pub written: Vec<bool>,
}

impl Classes {
    pub fn new(request: &Request<'_>) -> Self {
        let words = request.words();
        let mut written = vec![false; words];
        for line in request.lines {
            line.uses(request).writes.iter().for_each(|&(word, _)| written[word as usize] = true);
        }
        let mut parents: Vec<u32> = (0..words as u32).collect();
        for line in request.lines.iter().filter(|line| matches!(line.op, Op::Move(_) | Op::Select(_))) {
            for (word, want) in line.uses(request).reads {
                if want == Want::Like && written[word as usize] {
                    let (one, other) = (root(&mut parents, word), root(&mut parents, u32::from(line.to)));
                    parents[one as usize] = other;
                }
            }
        }
        let mut wanted = vec![0u8; words];
        for line in request.lines {
            let uses = line.uses(request);
            for (word, want) in uses.reads.into_iter().chain(uses.writes) {
                if let Want::In(class) = want {
                    wanted[root(&mut parents, word) as usize] |= 1 << class as u8;
                }
            }
        }
        for word in 0..words as u32 {
            wanted[word as usize] = wanted[root(&mut parents, word) as usize];
        }
        Self { wanted, written }
    }

    /// The class of a word that is written; none if it is used as both.
    pub fn written_class(&self, word: u32) -> Option<Class> {
        match self.wanted[word as usize] {
            0 | 1 => Some(Class::General),
            2 => Some(Class::Float),
            _ => None,
        }
    }

    /// The class in which a line that writes `to` may hold an operand; none in memory alone.
    pub fn of(&self, line: &Line, (word, want): Use) -> Option<Class> {
        if self.written[word as usize] {
            return self.written_class(word);
        }
        match want {
            Want::In(class) => Some(class),
            Want::Home => None,
            Want::Like if matches!(line.op, Op::Move(_) | Op::Select(_)) => self.written_class(u32::from(line.to)),
            Want::Like => Some(Class::General),
        }
    }
}

/// The word that stands for all that are moved into each other.
fn root(parents: &mut [u32], mut word: u32) -> u32 {
    while parents[word as usize] != word {
        parents[word as usize] = parents[parents[word as usize] as usize];
        word = parents[word as usize];
    }
    word
}
