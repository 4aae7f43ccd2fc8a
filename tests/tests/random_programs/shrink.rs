//! Makes a failing program smaller while it still fails: statements are left out, branches and loops replaced by what is
//! in them, loops shortened, values replaced by simpler ones.

use super::liveness::annotate;
use super::program::*;

/// The smallest program found that still fails.
pub fn shrink(program: &Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut tries = 3000;
    'again: loop {
        for mut candidate in smaller(&best) {
            if tries == 0 {
                return best;
            }
            tries -= 1;
            annotate(&mut candidate);
            if fails(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return best;
    }
}

fn smaller(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let mut last = 0;
    for body in &program.bodies {
        walk(&body.block, &mut |stmt| {
            if let Stmt::Call(_, callee, _) = stmt {
                last = last.max(*callee);
            }
        });
    }
    if last + 1 < program.bodies.len() {
        all.push(Program { bodies: program.bodies[..=last].to_vec() });
    }
    for (i, body) in program.bodies.iter().enumerate() {
        let mut with = |body: Body| {
            let mut program = program.clone();
            program.bodies[i] = body;
            all.push(program);
        };
        for block in blocks(&body.block, 0) {
            with(Body { block, result: body.result.clone() });
        }
        for result in returned(&body.result) {
            with(Body { block: body.block.clone(), result });
        }
    }
    all
}

/// Smaller forms of a block whose first statements must stay.
fn blocks(block: &Block, fixed: usize) -> Vec<Block> {
    let mut all = Vec::new();
    let count = block.len().saturating_sub(fixed);
    if count > 3 {
        // Halves first.
        let middle = fixed + count / 2;
        all.push([&block[..fixed], &block[middle..]].concat());
        all.push(block[..middle].to_vec());
    }
    for at in fixed..block.len() {
        let mut without = block.clone();
        without.remove(at);
        all.push(without);
    }
    for (at, stmt) in block.iter().enumerate().skip(fixed) {
        for stmts in statements(stmt) {
            let mut with = block.clone();
            with.splice(at..=at, stmts);
            all.push(with);
        }
    }
    all
}

/// What a statement may be replaced by.
fn statements(stmt: &Stmt) -> Vec<Block> {
    match stmt {
        Stmt::If(node) => branch(node),
        Stmt::Loop(node) => looped(node),
        Stmt::Taped(node) => {
            let with = |block: Block| vec![Stmt::Taped(Taped { block, ..node.clone() })];
            let mut all = vec![node.block.clone()];
            all.extend(blocks(&node.block, 0).into_iter().map(with));
            let with = |value: Scalar| vec![Stmt::Taped(Taped { value, ..node.clone() })];
            all.extend(scalar(&node.value).into_iter().map(with));
            all
        }
        Stmt::Match(node) => {
            let mut all: Vec<Block> = node.arms.to_vec();
            for at in 0..node.arms.len() {
                for arm in blocks(&node.arms[at], 0) {
                    let mut node = node.clone();
                    node.arms[at] = arm;
                    all.push(vec![Stmt::Match(node)]);
                }
            }
            all
        }
        Stmt::Closure(node) => {
            let mut all = vec![vec![Stmt::SetScalar(node.target, node.argument.clone())]];
            let mut with = |node: Closure| all.push(vec![Stmt::Closure(Box::new(node))]);
            scalar(&node.first).into_iter().for_each(|first| with(Closure { first, ..(**node).clone() }));
            scalar(&node.second).into_iter().for_each(|second| with(Closure { second, ..(**node).clone() }));
            all
        }
        Stmt::Print(number, x) => scalar(x).into_iter().map(|x| vec![Stmt::Print(*number, x)]).collect(),
        Stmt::Write(index, x) => {
            let mut all: Vec<Block> = scalar(x).into_iter().map(|x| vec![Stmt::Write(index.clone(), x)]).collect();
            if *index != Integer::Const(1) {
                all.push(vec![Stmt::Write(Integer::Const(1), x.clone())]);
            }
            all
        }
        Stmt::Push(x) => scalar(x).into_iter().map(|x| vec![Stmt::Push(x)]).collect(),
        Stmt::Extend(x, y) => vec![vec![Stmt::Push(x.clone())], vec![Stmt::Push(y.clone())]],
        Stmt::Clear(x) => vec![vec![Stmt::Renew(x.clone())]],
        Stmt::Renew(x) => scalar(x).into_iter().map(|x| vec![Stmt::Renew(x)]).collect(),
        Stmt::PushPart(x) => vector(x).into_iter().map(|x| vec![Stmt::PushPart(x)]).collect(),
        Stmt::SetScalar(var, x) => scalar(x).into_iter().map(|x| vec![Stmt::SetScalar(*var, x)]).collect(),
        Stmt::SetItem(at, x) => scalar(x).into_iter().map(|x| vec![Stmt::SetItem(*at, x)]).collect(),
        Stmt::SetPair(at, x) => scalar(x).into_iter().map(|x| vec![Stmt::SetPair(*at, x)]).collect(),
        Stmt::SetVector(var, x) => vector(x).into_iter().map(|x| vec![Stmt::SetVector(*var, x)]).collect(),
        Stmt::SetInteger(var, _) => vec![vec![Stmt::SetInteger(*var, Integer::Const(1))]],
        Stmt::AddToVariable(x) => scalar(x).into_iter().map(|x| vec![Stmt::AddToVariable(x)]).collect(),
        Stmt::Log(x) => scalar(x).into_iter().map(|x| vec![Stmt::Log(x)]).collect(),
        Stmt::Break(label, Some(x)) => scalar(x).into_iter().map(|x| vec![Stmt::Break(*label, Some(x))]).collect(),
        Stmt::Call(var, _, x) => vec![vec![Stmt::SetScalar(*var, x.clone())]],
        Stmt::Draw(var) => vec![vec![Stmt::SetScalar(*var, Scalar::X)]],
        Stmt::Return(value) => returned(value).into_iter().map(|r| vec![Stmt::Return(Box::new(r))]).collect(),
        _ => Vec::new(),
    }
}

fn branch(node: &If) -> Vec<Block> {
    let mut all = Vec::new();
    for (block, end) in [(Some(&node.then), 0), (node.other.as_ref(), 1)] {
        let Some(block) = block else { continue };
        let mut block = block.clone();
        if let Some((var, x, y)) = &node.value {
            block.push(Stmt::SetScalar(*var, if end == 0 { x } else { y }.clone()));
        }
        all.push(block);
    }
    let mut with = |node: If| all.push(vec![Stmt::If(node)]);
    if node.other.is_some() && node.value.is_none() {
        with(If { other: None, ..node.clone() });
    }
    if node.value.is_some() {
        with(If { value: None, ..node.clone() });
    }
    for then in blocks(&node.then, 0) {
        with(If { then, ..node.clone() });
    }
    for other in node.other.iter().flat_map(|other| blocks(other, 0)) {
        with(If { other: Some(other), ..node.clone() });
    }
    if let Cond::And(x, y) | Cond::Or(x, y) = &node.cond {
        with(If { cond: (**x).clone(), ..node.clone() });
        with(If { cond: (**y).clone(), ..node.clone() });
    }
    if let Cond::Logged(_, cond) = &node.cond {
        with(If { cond: (**cond).clone(), ..node.clone() });
    }
    let simple = Cond::Tensor(Truth::Scalars(Order::Greater, Scalar::X, Scalar::Const(0.0)));
    if node.cond != simple {
        with(If { cond: simple, ..node.clone() });
    }
    all
}

fn looped(node: &Loop) -> Vec<Block> {
    let mut all = Vec::new();
    let mut with = |node: Loop| all.push(vec![Stmt::Loop(node)]);
    for body in blocks(&node.body, node.fixed()) {
        with(Loop { body, ..node.clone() });
    }
    match &node.kind {
        LoopKind::While { limit, also } => {
            if also.is_some() {
                with(Loop { kind: LoopKind::While { limit: limit.clone(), also: None }, ..node.clone() });
            }
            if let Some(Cond::And(x, y) | Cond::Or(x, y)) = also {
                for cond in [x, y] {
                    let kind = LoopKind::While { limit: limit.clone(), also: Some((**cond).clone()) };
                    with(Loop { kind, ..node.clone() });
                }
            }
            if *limit != Integer::Const(1) && *limit != Integer::Const(2) {
                let kind = LoopKind::While { limit: Integer::Const(2), also: also.clone() };
                with(Loop { kind, ..node.clone() });
            }
            if *limit == Integer::Const(2) {
                let kind = LoopKind::While { limit: Integer::Const(1), also: also.clone() };
                with(Loop { kind, ..node.clone() });
            }
        }
        LoopKind::HostWhile { limit } if *limit > 1 => {
            with(Loop { kind: LoopKind::HostWhile { limit: limit - 1 }, ..node.clone() });
        }
        LoopKind::Range(limit) if *limit != Integer::Const(1) && *limit != Integer::Const(2) => {
            with(Loop { kind: LoopKind::Range(Integer::Const(2)), ..node.clone() });
        }
        LoopKind::For { limit } if *limit != Some(1) => {
            with(Loop { kind: LoopKind::For { limit: Some(1) }, ..node.clone() });
        }
        _ => {}
    }
    all
}

fn returned(value: &Returned) -> Vec<Returned> {
    let mut all: Vec<Returned> = Vec::new();
    all.extend(scalar(&value.0).into_iter().map(|x| (x, value.1.clone(), value.2.clone())));
    all.extend(vector(&value.1).into_iter().map(|x| (value.0.clone(), x, value.2.clone())));
    if !matches!(value.2, Integer::J) {
        all.push((value.0.clone(), value.1.clone(), Integer::J));
    }
    all
}

fn scalar(expr: &Scalar) -> Vec<Scalar> {
    let mut all = match expr {
        Scalar::X | Scalar::Const(_) => return Vec::new(),
        Scalar::Unary(_, x) => vec![(**x).clone()],
        Scalar::Binary(_, x, y) => vec![(**x).clone(), (**y).clone()],
        _ => Vec::new(),
    };
    all.push(Scalar::X);
    all.push(Scalar::Const(1.0));
    all
}

fn vector(expr: &Vector) -> Vec<Vector> {
    let mut all = match expr {
        Vector::Y => return Vec::new(),
        Vector::Unary(_, x) | Vector::Scaled(x, _) | Vector::Updated(x, ..) => vec![(**x).clone()],
        Vector::Reversed(x) | Vector::Grown(x) | Vector::Chosen(x) => vec![(**x).clone()],
        Vector::Added(x, y) => vec![(**x).clone(), (**y).clone()],
        Vector::Var(_) | Vector::Row(_) | Vector::Ranged(_) | Vector::Listed => Vec::new(),
    };
    all.push(Vector::Y);
    all
}
