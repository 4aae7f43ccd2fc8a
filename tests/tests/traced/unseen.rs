//! What the text hides from a branch: references given to collections in other ways, macros, methods with the names of readers,
//! values of types that show nothing, `?`, heads of loops that borrow temporaries, loops that only a branch ends.

#![allow(
    clippy::needless_late_init,
    clippy::nonminimal_bool,
    clippy::unnecessary_lazy_evaluations,
    clippy::useless_vec,
    reason = "what nobody should write is written somewhere"
)]

use eagerflow as tf;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{Nest, Tensor, tf_function};

fn put(to: &mut Tensor, value: &Tensor) {
    *to = value.clone();
}

fn give<'a>(to: &mut Vec<&'a mut Tensor>, one: &'a mut Tensor) {
    to.push(one);
}

/// Collections that are given references by other ways than a method of their own.
#[tf_function]
fn given_otherwise(x: &Tensor) -> Tensor {
    let (mut a, mut b, mut c, mut d, mut e) = (x * 1.0, x * 2.0, x * 3.0, x * 4.0, x * 5.0);
    let (one, many) = (x.exp(), x.sin());
    {
        let mut known = HashMap::new();
        known.entry(0).or_insert(&mut a);
        let mut list = Vec::new();
        give(&mut list, &mut b);
        let later;
        later = [&mut c];
        let mut slot = None;
        slot.get_or_insert_with(|| &mut d);
        let (pair, n);
        (pair, n) = (Some(&mut e), 1);
        if x > 1.0 {
            put(known.get_mut(&0).unwrap(), &one);
            put(list[0], &many);
            put(later[0], &one);
            put(slot.unwrap(), &many);
            if let (Some(e), 1) = (pair, n) {
                put(e, &one);
            }
        }
    }
    a + b * 2.0 + c * 3.0 + d * 4.0 + e * 5.0
}

macro_rules! set {
    ($to:ident, $value:expr) => {
        $to = $value
    };
}

/// Macros of one's own, which change what they mention.
#[tf_function]
fn by_macros(x: &Tensor) -> Tensor {
    let (mut y, mut n) = (x * 1.0, tf::constant(0.0));
    for _ in 0..2 {
        if y > 3.0 {
            set!(y, &y * 0.5);
            continue;
        }
        set!(n, &n + 1.0);
        set!(y, y + &n);
    }
    y * n
}

#[derive(Nest, Clone)]
struct Book {
    page: Tensor,
}

impl Book {
    fn new(x: &Tensor) -> Self {
        Self { page: x * 2.0 }
    }

    /// Named as a function on tensors.
    fn log(&mut self) -> &mut Tensor {
        &mut self.page
    }
}

/// What a method of one's own gives is a reference, whatever its name.
#[tf_function]
fn named_as_readers(x: &Tensor) -> Tensor {
    let mut book = Book::new(x);
    let log = book.log();
    if x > 1.0 {
        put(log, &x.cos());
    }
    book.page * x
}

fn parts(x: &Tensor) -> Vec<Tensor> {
    vec![x * 0.5, x * 2.0, x.sin()]
}

/// The head of a loop that a branch leaves borrows what nobody has a name for.
#[tf_function]
fn temporaries_of_heads(x: &Tensor) -> Tensor {
    let mut y = x * 1.0;
    for part in parts(x).iter() {
        if y > 5.0 {
            break;
        }
        y = y + part;
    }
    for (i, part) in parts(&y).iter().enumerate() {
        for scale in vec![0.5f32, 2.0].iter().rev() {
            if y > 20.0 {
                continue;
            }
            y = y + part * *scale;
        }
        if y > 15.0 {
            return y * i as f32;
        }
    }
    y
}

/// Nothing but a branch ends these.
#[tf_function]
fn ended_by_branches(x: &Tensor, go: bool, n: usize) -> Tensor {
    let mut y = x * 1.0;
    while go {
        y = y * 2.0 + 1.0;
        if y > 10.0 {
            break;
        }
    }
    while n > 0 && !(n == 7) {
        y = y * 1.5;
        if y > 40.0 {
            return y * n as f32;
        }
    }
    y
}

#[test]
fn what_the_text_hides_is_found() {
    eager_vs_graph!(given_otherwise(x); x in [0.5, 1.5]);
    eager_vs_graph!(by_macros(x); x in [0.5, 2.5, 5.0]);
    eager_vs_graph!(named_as_readers(x); x in [0.5, 1.5]);
    eager_vs_graph!(temporaries_of_heads(x); x in [0.25, 1.0, 3.0, 6.0]);
    eager_vs_graph!({ ended_by_branches(x, true, 0) }; x in [0.25, 3.0]);
    eager_vs_graph!({ ended_by_branches(x, true, 2) }; x in [0.25, 3.0]);
    eager_vs_graph!({ ended_by_branches(x, false, 3) }; x in [0.25, 3.0]);
}

/// Neither a structure of tensors nor comparable.
enum Activation {
    Relu,
    Scale(f32),
}

#[tf_function]
fn chosen(x: &Tensor) -> Tensor {
    let activation = if x > 1.0 { Activation::Relu } else { Activation::Scale(3.0) };
    match activation {
        Activation::Relu => tf::relu(x),
        Activation::Scale(by) => x * by,
    }
}

#[tf_function]
fn boxed(x: &Tensor) -> Tensor {
    let by: Box<dyn Fn(&Tensor) -> Tensor> = if x > 1.0 { Box::new(Tensor::sin) } else { Box::new(|x| x * 3.0) };
    by(x)
}

#[tf_function]
fn chosen_later(x: &Tensor) -> Tensor {
    let by;
    if x > 1.0 {
        by = Activation::Scale(2.0);
    } else {
        by = Activation::Scale(3.0);
    }
    if let Activation::Scale(by) = by { x * by } else { x.clone() }
}

#[tf_function]
fn broken_off(x: &Tensor) -> Tensor {
    let by = 'block: {
        if x > 1.0 {
            break 'block Activation::Relu;
        }
        Activation::Scale(2.0)
    };
    if let Activation::Scale(by) = by { x * by } else { x.clone() }
}

#[tf_function]
fn given_back(x: &Tensor) -> Tensor {
    let pick = |t: &Tensor| {
        if t > 1.0 {
            return Activation::Scale(4.0);
        }
        Activation::Scale(2.0)
    };
    if let Activation::Scale(by) = pick(x) { x * by } else { x.clone() }
}

#[tf_function]
fn numbers_in_an_option(x: &Tensor) -> Tensor {
    let mut n = 0usize;
    {
        let mut slot = Some(&mut n);
        if x > 1.0 {
            slot.iter_mut().for_each(|n| **n += 1);
        }
    }
    x + n as f32
}

#[tf_function]
fn numbers_by_a_macro(x: &Tensor) -> Tensor {
    let mut n = 0;
    if x > 1.0 {
        set!(n, 1);
    }
    x + n as f32
}

#[tf_function]
fn too_many_rounds(x: &Tensor) -> Tensor {
    let mut y = x * 1.0;
    while let Some(part) = parts(&y).pop() {
        if y > 1e9 {
            break;
        }
        y = y + part;
    }
    y
}

fn checked(n: i32) -> Result<f32, String> {
    if n > 1 { Err("too large".to_owned()) } else { Ok(n as f32) }
}

#[tf_function]
fn asked_in_a_branch(x: &Tensor, n: i32) -> Result<Tensor, String> {
    let mut y = x * checked(n - 1)?;
    if x > 1.0 {
        y = y + checked(n)?;
    }
    Ok(y)
}

#[tf_function]
fn asked_behind_a_jump(x: &Tensor, n: i32) -> Option<Tensor> {
    let mut y = x * 1.0;
    for i in 0..n {
        if y > 5.0 {
            continue;
        }
        y = y + checked(i).ok()?;
    }
    Some(y)
}

/// The message of a call that fails.
fn message<T>(call: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(_) => panic!("no error"),
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

#[test]
fn what_shows_nothing_is_refused() {
    let says = |call: fn(&Tensor) -> Tensor, texts: &[&str]| {
        for x in [0.5, 2.0] {
            let x = tf::constant(x);
            let text = message(|| call(&x));
            for part in texts {
                assert!(text.contains(part), "`{part}` is not in\n{text}");
            }
        }
    };
    let of_a_type = ["of a type of which the graph cannot choose a value", "derive `Nest` for `Activation`"];
    says(chosen, &of_a_type);
    says(boxed, &["the value of this `if` is of a type", "choose by a condition of the host"]);
    says(chosen_later, &["the value of this `if` is of a type"]);
    says(broken_off, &of_a_type);
    says(given_back, &of_a_type);
    says(numbers_in_an_option, &["the host value `*"]);
    says(numbers_by_a_macro, &["the host value `n` is not the same"]);
    says(too_many_rounds, &["lies too deep", "`for i in tf::range(0, n, 1)`"]);
}

/// `?` leaves where the host alone decides, and is an error where a branch of the graph would have to be taken.
#[test]
fn question_marks() {
    let x = tf::constant(2.0f32);
    assert_eq!(asked_in_a_branch(&x, 1).unwrap().item::<f32>(), 1.0);
    assert_eq!(asked_in_a_branch(&x, 3).unwrap_err(), "too large");
    let text = message(|| asked_in_a_branch(&x, 2));
    assert!(text.contains("an `Err` leaves the function by `?` in a branch of the graph"), "{text}");
    assert!(
        text.contains("got: too large")
            && text.contains("call what may fail in front of the branch")
            && text.contains("unseen.rs:"),
        "{text}"
    );
    assert_eq!(asked_behind_a_jump(&x, 2).unwrap().item::<f32>(), 3.0);
    let text = message(|| asked_behind_a_jump(&x, 3));
    assert!(text.contains("a `None` leaves the function"), "{text}");
}
