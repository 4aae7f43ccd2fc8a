//! Names of fields, what is left out of training, and freezing.
//! `cargo test` runs them.

use super::*;
use crate::Tensor;

/// The former names of every variable that a visit comes to, the outermost first.
#[derive(Default)]
struct Former(Vec<Vec<String>>);

impl Sink for Former {
    fn variable(&mut self, path: &Path<'_>, _: u64, _: Option<&Variable>) {
        let above = std::iter::successors(Some(path), |path| path.above);
        let mut all: Vec<String> = above.map(|path| path.former.join("|")).collect();
        all.reverse();
        self.0.push(all);
    }
    fn part(&mut self, _: &Path<'_>, _: &Variable) {}
    fn tensor(&mut self, _: &Tensor) {}
    fn word(&mut self, _: u64) {}
    fn wants_words(&self) -> bool {
        false
    }
}

#[derive(Module)]
struct Renamed {
    #[module(name = "trunk", renamed_from = "body", renamed_from = "base")]
    layers: Vec<Chain>,
    #[module(not_trainable)]
    target: Dense,
    #[module(not_trainable, name = "frozen head", renamed_from = "head")]
    head: (Variable, Variable),
}

#[test]
fn fields_go_by_other_names_and_carry_their_former_ones() {
    let net =
        Renamed { layers: vec![chain(), chain()], target: dense(0.5), head: (Variable::new(1.0), Variable::new(2.0)) };
    net.target.kernel.get_or_build(|| Ok(Variable::new(1.0))).unwrap();
    let expected = ["trunk/0/v", "trunk/1/v", "target/kernel", "target/bias", "frozen head/0", "frozen head/1"];
    assert_eq!(paths(&net), expected);
    let mut former = Former::default();
    visit(&net, &mut former);
    assert_eq!(former.0[1], ["", "body|base", "", ""]);
    assert_eq!(former.0[5], ["", "head", ""]);
    assert!(former.0[2].iter().all(String::is_empty));
}

#[test]
fn what_a_field_leaves_out_of_training_is_in_the_other_list() {
    let shared = Variable::new(0.0);
    let net = Renamed {
        layers: vec![chain(), Chain { v: shared.clone(), next: None }],
        target: dense(0.5),
        head: (shared.clone(), Variable::new(2.0)),
    };
    assert!(net.try_non_trainable_variables().unwrap_err().to_string().contains("`target` is not built"));
    net.target.kernel.get_or_build(|| Ok(Variable::new(1.0))).unwrap();
    let ids = |all: Vec<Variable>| all.iter().map(Variable::id).collect::<Vec<_>>();
    let not: Vec<u64> = [&shared, net.target.kernel.get().unwrap(), net.target.bias.as_ref().unwrap(), &net.head.1]
        .map(Variable::id)
        .to_vec();
    assert_eq!(ids(net.trainable_variables()), [net.layers[0].v.id()], "on whatever way `shared` is reached");
    assert_eq!(ids(net.non_trainable_variables()), not);
    assert_eq!(net.target.trainable_variables().len(), 1, "the variables themselves are as they were");
}

#[test]
fn freezing_is_remembered_by_places_and_seen_by_signatures() {
    let layer = dense(0.5);
    let fresh = layer.signature();
    layer.set_trainable(false);
    let frozen = layer.signature();
    assert_ne!(fresh, frozen);
    let kernel = layer.kernel.get_or_build(|| Ok(Variable::new(1.0))).unwrap().clone();
    assert_eq!(layer.signature(), frozen, "building changes nothing");
    assert!(!kernel.trainable() && layer.trainable_variables().is_empty());
    kernel.set_trainable(true);
    let mixed = layer.signature();
    assert!(mixed != frozen && mixed != fresh && layer.trainable_variables().len() == 1);
    layer.set_trainable(true);
    assert_eq!(layer.signature(), fresh);
    let bias = layer.bias.as_ref().unwrap();
    assert!(!bias.trainable(), "it was made so");
    bias.set_trainable(true);
    assert!(bias.trainable() && layer.signature() != fresh);
    layer.set_trainable(false);
    layer.set_trainable(true);
    assert!(bias.trainable(), "it is meant to be trained now");
    kernel.set_trainable(false);
    assert_eq!(layer.trainable_variables()[0].id(), bias.id());
    let shared = LazyVariable::new();
    let other = shared.clone();
    shared.set_trainable(false);
    assert!(!other.get_or_build(|| Ok(Variable::new(1.0))).unwrap().trainable());
}

#[test]
fn freezing_does_not_reach_below_a_field_left_out_of_training() {
    let net = Renamed { layers: vec![chain()], target: dense(0.5), head: (Variable::new(1.0), Variable::new(2.0)) };
    net.target.kernel.get_or_build(|| Ok(Variable::new(1.0))).unwrap();
    net.set_trainable(false);
    assert!(!net.layers[0].v.trainable() && net.head.0.trainable() && net.target.kernel.get().unwrap().trainable());
    net.target.set_trainable(false);
    assert!(!net.target.kernel.get().unwrap().trainable());
    net.set_trainable(true);
    assert!(net.layers[0].v.trainable() && !net.target.kernel.get().unwrap().trainable());
}

#[test]
fn threads_that_build_and_freeze_agree() {
    for _ in 0..200 {
        let place = LazyVariable::new();
        std::thread::scope(|scope| {
            scope.spawn(|| place.set_trainable(false));
            scope.spawn(|| place.get_or_build(|| Ok(Variable::new(1.0))).unwrap().id());
        });
        assert!(!place.get().unwrap().trainable());
    }
}
