//! The panicking forms: the panic's own location is the caller's line, and its message is the error's.
//! Operators, methods, functions, variables and tapes are tried.

use crate::refused;
use eagerflow as tf;
use tf::{DType, GradientTape, Variable};

/// A call that must panic at this very line, with this word in its message.
macro_rules! panics {
    ($call:expr, $word:literal) => {{
        let caught = $crate::caught::panic_of(|| {
            let _ = $call;
        });
        let text = caught.text;
        assert_eq!((caught.file.as_str(), caught.line), (file!(), line!()), "{}: {text}", stringify!($call));
        assert!(text.contains($word), "{}: {text}", stringify!($call));
        assert!(text.contains(&format!("at: {}:{}", file!(), line!())), "{}: {text}", stringify!($call));
    }};
}

pub(crate) use panics;

#[test]
fn at_the_callers_line() {
    let (a, b) = (tf::ones([2]), tf::ones([3]));
    let v = Variable::new([1.0, 2.0]);
    panics!(tf::add(&a, &b), "[2]");
    panics!(a.add(&b), "[3]");
    panics!(&a + &b, "InvalidArgument: add");
    panics!(a.clone() - b.clone(), "InvalidArgument: subtract");
    panics!(&v * &b, "InvalidArgument: multiply");
    let mut c = a.clone();
    panics!(c += &b, "InvalidArgument: add");
    panics!(tf::matmul(&a, &b), "matmul");
    panics!(a.reshape([3]), "reshape");
    panics!(tf::reduce_sum(&a, 1), "reduce_sum");
    panics!(tf::gather(&a, tf::constant([2]), 0), "OutOfRange: gather");
    panics!(tf::concat(&[&a, &b], 1), "concat");
    panics!(tf::zeros([-1]), "zeros");
    panics!(a.item::<f32>(), "item");
    panics!(a.to_vec::<u8>(), "to_vec");
    panics!(tf::constant(vec![vec![1.0], vec![]]), "constant");
    panics!(v.assign(&b), "variable");
    panics!(v.assign_add(tf::cast(&a, DType::F64)), "float64");
}

#[test]
fn devices_at_the_callers_line() {
    panics!(tf::device("cuda"), "not the name of a device");
    panics!(tf::device("/gpu:63"), "there is no GPU 63");
    refused!(tf::try_device("cuda"), InvalidArgument, "device", ["`cuda`", "`/gpu:0`"]);
    refused!(tf::try_device("/gpu:63"), NotFound, "device", ["/device:GPU:63", "/device:CPU:0"]);
    let _cpu = tf::device("/cpu:0");
    assert_eq!(tf::ones([2]).device().to_string(), "/device:CPU:0");
}

#[test]
fn gradients_at_the_callers_line() {
    let x = tf::constant([1.0, 2.0]);
    let watched = || {
        let mut tape = GradientTape::new();
        tape.watch(&x);
        tape
    };
    let (tape, y) = (watched(), tf::cast(&x, DType::I32));
    panics!(tape.gradient(&y, &x), "gradient");
    let (tape, y) = (watched(), tf::ones(2));
    panics!(tape.gradient(&y, &x), "gradient");
}
