//! Complex numbers in traced functions: formulas, branches and loops on them, and how little of them is left in the optimized graph.

use eagerflow as tf;
use tf::{Complex, GradientTape, Tensor, tf_function};

type C = Complex<f64>;

fn numbers(values: &[(f64, f64)]) -> Tensor {
    values.iter().map(|&(re, im)| C::new(re, im)).collect()
}

#[tf_function]
fn formula(z: &Tensor, w: &Tensor) -> Tensor {
    let y = z * w + tf::exp(z) / 2.0;
    tf::multiply(&y, tf::conj(w)) - Complex::new(0.0, 1.5)
}

#[tf_function]
fn escape(c: &Tensor) -> Tensor {
    let mut z = tf::zeros_like(c);
    let mut steps = tf::constant(0);
    while tf::reduce_max(tf::abs(&z), ()).less(2.0) & steps.less(50) {
        z = &z * &z + c;
        steps = steps + 1;
    }
    z
}

#[tf_function]
fn chosen(z: &Tensor) -> Tensor {
    let mut y = z.clone();
    if tf::reduce_sum(tf::real(z), ()) > 0.0 {
        y = tf::sqrt(&y);
    } else {
        y = &y * 2.0;
    }
    y
}

#[tf_function]
fn slope(z: &Tensor) -> Tensor {
    let mut tape = GradientTape::new();
    tape.watch(z);
    let y = tf::reduce_sum(tf::square(tf::abs(tf::tanh(z))), ());
    tape.gradient(&y, z)
}

#[track_caller]
fn near(got: &Tensor, want: &[C]) {
    let got = got.to_vec::<C>();
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).norm() < 1e-10 * want.norm().max(1.0), "{got}, not {want}");
    }
}

#[test]
fn formulas_are_what_num_complex_computes() {
    let (z, w) = (numbers(&[(0.5, -1.0), (2.0, 0.25), (-0.3, 0.1)]), numbers(&[(1.0, 1.0), (0.0, -2.0), (0.7, 0.2)]));
    let (a, b) = (z.to_vec::<C>(), w.to_vec::<C>());
    let want: Vec<C> = (0..3).map(|i| (a[i] * b[i] + a[i].exp() / 2.0) * b[i].conj() - C::new(0.0, 1.5)).collect();
    near(&formula(&z, &w), &want);
    // Strided operands, in a trace of another layout.
    let (turned, other) = (tf::stack(&[&z, &z], 0).t(), tf::stack(&[&w, &w], 0).t());
    let both: Vec<C> = want.iter().flat_map(|&y| [y, y]).collect();
    near(&formula(&turned, &other), &both);
}

#[tf_function]
fn planned(z: &Tensor, w: &Tensor) -> Tensor {
    let y = z * w + tf::exp(z) / 2.0;
    tf::multiply(&y, tf::conj(w)) - Complex::new(0.0, 1.5)
}

#[test]
fn plans_have_one_join_for_a_formula() {
    let z = numbers(&[(0.5, -1.0), (2.0, 0.25)]);
    planned(&z, &z);
    let plan = tf::function(planned).plan().expect("a trace");
    assert_eq!((plan.matches("complex(float64").count(), plan.matches("fused").count()), (1, 1), "{plan}");
}

#[test]
fn branches_and_loops_carry_complex_numbers() {
    let c = numbers(&[(-0.4, 0.6), (0.3, 0.5)]);
    let mut want = [C::new(0.0, 0.0); 2];
    let mut steps = 0;
    while want.iter().all(|z| z.norm() < 2.0) && steps < 50 {
        want.iter_mut().zip(c.to_vec::<C>()).for_each(|(z, c)| *z = *z * *z + c);
        steps += 1;
    }
    near(&escape(&c), &want);
    near(&chosen(&numbers(&[(3.0, 4.0)])), &[C::new(2.0, 1.0)]);
    near(&chosen(&numbers(&[(-3.0, 4.0)])), &[C::new(-6.0, 8.0)]);
}

#[test]
fn gradients_are_the_eager_ones() {
    let z = numbers(&[(0.5, -1.0), (2.0, 0.25)]);
    let mut tape = GradientTape::new();
    tape.watch(&z);
    let y = tf::reduce_sum(tf::square(tf::abs(tf::tanh(&z))), ());
    near(&slope(&z), &tape.gradient(&y, &z).to_vec::<C>());
}

#[test]
fn variables_hold_complex_numbers() {
    let v = tf::Variable::new(numbers(&[(1.0, 2.0), (0.0, -1.0)]));
    let tape = GradientTape::new();
    let y = tf::reduce_sum(tf::square(tf::abs(v.value())), ());
    near(&tape.gradient(&y, &v), &[C::new(2.0, 4.0), C::new(0.0, -2.0)]);
    v.assign_add(numbers(&[(1.0, 1.0), (1.0, 1.0)]));
    near(&v.value(), &[C::new(2.0, 3.0), C::new(1.0, 0.0)]);
}
