//! Bands against a plain loop, their gradients, and what is refused.
//! The parent module's unit tests.

use crate as tf;
use crate::ops::differences::{check, numbers};
use tf::{DiagonalAlign, Diagonals};

const ALIGNS: [DiagonalAlign; 4] =
    [DiagonalAlign::RightLeft, DiagonalAlign::LeftRight, DiagonalAlign::LeftLeft, DiagonalAlign::RightRight];

fn of(k: (i64, i64), align: DiagonalAlign) -> Diagonals {
    Diagonals { align, ..Diagonals::of(k) }
}

/// For each place of the band in its rows, the row and column of the matrix, if it has one there.
fn places(rows: i64, cols: i64, (low, high): (i64, i64), align: DiagonalAlign) -> Vec<Option<(i64, i64)>> {
    let ups: i64 = if high < 0 { -high } else { 0 };
    let longest = (rows - ups).min(cols - low.max(0));
    let mut all = Vec::new();
    for d in (low..=high).rev() {
        let own: Vec<(i64, i64)> = (0..rows).filter(|r| (0..cols).contains(&(r + d))).map(|r| (r, r + d)).collect();
        let right = match align {
            DiagonalAlign::RightLeft => d >= 0,
            DiagonalAlign::LeftRight => d <= 0,
            DiagonalAlign::LeftLeft => false,
            DiagonalAlign::RightRight => true,
        };
        let empty = vec![None; (longest - own.len() as i64) as usize];
        let own = own.into_iter().map(Some);
        all.extend(if right { empty.into_iter().chain(own).collect::<Vec<_>>() } else { own.chain(empty).collect() });
    }
    all
}

#[test]
fn bands_are_those_of_a_plain_loop() {
    for (rows, cols) in [(3_i64, 3_i64), (3, 5), (5, 3), (1, 4)] {
        let count = rows * cols;
        let x = tf::range(1, count + 1, 1).cast(tf::DType::F32).reshape([rows as usize, cols as usize]);
        let nines = tf::constant(9.0);
        for low in 1 - rows..cols {
            for high in low..cols {
                for align in ALIGNS {
                    let places = places(rows, cols, (low, high), align);
                    let how = Diagonals { padding_value: Some(nines.clone()), ..of((low, high), align) };
                    let part = tf::diag_part_with(&x, &how);
                    let at = |(r, c): (i64, i64)| (r * cols + c + 1) as f32;
                    let wanted: Vec<f32> = places.iter().map(|p| p.map_or(9.0, at)).collect();
                    assert_eq!(part.to_vec::<f32>(), wanted, "{rows} {cols} {low} {high} {align:?}");
                    // Turned around: what was taken is put back, and what is beside the band stays.
                    let put = tf::set_diag_with(&(&x * 0.0), &part, &of((low, high), align)).to_vec::<f32>();
                    let inside = |r: i64, c: i64| (low..=high).contains(&(c - r));
                    let all = (0..count).map(|i| (i / cols, i % cols));
                    let wanted: Vec<f32> = all.map(|(r, c)| if inside(r, c) { at((r, c)) } else { 0.0 }).collect();
                    assert_eq!(put, wanted, "{rows} {cols} {low} {high} {align:?}");
                    let sizes = Diagonals { num_rows: Some((rows as usize).into()), num_cols: Some((cols as usize).into()), ..how };
                    let made = tf::diag_with(&part, &sizes).to_vec::<f32>();
                    let with_nines = put.iter().enumerate().map(|(i, &v)| {
                        if inside(i as i64 / cols, i as i64 % cols) { v } else { 9.0 }
                    });
                    assert_eq!(made, with_nines.collect::<Vec<_>>(), "{rows} {cols} {low} {high} {align:?}");
                }
            }
        }
    }
}

#[test]
fn gradients_of_bands() {
    for align in ALIGNS {
        let how = of((-1, 1), align);
        check(&|x| tf::diag_part_with(&x[0], &how).square(), &[numbers(1, &[2, 3, 4])]);
        check(&|x| tf::diag_with(&x[0], &how).square(), &[numbers(2, &[2, 3, 3])]);
        check(&|x| tf::set_diag_with(&x[0], &x[1], &how).square(), &[numbers(1, &[4, 3]), numbers(2, &[3, 3])]);
    }
    check(&|x| tf::diag_with(&x[0], &Diagonals::of(-2)).square(), &[numbers(3, &[2, 2])]);
    let empty = Diagonals { num_rows: Some(2.into()), num_cols: Some(0.into()), ..Diagonals::of((0, 1)) };
    check(&|x| tf::diag_with(&x[0], &empty), &[tf::zeros([2, 0]).cast(tf::DType::F64)]);
}

#[test]
fn no_gradient_flows_to_what_fills_up() {
    let (x, value) = (tf::ones([2, 2]), tf::constant(3.0));
    let mut tape = tf::GradientTape::new();
    tape.watch(&value);
    let how = Diagonals { padding_value: Some(value.clone()), ..Diagonals::of(1) };
    let y = tf::diag_part_with(&x, &Diagonals { k: (0, 1), ..how.clone() }).sum() + tf::diag_with(&x, &how).sum();
    assert!(tape.try_gradient(&y, &value).unwrap_err().to_string().contains("no gradient"));
}

#[test]
fn turned_spread_and_given_matrices() {
    let x = numbers(5, &[3, 4, 200]);
    let turned = tf::transpose(&x, [2, 1, 0]);
    let how = Diagonals::of((-2, 1));
    let part = tf::diag_part_with(&turned, &how);
    assert_eq!(part.to_vec::<f64>(), tf::diag_part_with(tf::identity(&turned) + 0.0, &how).to_vec::<f64>());
    let upside = tf::reverse(&part, [0]);
    let set = tf::set_diag_with(&turned, &upside, &how);
    assert_eq!(tf::diag_part_with(&tf::reverse(&set, [0]), &how).to_vec::<f64>(), part.to_vec::<f64>());
    let spread = tf::broadcast_to(&tf::constant([1.0, 2.0]), [2, 2]);
    assert_eq!(tf::set_diag_with(&spread, &tf::zeros([2]), &Diagonals::of(0)).to_vec::<f32>(), [0.0, 2.0, 1.0, 0.0]);
    assert_eq!(spread.to_vec::<f32>(), [1.0, 2.0, 1.0, 2.0]);
    let kept = tf::ones([2, 2]);
    let changed = tf::set_diag_with(&kept, &(kept.at(0) * 5.0), &Diagonals::of(0));
    assert_eq!((kept.to_vec::<f32>(), changed.to_vec::<f32>()), (vec![1.0; 4], vec![5.0, 1.0, 1.0, 5.0]));
    let large = numbers(6, &[300, 400]);
    let all = Diagonals::of((-299, 399));
    let back = tf::set_diag_with(&(&large * 0.0), &tf::diag_part_with(&large, &all), &all);
    assert_eq!(back.to_vec::<f64>(), large.to_vec::<f64>());
}

#[test]
fn refusals_name_the_function_and_a_way_out() {
    let x = tf::ones([3, 4]);
    let said = |error: tf::Error, words: &[&str]| {
        let text = error.to_string();
        assert!(matches!(error, tf::Error::InvalidArgument(_)), "{text}");
        words.iter().for_each(|word| assert!(text.contains(word), "{word}: {text}"));
    };
    for k in [4, -3] {
        said(tf::try_diag_part_with(&x, &Diagonals::of(k)).unwrap_err(), &["diag_part", "no such diagonal"]);
        said(tf::try_set_diag_with(&x, &tf::ones([0]), &Diagonals::of(k)).unwrap_err(), &["set_diag", "no such diagonal"]);
    }
    assert_eq!(tf::diag_part_with(&tf::ones([0, 3]), &Diagonals::of((0, 2))).shape(), [3, 0]);
    said(tf::try_diag_part_with(&tf::ones([0, 3]), &Diagonals::of(-1)).unwrap_err(), &["no such diagonal"]);
    said(tf::try_diag_part_with(&x, &Diagonals::of((1, -1))).unwrap_err(), &["lowest"]);
    said(tf::try_diag_part_with(&x, &Diagonals::of((0, 1_i64 << 40))).unwrap_err(), &["32 bits"]);
    said(tf::try_diag_part_with(&tf::ones([3]), &Diagonals::of(0)).unwrap_err(), &["holds no matrices"]);
    said(tf::try_set_diag_with(&x, &tf::ones([2, 4]), &Diagonals::of((0, 1))).unwrap_err(), &["set_diag", "[2, 3]"]);
    said(tf::try_set_diag_with(&x, &tf::cast(&tf::ones([3]), tf::DType::I32), &Diagonals::of(0)).unwrap_err(), &["dtype"]);
    said(tf::try_diag_with(&tf::ones([3, 3]), &Diagonals::of((0, 1))).unwrap_err(), &["diag", "2"]);
    said(tf::try_diag_with(&tf::ones([3]), &Diagonals::of((0, 1))).unwrap_err(), &["at least 2 axes"]);
    let sizes = |rows: Option<usize>, cols: Option<usize>| {
        let how = Diagonals { num_rows: rows.map(Into::into), num_cols: cols.map(Into::into), ..Diagonals::of(1) };
        tf::try_diag_with(&tf::ones([3]), &how)
    };
    said(sizes(Some(2), None).unwrap_err(), &["rows are too few"]);
    said(sizes(None, Some(3)).unwrap_err(), &["columns are too few"]);
    said(sizes(Some(5), Some(5)).unwrap_err(), &["neither size"]);
    assert_eq!(sizes(Some(5), None).unwrap().shape(), [5, 4]);
    let padded = |value: tf::Tensor| Diagonals { padding_value: Some(value), ..Diagonals::of(1) };
    said(tf::try_diag_part_with(&x, &padded(tf::constant(1))).unwrap_err(), &["padding"]);
    said(tf::try_diag_part_with(&x, &padded(tf::ones([1]))).unwrap_err(), &["padding"]);
    said(tf::try_set_diag_with(&x, &tf::ones([3]), &padded(tf::constant(1.0))).unwrap_err(), &["padding_value"]);
    let sized = Diagonals { num_cols: Some(4.into()), ..Diagonals::default() };
    said(tf::try_diag_part_with(&x, &sized).unwrap_err(), &["num_cols"]);
    said(tf::try_diag_with(&tf::ones([1; 8]), &Diagonals::of(0)).unwrap_err(), &["8"]);
}
