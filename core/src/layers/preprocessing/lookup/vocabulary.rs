//! [`Vocabulary`]: the terms of a layer in order, with their weights, and [`Shared`], where clones of a layer find the present one.
//! Lookups ask for numbers of terms; checkpoints hold a vocabulary that was taken from data.

use super::term::Term;
use engine::library::{Prepared, SavedState, StateReader, StateValue, StateWriter};
use kernels::error::{Error, Result};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// In messages, and in front of the bytes of a checkpoint.
const KIND: &str = "vocabulary";

/// Terms without the special ones, each of which occurs once.
#[derive(Debug)]
pub struct Vocabulary<T> {
    terms: Vec<T>,
    places: HashMap<T, usize>,
    /// The weight of each number, for TF-IDF: those of the special terms in front.
    weights: Option<Vec<f32>>,
    /// Whether the user has told it.
    told: bool,
    /// Tells vocabularies apart in signatures.
    word: u64,
}

impl<T: Term> Vocabulary<T> {
    /// Of terms in order, and the weights of all numbers.
    ///
    /// # Errors
    /// InvalidArgument for a term that occurs twice.
    pub fn new(layer: &str, terms: Vec<T>, weights: Option<Vec<f32>>, told: bool) -> Result<Self> {
        let mut places = HashMap::with_capacity(terms.len());
        for (place, term) in terms.iter().enumerate() {
            if let Some(first) = places.insert(term.clone(), place) {
                return Err(Error::invalid_argument(layer, "a term of the vocabulary occurs twice")
                    .got(format!("{} at {first} and {place}", T::text(Borrow::<T::Given>::borrow(term))))
                    .expected("different terms"));
            }
        }
        let bits = weights.as_ref().map(|weights| weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>());
        let word = BuildHasherDefault::<DefaultHasher>::default().hash_one((&terms, bits));
        Ok(Self { terms, places, weights, told, word })
    }

    pub fn place(&self, term: &T::Given) -> Option<usize> {
        self.places.get(term).copied()
    }

    pub fn terms(&self) -> &[T] {
        &self.terms
    }

    pub fn weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    pub fn is_told(&self) -> bool {
        self.told
    }

    pub fn word(&self) -> u64 {
        self.word
    }
}

/// The vocabulary of a layer and of its clones.
#[derive(Clone, Debug)]
pub struct Shared<T>(Arc<Place<T>>);

#[derive(Debug)]
struct Place<T> {
    id: u64,
    now: RwLock<Option<Arc<Vocabulary<T>>>>,
}

impl<T: Term> Shared<T> {
    pub fn new(vocabulary: Option<Arc<Vocabulary<T>>>) -> Self {
        static IDS: AtomicU64 = AtomicU64::new(1);
        /// Apart from the numbers of other objects of checkpoints: see `engine/src/module/counters.rs`.
        const OURS: u64 = 1 << 61;
        let id = OURS | IDS.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Place { id, now: RwLock::new(vocabulary) }))
    }

    pub fn get(&self) -> Option<Arc<Vocabulary<T>>> {
        self.0.now.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set(&self, vocabulary: Option<Arc<Vocabulary<T>>>) {
        *self.0.now.write().unwrap_or_else(PoisonError::into_inner) = vocabulary;
    }

    /// The vocabulary that a checkpoint held; none for a layer that had none.
    fn saved(&self, bytes: &[u8]) -> Result<Option<Vocabulary<T>>> {
        let mut from = StateReader::new(bytes, KIND)?;
        if !from.flag()? {
            from.finish()?;
            return Ok(None);
        }
        let terms = (0..from.count()?).map(|_| T::saved(&mut from)).collect::<Result<Vec<_>>>()?;
        let weights = match from.flag()? {
            false => None,
            true => Some((0..from.count()?).map(|_| weight(&mut from)).collect::<Result<Vec<_>>>()?),
        };
        from.finish()?;
        Vocabulary::new(KIND, terms, weights, false).map(Some)
    }
}

fn weight(from: &mut StateReader<'_>) -> Result<f32> {
    Ok(f32::from_bits(from.at_most(u32::MAX as usize)? as u32))
}

impl<T: Term> SavedState for Shared<T> {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn id(&self) -> u64 {
        self.0.id
    }

    fn save(&self) -> Result<StateValue> {
        let mut to = StateWriter::new(KIND);
        let now = self.get();
        to.flag(now.is_some());
        if let Some(now) = now {
            to.number(now.terms.len() as u64);
            now.terms.iter().try_for_each(|term| term.save(&mut to))?;
            to.flag(now.weights.is_some());
            if let Some(weights) = &now.weights {
                to.number(weights.len() as u64);
                weights.iter().for_each(|weight| to.number(weight.to_bits().into()));
            }
        }
        Ok(StateValue::Bytes(to.finish()))
    }

    fn prepare(&self, value: &StateValue) -> Result<Prepared> {
        let StateValue::Bytes(bytes) = value else {
            return Err(Error::invalid_argument("restore", "the state is not that of a vocabulary").got("a number"));
        };
        let saved = self.saved(bytes)?.map(Arc::new);
        let shared = self.clone();
        Ok(Prepared::Exchange(Box::new(move || shared.set(saved))))
    }

    fn commit(&self, prepared: Prepared) {
        if let Prepared::Exchange(exchange) = prepared {
            exchange();
        }
    }
}
