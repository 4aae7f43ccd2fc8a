//! The variables of a running program, and its expressions evaluated by the library's operations: at once, or into a
//! trace. Both interpreters share them, so that they differ in control flow alone.

use super::program::*;
use eagerflow as tf;
use tf::__rt::autograph::List;
use tf::{DType, GradientTape, Tensor, TensorArray, Variable, custom_gradient, random::Generator};

/// What a program may use besides its variables.
#[derive(Clone)]
pub struct Inputs {
    pub training: bool,
    pub n: i32,
    pub x: Tensor,
    pub y: Tensor,
    pub j: Tensor,
    pub w: Variable,
    pub log: Variable,
    pub generator: Generator,
}

/// The variables of one function.
pub struct Env {
    pub inputs: Inputs,
    pub plain: Vec<Tensor>,
    pub list: Vec<Tensor>,
    pub pair: (Tensor, Tensor),
    pub array: TensorArray,
    pub all: List<Tensor>,
    pub parts: List<Tensor>,
    pub counters: Vec<Tensor>,
    /// The items of the loops over tensors.
    pub rows: Vec<Option<Tensor>>,
    /// The parameter of the closure that runs.
    pub arg: Tensor,
    pub hosts: Vec<i32>,
}

impl Env {
    pub fn new(inputs: Inputs) -> Self {
        let (x, y) = (&inputs.x, &inputs.y);
        let plain = vec![
            x.clone(),
            x * 0.5,
            tf::constant(0.25f32),
            y.clone(),
            y * 0.5,
            inputs.j.clone(),
            tf::constant(1),
            tf::constant(true),
            tf::constant(false),
        ];
        let list = vec![x.clone(), tf::constant(0.5f32)];
        let pair = (tf::constant(1.0f32), x.clone());
        let zero = tf::constant(0);
        Self {
            plain,
            list,
            pair,
            array: TensorArray::new(DType::F32, ITEMS).element_shape(()),
            all: List::of("all", vec![tf::constant(0.5f32)]),
            parts: List::of("parts", vec![y.clone()]),
            counters: vec![zero.clone(); LABELS],
            rows: vec![None; LABELS],
            arg: zero.clone(),
            hosts: vec![0; LABELS],
            inputs,
        }
    }

    pub fn scalar(&self, expr: &Scalar) -> Tensor {
        match expr {
            Scalar::Var(var) | Scalar::Moved(var) => self.plain[*var].clone(),
            Scalar::Item(index) => self.list[*index].clone(),
            Scalar::Pair(0) => self.pair.0.clone(),
            Scalar::Pair(_) => self.pair.1.clone(),
            Scalar::Read(index) => self.array.read(tf::floormod(self.integer(index), ITEMS)),
            Scalar::Stacked => tf::reduce_mean(self.array.stack(), ()),
            Scalar::Listed => tf::reduce_mean(tf::stack(&self.all, 0), ()),
            Scalar::Joined => tf::reduce_mean(tf::concat(&self.parts, 0), ()),
            Scalar::Arg => self.arg.clone(),
            Scalar::Row(label) => self.row(*label),
            Scalar::Const(number) => tf::constant(*number),
            Scalar::X => self.inputs.x.clone(),
            Scalar::W => self.inputs.w.value(),
            Scalar::Unary(op, x) => unary(*op, &self.scalar(x)),
            Scalar::Binary(op, x, y) => binary(*op, &self.scalar(x), &self.scalar(y)),
            Scalar::Element(x, index) => element(self.vector(x), self.integer(index)),
            Scalar::Mean(x) => tf::reduce_mean(&self.vector(x), ()),
            Scalar::Cast(x) => tf::cast(&self.integer(x), DType::F32) * 0.125,
            Scalar::Root(x) => tf::sqrt(&self.scalar(x)),
        }
    }

    /// The present item of a loop over a tensor.
    fn row(&self, label: Label) -> Tensor {
        self.rows[label].clone().expect("the loop has set it")
    }

    pub fn vector(&self, expr: &Vector) -> Tensor {
        match expr {
            Vector::Var(var) => self.plain[*var].clone(),
            Vector::Y => self.inputs.y.clone(),
            Vector::Unary(op, x) => unary(*op, &self.vector(x)),
            Vector::Scaled(x, y) => self.vector(x) * self.scalar(y),
            Vector::Added(x, y) => self.vector(x) + self.vector(y),
            Vector::Reversed(x) => tf::reverse(&self.vector(x), 0),
            Vector::Updated(x, index, y) => updated(self.vector(x), self.integer(index), self.scalar(y)),
            Vector::Grown(x) => grown(self.vector(x)),
            Vector::Chosen(x) => chosen(self.vector(x)),
            Vector::Ranged(x) => ranged(self.integer(x)),
            Vector::Row(label) => self.row(*label),
            Vector::Listed => first(tf::stack(&self.all, 0)),
        }
    }

    pub fn integer(&self, expr: &Integer) -> Tensor {
        match expr {
            Integer::Var(var) => self.plain[*var].clone(),
            Integer::J => self.inputs.j.clone(),
            Integer::Const(number) => tf::constant(*number),
            Integer::Add(x, y) => self.integer(x) + self.integer(y),
            Integer::Subtract(x, y) => self.integer(x) - self.integer(y),
            Integer::Modulo(x, by) => tf::floormod(&self.integer(x), *by),
            Integer::Count(label) => self.counters[*label].clone(),
            Integer::Step(label) => self.row(*label),
            Integer::Size(x) => tf::shape(&self.vector(x)).at(0),
        }
    }

    pub fn truth(&self, expr: &Truth) -> Tensor {
        match expr {
            Truth::Var(var) => self.plain[*var].clone(),
            Truth::Scalars(order, x, y) => compare(*order, &self.scalar(x), &self.scalar(y)),
            Truth::Integers(order, x, y) => compare(*order, &self.integer(x), &self.integer(y)),
            Truth::Not(x) => tf::logical_not(&self.truth(x)),
        }
    }

    pub fn host(&self, expr: &Host) -> bool {
        match expr {
            Host::Training => self.inputs.training,
            Host::Many => self.inputs.n > 2,
            Host::Even(label) => self.hosts[*label] % 2 == 0,
        }
    }

    /// What a loop goes over, if that is a tensor.
    pub fn over(&self, kind: &LoopKind) -> Option<Tensor> {
        match kind {
            LoopKind::Rows(vector) => Some(self.vector(vector)),
            LoopKind::Matrix(first, second) => Some(tf::stack(&[&self.vector(first), &self.vector(second)], 0)),
            LoopKind::Range(limit) => Some(tf::range(0, self.integer(limit), 1)),
            _ => None,
        }
    }

    /// The arm that a `match` takes.
    pub fn arm<'m>(&self, node: &'m Match) -> &'m Block {
        match node.on.map_or(self.inputs.n, |label| self.hosts[label]) {
            0 | 1 => &node.arms[0],
            2 if self.inputs.training => &node.arms[1],
            _ => &node.arms[2],
        }
    }

    pub fn returned(&self, expr: &Returned) -> Vec<Tensor> {
        vec![self.scalar(&expr.0), self.vector(&expr.1), self.integer(&expr.2)]
    }

    /// A tape that follows the source of a gradient: a tensor that is no other variable's too, which a loop of the graph
    /// could not tell.
    pub fn tape(&mut self, node: &Taped) -> (GradientTape, Option<Tensor>) {
        let source = node.source.map(|var| {
            self.plain[var] = tf::identity(&self.plain[var]);
            self.plain[var].clone()
        });
        let mut tape = GradientTape::new();
        if let Some(source) = &source {
            tape.watch(source);
        }
        (tape, source)
    }

    /// The gradient that a tape has noted; zero where nothing depends on the source.
    pub fn gradient(&mut self, node: &Taped, (tape, source): (GradientTape, Option<Tensor>)) {
        let value = self.scalar(&node.value);
        let slope = match &source {
            Some(source) => tape.gradient_or_none(&value, source),
            None => tape.gradient_or_none(&value, &self.inputs.w),
        };
        // Where a trace cannot tell that nothing depends on the source, it multiplies by zero: `+ 0.0` takes the sign away.
        self.plain[node.target] = slope.unwrap_or_else(|| tf::constant(0.0f32)) + 0.0;
    }

    /// Runs a statement without blocks or jumps.
    pub fn run(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::SetScalar(var, x) => self.plain[*var] = self.scalar(x),
            Stmt::SetVector(var, x) => self.plain[*var] = self.vector(x),
            Stmt::SetInteger(var, x) => self.plain[*var] = self.integer(x),
            Stmt::SetTruth(var, x) => self.plain[*var] = self.truth(x),
            Stmt::SetItem(index, x) => self.list[*index] = self.scalar(x),
            Stmt::SetPair(0, x) => self.pair.0 = self.scalar(x),
            Stmt::SetPair(_, x) => self.pair.1 = self.scalar(x),
            Stmt::Push(x) => {
                let x = self.scalar(x);
                self.all.push(x);
            }
            Stmt::Extend(x, y) => {
                let both = [self.scalar(x), self.scalar(y)];
                self.all.extend(both);
            }
            Stmt::Renew(x) => self.all = List::of("all", vec![self.scalar(x)]),
            Stmt::Clear(x) => {
                let x = self.scalar(x);
                self.all.clear();
                self.all.push(x);
            }
            Stmt::PushPart(x) => {
                let x = self.vector(x);
                self.parts.push(x);
            }
            Stmt::Write(index, x) => {
                let (index, x) = (tf::floormod(self.integer(index), ITEMS), self.scalar(x));
                self.array = self.array.clone().write(index, x);
            }
            Stmt::Count(label) => self.counters[*label] = &self.counters[*label] + 1,
            Stmt::HostCount(label) => self.hosts[*label] += 1,
            Stmt::AddToVariable(x) => self.inputs.w.assign_add(self.scalar(x)),
            Stmt::Log(x) => self.inputs.log.assign(self.inputs.log.value() * 0.75 + self.scalar(x)),
            Stmt::Draw(var) => self.plain[*var] = self.inputs.generator.uniform((), -1.0, 1.0),
            _ => unreachable!("a statement with blocks: {stmt:?}"),
        }
    }
}

fn unary(op: Unary, x: &Tensor) -> Tensor {
    match op {
        Unary::Tanh => tf::tanh(x),
        Unary::Sin => tf::sin(x),
        Unary::Half => x * 0.5,
        Unary::Negative => -x,
        Unary::Square => tf::square(&tf::tanh(x)),
        Unary::Custom => custom(x),
    }
}

/// `tanh` with half of its gradient.
#[custom_gradient]
pub fn custom(x: &Tensor) -> Tensor {
    let y = tf::tanh(x);
    (y.clone(), move |dy: &Tensor| dy * (1.0 - tf::square(&y)) * 0.5)
}

/// A vector with its first element once more.
pub fn grown(x: Tensor) -> Tensor {
    tf::concat(&[&x, &tf::slice(&x, &[0], &[1])], 0)
}

/// The element at an index that is brought into the range.
pub fn element(x: Tensor, index: Tensor) -> Tensor {
    x.at(&tf::floormod(index, tf::shape(&x).at(0)))
}

/// The vector with another element at an index that is brought into the range.
pub fn updated(x: Tensor, index: Tensor, y: Tensor) -> Tensor {
    let index = tf::floormod(index, tf::shape(&x).at(0));
    tf::tensor_scatter_nd_update(x, &tf::reshape(index, [1, 1]), &tf::reshape(y, [1]))
}

/// The positive elements, then the first one.
pub fn chosen(x: Tensor) -> Tensor {
    let positive = tf::boolean_mask(&x, tf::greater(&x, 0.0), 0);
    tf::concat(&[&positive, &tf::slice(&x, &[0], &[1])], 0)
}

/// The second of two operands.
pub fn last<T>(_: &T, value: Tensor) -> Tensor {
    value
}

/// The first elements, four at most.
pub fn first(x: Tensor) -> Tensor {
    tf::gather(&x, tf::range(0, tf::minimum(tf::shape(&x).at(0), 4), 1), 0)
}

/// `0..=k`, with `k` brought into `0..3`.
pub fn ranged(k: Tensor) -> Tensor {
    tf::cast(tf::range(0, tf::floormod(k, 3) + 1, 1), DType::F32) * 0.5
}

fn binary(op: Binary, x: &Tensor, y: &Tensor) -> Tensor {
    match op {
        Binary::Add => x + y,
        Binary::Subtract => x - y,
        Binary::Multiply => tf::tanh(x) * y,
    }
}

fn compare(order: Order, x: &Tensor, y: &Tensor) -> Tensor {
    match order {
        Order::Less => tf::less(x, y),
        Order::Greater => tf::greater(x, y),
        Order::GreaterEqual => tf::greater_equal(x, y),
        Order::Equal => tf::equal(x, y),
    }
}
