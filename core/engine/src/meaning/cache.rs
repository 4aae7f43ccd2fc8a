//! The per-thread caches of programs and derivatives: small keys, one multiplication per word to hash them.
//! `program_of` and `derivatives` look their results up here at every general call of an element-wise operation.

use crate::op::{Op, fingerprint};
use kernels::dtype::DType;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// What an operation's meaning depends on: which operation, its attributes, the dtypes of its inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    name: usize,
    attributes: u64,
    /// Eight bits per input, after a leading one that tells the number of inputs.
    dtypes: u64,
    /// For derivatives, the inputs by which, one bit each.
    by: u64,
}

/// Inputs a key can tell apart. Element-wise operations have four at the most, their derivatives two more.
const MOST_INPUTS: usize = 7;

impl Key {
    /// The key of an operation; `None` if it has more inputs than a key can hold, so that nothing is cached.
    #[inline]
    pub fn new(op: &dyn Op, dtypes: impl ExactSizeIterator<Item = DType>, by: u64) -> Option<Self> {
        if dtypes.len() > MOST_INPUTS {
            return None;
        }
        let dtypes = dtypes.fold(1, |all, d| all << 8 | d as u64);
        Some(Self { name: op.name().as_ptr().addr(), attributes: fingerprint(op), dtypes, by })
    }
}

impl Hash for Key {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.name as u64 ^ self.attributes.rotate_left(17) ^ self.by << 57);
        state.write_u64(self.dtypes);
    }
}

/// Multiplies and folds: keys are few and differ in many bits.
#[derive(Default)]
pub(super) struct WordHasher(u64);

impl Hasher for WordHasher {
    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(u64::from(b)));
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
}

/// A map that forgets everything when it is full: operations with constants in their meaning could else fill memory.
///
/// In front of it lie the latest entries by a few bits of their key: most calls are of operations just used.
pub(crate) struct Cache<V> {
    front: [Option<(Key, V)>; FRONT],
    map: HashMap<Key, V, BuildHasherDefault<WordHasher>>,
}

/// Entries a thread keeps per cache.
const MOST: usize = 1024;
const FRONT: usize = 64;

impl<V: Clone> Cache<V> {
    pub const fn new() -> Self {
        Self { front: [const { None }; FRONT], map: HashMap::with_hasher(BuildHasherDefault::new()) }
    }

    #[inline]
    pub fn get(&mut self, key: &Key) -> Option<V> {
        let place = key.place();
        match &self.front[place] {
            Some((latest, value)) if latest == key => Some(value.clone()),
            _ => {
                let value = self.map.get(key).cloned()?;
                self.front[place] = Some((*key, value.clone()));
                Some(value)
            }
        }
    }

    pub fn insert(&mut self, key: Key, value: V) {
        if self.map.len() >= MOST {
            self.map.clear();
        }
        self.front[key.place()] = Some((key, value.clone()));
        self.map.insert(key, value);
    }
}

impl Key {
    #[inline]
    fn place(&self) -> usize {
        let word = self.name as u64 ^ self.attributes ^ self.dtypes << 3 ^ self.by << 5;
        (word ^ word >> 7 ^ word >> 13) as usize % FRONT
    }
}
