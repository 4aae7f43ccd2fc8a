//! Layers of several inputs against Keras: shapes that broadcast, masks, and operators between nodes.
//! One test per kind; rows whose names end in `_masks` are about masks.

use crate::layer_rows::check;
use crate::mask_rows::check_masks;
use crate::numbers::file;
use eagerflow as tf;
use tf::layers::{Add, Average, Concatenate, Dense, Dot, Embedding, Lambda, Maximum, Minimum, Multiply, Subtract};
use tf::layers::{get_mask, input_of};

/// All rows of a layer of several inputs.
macro_rules! merging {
    ($($new:expr, $name:literal;)*) => {$(
        let rows = file("layers_merge");
        for variant in ["", "_broadcast", "_rank"] {
            let name = format!("{}{variant}", $name);
            check(&rows[&name], &name, &$new(), 1e-6);
        }
        for variant in ["_masks", "_one_mask"] {
            let name = format!("{}{variant}", $name);
            check_masks(&rows[&name], &name, &$new(), 1e-6);
        }
    )*};
}

#[test]
fn element_by_element() {
    merging! {
        Add::new, "add";
        Multiply::new, "multiply";
        Average::new, "average";
        Maximum::new, "maximum";
        Minimum::new, "minimum";
    }
    let rows = file("layers_merge");
    check(&rows["add_whole"], "add_whole", &Add::new(), 0.0);
    check(&rows["subtract"], "subtract", &Subtract::new(), 1e-6);
    check(&rows["subtract_rank"], "subtract_rank", &Subtract::new(), 1e-6);
    check_masks(&rows["subtract_masks"], "subtract_masks", &Subtract::new(), 1e-6);
    check_masks(&rows["subtract_one_mask"], "subtract_one_mask", &Subtract::new(), 1e-6);
}

#[test]
fn concatenate() {
    let rows = file("layers_merge");
    check(&rows["concatenate"], "concatenate", &Concatenate::new(), 0.0);
    check(&rows["concatenate_steps"], "concatenate_steps", &Concatenate::new().axis(1), 0.0);
    check_masks(&rows["concatenate_masks"], "concatenate_masks", &Concatenate::new(), 0.0);
    check_masks(&rows["concatenate_one_mask"], "concatenate_one_mask", &Concatenate::new(), 0.0);
    check_masks(&rows["concatenate_steps_masks"], "concatenate_steps_masks", &Concatenate::new().axis(1), 0.0);
    let back = Concatenate::new().axis(-2);
    check_masks(&rows["concatenate_steps_one_mask"], "concatenate_steps_one_mask", &back, 0.0);
}

#[test]
fn dot() {
    let rows = file("layers_merge");
    check(&rows["dot_rows"], "dot_rows", &Dot::new(1), 1e-6);
    check(&rows["dot_last"], "dot_last", &Dot::new(-1), 1e-6);
    check(&rows["dot_pair"], "dot_pair", &Dot::new((2, 1)), 1e-6);
    check(&rows["dot_row"], "dot_row", &Dot::new((2, 1)), 1e-6);
    check(&rows["dot_normalize"], "dot_normalize", &Dot::new(2).normalize(true), 2e-6);
    check(&rows["dot_four"], "dot_four", &Dot::new((1, 2)), 1e-6);
}

#[test]
fn operators_between_nodes() {
    let (a, b) = (tf::input([2]), tf::input([2]));
    let sum = &a + &b;
    let all = [
        &sum + 1.0,
        1 + &a,
        &a - &b,
        &a - 3,
        3.0 - &a,
        &a * &b,
        2.0f32 * &b,
        &a / &b,
        &a / 2.0,
        1.0 / &b,
        -&a,
        (&a + 1.0) * (&b - 1.0) / 2,
    ];
    let model = tf::Functional::new((&a, &b), &all[..]);
    let (x, y) = (tf::constant([[3.0, 5.0]]), tf::constant([[2.0, 8.0]]));
    let right: [[f32; 2]; 12] = [
        [6.0, 14.0],
        [4.0, 6.0],
        [1.0, -3.0],
        [0.0, 2.0],
        [0.0, -2.0],
        [6.0, 40.0],
        [4.0, 16.0],
        [1.5, 0.625],
        [1.5, 2.5],
        [0.5, 0.125],
        [-3.0, -5.0],
        [2.0, 21.0],
    ];
    for (at, (y, right)) in model.call(&(x, y)).iter().zip(right).enumerate() {
        assert_eq!(y.to_vec::<f32>(), right, "operator {at}");
    }
    // Masks go along with the steps.
    let words = input_of([None], tf::DType::I32);
    let embedded = Embedding::new(5, 2).mask_zero(true).call(&words);
    let model = tf::Functional::new(&words, &(&embedded * 2.0 + &embedded));
    let y = model.call(tf::constant([[1, 0]]));
    assert_eq!(get_mask(&y).expect("a mask").to_vec::<bool>(), [true, false]);
}

#[test]
fn refusals_name_the_layer() {
    let (x, y) = (tf::ones([2, 3]), tf::ones([4, 3]));
    let text = Add::new().name("sum").try_call([&x, &y], false).unwrap_err().to_string();
    assert!(text.contains("sum") && text.contains("float32[2, 3] and float32[4, 3]"), "{text}");
    let text = Maximum::new().name("top").try_call([&x, &tf::ones([2, 5])], false).unwrap_err().to_string();
    assert!(text.contains("top") && text.contains("[2, 5]"), "{text}");
    let text = Subtract::new().name("less").try_call([&x, &x, &x], false).unwrap_err().to_string();
    assert!(text.contains("less") && text.contains("3 inputs"), "{text}");
    let text = Dot::new(0).name("dot").try_call([&x, &x], false).unwrap_err().to_string();
    assert!(text.contains("batch"), "{text}");
    let text = Dot::new(1).name("dot").try_call([&x, &tf::ones([2, 5])], false).unwrap_err().to_string();
    assert!(text.contains("float32[2, 3] and float32[2, 5]"), "{text}");
    let none: [&tf::Tensor; 0] = [];
    assert!(Concatenate::new().try_call(none, false).unwrap_err().to_string().contains("no inputs"));
    // A layer of a closure refuses masks unless it has a rule for them.
    let words = Embedding::new(5, 2).mask_zero(true).call(tf::constant([[1, 0]]));
    let text = Lambda::new(|x| x * 2.0).name("twice").try_call(&words, false).unwrap_err().to_string();
    assert!(text.contains("twice") && text.contains("mask"), "{text}");
    let _ = Dense::new(1).call(&words);
}
