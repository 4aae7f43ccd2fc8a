//! Comparisons of references, which Rust's own library makes without the caller's line: the message has both operands as they
//! were written, with the lines that made them.

#![expect(clippy::op_ref, reason = "comparisons of references are what is tested")]

use crate::caught::panic_of;
use eagerflow as tf;
use tf::{DType, Tensor, Variable, tf_function};

/// A comparison that must fail: its operation, the two operands in this order, and words of the help.
macro_rules! refused {
    ($compare:expr, $name:literal, [$($part:expr),+], $help:literal) => {{
        let caught = panic_of(|| $compare);
        let text = caught.text;
        assert!(text.contains(&format!(": {}: ", $name)), "{} is not named {}: {text}", stringify!($compare), $name);
        let mut rest = &text[text.find("\n  got: ").unwrap_or_else(|| panic!("no operands: {text}"))..];
        $(
            let part: String = $part;
            rest = &rest[rest.find(&part).unwrap_or_else(|| panic!("{part} is not in its place: {text}"))..];
        )+
        let _ = rest;
        assert!(text.contains($help), "{text}");
    }};
}

fn at(line: u32) -> String {
    format!("made at {}:{line}:", file!())
}

#[test]
fn operands_and_the_lines_that_made_them() {
    let (a, first) = (tf::constant([1.0, 2.0]), line!());
    let b = tf::constant([1.0, 2.0, 3.0]);
    let second = line!() - 1;
    let both = || ["float32[2]".to_string(), at(first), "float32[3]".to_string(), at(second)];
    let [x, x_at, y, y_at] = both();
    refused!(&a == &b, "equal", [x.clone(), x_at.clone(), y.clone(), y_at.clone()], "`tf::equal(&a, &b)`");
    refused!(&a != &b, "not_equal", [x.clone(), x_at.clone(), y.clone(), y_at.clone()], "`tf::not_equal(&a, &b)`");
    refused!(&a < &b, "less", [x.clone(), x_at.clone(), y.clone(), y_at.clone()], "`tf::less(&a, &b)`");
    refused!(&a <= &b, "less_equal", [x.clone(), x_at.clone(), y.clone(), y_at.clone()], "`tf::less_equal(&a, &b)`");
    refused!(&a > &b, "greater", [x.clone(), x_at.clone(), y.clone(), y_at.clone()], "`tf::greater(&a, &b)`");
    refused!(&a >= &b, "greater_equal", [x.clone(), x_at, y.clone(), y_at], "`tf::greater_equal(&a, &b)`");
    // In lists Rust compares references, too.
    refused!(vec![a.clone()] == vec![b.clone()], "not_equal", [x, at(first), y, at(second)], "reduce_all");
}

#[test]
fn operands_of_two_dtypes_in_their_order() {
    let (a, first) = (tf::constant(1.0), line!());
    let b = tf::constant(2);
    let second = line!() - 1;
    let [x, y] = ["float32[]", "int32[]"].map(String::from);
    let [p, q] = [at(first), at(second)];
    refused!(&a == &b, "equal", [x.clone(), p.clone(), y.clone(), q.clone()], "cast(DType::F32)");
    refused!(&a != &b, "not_equal", [x.clone(), p.clone(), y.clone(), q.clone()], "cast(DType::F32)");
    refused!(&a < &b, "less", [x.clone(), p.clone(), y.clone(), q.clone()], "cast(DType::F32)");
    refused!(&a <= &b, "less_equal", [x.clone(), p.clone(), y.clone(), q.clone()], "cast(DType::F32)");
    refused!(&a > &b, "greater", [x.clone(), p.clone(), y.clone(), q.clone()], "cast(DType::F32)");
    refused!(&a >= &b, "greater_equal", [x.clone(), p.clone(), y.clone(), q.clone()], "cast(DType::F32)");
    refused!(&b > &a, "greater", [y, q, x, p], "cast(DType::F32)");
    let (yes, no) = (tf::constant(true), tf::constant(false));
    refused!(&yes > &no, "greater", ["bool[]".to_string(), "bool[]".to_string()], "cast");
}

#[test]
fn variables_by_their_name_or_line() {
    let named = Variable::with([1.0, 2.0], "rate", true);
    let (unnamed, line) = (Variable::new([1.0, 2.0, 3.0]), line!());
    refused!(
        &named > &unnamed,
        "greater",
        ["float32[2]".to_string(), "variable 'rate'".to_string(), "float32[3]".to_string(), at(line)],
        "reduce_any"
    );
    let caught = panic_of(|| named.value() > 1.5);
    assert_eq!((caught.file.as_str(), caught.line), (file!(), line!() - 1));
    assert!(caught.text.contains("the number 1.5"), "{}", caught.text);
}

/// Not traced, so that Rust compares.
fn larger(a: &Tensor, b: &Tensor) -> bool {
    a > b
}

#[tf_function]
fn by_a_helper(x: &Tensor) -> Tensor {
    let y = x * 2.0;
    if larger(&y, x) { y } else { x.clone() }
}

#[test]
fn values_of_a_graph_in_a_helper() {
    let text = panic_of(|| by_a_helper(&tf::constant(1.0))).text;
    let made = text.find(&at(line!() - 7)).unwrap_or_else(|| panic!("{text}"));
    let given = text.find(&at(line!() - 9)).unwrap_or_else(|| panic!("{text}"));
    assert!(made < given && text.contains(": greater: ") && text.contains("`#[tf_function]`"), "{text}");
}

#[test]
fn scalars_compare_on_either_side_in_all_forms() {
    let (two, three) = (tf::constant(2.0), tf::constant(3.0));
    let (v, w) = (Variable::new(2.0), Variable::new(3.0));
    let references = [&two < &three, &three > &two, &two <= &two, &two >= &two, &two == &two, &two != &three];
    let variables = [&v < &w, v < w, &v < w, v < &w, two < v + 1.0, &two == &w - 1.0];
    assert_eq!((references, variables), ([true; 6], [true; 6]));
    let v = Variable::new(2.0);
    assert_eq!([&v == 2.0, v == 2.0, 2.0 == v, 2.0 == &v, &v == two, &two == v, two == &v, v == &two], [true; 8]);
    assert!(&three.cast(DType::I32) > 2 && &two < 2.5);
}
