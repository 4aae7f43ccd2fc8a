//! Assertions that fail show values, message and line; those on shapes agree on named sizes.
//! Run by `cargo test` of this crate.

use super::*;
use crate as tf;

#[test]
fn failures_show_values_message_and_line() {
    let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]);
    assert_greater(&x, 0.5, "");
    let error = try_assert_less(&x, &tf::constant([5.0, 2.0]), "too large").unwrap_err();
    let text = error.to_string();
    assert!(text.contains("assert_less: too large") && text.contains("x[0, 1] = 2"), "{text}");
    assert!(text.contains("y[1, 1] = 2") && text.contains("2 of 4 places"), "{text}");
    assert!(error.report().location().is_some_and(|at| at.file().ends_with("debugging/tests.rs")));
    assert!(try_assert_equal(&x, &tf::constant([1.0, 2.0, 3.0]), "").is_err());
    assert!(try_assert_positive(&tf::constant([1, 0]), "").is_err());
    assert!(try_assert_non_negative(&tf::constant(-1), "").unwrap_err().to_string().contains("x = -1"));
    assert_equal(&tf::zeros([0]), 1.0, "nothing differs from anything");
}

#[test]
fn nearness_counts_nan_as_far() {
    let x = tf::constant([1.0, 1000.0]);
    assert_near_within(&x, &tf::constant([1.05, 1040.0]), 0.05, 0.0, "");
    assert!(try_assert_near_within(&x, &tf::constant([1.06, 1000.0]), 0.05, 0.0, "").is_err());
    assert!(try_assert_near(&x, &tf::constant([1.0, f32::NAN]), "").is_err());
    assert!(try_assert_near(&tf::constant([1]), 1, "").is_err());
    assert!(try_assert_all_finite(&tf::constant([1.0, f32::INFINITY]), "").is_err());
}

#[test]
fn shapes_by_name() {
    let (x, y) = (tf::ones([4, 3]), tf::ones([4]));
    assert_shapes(&[(&x, "n 3"), (&y, "n"), (&y, "..."), (&x, "n ...")], "");
    for wrong in [&[(&x, "n 3"), (&x, "3 n")][..], &[(&y, "n m")], &[(&x, "n")], &[(&y, "... 4 4")]] {
        let error = try_assert_shapes(wrong, "mine").unwrap_err().to_string();
        assert!(error.contains("assert_shapes: mine"), "{error}");
    }
    assert!(try_assert_rank(&x, 1, "").is_err() && try_assert_scalar(&x, "").is_err());
    assert!(try_assert_rank_at_least(&x, 3, "").is_err() && try_assert_type(&x, DType::F64, "").is_err());
}
