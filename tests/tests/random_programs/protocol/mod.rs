//! Runs a program through the protocol objects, call for call as the code that `#[tf_function]` generates: under a trace
//! it records a graph, otherwise it decides each condition at once.

#![allow(clippy::needless_borrow, reason = "generated code asks each trait by as many references as it has")]

mod closures;
mod loops;
mod places;

use super::program::*;
use super::values::{Env, Inputs};
use eagerflow::__rt::autograph::tiers::*;
use eagerflow::__rt::autograph::{self as rt, Cond as Decision, Else, Fun, Host as HostKind, If as Branch};
use eagerflow::__rt::autograph::{End, Logic, Options, Slot};
use eagerflow::{Nest, Tensor};
use loops::Open;
use places::table;

const OPTIONS: Options = Options { max_traces: None, relax_shapes: true };
static MAIN: rt::Function = rt::Function::new("program", OPTIONS);
static INNER: rt::Function = rt::Function::new("inner", OPTIONS);

/// Calls function `index` of a program; `number` tells programs apart.
#[expect(clippy::needless_return, reason = "as generated code is")]
pub fn call(program: &Program, number: u64, index: usize, inputs: Inputs) -> Vec<Tensor> {
    let function = if index == 0 { &MAIN } else { &INNER };
    let Inputs { training, n, x, y, j, w, log, .. } = inputs.clone();
    let (x, y, j, w, log) = (&x, &y, &j, &w, &log);
    let mut call = rt::Call::new(function, rt::instance(&|| ()));
    (&&&&rt::Arg::of(&number)).note(&mut call, "number", &number);
    (&&&&rt::Arg::of(&training)).note(&mut call, "training", &training);
    (&&&&rt::Arg::of(&n)).note(&mut call, "n", &n);
    (&&&rt::Arg::of(&x)).note(&mut call, "x", &x);
    (&&&rt::Arg::of(&y)).note(&mut call, "y", &y);
    (&&&rt::Arg::of(&j)).note(&mut call, "j", &j);
    (&&&rt::Arg::of(&w)).note(&mut call, "w", &w);
    (&&&rt::Arg::of(&log)).note(&mut call, "log", &log);
    if let Some(result) = call.ready::<Vec<Tensor>>() {
        return result;
    }
    let x = (&&&rt::Arg::of(&x)).traced(&call, 3, x);
    let y = (&&&rt::Arg::of(&y)).traced(&call, 4, y);
    let j = (&&&rt::Arg::of(&j)).traced(&call, 5, j);
    let w = (&&&rt::Arg::of(&w)).traced(&call, 6, w);
    let log = (&&&rt::Arg::of(&log)).traced(&call, 7, log);
    let slot = Slot::<Vec<Tensor>>::new();
    let fun = Fun::enter(&call, slot, table::<Vec<Tensor>>());
    let inputs = Inputs { x: x.clone(), y: y.clone(), j: j.clone(), w: w.clone(), log: log.clone(), ..inputs.clone() };
    let mut tracer = Tracer { program, number, env: Env::new(inputs), fun, loops: Vec::new() };
    let body = &program.bodies[index];
    match tracer.block(&body.block) {
        Flow::Next => {
            let result = tracer.env.returned(&body.result);
            return tracer.fun.finish(result);
        }
        Flow::Return(result) => return result,
        Flow::Out => return tracer.fun.finish_left(),
        Flow::Break(..) | Flow::Continue(_) => unreachable!("a jump out of the function"),
    }
}

/// Where control goes in the generated Rust.
enum Flow {
    Next,
    /// To the end of the innermost branch or pass of the graph.
    Out,
    Break(Label, Option<Tensor>),
    Continue(Label),
    Return(Vec<Tensor>),
}

struct Tracer<'p, 'c> {
    program: &'p Program,
    number: u64,
    env: Env,
    fun: Fun<'c, Vec<Tensor>>,
    loops: Vec<Open>,
}

enum Known {
    Host(bool),
    Tensor(Tensor),
}

impl Known {
    fn condition(&self) -> Decision {
        match self {
            Self::Host(holds) => rt::condition(holds),
            Self::Tensor(tensor) => rt::condition(tensor),
        }
    }
}

/// Whether a condition has the type of a tensor.
fn is_tensor(cond: &Cond) -> bool {
    match cond {
        Cond::Tensor(_) => true,
        Cond::Host(_) => false,
        Cond::And(x, y) | Cond::Or(x, y) => is_tensor(x) || is_tensor(y),
        Cond::Logged(_, cond) => is_tensor(cond),
    }
}

impl Tracer<'_, '_> {
    fn block(&mut self, block: &Block) -> Flow {
        for stmt in block {
            match self.stmt(stmt) {
                Flow::Next => {}
                flow => return flow,
            }
        }
        Flow::Next
    }

    fn cond(&mut self, cond: &Cond) -> Known {
        let (left, right, and) = match cond {
            Cond::Tensor(truth) => return Known::Tensor(self.env.truth(truth)),
            Cond::Host(host) => return Known::Host(self.env.host(host)),
            Cond::And(x, y) => (x, y, true),
            Cond::Or(x, y) => (x, y, false),
            Cond::Logged(x, cond) => {
                self.env.run(&Stmt::Log(x.clone()));
                return self.cond(cond);
            }
        };
        match self.cond(left) {
            Known::Host(left) => {
                let mut logic: Logic<HostKind> = if and { Logic::and(&left) } else { Logic::or(&left) };
                match (logic.open(), is_tensor(right)) {
                    (true, _) => match self.cond(right) {
                        Known::Host(right) => Known::Host(logic.close(&right)),
                        Known::Tensor(right) => Known::Tensor(logic.close(&right)),
                    },
                    (false, true) => Known::Tensor(logic.short()),
                    (false, false) => Known::Host(logic.short()),
                }
            }
            Known::Tensor(left) => {
                let mut logic: Logic<Tensor> = if and { Logic::and(&left) } else { Logic::or(&left) };
                Known::Tensor(match logic.open() {
                    true => match self.cond(right) {
                        Known::Host(right) => logic.close(&right),
                        Known::Tensor(right) => logic.close(&right),
                    },
                    false => logic.short(),
                })
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Flow {
        match stmt {
            Stmt::If(node) => match &node.value {
                None => self.branch(node, |_, _| ()).0,
                Some((var, x, y)) => {
                    let value = |env: &Env, first: bool| env.scalar(if first { x } else { y });
                    let (flow, value) = self.branch(node, value);
                    if let (Flow::Next, Some(value)) = (&flow, value) {
                        self.env.plain[*var] = value;
                    }
                    flow
                }
            },
            Stmt::Loop(node) => self.looped(node),
            Stmt::Break(label, value) => self.breaks(*label, value.as_ref()),
            Stmt::Continue(label) => {
                let open = self.loops.iter_mut().find(|open| open.label == *label).expect("a loop around");
                match open.at_head(&mut self.env, |drive, places| drive.cont(places)) {
                    true => Flow::Continue(*label),
                    false => Flow::Out,
                }
            }
            Stmt::Return(value) => match self.fun.ret(self.env.returned(value)) {
                Some(result) => Flow::Return(result),
                None => Flow::Out,
            },
            Stmt::Match(node) => self.block(self.env.arm(node)),
            Stmt::Closure(node) => {
                let mut value = self.env.scalar(&node.argument);
                for _ in 0..node.calls {
                    value = self.closure(node, value);
                }
                self.env.plain[node.target] = value;
                Flow::Next
            }
            Stmt::Print(number, x) => {
                let x = self.env.scalar(x);
                let mut line = rt::Print::new(rt::Stream::Out);
                line.text(&format!("p{number} "));
                line.piece((&&rt::Shown(&x)).tensor(), |x| format!("{x}"), &|| format!("{x}"));
                line.text("\n");
                line.emit();
                Flow::Next
            }
            Stmt::Taped(node) => {
                let tape = self.env.tape(node);
                match self.block(&node.block) {
                    Flow::Next => self.env.gradient(node, tape),
                    flow => return flow,
                }
                Flow::Next
            }
            Stmt::Assert(truth) => {
                rt::assert(&self.env.truth(truth), "it holds", None);
                Flow::Next
            }
            Stmt::Call(var, index, x) => {
                let inputs = Inputs { x: self.env.scalar(x), ..self.env.inputs.clone() };
                self.env.plain[*var] = call(self.program, self.number, *index, inputs).remove(0);
                Flow::Next
            }
            _ => {
                self.env.run(stmt);
                Flow::Next
            }
        }
    }

    fn branch<V: Nest>(&mut self, node: &If, value: impl Fn(&Env, bool) -> V) -> (Flow, Option<V>) {
        let cond = self.cond(&node.cond).condition();
        let mut protocol = Branch::new(Slot::<V>::new(), cond, &self.env.places(node.state), &[]);
        if protocol.then() {
            let restore = self.fun.tracing().then(|| self.env.save(node.keep));
            match self.block(&node.then) {
                Flow::Next => {
                    let value = value(&self.env, true);
                    match protocol.end_then(value, table::<V>(), &mut self.env.places(node.state)) {
                        End::Done(value) => return (Flow::Next, Some(value)),
                        End::Back(_) => {}
                    }
                }
                Flow::Out => {}
                flow => return (flow, None),
            }
            if let Some(restore) = restore {
                restore(&mut self.env);
            }
            if leaves(&node.then) && protocol.left_then(&mut self.env.places(node.state)) {
                return (Flow::Out, None);
            }
        }
        protocol.otherwise();
        let flow = node.other.as_ref().map_or(Flow::Next, |other| self.block(other));
        let end = match flow {
            Flow::Next => {
                let value = value(&self.env, false);
                match protocol.end_else(value, table::<V>(), &mut self.env.places(node.state)) {
                    End::Done(value) => return (Flow::Next, Some(value)),
                    End::Back(_) => return (Flow::Out, None),
                }
            }
            Flow::Out => protocol.left_else(table::<V>(), &mut self.env.places(node.state)),
            flow => return (flow, None),
        };
        match end {
            Else::Val(value) => (Flow::Next, Some(value)),
            Else::Left => (Flow::Out, None),
        }
    }
}

/// Whether a block may be left by a jump.
fn leaves(block: &Block) -> bool {
    fn inner(block: &Block, around: &mut Vec<Label>) -> bool {
        block.iter().any(|stmt| match stmt {
            Stmt::Return(_) => true,
            Stmt::Break(to, _) | Stmt::Continue(to) => !around.contains(to),
            Stmt::Loop(node) => {
                around.push(node.label);
                let leaves = inner(&node.body, around);
                around.pop();
                leaves
            }
            _ => stmt.blocks().into_iter().any(|block| inner(block, around)),
        })
    }
    inner(block, &mut Vec::new())
}
