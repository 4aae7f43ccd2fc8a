//! Optimizer steps against `tf.keras` and against the formulas in f64, over dtypes, sizes and lists of variables.
//! The numbers are those of TensorFlow 2.21's Keras after three steps.

use super::samples::{ADAM, ahead, apply_adam, apply_ahead, apply_old_slot, old_slot};
use super::*;
use crate as tf;
use crate::ops::differences::numbers;
use crate::{IndexedRows, Tensor, Variable, bf16, f16};
use kernels::backend::cpu::Isa;

const GRADIENTS: [[f32; 3]; 3] = [[0.1, -2.0, 3.0], [1.0, 0.5, -0.25], [0.0, 1e-3, 4.0]];

/// Three steps; `step` gets variable, two slots, gradient and how many steps there were.
fn train(step: impl Fn(&[Variable], &[Variable], &[Variable], &[Tensor], &Tensor) -> Result<()>) -> Vec<f32> {
    let variable = [Variable::new([1.0, 2.0, -3.0])];
    let slots = [[Variable::new([0.0; 3])], [Variable::new([0.0; 3])]];
    for (i, gradient) in (0i64..).zip(GRADIENTS) {
        step(&variable, &slots[0], &slots[1], &[tf::constant(gradient)], &Tensor::from(i)).unwrap();
    }
    variable[0].value().to_vec()
}

fn near(ours: &[f32], right: [f32; 3]) {
    assert!(ours.iter().zip(right).all(|(a, b)| (a - b).abs() <= 2e-5 * b.abs()), "{ours:?} for {right:?}");
}

#[test]
fn steps_are_those_of_keras() {
    let rate = tf::constant(0.1);
    near(&train(|w, _, _, g, _| apply_gradient_descent(w, g, &rate)), [0.89, 2.1499002, -3.675]);
    near(&train(|w, v, _, g, _| apply_ahead(w, v, g, &rate, 0.9)), [0.69461, 2.55211, -4.72395]);
    near(&train(|w, m, v, g, t| apply_adam(w, m, v, g, &rate, t, ADAM)), [0.75690836, 2.1832042, -3.239796]);
    let (rate, other) = (tf::constant(0.01), AdamRule { beta_1: 0.8, beta_2: 0.95, epsilon: 1e-3, ..ADAM });
    near(&train(|w, m, v, g, t| apply_adam(w, m, v, g, &rate, t, other)), [0.97604686, 2.0173035, -3.0237043]);
}

#[test]
fn long_and_many_variables_are_updated_whole() {
    // More variables than one operation takes, more elements than one chunk; empty ones in between.
    let sizes = [3, 0, 40_000, 1, 70_001, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 33_000, 2];
    let make = |seed: u64, scale: f64| -> Vec<Variable> {
        (seed..).zip(sizes).map(|(i, n)| Variable::new(numbers(i, &[n]) * scale)).collect()
    };
    let (w, m, v) = (make(1, 1.0), make(50, 0.0), make(50, 0.0));
    let before: Vec<Vec<f64>> = w.iter().map(|w| w.value().to_vec()).collect();
    let gradients: Vec<Tensor> = (100..).zip(sizes).map(|(i, n)| numbers(i, &[n])).collect();
    apply_adam(&w, &m, &v, &gradients, &tf::constant(0.1), &tf::constant(0), ADAM).unwrap();
    for i in 0..sizes.len() {
        let (now, g) = (w[i].value().to_vec::<f64>(), gradients[i].to_vec::<f64>());
        for (at, &g) in g.iter().enumerate() {
            let (m, v) = (0.1 * g, 0.001 * g * g);
            let rate = f64::from(0.1f32) * 0.001f64.sqrt() / 0.1;
            let right = before[i][at] - rate * m / (v.sqrt() + 1e-7);
            assert!((now[at] - right).abs() < 1e-9, "variable {i} element {at}: {} for {right}", now[at]);
        }
    }
}

/// The loop in registers and the program of the formula agree to the last bit, also where numbers are no numbers.
#[test]
fn one_loop_gives_the_bits_of_the_formula() {
    let special =
        [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, 1e-45, f32::MAX, 1e20, -3.0];
    let n = 1000;
    let values = |seed: u64| -> Vec<f32> {
        let plain = numbers(seed, &[n]).to_vec::<f64>();
        plain
            .iter()
            .enumerate()
            .map(|(i, &x)| if i % 7 == 0 { special[(i / 7 + seed as usize) % 10] } else { x as f32 })
            .collect()
    };
    let positive = |seed| values(seed).into_iter().map(f32::abs).collect::<Vec<f32>>();
    let start = [values(1), values(2), positive(3), values(4)];
    let (apply, rate) = (Apply { rule: Arc::new(ADAM) }, 0.0123);
    let own = Rule::own_loop(&ADAM).unwrap();
    let view = |data: &mut Vec<f32>| View::dense(data.as_mut_ptr().cast(), DType::F32, &[data.len()]);
    for isa in Isa::available() {
        let (mut ours, mut right) = (start.clone(), start.clone());
        let group = ours.each_mut().map(view);
        // SAFETY: vectors of one length, which nobody else uses.
        assert!(unsafe { own.run(&group, 3..n - 5, &[rate], isa) });
        let program = apply.program(DType::F32);
        let mut single = rate as f32;
        let mut inputs = right.each_mut().map(view).to_vec();
        inputs.push(View::new((&raw mut single).cast(), DType::F32, &[], &[]));
        let tiled = Tiled::new(&program, &inputs, &inputs[..3], isa).unwrap();
        // SAFETY: as above.
        assert!(unsafe { tiled.run(0..n) }.is_none());
        let bits = |data: &[f32]| data.iter().map(|x| if x.is_nan() { 1 } else { x.to_bits() }).collect::<Vec<_>>();
        for (i, (ours, right)) in ours.iter().zip(&right).enumerate() {
            assert_eq!(bits(&ours[3..n - 5]), bits(&right[3..n - 5]), "{isa:?} {i}");
            assert_eq!((bits(&ours[..3]), bits(&ours[n - 5..])), (bits(&start[i][..3]), bits(&start[i][n - 5..])));
        }
    }
}

/// Machine code, where there is some, and the program of the formula agree to the last bit, whatever lies over what.
#[test]
fn machine_code_gives_the_bits_of_the_formula() {
    let n = 1000;
    let values = |seed: u64| numbers(seed, &[n]).to_vec::<f64>().into_iter().map(|x| x as f32).collect::<Vec<f32>>();
    let wanted = std::env::var("EAGERFLOW_JIT").as_deref() != Ok("off")
        && cfg!(all(target_arch = "x86_64", target_os = "linux"));
    let rules: [Arc<dyn Rule>; 3] = [steps::gradient_descent().clone(), ahead(0.9), old_slot()];
    for (rule, isa) in rules.iter().flat_map(|rule| Isa::available().map(move |isa| (rule, isa))) {
        let apply = Apply { rule: rule.clone() };
        let (whole, one) = (apply.group(), rule.given()[0] == Given::One);
        // The gradient lies apart, or is the variable itself.
        for over in [false, true] {
            let start: Vec<Vec<f32>> = (0..whole as u64).map(values).collect();
            let run = |code: bool| -> (bool, Vec<Vec<f32>>) {
                let mut data = start.clone();
                let mut group: Vec<View> =
                    data.iter_mut().map(|x| View::dense(x.as_mut_ptr().cast(), DType::F32, &[n])).collect();
                let given = apply.resources();
                group[given].ptr = if over && !one { group[0].ptr } else { group[given].ptr };
                if one {
                    group[given] = View::new(group[given].ptr, DType::F32, &[], &[]);
                }
                let mut factor = 0.25f32;
                let factors = match apply.factors(&[0.0; 8][..rule.numbers()]).len() {
                    0 => vec![],
                    _ => vec![View::new((&raw mut factor).cast(), DType::F32, &[], &[])],
                };
                // SAFETY: vectors of one length, which nobody else uses.
                let ran = unsafe {
                    if code {
                        apply.by_machine(&group, 3..n - 5, &factors, isa)
                    } else {
                        let inputs: Vec<View> = group.iter().chain(&factors).copied().collect();
                        let program = apply.program(DType::F32);
                        let tiled = Tiled::new(&program, &inputs, &group[..given], isa).unwrap();
                        tiled.run(3..n - 5).is_none()
                    }
                };
                (ran, data)
            };
            let ((ran, ours), (_, right)) = (run(true), run(false));
            assert_eq!(ran, wanted && isa != Isa::Portable, "{isa:?} {}", rule.label());
            assert!(!ran || ours == right, "{isa:?} {} {over}", rule.label());
        }
    }
}

#[test]
fn narrow_floats_are_rounded_once() {
    let gradients = [tf::constant([0.3, -0.7, 5.0])];
    let rate = tf::constant(0.25);
    let w = [Variable::new(tf::constant([1.0, 2.0, 3.0]).cast(DType::F16))];
    let v = [Variable::new(tf::zeros(3).cast(DType::F16))];
    let g = [gradients[0].cast(DType::F16)];
    apply_ahead(&w, &v, &g, &rate, 0.5).unwrap();
    let right = g[0].to_vec::<f16>().into_iter().zip([1.0, 2.0, 3.0]).map(|(g, w)| {
        let change = -0.25 * g.to_f32();
        f16::from_f32(w + (0.5 * change + -0.25 * g.to_f32()))
    });
    assert_eq!(w[0].value().to_vec::<f16>(), right.collect::<Vec<_>>());
    let w = [Variable::new(tf::constant([1.0, 2.0]).cast(DType::BF16))];
    apply_gradient_descent(&w, &[tf::ones(2).cast(DType::BF16)], &tf::constant(0.5)).unwrap();
    assert_eq!(w[0].value().to_vec::<bf16>(), [0.5, 1.5].map(bf16::from_f32));
}

#[test]
fn rows_change_alone_and_add_up() {
    let variable = Variable::new([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]);
    let held = variable.value();
    let rows = |indices: Tensor| IndexedRows {
        indices,
        values: tf::constant([[1.0, 2.0], [10.0, 20.0], [1.0, 1.0]]),
        shape: variable.shape(),
    };
    apply_gradient_descent_rows(&variable, &rows(tf::constant([2, 0, 2])), &tf::constant(0.5)).unwrap();
    assert_eq!(variable.value().to_vec::<f32>(), [-4.0, -9.0, 2.0, 2.0, 2.0, 1.5]);
    assert_eq!(held.to_vec::<f32>(), [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
    // A bad row number changes nothing.
    assert!(apply_gradient_descent_rows(&variable, &rows(tf::constant([0, 1, 3])), &tf::constant(0.5)).is_err());
    assert_eq!(variable.value().to_vec::<f32>(), [-4.0, -9.0, 2.0, 2.0, 2.0, 1.5]);
}

/// Rows that several threads share, named many times each, against a plain loop; the numbers are exact.
#[test]
fn many_rows_change_in_their_order() {
    let (size, count) = (3_000, 70_000);
    for row in [3, 40] {
        let variable = Variable::new(tf::zeros([size, row]));
        let mut at: Vec<i32> = (0..count).map(|i| (i * 7919 % size) as i32).collect();
        let values: Vec<f32> = (0..count * row).map(|i| (i % 37) as f32 - 18.0).collect();
        let step = |at: &[i32]| {
            let values = tf::constant(&values[..]).reshape([count as isize, row as isize]);
            let rows = IndexedRows { indices: tf::constant(at), values, shape: variable.shape() };
            apply_gradient_descent_rows(&variable, &rows, &tf::constant(0.5))
        };
        step(&at).unwrap();
        let mut want = vec![0.0; size * row];
        for (i, &at) in at.iter().enumerate() {
            (0..row).for_each(|j| want[at as usize * row + j] -= 0.5 * values[i * row + j]);
        }
        assert!(variable.value().to_vec::<f32>() == want, "rows of {row}");
        at[69_000] = size as i32;
        let error = step(&at).unwrap_err().to_string();
        assert!(error.contains("index number 69000"), "{error}");
        assert!(variable.value().to_vec::<f32>() == want, "a bad row number changes nothing");
    }
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let (rate, w) = (tf::constant(0.1), [Variable::new([1.0, 2.0]), Variable::new([3.0])]);
    let good = [tf::constant([1.0, 1.0]), tf::constant([1.0])];
    let refused = |w: &[Variable], g: &[Tensor], rate: &Tensor| apply_gradient_descent(w, g, rate).is_err();
    assert!(refused(&w, &good[..1], &rate));
    assert!(refused(&w, &[good[0].clone(), tf::constant([1.0, 2.0])], &rate));
    assert!(refused(&w, &[good[0].clone(), good[1].cast(DType::F64)], &rate));
    assert!(refused(&w, &good, &tf::constant([0.1])));
    assert!(refused(&w, &good, &tf::constant(1)));
    assert!(refused(&[w[0].clone(), w[0].clone()], &[good[0].clone(), good[0].clone()], &rate));
    assert!(refused(&[Variable::new([1, 2])], &[tf::constant([1, 1])], &rate));
    let slot = [Variable::new([0.0; 3]), Variable::new([0.0])];
    assert!(apply_ahead(&w, &slot, &good, &rate, 0.9).is_err());
    assert_eq!((w[0].value().to_vec::<f32>(), w[1].value().to_vec::<f32>()), (vec![1.0, 2.0], vec![3.0]));
}

#[test]
fn a_gradient_that_repeats_one_number_is_taken_as_it_is() {
    let w = [Variable::new(tf::ones([2, 3]))];
    let g = tf::broadcast_to(tf::constant(2.0), [2, 3]);
    apply_gradient_descent(&w, &[g], &tf::constant(0.25)).unwrap();
    assert_eq!(w[0].value().to_vec::<f32>(), [0.5; 6]);
}

/// A rule may write a slot before the variable's formula reads it, and may have one number for each variable.
#[test]
fn old_values_are_read_until_the_last_step() {
    for dtype in [DType::F32, DType::F64, DType::F16] {
        let of =
            |x: f64| [Variable::new((tf::zeros([1000]) + x).cast(dtype)), Variable::new(Tensor::from(x).cast(dtype))];
        let (w, v) = (of(1.0), of(8.0));
        let ones = [Tensor::from(0.25f64).cast(dtype), Tensor::from(0.5f64).cast(dtype)];
        apply_old_slot(&w, &v, &ones).unwrap();
        let all = |v: &Variable| v.value().cast(DType::F64).to_vec::<f64>();
        assert!(all(&w[0]).iter().all(|&x| x == -1.0) && all(&v[0]).iter().all(|&x| x == 4.0), "{dtype}");
        assert_eq!((all(&w[1]), all(&v[1])), (vec![-3.0], vec![4.0]));
    }
    let (w, v) = ([Variable::new([1.0, 2.0])], [Variable::new([1.0, 2.0])]);
    assert!(apply_old_slot(&w, &v, &[tf::ones(2)]).is_err());
}
