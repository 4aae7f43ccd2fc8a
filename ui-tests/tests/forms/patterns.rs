//! `match`, `if let`, `while let`, `let else`, and patterns wherever they bind.

use crate::{same, table};
use eagerflow as tf;
use tf::{Nest, Tensor, tf_function};

#[derive(Clone, Copy, PartialEq, Debug, Nest)]
enum Mode {
    Off,
    Scaled(f32),
    Shifted { by: f32, twice: bool },
}

#[test]
fn match_on_enum() {
    #[tf_function]
    fn f(x: &Tensor, mode: Mode) -> Tensor {
        match mode {
            Mode::Off => x.clone(),
            Mode::Scaled(by) if by > 5.0 => x * 5.0,
            Mode::Scaled(by) => {
                if x > 1.0 {
                    x * by
                } else {
                    return tf::constant(0.0);
                }
            }
            Mode::Shifted { by, twice: true } => x + by * 2.0,
            Mode::Shifted { by, .. } => x + by,
        }
    }
    table(|x| f(x, Mode::Off), &[(2.0, 2.0)]);
    table(|x| f(x, Mode::Scaled(9.0)), &[(2.0, 10.0)]);
    table(|x| f(x, Mode::Scaled(3.0)), &[(2.0, 6.0), (0.5, 0.0)]);
    table(|x| f(x, Mode::Shifted { by: 3.0, twice: true }), &[(2.0, 8.0)]);
    table(|x| f(x, Mode::Shifted { by: 3.0, twice: false }), &[(2.0, 5.0)]);
}

#[test]
fn match_on_numbers_and_texts() {
    #[tf_function]
    fn f(x: &Tensor, n: usize, name: &str) -> Tensor {
        let y = match n {
            0 => x.clone(),
            1..=3 => x * n as f32,
            k @ (4 | 5) => x - k as f32,
            _ => tf::constant(0.0),
        };
        match (name, n % 2) {
            ("relu", _) => {
                if y > 0.0 {
                    y
                } else {
                    tf::constant(0.0)
                }
            }
            ("neg", 0) => -y,
            (_, odd) => y + odd as f32,
        }
    }
    table(|x| f(x, 3, "relu"), &[(2.0, 6.0), (-2.0, 0.0)]);
    table(|x| f(x, 4, "neg"), &[(1.0, 3.0)]);
    table(|x| f(x, 5, ""), &[(1.0, -3.0)]);
    table(|x| f(x, 9, ""), &[(1.0, 1.0)]);
}

#[test]
fn match_in_graph_loop() {
    #[tf_function]
    fn f(x: &Tensor, modes: [Mode; 2]) -> Tensor {
        let mut y = x.clone();
        while &y < 20.0 {
            for mode in modes {
                y = match mode {
                    Mode::Scaled(by) => y * by,
                    Mode::Shifted { by, .. } => y + by,
                    Mode::Off => break,
                };
            }
        }
        y
    }
    table(|x| f(x, [Mode::Scaled(2.0), Mode::Shifted { by: 1.0, twice: false }]), &[(1.0, 31.0)]);
    table(|x| f(x, [Mode::Scaled(3.0), Mode::Off]), &[(1.0, 27.0)]);
}

#[test]
fn if_let_chain() {
    #[tf_function]
    fn f(x: &Tensor, bias: Option<&Tensor>, scale: Option<f32>) -> Tensor {
        let mut y = x.clone();
        if let Some(bias) = bias {
            y = y + bias;
        } else if let Some(scale) = scale
            && scale > 1.0
        {
            if y > 1.0 {
                y = y * scale;
            }
        }
        y
    }
    let one = tf::constant(1.0);
    table(|x| f(x, Some(&one), None), &[(2.0, 3.0)]);
    table(|x| f(x, None, Some(4.0)), &[(2.0, 8.0), (0.5, 0.5)]);
    table(|x| f(x, None, Some(0.5)), &[(2.0, 2.0)]);
}

#[test]
fn while_let() {
    #[tf_function]
    fn f(x: &Tensor, mut factors: Vec<f32>) -> Tensor {
        let mut y = x.clone();
        while let Some(by) = factors.pop() {
            if &y > 50.0 {
                break;
            }
            y = y * by;
        }
        y
    }
    table(|x| f(x, vec![2.0, 3.0, 4.0]), &[(1.0, 24.0), (20.0, 80.0)]);
}

#[test]
fn patterns_as_parameters() {
    #[tf_function]
    fn f((a, b): (&Tensor, Tensor), [c, _]: [f32; 2], &d: &f32) -> Tensor {
        if a > c { a * &b } else { b + d }
    }
    table(|x| f((x, x * 2.0), [1.0, 9.0], &3.0), &[(2.0, 8.0), (0.5, 4.0)]);
}

#[derive(Clone, Nest)]
struct Point {
    x: Tensor,
    y: Tensor,
    #[nest(value)]
    label: &'static str,
}

#[test]
fn destructuring() {
    #[tf_function]
    fn f(point: Point) -> Tensor {
        let Point { x, y: height, label: _ } = &point;
        let (mut a, mut b) = (x.clone(), height.clone());
        if &a < &b {
            (a, b) = (b, a);
        }
        let [first, .., last] = [&a, &b, x];
        let (sum, _) = (first - last, 0);
        sum * &b + a
    }
    table(|x| f(Point { x: x.clone(), y: tf::constant(2.0), label: "p" }), &[(1.0, 3.0), (3.0, 3.0)]);
}

#[test]
fn shadowing() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let y = x * 2.0;
        let y = if y > 2.0 {
            let y = y + 1.0;
            y
        } else {
            y
        };
        for y in 0..2 {
            let x = x + y as f32;
            if x > 100.0 {
                return x;
            }
        }
        let x = y;
        x
    }
    table(f, &[(2.0, 5.0), (1.0, 2.0), (100.0, 101.0)]);
}

#[test]
fn matches_and_bindings() {
    #[tf_function]
    fn f(x: &Tensor, mode: Mode) -> (Tensor, bool) {
        let small = matches!(mode, Mode::Scaled(by) if by < 1.0);
        let ref y = x * 2.0;
        let y = if small {
            y.clone()
        } else if y > 3.0 {
            y - 3.0
        } else {
            y + 3.0
        };
        (y, small)
    }
    let run = |x: f32, mode| {
        same(|| {
            let (y, small) = f(&tf::constant(x), mode);
            (y.item::<f32>(), small)
        })
    };
    assert_eq!(run(2.0, Mode::Scaled(0.5)), (4.0, true));
    assert_eq!(run(2.0, Mode::Off), (1.0, false));
}
