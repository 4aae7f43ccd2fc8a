//! Fields of collections and cells, enums of any generics, and lists that are refused.
//! `cargo test` runs them.

use super::*;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::RwLock;

type Twelve = (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, Rc<Variable>);

#[derive(Module)]
struct Collected<K: std::fmt::Display + Ord> {
    map: HashMap<K, Variable>,
    tree: BTreeMap<u8, RefCell<Variable>>,
    queue: VecDeque<RwLock<Variable>>,
    once: OnceCell<Variable>,
    numbers: HashSet<u8>,
    texts: BTreeSet<&'static str>,
    twelve: Twelve,
}

fn collected<K: std::fmt::Display + Ord + Hash>(keys: impl IntoIterator<Item = K>) -> Collected<K> {
    let v = || Variable::new(0.0);
    Collected {
        map: keys.into_iter().map(|key| (key, v())).collect(),
        tree: [(2, RefCell::new(v())), (1, RefCell::new(v()))].into(),
        queue: [RwLock::new(v()), RwLock::new(v())].into(),
        once: v().into(),
        numbers: (0..100).collect(),
        texts: ["b", "a"].into(),
        twelve: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Rc::new(v())),
    }
}

#[test]
fn collections_and_cells_are_visited_in_order() {
    let all = collected([10, 9, 100, -1, 7]);
    let expected = [
        "map/-1",
        "map/7",
        "map/9",
        "map/10",
        "map/100",
        "tree/1",
        "tree/2",
        "queue/0",
        "queue/1",
        "once",
        "twelve/11",
    ];
    assert_eq!(paths(&all), expected);
    let before = all.signature();
    assert_eq!(before, all.signature());
    let same_numbers = Collected { numbers: (0..100).rev().collect(), ..all };
    assert_eq!(before, same_numbers.signature());
    assert_ne!(before, Collected { numbers: (0..99).collect(), ..same_numbers }.signature());
}

/// Keys that are displayed alike.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Nameless(u8);

impl std::fmt::Display for Nameless {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("key")
    }
}

#[test]
fn two_variables_of_one_path_are_refused() {
    let all = collected([Nameless(1), Nameless(2)]);
    for error in [
        all.try_variables().unwrap_err(),
        all.try_trainable_variables().unwrap_err(),
        all.try_named_variables().unwrap_err(),
        all.try_count_params().unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(text.contains("`map/key`") && text.contains("keys of a map") && text.contains(file!()), "{text}");
    }
    assert_eq!(all.built_variables().len(), 8);
    assert_eq!(collected([Nameless(1)]).variables().len(), 7);
}

#[test]
fn a_cell_that_somebody_changes_is_an_error_of_lists() {
    let all = collected([1]);
    let held = all.tree[&2].borrow_mut();
    let text = all.try_variables().unwrap_err().to_string();
    assert!(text.contains("`tree/2` is mutably borrowed"), "{text}");
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| all.signature()));
    assert!(refused.is_err());
    drop(held);
    assert_eq!(all.variables().len(), 7);
}

/// Associated types, lifetimes, constants, conditions and recursion.
trait Kind {
    type Layer: Module;
    type Key: Hash;
}

#[derive(Module)]
enum Tree<'a, K: Kind, const N: usize>
where
    K::Layer: Clone,
{
    Leaf(K::Layer, &'a str),
    Node { items: Vec<Self>, layers: [K::Layer; N], next: Option<Box<Tree<'a, K, N>>> },
    Key(#[module(value)] K::Key, #[module(name = "layer", not_trainable)] K::Layer),
}

struct Plain;

impl Kind for Plain {
    type Layer = Variable;
    type Key = u8;
}

#[test]
fn enums_of_any_generics_are_visited() {
    let v = || Variable::new(0.0);
    let leaf = || Tree::<Plain, 1>::Leaf(v(), "leaf");
    let next = Some(Box::new(Tree::Key(1, v())));
    let tree = Tree::Node { items: vec![leaf(), leaf()], layers: [v()], next };
    assert_eq!(paths(&tree), ["items/0/0", "items/1/0", "layers/0", "next/layer"]);
    assert_eq!((tree.trainable_variables().len(), tree.non_trainable_variables().len()), (3, 1));
}
