//! Host control flow in a traced function: patterns, iterators, options, errors, locks.

use eagerflow::{self as tf, Error, Tensor, tf_function};
use std::collections::HashMap;
use std::sync::Mutex;

struct Dense {
    kernel: Tensor,
    active: bool,
}

/// `?` in a branch, and a `Result` as the value.
#[tf_function]
fn fallible(x: &Tensor, c: &Tensor) -> Result<Tensor, Error> {
    if c {
        let y = x.try_matmul(x)?;
        return Ok(y);
    }
    Ok(x + 1.0)
}

/// Host `break` and `continue` in the same loop as a tensor's.
#[tf_function]
fn host_jumps(x: &Tensor, skip: usize, stop: usize) -> Tensor {
    let mut y = x.clone();
    for i in 0..10 {
        if i == skip {
            continue;
        }
        if i == stop {
            break;
        }
        if tf::reduce_sum(&y, ()) > 20.0 {
            break;
        }
        y = y + i as f32;
    }
    y
}

/// Branches that are host values of other kinds: references, maps, options.
#[tf_function]
fn other_values(x: &Tensor, which: bool, c: &Tensor) -> Tensor {
    let one = Dense { kernel: tf::constant(2.0), active: true };
    let two = Dense { kernel: tf::constant(5.0), active: false };
    let chosen = if which { &one } else { &two };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut last = None;
    let mut all = Vec::new();
    if c {
        seen.insert("a".to_string(), 1);
        all.push(x.clone());
    }
    for i in 0..3 {
        if chosen.active {
            last = Some(i);
        }
    }
    let extra = last.map_or(0.0, |i| i as f32) + all.len() as f32 + seen.len() as f32;
    x * &chosen.kernel + extra
}

/// Literals of any integer type, an empty list, a parsed number.
#[tf_function]
fn open_types(x: &Tensor, text: &str) -> Tensor {
    let mut i = 0;
    let mut list = Vec::new();
    let n: usize = text.parse().unwrap();
    while i < n {
        if x > 0.0 {
            list.push(i as f32);
        }
        i += 1;
    }
    x + list.iter().sum::<f32>()
}

/// `match`, `if let` and chains are Rust's own; jumps inside work.
#[tf_function]
fn patterns(x: &Tensor, how: Option<u32>, c: &Tensor) -> Tensor {
    let mut y = x.clone();
    if let Some(n) = how
        && n > 1
    {
        if c {
            return y * n as f32;
        }
        y = y + 1.0;
    }
    let z = match how {
        None => return -y,
        Some(0) => y.clone(),
        Some(n) if n == 2 => {
            if c {
                y.clone()
            } else {
                &y + 7.0
            }
        }
        Some(_) => y * 3.0,
    };
    let Some(n) = how else { return z };
    z + n as f32
}

/// A value behind a lock, an element of a slice.
#[tf_function]
fn behind(x: &Tensor, c: &Tensor) -> Tensor {
    let shared = Mutex::new(x.clone());
    let mut pair = [x.clone(), x.clone()];
    {
        let mut guard = shared.lock().unwrap();
        if c {
            *guard = &*guard + 1.0;
            pair[0] = &pair[0] * 2.0;
        } else {
            pair[1] = &pair[1] * 3.0;
        }
    }
    let out = shared.lock().unwrap().clone();
    out + &pair[0] + &pair[1]
}

/// `while let`, a labelled block, a host iterator advanced on the way.
#[tf_function]
fn more_loops(x: &Tensor, c: &Tensor) -> Tensor {
    let mut y = x.clone();
    let mut stack = vec![1.0f32, 2.0, 3.0];
    while let Some(top) = stack.pop() {
        if c {
            break;
        }
        y = y + top;
    }
    let mut it = [10.0f32, 20.0].into_iter();
    let ten = it.next().unwrap();
    let block = 'block: {
        if c {
            break 'block tf::constant(ten);
        }
        tf::constant(it.next().unwrap())
    };
    y + block
}

#[test]
fn runs() {
    let (yes, no) = (tf::constant(true), tf::constant(false));
    let x = tf::constant(3.0);
    // Both branches are recorded, so the first one's fault is found whatever the condition will be.
    assert!(fallible(&x, &no).is_err());
    let square = tf::constant([[2.0, 0.0], [0.0, 2.0]]);
    assert_eq!(fallible(&square, &yes).unwrap().to_vec::<f32>(), [4.0, 0.0, 0.0, 4.0]);
    assert_eq!(fallible(&square, &no).unwrap().to_vec::<f32>(), [3.0, 1.0, 1.0, 3.0]);
    assert_eq!(host_jumps(&x, 2, 4).item::<f32>(), 7.0);
    assert_eq!(host_jumps(&x, 0, 10).item::<f32>(), 24.0);
    // What a branch of the graph does to a host list could not be undone; operation by operation one branch runs.
    tf::config::run_functions_eagerly(true);
    assert_eq!(other_values(&x, true, &yes).item::<f32>(), 10.0);
    assert_eq!(other_values(&x, false, &no).item::<f32>(), 15.0);
    assert_eq!(open_types(&x, "4").item::<f32>(), 9.0);
    tf::config::run_functions_eagerly(false);
    assert_eq!(patterns(&x, None, &yes).item::<f32>(), -3.0);
    assert_eq!(patterns(&x, Some(2), &yes).item::<f32>(), 6.0);
    assert_eq!(patterns(&x, Some(2), &no).item::<f32>(), 13.0);
    assert_eq!(patterns(&x, Some(1), &no).item::<f32>(), 10.0);
    assert_eq!(behind(&x, &yes).item::<f32>(), 13.0);
    assert_eq!(behind(&x, &no).item::<f32>(), 15.0);
    assert_eq!(more_loops(&x, &yes).item::<f32>(), 13.0);
    assert_eq!(more_loops(&x, &no).item::<f32>(), 29.0);
}
