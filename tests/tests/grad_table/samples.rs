//! Inputs for finite differences: for each differentiable operation, shapes, ranges that avoid kinks, and attributes.
//! The tests of differences, of dtypes and of flipped signs walk over [`all`].

mod complex;
mod conv;
mod diagonals;
mod linalg;
mod norms;
mod segments;
mod signal;
mod sorting;
mod spaces;
mod special;

use crate::program::Program;
use eagerflow::DType;
use eagerflow_tests::golden::{Array, Attrs, Numbers};
use eagerflow_tests::random::Random;
use serde_json::{Value, json};

/// How an input is made.
#[derive(Clone)]
pub enum Input {
    /// Floats between two bounds.
    Between(&'static [usize], f64, f64),
    /// Floats that are at least 0.2 apart, around zero but not near it: no ties, no kinks.
    Apart(&'static [usize]),
    /// Floats as given.
    Given(&'static [usize], &'static [f64]),
    /// Floats as given, which only the direction of the second derivative moves.
    Fixed(&'static [usize], &'static [f64]),
    /// `int32` numbers as given.
    Ints(&'static [usize], &'static [i128]),
    /// Truth values as given.
    Flags(&'static [usize], &'static [i128]),
}
use Input::{Apart, Between, Fixed, Flags, Given, Ints};

/// One row of the table.
pub struct Sample {
    pub name: &'static str,
    pub attrs: Value,
    pub inputs: Vec<Input>,
    /// How many times the usual error is allowed: results are rounded to fewer digits on the way.
    pub loose: f64,
}

impl Sample {
    pub fn program(&self) -> Program {
        let program = Program::named(self.name, Attrs(self.attrs.clone()));
        program.unwrap_or_else(|| panic!("no row for the sample `{}`", self.name))
    }

    /// The inputs; floats are `float64`.
    pub fn arrays(&self) -> Vec<Array> {
        let mut random = Random::new(self.name.bytes().fold(7, |h: u64, b| h.wrapping_mul(31) ^ u64::from(b)));
        self.inputs.iter().map(|input| input.array(&mut random)).collect()
    }
}

impl Input {
    fn array(&self, random: &mut Random) -> Array {
        match *self {
            Between(shape, low, high) => {
                let data = random.floats(shape.iter().product(), low, high);
                Array::floats(DType::F64, shape, data)
            }
            Apart(shape) => {
                let n = shape.iter().product::<usize>();
                let value = |i: usize| 0.25 * (i as f64 - n as f64 / 2.0) + 0.11;
                let data = random.permutation(n).into_iter().map(|i| value(i) + random.uniform(0.0, 0.02)).collect();
                Array::floats(DType::F64, shape, data)
            }
            Given(shape, data) | Fixed(shape, data) => Array::floats(DType::F64, shape, data.to_vec()),
            Ints(shape, data) => Array { dtype: DType::I32, shape: shape.to_vec(), data: Numbers::Ints(data.to_vec()) },
            Flags(shape, data) => {
                Array { dtype: DType::Bool, shape: shape.to_vec(), data: Numbers::Ints(data.to_vec()) }
            }
        }
    }
}

/// A sample.
fn with(name: &'static str, attrs: Value, inputs: Vec<Input>) -> Sample {
    Sample { name, attrs, inputs, loose: 1.0 }
}

/// A sample without attributes.
fn plain(name: &'static str, inputs: Vec<Input>) -> Sample {
    with(name, json!({}), inputs)
}

const X: Input = Between(&[2, 3], -2.0, 2.0);
const POSITIVE: Input = Between(&[2, 3], 0.3, 3.0);

/// Whether a sample has no gradients in floats of 16 bits: complex numbers, matrices that are factorized, and spectra.
pub fn has_no_short_floats(sample: &Sample) -> bool {
    let others = || linalg::samples().into_iter().chain(signal::transforms());
    sample.name == "of_complex" || others().any(|other| other.name == sample.name)
}

/// All samples.
pub fn all() -> Vec<Sample> {
    let mut all = elementwise();
    all.extend(shapes());
    all.extend(reductions());
    all.extend(linear());
    all.extend(norms::samples());
    if !eagerflow_tests::suite::on_a_gpu() {
        all.extend(linalg::samples());
        all.extend(signal::transforms());
    }
    all.extend(segments::samples());
    all.extend(signal::samples());
    all.extend(sorting::samples());
    all.extend(spaces::samples());
    all.extend(special::samples());
    all.extend(conv::samples());
    all.extend(diagonals::samples());
    all.extend(complex::samples());
    all
}

/// Unary operations without kinks.
const SMOOTH: [&str; 16] = [
    "neg",
    "square",
    "exp",
    "expm1",
    "tanh",
    "sigmoid",
    "sin",
    "cos",
    "erf",
    "erfc",
    "softplus",
    "silu",
    "softsign",
    "identity",
    "x_times_x",
    "where_log_safe",
];

fn elementwise() -> Vec<Sample> {
    let mut all = Vec::new();
    all.extend(SMOOTH.map(|name| plain(name, vec![X])));
    all.push(with("leaky_relu", json!({"alpha": 0.2}), vec![Apart(&[2, 3])]));
    all.push(with("gelu", json!({"approximate": true}), vec![X]));
    all.push(with("gelu", json!({"approximate": false}), vec![X]));
    all.push(plain("stateless_dropout", vec![Between(&[4, 5], -2.0, 2.0)]));
    all.push(plain("operator_divide", vec![X, POSITIVE]));
    all.push(plain("truncatemod", vec![Between(&[2, 3], 0.6, 0.9), Between(&[2, 3], -0.45, -0.31)]));
    all.push(plain("truediv", vec![X, POSITIVE]));
    all.push(plain("div_no_nan", vec![X, POSITIVE]));
    all.push(plain("floormod", vec![Between(&[2, 3], 0.6, 0.9), Between(&[2, 3], 0.31, 0.45)]));
    all.push(plain("clip_by_value", vec![Apart(&[3, 4]), Between(&[], -0.95, -0.9), Between(&[], 0.9, 0.95)]));
    all.push(with("clip_by_norm", json!({"axes": null}), vec![X, Between(&[], 0.9, 1.0)]));
    all.push(with("clip_by_norm", json!({"axes": [1]}), vec![Between(&[2, 3], 1.0, 2.0), Between(&[], 0.9, 1.0)]));
    all.push(with("l2_normalize", json!({"axis": [1], "epsilon": 1e-12}), vec![X]));
    all.push(plain("clip_by_global_norm", vec![X, Between(&[4], -2.0, 2.0), Between(&[], 0.9, 1.0)]));
    all.extend(["abs", "sign", "relu", "elu", "selu"].map(|name| plain(name, vec![Apart(&[2, 3])])));
    all.extend(["sqrt", "rsqrt", "log", "log1p", "reciprocal"].map(|name| plain(name, vec![POSITIVE])));
    for name in ["add", "subtract", "multiply", "squared_difference"] {
        all.push(plain(name, vec![X, X]));
        all.push(plain(name, vec![Between(&[2, 1, 3], -2.0, 2.0), Between(&[4, 1], -2.0, 2.0)]));
    }
    all.push(plain("divide", vec![X, POSITIVE]));
    all.push(plain("divide", vec![Between(&[], -2.0, 2.0), POSITIVE]));
    all.push(plain("pow", vec![POSITIVE, X]));
    all.push(plain("maximum", vec![Apart(&[2, 3]), Between(&[], 0.2, 0.3)]));
    all.push(plain("minimum", vec![Apart(&[2, 3]), Between(&[], 0.2, 0.3)]));
    all.push(plain("where", vec![Flags(&[2, 3], &[1, 0, 0, 1, 1, 0]), X, Between(&[3], -2.0, 2.0)]));
    all.push(Sample { loose: 1e5, ..with("cast", json!({"to": "float32"}), vec![X]) });
    all
}

fn pad(mode: &str) -> Value {
    json!({"paddings": [[1, 0], [0, 2]], "mode": mode, "constant_values": 0})
}

/// `x[1:, ::-2]`
fn strides() -> Value {
    json!({"begin": [1, 0], "end": [0, 0], "strides": [1, -2], "begin_mask": 2, "end_mask": 3, "ellipsis_mask": 0,
           "new_axis_mask": 0, "shrink_axis_mask": 0})
}

fn shapes() -> Vec<Sample> {
    vec![
        with("reshape", json!({"shape": [3, -1]}), vec![X]),
        with("transpose", json!({"perm": [2, 0, 1]}), vec![Between(&[2, 3, 2], -2.0, 2.0)]),
        with("expand_dims", json!({"axis": 1}), vec![X]),
        with("squeeze", json!({"axis": [1]}), vec![Between(&[2, 1, 3], -2.0, 2.0)]),
        with("concat", json!({"axis": 1}), vec![X, Between(&[2, 1], -2.0, 2.0)]),
        with("broadcast_to", json!({"shape": [2, 2, 3]}), vec![Between(&[2, 1], -2.0, 2.0)]),
        with("gather", json!({"axis": 1, "batch_dims": 0}), vec![X, Ints(&[4], &[2, 0, 2, 1])]),
        with("gather", json!({"axis": 1, "batch_dims": 1}), vec![X, Ints(&[2, 2], &[2, 0, 1, 1])]),
        with("gather_nd", json!({"batch_dims": 0}), vec![X, Ints(&[3, 2], &[1, 2, 0, 0, 1, 2])]),
        with("gather_nd", json!({"batch_dims": 1}), vec![X, Ints(&[2, 2, 1], &[2, 0, 1, 1])]),
        with("scatter_nd", json!({"shape": [4, 2]}), vec![Ints(&[3, 1], &[2, 0, 2]), Between(&[3, 2], -2.0, 2.0)]),
        plain("tensor_scatter_nd_update", vec![X, Ints(&[1, 1], &[1]), Between(&[1, 3], -2.0, 2.0)]),
        plain("tensor_scatter_nd_add", vec![X, Ints(&[2, 1], &[1, 1]), Between(&[2, 3], -2.0, 2.0)]),
        plain("tensor_scatter_nd_sub", vec![X, Ints(&[2, 1], &[1, 1]), Between(&[2, 3], -2.0, 2.0)]),
        plain("tensor_scatter_nd_max", vec![Apart(&[2, 3]), Ints(&[2, 1], &[1, 1]), Between(&[2, 3], -2.0, 2.0)]),
        plain("tensor_scatter_nd_min", vec![Apart(&[2, 3]), Ints(&[2, 1], &[1, 1]), Between(&[2, 3], -2.0, 2.0)]),
        plain("embedding_lookup", vec![Between(&[4, 2], -2.0, 2.0), Ints(&[3], &[3, 0, 3])]),
        with("boolean_mask", json!({"axis": 1}), vec![X, Flags(&[3], &[1, 0, 1])]),
        with("stack", json!({"axis": 1}), vec![X, X]),
        with("unstack", json!({"axis": 1}), vec![X]),
        with("split", json!({"num_or_size_splits": [1, 2], "axis": 1}), vec![X]),
        with("tile", json!({"multiples": [2, 3]}), vec![X]),
        with("pad", pad("CONSTANT"), vec![X]),
        with("pad", pad("REFLECT"), vec![X]),
        with("pad", pad("SYMMETRIC"), vec![X]),
        with("reverse", json!({"axis": [1]}), vec![X]),
        with("strided_slice", strides(), vec![Between(&[3, 5], -2.0, 2.0)]),
        with("linspace", json!({"num": 4}), vec![Between(&[2], -2.0, 2.0), Between(&[2], -2.0, 2.0)]),
        with("slice", json!({"begin": [0, 1], "size": [2, 2]}), vec![X]),
        with("fill", json!({"dims": [2, 3]}), vec![Between(&[], -2.0, 2.0)]),
    ]
}

/// Reductions without ties.
const REDUCTIONS: [&str; 6] =
    ["reduce_sum", "reduce_mean", "reduce_prod", "reduce_logsumexp", "reduce_variance", "reduce_std"];

fn reductions() -> Vec<Sample> {
    let mut all = Vec::new();
    for attrs in [json!({"axis": null}), json!({"axis": [0, 2], "keepdims": true}), json!({"axis": [1]})] {
        for name in REDUCTIONS {
            all.push(with(name, attrs.clone(), vec![Between(&[2, 3, 2], -2.0, 2.0)]));
        }
        for name in ["reduce_max", "reduce_min"] {
            all.push(with(name, attrs.clone(), vec![Apart(&[2, 3, 2])]));
        }
    }
    for flags in [(false, false), (true, false), (false, true), (true, true)] {
        let attrs = json!({"axis": 1, "exclusive": flags.0, "reverse": flags.1});
        all.push(with("cumsum", attrs.clone(), vec![Between(&[2, 4], -2.0, 2.0)]));
        all.push(with("cumprod", attrs, vec![Between(&[2, 4], 0.4, 1.6)]));
    }
    for axis in [-1, 0] {
        all.push(with("softmax", json!({"axis": axis}), vec![X]));
        all.push(with("log_softmax", json!({"axis": axis}), vec![X]));
    }
    // The gradient by the logits takes for granted that labels add up to one, as TensorFlow's does: where the logits
    // move, the labels do not.
    for (axis, labels) in [(-1, &[0.2, 0.3, 0.5, 0.7, 0.1, 0.2]), (0, &[0.2, 0.3, 0.6, 0.8, 0.7, 0.4])] {
        let (attrs, logits) = (json!({"axis": axis}), &[0.3, -1.2, 0.8, 1.1, -0.4, 0.6]);
        all.push(with("softmax_cross_entropy", attrs.clone(), vec![Fixed(&[2, 3], labels), X]));
        all.push(with("softmax_cross_entropy", attrs, vec![Given(&[2, 3], labels), Fixed(&[2, 3], logits)]));
    }
    all.push(plain("sparse_softmax_cross_entropy", vec![Ints(&[2], &[2, 0]), X]));
    all
}

fn linear() -> Vec<Sample> {
    let conv = json!({"strides": [1, 1], "padding": "VALID", "dilations": [1, 1]});
    let strided = json!({"strides": [2, 1], "padding": "SAME", "dilations": [1, 2]});
    let pool = json!({"ksize": [2, 2], "strides": [1, 2], "padding": "SAME"});
    let mut all = Vec::new();
    for (a, b) in [(false, false), (true, false), (false, true), (true, true)] {
        let left: &[usize] = if a { &[2, 3, 2] } else { &[2, 2, 3] };
        let right: &[usize] = if b { &[4, 3] } else { &[3, 4] };
        let attrs = json!({"transpose_a": a, "transpose_b": b});
        all.push(with("matmul", attrs, vec![Between(left, -1.0, 1.0), Between(right, -1.0, 1.0)]));
    }
    all.extend([
        with("roll", json!({"shift": [1, -2], "axis": [0, 1]}), vec![X]),
        with("meshgrid", json!({"indexing": "xy"}), vec![Between(&[2], -1.0, 1.0), Between(&[3], -1.0, 1.0)]),
        with("band_part", json!({"lower": 1, "upper": 0}), vec![Between(&[2, 3, 3], -1.0, 1.0)]),
        with("tril", json!({"k": 0}), vec![X]),
        with("triu", json!({"k": 1}), vec![X]),
        plain("diag", vec![X]),
        plain("diag_part", vec![Between(&[2, 3, 4], -1.0, 1.0)]),
        plain("set_diag", vec![Between(&[2, 4, 3], -1.0, 1.0), Between(&[2, 3], -1.0, 1.0)]),
        plain("trace", vec![Between(&[2, 3, 3], -1.0, 1.0)]),
        plain("matvec", vec![Between(&[2, 3], -1.0, 1.0), Between(&[2, 3], -1.0, 1.0)]),
        with("reduce_euclidean_norm", json!({"axes": [1], "keepdims": false}), vec![POSITIVE]),
        with("reverse_sequence", json!({"seq_axis": 1, "batch_axis": 0}), vec![X, Ints(&[2], &[2, 3])]),
        with("moments", json!({"axes": [0], "keepdims": false}), vec![X]),
        plain("sigmoid_cross_entropy", vec![Between(&[2, 3], 0.0, 1.0), Apart(&[2, 3])]),
        plain("weighted_cross_entropy", vec![Between(&[2, 3], 0.0, 1.0), Apart(&[2, 3]), Between(&[3], 0.5, 2.0)]),
    ]);
    for (equation, left, right) in [
        ("abc,acd->dba", &[2, 2, 3][..], &[2, 3, 2][..]),
        ("iij,jk->ik", &[2, 2, 3], &[3, 2]),
        ("...i,...j->i...j", &[2, 3], &[1, 2]),
    ] {
        let inputs = vec![Between(left, -1.0, 1.0), Between(right, -1.0, 1.0)];
        all.push(with("einsum", json!({"equation": equation}), inputs));
    }
    let lists = json!({"axes": [[0, 2], [1, 0]]});
    all.push(with("tensordot", lists, vec![Between(&[2, 2, 3], -1.0, 1.0), Between(&[3, 2, 2], -1.0, 1.0)]));
    all.extend([
        with("conv2d", conv, vec![Between(&[2, 3, 4, 2], -1.0, 1.0), Between(&[2, 2, 2, 2], -1.0, 1.0)]),
        with("conv2d", strided, vec![Between(&[1, 4, 4, 1], -1.0, 1.0), Between(&[3, 2, 1, 2], -1.0, 1.0)]),
        with("max_pool2d", pool.clone(), vec![Apart(&[1, 4, 3, 2])]),
        with("avg_pool2d", pool, vec![Between(&[1, 4, 3, 2], -1.0, 1.0)]),
        with("bias_add", json!({"data_format": "NHWC"}), vec![X, Between(&[3], -1.0, 1.0)]),
        with(
            "bias_add",
            json!({"data_format": "NCHW"}),
            vec![Between(&[1, 3, 2, 2], -1.0, 1.0), Between(&[3], -1.0, 1.0)],
        ),
    ]);
    all
}
