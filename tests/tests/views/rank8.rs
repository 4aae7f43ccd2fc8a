//! Element-wise operations on views of rank 8 in random orders of the axes, against the same elements in one row.
//! Reductions and movements are tried at rank 8 by the property tests.

use super::{run, same, table};
use eagerflow as tf;
use eagerflow_tests::golden::Array;
use eagerflow_tests::inputs::blown_up;
use eagerflow_tests::random::Random;
use tf::Tensor;

#[test]
fn rank_8_views_give_the_results_of_one_row() {
    let mut random = Random::new(8);
    let sizes = [2, 1, 3, 2, 1, 2, 3, 2];
    let mut tried = 0;
    for (row, section) in table().into_iter().filter(|(row, _)| row.elementwise) {
        for &dtype in &section.accepted {
            let Some(case) = blown_up(&section, dtype, &[sizes.iter().product()], &mut random) else { continue };
            let rows: Vec<Tensor> = case.inputs.iter().map(Array::tensor).collect();
            let views: Vec<Tensor> = rows.iter().map(|x| scramble(x, &sizes, &mut random)).collect();
            let flat = |mut outputs: Vec<Array>| {
                outputs.iter_mut().for_each(|a| a.shape = vec![a.len()]);
                outputs
            };
            let got = run(&row, &views, &case.attrs).map(flat);
            let want = run(&row, &rows, &case.attrs).map(flat);
            assert!(same(&got, &want), "{} {dtype}: got {got:?}, expected {want:?}", row.name);
            tried += usize::from(got.is_ok());
        }
    }
    assert!(tried > 100, "only {tried} results");
}

/// The elements of a row as a tensor of rank 8 whose memory lies in a random order of the axes.
fn scramble(row: &Tensor, sizes: &[usize; 8], random: &mut Random) -> Tensor {
    let shape: Vec<isize> = sizes.iter().map(|&s| s as isize).collect();
    let whole = tf::reshape(row, &shape);
    let order: Vec<isize> = random.permutation(8).into_iter().map(|a| a as isize).collect();
    let mut inverse = vec![0; 8];
    order.iter().enumerate().for_each(|(to, &from)| inverse[from as usize] = to as isize);
    let moved = Array::of(&tf::transpose(&whole, &order)).tensor();
    tf::transpose(&moved, &inverse)
}
