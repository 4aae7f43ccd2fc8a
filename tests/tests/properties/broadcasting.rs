//! Broadcasting of binary operations: ndarray's results for shapes that fit, an error for those that do not.
//! Element-wise operations on views of every kind are among them.

use crate::{array, same, tensor};
use eagerflow as tf;
use eagerflow_tests::random::{Random, property};
use ndarray::ArrayD;

/// A shape that broadcasts to `whole`: leading dimensions left out, others of size one.
fn narrower(random: &mut Random, whole: &[usize]) -> Vec<usize> {
    let skip = random.below(whole.len() + 1);
    whole[skip..].iter().map(|&d| if random.one_in(3) { 1 } else { d }).collect()
}

/// Both arrays repeated to their common shape.
fn together(a: &ArrayD<f64>, b: &ArrayD<f64>, shape: &[usize]) -> (ArrayD<f64>, ArrayD<f64>) {
    let repeat = |x: &ArrayD<f64>| x.broadcast(shape).expect("it fits").to_owned();
    (repeat(a), repeat(b))
}

/// The shape that NumPy's rule gives, or `None`.
fn common(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let rank = a.len().max(b.len());
    let at = |s: &[usize], i: usize| if i + s.len() < rank { 1 } else { s[i + s.len() - rank] };
    (0..rank)
        .map(|i| match (at(a, i), at(b, i)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect()
}

#[test]
fn shapes_that_fit_give_ndarrays_results() {
    property("broadcast", 400, |random| {
        let whole = random.shape(5, 4);
        let (left, right) = (narrower(random, &whole), narrower(random, &whole));
        let (a, b) = (array(random, &left), array(random, &right));
        let (x, y) = (tensor(random, &a), tensor(random, &b));
        let shape = common(&left, &right).expect("both come from one shape");
        let (a, b) = together(&a, &b, &shape);
        same(&tf::add(&x, &y), &(&a + &b));
        same(&tf::subtract(&x, &y), &(&a - &b));
        same(&tf::multiply(&x, &y), &(&a * &b));
        let mut greater = a.clone();
        greater.zip_mut_with(&b, |a, b| *a = a.max(*b));
        same(&tf::maximum(&x, &y), &greater);
        let mut less = a.clone();
        less.zip_mut_with(&b, |a, b| *a = f64::from(u8::from(*a < *b)));
        same(&tf::cast(tf::less(&x, &y), tf::DType::F64), &less);
        same(&tf::broadcast_to(&x, &shape[..]), &a);
    });
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    property("broadcast refused", 400, |random| {
        let (left, right) = (random.shape(4, 3), random.shape(4, 3));
        let (x, y) = (tf::zeros(&left[..]), tf::zeros(&right[..]));
        match (tf::try_add(&x, &y), common(&left, &right)) {
            (Ok(sum), Some(shape)) => assert_eq!(sum.shape().dims(), shape),
            (Err(tf::Error::InvalidArgument(_)), None) => {}
            (got, want) => panic!("{left:?} and {right:?}: got {got:?}, expected {want:?}"),
        }
    });
}

#[test]
fn gradients_are_summed_back_to_the_operands() {
    property("broadcast gradient", 100, |random| {
        let whole = random.shape(4, 3);
        let (left, right) = (narrower(random, &whole), narrower(random, &whole));
        let (a, b) = (array(random, &left), array(random, &right));
        let (x, y) = (tensor(random, &a), tensor(random, &b));
        let mut tape = tf::GradientTape::new();
        tape.watch([&x, &y]);
        let z = tf::multiply(&x, &y);
        let (dx, dy) = tape.gradient(&z, (&x, &y));
        let shape = common(&left, &right).expect("both come from one shape");
        let (a, b) = together(&a, &b, &shape);
        same(&dx, &sum_to(b, &left));
        same(&dy, &sum_to(a, &right));
    });
}

/// The sum over the axes along which a shape was broadcast.
fn sum_to(mut array: ArrayD<f64>, shape: &[usize]) -> ArrayD<f64> {
    while array.ndim() > shape.len() {
        array = array.sum_axis(ndarray::Axis(0));
    }
    for (axis, &size) in shape.iter().enumerate() {
        if size == 1 && array.shape()[axis] != 1 {
            array = array.sum_axis(ndarray::Axis(axis)).insert_axis(ndarray::Axis(axis));
        }
    }
    array
}
