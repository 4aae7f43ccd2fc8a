//! Loops of a program through the protocol: the driver, what a `for` goes over, and the two lists of state.

use super::super::program::*;
use super::super::values::Env;
use super::places::table;
use super::{Flow, Tracer};
use eagerflow::__rt::autograph::tiers::*;
use eagerflow::__rt::autograph::{self as rt, Cond as Decision, Next, Place, Slot, Test, While};
use eagerflow::Tensor;
use std::cell::RefCell;
use std::rc::Rc;

/// A loop around.
pub struct Open {
    pub label: Label,
    head: Mask,
    pub after: Mask,
    pub drive: While<Tensor>,
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

impl Open {
    /// Calls the loop with the places of its head.
    pub fn at_head<R>(&mut self, env: &mut Env, call: impl FnOnce(&mut While<Tensor>, &mut [Place<'_>]) -> R) -> R {
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

impl Tracer<'_, '_> {
    pub fn breaks(&mut self, label: Label, value: Option<&Scalar>) -> Flow {
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

    fn over(&mut self, node: &Loop) -> Option<Over> {
        let label = node.label;
        match &node.kind {
            LoopKind::For { limit } => {
                let end = limit.unwrap_or(self.env.inputs.n);
                Some(over!(0..end, |item, env| env.hosts[label] = item))
            }
            kind => {
                let tensor = self.env.over(kind)?;
                Some(over!(tensor, |item, env| env.rows[label] = Some(item)))
            }
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
            LoopKind::For { .. } | LoopKind::Rows(_) | LoopKind::Matrix(..) | LoopKind::Range(_) => {
                let over = self.loops.last_mut().and_then(|open| open.over.as_mut());
                (over.expect("a `for` goes over something").advance)()
            }
        }
    }

    pub fn looped(&mut self, node: &Loop) -> Flow {
        let label = node.label;
        self.env.counters[label] = eagerflow::constant(0);
        self.env.hosts[label] = 0;
        let over = self.over(node);
        let bounded = !matches!(node.kind, LoopKind::Endless);
        let drive = While::new(Slot::<Tensor>::new(), pushed(&node.body), bounded);
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

/// The lists that a loop pushes onto.
fn pushed(body: &Block) -> &'static [&'static str] {
    let (mut all, mut parts) = (false, false);
    walk(body, &mut |stmt| match stmt {
        Stmt::Push(_) | Stmt::Extend(..) | Stmt::Clear(_) => all = true,
        Stmt::PushPart(_) => parts = true,
        _ => {}
    });
    match (all, parts) {
        (true, true) => &["all", "parts"],
        (true, false) => &["all"],
        (false, true) => &["parts"],
        (false, false) => &[],
    }
}
