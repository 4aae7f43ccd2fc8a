//! All the rest of the syntax, around and inside of staged constructs; without a warning.
#![deny(warnings)]

use eagerflow::{self as tf, Nest, Tensor, tf_function};

#[derive(Nest)]
struct State {
    h: Tensor,
    c: Tensor,
    steps: usize,
}

const LIMIT: f32 = 4.0;

enum Mode {
    Off,
    On { by: f32 },
}

/// Places and assignments of all kinds.
#[tf_function]
fn places(x: &Tensor, flag: &Tensor) -> (Tensor, State) {
    let mut state = State { h: x.clone(), c: x * 2.0, steps: 0 };
    let mut list = [x.clone(), x.clone(), x.clone()];
    let (mut a, mut b) = (x.clone(), x + 1.0);
    let mut total = 0.0;
    for i in 0..=2usize {
        if flag {
            list[i] = &list[i] + i as f32;
            (a, b) = (b, a);
        } else {
            state.h += &list[i];
            list[i] *= 2.0;
        }
        total += i as f32;
        state.steps += 1;
    }
    let State { h, c, .. } = &state;
    let r#type = h + c;
    let next = State { h: if flag { r#type } else { x.clone() }, ..state };
    (a - b + &list[2] + total, next)
}

/// Constructs as operands, arguments, receivers.
#[tf_function]
fn operands(x: &Tensor, o: Option<f32>, mode: &str) -> Tensor {
    let y = tf::maximum(&if x > 0.0 { x.clone() } else { -x }, 1.0)
        + (if x > LIMIT { x.clone() } else { x * 2.0 }).square()
        - match o {
            Some(v) if v > 1.0 => v,
            Some(_) | None => 0.5,
        };
    let array = [if x > 0.0 { 1.0 } else { 1.0 }; 2];
    let mode = if mode == "on" { Mode::On { by: array[0] } } else { Mode::Off };
    let z = {
        let y = y + 1.0;
        unsafe { std::hint::unreachable_unchecked as unsafe fn() -> ! };
        match mode {
            Mode::Off => y,
            Mode::On { by } => {
                if y > by {
                    y * by
                } else {
                    return y;
                }
            }
        }
    };
    -(if z > 0.0 { z } else { tf::constant(0.0) })
}

/// `let .. else`, `?` in conditions, labels that repeat, blocks with values.
#[tf_function]
fn ways_out(x: &Tensor, texts: &[String]) -> Option<Tensor> {
    let mut y = x.clone();
    let Some(first) = texts.first() else {
        if x > 0.0 {
            y = y + 1.0;
        }
        return Some(y);
    };
    'a: loop {
        y = y + 1.0;
        'b: while y < first.parse::<f32>().ok()? {
            if y > 3.0 {
                break 'b;
            }
            y = y + 0.5;
            let step = match texts.get(1) {
                None => break,
                Some(text) if text.is_empty() => continue 'b,
                Some(text) => text.parse::<f32>().ok()?,
            };
            y = y + step;
        }
        if y > 5.0 {
            break 'a;
        }
    }
    #[allow(clippy::let_and_return)]
    let out = { y };
    Some(out)
}

/// Closures that give closures, nested functions, early ends of each.
#[tf_function]
fn inner(x: &Tensor) -> Tensor {
    fn twice(x: &Tensor) -> Tensor {
        if x.rank() > 0 {
            return x.clone();
        }
        x * 2.0
    }
    let scaled = |by: f32| {
        move |t: &Tensor| {
            if t > by {
                return t * by;
            }
            twice(t)
        }
    };
    let by_three = scaled(3.0);
    let all: Vec<Tensor> = (1..4).map(|i| by_three(&(x * i as f32))).collect();
    all.into_iter().fold(tf::constant(0.0), |sum, t| if t > 0.0 { sum + t } else { sum })
}

/// Loops in conditions and in values.
#[tf_function]
fn loops_as_values(x: &Tensor) -> Tensor {
    let mut n = x.clone();
    while {
        n = n - 1.0;
        n > 0.0
    } {
        n = n - loop {
            if x > 100.0 {
                break 1.0;
            }
            break 1.0;
        };
    }
    let m = if loop {
        if x > 2.0 {
            break true;
        } else {
            break true;
        }
    } {
        1.0
    } else {
        2.0
    };
    n + m
}

#[test]
fn runs() {
    let x = tf::constant(3.0);
    let (yes, no) = (tf::constant(true), tf::constant(false));
    let (a, state) = places(&x, &yes);
    assert_eq!((a.item::<f32>(), state.h.item::<f32>(), state.steps), (9.0, 9.0, 3));
    let (a, state) = places(&x, &no);
    assert_eq!((a.item::<f32>(), state.h.item::<f32>(), state.c.item::<f32>()), (8.0, 3.0, 6.0));
    assert_eq!(operands(&x, Some(2.0), "off").item::<f32>(), -38.0);
    assert_eq!(operands(&x, None, "on").item::<f32>(), -39.5);
    let texts = |all: &[&str]| all.iter().map(|t| t.to_string()).collect::<Vec<_>>();
    assert_eq!(ways_out(&x, &texts(&[])).unwrap().item::<f32>(), 4.0);
    assert!(ways_out(&x, &texts(&["a"])).is_none());
    assert_eq!(ways_out(&x, &texts(&["9"])).unwrap().item::<f32>(), 6.0);
    assert_eq!(ways_out(&-&x, &texts(&["9", "1"])).unwrap().item::<f32>(), 6.0);
    assert_eq!(inner(&x).item::<f32>(), 6.0 + 18.0 + 27.0);
    assert_eq!(loops_as_values(&x).item::<f32>(), 1.0);
}
