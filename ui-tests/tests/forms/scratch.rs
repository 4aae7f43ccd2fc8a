//! scratch
use eagerflow as tf;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::rc::Rc;
use tf::{Tensor, tf_function};

struct Plain { x: Tensor }

#[test]
fn arc() {
    #[tf_function]
    fn f(x: Arc<Tensor>) -> Tensor { if *x > 1.0 { &*x * 2.0 } else { x.as_ref().clone() } }
    println!("{} {}", f(Arc::new(tf::constant(2.0))), f(Arc::new(tf::constant(3.0))));
}
#[test]
fn rc() {
    #[tf_function]
    fn f(x: &Rc<Tensor>) -> Tensor { if **x > 1.0 { &**x * 2.0 } else { x.as_ref().clone() } }
    println!("{} {}", f(&Rc::new(tf::constant(2.0))), f(&Rc::new(tf::constant(3.0))));
}
#[test]
fn hash() {
    #[tf_function]
    fn f(x: &HashMap<String, Tensor>) -> Tensor { let x = &x["a"]; if x > 1.0 { x * 2.0 } else { x.clone() } }
    let m = |v: f32| HashMap::from([("a".to_string(), tf::constant(v))]);
    println!("{} {}", f(&m(2.0)), f(&m(3.0)));
}
#[test]
fn btree() {
    #[tf_function]
    fn f(x: BTreeMap<usize, Tensor>) -> Tensor { let x = &x[&1]; if x > 1.0 { x * 2.0 } else { x.clone() } }
    let m = |v: f32| BTreeMap::from([(1, tf::constant(v))]);
    println!("{} {}", f(m(2.0)), f(m(3.0)));
}
#[test]
fn plain() {
    #[tf_function]
    fn f(p: &Plain) -> Tensor { let x = &p.x; if x > 1.0 { x * 2.0 } else { x.clone() } }
    println!("{} {}", f(&Plain { x: tf::constant(2.0) }), f(&Plain { x: tf::constant(3.0) }));
}
#[test]
fn plain_owned() {
    #[tf_function]
    fn f(p: Plain) -> Tensor { let x = &p.x; if x > 1.0 { x * 2.0 } else { x.clone() } }
    println!("{} {}", f(Plain { x: tf::constant(2.0) }), f(Plain { x: tf::constant(3.0) }));
}
impl Plain {
    #[tf_function]
    fn get(&self) -> Tensor { if self.x > 1.0 { &self.x * 2.0 } else { self.x.clone() } }
}
#[test]
fn plain_self() {
    println!("{} {}", Plain { x: tf::constant(2.0) }.get(), Plain { x: tf::constant(3.0) }.get());
}
#[test]
fn closure_captures() {
    #[tf_function]
    fn f(g: impl Fn() -> Tensor) -> Tensor { let x = g(); if x > 1.0 { x * 2.0 } else { x } }
    let h = |v: f32| { let t = tf::constant(v); f(move || t.clone()) };
    println!("{} {}", h(2.0), h(3.0));
}
#[test]
fn refs() {
    #[tf_function]
    fn f(p: (&Tensor, usize)) -> Tensor { let x = p.0; if x > 1.0 { x * 2.0 } else { x.clone() } }
    println!("{} {}", f((&tf::constant(2.0), 1)), f((&tf::constant(3.0), 1)));
}
