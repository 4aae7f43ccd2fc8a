//! What a module leaves out of its state by `#[module(skip)]`: a cell that a branch or loop of the graph changes would count once, while
//! it is traced, and is refused; of what cannot be looked at a warning says so.

use eagerflow as tf;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use tf::{Module, Tensor, Variable, tf_function};

#[derive(Module)]
struct Counting {
    w: Variable,
    #[module(skip)]
    calls: Cell<usize>,
    #[module(skip)]
    seen: AtomicUsize,
    #[module(skip)]
    list: RefCell<Vec<u32>>,
    #[module(skip)]
    note: &'static str,
}

impl Counting {
    fn new() -> Self {
        let (calls, seen, list) = (Cell::new(0), AtomicUsize::new(0), RefCell::new(Vec::new()));
        Self { w: Variable::new(2.0), calls, seen, list, note: "a note" }
    }

    /// A method like any other: the text of the traced function does not show what it changes.
    fn counted(&self, x: &Tensor) -> Tensor {
        self.calls.set(self.calls.get() + 1);
        x * &self.w
    }

    #[tf_function]
    fn in_a_method(&self, x: &Tensor) -> Tensor {
        let mut y = x.clone();
        while y < 100.0 {
            self.seen.fetch_add(1, Ordering::Relaxed);
            y = y * 2.0;
        }
        y
    }
}

#[derive(Module)]
struct Net {
    layers: Vec<Counting>,
}

#[tf_function]
fn in_a_loop(net: &Net, x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while y < 100.0 {
        y = net.layers[1].counted(&y);
    }
    y
}

#[tf_function]
fn in_a_branch(net: &Counting, x: &Tensor) -> Tensor {
    if x > 1.0 { net.counted(x) } else { x * 3.0 }
}

#[tf_function]
fn in_the_other_branch(net: &Counting, x: &Tensor) -> Tensor {
    if x > 1.0 { x * 3.0 } else { net.counted(x) }
}

#[tf_function]
fn in_a_list(net: &Counting, x: &Tensor) -> Tensor {
    let mut y = x.clone();
    for _ in tf::range(0, 3, 1) {
        net.list.borrow_mut().push(1);
        y = y * 2.0;
    }
    y
}

#[tf_function]
fn outside_of_loops(net: &Counting, x: &Tensor) -> Tensor {
    let mut y = net.counted(x);
    while y < 100.0 {
        y = y * &net.w;
    }
    for _ in 0..3 {
        y = net.counted(&y);
    }
    y
}

trait Layer: Module {
    fn apply(&self, x: &Tensor) -> Tensor;
}

impl Layer for Counting {
    fn apply(&self, x: &Tensor) -> Tensor {
        self.counted(x)
    }
}

#[tf_function]
fn of_an_object(layer: &dyn Layer, x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while y < 100.0 {
        y = layer.apply(&y);
    }
    y
}

fn refused(call: impl FnOnce() -> Tensor) -> String {
    let failed = catch_unwind(AssertUnwindSafe(call)).expect_err("the call is not refused");
    failed.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn cells_that_loops_change() {
    let (net, x) = (Net { layers: vec![Counting::new(), Counting::new()] }, tf::constant(1.0));
    let text = refused(|| in_a_loop(&net, &x));
    for part in
        ["a loop of the graph changes `net.layers.1.calls`", "`#[module(skip)]`", "tf::constant(0)", "left_out.rs:54"]
    {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    // Operation by operation it counts each round.
    let plain = tf::config::with_eager_functions(|| {
        net.layers[1].calls.set(0);
        in_a_loop(&net, &x)
    });
    assert_eq!((plain.item::<f32>(), net.layers[1].calls.get()), (128.0, 7));
    let counting = Counting::new();
    let text = refused(|| of_an_object(&counting, &x));
    assert!(text.contains("a loop of the graph changes `layer.calls`"), "{text}");
    let text = refused(|| counting.in_a_method(&x));
    assert!(text.contains("a loop of the graph changes `self.seen`"), "{text}");
    let text = refused(|| in_a_list(&counting, &x));
    assert!(text.contains("a loop of the graph changes `net.list`"), "{text}");
}

#[test]
fn cells_that_branches_change() {
    let x = tf::constant(1.0);
    for call in [in_a_branch, in_the_other_branch] as [fn(&Counting, &Tensor) -> Tensor; 2] {
        let text = refused(|| call(&Counting::new(), &x));
        assert!(text.contains("a branch of the graph changes `net.calls`"), "{text}");
    }
}

#[test]
fn cells_that_change_elsewhere_are_the_programs_own() {
    let net = Counting::new();
    assert_eq!(net.note, "a note");
    for _ in 0..2 {
        assert_eq!(outside_of_loops(&net, &tf::constant(1.0)).item::<f32>(), 1024.0);
        // Once per trace, as the documentation has it.
        assert_eq!(net.calls.get(), 4);
    }
}

struct Statistics {
    rounds: usize,
}

#[derive(Module)]
struct Unseen {
    w: Variable,
    #[module(skip)]
    statistics: RefCell<Statistics>,
}

impl Unseen {
    fn noted(&self) {
        self.statistics.borrow_mut().rounds += 1;
    }
}

#[tf_function]
fn unseen(net: &Unseen, x: &Tensor) -> Tensor {
    let mut y = x.clone();
    while y < 100.0 {
        net.noted();
        y = y * &net.w;
    }
    y
}

#[test]
fn what_cannot_be_looked_at_is_told_of_once() {
    let net = Unseen { w: Variable::new(2.0), statistics: RefCell::new(Statistics { rounds: 0 }) };
    let run = |net: &Unseen| tf::__testing::captured(|| unseen(net, &tf::constant(1.0)).item::<f32>());
    let (y, text) = run(&net);
    assert_eq!((y, text.matches("warning").count()), (128.0, 1), "{text}");
    assert!(text.contains("`net.statistics`") && text.contains("not in each round"), "{text}");
    assert_eq!(net.statistics.borrow().rounds, 1);
    assert_eq!(run(&net).1, "");
    let other = Unseen { w: Variable::new(2.0), statistics: RefCell::new(Statistics { rounds: 0 }) };
    assert_eq!(run(&other).1, "", "another trace of the same loop");
}
