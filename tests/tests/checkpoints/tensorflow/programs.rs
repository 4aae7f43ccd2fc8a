//! The programs of `tests/python/checkpoints.py` in Rust, under the same names: the parts of a checkpoint, how to make their
//! variables, one step of training, and the values of the variables by name. The tests beside this file save and restore them.

use eagerflow as tf;
use serde_json::Number;
use std::collections::BTreeMap;
use std::sync::Arc;
use tf::layers::{Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, MaxPool2D};
use tf::optim::{Adam, Optimizer, SGD};
use tf::random::Generator;
use tf::train::Checkpoint;
use tf::{DType, GradientTape, Module, Tensor, Variable};

/// Values by the names of their variables, each row by row.
pub type Values = BTreeMap<String, Vec<Number>>;

pub struct Program {
    pub parts: Vec<(&'static str, Box<dyn Module>)>,
    build: Box<dyn Fn()>,
    step: Box<dyn Fn()>,
}

impl Program {
    fn new(parts: Vec<(&'static str, Box<dyn Module>)>) -> Self {
        Self { parts, build: Box::new(|| ()), step: Box::new(|| ()) }
    }

    /// The program of a name.
    pub fn named(name: &str) -> Self {
        match name {
            "subclass" => training(Net::new(), Adam::new(0.05), rows(), Net::call),
            // Its optimizer meets the variables in another order, and so has its slots in another.
            "subclass, output first" => {
                training(OutputFirst(Net::new()), Adam::new(0.05), rows(), |net, x| net.0.call(x))
            }
            "plain" => training(Net::new(), SGD::new(0.1), rows(), Net::call),
            "convolutions" => {
                let optimizer = SGD::new(0.05).momentum(0.9).nesterov(true);
                training(Convolutions::new(), optimizer, images(), Convolutions::call)
            }
            "sequential" | "keras_2_sequential" => {
                let layers = (Dense::new(4).activation("tanh"), Dropout::new(0.5), Dense::new(1));
                training(layers, SGD::new(0.1).momentum(0.5), rows(), |l, x| l.2.call(l.1.call(l.0.call(x))))
            }
            "functional" | "keras_2_functional" => {
                let layers = vec![Dense::new(4).activation("tanh"), Dense::new(1)];
                training(layers, Adam::new(0.1), rows(), |l, x| l[1].call(l[0].call(x)))
            }
            "shared" => shared(),
            "modules" => Self::new(vec![("model", Box::new(Lines::new()))]),
            "containers" => containers(),
            "pipelines" => pipelines(),
            "older_adam" | "keras_2_adam" => older(Adam::new(0.1)),
            "older_momentum" | "keras_2_sgd" => older(SGD::new(0.1).momentum(0.5)),
            other => panic!("no program is called {other}"),
        }
    }

    pub fn checkpoint(&self) -> Checkpoint<'_> {
        self.parts.iter().fold(Checkpoint::new(), |checkpoint, (name, part)| checkpoint.with(*name, part))
    }

    /// Makes the variables of layers.
    pub fn build(&self) {
        (self.build)();
    }

    pub fn step(&self) {
        (self.step)();
    }

    /// All values that there are by now.
    pub fn values(&self) -> Values {
        self.checkpoint().built_variables().into_iter().map(|(name, v)| (name, numbers(&v.value()))).collect()
    }
}

fn numbers(x: &Tensor) -> Vec<Number> {
    match x.dtype() {
        DType::I64 => x.to_vec::<i64>().into_iter().map(Number::from).collect(),
        dtype if dtype.is_floating() => {
            x.cast(DType::F64).to_vec::<f64>().into_iter().filter_map(Number::from_f64).collect()
        }
        _ => x.cast(DType::I64).to_vec::<i64>().into_iter().map(Number::from).collect(),
    }
}

fn rows() -> Tensor {
    tf::constant([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
}

fn images() -> Tensor {
    let numbers: Vec<f32> = (0..72u8).map(|i| f32::from(i) / 36.0 - 1.0).collect();
    tf::reshape(Tensor::from(numbers), [2, 6, 6, 1])
}

/// A model that an optimizer trains to answer zeros.
fn training<M, O>(model: M, optimizer: O, x: Tensor, call: fn(&M, &Tensor) -> Tensor) -> Program
where
    M: Module + 'static,
    O: Optimizer + 'static,
{
    let (model, optimizer) = (Arc::new(model), Arc::new(optimizer));
    let parts: Vec<(_, Box<dyn Module>)> =
        vec![("model", Box::new(model.clone())), ("optimizer", Box::new(optimizer.clone()))];
    let (built, input) = (model.clone(), x.clone());
    let step = move || {
        let tape = GradientTape::new();
        let loss = call(&model, &x).square().mean();
        let variables = model.trainable_variables();
        optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    };
    Program { parts, build: Box::new(move || drop(call(&built, &input))), step: Box::new(step) }
}

#[derive(Module)]
struct Net {
    hidden: Dense,
    flat: Flatten,
    drop: Dropout,
    output_layer: Dense,
}

impl Net {
    fn new() -> Self {
        let hidden = Dense::new(5).activation("tanh");
        Self { hidden, flat: Flatten::new(), drop: Dropout::new(0.5), output_layer: Dense::new(2) }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        self.output_layer.call(self.flat.call(self.drop.call(self.hidden.call(x))))
    }
}

struct OutputFirst(Net);

impl Module for OutputFirst {
    fn visit(&self, fields: &mut tf::Fields<'_>) {
        fields.field("output_layer", &self.0.output_layer);
        fields.field("hidden", &self.0.hidden);
    }
}

#[derive(Module)]
struct Convolutions {
    conv: Conv2D,
    largest: MaxPool2D,
    mean: GlobalAveragePooling2D,
    head: Dense,
}

impl Convolutions {
    fn new() -> Self {
        let conv = Conv2D::new(2, 3).activation("relu");
        Self { conv, largest: MaxPool2D::new(2), mean: GlobalAveragePooling2D::new(), head: Dense::new(1) }
    }

    fn call(&self, x: &Tensor) -> Tensor {
        self.head.call(self.mean.call(self.largest.call(self.conv.call(x))))
    }
}

#[derive(Module)]
struct Branch {
    trunk: Arc<Dense>,
    head: Dense,
}

fn shared() -> Program {
    let trunk = Arc::new(Dense::new(3));
    let [left, right] = [1, 2].map(|units| Arc::new(Branch { trunk: trunk.clone(), head: Dense::new(units) }));
    let program = Program::new(vec![
        ("trunk", Box::new(trunk)),
        ("left", Box::new(left.clone())),
        ("right", Box::new(right.clone())),
    ]);
    let build = move || [&left, &right].into_iter().for_each(|side| drop(side.head.call(side.trunk.call(rows()))));
    Program { build: Box::new(build), ..program }
}

#[derive(Module)]
struct Line {
    kernel: Variable,
    bias: Variable,
}

#[derive(Module)]
struct Lines {
    inner: Line,
    all: Vec<Line>,
}

impl Lines {
    fn new() -> Self {
        let line = || Line { kernel: Variable::new([[1.5], [-2.5]]), bias: Variable::new([0.25]) };
        Self { inner: line(), all: vec![line(), line()] }
    }
}

const DTYPES: [DType; 13] = [
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::Bool,
];

/// The same values in both languages, so that the files are the same to the byte.
fn containers() -> Program {
    let one = |x: Tensor, name: &str| Variable::with(x, name, false);
    let of = |dtype: DType| one(tf::constant([[1, 2], [3, 0]]).cast(dtype), &format!("v_{dtype}"));
    let map: BTreeMap<&str, Variable> = [
        ("a/b", one(tf::constant(2.5), "slash")),
        ("c.d", one(tf::constant([0.5, -0.5]), "point")),
        ("plain", one(tf::zeros([0, 3]), "empty")),
    ]
    .into();
    let list = vec![one(tf::constant(1.0), "first"), one(tf::constant(2.0), "second")];
    let nested = Checkpoint::new().with("inner", Checkpoint::new().with("list", list));
    Program::new(vec![
        ("dtypes", Box::new(DTYPES.map(of).to_vec())),
        ("map", Box::new(map)),
        ("nested", Box::new(nested)),
        ("steps", Box::new(one(Tensor::from(7i64), "steps"))),
    ])
}

/// Without the iterator that TensorFlow's has.
fn pipelines() -> Program {
    let generator = Generator::from_seed(5);
    let v = Variable::with([1.0, 2.0], "v", true);
    let program = Program::new(vec![("generator", Box::new(generator.clone())), ("v", Box::new(v))]);
    Program { step: Box::new(move || drop(generator.uniform([3], 0.0, 1.0))), ..program }
}

/// Two variables under an optimizer.
fn older<O: Optimizer + 'static>(optimizer: O) -> Program {
    let optimizer = Arc::new(optimizer);
    let variables = [Variable::new([0.0, 0.0]), Variable::new([[0.0]])];
    let [v, w] = variables.clone();
    let program =
        Program::new(vec![("optimizer", Box::new(optimizer.clone())), ("v", Box::new(v)), ("w", Box::new(w))]);
    let step = move || {
        let tape = GradientTape::new();
        let loss = variables[0].value().square().sum() + variables[1].value().square().sum();
        optimizer.apply_gradients(&tape.gradient(&loss, &variables), &variables);
    };
    Program { step: Box::new(step), ..program }
}
