//! Printing, assertions and panics.

use eagerflow::{self as tf, Tensor, tf_function};

#[tf_function]
fn printing(x: &Tensor, name: &str, width: usize) -> Tensor {
    println!();
    println!("x = {x}, {{braces}} {name:>width$} {:.3} {1:?} {0}", x, name);
    print!("{n:04} {x:.2} ", n = width);
    eprintln!("{:?} {:#x}", (x, 1), 255);
    if x > 0.0 {
        println!("positive {}", x);
    }
    dbg!(x + 1.0)
}

#[tf_function]
fn asserting(x: &Tensor, n: usize) -> Tensor {
    assert!(n > 1);
    assert!(x > 0.0, "x is {x}");
    assert_eq!(n, 2, "n is {}", n);
    assert_eq!(x, 3.0);
    assert_ne!(x, &tf::constant(4.0));
    assert_ne!(n, 7);
    debug_assert!(x < 100.0);
    debug_assert_eq!(n, n);
    if x > 50.0 {
        panic!("{} is too large", n);
    } else if x > 40.0 {
        unreachable!();
    }
    match n {
        2 => x.clone(),
        _ => unreachable!("n is {n}"),
    }
}

#[tf_function]
fn todo(x: &Tensor) -> Tensor {
    let y = if x > 0.0 { x.clone() } else { todo!("negative {x}") };
    let text = format!("{y}");
    let _ = vec![if x > 0.0 { text.clone() } else { text }; 2];
    y
}

#[test]
fn runs() {
    let x = tf::constant(3.0);
    assert_eq!(printing(&x, "name", 6).item::<f32>(), 4.0);
    assert_eq!(asserting(&x, 2).item::<f32>(), 3.0);
    assert!(std::panic::catch_unwind(|| asserting(&tf::constant(-1.0), 2)).is_err());
    assert!(std::panic::catch_unwind(|| todo(&tf::constant(-1.0))).is_err());
    assert_eq!(todo(&x).item::<f32>(), 3.0);
}
