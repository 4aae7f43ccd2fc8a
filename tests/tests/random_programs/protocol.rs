//! Runs a program through the protocol objects, call for call as the code that `#[tf_function]` generates: under a trace
//! it records a graph, otherwise it decides each condition at once.

#![allow(clippy::needless_borrow, reason = "generated code asks each trait by as many references as it has")]

use super::program::*;
use super::values::{Env, Inputs};
use eagerflow::__rt::autograph::tiers::*;
use eagerflow::__rt::autograph::{self as rt, Cond as Decision, Else, Fun, Host as HostKind, If as Branch};
use eagerflow::__rt::autograph::{Logic, Next, Options, Place, Slot, Table, Test, Then, While};
use eagerflow::{Nest, Tensor};
use std::cell::RefCell;
use std::rc::Rc;

const OPTIONS: Options = Options { max_traces: None, relax_shapes: true };
static MAIN: rt::Function = rt::Function::new("program", OPTIONS);
static INNER: rt::Function = rt::Function::new("inner", OPTIONS);

/// Calls function `index` of a program; `number` tells programs apart.
#[expect(clippy::needless_return, reason = "as generated code is")]
pub fn call(program: &Program, number: u64, index: usize, inputs: Inputs) -> Vec<Tensor> {
    let function = if index == 0 { &MAIN } else { &INNER };
    let mut call = rt::Call::new(function, rt::instance(&|| ()));
    let Inputs { training, n, x, y, j, w, log, .. } = inputs.clone();
    let (x, y, j, w, log) = (&x, &y, &j, &w, &log);
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

fn table<T: Nest>() -> &'static Table {
    (&&&&Slot::<T>::new()).table()
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

/// A loop around.
struct Open {
    label: Label,
    head: Mask,
    after: Mask,
    drive: While<Tensor>,
    over: Option<Over>,
}

/// Hands over the place of where an iterator stands.
type PlaceOf = Box<dyn FnMut(&mut dyn FnMut(Place<'_>))>;

/// What a `for` goes over.
struct Over {
    advance: Box<dyn FnMut() -> Decision>,
    item: Box<dyn FnMut(&mut Env)>,
    place: PlaceOf,
}

macro_rules! over {
    ($over:expr, |$item:ident, $env:ident| $set:expr) => {{
        let over = $over;
        let it = Rc::new(RefCell::new((&&rt::Iterated::of(&over)).iterate(over)));
        let (a, b, c) = (it.clone(), it.clone(), it);
        Over {
            advance: Box::new(move || a.borrow_mut().advance()),
            item: Box::new(move |$env| {
                let $item = b.borrow_mut().item();
                $set;
            }),
            place: Box::new(move |with| with(c.borrow_mut().place())),
        }
    }};
}

impl Env {
    /// The places of some variables.
    fn places(&mut self, mask: Mask) -> Vec<Place<'_>> {
        let has = |var: usize| mask >> var & 1 == 1;
        let mut places = Vec::new();
        for (var, tensor) in self.plain.iter_mut().enumerate().filter(|(var, _)| has(*var)) {
            places.push(rt::place(NAMES[var], tensor, table::<Tensor>()));
        }
        if has(LIST) {
            places.push(rt::place(NAMES[LIST], &mut self.list, table::<Vec<Tensor>>()));
        }
        if has(PAIR) {
            places.push(rt::place(NAMES[PAIR], &mut self.pair, table::<(Tensor, Tensor)>()));
        }
        for (label, tensor) in self.counters.iter_mut().enumerate().filter(|(label, _)| has(COUNTERS + label)) {
            places.push(rt::place(NAMES[COUNTERS + label], tensor, table::<Tensor>()));
        }
        for (label, number) in self.hosts.iter_mut().enumerate().filter(|(label, _)| has(HOSTS + label)) {
            places.push(rt::place(NAMES[HOSTS + label], number, table::<i32>()));
        }
        places
    }

    /// Copies of the plain variables of a mask, to put back.
    fn save(&self, mask: Mask) -> impl FnOnce(&mut Env) + use<> {
        let (plain, list, pair) = (self.plain.clone(), self.list.clone(), self.pair.clone());
        let counters = self.counters.clone();
        move |env| {
            let has = |var: usize| mask >> var & 1 == 1;
            (0..plain.len()).filter(|var| has(*var)).for_each(|var| env.plain[var] = plain[var].clone());
            (0..LABELS).filter(|l| has(COUNTERS + l)).for_each(|l| env.counters[l] = counters[l].clone());
            if has(LIST) {
                env.list = list;
            }
            if has(PAIR) {
                env.pair = pair;
            }
        }
    }
}

impl Open {
    /// Calls the loop with the places of its head.
    fn at_head<R>(&mut self, env: &mut Env, call: impl FnOnce(&mut While<Tensor>, &mut [Place<'_>]) -> R) -> R {
        let places = env.places(self.head);
        let Some(over) = &mut self.over else {
            let mut places = places;
            return call(&mut self.drive, &mut places);
        };
        let (mut parts, mut result) = (Some((call, places)), None);
        let drive = &mut self.drive;
        (over.place)(&mut |place| {
            if let Some((call, places)) = parts.take() {
                let mut all: Vec<Place<'_>> = places;
                all.push(place);
                result = Some(call(drive, &mut all));
            }
        });
        result.expect("the iterator has a place")
    }
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

    fn breaks(&mut self, label: Label, value: Option<&Scalar>) -> Flow {
        let value = value.map(|value| self.env.scalar(value));
        let open = self.loops.iter_mut().find(|open| open.label == label).expect("a loop around");
        let mut places = self.env.places(open.after);
        match value {
            None if open.drive.brk(&mut places) => Flow::Break(label, None),
            Some(value) => match open.drive.brk_value(value, table::<Tensor>(), &mut places) {
                Some(value) => Flow::Break(label, Some(value)),
                None => Flow::Out,
            },
            None => Flow::Out,
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
                        Then::Done(value) => return (Flow::Next, Some(value)),
                        Then::Else => {}
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
                protocol.end_else(value, table::<V>(), &mut self.env.places(node.state))
            }
            Flow::Out => protocol.left_else(table::<V>(), &mut self.env.places(node.state)),
            flow => return (flow, None),
        };
        match end {
            Else::Val(value) => (Flow::Next, Some(value)),
            Else::Left => (Flow::Out, None),
        }
    }

    fn over(&mut self, node: &Loop) -> Option<Over> {
        let label = node.label;
        match &node.kind {
            LoopKind::For { limit } => {
                let end = limit.unwrap_or(self.env.inputs.n);
                Some(over!(0..end, |item, env| env.hosts[label] = item))
            }
            LoopKind::Rows(vector) => {
                let vector = self.env.vector(vector);
                Some(over!(vector, |item, env| env.rows[label] = Some(item)))
            }
            _ => None,
        }
    }

    fn loop_condition(&mut self, node: &Loop) -> Decision {
        match &node.kind {
            LoopKind::While { limit, also } => {
                let counter = Truth::Integers(Order::Less, Integer::Count(node.label), limit.clone());
                let cond = match also {
                    None => Cond::Tensor(counter),
                    Some(also) => Cond::And(Box::new(Cond::Tensor(counter)), Box::new(also.clone())),
                };
                self.cond(&cond).condition()
            }
            LoopKind::HostWhile { limit } => rt::condition(&(self.env.hosts[node.label] < *limit)),
            LoopKind::Endless => rt::condition(&true),
            LoopKind::For { .. } | LoopKind::Rows(_) => {
                let over = self.loops.last_mut().and_then(|open| open.over.as_mut());
                (over.expect("a `for` goes over something").advance)()
            }
        }
    }

    fn looped(&mut self, node: &Loop) -> Flow {
        let label = node.label;
        self.env.counters[label] = eagerflow::constant(0);
        self.env.hosts[label] = 0;
        let over = self.over(node);
        let bounded = !matches!(node.kind, LoopKind::Endless);
        let drive = While::new(Slot::<Tensor>::new(), &[], bounded);
        self.loops.push(Open { label, head: node.head, after: node.after, drive, over });
        let flow = self.passes(node);
        let mut open = self.loops.pop().expect("the loop itself");
        let value = match flow {
            Ok(value) => value,
            Err(flow) => return flow,
        };
        match node.target {
            Some(var) => {
                let value = value.unwrap_or_else(|| open.drive.value());
                let value = open.drive.after_value(value, table::<Tensor>(), &mut self.env.places(node.after));
                self.env.plain[var] = value;
            }
            None => open.drive.after(&mut self.env.places(node.after)),
        }
        Flow::Next
    }

    /// The passes of the innermost loop: its value where the host broke out with one, or where control goes instead.
    fn passes(&mut self, node: &Loop) -> Result<Option<Tensor>, Flow> {
        let at = self.loops.len() - 1;
        loop {
            self.loops[at].at_head(&mut self.env, |drive, places| drive.head(places));
            let condition = self.loop_condition(node);
            match self.loops[at].at_head(&mut self.env, |drive, places| drive.test(condition, places)) {
                Test::Exit => return Ok(None),
                Test::Again => continue,
                Test::Body => {}
            }
            if let Some(over) = &mut self.loops[at].over {
                (over.item)(&mut self.env);
            }
            let fell = match self.block(&node.body) {
                Flow::Next => true,
                Flow::Out => false,
                Flow::Break(to, value) if to == node.label => return Ok(value),
                Flow::Continue(to) if to == node.label => continue,
                flow => return Err(flow),
            };
            match self.loops[at].at_head(&mut self.env, |drive, places| drive.next(places, fell)) {
                Next::Over => return Ok(None),
                Next::More => {}
                Next::Left => return Err(Flow::Out),
            }
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
