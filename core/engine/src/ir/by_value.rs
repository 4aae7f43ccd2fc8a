//! The numbers of values, and lists of what some values of a graph have: constants, resources.
//! Graphs are made of them; every pass looks values up.

use crate::ir::steps;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// The number of a value within its graph. Looking at one is a step of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value(pub u32);

impl Value {
    #[inline]
    pub fn index(self) -> usize {
        steps::count(1);
        self.0 as usize
    }
}

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        steps::count(1);
        self.0 == other.0
    }
}

impl Eq for Value {}

impl Hash for Value {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        steps::count(1);
        self.0.hash(state);
    }
}

impl PartialOrd for Value {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        steps::count(1);
        self.0.cmp(&other.0)
    }
}

/// Something for some of the values, in ascending order of their numbers: a look-up halves the list.
#[derive(Clone)]
pub(crate) struct ByValue<T>(Vec<(Value, T)>);

impl<T> Default for ByValue<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> ByValue<T> {
    /// What a value has, the first if it was given several.
    pub fn get(&self, value: Value) -> Option<&T> {
        let at = self.0.partition_point(|(v, _)| *v < value);
        self.0.get(at).filter(|(v, _)| *v == value).map(|(_, item)| item)
    }

    /// Gives a value something; new values come last, so that nothing has to move.
    pub fn push(&mut self, (value, item): (Value, T)) {
        let at = match self.0.last() {
            Some((last, _)) if *last > value => self.0.partition_point(|(v, _)| *v <= value),
            _ => self.0.len(),
        };
        self.0.insert(at, (value, item));
    }
}

impl<T> Deref for ByValue<T> {
    type Target = [(Value, T)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> Extend<(Value, T)> for ByValue<T> {
    fn extend<I: IntoIterator<Item = (Value, T)>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T> FromIterator<(Value, T)> for ByValue<T> {
    fn from_iter<I: IntoIterator<Item = (Value, T)>>(items: I) -> Self {
        let mut all: Vec<_> = items.into_iter().collect();
        all.sort_by_key(|(value, _)| *value);
        Self(all)
    }
}

impl<'a, T> IntoIterator for &'a ByValue<T> {
    type Item = &'a (Value, T);
    type IntoIter = std::slice::Iter<'a, (Value, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_late_for_an_early_value_is_found() {
        let mut list: ByValue<&str> = [(Value(5), "five"), (Value(2), "two")].into_iter().collect();
        list.push((Value(9), "nine"));
        list.push((Value(3), "three"));
        list.push((Value(5), "another five"));
        let found = |v: u32| list.get(Value(v)).copied();
        assert_eq!(
            [2, 3, 4, 5, 9, 10].map(found),
            [Some("two"), Some("three"), None, Some("five"), Some("nine"), None]
        );
        assert_eq!(list.len(), 5);
    }
}
