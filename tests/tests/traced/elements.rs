//! Elements of lists behind references, changed in branches and loops of the graph: `p[0] = ..` on a `&mut` binding.
//! Slices, which no list of state can hold, stay Rust's.

#![allow(
    clippy::ptr_arg,
    clippy::needless_range_loop,
    clippy::swap_with_temporary,
    reason = "what users write is tested"
)]

use eagerflow as tf;
use tf::{Nest, Tensor, tf_function};

#[derive(Clone, Nest)]
struct Pair {
    a: Tensor,
    b: Vec<Tensor>,
}

#[tf_function]
fn assigned(p: &mut Vec<Tensor>, x: &Tensor, c: &Tensor) {
    if c > 0.0 {
        p[0] = x.clone();
    }
}

#[tf_function]
fn in_an_array(p: &mut [Tensor; 2], x: &Tensor, c: &Tensor) {
    if c > 0.0 {
        p[0] = x * 2.0;
        return;
    }
    p[1] -= x;
}

/// The first step that a newcomer writes: in place, in a loop.
#[tf_function]
fn descended(p: &mut Vec<Tensor>, x: &Tensor, c: &Tensor) {
    let mut left = c.clone();
    while left > 0.0 {
        for i in 0..p.len() {
            p[i] -= x * 0.5;
        }
        left -= 1.0;
    }
}

#[tf_function]
fn swapped(p: &mut Vec<Tensor>, x: &Tensor, c: &Tensor) {
    if c > 0.0 {
        std::mem::swap(&mut p[0], &mut x.clone());
    }
}

#[tf_function]
fn through_a_binding(p: &mut Vec<Tensor>, x: &Tensor, c: &Tensor) {
    let mut own = p.clone();
    let q = &mut own;
    if c > 0.0 {
        q[0] = x.clone();
    }
    p[1] = &own[0] + 1.0;
}

#[tf_function]
fn through_a_pattern(p: &mut Pair, x: &Tensor, c: &Tensor) {
    let Pair { a, b } = p;
    if c > 0.0 {
        b[0] = x.clone();
    } else {
        *a = x * 3.0;
    }
    let b = &mut p.b;
    if c < 1.0 {
        b[1] = &p.a + x;
    }
}

/// A host slice in a loop whose branches Rust decides.
#[tf_function]
fn host_slice(x: &Tensor, weights: [f32; 4]) -> Tensor {
    let mut weights = weights;
    let (even, odd) = weights.split_at_mut(2);
    for i in 0..2 {
        if i % 2 == 0 {
            even[i] = 2.0;
        } else {
            odd[i] = 3.0;
        }
    }
    let factor: f32 = weights.iter().sum();
    x * factor
}

fn list(f: fn(&mut Vec<Tensor>, &Tensor, &Tensor), x: &Tensor, c: &Tensor) -> Vec<Tensor> {
    let mut p = vec![x * 1.5, x + 2.0];
    f(&mut p, &x.sin(), c);
    p
}

#[test]
fn elements_behind_references() {
    for f in [assigned, descended, swapped, through_a_binding] {
        eager_vs_graph!({ list(f, x, c) }; (x, c) in [(9.0, 1.0), (9.0, -1.0), (0.5, 3.0)]);
    }
    eager_vs_graph!({ let mut p = [x * 1.5, x + 2.0]; in_an_array(&mut p, x, c); p };
        (x, c) in [(9.0, 1.0), (9.0, -1.0)]);
    eager_vs_graph!({ let mut p = Pair { a: x.sin(), b: vec![x * 1.5, x + 2.0] }; through_a_pattern(&mut p, x, c); (p.a, p.b) };
        (x, c) in [(9.0, 2.0), (9.0, -1.0), (9.0, 0.5)]);
}

#[test]
fn slices_stay_rusts() {
    eager_vs_graph!({ host_slice(x, [1.0, 1.0, 1.0, 1.0]) }; x in [2.0]);
    assert_eq!(host_slice(&tf::constant(1.0), [1.0; 4]).item::<f32>(), 7.0);
}
