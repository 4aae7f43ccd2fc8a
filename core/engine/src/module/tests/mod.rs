//! Names, signatures and lazy variables of derived and hand-written modules.
//! `cargo test` runs them.

mod collections;
mod submodules;
mod training;

use super::*;
use kernels::error::Error;
// The derive macro beside the trait.
use crate::Module;

#[derive(Module)]
struct Dense {
    kernel: LazyVariable,
    bias: Option<Variable>,
    rate: f32,
}

#[derive(Module)]
enum Mode {
    Off,
    Scaled(f32),
    Learned { by: Variable },
}

#[derive(Module)]
struct Net<'a, L, const N: usize, T: ?Sized = str>
where
    L: Clone,
{
    layers: Vec<L>,
    pair: (Variable, [L; N]),
    #[module(value)]
    key: std::num::NonZeroU8,
    r#type: Mode,
    name: &'a T,
    #[module(skip)]
    _anything: std::collections::HashMap<String, L>,
    kind: std::marker::PhantomData<fn(L)>,
}

#[derive(Module)]
struct Chain {
    v: Variable,
    next: Option<Box<Chain>>,
}

#[derive(Module)]
struct Unit;

#[derive(Module)]
enum Never {}

fn dense(rate: f32) -> Dense {
    Dense { kernel: LazyVariable::new(), bias: Some(Variable::with(1.0, "b", false)), rate }
}

fn chain() -> Chain {
    Chain { v: Variable::new(1.0), next: None }
}

fn paths(module: &impl Module) -> Vec<String> {
    module.named_variables().into_iter().map(|(path, _)| path).collect()
}

#[test]
fn derived_modules_visit_all_fields_in_order() {
    let shared = Variable::new(1.0);
    let net = Net {
        layers: vec![shared.clone(), Variable::new(2.0)],
        pair: (Variable::new(3.0), [shared.clone()]),
        key: std::num::NonZeroU8::MIN,
        r#type: Mode::Learned { by: Variable::with(4.0, "by", false) },
        name: "net",
        _anything: Default::default(),
        kind: std::marker::PhantomData,
    };
    assert_eq!(paths(&net), ["layers/0", "layers/1", "pair/0", "type/by"]);
    assert_eq!(net.variables().len(), 4);
    assert_eq!(net.trainable_variables().len(), 3);
    assert_eq!(net.variables()[0].id(), shared.id());
    let chain = Chain { v: shared.clone(), next: Some(Box::new(Chain { v: Variable::new(0.0), next: None })) };
    assert_eq!(paths(&chain), ["v", "next/v"]);
    assert!(Unit.variables().is_empty() && None::<Never>.variables().is_empty());
}

#[test]
fn the_signature_holds_settings_variables_and_places() {
    let one = dense(0.5);
    let before = one.signature();
    assert_eq!(before, one.signature());
    one.kernel.get_or_build(|| Ok(Variable::new([1.0]))).unwrap();
    assert_eq!(before, one.signature(), "building a lazy variable changes nothing");
    assert_eq!(paths(&one), ["kernel", "bias"]);
    let other = Dense { rate: 0.6, kernel: one.kernel.clone(), bias: one.bias.clone() };
    assert_ne!(before, other.signature());
    let none = Dense { rate: 0.5, kernel: one.kernel.clone(), bias: None };
    assert_ne!(before, none.signature());
    assert_ne!(before, dense(0.5).signature(), "other variables");
    let modes = [Mode::Off.signature(), Mode::Scaled(1.0).signature(), Mode::Scaled(2.0).signature()];
    assert!(modes[0] != modes[1] && modes[1] != modes[2]);
    assert_ne!(vec!["ab", "c"].signature(), vec!["a", "bc"].signature());
    assert_ne!((Some(1u8), None::<u8>).signature(), (None::<u8>, Some(1u8)).signature());
    assert_ne!(0.0f32.signature(), (-0.0f32).signature());
}

#[test]
fn a_failed_build_leaves_the_place_empty_and_two_threads_make_one_variable() {
    let place = LazyVariable::new();
    let refused = place.get_or_build(|| Err(Error::invalid_argument("build", "no")));
    assert!(refused.is_err() && place.built("dense").is_err());
    let ids: Vec<u64> = std::thread::scope(|scope| {
        let build = || place.get_or_build(|| Ok(Variable::new(1.0))).unwrap().id();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(ids.iter().all(|&id| id == place.built("dense").unwrap().id()));
}
