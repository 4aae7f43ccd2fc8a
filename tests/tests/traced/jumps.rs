//! `break`, `continue` and `return`, with labels and values, out of branches and nested loops; and `?`.

use eagerflow as tf;
use tf::{Tensor, tf_function};

/// Both jumps in one loop.
#[tf_function]
fn both(limit: &Tensor) -> (Tensor, Tensor) {
    let mut sum = tf::constant(0);
    let mut skipped = tf::constant(0);
    let mut i = tf::constant(0);
    while i < 50 {
        i = i + 1;
        if &i % 3 == 0 {
            skipped = skipped + 1;
            continue;
        }
        sum = sum + &i;
        if &sum > limit {
            break;
        }
        sum = sum + 1;
    }
    (sum, skipped)
}

/// What follows a `break` in the same round is not run.
#[tf_function]
fn not_the_rest(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 5 {
        if y > 4.0 {
            y = y + 0.5;
            break;
        }
        y = y * 1.5;
        i = i + 1;
    }
    y
}

/// A labelled `continue` and `break` from the inner loop.
#[tf_function]
fn labelled(n: &Tensor) -> Tensor {
    let mut count = tf::constant(0);
    let mut i = tf::constant(1);
    'rows: while i < 12 {
        i = i + 1;
        let mut j = tf::constant(2);
        while j < i {
            if &i % &j == 0 {
                continue 'rows;
            }
            if &i * &j > n {
                break 'rows;
            }
            j = j + 1;
        }
        count = count + &i;
    }
    count
}

/// A labelled block.
#[tf_function]
fn block(x: &Tensor) -> Tensor {
    let y = 'found: {
        if x > 3.0 {
            break 'found x * 2.0;
        }
        let y = x + 1.0;
        if y < 0.0 {
            break 'found y.square();
        }
        y
    };
    y * x
}

/// A `return` from the middle of a loop, with what was computed so far.
#[tf_function]
fn from_a_loop(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 10 {
        y = &y * x;
        if y > 50.0 {
            return y + 0.25;
        }
        i = i + 1;
    }
    -y
}

/// A `return` out of three loops at once.
#[tf_function]
fn three_deep(n: &Tensor) -> Tensor {
    for a in tf::range(1, 12, 1) {
        for b in tf::range(&a, 14, 1) {
            let mut c = b.clone();
            while c < 20 {
                if &a * &a + &b * &b == &c * &c && &a + &b + &c > n {
                    return tf::stack(&[&a, &b, &c], 0);
                }
                c = c + 1;
            }
        }
    }
    tf::constant([0, 0, 0])
}

/// Many returns in a row, some of them in one another.
#[tf_function]
fn guards(x: &Tensor, y: &Tensor) -> Tensor {
    if x < 0.0 {
        if y < 0.0 {
            return x * y;
        }
        return y.clone();
    }
    let z = x + y;
    if z > 10.0 {
        return z.sqrt();
    }
    if y < 0.0 {
        return z.exp();
    } else if x > 5.0 {
        return x - y;
    }
    z
}

/// All ways return.
#[tf_function]
fn all_return(x: &Tensor) -> Tensor {
    if x > 0.0 {
        return x * 2.0;
    } else {
        return x.square();
    }
}

/// Host jumps and jumps of the graph in one loop.
#[tf_function]
fn mixed(x: &Tensor, skip: usize, stop: usize) -> Tensor {
    let mut y = x.clone();
    for i in 0..10 {
        if i == skip {
            continue;
        }
        if i == stop {
            break;
        }
        if y > 20.0 {
            break;
        }
        y = y * 1.5 + i as f32;
        if y < 0.0 {
            return y;
        }
    }
    y
}

/// A `loop` whose only exit depends on a value and a flag of the host.
#[tf_function]
fn flag(x: &Tensor, once: bool) -> Tensor {
    let mut y = x.clone();
    loop {
        y = y + 1.0;
        if once {
            break;
        }
        if y > 6.0 {
            break;
        }
    }
    y
}

/// A value-carrying `break` out of an outer `loop`.
#[tf_function]
fn outer_value(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    let out = 'outer: loop {
        let mut i = tf::constant(0);
        while i < 3 {
            y = y * 1.25;
            if y > 9.0 {
                break 'outer &y - x;
            }
            i = i + 1;
        }
        y = y + 1.0;
    };
    out * 2.0
}

/// `?` on results of the library: errors leave the function while it is traced.
#[tf_function]
fn question(x: &Tensor, y: &Tensor) -> tf::Result<Tensor> {
    let mut z = x.try_add(y)?;
    if tf::reduce_sum(&z, ()) > 3.0 {
        z = z.try_multiply(x)?;
        return Ok(z);
    }
    Ok(z.try_matmul(y).unwrap_or(z))
}

/// `?` on an `Option` of the host, in a branch of the graph.
#[tf_function]
fn option(x: &Tensor, factor: Option<f32>) -> Option<Tensor> {
    let mut y = x.clone();
    if x > 0.0 {
        y = y * 2.0;
    }
    let factor = factor?;
    Some(y * factor)
}

/// A loop's body gives a variable a value, moves it, and leaves: what a round that comes to its end needs is there anyhow.
#[allow(unused_assignments, reason = "counters that a jump makes useless are part of the sample")]
#[tf_function]
fn moved_and_left(x: &Tensor) -> Tensor {
    let mut kept = x * 0.5;
    let mut last = tf::constant(0.0);
    'all: for row in &tf::stack(&[x, &(x + 1.0), &(x * 3.0)], 0) {
        let mut i = tf::constant(0);
        while i < 2 {
            i = i + 1;
            if &row > 10.0 {
                kept = &row * 2.0;
                last = kept;
                break 'all;
            }
            let mut j = tf::constant(0);
            while j < i {
                j = j + 1;
                kept = &row + 1.0;
                last = kept;
                if &row > 7.0 {
                    return last * 100.0;
                }
                break 'all;
            }
        }
        last = last + &kept;
    }
    last
}

/// As above, with a loop of the host inside.
#[tf_function]
fn moved_in_host_rounds(x: &Tensor, n: usize) -> Tensor {
    let mut kept = x * 0.5;
    let mut last = tf::constant(0.0);
    let mut i = tf::constant(0);
    'all: while i < 3 {
        i = i + 1;
        for k in 0..n {
            kept = &kept + k as f32;
            if &kept > 6.0 {
                last = kept;
                break 'all;
            }
            kept = kept.tanh() + &last;
        }
        last = last + &kept;
    }
    last
}

#[test]
fn breaks_and_continues() {
    eager_vs_graph!(both(limit); limit in [0, 20, 100_000]);
    eager_vs_graph!(not_the_rest(x); x in [1.0, 10.0, -1.0]);
    eager_vs_graph!(labelled(n); n in [1000, 30, 0]);
    eager_vs_graph!(block(x); x in [4.0, 1.0, -3.0]);
    eager_vs_graph!({ mixed(x, 2, 7) }; x in [1.0, 15.0, -3.0]);
    eager_vs_graph!({ flag(x, true) }; x in [1.0]);
    eager_vs_graph!({ flag(x, false) }; x in [1.0, 10.0]);
    eager_vs_graph!(outer_value(x); x in [1.0, 8.0, 20.0]);
    eager_vs_graph!(moved_and_left(x); x in [1.0, 8.0, 20.0]);
    eager_vs_graph!({ moved_in_host_rounds(x, 3) }; x in [1.0, 8.0, 20.0]);
}

#[test]
fn returns() {
    eager_vs_graph!(from_a_loop(x); x in [2.0, 1.1, 60.0]);
    eager_vs_graph!(three_deep(n); n in [0, 12, 100]);
    eager_vs_graph!(guards(x, y);
        (x, y) in [(-1.0, -2.0), (-1.0, 2.0), (6.0, 6.0), (1.0, -0.5), (6.0, 0.5), (1.0, 2.0)]);
    eager_vs_graph!(all_return(x); x in [3.0, -2.0]);
}

#[test]
fn question_marks() {
    eager_vs_graph!({ question(x, y).unwrap() }; (x, y) in [([1.0, 2.0], [0.5, 1.0]), ([0.5, 0.25], [0.5, 1.0])]);
    let error = question(&tf::ones([2]), &tf::ones([3])).unwrap_err();
    assert!(matches!(error, tf::Error::InvalidArgument(_)), "{error}");
    eager_vs_graph!({ option(x, Some(0.5)) }; x in [3.0, -2.0]);
    assert!(option(&tf::constant(1.0), None).is_none());
}
