//! Name scopes: under which path the operations of this thread are recorded, as TensorFlow's `tf.name_scope` says it.
//! Layers open one for each of their calls; the builder notes the path with every node, and summaries put it before their tags.

use std::cell::Cell;
use std::collections::HashSet;
use std::marker::PhantomData;
use std::sync::{LazyLock, Mutex, PoisonError};

thread_local! {
    static SCOPES: Cell<Scopes> = const { Cell::new(Scopes { all: None, named: None }) };
}

/// The paths that are open on a thread, with `/` between their names.
#[derive(Clone, Copy, Debug)]
struct Scopes {
    /// Of the program and of layers: where operations stand in a graph.
    all: Option<&'static str>,
    /// Of the program alone: what stands before the tags of summaries.
    named: Option<&'static str>,
}

/// The path under which operations of this thread are recorded.
pub(crate) fn scope() -> Option<&'static str> {
    SCOPES.get().all
}

/// The path that the program has opened itself on this thread, without the layers around the line.
pub fn named_scope() -> Option<&'static str> {
    SCOPES.get().named
}

/// While it lives, operations of this thread are recorded under its name, behind those of the scopes around it.
#[derive(Debug)]
pub struct NameScope {
    before: Scopes,
    /// It must be dropped on the thread that it speaks of.
    _here: PhantomData<*const ()>,
}

/// Opens a scope: what is recorded while the guard lives stands under `name` in the graph, as TensorFlow's `tf.name_scope` has it, and
/// summaries have `name/` before their tags. Scopes within scopes are joined by `/`; an empty name changes nothing.
///
/// ```
/// use eagerflow as tf;
/// let _outer = tf::name_scope("encoder");
/// let _inner = tf::name_scope("attention");
/// // Operations of a traced function now stand under `encoder/attention`.
/// ```
#[must_use = "the scope ends when its guard is dropped"]
pub fn name_scope(name: &str) -> NameScope {
    let before = SCOPES.get();
    NameScope::open(Scopes { all: below(before.all, name), named: below(before.named, name) })
}

/// Opens the scope of a layer: summaries in it keep their tags.
#[must_use = "the scope ends when its guard is dropped"]
pub fn layer_scope(name: &str) -> NameScope {
    let before = SCOPES.get();
    NameScope::open(Scopes { all: below(before.all, name), ..before })
}

impl NameScope {
    fn open(scopes: Scopes) -> Self {
        Self { before: SCOPES.replace(scopes), _here: PhantomData }
    }

    /// The scope in which something was recorded before, in place of those that are open.
    pub(crate) fn of(path: Option<&'static str>) -> Self {
        Self::open(Scopes { all: path, named: None })
    }
}

impl Drop for NameScope {
    fn drop(&mut self) {
        SCOPES.set(self.before);
    }
}

/// A path with one more name.
fn below(outer: Option<&'static str>, name: &str) -> Option<&'static str> {
    match outer {
        _ if name.is_empty() => outer,
        Some(outer) => Some(kept(format!("{outer}/{name}"))),
        None => Some(kept(name.to_owned())),
    }
}

/// A path that stays for as long as the process: graphs hold thousands of the same few.
fn kept(path: String) -> &'static str {
    static PATHS: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut paths = PATHS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = paths.get(path.as_str()) {
        return known;
    }
    let path: &'static str = path.leak();
    paths.insert(path);
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_joined_and_end_with_their_guards() {
        let outer = name_scope("a");
        {
            let _inner = name_scope("b");
            let _same = name_scope("");
            assert_eq!((scope(), named_scope()), (Some("a/b"), Some("a/b")));
            let _layer = layer_scope("dense");
            assert_eq!((scope(), named_scope()), (Some("a/b/dense"), Some("a/b")));
            let _other = NameScope::of(None);
            assert_eq!(scope(), None);
        }
        assert_eq!(scope(), Some("a"));
        drop(outer);
        assert_eq!(scope(), None);
    }
}
