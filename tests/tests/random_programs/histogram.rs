//! Which forms the generated programs contain, and how often: printed by the tests, so that nobody has to guess.

use super::program::*;
use std::collections::BTreeMap;
use std::fmt;

/// All forms.
const FORMS: [&str; 64] = [
    "&& and ||",
    "array read",
    "array stack",
    "array write",
    "array write in a loop",
    "assert",
    "assign_add",
    "assignment",
    "branch in a branch",
    "break",
    "break with a value",
    "call in a loop",
    "call of a traced function",
    "closure in a loop",
    "closure with a loop",
    "closure with if",
    "closure with return",
    "continue",
    "control flow under a tape",
    "counter",
    "effect in a condition",
    "element read",
    "element written",
    "for over a host range",
    "for over a tensor",
    "for over rows",
    "for over tf::range",
    "gradient of its own",
    "if on the host",
    "if with a value",
    "if with else",
    "if without else",
    "jump to an outer loop",
    "list cleared",
    "list write",
    "loop",
    "loop in a branch",
    "loop in a loop",
    "loop with a value",
    "match",
    "moved variable",
    "new list in a loop",
    "ordered effect",
    "print",
    "print in a loop",
    "push",
    "push in a branch in a loop",
    "push in a loop",
    "push of a vector in a loop",
    "pushed vectors joined",
    "pushed scalars stacked",
    "random draw",
    "range that depends on values",
    "return",
    "return out of a loop",
    "size as a value",
    "size that depends on values",
    "size that grows",
    "tape inside",
    "tape inside, by a variable",
    "tuple write",
    "while",
    "while on the host",
    "while with &&",
];

/// Forms of expressions, by their names.
const EXPRESSIONS: [(&str, &str); 12] = [
    ("Joined", "pushed vectors joined"),
    ("Listed", "pushed scalars stacked"),
    ("Custom", "gradient of its own"),
    ("Read(", "array read"),
    ("Stacked", "array stack"),
    ("Element(", "element read"),
    ("Updated(", "element written"),
    ("Grown", "size that grows"),
    ("Chosen", "size that depends on values"),
    ("Ranged", "range that depends on values"),
    ("Size(", "size as a value"),
    ("Moved", "moved variable"),
];

/// The number of programs that contain each form.
#[derive(Default)]
pub struct Histogram(BTreeMap<&'static str, usize>);

impl Histogram {
    pub fn add(&mut self, program: &Program) {
        let mut found = Vec::new();
        for body in &program.bodies {
            forms(&body.block, &mut Vec::new(), &mut found);
        }
        let text = format!("{program:?}");
        found.extend(EXPRESSIONS.iter().filter(|(name, _)| text.contains(name)).map(|(_, form)| *form));
        found.sort_unstable();
        found.dedup();
        for form in found {
            assert!(FORMS.contains(&form), "`{form}` is not in the list of forms");
            *self.0.entry(form).or_default() += 1;
        }
    }

    /// The forms that fewer programs contain than they should.
    pub fn rarer_than(&self, least: usize) -> Vec<&'static str> {
        FORMS.into_iter().filter(|form| self.0.get(form).is_none_or(|count| *count < least)).collect()
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(form, count)| writeln!(f, "{count:6}  {form}"))
    }
}

/// What is around a statement.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Branch,
    Tape,
    Loop(Label),
}

fn forms(block: &Block, around: &mut Vec<Around>, found: &mut Vec<&'static str>) {
    for stmt in block {
        found.push(form(stmt));
        let in_branch = around.last() == Some(&Around::Branch);
        let innermost = around.iter().rev().find_map(|a| if let Around::Loop(l) = a { Some(*l) } else { None });
        match stmt {
            Stmt::Break(to, _) | Stmt::Continue(to) if Some(*to) != innermost => found.push("jump to an outer loop"),
            Stmt::Return(_) if innermost.is_some() => found.push("return out of a loop"),
            Stmt::Loop(_) | Stmt::If(_) if around.last() == Some(&Around::Tape) => {
                found.push("control flow under a tape")
            }
            Stmt::Print(..) if innermost.is_some() => found.push("print in a loop"),
            Stmt::Write(..) if innermost.is_some() => found.push("array write in a loop"),
            Stmt::Push(_) | Stmt::Extend(..) if innermost.is_some() => {
                found.push("push in a loop");
                found.extend(in_branch.then_some("push in a branch in a loop"));
            }
            Stmt::PushPart(_) if innermost.is_some() => found.push("push of a vector in a loop"),
            Stmt::Renew(_) if innermost.is_some() => found.push("new list in a loop"),
            Stmt::Closure(_) if innermost.is_some() => found.push("closure in a loop"),
            Stmt::Call(..) if innermost.is_some() => found.push("call in a loop"),
            Stmt::Loop(_) if in_branch => found.push("loop in a branch"),
            Stmt::Loop(_) if innermost.is_some() => found.push("loop in a loop"),
            Stmt::If(_) if in_branch => found.push("branch in a branch"),
            Stmt::If(node) if matches!(node.cond, Cond::Host(_)) => found.push("if on the host"),
            Stmt::If(node) if matches!(node.cond, Cond::And(..) | Cond::Or(..)) => found.push("&& and ||"),
            _ => {}
        }
        let cond = match stmt {
            Stmt::If(node) => Some(&node.cond),
            Stmt::Loop(Loop { kind: LoopKind::While { also, .. }, .. }) => also.as_ref(),
            _ => None,
        };
        if cond.is_some_and(logs) {
            found.push("effect in a condition");
        }
        around.push(match stmt {
            Stmt::Loop(node) => Around::Loop(node.label),
            Stmt::Taped(_) => Around::Tape,
            _ => Around::Branch,
        });
        stmt.blocks().into_iter().for_each(|inner| forms(inner, around, found));
        around.pop();
    }
}

fn logs(cond: &Cond) -> bool {
    match cond {
        Cond::Logged(..) => true,
        Cond::And(x, y) | Cond::Or(x, y) => logs(x) || logs(y),
        Cond::Tensor(_) | Cond::Host(_) => false,
    }
}

fn form(stmt: &Stmt) -> &'static str {
    match stmt {
        Stmt::SetScalar(..) | Stmt::SetVector(..) | Stmt::SetInteger(..) | Stmt::SetTruth(..) => "assignment",
        Stmt::SetItem(..) => "list write",
        Stmt::Push(_) | Stmt::Extend(..) | Stmt::PushPart(_) => "push",
        Stmt::Renew(_) => "assignment",
        Stmt::Clear(_) => "list cleared",
        Stmt::SetPair(..) => "tuple write",
        Stmt::Count(_) | Stmt::HostCount(_) => "counter",
        Stmt::If(If { value: Some(_), .. }) => "if with a value",
        Stmt::If(If { other: Some(_), .. }) => "if with else",
        Stmt::If(_) => "if without else",
        Stmt::Loop(node) => match (&node.kind, node.target) {
            (LoopKind::While { also: None, .. }, _) => "while",
            (LoopKind::While { .. }, _) => "while with &&",
            (LoopKind::HostWhile { .. }, _) => "while on the host",
            (LoopKind::For { .. }, _) => "for over a host range",
            (LoopKind::Rows(_), _) => "for over a tensor",
            (LoopKind::Matrix(..), _) => "for over rows",
            (LoopKind::Range(_), _) => "for over tf::range",
            (LoopKind::Endless, None) => "loop",
            (LoopKind::Endless, Some(_)) => "loop with a value",
        },
        Stmt::Print(..) => "print",
        Stmt::Write(..) => "array write",
        Stmt::Match(_) => "match",
        Stmt::Closure(node) => match node.form {
            Form::Choose => "closure with if",
            Form::Return => "closure with return",
            Form::Repeat => "closure with a loop",
        },
        Stmt::Break(_, None) => "break",
        Stmt::Break(_, Some(_)) => "break with a value",
        Stmt::Continue(_) => "continue",
        Stmt::Return(_) => "return",
        Stmt::AddToVariable(_) => "assign_add",
        Stmt::Log(_) => "ordered effect",
        Stmt::Assert(_) => "assert",
        Stmt::Draw(_) => "random draw",
        Stmt::Taped(Taped { source: Some(_), .. }) => "tape inside",
        Stmt::Taped(_) => "tape inside, by a variable",
        Stmt::Call(..) => "call of a traced function",
    }
}
