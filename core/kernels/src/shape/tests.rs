//! Tests of [`Shape`]: construction and its limits, editing, reading with and without pins.
//! Only the test build reads this file.

use super::*;

fn shape(sizes: &[usize]) -> Shape {
    Shape::new(sizes).expect("a legal shape")
}

#[test]
fn construction_checks_rank_and_count() {
    assert_eq!(shape(&[]), Shape::SCALAR);
    assert_eq!((Shape::SCALAR.num_elements(), Shape::SCALAR.to_string()), (1, "[]".to_string()));
    assert!(Shape::new(&[1; 9]).is_err_and(|e| e.to_string().contains("at most 8 axes")));
    assert!(Shape::new(&[1 << 32, 1 << 31]).is_err_and(|e| e.to_string().contains("2147483648")));
    assert!(Shape::new(&[usize::MAX]).is_err() && Shape::new(&[0, usize::MAX]).is_err());
    assert!(Shape::new(&[isize::MAX as usize]).is_ok());
    // Without its zero this shape has too many elements, and `remove` cannot fail.
    assert!(Shape::new(&[0, 1 << 40, 1 << 40]).is_err());
    assert!(Shape::from_dims(&[Dim::ONE - 2]).is_err_and(|e| e.to_string().contains("negative: -1")));
    assert!(Shape::from_dims(&[Dim::INVALID]).is_err() && Shape::from_dims(&[Dim::ONE; 9]).is_err());
    assert_eq!(std::mem::size_of::<Result<Shape>>(), std::mem::size_of::<Shape>());
}

#[test]
fn edits_agree_with_a_vector() {
    let base = shape(&[2, 3, 4, 5, 6, 7, 8]);
    for axis in 0..=7 {
        let mut sizes = base.dims().to_vec();
        sizes.insert(axis, 9);
        let longer = base.insert(axis, 9).expect("rank 8");
        assert_eq!(longer, shape(&sizes));
        assert!(longer.insert(axis, 9).is_err() && longer.push(1).is_err());
        assert_eq!(longer.remove(axis), base);
    }
    let traced = base.with(1, Dim::symbol(0)).expect("legal");
    assert!(!traced.is_known() && traced.remove(1).is_known() && !traced.remove(0).is_known());
    assert_eq!(traced.remove(1), base.remove(1));
    assert_eq!(traced.with(1, 3).expect("legal"), base);
    assert!(base.with(0, 1_usize << 62).is_err());
    assert_eq!(traced.iter().filter(|d| !d.is_known()).count(), 1);
    assert_eq!((&traced).into_iter().next(), Some(Dim::known(2)));
}

#[test]
fn symbolic_sizes_print_count_and_bind() {
    let traced = Shape::from_dims(&[Dim::known(32), Dim::symbol(0), Dim::symbol(1)]).expect("legal");
    assert_eq!(format!("{traced} {traced:?}"), "[32, s0, s1] [32, s0, s1]");
    assert_eq!(traced.element_count(), Dim::symbol(0) * Dim::symbol(1) * 32);
    assert_eq!(traced.with(0, 0).expect("legal").element_count(), Dim::ZERO);
    assert_eq!(traced.known_dims(), None);
    let bound = traced.bind(&|s| Some(if s == Symbol::Guarded(0) { 4 } else { 5 })).expect("legal");
    assert_eq!(bound, shape(&[32, 4, 5]));
    assert!(traced.bind(&|_| Some(1 << 40)).is_err());
}

#[test]
fn reading_numbers_pins() {
    fn hook(size: Dim, at: &'static std::panic::Location<'static>) -> crate::error::Result<usize> {
        assert!(at.file().ends_with("tests.rs"));
        Ok(size.bind(&|_| Some(6))?.known_value().expect("all symbols are bound"))
    }
    let traced = Shape::from_dims(&[Dim::known(2), Dim::symbol(0), Dim::symbol(0) * 2]).expect("legal");
    let old = set_pin_hook(Some(hook));
    assert_eq!(traced.dims(), [2, 6, 12]);
    assert_eq!((traced[0], traced[2], traced.num_elements()), (2, 12, 144));
    assert!(traced == [2, 6, 12] && traced != [2, 7, 12]);
    assert!(std::ptr::eq(traced.dims(), traced.dims()));
    set_pin_hook(old);
    // Without a hook, what the known part decides is decided, and the rest says why it cannot be.
    assert!(traced != [3, 6, 12] && traced != [2]);
    let panic = std::panic::catch_unwind(|| traced.dims()).expect_err("no hook");
    let text = panic.downcast_ref::<String>().expect("a message");
    assert!(text.contains("s0") && text.contains("tests.rs"), "{text}");
}

#[test]
fn strides_are_row_major() {
    let mut strides = [7; 4];
    contiguous_strides(&[2, 0, 5], &mut strides);
    assert_eq!(strides, [5, 5, 1, 7]);
    contiguous_strides(&[], &mut []);
}
