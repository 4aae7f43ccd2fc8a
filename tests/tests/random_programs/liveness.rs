//! Which variables each construct hands over: changed in it and read afterwards, found by a walk from the end.
//! The macro finds the same in Rust; here it is written down a second time, for trees.

use super::program::*;

fn bit(var: usize) -> Mask {
    1 << var
}

/// The variables that an expression reads.
pub trait Reads {
    fn reads(&self) -> Mask;
}

impl Reads for Scalar {
    fn reads(&self) -> Mask {
        match self {
            Self::Var(var) | Self::Moved(var) => bit(*var),
            Self::Item(_) => bit(LIST),
            Self::Pair(_) => bit(PAIR),
            Self::Read(index) => bit(ARRAY) | index.reads(),
            Self::Stacked => bit(ARRAY),
            Self::Listed => bit(ALL),
            Self::Joined => bit(PARTS),
            Self::Row(_) | Self::Const(_) | Self::X | Self::W | Self::Arg => 0,
            Self::Unary(_, x) | Self::Root(x) => x.reads(),
            Self::Binary(_, x, y) => x.reads() | y.reads(),
            Self::Mean(x) => x.reads(),
            Self::Element(x, index) => x.reads() | index.reads(),
            Self::Cast(x) => x.reads(),
        }
    }
}

impl Reads for Vector {
    fn reads(&self) -> Mask {
        match self {
            Self::Var(var) => bit(*var),
            Self::Y | Self::Row(_) => 0,
            Self::Listed => bit(ALL),
            Self::Unary(_, x) | Self::Reversed(x) | Self::Grown(x) | Self::Chosen(x) => x.reads(),
            Self::Ranged(x) => x.reads(),
            Self::Updated(x, index, y) => x.reads() | index.reads() | y.reads(),
            Self::Scaled(x, y) => x.reads() | y.reads(),
            Self::Added(x, y) => x.reads() | y.reads(),
        }
    }
}

impl Reads for Integer {
    fn reads(&self) -> Mask {
        match self {
            Self::Var(var) => bit(*var),
            Self::J | Self::Const(_) | Self::Step(_) => 0,
            Self::Size(x) => x.reads(),
            Self::Add(x, y) | Self::Subtract(x, y) => x.reads() | y.reads(),
            Self::Modulo(x, _) => x.reads(),
            Self::Count(label) => bit(COUNTERS + label),
        }
    }
}

impl Reads for Truth {
    fn reads(&self) -> Mask {
        match self {
            Self::Var(var) => bit(*var),
            Self::Scalars(_, x, y) => x.reads() | y.reads(),
            Self::Integers(_, x, y) => x.reads() | y.reads(),
            Self::Not(x) => x.reads(),
        }
    }
}

impl Reads for Cond {
    fn reads(&self) -> Mask {
        match self {
            Self::Tensor(truth) => truth.reads(),
            Self::Host(Host::Even(label)) => bit(HOSTS + label),
            Self::Host(_) => 0,
            Self::And(x, y) | Self::Or(x, y) => x.reads() | y.reads(),
            Self::Logged(x, cond) => x.reads() | cond.reads(),
        }
    }
}

impl Reads for Returned {
    fn reads(&self) -> Mask {
        self.0.reads() | self.1.reads() | self.2.reads()
    }
}

/// The variables that a block assigns.
pub fn writes(block: &Block) -> Mask {
    let mut written = 0;
    walk(block, &mut |stmt| {
        written |= match stmt {
            Stmt::SetScalar(var, _)
            | Stmt::SetVector(var, _)
            | Stmt::SetInteger(var, _)
            | Stmt::SetTruth(var, _)
            | Stmt::Draw(var)
            | Stmt::Call(var, ..) => bit(*var),
            Stmt::Closure(node) => bit(node.target),
            Stmt::Write(..) => bit(ARRAY),
            Stmt::SetItem(..) => bit(LIST),
            Stmt::Push(_) | Stmt::Extend(..) | Stmt::Renew(_) | Stmt::Clear(_) => bit(ALL),
            Stmt::PushPart(_) => bit(PARTS),
            Stmt::SetPair(..) => bit(PAIR),
            Stmt::Count(label) => bit(COUNTERS + label),
            Stmt::HostCount(label) => bit(HOSTS + label),
            Stmt::If(node) => node.value.as_ref().map_or(0, |(var, ..)| bit(*var)),
            Stmt::Taped(node) => bit(node.target) | node.source.map_or(0, bit),
            Stmt::Loop(node) => node.target.map_or(0, bit) | bit(COUNTERS + node.label) | bit(HOSTS + node.label),
            _ => 0,
        };
    });
    written
}

/// What is live where jumps out of a loop lead.
struct Around {
    label: Label,
    breaks: Mask,
    continues: Mask,
}

/// Fills in the masks of all constructs.
pub fn annotate(program: &mut Program) {
    for body in &mut program.bodies {
        let live = body.result.reads();
        block(&mut body.block, live, &mut Vec::new());
    }
}

fn block(stmts: &mut Block, mut live: Mask, around: &mut Vec<Around>) -> Mask {
    for stmt in stmts.iter_mut().rev() {
        live = before(stmt, live, around);
    }
    live
}

fn before(stmt: &mut Stmt, live: Mask, around: &mut Vec<Around>) -> Mask {
    match stmt {
        Stmt::SetScalar(var, x @ (Scalar::Var(_) | Scalar::Moved(_))) => {
            let from = x.reads();
            if let Scalar::Var(of) | Scalar::Moved(of) = *x {
                *x = if live & from == 0 && of != *var { Scalar::Moved(of) } else { Scalar::Var(of) };
            }
            live & !bit(*var) | from
        }
        Stmt::SetScalar(var, x) | Stmt::Call(var, _, x) => live & !bit(*var) | x.reads(),
        Stmt::SetVector(var, x) => live & !bit(*var) | x.reads(),
        Stmt::SetInteger(var, x) => live & !bit(*var) | x.reads(),
        Stmt::SetTruth(var, x) => live & !bit(*var) | x.reads(),
        Stmt::Draw(var) => live & !bit(*var),
        Stmt::SetItem(_, x) => live | bit(LIST) | x.reads(),
        Stmt::SetPair(_, x) => live | bit(PAIR) | x.reads(),
        Stmt::Count(label) => live | bit(COUNTERS + *label),
        Stmt::HostCount(label) => live | bit(HOSTS + *label),
        Stmt::Write(index, x) => live | bit(ARRAY) | index.reads() | x.reads(),
        Stmt::Push(x) => live | bit(ALL) | x.reads(),
        Stmt::Extend(x, y) => live | bit(ALL) | x.reads() | y.reads(),
        Stmt::Renew(x) => live & !bit(ALL) | x.reads(),
        Stmt::Clear(x) => live | bit(ALL) | x.reads(),
        Stmt::PushPart(x) => live | bit(PARTS) | x.reads(),
        Stmt::AddToVariable(x) | Stmt::Log(x) | Stmt::Print(_, x) => live | x.reads(),
        Stmt::Closure(node) => {
            let inside = node.cond.reads() | node.first.reads() | node.second.reads();
            live & !bit(node.target) | inside | node.argument.reads()
        }
        Stmt::Match(node) => {
            let arms = node.arms.iter_mut().map(|arm| block(arm, live, around));
            arms.fold(0, |a, b| a | b) | node.on.map_or(0, |label| bit(HOSTS + label))
        }
        Stmt::Assert(x) => live | x.reads(),
        Stmt::Return(x) => x.reads(),
        Stmt::Break(label, value) => {
            let target = around.iter().find(|a| a.label == *label).map_or(0, |a| a.breaks);
            target | value.as_ref().map_or(0, Reads::reads)
        }
        Stmt::Continue(label) => around.iter().find(|a| a.label == *label).map_or(0, |a| a.continues),
        Stmt::If(node) => {
            let (mut live, mut ends) = (live, [0, 0]);
            if let Some((var, x, y)) = &node.value {
                live &= !bit(*var);
                ends = [x.reads(), y.reads()];
            }
            let then = block(&mut node.then, live | ends[0], around);
            let other = node.other.as_mut().map_or(live, |other| block(other, live | ends[1], around));
            let written = writes(&node.then);
            node.state = (written | node.other.as_ref().map_or(0, writes)) & live;
            node.keep = written & other & !node.state;
            then | other | node.cond.reads()
        }
        Stmt::Loop(node) => looped(node, live, around),
        Stmt::Taped(node) => {
            let live = live & !bit(node.target) | node.value.reads();
            block(&mut node.block, live, around) | node.source.map_or(0, bit)
        }
    }
}

fn looped(node: &mut Loop, live: Mask, around: &mut Vec<Around>) -> Mask {
    let after = live & !node.target.map_or(0, bit);
    let own = match &node.kind {
        LoopKind::While { limit, also } => {
            after | bit(COUNTERS + node.label) | limit.reads() | also.as_ref().map_or(0, Reads::reads)
        }
        LoopKind::HostWhile { .. } => after | bit(HOSTS + node.label),
        LoopKind::For { .. } | LoopKind::Rows(_) | LoopKind::Matrix(..) | LoopKind::Range(_) => after,
        LoopKind::Endless => 0,
    };
    let mut head = own;
    loop {
        around.push(Around { label: node.label, breaks: after, continues: head });
        let next = own | block(&mut node.body, head, around);
        around.pop();
        if next == head {
            break;
        }
        head = next;
    }
    let written = writes(&node.body);
    (node.head, node.after) = (written & head, written & after);
    let over = match &node.kind {
        LoopKind::Rows(vector) => vector.reads(),
        LoopKind::Matrix(first, second) => first.reads() | second.reads(),
        LoopKind::Range(limit) => limit.reads(),
        _ => 0,
    };
    head & !bit(COUNTERS + node.label) & !bit(HOSTS + node.label) | over
}
