//! Runs a program as Rust would run it: operation by operation, each condition decided by its value.
//! What a trace of the same program must agree with.

use super::program::*;
use super::values::{Env, Inputs};
use eagerflow::Tensor;
use std::cell::RefCell;

thread_local! {
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What programs have printed on this thread since the last call.
pub fn printed() -> String {
    PRINTED.take()
}

enum Flow {
    Next,
    Break(Label, Option<Tensor>),
    Continue(Label),
    Return(Vec<Tensor>),
}

/// Calls function `index` of a program.
pub fn call(program: &Program, index: usize, inputs: Inputs) -> Vec<Tensor> {
    let mut run = Native { program, env: Env::new(inputs) };
    let body = &program.bodies[index];
    match run.block(&body.block) {
        Flow::Return(result) => result,
        _ => run.env.returned(&body.result),
    }
}

struct Native<'p> {
    program: &'p Program,
    env: Env,
}

impl Native<'_> {
    fn block(&mut self, block: &Block) -> Flow {
        for stmt in block {
            match self.stmt(stmt) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn holds(&mut self, cond: &Cond) -> bool {
        match cond {
            Cond::Tensor(truth) => self.env.truth(truth).item(),
            Cond::Host(host) => self.env.host(host),
            Cond::And(x, y) => self.holds(x) && self.holds(y),
            Cond::Or(x, y) => self.holds(x) || self.holds(y),
            Cond::Logged(x, cond) => {
                self.env.run(&Stmt::Log(x.clone()));
                self.holds(cond)
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::If(node) => return self.branch(node),
            Stmt::Loop(node) => return self.looped(node),
            Stmt::Match(node) => return self.block(self.env.arm(node)),
            Stmt::Closure(node) => {
                let mut value = self.env.scalar(&node.argument);
                for _ in 0..node.calls {
                    value = self.closure(node, value);
                }
                self.env.plain[node.target] = value;
            }
            Stmt::Print(number, x) => {
                let line = format!("p{number} {}\n", self.env.scalar(x));
                PRINTED.with_borrow_mut(|printed| printed.push_str(&line));
            }
            Stmt::Taped(node) => {
                let tape = self.env.tape(node);
                match self.block(&node.block) {
                    Flow::Next => self.env.gradient(node, tape),
                    flow => return flow,
                }
            }
            Stmt::Break(label, value) => {
                return Flow::Break(*label, value.as_ref().map(|value| self.env.scalar(value)));
            }
            Stmt::Continue(label) => return Flow::Continue(*label),
            Stmt::Return(value) => return Flow::Return(self.env.returned(value)),
            Stmt::Assert(truth) => {
                let holds: bool = self.env.truth(truth).item();
                assert!(holds, "InvalidArgument: assert: it does not hold");
            }
            Stmt::Call(var, index, x) => {
                let inputs = Inputs { x: self.env.scalar(x), ..self.env.inputs.clone() };
                self.env.plain[*var] = call(self.program, *index, inputs).remove(0);
            }
            _ => self.env.run(stmt),
        }
        Flow::Next
    }

    fn closure(&mut self, node: &Closure, value: Tensor) -> Tensor {
        self.env.arg = value;
        let value = match node.form {
            Form::Choose | Form::Return if self.env.truth(&node.cond).item() => &node.first,
            Form::Choose | Form::Return => &node.second,
            Form::Repeat => {
                for _ in 0..2 {
                    if !self.env.truth(&node.cond).item::<bool>() {
                        break;
                    }
                    self.env.arg = self.env.scalar(&node.first);
                }
                &node.second
            }
        };
        self.env.scalar(value)
    }

    fn branch(&mut self, node: &If) -> Flow {
        let first = self.holds(&node.cond);
        let block = if first { Some(&node.then) } else { node.other.as_ref() };
        let flow = block.map_or(Flow::Next, |block| self.block(block));
        if let (Flow::Next, Some((var, x, y))) = (&flow, &node.value) {
            self.env.plain[*var] = self.env.scalar(if first { x } else { y });
        }
        flow
    }

    fn looped(&mut self, node: &Loop) -> Flow {
        let label = node.label;
        self.env.counters[label] = eagerflow::constant(0);
        self.env.hosts[label] = 0;
        let rows = self.env.over(&node.kind).map_or_else(Vec::new, |over| eagerflow::unstack(&over, 0));
        let mut pass = 0;
        loop {
            let goes_on = match &node.kind {
                LoopKind::While { limit, also } => {
                    let within = self.env.counters[label].item::<i32>() < self.env.integer(limit).item::<i32>();
                    within && also.as_ref().is_none_or(|cond| self.holds(cond))
                }
                LoopKind::HostWhile { limit } => self.env.hosts[label] < *limit,
                LoopKind::For { limit } => {
                    self.env.hosts[label] = pass;
                    pass < limit.unwrap_or(self.env.inputs.n)
                }
                LoopKind::Rows(_) | LoopKind::Matrix(..) | LoopKind::Range(_) => {
                    self.env.rows[label] = rows.get(pass as usize).cloned();
                    (pass as usize) < rows.len()
                }
                LoopKind::Endless => true,
            };
            pass += 1;
            if !goes_on {
                return Flow::Next;
            }
            match self.block(&node.body) {
                Flow::Break(to, value) if to == label => {
                    if let (Some(var), Some(value)) = (node.target, value) {
                        self.env.plain[var] = value;
                    }
                    return Flow::Next;
                }
                Flow::Next => {}
                Flow::Continue(to) if to == label => {}
                flow => return flow,
            }
        }
    }
}
