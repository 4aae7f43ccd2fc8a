//! Derived modules and copies: every option of a field, any generics, and nothing that warns.

#![deny(warnings)]

use eagerflow::{self as tf, Duplicate, Module, Variable};
use std::collections::HashMap;

trait Kind {
    type Layer: Module + Duplicate + Clone;
}

#[derive(Module, Duplicate)]
struct Net<'a, K, T, const N: usize>
where
    K: Kind,
{
    #[module(name = "trunk", renamed_from = "body", renamed_from = "base")]
    layers: [K::Layer; N],
    #[module(not_trainable)]
    target: Option<K::Layer>,
    #[module(not_trainable, name = "old head", renamed_from = "head")]
    heads: HashMap<String, (T, Vec<T>)>,
    #[module(value)]
    key: std::num::NonZeroU8,
    #[module(skip)]
    text: &'a str,
    #[module(skip)]
    #[duplicate(default)]
    calls: std::sync::Mutex<Vec<u8>>,
}

#[derive(Module, Duplicate)]
enum Chain<T> {
    End,
    #[allow(dead_code, reason = "the form is what is tested")]
    Pair(#[module(name = "left")] T, #[module(renamed_from = "right")] T),
    Link {
        item: T,
        #[module(name = "rest", renamed_from = "tail")]
        next: Box<Chain<T>>,
    },
}

struct Plain;

impl Kind for Plain {
    type Layer = Variable;
}

#[test]
fn options_of_fields_and_generics() {
    let v = || Variable::new(1.0);
    let net = Net::<'_, Plain, Chain<Variable>, 2> {
        layers: [v(), v()],
        target: Some(v()),
        heads: [("a".to_owned(), (Chain::Link { item: v(), next: Box::new(Chain::End) }, Vec::new()))].into(),
        key: std::num::NonZeroU8::MIN,
        text: "net",
        calls: Default::default(),
    };
    net.calls.lock().unwrap().push(1);
    let paths =
        |net: &Net<'_, _, _, 2>| -> Vec<String> { net.named_variables().into_iter().map(|(path, _)| path).collect() };
    assert_eq!(paths(&net), ["trunk/0", "trunk/1", "target", "old head/a/0/item"]);
    assert_eq!((net.trainable_variables().len(), net.non_trainable_variables().len()), (2, 2));
    let copy = net.duplicate();
    assert_eq!(paths(&copy), paths(&net));
    assert!(copy.calls.lock().unwrap().is_empty() && copy.text == "net" && copy.key.get() == 1);
    tf::build(&copy, [None, Some(1)], |net, x| x * &net.layers[0]);
}
