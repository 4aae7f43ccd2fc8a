//! The walking skeleton: twelve operations of all kinds go eagerly, through the tape to second order, through a
//! recorder with unknown sizes into buffers of the caller, through one fused loop, and into CUDA text.
//! What these tests hold is what graphs and the CUDA backend build on.

use crate as tf;
use crate::backend::cpu::Isa;
use crate::backend::cpu::tile::Tiled;
use crate::backend::cuda::{Walk, elementwise_kernel};
use crate::error::Result;
use crate::execute::{execute, with_recorder};
use crate::op::{Op, Outputs};
use crate::ops::{Body, Cond, Law, RandomDraw};
use crate::recording::List;
use crate::scalar::{Program, Scalar};
use crate::shape::{Dim, Shape};
use crate::tensor::{Resource, Tensor, TensorType};
use crate::{DType, GradientTape, Variable};
use std::rc::Rc;
use std::sync::Arc;

/// A generator's state behind a handle.
fn generator(seed: i64) -> Tensor {
    Resource::handle("generator".into(), Tensor::from(vec![seed, 0i64, 0]), None, false)
}

fn uniform(generator: &Tensor, shape: Shape) -> Tensor {
    let op = RandomDraw { law: Law::Uniform { low: 0.0, high: 1.0 }, shape, dtype: DType::F32 };
    execute(&op, &[generator]).unwrap().pop().unwrap()
}

/// All twelve operations in one function: the same text is run eagerly and recorded.
fn sample(
    x: &Tensor,
    w: &Variable,
    generator: &Tensor,
    steps: &Variable,
    flag: &Tensor,
    bodies: &Cond,
) -> Result<Tensor> {
    let noise = uniform(generator, *x.shape());
    let h = tf::try_tanh(&tf::try_add(&tf::try_matmul(x, w.value())?, &noise)?)?;
    let rows = tf::try_gather(&h, &tf::argmax(&h, 0).cast(DType::I32), 0)?;
    let turned = tf::try_transpose(&rows, [1, 0])?;
    w.try_assign_add(&turned)?;
    steps.try_assign_add(tf::constant(1))?;
    tf::print("step {}", &[&steps.value()]);
    let chosen = execute(bodies, &[flag, &turned])?.pop().unwrap();
    tf::try_reduce_sum(&chosen, ())
}

/// A body of the two-branch operation, for this test: a function of one tensor.
struct Branch(u64, fn(&Tensor) -> Tensor, TensorType);

impl Body for Branch {
    fn id(&self) -> u64 {
        self.0
    }
    fn types(&self) -> &[TensorType] {
        std::slice::from_ref(&self.2)
    }
    fn run(&self, inputs: &[&Tensor]) -> Result<Outputs> {
        Ok(smallvec::smallvec![(self.1)(inputs[0])])
    }
}

fn bodies(ty: TensorType) -> Cond {
    Cond { then: Arc::new(Branch(1, |x| tf::tanh(x), ty)), otherwise: Arc::new(Branch(2, |x| x + x, ty)) }
}

fn matrix(rows: usize, columns: usize, seed: i64) -> Tensor {
    uniform(&generator(seed), Shape::new(&[rows, columns]).unwrap())
}

#[test]
fn twelve_operations_run_eagerly() {
    let (x, w) = (matrix(3, 3, 1), Variable::new(matrix(3, 3, 2)));
    let (state, steps) = (generator(3), Variable::with(0, "steps", false));
    let ty = TensorType::new(DType::F32, Shape::new(&[3, 3]).unwrap());
    let before = w.value();
    let sum = sample(&x, &w, &state, &steps, &tf::constant(true), &bodies(ty)).unwrap();
    assert!(sum.item::<f32>().is_finite());
    assert_eq!(steps.value().item::<i32>(), 1);
    assert_ne!(w.value().to_vec::<f32>(), before.to_vec::<f32>());
    // The generator moved on: the same call draws other numbers.
    let state_after = Resource::of(&state, "test").unwrap().lock().to_vec::<i64>();
    assert_ne!(state_after, [3, 0, 0]);
}

#[test]
fn the_tape_reaches_second_order_through_all_kinds() {
    let f = |x: &Tensor| {
        let h = tf::tanh(&tf::matmul(x, &tf::transpose(x, [])));
        let picked = tf::gather(&h, &tf::constant([1, 0, 1]), 0);
        let ty = *picked.ty();
        let chosen = execute(&bodies(ty), &[&tf::constant(true), &picked]).unwrap().pop().unwrap();
        tf::reduce_sum(&chosen.cast(DType::F64), ())
    };
    let x = Tensor::from([[0.3f64, -0.2], [0.1, 0.4]]);
    let gradient = |x: &Tensor| {
        let mut tape = GradientTape::new();
        tape.watch(x);
        let y = f(x);
        tape.gradient(&y, x)
    };
    let value =
        |x: &Tensor| tf::reduce_sum(&(gradient(x) * &tf::constant_of([[1.0, 2.0], [3.0, 4.0]], DType::F64)), ());
    let mut outer = GradientTape::new();
    outer.watch(&x);
    let weighted = value(&x);
    let second = outer.gradient(&weighted, &x).to_vec::<f64>();
    for i in 0..4 {
        let shifted = |h: f64| {
            let mut v = x.to_vec::<f64>();
            v[i] += h;
            Tensor::try_from_vec(v, [2, 2]).unwrap()
        };
        let h = 1e-5;
        let first = (f(&shifted(h)).item::<f64>() - f(&shifted(-h)).item::<f64>()) / (2.0 * h);
        let given = gradient(&x).to_vec::<f64>()[i];
        assert!((first - given).abs() < 1e-6, "first order, element {i}: {first} against {given}");
        let slope = (value(&shifted(h)).item::<f64>() - value(&shifted(-h)).item::<f64>()) / (2.0 * h);
        assert!((slope - second[i]).abs() < 1e-6, "second order, element {i}: {slope} against {}", second[i]);
    }
}

#[test]
fn a_recorded_list_runs_again_with_other_sizes() {
    let list = Rc::new(List::default());
    let rows = Shape::from_dims(&[Dim::symbol(0), Dim::known(3)]).unwrap();
    let x = list.symbol(&TensorType::new(DType::F32, rows));
    let (w, state) = (Variable::new(matrix(3, 3, 2)), generator(7));
    let counter = Variable::with(tf::zeros([3]), "counter", false);
    let body = |x: &Tensor| -> Result<Tensor> {
        let noise = uniform(&state, *x.shape());
        let h = tf::try_tanh(&tf::try_add(&tf::try_matmul(x, w.value())?, &noise)?)?;
        let best = tf::argmax(&h, 0).cast(DType::I32);
        counter.try_assign_add(best.cast(DType::F32))?;
        tf::print("best {}", &[&best]);
        let picked = tf::try_gather(&h, &best, 0)?;
        tf::try_reduce_sum(&tf::try_transpose(&picked, [1, 0])?, 1)
    };
    let y = with_recorder(list.clone(), || body(&x)).unwrap();
    assert_eq!(y.shape(), [3]);
    let result = list.number(&y);
    for n in [2usize, 5, 17] {
        let feed = matrix(n, 3, n as i64);
        let words = Resource::of(&state, "test").unwrap().lock().to_vec::<i64>();
        let mut buffers = Vec::new();
        let views = list.run(&[(0, crate::execute::view_of(&feed))], &[n], &mut buffers);
        // SAFETY: the buffers live, the result is dense.
        let got = unsafe { views[&result].as_slice::<f32>() }.to_vec();
        // Eagerly from the same generator state, the same numbers come out bit for bit.
        let counted = counter.value().to_vec::<f32>();
        crate::ops::assign_raw(&state, &Tensor::from(words));
        let eager = body(&feed).unwrap().to_vec::<f32>();
        assert_eq!(got, eager, "{n} rows");
        let twice = counter.value().to_vec::<f32>();
        assert!(counted.iter().zip(&twice).all(|(a, b)| b >= a));
    }
}

/// `tanh(a * b + c) * sigmoid(a)` as one program, from the meanings of four operations.
fn fused() -> Program {
    let s = Scalar::new();
    let [a, b, c] = [0, 1, 2].map(|i| s.argument(i, DType::F32));
    let meaning = |op: &dyn Op, x: &[_]| op.scalar(&s, x);
    let product = meaning(&crate::ops::Multiply, &[a, b]);
    let sum = meaning(&crate::ops::Add, &[product, c]);
    let tanh = meaning(&crate::ops::Tanh, &[sum]);
    let y = meaning(&crate::ops::Multiply, &[tanh, s.sigmoid(a)]);
    Program::new(&s, &[DType::F32; 3], &[y])
}

#[test]
fn one_fused_loop_equals_the_operations_bit_for_bit() {
    let (a, b, c) = (matrix(37, 51, 1), matrix(37, 51, 2), matrix(1, 51, 3));
    let program = fused();
    let y = Tensor::uninit(a.ty()).unwrap();
    let views = [&a, &b, &c].map(crate::execute::view_of);
    let tiled = Tiled::new(&program, &views, &[crate::execute::view_of(&y)], Isa::current()).unwrap();
    // SAFETY: a fresh output of the inputs' broadcast shape; ranges start at whole tiles.
    let faults = [0..tiled.grain(), tiled.grain()..tiled.len].map(|r| unsafe { tiled.run(r) }.is_some());
    assert_eq!(faults, [false; 2]);
    let sigmoid = {
        let s = Scalar::new();
        let x = s.argument(0, DType::F32);
        Program::new(&s, &[DType::F32], &[s.sigmoid(x)])
    };
    let gate = Tensor::uninit(a.ty()).unwrap();
    let one = Tiled::new(&sigmoid, &[crate::execute::view_of(&a)], &[crate::execute::view_of(&gate)], Isa::current())
        .unwrap();
    // SAFETY: as above.
    assert!(unsafe { one.run(0..one.len) }.is_none());
    let plain = tf::tanh(&(&a * &b + &c)) * &gate;
    assert_eq!(y.to_vec::<f32>(), plain.to_vec::<f32>());
}

#[test]
fn a_symbol_outside_its_recording_names_where_it_was_recorded() {
    let symbol = List::default().symbol(&TensorType::scalar(DType::F32));
    let error = tf::try_add(&symbol, 1.0).unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(error, crate::Error::FailedPrecondition(_)) && text.contains("recorded at core/src/skeleton.rs"),
        "{text}"
    );
}

#[test]
fn tensors_know_the_line_that_made_them() {
    let x = tf::constant([1.0, 2.0]);
    let made = [&x + &x, &x * 2.0, tf::less(&x, 1.5), tf::reduce_sum(&x, 0), x.reshape([2, 1]), tf::zeros([3])];
    assert!(
        made.iter().all(|t| t.location().file().ends_with("skeleton.rs")),
        "{:?}",
        made.each_ref().map(|t| t.location())
    );
}

#[test]
fn the_same_program_is_cuda_text() {
    let text = elementwise_kernel("fused", &fused(), &[Walk::Dense, Walk::Number, Walk::Strided], false);
    let expected = "__device__ inline void element(const float m0, const float m1, const float m2, float& r0, Faults* faults, \
                    unsigned site) {\n  \
                    const float a0 = m0;\n  const float a1 = m1;\n  const float a2 = m2;\n  \
                    const float v0 = __fmul_rn(a0, a1);\n  \
                    const float v1 = __fadd_rn(v0, a2);\n  \
                    const float v2 = tanhf(v1);\n  \
                    const float v3 = sigmoid(a0);\n  \
                    const float o0 = __fmul_rn(v2, v3);\n  r0 = o0;\n}\n";
    assert!(text.starts_with(expected), "{text}");
    let kernel = "extern \"C\" __global__ void fused(index_t count, Faults* faults, unsigned site, const float* x0, \
                  const float x1, const float* x2, float* y0, Space space) {\n  ELEMENTS(i, count) {\n    \
                  index_t at[1];\n    offsets(space, i, at);\n    element(x0[i], x1, x2[at[0]], y0[i], faults, site);\n  }\n}\n";
    assert!(text.ends_with(kernel), "{text}");
}

#[test]
fn a_cast_program_rounds_once_in_cuda_text() {
    let program = crate::scalar::program_of(&crate::ops::Tanh, &[DType::BF16]);
    let text = elementwise_kernel("tanh_bf16", &program, &[Walk::Dense], true);
    assert!(text.contains("const float v0 = Into<float>::of(a0);"), "{text}");
    assert!(text.contains("const bf16 o0 = Into<bf16>::of(v1);"), "{text}");
}
