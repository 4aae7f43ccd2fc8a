//! Variables that patterns bind: mutable references through which branches change others, variables of inner blocks that
//! branches move, and names in capitals. What rustc makes of the same text without the attribute is written beside it.

use eagerflow as tf;
use std::collections::HashMap;
use tf::{Nest, Tensor, TensorArray, tf_function};

fn set(to: &mut Tensor, x: &Tensor) {
    *to = x.clone();
}

#[derive(Nest, Clone)]
struct Pair {
    a: Tensor,
    b: Tensor,
}

impl Pair {
    fn flip(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
    }
}

fn pair(x: &Tensor) -> Pair {
    Pair { a: x * 2.0, b: x * 3.0 }
}

#[tf_function]
fn of_options(x: &Tensor) -> Tensor {
    let mut held = Some(x * 10.0);
    if let Some(part) = &mut held {
        if x > 1.0 {
            set(part, x);
        }
    }
    match held.as_mut() {
        Some(part) => {
            if x > 2.0 {
                set(part, &(x * 3.0));
            }
        }
        None => return x.clone(),
    }
    held.unwrap()
}

#[tf_function]
fn of_lists(x: &Tensor) -> Tensor {
    let mut all = [x * 2.0, x + 1.0];
    let [a, b] = &mut all;
    if x > 1.0 {
        std::mem::swap(a, b);
    }
    if let Some((first, _)) = all.split_first_mut() {
        if x > 2.0 {
            set(first, x);
        }
    }
    let last = all.last_mut().unwrap();
    if x > 3.0 {
        set(last, x);
    }
    &all[0] * 2.0 + &all[1]
}

#[tf_function]
fn of_iterators(x: &Tensor) -> Tensor {
    let mut all = [x * 2.0, x * 3.0];
    let others = [x + 1.0, x + 2.0];
    for (k, part) in all.iter_mut().enumerate() {
        if x > 1.0 {
            set(part, &(x * k as f32));
        }
    }
    for (part, other) in all.iter_mut().zip(&others) {
        if &*part > 4.0 {
            set(part, other);
        }
    }
    all.iter_mut().rev().for_each(|part| {
        if x > 3.0 {
            set(part, x);
        }
    });
    let (mut a, mut b) = (x * 2.0, x * 3.0);
    for part in [&mut a, &mut b] {
        if x > 2.0 {
            set(part, x);
        }
    }
    (&all[0] + &all[1]) * a + b
}

#[tf_function]
fn of_structs(x: &Tensor, n: &Tensor) -> Tensor {
    let mut held = pair(x);
    {
        let Pair { a, b } = &mut held;
        if x > 1.0 {
            std::mem::swap(a, b);
        }
    }
    let mut all = [held, pair(&x.sin())];
    for (k, part) in all.iter_mut().enumerate() {
        if x > 2.0 + k as f32 {
            part.flip();
        }
    }
    if let Some(part) = all.first_mut() {
        for _ in tf::range(0, n, 1) {
            part.flip();
        }
    }
    &all[0].a * 2.0 + &all[1].b
}

#[tf_function]
fn of_maps(x: &Tensor) -> Tensor {
    let mut map = HashMap::from([("a", x * 2.0)]);
    if let Some(part) = map.get_mut("a") {
        if x > 1.0 {
            set(part, x);
        }
    }
    for (_, part) in map.iter_mut() {
        if x > 2.0 {
            set(part, &x.sin());
        }
    }
    map["a"].clone()
}

/// Keys of maps are no mutable references, whoever has the map.
#[derive(Nest, Clone)]
struct Slots {
    by_name: std::collections::BTreeMap<String, Tensor>,
}

fn weight(name: &str) -> f32 {
    name.len() as f32
}

#[tf_function]
fn of_fields(x: &Tensor) -> Tensor {
    let mut slots = Slots { by_name: [("w".to_owned(), x.clone()), ("bias".to_owned(), x * 3.0)].into() };
    for (name, slot) in slots.by_name.iter_mut() {
        if x > 1.0 {
            *slot = &*slot * weight(name);
        }
        if x > 2.0 {
            set(slot, x);
        }
    }
    let mut all = [x * 2.0, x * 3.0, x.sin()];
    let mut parts = all.iter_mut();
    // The first stays.
    parts.next();
    while let Some(part) = parts.next() {
        if x > 1.0 {
            set(part, x);
        }
    }
    let mut rest = vec![x.sin(), x.cos(), x * 5.0].into_iter();
    let first = rest.next().unwrap();
    let mut sum = first;
    for value in &mut rest {
        sum = if x > 1.0 { sum + consume(value) } else { sum - consume(value) };
    }
    &slots.by_name["w"] * &slots.by_name["bias"] + &all[0] * &all[1] + sum
}

/// Of a type that cannot be copied, with methods that only read.
struct Grid {
    rows: Vec<Tensor>,
}

impl Grid {
    fn filter(&self, x: &Tensor) -> Tensor {
        &self.rows[0] * x
    }

    fn at(&self, index: usize) -> &Tensor {
        &self.rows[index]
    }

    fn add(&mut self, x: &Tensor) {
        self.rows.push(x.clone());
    }
}

#[tf_function]
fn of_grids(x: &Tensor) -> Tensor {
    let mut grid = Grid { rows: vec![x.exp()] };
    grid.add(&(x * 7.0));
    let grid = &grid;
    let y = if x > 1.0 { grid.filter(x) } else { grid.filter(&(x * 2.0)) };
    y + if x > 2.0 { grid.at(1) * 2.0 } else { grid.at(1).clone() }
}

/// Methods of its own that are called as readers of the library are.
#[derive(Nest, Clone)]
struct Decay {
    rate: Tensor,
    total: Tensor,
}

impl Decay {
    fn get(&mut self) -> Tensor {
        let now = self.rate.clone();
        self.rate = &now * 0.5;
        now
    }

    fn mean(&mut self, x: &Tensor) {
        self.total = &self.total * 0.9 + x * 0.1;
    }

    fn at(&mut self, index: usize) -> &mut Tensor {
        if index == 0 { &mut self.rate } else { &mut self.total }
    }
}

#[tf_function]
fn of_methods(x: &Tensor, n: &Tensor) -> Tensor {
    let mut decay = Decay { rate: x.clone(), total: tf::constant(1.0) };
    let mut sum = x.clone();
    for _ in tf::range(0, n, 1) {
        sum = sum + decay.get();
    }
    if x > 1.0 {
        decay.mean(x);
    }
    if x > 2.0 {
        *decay.at(0) = x.clone();
        *decay.at(1) += x;
    }
    sum * decay.rate + decay.total
}

fn consume(x: Tensor) -> Tensor {
    x * 2.0
}

#[tf_function]
fn of_inner_blocks(x: &Tensor, n: &Tensor) -> Tensor {
    let mut s = x.clone();
    for i in 0..3 {
        if i > 0 {
            let v = x * i as f32;
            s = if x > 1.0 { s + consume(v) } else { s - consume(v) };
        }
    }
    for i in tf::range(0, n, 1) {
        if &i > 0 {
            let v = x * i.cast(tf::DType::F32);
            s = if x > 1.0 { s + consume(v) } else { s - consume(v) };
        }
    }
    match Some(2.0) {
        Some(k) => {
            let v = x * k;
            if &s > 1.0 { consume(v) } else { -consume(v) }
        }
        None => s,
    }
}

/// The outer `v` is another one than that of the pattern.
#[tf_function]
fn hidden_by_a_pattern(x: &Tensor, rows: &[Tensor]) -> Tensor {
    let mut s = x.clone();
    let mut v = 3.0;
    for k in 0..3 {
        if let Some(v) = rows.get(k) {
            if v > x { s = s + v } else { s = s - v }
        }
        v = v * 2.0;
    }
    s * v
}

#[tf_function]
fn given_in_branches(x: &Tensor) -> Tensor {
    let w;
    if x > 1.0 {
        w = x - 1.0;
    } else {
        w = x + 1.0;
    }
    if &w > 2.0 {
        return w;
    }
    if x > 0.0 { consume(w) } else { -consume(w) }
}

#[tf_function]
#[expect(non_snake_case, reason = "names as in papers")]
fn in_capitals(W: &Tensor, x: &Tensor) -> Tensor {
    let A = W * 2.0;
    let (Lambda, B) = (x * 0.5, x.sin());
    let y = if x > 0.0 { consume(A) + consume(B) } else { consume(A) * Lambda };
    y * W
}

#[tf_function]
fn taken_by_methods(x: &Tensor, held: Option<Tensor>) -> (Tensor, Tensor) {
    let array = TensorArray::new(tf::DType::F32, 1);
    let stacked = if x > 1.0 { array.write(0, x).stack() } else { array.write(0, &(x * 2.0)).stack() };
    (stacked, if x > 1.0 { held.map_or(x.clone(), |v| v * 2.0) } else { held.map_or(x * 2.0, |v| v * 3.0) })
}

#[test]
fn mutable_references() {
    eager_vs_graph!(of_options(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(of_lists(x); x in [0.5, 1.5, 2.5, 3.5]);
    eager_vs_graph!(of_iterators(x); x in [0.5, 1.5, 2.5, 3.5]);
    eager_vs_graph!(of_structs(x, n); (x, n) in [(0.5, 0), (1.5, 1), (2.5, 2), (2.5, 3)]);
    eager_vs_graph!(of_maps(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(of_fields(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(of_grids(x); x in [0.5, 1.5, 2.5]);
    eager_vs_graph!(of_methods(x, n); (x, n) in [(0.5, 0), (1.5, 1), (2.5, 3)]);
}

#[test]
fn blocks_inside() {
    eager_vs_graph!(of_inner_blocks(x, n); (x, n) in [(0.5, 0), (1.5, 3), (-0.5, 2)]);
    let rows = [tf::constant(1.5), tf::constant(0.5), tf::constant(10.0)];
    eager_vs_graph!({ hidden_by_a_pattern(x, &rows) }; x in [1.0, 20.0]);
    // The attribute's expansion runs operation by operation, too: that is not what Rust makes of the text.
    assert_eq!(hidden_by_a_pattern(&tf::constant(1.0), &rows).item::<f32>(), (1.0 + 1.5 - 0.5 + 10.0) * 24.0);
    eager_vs_graph!(given_in_branches(x); x in [0.5, 1.5, 3.5, -0.5]);
    eager_vs_graph!(in_capitals(w, x); (w, x) in [(0.5, 2.0), (1.5, -1.0)]);
    eager_vs_graph!({ taken_by_methods(x, None) }; x in [0.5, 1.5]);
    eager_vs_graph!({ taken_by_methods(x, Some(x.sin())) }; x in [0.5, 1.5]);
}
