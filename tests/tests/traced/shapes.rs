//! Sizes that are known only at run time: arguments of any length, tensors that grow in loops, parts chosen by values.

use eagerflow as tf;
use tf::{DType, Tensor, TensorArray, tf_function};

/// One trace for inputs of any length.
#[tf_function]
fn any_length(x: &Tensor) -> Tensor {
    let mean = tf::reduce_mean(x, ());
    let centred = x - &mean;
    if tf::reduce_max(&centred, ()) > 2.0 { centred * 0.5 } else { centred.square() }
}

/// Elements chosen by a condition: how many is known only at run time.
#[tf_function]
fn chosen(x: &Tensor) -> (Tensor, Tensor) {
    let positive = tf::boolean_mask(x, &tf::greater(x, 0.0), 0);
    (tf::reduce_sum(positive.square(), ()), positive)
}

/// Read in a loop inside of a branch, which ends at its first round: of the way back of second order nobody but what is
/// saved knows how many were chosen.
#[tf_function]
fn chosen_for_later(x: &Tensor, y: &Tensor) -> Tensor {
    let positive = tf::boolean_mask(y, &tf::greater(y, 0.0), 0);
    let mut mean = x.sin();
    if x > 0.0 {
        loop {
            if x > 0.5 {
                break;
            }
            mean = tf::reduce_mean(&positive, ());
        }
    }
    mean
}

/// A list filled in a loop, stacked behind it.
#[tf_function]
fn filled(x: &Tensor, n: &Tensor) -> Tensor {
    let mut states = TensorArray::new(DType::F32, n);
    let mut y = x.clone();
    for i in tf::range(0, n, 1) {
        y = y * 0.5 + x;
        states = states.write(&i, &y);
    }
    states.stack()
}

/// Rows taken by an index that is a tensor.
#[tf_function]
fn indexed(x: &Tensor, start: &Tensor) -> Tensor {
    let mut i = start.clone();
    let mut sum = tf::constant(0.0);
    while i < 4 {
        sum = sum * 0.5 + x.at(&i);
        i = i + 1;
    }
    sum
}

/// Matrices of any size.
#[tf_function]
fn gram(a: &Tensor) -> Tensor {
    let product = tf::matmul(a.t(), a);
    let mut scaled = product.clone();
    while tf::reduce_max(&scaled, ()) > 1.0 {
        scaled = scaled * 0.5;
    }
    scaled
}

/// A loop that appends to a tensor of integers.
#[tf_function]
fn divisors(n: &Tensor) -> Tensor {
    let mut all = tf::constant([1]);
    for i in tf::range(2, n, 1) {
        if n % &i == 0 {
            all = tf::concat(&[&all, &tf::reshape(&i, [1])], 0);
        }
    }
    all
}

/// A loop that appends to a tensor.
#[tf_function]
fn growing(x: &Tensor, n: &Tensor) -> Tensor {
    let mut all = tf::zeros([1]);
    for i in tf::range(0, n, 1) {
        let next = tf::reshape(x * i.cast(DType::F32), [1]);
        all = tf::concat(&[&all, &next], 0);
    }
    all
}

/// A loop that doubles a tensor until it is long enough.
#[tf_function]
fn doubling(x: &Tensor, least: &Tensor) -> Tensor {
    let mut x = x.clone();
    while tf::shape(&x).at(0) < least {
        x = tf::concat(&[&x, &(&x * 2.0)], 0);
    }
    x
}

/// A list made of a tensor's rows, read backwards.
#[tf_function]
fn backwards(rows: &Tensor) -> Tensor {
    let all = TensorArray::unstack(rows);
    let mut i = all.size();
    let mut y = tf::zeros([2]);
    while i > 0 {
        i = i - 1;
        y = (y + all.read(&i)).tanh();
    }
    y
}

/// A range whose length and values depend on the arguments.
#[tf_function]
fn ranges(n: &Tensor, x: &Tensor) -> Tensor {
    let steps = tf::range(0, n, 1).cast(DType::F32);
    if n > 3 { tf::reduce_sum(&steps * x, ()) } else { tf::reduce_sum(steps.square() + x, ()) }
}

/// A condition that reads the size of what nobody reads afterwards.
#[tf_function]
fn sizes_alone(x: &Tensor, n: &Tensor) -> Tensor {
    let mut v = x.clone();
    let mut outer = tf::constant(0);
    while &outer < n {
        outer = outer + 1;
        let mut inner = tf::constant(0);
        while inner < 1 && tf::shape(&v).at(0) < n {
            inner = inner + 1;
            v = tf::range(0, n, 1).cast(DType::F32);
        }
    }
    outer
}

#[test]
fn growing_tensors() {
    eager_vs_graph!(sizes_alone(x, n); (x, n) in [([1.0, 2.0], 1), ([1.0, 2.0], 4), ([1.0, 2.0], 3)]);
    eager_vs_graph!(growing(x, n); (x, n) in [(2.0, 3), (-1.0, 5), (3.0, 0)]);
    eager_vs_graph!(doubling(x, least); (x, least) in [([1.0, 2.0], 7), ([1.0, 3.0], 1), ([0.5, 3.0], 9)]);
}

#[test]
fn lengths_of_arguments() {
    eager_vs_graph!(any_length(x);
        x in [tf::constant([1.0, 2.0]), tf::constant([1.0, 2.0, 9.0]), tf::constant([1.0, 2.0, 9.0, 4.0])]; traces 2);
    eager_vs_graph!(gram(x); x in [tf::ones([2, 3]), tf::ones([4, 2]) * 0.25, tf::ones([5, 5])]; traces 2);
    eager_vs_graph!(ranges(n, x); (n, x) in [(5, 0.5), (2, 1.5), (0, 1.5)]);
    eager_vs_graph!(chosen_for_later(x, y); (x, y) in [(1.0, [1.0, -1.0, 2.0]), (-1.0, [1.0, -1.0, 2.0])]);
    eager_vs_graph!(chosen(x); x in [[1.0, -2.0, 3.0], [-1.0, -2.0, -3.0]]);
}

#[test]
fn lists() {
    eager_vs_graph!(filled(x, n); (x, n) in [(2.0, 3), (-1.0, 5)]);
    eager_vs_graph!(indexed(x, i); (x, i) in [([1.0, 2.0, 3.0, 4.0], 0), ([1.0, 2.0, 3.0, 4.0], 2), ([1.0, 2.0, 3.0, 4.0], 4)]);
    eager_vs_graph!(backwards(rows); rows in [[[1.0, 2.0], [0.5, -1.0]], [[0.0, 1.0], [2.0, -1.0]]]);
    eager_vs_graph!(divisors(n); n in [12, 1, 7]);
}
