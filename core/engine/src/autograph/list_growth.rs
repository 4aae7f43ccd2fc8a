//! [`Growing`]: the lists of a loop that become values of the graph, and how a list compares with what it was. The protocol of
//! loops keeps one for each.

/// The lists of a loop that have another length after a round than before it: by the text, those that it pushes onto, and
/// those that it was seen to replace by longer or shorter ones. All others stay plain `Vec`s in it.
pub(super) struct Growing {
    pushed: &'static [&'static str],
    found: Vec<&'static str>,
}

impl Growing {
    pub fn new(pushed: &'static [&'static str]) -> Self {
        Self { pushed, found: Vec::new() }
    }

    pub fn has(&self, name: &str) -> bool {
        self.pushed.iter().chain(&self.found).any(|known| *known == name)
    }

    pub fn note(&mut self, name: &'static str) {
        if !self.has(name) {
            self.found.push(name);
        }
    }

    /// How many were found so far.
    pub fn found(&self) -> usize {
        self.found.len()
    }

    /// Those that were found after the first `count`.
    pub fn found_since(&self, count: usize) -> Vec<&'static str> {
        self.found.get(count..).unwrap_or_default().to_vec()
    }
}

/// How a variable compares with what it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compared {
    /// It was not in the state.
    Unknown,
    /// It has as many tensors in the same places.
    Same,
    /// It was a plain list and has another length.
    Longer,
    /// It differs, and was no list, or one of the graph.
    Other,
}
