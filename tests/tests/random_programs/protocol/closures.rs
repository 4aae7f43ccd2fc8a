//! Closures of a program through the protocol: a body of their own, with a branch, a `return` or a loop in it.

use super::super::program::*;
use super::Tracer;
use super::places::table;
use eagerflow::__rt::autograph::{self as rt, End, Fun, If as Branch, Logic, Next, Slot, Test, While};
use eagerflow::Tensor;

impl Tracer<'_, '_> {
    /// Calls a closure.
    pub fn closure(&mut self, node: &Closure, value: Tensor) -> Tensor {
        let fun = Fun::closure(Slot::<Tensor>::new(), table::<Tensor>());
        self.env.arg = value;
        match node.form {
            Form::Choose => {
                let value = self.chosen(node);
                fun.finish(value)
            }
            Form::Return => self.returned(node, fun),
            Form::Repeat => {
                self.repeated(node);
                let value = self.env.scalar(&node.second);
                fun.finish(value)
            }
        }
    }

    fn chosen(&mut self, node: &Closure) -> Tensor {
        let cond = rt::condition(&self.env.truth(&node.cond));
        let mut branch = Branch::new(Slot::<Tensor>::new(), cond, &[], &[]);
        if branch.then() {
            let value = self.env.scalar(&node.first);
            if let End::Done(value) = branch.end_then(value, table::<Tensor>(), &mut []) {
                return value;
            }
        }
        branch.otherwise();
        let value = self.env.scalar(&node.second);
        match branch.end_else(value, table::<Tensor>(), &mut []) {
            End::Done(value) => value,
            End::Back(_) => unreachable!("no branch jumps"),
        }
    }

    fn returned(&mut self, node: &Closure, mut fun: Fun<'_, Tensor>) -> Tensor {
        let cond = rt::condition(&self.env.truth(&node.cond));
        let mut branch = Branch::new(Slot::<()>::new(), cond, &[], &[]);
        if branch.then() {
            if let Some(value) = fun.ret(self.env.scalar(&node.first)) {
                return value;
            }
            if branch.left_then(&mut []) {
                return fun.finish_left();
            }
        }
        branch.otherwise();
        match branch.end_else((), table::<()>(), &mut []) {
            End::Done(()) => fun.finish(self.env.scalar(&node.second)),
            End::Back(_) => fun.finish_left(),
        }
    }

    /// Twice at most, while the condition holds.
    fn repeated(&mut self, node: &Closure) {
        let mut times = eagerflow::constant(0);
        let mut drive = While::new(Slot::<()>::new(), &[], true);
        macro_rules! head {
            () => {
                &mut [
                    rt::place("t", &mut self.env.arg, table::<Tensor>()),
                    rt::place("times", &mut times, table::<Tensor>()),
                ]
            };
        }
        loop {
            drive.head(head!());
            let mut logic: Logic<Tensor> = Logic::and(&eagerflow::less(&times, 2));
            let holds = match logic.open() {
                true => logic.close(&self.env.truth(&node.cond)),
                false => logic.short(),
            };
            match drive.test(rt::condition(&holds), head!()) {
                Test::Exit => break,
                Test::Again => continue,
                Test::Body => {}
            }
            self.env.arg = self.env.scalar(&node.first);
            times = times + 1;
            match drive.next(head!(), true) {
                Next::More => {}
                Next::Over => break,
                Next::Left => unreachable!("nothing jumps"),
            }
        }
        drive.after(&mut [rt::place("t", &mut self.env.arg, table::<Tensor>())]);
    }
}
