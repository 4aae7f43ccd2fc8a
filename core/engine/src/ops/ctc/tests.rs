//! The CTC loss against the sum over all ways to say a label, and its gradients of both orders.

use crate::ops::differences::{check, numbers};
use crate::{self as tf, Tensor};

/// The probability of a label as the sum over all sequences of classes that collapse to it.
fn by_all_ways(logits: &[f64], classes: usize, label: &[usize], blank: usize) -> f64 {
    let rows: Vec<Vec<f64>> = logits
        .chunks(classes)
        .map(|row| {
            let sum: f64 = row.iter().map(|x| x.exp()).sum();
            row.iter().map(|x| x.exp() / sum).collect()
        })
        .collect();
    (0..classes.pow(rows.len() as u32))
        .map(|mut way| {
            let (mut said, mut chance, mut last) = (Vec::new(), 1.0, usize::MAX);
            for row in &rows {
                let k = way % classes;
                way /= classes;
                chance *= row[k];
                if k != blank && k != last {
                    said.push(k);
                }
                last = k;
            }
            if said == label { chance } else { 0.0 }
        })
        .sum()
}

#[test]
fn it_is_the_sum_over_all_ways() {
    let logits = numbers(1, &[5, 1, 3]);
    let elements = logits.to_vec::<f64>();
    for (label, blank) in [(vec![1, 2], 0), (vec![1, 1], 0), (vec![], 0), (vec![0, 0, 1], 2), (vec![2, 0, 2], 1)] {
        let wide: Vec<i32> = label.iter().map(|&k| k as i32).chain([0; 4]).take(4).collect();
        let labels = Tensor::try_from_vec(wide, [1, 4]).unwrap();
        let length = tf::constant([label.len() as i32]);
        let loss = tf::ctc_loss(&labels, &logits, &length, tf::constant([5]), true, blank).to_vec::<f64>()[0];
        let want = -by_all_ways(&elements, 3, &label, blank as usize).ln();
        assert!((loss - want).abs() < 1e-12, "{label:?}: {loss} {want}");
    }
}

#[test]
fn gradients_of_both_orders() {
    let labels = tf::constant([[1, 1, 2], [2, 1, 0]]);
    let (long, frames) = (tf::constant([3, 2]), tf::constant([5, 3]));
    check(&|x| tf::ctc_loss(&labels, &x[0], &long, &frames, true, 0), &[numbers(1, &[5, 2, 4])]);
    check(&|x| tf::ctc_loss(&labels, &x[0], &long, &frames, false, -1), &[numbers(2, &[2, 5, 4])]);
}

#[test]
fn what_does_not_fit_and_what_is_refused() {
    let logits = tf::zeros([2, 1, 3]);
    let run = |label: [i32; 3], long: i32, frames: i32, blank: i64| {
        tf::try_ctc_loss(tf::constant([label]), &logits, tf::constant([long]), tf::constant([frames]), true, blank)
    };
    // Three labels in two frames, and two equal ones without room for a blank.
    assert_eq!(run([1, 2, 1], 3, 2, 0).unwrap().to_vec::<f32>(), [f32::INFINITY]);
    assert_eq!(run([1, 1, 0], 2, 2, 0).unwrap().to_vec::<f32>(), [f32::INFINITY]);
    assert_eq!(run([0, 0, 0], 0, 0, 0).unwrap().to_vec::<f32>(), [0.0]);
    assert!(run([0, 1, 0], 2, 2, 0).is_err());
    assert!(run([3, 1, 0], 2, 2, 0).is_err());
    assert!(run([1, 1, 0], 4, 2, 0).is_err());
    assert!(run([1, 1, 0], 1, 3, 0).is_err());
    assert!(run([1, 1, 0], 1, 2, 3).is_err());
    assert!(tf::try_ctc_beam_search_decoder(&logits, tf::constant([2]), 2, 3).is_err());
    assert!(tf::try_ctc_greedy_decoder(&logits, tf::constant([3]), true, -1).is_err());
}
