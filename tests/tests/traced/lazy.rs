//! `&&` and `||` whose right side changes something or jumps: that happens where the left side leaves the answer open, and is
//! differentiated; what is no tensor must be the same with it and without.

use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{Nest, Tensor, Variable, tf_function};

fn grow(z: &mut Tensor) -> Tensor {
    *z = &*z * 2.0;
    z.sin()
}

#[derive(Nest, Clone)]
struct Rate {
    now: Tensor,
}

impl Rate {
    fn decay(&mut self) -> Tensor {
        self.now = &self.now * 0.5;
        self.now.clone()
    }
}

/// What is lent to a function, changed in a block, and by a method of its own.
#[tf_function]
fn changed_by_the_right(x: &Tensor) -> Tensor {
    let (mut a, mut b, mut rate) = (x * 1.0, x * 2.0, Rate { now: x.exp() });
    let y = if x < 4.0 && grow(&mut a) > 0.5 { x + 1.0 } else { x * 3.0 };
    let some = x > 2.0 || {
        b = &b * x;
        b < 3.0
    };
    let y = if some { y * &b } else { y + &b };
    if !(x > 1.0 && rate.decay() > 2.0) { y + a + &rate.now } else { y * rate.now }
}

/// Both in one another, and beside the host's own.
#[tf_function]
fn nested_sides(x: &Tensor, training: bool) -> Tensor {
    let mut z = x * 1.0;
    let far = training && (x < 4.0 && (grow(&mut z) > 0.1 || grow(&mut z) < 0.0));
    let near = x < 1.0 || training && grow(&mut z) < 3.0;
    if far && near { &z * 2.0 } else { z.square() }
}

/// Branches and jumps in the right side, in a loop of the host and one of the graph.
#[tf_function]
fn jumps_in_the_right(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    for _ in 0..3 {
        let doubled = y > 3.0 && {
            if y > 10.0 {
                break;
            }
            y = &y * 2.0;
            true
        };
        if doubled {
            y = y + 1.0;
        }
        y = y + 0.5;
    }
    let mut n = tf::constant(0.0);
    while &n < x {
        n = n + 1.0;
        if n > 1.5 && {
            if y > 30.0 {
                continue;
            }
            y = &y * 1.5;
            y > 20.0
        } {
            return y * 2.0;
        }
    }
    y
}

/// A condition that changes tensors is taken into the loop.
#[tf_function]
fn in_a_condition(x: &Tensor) -> (Tensor, Tensor) {
    let (mut y, mut z) = (x.clone(), x * 0.5);
    while y < 20.0 && grow(&mut z) < 0.9 {
        y = y * 2.0 + 1.0;
    }
    (y, z)
}

/// Writes of variables in the right side.
#[tf_function]
fn counted(x: &Tensor, count: &Variable) -> Tensor {
    let mut y = x * 1.0;
    if x > 1.0 && {
        count.assign_add(1.0);
        y = y + count.value();
        y > 3.0
    } {
        y = y * 2.0;
    }
    y
}

#[test]
fn right_sides_that_change_tensors() {
    eager_vs_graph!(changed_by_the_right(x); x in [-1.0, 0.3, 1.5, 2.5, 5.0]);
    for training in [false, true] {
        eager_vs_graph!({ nested_sides(x, training) }; x in [-1.0, 0.3, 1.5, 5.0]);
    }
    eager_vs_graph!(jumps_in_the_right(x); x in [0.5, 2.0, 3.5, 6.0, 12.0]);
    eager_vs_graph!(in_a_condition(x); x in [0.1, 0.7, 2.0, 30.0]);
}

#[test]
fn right_sides_that_write_variables() {
    for x in [0.5, 1.5, 2.5] {
        let count = Variable::new(1.0f32);
        let run = || {
            count.assign(tf::constant(0.0f32));
            (counted(&tf::constant(x), &count).item::<f32>(), count.value().item::<f32>())
        };
        let eager = tf::config::with_eager_functions(run);
        assert_eq!(run(), eager);
        assert_eq!(eager.1, f32::from(u8::from(x > 1.0)));
    }
}

#[tf_function]
fn number_in_the_right(x: &Tensor) -> Tensor {
    let mut n = 0;
    let y = if x < 4.0 && {
        n += 1;
        x > 1.0
    } {
        x + 1.0
    } else {
        x * 1.0
    };
    y + n as f32
}

#[tf_function]
fn taken_in_the_right(x: &Tensor) -> Tensor {
    let mut z = Some(x * 1.0);
    let is_there = x > 4.0 || z.take().is_some();
    let y = if is_there { x * 2.0 } else { x * 1.0 };
    match z {
        Some(z) => y + z,
        None => y,
    }
}

#[derive(Nest, Clone)]
struct Steps {
    taken: i32,
}

impl Steps {
    fn take(&mut self, y: &Tensor) -> Tensor {
        self.taken += 1;
        y.less(20.0)
    }
}

#[tf_function]
fn counted_by_the_condition(x: &Tensor) -> Tensor {
    let (mut y, mut steps) = (x.clone(), Steps { taken: 0 });
    while steps.take(&y) {
        y = y * 2.0 + 1.0;
    }
    y + steps.taken as f32
}

/// What the host alone could change is refused, whatever the left side is.
#[test]
fn right_sides_that_change_host_values() {
    let says = |call: fn(&Tensor) -> Tensor, texts: &[&str]| {
        for x in [0.5, 2.0, 9.0] {
            let x = tf::constant(x);
            tf::config::with_eager_functions(|| call(&x));
            let text = *catch_unwind(AssertUnwindSafe(|| call(&x))).unwrap_err().downcast::<String>().unwrap();
            for part in texts {
                assert!(text.contains(part), "`{part}` is not in\n{text}");
            }
        }
    };
    says(number_in_the_right, &["`n` is not the same after the right side of this `&&` and without it", "variable: n"]);
    says(taken_in_the_right, &["`z` is `Some(..)` without the right side of this `||`, and `None` after it"]);
    says(counted_by_the_condition, &["`steps.taken` is not the same before this loop and after its condition"]);
}
