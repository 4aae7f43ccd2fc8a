//! Jumps in unusual places: in a loop's condition, and several breaks of one loop.

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// `return` in a loop's condition.
#[tf_function]
fn returned(x: &Tensor, y: &Tensor) -> Tensor {
    let mut x = x.clone();
    while {
        if x > y {
            return &x * 10.0;
        }
        x < 5.0
    } {
        x = x * 2.0 + 0.5;
    }
    x
}

/// `break` and `continue` of the loop around in the condition of the inner one.
#[tf_function]
fn around(x: &Tensor) -> Tensor {
    let mut x = x.clone();
    let mut rounds = tf::constant(0);
    'outer: while rounds < 6 {
        rounds += 1;
        while {
            if x > 40.0 {
                break 'outer;
            }
            if x < 0.0 {
                x = &x + 3.0;
                continue 'outer;
            }
            x < 20.0
        } {
            x = &x * 1.5 + 1.0;
        }
        x = x - 19.0;
    }
    x + rounds.cast(tf::DType::F32) * 100.0
}

/// A `loop` with two breaks, each after a change of its own.
#[tf_function]
fn two_breaks(a: &Tensor) -> (Tensor, Tensor) {
    let mut a = a.clone();
    let mut n = tf::constant(0);
    loop {
        n += 1;
        if n > 3 {
            break;
        }
        if a > 10.0 {
            a = a + 1.0;
            break;
        }
        a = a * 2.0;
    }
    (a, n)
}

/// Two breaks with values, from branches within branches.
#[tf_function]
fn two_values(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = n.clone();
    let found = loop {
        i += 1;
        if y > 3.0 {
            y = &y * 0.5;
            if i > 4 {
                break &y + 100.0;
            }
        } else if i > 6 {
            break &y * 2.0 - 100.0;
        }
        y = &y * 1.75;
    };
    found + y
}

/// As `loop`, with the breaks on both sides of what changes the state, and one of a loop around.
#[tf_function]
fn three_ways(x: &Tensor, n: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = n.clone();
    'outer: loop {
        y = y + 1.0;
        loop {
            i += 1;
            if &i % 4 == 0 {
                break;
            }
            y = &y * 1.25;
            if y > 9.0 {
                y = -y;
                break 'outer;
            }
            if i > 9 {
                break 'outer;
            }
        }
        if i > 7 {
            break;
        }
    }
    y
}

#[test]
fn jumps_in_conditions() {
    eager_vs_graph!(returned(x, y); (x, y) in [(1.0, 3.0), (1.0, 9.0), (4.0, 3.0), (7.0, 8.0)]);
    eager_vs_graph!(around(x); x in [1.0, 50.0, -3.0, 19.5, 25.0]);
}

#[test]
fn several_breaks() {
    eager_vs_graph!(two_breaks(a); a in [20.0, 1.0, 4.0, 10.0]);
    eager_vs_graph!(two_values(x, n); (x, n) in [(1.0, 0), (8.0, 0), (8.0, 5), (0.125, 4), (0.125, 9)]);
    eager_vs_graph!(three_ways(x, n); (x, n) in [(1.0, 0), (8.0, 0), (-20.0, 5), (0.125, 4), (-3.0, 9)]);
}

/// What a loop's breaks give may differ in tensors alone.
#[test]
fn host_words_of_breaks() {
    #[tf_function]
    fn differs(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        let (value, rising) = loop {
            if y > 9.0 {
                break (&y * 2.0, true);
            }
            if y < -9.0 {
                break (&y * 3.0, false);
            }
            y = &y * 1.5;
        };
        if rising { value } else { -value }
    }
    #[tf_function]
    fn agrees(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        let (value, factor) = loop {
            if y > 9.0 {
                break (&y * 2.0, 5i32);
            }
            if y < -9.0 {
                break (&y * 3.0, 5i32);
            }
            y = &y * 1.5;
        };
        value * factor as f32
    }
    #[tf_function]
    fn structure(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        let found = loop {
            if y > 9.0 {
                break Some(&y * 2.0);
            }
            if y < -9.0 {
                break None;
            }
            y = &y * 1.5;
        };
        found.unwrap_or(y)
    }
    let message = |call: fn(&Tensor) -> Tensor| {
        let caught = std::panic::catch_unwind(|| call(&tf::constant(2.0)));
        *caught.unwrap_err().downcast::<String>().unwrap()
    };
    let text = message(differs);
    assert!(text.contains("the value of the loop") && text.contains("conditions.rs:136"), "{text}");
    let text = message(structure);
    assert!(
        text.contains("the value of the loop") && text.contains("structure") && text.contains("conditions.rs:164"),
        "{text}"
    );
    eager_vs_graph!(agrees(x); x in [2.0, -2.0, 20.0]);
}
