//! Variables that are declared without a value and get it later, by one name, by a tuple, an array or a structure, in front of
//! loops and branches that jump.

use eagerflow as tf;
use tf::{Tensor, tf_function};

fn taken(x: Tensor) -> Tensor {
    x * 1.5
}

struct Pair {
    a: Tensor,
    b: Tensor,
}

struct Two(Tensor, Tensor);

fn pair(x: &Tensor) -> Pair {
    Pair { a: x + 1.0, b: x * 3.0 }
}

#[tf_function]
fn one_name(x: &Tensor) -> Tensor {
    let mut a;
    let b;
    a = x + 1.0;
    b = x * 3.0;
    while &a < 40.0 {
        a = a * 2.0;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            break;
        }
        if &a > 10.0 {
            continue;
        }
        a = a + 1.0;
    }
    a + b
}

#[tf_function]
fn tuple(x: &Tensor) -> Tensor {
    let (mut a, b);
    (a, b) = (x + 1.0, x * 3.0);
    while &a < 40.0 {
        a = a * 2.0;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            break;
        }
        if &a > 10.0 {
            continue;
        }
        a = a + 1.0;
    }
    a + b
}

#[tf_function]
fn tuple_of_fixed(x: &Tensor) -> Tensor {
    let (a, b);
    (a, b) = (x + 1.0, x * 3.0);
    let mut y = x.clone();
    while &y < 40.0 {
        y = y * 2.0 + &a;
        if &y > 30.0 {
            return taken(b);
        }
        if &y > 20.0 {
            last(&mut y, a);
            break;
        }
    }
    y + b
}

fn last(y: &mut Tensor, a: Tensor) {
    *y = &*y + a;
}

#[tf_function]
fn nested(x: &Tensor) -> Tensor {
    let ((mut a, b), [c, mut d]);
    ((a, b), [c, d]) = ((x + 1.0, x * 3.0), [x * 0.5, x - 1.0]);
    while &a < 40.0 {
        a = a * 2.0;
        d = d + &c;
        if &a > 30.0 {
            return taken(b) + taken(c);
        }
        if &a > 20.0 {
            d = b;
            break;
        }
    }
    a + d
}

#[tf_function]
fn array(x: &Tensor) -> Tensor {
    let [mut a, b, ..]: [Tensor; 3];
    [a, b, ..] = [x + 1.0, x * 3.0, x * 5.0];
    loop {
        a = a * 2.0;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            a = b;
            break;
        }
    }
    a
}

#[tf_function]
fn structure(x: &Tensor) -> Tensor {
    let (mut a, b);
    Pair { a, b } = pair(x);
    while &a < 40.0 {
        a = a * 2.0;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            a = taken(b);
            break;
        }
    }
    a
}

#[tf_function]
fn tuple_structure(x: &Tensor) -> Tensor {
    let (mut a, b);
    Two(a, b) = Two(x + 1.0, x * 3.0);
    while &a < 40.0 {
        a = a * 2.0;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            a = taken(b);
            break;
        }
    }
    a
}

#[tf_function]
fn part_by_part(x: &Tensor) -> Tensor {
    let (mut a, b);
    (a, _) = (x + 1.0, 0);
    b = &a * 3.0;
    for row in &tf::constant([1.0, 4.0, 9.0]) {
        a = a * 2.0 + &row;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            continue;
        }
        if &a > 10.0 {
            a = b;
            break;
        }
    }
    a
}

#[tf_function]
fn in_both_arms(x: &Tensor) -> Tensor {
    let (mut a, b);
    if x > 2.0 {
        (a, b) = (x + 1.0, x * 3.0);
    } else {
        Pair { a, b } = pair(&(x * 0.5));
    }
    while &a < 40.0 {
        a = a * 2.0;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            a = taken(b);
            break;
        }
    }
    a
}

#[tf_function]
fn in_one_arm(x: &Tensor) -> Tensor {
    let (mut a, b);
    if x > 2.0 {
        Two(a, b) = Two(x + 1.0, x * 3.0);
    } else {
        return -x;
    }
    while &a < 40.0 {
        a = a * 2.0;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            a = taken(b);
            break;
        }
    }
    a
}

#[tf_function]
fn in_arms_of_a_match(x: &Tensor, by: Option<f32>) -> Tensor {
    let (mut a, b);
    match by {
        Some(by) => (a, b) = (x + by, x * by),
        None => [a, b] = [x + 1.0, x * 3.0],
    }
    while &a < 40.0 {
        a = a * 2.0;
        if &a > 30.0 {
            return taken(b);
        }
        if &a > 20.0 {
            a = taken(b);
            break;
        }
    }
    a
}

#[tf_function]
fn in_a_round(x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while &y < 40.0 {
        let (mut a, b);
        (a, b) = (&y * 2.0, &y + 1.0);
        loop {
            a = a + 1.0;
            if &a > 30.0 {
                return taken(b);
            }
            if &a > 8.0 {
                y = taken(b);
                break;
            }
        }
        if &y > 20.0 {
            continue;
        }
        y = y + a;
    }
    y
}

#[test]
fn by_one_name_and_by_tuples() {
    eager_vs_graph!(one_name(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!(tuple(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!(tuple_of_fixed(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!(nested(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
}

#[test]
fn by_arrays_and_structures() {
    eager_vs_graph!(array(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!(structure(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!(tuple_structure(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!(part_by_part(x); x in [0.5, 1.5, 4.0, 9.5, 14.5, 50.0]);
}

#[test]
fn in_branches_arms_and_rounds() {
    eager_vs_graph!(in_both_arms(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!(in_one_arm(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!({ in_arms_of_a_match(x, None) }; x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!({ in_arms_of_a_match(x, Some(2.0)) }; x in [0.5, 4.0, 9.5, 14.5, 50.0]);
    eager_vs_graph!(in_a_round(x); x in [0.5, 4.0, 9.5, 14.5, 50.0]);
}
