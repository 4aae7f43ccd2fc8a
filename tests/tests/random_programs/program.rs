//! Random programs as trees: what a function under `#[tf_function]` may do with a handful of variables.
//! Generated, run in two ways, shrunk and written as Rust by the modules beside it.

/// A loop of the program, by number; its counters and items go by the same number.
pub type Label = usize;

/// A set of variables, one bit each.
pub type Mask = u64;

/// How many loops a program may have.
pub const LABELS: usize = 16;

/// A `Vec` of two scalars, and a pair of them.
pub const LIST: usize = 9;
pub const PAIR: usize = 10;
/// A `TensorArray` of [`ITEMS`] scalars.
pub const ARRAY: usize = 11;
pub const ITEMS: i32 = 4;
/// A `Vec` of scalars, and one of vectors, that are pushed onto.
pub const ALL: usize = 12;
pub const PARTS: usize = 13;
/// Counters of loops: tensors, and host integers.
pub const COUNTERS: usize = 14;
pub const HOSTS: usize = COUNTERS + LABELS;

/// The names of all variables, by number: first three scalars, two vectors, two integers, two truth values.
pub const NAMES: [&str; HOSTS + LABELS] = [
    "a", "b", "c", "u", "v", "k", "m", "p", "q", "list", "pair", "array", "all", "parts", "c0", "c1", "c2", "c3", "c4",
    "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12", "c13", "c14", "c15", "i0", "i1", "i2", "i3", "i4", "i5", "i6",
    "i7", "i8", "i9", "i10", "i11", "i12", "i13", "i14", "i15",
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unary {
    Tanh,
    Sin,
    Half,
    Negative,
    Square,
    /// A function with a gradient of its own, which is not the true one.
    Custom,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Binary {
    Add,
    Subtract,
    /// `tanh(x) * y`, so that numbers stay small.
    Multiply,
}

/// A scalar of `f32`.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    Var(usize),
    /// A variable whose value nobody reads afterwards.
    Moved(usize),
    Item(usize),
    Pair(usize),
    /// An item of the array, by an index that is brought into its range.
    Read(Box<Integer>),
    /// The mean of the whole array.
    Stacked,
    /// The mean of all scalars that were pushed.
    Listed,
    /// The mean of the vectors that were pushed, one behind the other.
    Joined,
    /// The parameter of the closure around.
    Arg,
    /// The item of a loop over the elements of a vector.
    Row(Label),
    Const(f32),
    /// The argument.
    X,
    /// The variable's value now.
    W,
    Unary(Unary, Box<Scalar>),
    Binary(Binary, Box<Scalar>, Box<Scalar>),
    Mean(Box<Vector>),
    /// The element at an index that is brought into the range.
    Element(Box<Vector>, Box<Integer>),
    Cast(Box<Integer>),
    /// `sqrt` of a value that a condition around has found positive.
    Root(Box<Scalar>),
}

/// A vector of `f32`.
#[derive(Clone, Debug, PartialEq)]
pub enum Vector {
    Var(usize),
    Y,
    Unary(Unary, Box<Vector>),
    Scaled(Box<Vector>, Box<Scalar>),
    Added(Box<Vector>, Box<Vector>),
    Reversed(Box<Vector>),
    /// With another element at an index that is brought into the range.
    Updated(Box<Vector>, Box<Integer>, Box<Scalar>),
    /// With its first element once more.
    Grown(Box<Vector>),
    /// Its positive elements, then its first: how many is known only when it runs.
    Chosen(Box<Vector>),
    /// The numbers below one that is brought into `0..3`, and that one.
    Ranged(Box<Integer>),
    /// The item of a loop over the rows of a matrix.
    Row(Label),
    /// The scalars that were pushed first, four at most.
    Listed,
}

/// A scalar of `i32`.
#[derive(Clone, Debug, PartialEq)]
pub enum Integer {
    Var(usize),
    J,
    Const(i32),
    Add(Box<Integer>, Box<Integer>),
    Subtract(Box<Integer>, Box<Integer>),
    Modulo(Box<Integer>, i32),
    /// The counter of a loop around.
    Count(Label),
    /// The item of a loop over `tf::range`.
    Step(Label),
    /// The number of elements.
    Size(Box<Vector>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    Less,
    Greater,
    GreaterEqual,
    Equal,
}

/// A scalar of `bool`.
#[derive(Clone, Debug, PartialEq)]
pub enum Truth {
    Var(usize),
    Scalars(Order, Scalar, Scalar),
    Integers(Order, Integer, Integer),
    Not(Box<Truth>),
}

/// What the host knows while it traces.
#[derive(Clone, Debug, PartialEq)]
pub enum Host {
    Training,
    /// The argument `n` is over 2.
    Many,
    /// The host counter of a loop around is even.
    Even(Label),
}

/// The condition of an `if` or a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Cond {
    Tensor(Truth),
    Host(Host),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    /// A block with an effect before its value.
    Logged(Scalar, Box<Cond>),
}

pub type Block = Vec<Stmt>;

#[derive(Clone, Debug, PartialEq)]
pub struct If {
    pub cond: Cond,
    pub then: Block,
    pub other: Option<Block>,
    /// The scalar that the `if` is the value of, with the values of both branches.
    pub value: Option<(usize, Scalar, Scalar)>,
    /// What the branches change and somebody reads afterwards.
    pub state: Mask,
    /// What the first branch changes and only the second one reads.
    pub keep: Mask,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LoopKind {
    /// `while counter < limit && also`
    While { limit: Integer, also: Option<Cond> },
    /// `while counter < limit` on the host.
    HostWhile { limit: i32 },
    /// `for i in 0..n`
    For { limit: Option<i32> },
    /// `for row in &vector`
    Rows(Vector),
    /// `for row in &tf::stack(&[&vector, &vector], 0)`
    Matrix(Vector, Vector),
    /// `for i in tf::range(0, limit, 1)`
    Range(Integer),
    /// `loop`, with a guarded `break` at the head of its body.
    Endless,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    pub label: Label,
    pub kind: LoopKind,
    /// The scalar that the loop's value goes to; only of endless ones.
    pub target: Option<usize>,
    /// It begins with the statements that bound the loop.
    pub body: Block,
    pub head: Mask,
    pub after: Mask,
}

/// What a function returns.
pub type Returned = (Scalar, Vector, Integer);

/// A tape around a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Taped {
    pub target: usize,
    /// By what: a scalar as it is before the block, or the variable `w`.
    pub source: Option<usize>,
    pub block: Block,
    pub value: Scalar,
}

/// `match number { 0 | 1 => {..} 2 if training => {..} _ => {..} }` on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The host counter of a loop around, or the argument `n`.
    pub on: Option<Label>,
    pub arms: [Block; 3],
}

/// A closure that branches on its parameter, and its calls, one on the result of the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Closure {
    pub target: usize,
    pub form: Form,
    pub cond: Truth,
    pub first: Scalar,
    pub second: Scalar,
    pub argument: Scalar,
    pub calls: usize,
}

/// What a closure does with its condition and two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// `if cond { first } else { second }`
    Choose,
    /// `if cond { return first; } second`
    Return,
    /// Twice at most, while the condition holds: the parameter becomes `first`; then `second`.
    Repeat,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    SetScalar(usize, Scalar),
    SetVector(usize, Vector),
    SetInteger(usize, Integer),
    SetTruth(usize, Truth),
    SetItem(usize, Scalar),
    SetPair(usize, Scalar),
    /// `all.push(..)`
    Push(Scalar),
    /// `all.extend([.., ..])`
    Extend(Scalar, Scalar),
    /// `all = vec![..]`
    Renew(Scalar),
    /// `all.clear(); all.push(..)`: no items are an error that a trace may raise before the effects in front of it.
    Clear(Scalar),
    /// `parts.push(..)`
    PushPart(Vector),
    /// Writes an item of the array.
    Write(Integer, Scalar),
    /// Prints a number and a value.
    Print(usize, Scalar),
    Match(Box<Match>),
    Closure(Box<Closure>),
    /// Adds one to the loop's counter.
    Count(Label),
    HostCount(Label),
    If(If),
    Loop(Loop),
    Break(Label, Option<Scalar>),
    Continue(Label),
    Return(Box<Returned>),
    /// `w.assign_add(..)`
    AddToVariable(Scalar),
    /// Folds a value into a variable, so that it depends on the order of all effects.
    Log(Scalar),
    Assert(Truth),
    /// A random number.
    Draw(usize),
    /// Calls another traced function of the program.
    Call(usize, usize, Scalar),
    /// The gradient of a value that a block computes.
    Taped(Taped),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub block: Block,
    pub result: Returned,
}

/// The functions of a program; the first is called, and may call the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub bodies: Vec<Body>,
}

impl Loop {
    /// How many statements at the head of the body bound the loop.
    pub fn fixed(&self) -> usize {
        match self.kind {
            LoopKind::While { .. } | LoopKind::HostWhile { .. } => 1,
            LoopKind::Endless => 2,
            LoopKind::For { .. } | LoopKind::Rows(_) | LoopKind::Matrix(..) | LoopKind::Range(_) => 0,
        }
    }

    /// Whether the loop counts with a tensor.
    pub fn has_counter(&self) -> bool {
        matches!(self.kind, LoopKind::While { .. } | LoopKind::Endless)
    }

    /// Whether the loop has a host counter.
    pub fn has_host(&self) -> bool {
        matches!(self.kind, LoopKind::HostWhile { .. } | LoopKind::For { .. })
    }
}

impl Stmt {
    /// The blocks inside.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Self::If(node) => std::iter::once(&node.then).chain(&node.other).collect(),
            Self::Loop(node) => vec![&node.body],
            Self::Taped(node) => vec![&node.block],
            Self::Match(node) => node.arms.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Calls `visit` with all statements of a block, those in blocks inside too.
pub fn walk(block: &Block, visit: &mut dyn FnMut(&Stmt)) {
    for stmt in block {
        visit(stmt);
        stmt.blocks().into_iter().for_each(|inner| walk(inner, visit));
    }
}
