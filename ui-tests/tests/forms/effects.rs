//! What a function does beside its value: prints, checks, variables, random numbers.

use crate::{same, table};
use eagerflow as tf;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tf::{Tensor, Variable, tf_function};

#[test]
fn println_and_its_kin() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = x.clone();
        while y < 4.0 {
            println!("y = {y:.1}, {0:>4} of {name}", x, name = "x");
            y = y + 1.0;
        }
        eprint!("");
        print!("{y:.2}\n");
        y
    }
    let run = || tf::__testing::captured(|| f(&tf::constant(2.5)).item::<f32>());
    let (value, printed) = same(run);
    assert_eq!(value, 4.5);
    assert_eq!(printed, "y = 2.5,  2.5 of x\ny = 3.5,  2.5 of x\n4.50\n");
}

#[test]
fn dbg_gives_its_value() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let y = dbg!(x * 2.0);
        if y > 1.0 { dbg!(y - 1.0) } else { y }
    }
    table(f, &[(2.0, 3.0), (0.25, 0.5)]);
}

#[test]
fn assertions() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        assert!(x > 0.0, "x is {x}");
        assert_ne!(x, 3.0);
        debug_assert!(x < 100.0);
        let y = x * 2.0;
        assert_eq!(y, x + x);
        y
    }
    table(f, &[(2.0, 4.0)]);
    let failed = |x: f32| same(|| catch_unwind(AssertUnwindSafe(|| f(&tf::constant(x)))).is_err());
    assert!(failed(-1.0) && failed(3.0) && failed(200.0) && !failed(1.0));
}

#[test]
fn panics_in_branches() {
    #[tf_function]
    fn f(x: &Tensor, n: usize) -> Tensor {
        let y = match n {
            0 => x.clone(),
            1 => unreachable!("never {n}"),
            _ => todo!(),
        };
        if y < 0.0 {
            panic!("negative: {y}");
        }
        y.sqrt()
    }
    table(|x| f(x, 0), &[(4.0, 2.0)]);
    let text = |x: f32, n| {
        same(|| {
            let error = catch_unwind(AssertUnwindSafe(|| f(&tf::constant(x), n))).unwrap_err();
            error.downcast_ref::<String>().cloned().or(error.downcast_ref::<&str>().map(|t| t.to_string())).unwrap()
        })
    };
    assert!(text(1.0, 1).contains("never 1"));
    assert!(catch_unwind(AssertUnwindSafe(|| f(&tf::constant(-4.0), 0))).is_err());
}

#[test]
fn variables() {
    #[tf_function]
    fn f(v: &Variable, x: &Tensor) -> Tensor {
        if x > 0.0 {
            v.assign_add(x);
        } else {
            v.assign(x * 2.0);
        }
        while v.value() < 10.0 {
            v.assign(&(v.value() + 4.0));
        }
        v * 2.0
    }
    let run = || {
        let v = Variable::new(1.0);
        [3.0, -1.0, 20.0].map(|x| f(&v, &tf::constant(x)).item::<f32>())
    };
    assert_eq!(same(run), [24.0, 20.0, 60.0]);
}

#[test]
fn random_numbers_of_a_seed() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        let mut y = tf::constant(0.0);
        while &y < x {
            y = y + tf::random::stateless_uniform((), [3, 4], 0.5, 1.0);
        }
        y
    }
    assert!(same(|| f(&tf::constant(3.0)).item::<f32>()) >= 3.0);
}

/// A macro of the user's: its expressions pass through as they are.
macro_rules! average {
    ($($x:expr),+) => {{
        let all = [$($x.clone()),+];
        all.iter().fold(tf::constant(0.0), |sum, t| sum + t) / all.len() as f32
    }};
}

#[test]
fn macros_of_the_user() {
    #[tf_function]
    fn f(x: &Tensor) -> Tensor {
        macro_rules! double {
            ($t:expr) => {
                $t * 2.0
            };
        }
        let y = average!(x, x * 3.0);
        if average!(y, x) > 3.0 { double!(&y) } else { y }
    }
    table(f, &[(1.0, 2.0), (3.0, 12.0)]);
}
