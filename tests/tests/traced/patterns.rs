//! `match`, `if let`, `let else` and `while let` on host values, with branches and jumps of the graph inside.

use eagerflow as tf;
use tf::{Module, Tensor, tf_function};

#[derive(Clone, Copy, PartialEq, Debug, Module)]
enum Activation {
    Linear,
    Relu,
    Leaky { slope: f32 },
}

/// An enum of the host chooses the operations.
#[tf_function]
fn activate(x: &Tensor, how: Activation) -> Tensor {
    match how {
        Activation::Linear => x.clone(),
        Activation::Relu => {
            if x > 0.0 {
                x * 1.0
            } else {
                tf::constant(0.0)
            }
        }
        Activation::Leaky { slope } if slope > 1.0 => x * slope,
        Activation::Leaky { slope } => {
            if x > 0.0 {
                return x.clone();
            }
            x * slope
        }
    }
}

/// `if let` with a branch of the graph inside and an `else`.
#[tf_function]
fn optional_bias(x: &Tensor, bias: Option<&Tensor>) -> Tensor {
    let mut y = x * 2.0;
    if let Some(bias) = bias {
        if bias > 0.0 {
            y = y + bias;
        }
    } else {
        y = y - 1.0;
    }
    y
}

/// `let else` whose other side returns.
#[tf_function]
fn let_else(x: &Tensor, scale: Option<f32>) -> Tensor {
    let y = if x > 1.0 { x.square() } else { x.clone() };
    let Some(scale) = scale else {
        return y - 1.0;
    };
    y * scale
}

/// `while let` on a host list, with a `break` of the graph.
#[tf_function]
fn while_let(x: &Tensor, mut factors: Vec<f32>) -> Tensor {
    let mut y = x.clone();
    while let Some(factor) = factors.pop() {
        y = y * factor;
        if y > 10.0 {
            break;
        }
    }
    y
}

/// A `match` in a loop of the graph, whose arms jump.
#[tf_function]
fn match_in_a_loop(x: &Tensor, mode: u32) -> Tensor {
    let mut y = x.clone();
    let mut i = tf::constant(0);
    while i < 6 {
        i = i + 1;
        match mode {
            0 => y = y + 1.0,
            1 => {
                if y > 2.0 {
                    break;
                }
                y = y * 1.5;
            }
            2 => {
                if &i % 2 == 0 {
                    continue;
                }
                y = y + &i.cast(tf::DType::F32);
            }
            _ => {
                if y > 3.0 {
                    return -y;
                }
                y = y + 0.75;
            }
        }
        y = y + 0.125;
    }
    y
}

/// Patterns that take tuples and slices apart.
#[tf_function]
fn destructured((a, b): (&Tensor, &Tensor), weights: [f32; 3]) -> Tensor {
    let [first, .., last] = weights;
    let (small, large) = if a < b { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) };
    small * first + large * last
}

/// A chain of patterns and conditions of the host.
#[tf_function]
fn chain(x: &Tensor, limits: Option<(f32, f32)>, on: bool) -> Tensor {
    if let Some((low, high)) = limits
        && on
        && low < high
    {
        if x < low {
            return tf::constant(low) + x * 0.0;
        }
        if x > high {
            return tf::constant(high) + x * 0.0;
        }
    }
    x * 1.0
}

#[test]
fn matches() {
    eager_vs_graph!({ activate(x, Activation::Linear) }; x in [1.0, -2.0]);
    eager_vs_graph!({ activate(x, Activation::Relu) }; x in [1.0, -2.0]);
    eager_vs_graph!({ activate(x, Activation::Leaky { slope: 0.25 }) }; x in [1.0, -2.0]);
    eager_vs_graph!({ activate(x, Activation::Leaky { slope: 2.0 }) }; x in [1.0, -2.0]);
    eager_vs_graph!({ match_in_a_loop(x, 0) }; x in [1.0, -2.0]);
    eager_vs_graph!({ match_in_a_loop(x, 1) }; x in [1.0, 3.0]);
    eager_vs_graph!({ match_in_a_loop(x, 2) }; x in [1.0, -2.0]);
    eager_vs_graph!({ match_in_a_loop(x, 3) }; x in [1.0, -20.0]);
}

#[test]
fn if_let_and_let_else() {
    eager_vs_graph!({ optional_bias(x, Some(b)) }; (x, b) in [(1.0, 3.0), (1.0, -3.0)]);
    eager_vs_graph!({ optional_bias(x, None) }; x in [1.0, -3.0]);
    eager_vs_graph!({ let_else(x, Some(0.5)) }; x in [0.5, 3.0]);
    eager_vs_graph!({ let_else(x, None) }; x in [0.5, 3.0]);
    eager_vs_graph!({ while_let(x, vec![1.0, 3.0, 2.0]) }; x in [1.0, 4.0, 30.0]);
    eager_vs_graph!({ chain(x, Some((-1.0, 1.0)), true) }; x in [0.5, 3.0, -3.0]);
    eager_vs_graph!({ chain(x, Some((-1.0, 1.0)), false) }; x in [3.0]);
    eager_vs_graph!({ chain(x, None, true) }; x in [3.0]);
}

#[test]
fn destructuring() {
    eager_vs_graph!({ destructured((a, b), [2.0, 7.0, 0.5]) }; (a, b) in [(1.0, 2.0), (4.0, 3.0)]);
}
