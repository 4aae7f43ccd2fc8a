//! What a deep copy shares with its original and within itself.
//! `cargo test` runs them.

use crate::Duplicate;
use crate::{LazyVariable, Module, Variable};
use std::cell::RefCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

#[derive(Module, Duplicate, Clone)]
struct Layer {
    kernel: LazyVariable,
    bias: Option<Variable>,
    rate: f32,
}

#[derive(Module, Duplicate)]
enum Head<L> {
    None,
    One(L),
    Two { left: L, right: Box<Self> },
}

#[derive(Module, Duplicate)]
struct Net<'a, L, const N: usize>
where
    L: Clone,
{
    trunk: Arc<L>,
    heads: [Head<L>; N],
    named: HashMap<String, Rc<RefCell<L>>>,
    text: &'a str,
    #[module(value)]
    key: std::num::NonZeroU8,
    #[module(skip)]
    note: Vec<&'a str>,
    #[module(skip)]
    #[duplicate(default)]
    calls: Mutex<Vec<u8>>,
    kind: PhantomData<fn(L)>,
}

fn layer() -> Layer {
    Layer { kernel: LazyVariable::new(), bias: Some(Variable::with(1.0, "b", false)), rate: 0.5 }
}

#[test]
fn a_copy_has_variables_of_its_own() {
    let one = layer();
    let kernel = one.kernel.get_or_build(|| Ok(Variable::with([1.0, 2.0], "k", true))).unwrap();
    kernel.set_trainable(false);
    let two = one.duplicate();
    let copied = two.kernel.get().unwrap();
    assert!(copied.id() != kernel.id() && !copied.trainable() && copied.name() == "k");
    kernel.assign_add(&crate::constant([1.0, 1.0]));
    copied.assign_sub(&crate::constant([1.0, 0.0]));
    assert_eq!((kernel.value().to_vec::<f32>(), copied.value().to_vec::<f32>()), (vec![2.0, 3.0], vec![0.0, 2.0]));
    two.set_trainable(true);
    assert!(copied.trainable() && !kernel.trainable());
    assert!(!two.bias.as_ref().unwrap().trainable(), "made so");
    assert_ne!(one.signature(), two.signature());
}

#[test]
fn a_layer_that_is_not_built_has_a_copy_that_is_not_and_is_frozen_alike() {
    let one = layer();
    one.set_trainable(false);
    let two = one.duplicate();
    one.kernel.get_or_build(|| Ok(Variable::new(1.0))).unwrap();
    assert!(two.kernel.get().is_none());
    assert!(!two.kernel.get_or_build(|| Ok(Variable::new(1.0))).unwrap().trainable());
}

#[test]
fn what_is_shared_is_shared_within_the_copy() {
    let own = layer();
    let cell = Rc::new(RefCell::new(layer()));
    let net = Net {
        trunk: Arc::new(own.clone()),
        heads: [Head::Two { left: own.clone(), right: Box::new(Head::One(layer())) }, Head::None],
        named: [("a".to_owned(), cell.clone()), ("b".to_owned(), cell)].into(),
        text: "net",
        key: std::num::NonZeroU8::MIN,
        note: vec!["kept"],
        calls: Mutex::new(vec![1]),
        kind: PhantomData,
    };
    let copy = net.duplicate();
    let Head::Two { left, .. } = &copy.heads[0] else { panic!("the same variant") };
    copy.trunk.kernel.get_or_build(|| Ok(Variable::new(7.0))).unwrap();
    assert_eq!(left.kernel.get().unwrap().value().item::<f32>(), 7.0);
    assert!(own.kernel.get().is_none());
    assert!(Rc::ptr_eq(&copy.named["a"], &copy.named["b"]) && !Rc::ptr_eq(&copy.named["a"], &net.named["a"]));
    assert!(matches!(copy.heads[1], Head::None) && copy.note == ["kept"] && copy.text == "net" && copy.key.get() == 1);
    assert!(copy.calls.lock().unwrap().is_empty());
    let ids = |net: &Net<'_, Layer, 2>| net.built_variables().into_iter().map(|(_, v)| v.id()).collect::<Vec<_>>();
    assert_eq!(ids(&copy).len(), ids(&net).len() + 1);
    assert!(ids(&copy).iter().all(|id| !ids(&net).contains(id)));
}

#[test]
fn generators_go_on_apart() {
    let one = crate::random::Generator::from_seed(3);
    let two = one.duplicate();
    let draw = |g: &crate::random::Generator| g.normal([2], 0.0, 1.0).to_vec::<f32>();
    let first = draw(&one);
    assert_ne!(first, draw(&one));
    assert_eq!(first, draw(&two));
}
