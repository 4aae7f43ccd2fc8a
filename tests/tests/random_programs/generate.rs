//! Makes programs at random: a seed gives the same program on every machine.
//! Loops are bounded by counters, numbers stay small, and jumps lead to any loop around.

use super::liveness::annotate;
use super::program::*;
use super::random::Random;
use std::ops::Range;

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let inner = random.below(3);
    let grows = random.one_in(4);
    let size = 3 + random.below(22);
    let mut program = Program { bodies: Vec::new() };
    for index in 0..1 + inner {
        let budget = if index == 0 { size } else { 3 + random.below(5) };
        // A function may call those behind it.
        let (callable, random) = (index + 1..inner + 1, &mut random);
        let mut make = Make {
            random,
            grows,
            budget,
            labels: 0,
            callable,
            around: Vec::new(),
            trips: 1,
            prints: 0,
            closure: false,
        };
        let block = make.block(0);
        let result = make.returned();
        program.bodies.push(Body { block, result });
    }
    annotate(&mut program);
    program
}

pub struct Make<'r> {
    pub random: &'r mut Random,
    /// Whether vectors may have any size; what joins two of them is then left out.
    pub grows: bool,
    /// How many statements may still be made.
    budget: usize,
    labels: usize,
    /// How many functions may be called.
    callable: Range<usize>,
    pub around: Vec<Around>,
    /// How often the present block may run.
    trips: usize,
    prints: usize,
    /// Whether a closure's parameter is in scope.
    pub closure: bool,
}

#[derive(Clone)]
pub struct Around {
    pub label: Label,
    pub counter: bool,
    pub host: bool,
    pub item: Option<Item>,
    pub value: bool,
}

/// What the items of a loop over a tensor are.
#[derive(Clone, Copy, PartialEq)]
pub enum Item {
    Scalar,
    Vector,
    Integer,
}

impl Make<'_> {
    fn block(&mut self, depth: usize) -> Block {
        let mut stmts = Vec::new();
        let count = 1 + self.random.below(if depth == 0 { 10 } else { 4 });
        for _ in 0..count {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            stmts.push(self.stmt(depth));
        }
        // A jump ends a block.
        if depth > 0 && self.random.one_in(3) {
            stmts.push(self.jump());
        }
        stmts
    }

    fn jump(&mut self) -> Stmt {
        if self.around.is_empty() || self.random.one_in(5) {
            return Stmt::Return(Box::new(self.returned()));
        }
        let at = match self.random.below(3) {
            0 | 1 => self.random.below(self.around.len()),
            _ => self.around.len() - 1,
        };
        let to = self.around[at].clone();
        if self.random.one_in(3) {
            return Stmt::Continue(to.label);
        }
        let value = to.value.then(|| self.scalar(1));
        Stmt::Break(to.label, value)
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        match self.random.below(40) {
            0..=1 | 3..=6 => Stmt::SetScalar(self.random.below(3), self.scalar(2)),
            7 | 8 => Stmt::SetVector(3 + self.random.below(2), self.vector(2)),
            9 => Stmt::SetInteger(5 + self.random.below(2), self.integer(2)),
            10 => Stmt::SetTruth(7 + self.random.below(2), self.truth(2)),
            11 => Stmt::SetItem(self.random.below(2), self.scalar(1)),
            12 => Stmt::SetPair(self.random.below(2), self.scalar(1)),
            13 => Stmt::AddToVariable(self.scalar(1)),
            14 | 15 => Stmt::Log(self.scalar(1)),
            16 if self.random.one_in(3) => Stmt::Assert(self.truth(1)),
            2 if self.random.one_in(3) => Stmt::Draw(self.random.below(3)),
            17 | 18 if !self.callable.is_empty() => {
                let callee = self.callable.start + self.random.below(self.callable.len());
                Stmt::Call(self.random.below(3), callee, self.scalar(1))
            }
            30 => {
                self.prints += 1;
                Stmt::Print(self.prints, self.scalar(1))
            }
            31 | 32 => Stmt::Write(self.integer(1), self.scalar(1)),
            35..=39 => self.pushed(depth),
            33 if depth < 4 => self.matched(depth),
            34 => self.closed(),
            16 if depth < 4 => {
                let block = self.block(depth + 1);
                let source = (!self.random.one_in(4)).then(|| self.random.below(3));
                Stmt::Taped(Taped { target: self.random.below(3), source, block, value: self.scalar(2) })
            }
            19..=24 if depth < 4 => self.branch(depth),
            25..=29 if depth < 4 && self.labels < LABELS && self.trips <= 9 => self.looped(depth),
            _ => Stmt::SetScalar(self.random.below(3), self.scalar(2)),
        }
    }

    /// A change of the lists that grow: where a branch alone makes one longer, it is no list of the graph.
    fn pushed(&mut self, depth: usize) -> Stmt {
        if depth > 0 && self.around.is_empty() {
            return Stmt::Renew(self.scalar(1));
        }
        match self.random.below(12) {
            0..=5 => Stmt::Push(self.scalar(1)),
            6 => Stmt::Extend(self.scalar(1), self.scalar(1)),
            7 => Stmt::Renew(self.scalar(1)),
            8 => Stmt::Clear(self.scalar(1)),
            _ => Stmt::PushPart(self.vector(1)),
        }
    }

    fn matched(&mut self, depth: usize) -> Stmt {
        let on = self.label(|a| a.host);
        let arms = [0; 3].map(|_| self.block(depth + 1));
        Stmt::Match(Box::new(Match { on, arms }))
    }

    fn closed(&mut self) -> Stmt {
        let form = *self.random.pick(&[Form::Choose, Form::Return, Form::Repeat]);
        let (target, argument, calls) = (self.random.below(3), self.scalar(1), 1 + self.random.below(2));
        self.closure = true;
        let order = *self.random.pick(&[Order::Less, Order::Greater]);
        let cond = Truth::Scalars(order, Scalar::Arg, self.scalar(1));
        let (first, second) = (self.scalar(2), self.scalar(1));
        self.closure = false;
        Stmt::Closure(Box::new(Closure { target, form, cond, first, second, argument, calls }))
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        let mut cond = self.cond(2);
        let mut then = Vec::new();
        if self.random.one_in(8) {
            // A root of what is known to be positive.
            let var = self.random.below(3);
            cond = Cond::Tensor(Truth::Scalars(Order::Greater, Scalar::Var(var), Scalar::Const(0.0625)));
            then.push(Stmt::SetScalar(self.random.below(3), Scalar::Root(Box::new(Scalar::Var(var)))));
        }
        let target = self.random.one_in(4).then(|| self.random.below(3));
        then.extend(self.block(depth + 1));
        let other = (target.is_some() || self.random.one_in(2)).then(|| self.block(depth + 1));
        let value = target.map(|var| (var, self.scalar(1), self.scalar(1)));
        Stmt::If(If { cond, then, other, value, state: 0, keep: 0 })
    }

    fn looped(&mut self, depth: usize) -> Stmt {
        let label = self.labels;
        self.labels += 1;
        let limit = match self.random.one_in(3) {
            true => Integer::Modulo(Box::new(self.integer(2)), 4),
            false => Integer::Const(self.random.between(0, 3) as i32),
        };
        let number = self.random.between(0, 3) as i32;
        let kind = match self.random.below(12) {
            0..=3 => {
                let also = self.random.one_in(3).then(|| self.cond(1));
                LoopKind::While { limit: limit.clone(), also }
            }
            4 | 5 => LoopKind::Endless,
            6 => LoopKind::HostWhile { limit: number },
            7 => LoopKind::For { limit: self.random.one_in(2).then_some(number) },
            8 if !self.grows => LoopKind::Matrix(self.vector(1), self.vector(1)),
            9 | 10 => LoopKind::Range(limit.clone()),
            _ => LoopKind::Rows(self.vector(1)),
        };
        let item = match kind {
            LoopKind::Rows(_) => Some(Item::Scalar),
            LoopKind::Matrix(..) => Some(Item::Vector),
            LoopKind::Range(_) => Some(Item::Integer),
            _ => None,
        };
        let target = (kind == LoopKind::Endless && self.random.one_in(2)).then(|| self.random.below(3));
        let mut node = Loop { label, kind, target, body: Vec::new(), head: 0, after: 0 };
        let around =
            Around { label, counter: node.has_counter(), host: node.has_host(), item, value: target.is_some() };
        let guard = target.map(|_| self.scalar(1));
        match &node.kind {
            LoopKind::While { .. } => node.body.push(Stmt::Count(label)),
            LoopKind::HostWhile { .. } => node.body.push(Stmt::HostCount(label)),
            LoopKind::Endless => {
                let cond = Cond::Tensor(Truth::Integers(Order::GreaterEqual, Integer::Count(label), limit));
                let then = vec![Stmt::Break(label, guard)];
                node.body.push(Stmt::If(If { cond, then, other: None, value: None, state: 0, keep: 0 }));
                node.body.push(Stmt::Count(label));
            }
            LoopKind::For { .. } | LoopKind::Rows(_) | LoopKind::Matrix(..) | LoopKind::Range(_) => {}
        }
        self.around.push(around);
        let trips = self.trips;
        self.trips *= 3;
        node.body.extend(self.block(depth + 1));
        self.trips = trips;
        self.around.pop();
        Stmt::Loop(node)
    }
}
