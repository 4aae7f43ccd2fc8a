//! Forms that meet: places behind references and patterns, jumps in the middle of values, receivers of every kind.

use crate::{same, table};
use eagerflow as tf;
use std::rc::Rc;
use tf::{Module, Nest, Tensor, Variable, tf_function};

#[derive(Clone, Nest)]
struct State {
    hidden: Tensor,
    extra: Option<Tensor>,
}

fn state(x: &Tensor) -> State {
    State { hidden: x.clone(), extra: Some(x * 2.0) }
}

#[test]
fn changes_through_patterns() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut state = state(x);
        if x > 1.0 {
            if let Some(extra) = &mut state.extra {
                *extra = &*extra + 1.0;
            }
            match &mut state {
                State { hidden, .. } => *hidden = &*hidden * 3.0,
            }
        } else {
            let State { hidden, extra: Some(extra) } = &mut state else { return x.clone() };
            std::mem::swap(hidden, extra);
        }
        state.hidden * state.extra.unwrap()
    }
    table(f, &[(2.0, 30.0), (1.0, 2.0)]);
}

#[test]
fn replace_take_and_swap() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let (mut a, mut b) = (x.clone(), Some(x * 2.0));
        if x > 1.0 {
            let old = std::mem::replace(&mut a, x * 10.0);
            b = Some(old);
        } else {
            std::mem::swap(&mut a, b.as_mut().unwrap());
        }
        a + b.take().unwrap() * 0.5
    }
    table(f, &[(2.0, 21.0), (1.0, 2.5)]);
}

#[test]
fn jumps_inside_of_values() {
    #[tf_function]
    fn f(x: &Tensor, steps: &[Option<f32>]) -> Tensor {
        let mut y = x.clone();
        for step in steps {
            let by = match step {
                Some(by) => *by,
                None => continue,
            };
            y = if y > 10.0 {
                break;
            } else if y < 0.0 {
                return y * 100.0;
            } else {
                y * by
            };
        }
        y
    }
    table(|x| f(x, &[Some(3.0), None, Some(4.0), Some(5.0)]), &[(1.0, 12.0), (0.5, 30.0), (-1.0, -100.0)]);
}

#[test]
fn break_with_value_to_an_outer_loop() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        let found = 'search: loop {
            for k in 1..4 {
                if &y % 7.0 == 0.0 {
                    break 'search &y + k as f32 * 0.25;
                }
                y = y + 1.0;
            }
            if y > 50.0 {
                break tf::constant(-1.0);
            }
        };
        found
    }
    table(f, &[(5.0, 7.75), (13.0, 14.5), (7.0, 7.25)]);
}

#[test]
fn loop_that_only_returns() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        loop {
            y = y * 2.0;
            if y > 10.0 {
                return y;
            }
        }
    }
    table(f, &[(1.0, 16.0), (20.0, 40.0)]);
}

#[test]
fn question_mark_in_graph_loops() {
    #[tf_function]
    fn f(x: &Tensor, texts: &[&str]) -> tf::Result<Tensor> {
        let mut y = x.clone();
        while &y < 10.0 {
            for text in texts {
                let by: f32 = text.parse().map_err(|_| tf::Error::not_found("f", *text))?;
                y = y.try_add(&Tensor::from(by))?;
            }
        }
        Ok(y)
    }
    table(|x| f(x, &["1", "2.5"]).unwrap(), &[(1.0, 11.5), (20.0, 20.0)]);
    assert!(same(|| f(&tf::constant(1.0), &["1", "x"]).is_err()));
}

#[test]
fn slice_patterns() {
    #[tf_function]
    fn f(all: &[Tensor]) -> Tensor {
        match all {
            [] => tf::constant(0.0),
            [one] => one.clone(),
            [first, middle @ .., last] => {
                let mut y = first + last;
                for t in middle {
                    if t > first {
                        y = y * t;
                    }
                }
                y
            }
        }
    }
    let run = |n: usize| same(|| f(&(0..n).map(|i| tf::constant(i as f32 + 1.0)).collect::<Vec<_>>()).item::<f32>());
    assert_eq!([0, 1, 2, 4].map(run), [0.0, 1.0, 3.0, 30.0]);
}

#[test]
fn for_patterns() {
    #[tf_function]
    fn f(x: &Tensor, pairs: &[(f32, usize)]) -> Tensor {
        let mut y = x.clone();
        for (i, &(by, times)) in pairs.iter().enumerate() {
            for _ in 0..times {
                if y < 30.0 {
                    y = y * by + i as f32;
                }
            }
        }
        for &(by, ..) in pairs {
            y = y - by;
        }
        y
    }
    table(|x| f(x, &[(2.0, 2), (3.0, 1)]), &[(1.0, 8.0), (40.0, 35.0)]);
}

#[test]
fn host_variables_beside() {
    #[tf_function]
    fn f(mut x: Tensor, mut n: usize, _unused: bool, _: &str) -> Tensor {
        let mut names = String::new();
        while n > 0 {
            n -= 1;
            names.push_str(&format!("{n},"));
            if &x < 10.0 {
                x = x * 2.0;
            }
        }
        x + names.len() as f32
    }
    table(|x| f(x.clone(), 3, true, ""), &[(1.0, 14.0), (6.0, 18.0)]);
}

#[test]
fn logic_of_tensors() {
    #[tf_function]
    fn f(x: &Tensor, flag: bool) -> Tensor {
        let large = tf::greater(x, 5.0);
        let even = tf::equal(x % 2.0, 0.0);
        let mut y = x.clone();
        if (&large & &even) | !(&large ^ &even) && !flag {
            y = y * 10.0;
        }
        if flag || large {
            y = y + 1.0;
        }
        y
    }
    table(|x| f(x, false), &[(6.0, 61.0), (3.0, 30.0), (7.0, 8.0), (2.0, 2.0)]);
    table(|x| f(x, true), &[(6.0, 7.0), (3.0, 4.0)]);
}

#[derive(Module)]
struct Scale {
    by: Variable,
}

trait Layer {
    const LIMIT: f32;

    fn by(&self) -> Tensor;

    #[tf_function]
    fn call(&self, x: &Tensor) -> Tensor
    where
        Self: Module + Sized,
    {
        if x > Self::LIMIT { x.clone() } else { x * self.by() }
    }
}

impl Layer for Scale {
    const LIMIT: f32 = 5.0;

    fn by(&self) -> Tensor {
        self.by.value()
    }
}

#[test]
fn default_methods_of_traits() {
    let scale = Scale { by: Variable::new(3.0) };
    table(|x| scale.call(x), &[(2.0, 6.0), (6.0, 6.0)]);
}

impl Scale {
    #[tf_function]
    fn by_reference(self: &Self, x: &Tensor) -> Tensor {
        if x > 1.0 { x * &self.by } else { x.clone() }
    }

    #[tf_function]
    fn counted(self: Rc<Self>, x: &Tensor) -> Tensor {
        if x > 1.0 { x * &self.by } else { x.clone() }
    }
}

impl State {
    #[tf_function]
    fn typed(self: &mut Self, x: &Tensor) -> Tensor {
        if x > 1.0 {
            self.hidden = x * 2.0;
        }
        &self.hidden + 1.0
    }

    /// `self` in a macro, in a text, in a closure, in another method's arguments.
    #[tf_function]
    fn everywhere(&mut self, x: &Tensor) -> Vec<Tensor> {
        let all = vec![self.hidden.clone(), self.typed(x)];
        let text = format!("{}", all.len());
        assert!(self.hidden > -100.0, "{text}");
        let add = |t: &Tensor| if t > 0.0 { t + &self.hidden } else { t.clone() };
        let more: Vec<Tensor> = all.iter().map(add).collect();
        self.hidden = self.step(&more[0]);
        more
    }

    fn step(&self, x: &Tensor) -> Tensor {
        &self.hidden + x
    }
}

#[test]
fn receivers() {
    let scale = Rc::new(Scale { by: Variable::new(3.0) });
    table(|x| scale.by_reference(x), &[(2.0, 6.0), (1.0, 1.0)]);
    table(|x| scale.clone().counted(x), &[(2.0, 6.0), (1.0, 1.0)]);
    let run = |x: f32| {
        same(|| {
            let mut state = state(&tf::constant(1.0));
            let y = state.typed(&tf::constant(x)).item::<f32>();
            let all = state.everywhere(&tf::constant(x));
            (y, all.iter().map(|t| t.item::<f32>()).collect::<Vec<_>>(), state.hidden.item::<f32>())
        })
    };
    assert_eq!(run(2.0), (5.0, vec![8.0, 9.0], 12.0));
    assert_eq!(run(0.5), (2.0, vec![2.0, 3.0], 3.0));
}

#[test]
fn references_in_arguments() {
    #[tf_function]
    fn f(pair: (&Tensor, &[Tensor]), list: Vec<&Tensor>, maybe: Option<&Tensor>, boxed: Box<Tensor>) -> Tensor {
        let mut y = pair.0 + &pair.1[0];
        for t in &list {
            if *t > 1.0 {
                y = y * *t;
            }
        }
        y + maybe.unwrap() + &*boxed
    }
    table(|x| f((x, &[x * 2.0]), vec![x, x], Some(x), Box::new(x.clone())), &[(2.0, 28.0), (1.0, 5.0), (3.0, 87.0)]);
}

#[test]
fn parts_that_one_branch_moves() {
    struct Pair(Tensor, Tensor);
    impl Pair {
        fn sum(&self) -> Tensor {
            &self.0 + &self.1
        }
    }
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let pair = Pair(x.clone(), x * 2.0);
        let whole = (x.clone(), vec![x * 4.0]);
        let y = if x > 1.0 { pair.0 } else { pair.sum() };
        let z = if x > 2.0 {
            return whole.0;
        } else {
            &whole.0 + &whole.1[0]
        };
        y + z
    }
    table(f, &[(2.0, 12.0), (1.0, 8.0), (3.0, 3.0)]);
}

#[test]
fn closures_that_change_what_they_capture() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut sum = x.clone();
        let mut add = |t: &Tensor| {
            if t > 1.0 {
                sum = &sum + t;
            }
            sum.clone()
        };
        let first = add(x);
        let second = add(&(x * 2.0));
        first * second + sum
    }
    table(f, &[(2.0, 40.0), (1.0, 6.0), (0.25, 0.3125)]);
}

#[test]
fn names_in_other_scripts_and_hygiene() {
    #[tf_function]
    fn f(größe: &Tensor, call: f32, result: usize) -> Tensor {
        let (slot, value, f0, if_0, k) = (call, result, 1.0f32, 2.0f32, 3.0f32);
        let mut höhe = größe * slot;
        while höhe < 10.0 {
            höhe = höhe + value as f32 + f0 + if_0 + k;
            if höhe > 8.0 {
                break;
            }
        }
        höhe
    }
    table(|x| f(x, 2.0, 1), &[(0.5, 15.0), (1.0, 9.0), (6.0, 12.0)]);
}
