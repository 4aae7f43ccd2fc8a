//! Reads the files in `tests/golden`: real TensorFlow's answers, one JSON record per line.
//! The op table and the gradient table compare the library with them.

use eagerflow::{Complex, DType, Tensor, bf16, f16};
use serde_json::Value;
use std::path::PathBuf;

/// The elements of an array: floats in `f64`, the parts of complex numbers one after the other, everything else as integers.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Elements of the floating-point types.
    Floats(Vec<f64>),
    /// Elements of the integer types; truth values are 0 and 1.
    Ints(Vec<i128>),
}

/// A tensor's contents on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The element type.
    pub dtype: DType,
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The elements in row-major order.
    pub data: Numbers,
}

/// The attributes of a call.
#[derive(Clone, Debug)]
pub struct Attrs(pub Value);

/// One call of an operation with TensorFlow's answer.
#[derive(Clone, Debug)]
pub struct Case {
    /// The operation's name in the golden files.
    pub op: String,
    /// Which of its cases.
    pub case: String,
    /// The dtype under test.
    pub dtype: DType,
    /// Its attributes.
    pub attrs: Attrs,
    /// Its inputs.
    pub inputs: Vec<Array>,
    /// TensorFlow's outputs, or the name of its error.
    pub answer: Result<Vec<Array>, String>,
}

/// One call with TensorFlow's gradients.
#[derive(Clone, Debug)]
pub struct GradientCase {
    /// The operation's name in the golden files.
    pub op: String,
    /// Which of its cases.
    pub case: String,
    /// Its attributes.
    pub attrs: Attrs,
    /// Its inputs.
    pub inputs: Vec<Array>,
    /// The cotangent of each output.
    pub upstream: Vec<Array>,
    /// The outputs.
    pub outputs: Vec<Array>,
    /// The gradient by each input; `None` where TensorFlow gives none.
    pub gradients: Vec<Option<Array>>,
}

/// An operation's dtypes and cases.
#[derive(Clone, Debug)]
pub struct Section {
    /// The operation's name in the golden files.
    pub op: String,
    /// The dtypes that TensorFlow's CPU kernel takes.
    pub accepted: Vec<DType>,
    /// The dtypes that it refuses.
    pub refused: Vec<DType>,
    /// The calls.
    pub cases: Vec<Case>,
}

/// The records of a golden file, without its first line.
pub fn records(file: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    parsed(file, &text)
}

fn parsed(file: &str, text: &str) -> Vec<Value> {
    let line = |l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{file}: {e}"));
    text.lines().skip(1).map(line).collect()
}

/// The files of the families of operations: parts of the binary, as it is carried to machines that have nothing but a GPU.
const OPS: &[(&str, &str)] = &[
    ("ops.json", include_str!("../golden/ops.json")),
    ("ops_arrays.json", include_str!("../golden/ops_arrays.json")),
    ("ops_conv.json", include_str!("../golden/ops_conv.json")),
    ("ops_diagonals.json", include_str!("../golden/ops_diagonals.json")),
    ("ops_einsum.json", include_str!("../golden/ops_einsum.json")),
    ("ops_norms.json", include_str!("../golden/ops_norms.json")),
    ("ops_linalg.json", include_str!("../golden/ops_linalg.json")),
    ("ops_signal.json", include_str!("../golden/ops_signal.json")),
    ("ops_sizes.json", include_str!("../golden/ops_sizes.json")),
    ("ops_random.json", include_str!("../golden/ops_random.json")),
    ("ops_segments.json", include_str!("../golden/ops_segments.json")),
    ("ops_sorting.json", include_str!("../golden/ops_sorting.json")),
    ("ops_spaces.json", include_str!("../golden/ops_spaces.json")),
    ("ops_special.json", include_str!("../golden/ops_special.json")),
    // Behind all others, since it has what they do with complex numbers.
    ("ops_complex.json", include_str!("../golden/ops_complex.json")),
];

/// All sections of the files of operations, in their order.
pub fn ops() -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for record in OPS.iter().flat_map(|(file, text)| parsed(file, text)) {
        let op = text(&record["op"]);
        if record.get("accepted").is_some() {
            let [accepted, refused] = ["accepted", "refused"].map(|key| list(&record[key], |v| dtype(&text(v))));
            match sections.iter().position(|section| section.op == op) {
                // Further dtypes of an operation: its cases go on, so it becomes the last one.
                Some(at) => {
                    let mut section = sections.remove(at);
                    section.accepted.extend(accepted);
                    section.refused.extend(refused);
                    sections.push(section);
                }
                None => sections.push(Section { op, accepted, refused, cases: Vec::new() }),
            }
            continue;
        }
        let answer = match record.get("error") {
            Some(error) => Err(text(error)),
            None => Ok(list(&record["outputs"], Array::parse)),
        };
        let case = Case {
            op,
            case: text(&record["case"]),
            dtype: dtype(&text(&record["dtype"])),
            attrs: Attrs(record["attrs"].clone()),
            inputs: list(&record["inputs"], Array::parse),
            answer,
        };
        sections.last_mut().expect("a section before its cases").cases.push(case);
    }
    sections
}

/// The files of gradients.
const GRADIENTS: [&str; 3] = ["gradients.json", "gradients_special.json", "gradients_complex.json"];

/// All records of the files of gradients, in their order.
pub fn gradients() -> Vec<GradientCase> {
    let case = |record: &Value| GradientCase {
        op: text(&record["op"]),
        case: text(&record["case"]),
        attrs: Attrs(record["attrs"].clone()),
        inputs: list(&record["inputs"], Array::parse),
        upstream: list(&record["upstream"], Array::parse),
        outputs: list(&record["outputs"], Array::parse),
        gradients: list(&record["gradients"], |g| (!g.is_null()).then(|| Array::parse(g))),
    };
    GRADIENTS.iter().flat_map(|file| records(file)).map(|record| case(&record)).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_string()
}

fn list<T>(value: &Value, each: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list")).iter().map(each).collect()
}

fn dtype(name: &str) -> DType {
    DType::from_name(name).unwrap_or_else(|| panic!("no dtype {name}"))
}

fn float(value: &Value) -> f64 {
    match value.as_str() {
        Some(text) => text.parse().unwrap_or_else(|_| panic!("{text} is no number")),
        None => value.as_f64().unwrap_or_else(|| panic!("{value} is no number")),
    }
}

fn int(value: &Value) -> i128 {
    let wide = value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
    wide.or(value.as_bool().map(i128::from)).unwrap_or_else(|| panic!("{value} is no integer"))
}

impl Array {
    /// The array that a record holds.
    pub fn parse(value: &Value) -> Self {
        let dtype = dtype(&text(&value["dtype"]));
        let data = match dtype.is_differentiable() {
            true => Numbers::Floats(list(&value["data"], |v| rounded(float(v), dtype))),
            false => Numbers::Ints(list(&value["data"], int)),
        };
        Self { dtype, shape: list(&value["shape"], |v| int(v) as usize), data }
    }

    /// Floats, rounded to the given dtype.
    pub fn floats(dtype: DType, shape: &[usize], data: Vec<f64>) -> Self {
        let data = data.into_iter().map(|v| rounded(v, dtype)).collect();
        Self { dtype, shape: shape.to_vec(), data: Numbers::Floats(data) }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements as `f64`; large integers lose digits.
    pub fn to_f64(&self) -> Vec<f64> {
        match &self.data {
            Numbers::Floats(data) => data.clone(),
            Numbers::Ints(data) => data.iter().map(|&v| v as f64).collect(),
        }
    }

    /// The same numbers in another dtype: truncated, wrapped, or compared with zero.
    pub fn to_dtype(&self, dtype: DType) -> Self {
        if dtype.is_complex() != self.dtype.is_complex() {
            return match dtype.is_complex() {
                true => {
                    let data = self.to_f64().into_iter().flat_map(|re| [re, 0.0]).collect();
                    Self::floats(dtype, &self.shape, data)
                }
                false => {
                    let data = self.to_f64().into_iter().step_by(2).collect();
                    Self::floats(DType::F64, &self.shape, data).to_dtype(dtype)
                }
            };
        }
        let data = match (&self.data, dtype.is_differentiable()) {
            (data, true) => Numbers::Floats(match data {
                Numbers::Floats(data) => data.iter().map(|&v| rounded(v, dtype)).collect(),
                Numbers::Ints(data) => data.iter().map(|&v| rounded(v as f64, dtype)).collect(),
            }),
            (Numbers::Ints(data), false) => Numbers::Ints(data.iter().map(|&v| fit(v, dtype)).collect()),
            (Numbers::Floats(data), false) => Numbers::Ints(data.iter().map(|&v| fit(v as i128, dtype)).collect()),
        };
        Self { dtype, shape: self.shape.clone(), data }
    }

    /// The tensor with these elements.
    pub fn tensor(&self) -> Tensor {
        macro_rules! make {
            ($convert:expr, $data:expr) => {
                Tensor::try_from_vec($data.iter().map($convert).collect(), &self.shape[..])
            };
        }
        let made = match (&self.data, self.dtype) {
            (Numbers::Floats(d), DType::F64) => make!(|&v| v, d),
            (Numbers::Floats(d), DType::F32) => make!(|&v| v as f32, d),
            (Numbers::Floats(d), DType::F16) => make!(|&v| f16::from_f32(v as f32), d),
            (Numbers::Floats(d), DType::BF16) => make!(|&v| bf16::from_f32(v as f32), d),
            (Numbers::Floats(d), DType::C64) => {
                make!(|v| Complex::new(v[0] as f32, v[1] as f32), d.chunks_exact(2).collect::<Vec<_>>())
            }
            (Numbers::Floats(d), DType::C128) => {
                make!(|v| Complex::new(v[0], v[1]), d.chunks_exact(2).collect::<Vec<_>>())
            }
            (Numbers::Ints(d), DType::I8) => make!(|&v| v as i8, d),
            (Numbers::Ints(d), DType::I16) => make!(|&v| v as i16, d),
            (Numbers::Ints(d), DType::I32) => make!(|&v| v as i32, d),
            (Numbers::Ints(d), DType::I64) => make!(|&v| v as i64, d),
            (Numbers::Ints(d), DType::U8) => make!(|&v| v as u8, d),
            (Numbers::Ints(d), DType::U16) => make!(|&v| v as u16, d),
            (Numbers::Ints(d), DType::U32) => make!(|&v| v as u32, d),
            (Numbers::Ints(d), DType::U64) => make!(|&v| v as u64, d),
            (Numbers::Ints(d), DType::Bool) => make!(|&v| v != 0, d),
            (data, dtype) => panic!("{data:?} cannot be {dtype}"),
        };
        made.unwrap_or_else(|e| panic!("{e}"))
    }

    /// The elements of a tensor.
    pub fn of(tensor: &Tensor) -> Self {
        macro_rules! ints {
            ($t:ty) => {
                Numbers::Ints(tensor.to_vec::<$t>().into_iter().map(i128::from).collect())
            };
        }
        macro_rules! floats {
            ($t:ty) => {
                Numbers::Floats(tensor.to_vec::<$t>().into_iter().map(f64::from).collect())
            };
        }
        let data = match tensor.dtype() {
            DType::F64 => floats!(f64),
            DType::F32 => floats!(f32),
            DType::F16 => floats!(f16),
            DType::BF16 => floats!(bf16),
            DType::C64 => Numbers::Floats(
                tensor.to_vec::<Complex<f32>>().iter().flat_map(|z| [z.re.into(), z.im.into()]).collect(),
            ),
            DType::C128 => Numbers::Floats(tensor.to_vec::<Complex<f64>>().iter().flat_map(|z| [z.re, z.im]).collect()),
            DType::I8 => ints!(i8),
            DType::I16 => ints!(i16),
            DType::I32 => ints!(i32),
            DType::I64 => ints!(i64),
            DType::U8 => ints!(u8),
            DType::U16 => ints!(u16),
            DType::U32 => ints!(u32),
            DType::U64 => ints!(u64),
            DType::Bool => ints!(bool),
            other => panic!("{other} has no elements"),
        };
        Self { dtype: tensor.dtype(), shape: tensor.shape().dims().to_vec(), data }
    }
}

/// The number of a floating dtype that lies nearest.
fn rounded(value: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::from_f32(value as f32).into(),
        DType::BF16 => bf16::from_f32(value as f32).into(),
        DType::F32 | DType::C64 => (value as f32).into(),
        _ => value,
    }
}

/// An integer wrapped to the range of a dtype; truth for `bool`.
fn fit(value: i128, dtype: DType) -> i128 {
    let bits = 8 * dtype.size() as u32;
    match dtype {
        DType::Bool => i128::from(value != 0),
        _ if dtype.is_unsigned() => value & ((1 << bits) - 1),
        _ => value << (128 - bits) >> (128 - bits),
    }
}

impl Attrs {
    /// No attributes.
    pub fn none() -> Self {
        Self(Value::Null)
    }

    /// An integer.
    pub fn int(&self, name: &str) -> isize {
        int(&self.0[name]) as isize
    }

    /// An integer, or `None` for null.
    pub fn int_or_none(&self, name: &str) -> Option<isize> {
        (!self.0[name].is_null()).then(|| self.int(name))
    }

    /// A list of integers, or `None` for null; a single integer is a list of one.
    pub fn ints(&self, name: &str) -> Option<Vec<isize>> {
        let value = &self.0[name];
        match value {
            Value::Null => None,
            Value::Array(_) => Some(list(value, |v| int(v) as isize)),
            _ => Some(vec![int(value) as isize]),
        }
    }

    /// A list of integers as sizes.
    pub fn sizes(&self, name: &str) -> Vec<usize> {
        self.ints(name).unwrap_or_default().into_iter().map(|v| v as usize).collect()
    }

    /// A list of pairs.
    pub fn pairs(&self, name: &str) -> Vec<(isize, isize)> {
        list(&self.0[name], |p| (int(&p[0]) as isize, int(&p[1]) as isize))
    }

    /// A truth value; absent is false.
    pub fn flag(&self, name: &str) -> bool {
        self.0[name].as_bool().unwrap_or(false)
    }

    /// A number.
    pub fn float(&self, name: &str) -> f64 {
        float(&self.0[name])
    }

    /// A text.
    pub fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_else(|| panic!("attribute {name} of {} is no text", self.0))
    }

    /// A dtype by name.
    pub fn dtype(&self, name: &str) -> DType {
        dtype(self.text(name))
    }

    /// The attribute as it stands in the file.
    pub fn raw(&self, name: &str) -> &Value {
        &self.0[name]
    }
}
