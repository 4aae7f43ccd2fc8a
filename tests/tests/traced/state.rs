//! What variables may be: tensors, tuples, arrays, lists, options and structs; shadowed, moved, deferred, borrowed.

use eagerflow as tf;
use tf::{Nest, Tensor, tf_function};

/// A tuple as one variable.
#[tf_function]
fn tuple(x: &Tensor) -> (Tensor, Tensor) {
    let mut pair = (x.clone(), tf::constant(1.0));
    let mut i = tf::constant(0);
    while i < 3 {
        pair = (&pair.0 * &pair.1, &pair.1 + x);
        i = i + 1;
    }
    pair
}

/// Fields of a tuple, changed one by one.
#[tf_function]
fn fields_of_a_tuple(x: &Tensor) -> Tensor {
    let mut pair = (x.clone(), x * 2.0);
    if x > 1.0 {
        pair.0 = &pair.0 * &pair.1;
    } else {
        pair.1 = pair.1.square();
    }
    pair.0 + pair.1 * 3.0
}

/// An array, with elements that loops and branches change.
#[tf_function]
fn array(x: &Tensor) -> [Tensor; 3] {
    let mut all = [x.clone(), x + 1.0, x + 2.0];
    let mut i = tf::constant(0);
    while i < 2 {
        all[0] = &all[1] * &all[2];
        if &all[0] > 10.0 {
            all[2] = &all[2] - 1.5;
        }
        all.swap(0, 1);
        i = i + 1;
    }
    all
}

/// A list of known length.
#[tf_function]
fn list(x: &Tensor) -> Vec<Tensor> {
    let mut all = vec![x.clone(), x.square()];
    let mut i = tf::constant(0);
    while i < 4 {
        for item in &mut all {
            *item = &*item * 0.5 + 1.0;
        }
        if &all[0] > 1.5 {
            all[1] = &all[1] - &all[0];
        }
        i = i + 1;
    }
    all
}

/// An option that is there from the start.
#[tf_function]
fn option(x: &Tensor) -> Tensor {
    let mut best: Option<Tensor> = Some(x.clone());
    let mut i = tf::constant(0.0);
    while i < 5.0 {
        let candidate = (x - &i).square();
        if let Some(best) = &mut best {
            if &candidate < &*best {
                *best = candidate;
            }
        }
        i = i + 1.0;
    }
    best.unwrap()
}

#[derive(Nest, Clone)]
struct Memory {
    hidden: Tensor,
    cell: (Tensor, Tensor),
    layers: usize,
}

/// A struct as state, replaced as a whole.
#[tf_function]
fn structure(x: &Tensor) -> Memory {
    let mut memory = Memory { hidden: tf::zeros_like(x), cell: (x.clone(), tf::constant(0.5)), layers: 2 };
    let mut i = tf::constant(0);
    while i < 3 {
        let hidden = (&memory.hidden + &memory.cell.0 * &memory.cell.1).tanh();
        memory = Memory { hidden, ..memory };
        i = i + 1;
    }
    memory
}

/// A struct whose fields change one by one, in a branch in a loop.
#[tf_function]
fn fields(x: &Tensor, memory: &Memory) -> Tensor {
    let mut memory = memory.clone();
    let mut i = tf::constant(0);
    while i < 4 {
        if &memory.hidden > 1.0 {
            memory.hidden = &memory.hidden - 1.0;
            memory.cell.1 = &memory.cell.1 * 1.5;
        } else {
            memory.hidden = &memory.hidden + x;
        }
        i = i + 1;
    }
    memory.hidden * memory.cell.1 + memory.layers as f32
}

/// A name used again, in the same block and in inner ones.
#[tf_function]
fn shadowed(x: &Tensor) -> Tensor {
    let y = x + 1.0;
    let y = if y > 2.0 {
        let y = &y * 3.0;
        y - 1.0
    } else {
        let x = &y * &y;
        x + &y
    };
    let mut x = y.clone();
    while x > 5.0 {
        let y = &x / 2.0;
        x = y - 0.25;
    }
    x + y
}

fn double_in_place(x: &mut Tensor) {
    *x = &*x * 2.0;
}

/// `&mut` borrows of local variables, handed to helpers in both branches.
#[tf_function]
fn mutable_borrows(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut z = x + 1.0;
    if x > 0.0 {
        double_in_place(&mut y);
        double_in_place(&mut z);
    } else {
        double_in_place(&mut z);
        std::mem::swap(&mut y, &mut z);
    }
    let place = &mut y;
    while &*place < 20.0 {
        *place = &*place * 1.5 + 1.0;
    }
    y - z
}

/// `let` without a value, set on every way.
#[tf_function]
fn deferred(x: &Tensor) -> Tensor {
    let y;
    let scale;
    if x > 2.0 {
        y = x.square();
        scale = 2.0;
    } else {
        y = x.exp();
        scale = 2.0;
    }
    y * scale
}

/// `let` without a value, where the other way returns.
#[tf_function]
fn deferred_or_gone(x: &Tensor) -> Tensor {
    let y;
    if x > 2.0 {
        y = x.square();
    } else {
        return -x;
    }
    y + 1.0
}

fn consume(x: Tensor) -> Tensor {
    x * 1.5
}

/// A variable moved in both branches.
#[tf_function]
fn moved(x: &Tensor) -> Tensor {
    let y = x + 1.0;
    let z = y.clone();
    let w = if x > 0.0 { consume(y) + 1.0 } else { consume(y) - consume(z) };
    w * x
}

/// A variable moved by a `return`, needed behind it otherwise.
#[tf_function]
fn moved_or_kept(x: &Tensor) -> Tensor {
    let y = x.square();
    if &y > 4.0 {
        return y;
    }
    let mut i = tf::constant(0);
    while i < 3 {
        if &y + &i.cast(tf::DType::F32) > 2.5 {
            return consume(y);
        }
        i = i + 1;
    }
    consume(y) + x
}

/// Rotations of four variables without copies.
#[tf_function]
fn rotation(x: &Tensor) -> Tensor {
    let (mut a, mut b, mut c, mut d) = (x.clone(), x * 2.0, x * 3.0, x * 4.0);
    let mut i = tf::constant(0);
    while i < 5 {
        (a, b, c, d) = (b, c, d, a);
        a = a * 0.5;
        i = i + 1;
    }
    a + b * 10.0 + c * 100.0 + d * 1000.0
}

/// A counter of the host that both sides leave alike.
#[tf_function]
fn host_beside(x: &Tensor) -> Tensor {
    let mut uses = 0;
    let y = if x > 0.0 {
        uses += 1;
        x * 2.0
    } else {
        uses += 1;
        x * 3.0
    };
    y * uses as f32
}

/// Compound assignment, to variables and fields.
#[tf_function]
fn compound(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut pair = [x.clone(), x.clone()];
    let mut i = tf::constant(0);
    while i < 3 {
        y += x;
        y *= 1.5;
        pair[0] -= &y;
        pair[1] /= 2.0;
        i += 1;
    }
    y + &pair[0] * &pair[1]
}

/// Structures of structures as arguments and results.
#[tf_function]
fn nested_structures(all: &[(Tensor, Option<Tensor>)], names: [&str; 2]) -> Vec<(Tensor, Option<Tensor>)> {
    let mut out = Vec::new();
    for ((x, y), name) in all.iter().zip(names) {
        let x = if x > 0.0 { x * name.len() as f32 } else { -x };
        out.push((x, y.as_ref().map(|y| y + 1.0)));
    }
    out
}

#[test]
fn structures() {
    eager_vs_graph!(tuple(x); x in [1.5, -2.0]);
    eager_vs_graph!(fields_of_a_tuple(x); x in [1.5, -2.0]);
    eager_vs_graph!(array(x); x in [1.5, 4.0]);
    eager_vs_graph!(list(x); x in [1.5, -4.0]);
    eager_vs_graph!(option(x); x in [1.75, 40.0, 3.0]);
    eager_vs_graph!({
        let pairs = [(x.clone(), None), (x.clone(), Some(y.clone()))];
        nested_structures(&pairs, ["one", "three"])
    }; (x, y) in [(1.0, 2.0), (-1.0, 3.0)]);
}

#[test]
fn structs() {
    eager_vs_graph!(structure(x); x in [1.5, -0.5]);
    eager_vs_graph!({
        fields(x, &Memory { hidden: h.clone(), cell: (x.clone(), h.clone()), layers: 3 })
    }; (x, h) in [(0.75, 0.5), (0.25, 3.0)]);
}

#[test]
fn names_and_places() {
    eager_vs_graph!(shadowed(x); x in [0.5, 9.0]);
    eager_vs_graph!(mutable_borrows(x); x in [0.5, -1.0, 30.0]);
    eager_vs_graph!(deferred(x); x in [0.5, 9.0]);
    eager_vs_graph!(deferred_or_gone(x); x in [0.5, 9.0]);
    eager_vs_graph!(moved(x); x in [0.5, -9.0]);
    eager_vs_graph!(moved_or_kept(x); x in [0.5, 1.25, -9.0, 0.0]);
    eager_vs_graph!(rotation(x); x in [0.5, -9.0]);
    eager_vs_graph!(host_beside(x); x in [0.5, -9.0]);
    eager_vs_graph!(compound(x); x in [0.5, -9.0]);
}
