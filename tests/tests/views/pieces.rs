//! Large inputs, whose work several threads share, against small pieces: an element depends on its own place only.
//! The pieces start at odd places, so that vector loops and their remainders meet every element.

use super::{run, same, table};
use eagerflow as tf;
use eagerflow_tests::golden::{Array, Numbers};
use eagerflow_tests::inputs::blown_up;
use eagerflow_tests::random::Random;
use tf::{DType, Tensor};

const LEN: usize = 150_007;
const PIECE: usize = 1_361;

#[test]
fn large_inputs_give_the_results_of_their_pieces() {
    let mut random = Random::new(5);
    for (row, section) in table().into_iter().filter(|(row, _)| row.elementwise) {
        for &dtype in &section.accepted {
            // The byte-sized and the wide integers take the same code as the others.
            if matches!(dtype, DType::U16 | DType::U32 | DType::I64 | DType::I16 | DType::BF16) && row.name != "cast" {
                continue;
            }
            let Some(case) = blown_up(&section, dtype, &[LEN], &mut random) else { continue };
            let x: Vec<Tensor> = case.inputs.iter().map(Array::tensor).collect();
            let Ok(whole) = run(&row, &x, &case.attrs) else { continue };
            for start in (0..LEN).step_by(PIECE) {
                let len = PIECE.min(LEN - start);
                let piece: Vec<Tensor> = x.iter().map(|x| tf::slice(x, [start as isize], [len as isize])).collect();
                let got = run(&row, &piece, &case.attrs);
                let want = Ok(whole.iter().map(|y| part(y, start, len)).collect());
                assert!(same(&got, &want), "{} {dtype} from {start}", row.name);
            }
        }
    }
}

/// A part of a row.
fn part(array: &Array, start: usize, len: usize) -> Array {
    let range = start..start + len;
    let data = match &array.data {
        // Complex numbers are two each.
        Numbers::Floats(data) if array.dtype.is_complex() => {
            Numbers::Floats(data[2 * range.start..2 * range.end].to_vec())
        }
        Numbers::Floats(data) => Numbers::Floats(data[range].to_vec()),
        Numbers::Ints(data) => Numbers::Ints(data[range].to_vec()),
    };
    Array { dtype: array.dtype, shape: vec![len], data }
}
