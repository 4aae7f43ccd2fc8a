//! What goes in, what comes out, and what is changed in between.

use crate::{same, table};
use eagerflow as tf;
use tf::{DType, Error, Nest, Tensor, tf_function};

#[test]
fn compound_assignment() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        y += 3.0;
        if y > 4.0 {
            y *= x;
            y -= 1.0;
        } else {
            y /= 2.0;
        }
        y
    }
    table(f, &[(2.0, 9.0), (1.0, 2.0)]);
}

#[derive(Clone, Nest)]
struct State {
    hidden: Tensor,
    cells: [Tensor; 2],
    step: usize,
}

#[test]
fn field_and_index_assignment() {
    #[tf_function]
    fn f(x: &Tensor) -> State {
        let mut state = State { hidden: x.clone(), cells: [x.clone(), x * 2.0], step: 1 };
        for k in 0..2 {
            if &state.cells[k] > 1.5 {
                state.cells[k] = &state.cells[k] * 10.0;
                state.hidden += &state.cells[k];
            }
            state.step += 1;
        }
        state
    }
    let run = |x: f32| {
        same(|| {
            let State { hidden, cells: [a, b], step } = f(&tf::constant(x));
            ([hidden, a, b].map(|t| t.item::<f32>()), step)
        })
    };
    assert_eq!(run(1.0), ([21.0, 1.0, 20.0], 3));
    assert_eq!(run(2.0), ([62.0, 20.0, 40.0], 3));
}

#[test]
fn structs_as_arguments() {
    #[tf_function]
    fn f(state: &State, mut other: State) -> State {
        while &other.hidden < &state.hidden {
            other.hidden = &other.hidden + &state.cells[0];
        }
        State { step: state.step + other.step, ..other }
    }
    let state = |x: f32, step| State { hidden: tf::constant(x), cells: [tf::constant(1.0), tf::constant(2.0)], step };
    let run = |x: f32| {
        same(|| {
            let next = f(&state(x, 2), state(0.5, 3));
            (next.hidden.item::<f32>(), next.step)
        })
    };
    assert_eq!((run(3.0), run(0.0)), ((3.5, 5), (0.5, 5)));
}

#[test]
fn results_of_all_kinds() {
    #[tf_function]
    fn tuple(x: &Tensor) -> (Tensor, usize, (bool, Tensor)) {
        if x > 1.0 { (x * 2.0, 3, (true, x.clone())) } else { (x.clone(), 3, (true, -x)) }
    }
    #[tf_function]
    fn list(x: &Tensor) -> Vec<Tensor> {
        if x > 1.0 {
            return vec![x.clone(), x * 2.0];
        }
        vec![-x; 2]
    }
    #[tf_function]
    fn array(x: &Tensor) -> [Tensor; 2] {
        if x > 1.0 { [x.clone(), x + 1.0] } else { [x.clone(), x - 1.0] }
    }
    #[tf_function]
    fn option(x: &Tensor) -> Option<Tensor> {
        if x > 1.0 { Some(x.clone()) } else { Some(-x) }
    }
    #[tf_function]
    fn boxed(x: &Tensor) -> Result<Box<Tensor>, Error> {
        if x > 1.0 { Ok(Box::new(x * 3.0)) } else { Ok(Box::new(x.clone())) }
    }
    let run = |x: f32| {
        same(|| {
            let x = tf::constant(x);
            let (a, n, (flag, b)) = tuple(&x);
            assert!(n == 3 && flag);
            let mut all = vec![a, b];
            all.extend(list(&x));
            all.extend(array(&x));
            all.extend(option(&x));
            all.push(*boxed(&x).unwrap());
            all.iter().map(|t| t.item::<f32>()).collect::<Vec<_>>()
        })
    };
    assert_eq!(run(2.0), [4.0, 2.0, 2.0, 4.0, 2.0, 3.0, 2.0, 6.0]);
    assert_eq!(run(1.0), [1.0, -1.0, -1.0, -1.0, 1.0, 0.0, -1.0, 1.0]);
}

#[test]
fn no_result() {
    #[tf_function]
    fn f(v: &tf::Variable, x: &Tensor) {
        if x > 1.0 {
            v.assign(x);
        }
    }
    let run = |x: f32| {
        same(|| {
            let v = tf::Variable::new(0.0);
            f(&v, &tf::constant(x));
            v.value().item::<f32>()
        })
    };
    assert_eq!((run(2.0), run(0.5)), (2.0, 0.0));
}

#[test]
fn state_of_all_kinds() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut pair = (x.clone(), [x * 2.0, x * 3.0]);
        let mut maybe = Some(x.clone());
        let mut boxed = Box::new(x * 4.0);
        let mut count = 0;
        for i in 0..3 {
            count += i;
            if x > 1.0 {
                pair.0 = &pair.0 + &pair.1[1];
                pair.1[0] = &pair.1[1] - 1.0;
                maybe = maybe.map(|t| t * 2.0);
                *boxed = &*boxed + count as f32;
            } else {
                maybe = Some(pair.0.clone());
            }
        }
        pair.0 + &pair.1[0] + maybe.unwrap() + *boxed
    }
    table(f, &[(2.0, 53.0), (1.0, 8.0)]);
}

#[test]
fn mixed_dtypes_and_casts() {
    #[tf_function]
    fn f(n: &Tensor, x: &Tensor) -> Tensor {
        let mut sum = Tensor::from(0i64);
        let mut n = n.cast(DType::I64);
        while n > 0 {
            sum = sum + &n;
            n = n - 1;
        }
        let flag = tf::equal(&sum % 2, 0);
        if flag && x > 0.0 { x * sum.cast(DType::F32) } else { -x }
    }
    table(|x| f(&tf::constant(3), x), &[(2.0, 12.0), (-1.0, 1.0)]);
    table(|x| f(&tf::constant(2), x), &[(2.0, -2.0)]);
}

#[test]
fn indexing_and_slicing() {
    #[tf_function]
    fn f(x: &Tensor, k: &Tensor) -> Tensor {
        let row = x.at(k);
        let mut y = row.at(tf::s![1..]);
        if row.at(0) > 2.0 {
            y = y * x.at(tf::s![0, 1]);
        }
        tf::reduce_sum(y, ())
    }
    let x = tf::constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let run = |k: i32| same(|| f(&x, &tf::constant(k)).item::<f32>());
    assert_eq!((run(0), run(1)), (5.0, 22.0));
}

#[test]
fn moves_out_of_both_branches() {
    #[tf_function]
    fn f(x: Tensor, all: Vec<Tensor>) -> Tensor {
        let y = if tf::greater(&x, 1.0) {
            let mut all = all;
            all.push(x);
            all
        } else {
            let mut all = all;
            all.push(-x);
            all
        };
        tf::stack(&y, 0).sum()
    }
    table(|x| f(x.clone(), vec![x * 2.0]), &[(2.0, 6.0), (1.0, 1.0)]);
}

#[test]
fn open_sizes() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let n = tf::shape(x).at(0);
        let mut y = tf::reduce_mean(x, 0);
        if n > 3 {
            y = y * n.cast(DType::F32);
        }
        tf::reduce_sum(y, ())
    }
    for (n, y) in [(2, 2.0), (3, 2.0), (5, 10.0), (7, 14.0)] {
        assert_eq!(same(|| f(&tf::ones([n, 2])).item::<f32>()), y);
    }
    assert_eq!(tf::function(f).trace_count(), 2);
}
