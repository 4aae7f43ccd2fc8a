//! Makes programs at random: a seed gives the same program on every machine.
//! Loops are bounded by counters, numbers stay small, and jumps lead to any loop around.

use super::liveness::annotate;
use super::program::*;
use super::random::Random;

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let inner = random.below(3);
    let grows = random.one_in(6);
    let size = 3 + random.below(22);
    let mut program = Program { bodies: Vec::new() };
    for index in 0..1 + inner {
        let budget = if index == 0 { size } else { 3 + random.below(5) };
        let callable = if index == 0 { inner } else { 0 };
        let mut make = Make { random: &mut random, grows, budget, labels: 0, callable, around: Vec::new(), trips: 1 };
        let block = make.block(0);
        let result = make.returned();
        program.bodies.push(Body { block, result });
    }
    annotate(&mut program);
    program
}

struct Make<'r> {
    random: &'r mut Random,
    /// Whether vectors may grow; sums of two are then left out.
    grows: bool,
    /// How many statements may still be made.
    budget: usize,
    labels: usize,
    /// How many functions may be called.
    callable: usize,
    around: Vec<Around>,
    /// How often the present block may run.
    trips: usize,
}

#[derive(Clone)]
struct Around {
    label: Label,
    counter: bool,
    host: bool,
    rows: bool,
    value: bool,
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
        let at = match self.random.below(2) {
            0 => self.random.below(self.around.len()),
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
        match self.random.below(30) {
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
            17 | 18 if self.callable > 0 => {
                Stmt::Call(self.random.below(3), 1 + self.random.below(self.callable), self.scalar(1))
            }
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
            true => Integer::Modulo(Box::new(self.integer(1)), 4),
            false => Integer::Const(self.random.between(0, 3) as i32),
        };
        let number = self.random.between(0, 3) as i32;
        let kind = match self.random.below(9) {
            0..=3 => {
                let also = self.random.one_in(3).then(|| self.cond(1));
                LoopKind::While { limit: limit.clone(), also }
            }
            4 | 5 => LoopKind::Endless,
            6 => LoopKind::HostWhile { limit: number },
            7 => LoopKind::For { limit: self.random.one_in(2).then_some(number) },
            _ => LoopKind::Rows(self.vector(1)),
        };
        let target = (kind == LoopKind::Endless && self.random.one_in(2)).then(|| self.random.below(3));
        let mut node = Loop { label, kind, target, body: Vec::new(), head: 0, after: 0 };
        let around = Around {
            label,
            counter: node.has_counter(),
            host: node.has_host(),
            rows: matches!(node.kind, LoopKind::Rows(_)),
            value: target.is_some(),
        };
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
            LoopKind::For { .. } | LoopKind::Rows(_) => {}
        }
        self.around.push(around);
        let trips = self.trips;
        self.trips *= 3;
        node.body.extend(self.block(depth + 1));
        self.trips = trips;
        self.around.pop();
        Stmt::Loop(node)
    }

    fn label(&mut self, suits: impl Fn(&Around) -> bool) -> Option<Label> {
        let labels: Vec<Label> = self.around.iter().filter(|a| suits(a)).map(|a| a.label).collect();
        (!labels.is_empty()).then(|| *self.random.pick(&labels))
    }

    fn returned(&mut self) -> Returned {
        (self.scalar(2), self.vector(1), self.integer(1))
    }

    fn unary(&mut self) -> Unary {
        *self.random.pick(&[Unary::Tanh, Unary::Sin, Unary::Half, Unary::Negative, Unary::Square])
    }

    fn scalar(&mut self, depth: usize) -> Scalar {
        if depth == 0 || self.random.one_in(4) {
            return match self.random.below(12) {
                0..=5 => Scalar::Var(self.random.below(3)),
                6 => Scalar::Item(self.random.below(2)),
                7 => Scalar::Pair(self.random.below(2)),
                8 => self.label(|a| a.rows).map_or(Scalar::X, Scalar::Row),
                9 => Scalar::Const(self.random.between(-6, 6) as f32 * 0.25),
                10 => Scalar::W,
                _ => Scalar::X,
            };
        }
        match self.random.below(9) {
            0..=2 => Scalar::Unary(self.unary(), Box::new(self.scalar(depth - 1))),
            3..=6 => {
                let op = *self.random.pick(&[Binary::Add, Binary::Subtract, Binary::Multiply]);
                Scalar::Binary(op, Box::new(self.scalar(depth - 1)), Box::new(self.scalar(depth - 1)))
            }
            7 => Scalar::Mean(Box::new(self.vector(depth - 1))),
            _ => Scalar::Cast(Box::new(self.integer(depth - 1))),
        }
    }

    fn vector(&mut self, depth: usize) -> Vector {
        if depth == 0 || self.random.one_in(4) {
            return if self.random.one_in(4) { Vector::Y } else { Vector::Var(3 + self.random.below(2)) };
        }
        let inner = Box::new(self.vector(depth - 1));
        match self.random.below(6) {
            0 | 1 => Vector::Unary(self.unary(), inner),
            2 | 3 => Vector::Scaled(inner, Box::new(self.scalar(depth - 1))),
            4 if self.grows => Vector::Grown(inner),
            4 => Vector::Added(inner, Box::new(self.vector(depth - 1))),
            _ => Vector::Reversed(inner),
        }
    }

    fn integer(&mut self, depth: usize) -> Integer {
        if depth == 0 || self.random.one_in(3) {
            return match self.random.below(6) {
                0..=2 => Integer::Var(5 + self.random.below(2)),
                3 => Integer::J,
                4 => self.label(|a| a.counter).map_or(Integer::J, Integer::Count),
                _ => Integer::Const(self.random.between(-2, 4) as i32),
            };
        }
        let inner = Box::new(self.integer(depth - 1));
        match self.random.below(3) {
            0 => Integer::Add(inner, Box::new(self.integer(depth - 1))),
            1 => Integer::Subtract(inner, Box::new(self.integer(depth - 1))),
            _ => Integer::Modulo(inner, self.random.between(2, 5) as i32),
        }
    }

    fn truth(&mut self, depth: usize) -> Truth {
        let order = *self.random.pick(&[Order::Less, Order::Greater, Order::GreaterEqual, Order::Equal]);
        match self.random.below(7) {
            0 => Truth::Var(7 + self.random.below(2)),
            1..=3 => Truth::Scalars(order, self.scalar(1), self.scalar(0)),
            6 if depth > 0 => Truth::Not(Box::new(self.truth(depth - 1))),
            _ => Truth::Integers(order, self.integer(1), self.integer(0)),
        }
    }

    fn cond(&mut self, depth: usize) -> Cond {
        match self.random.below(10) {
            0 => Cond::Host(self.host()),
            1 | 2 if depth > 0 => {
                let (x, y) = (Box::new(self.cond(depth - 1)), Box::new(self.cond(depth - 1)));
                if self.random.one_in(2) { Cond::And(x, y) } else { Cond::Or(x, y) }
            }
            3 if self.random.one_in(2) => Cond::Logged(self.scalar(0), Box::new(self.cond(depth.saturating_sub(1)))),
            _ => Cond::Tensor(self.truth(1)),
        }
    }

    fn host(&mut self) -> Host {
        match self.random.below(3) {
            0 => Host::Training,
            1 => Host::Many,
            _ => self.label(|a| a.host).map_or(Host::Training, Host::Even),
        }
    }
}
