//! Writes a program as Rust: for reading where it fails, and to be compiled under `#[tf_function]` by the test of sources.

use super::borrowed::borrowed;
use super::counted::{AGREES, BEGIN, COUNTS, counting};
use super::program::*;
use super::spelling::{cond, integer, lent, operand, returned, scalar, truth, vector};
use std::fmt::Write;

/// All functions of a program; the first is called `name`, the others `name_1` and so on.
pub fn source(program: &Program, name: &str, attribute: &str) -> String {
    let mut text = String::new();
    for (index, body) in program.bodies.iter().enumerate().rev() {
        let own = if index == 0 { name.to_owned() } else { format!("{name}_{index}") };
        let counting = if index == 0 { counting(program) } else { Vec::new() };
        let mut writer = Writer { text: String::new(), depth: 1, name, counting, written: 0 };
        writer.body(body);
        let _ = write!(
            text,
            "{attribute}pub fn {own}(training: bool, n: i32, x: &Tensor, y: &Tensor, j: &Tensor, w: &Variable, \
             log: &Variable, generator: &Generator) -> Vec<Tensor> {{\n{}}}\n",
            writer.text
        );
    }
    text
}

struct Writer<'n> {
    text: String,
    depth: usize,
    name: &'n str,
    /// The statements that count, by number, and how many were written.
    counting: Vec<usize>,
    written: usize,
}

const PROLOGUE: &str = "let mut a = x.clone();
let mut b = x * 0.5;
let mut c = tf::constant(0.25f32);
let mut u = y.clone();
let mut v = y * 0.5;
let mut k = j.clone();
let mut m = tf::constant(1);
let mut p = true;
let mut q = false;
let mut list = vec![x.clone(), tf::constant(0.5f32)];
let mut pair = (tf::constant(1.0f32), x.clone());
let mut array = tf::TensorArray::new(tf::DType::F32, 4).element_shape(());
let mut all = vec![tf::constant(0.5f32)];
let mut parts = vec![y.clone()];";

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    fn body(&mut self, body: &Body) {
        let counts = !self.counting.is_empty();
        PROLOGUE.lines().chain(BEGIN.lines().filter(|_| counts)).for_each(|line| self.line(line));
        self.block(&body.block);
        // A `bool` must be the same on all ways, and `assert!` of one is Rust's own; so where there is such, both are told to be
        // tensors: last, where rustc learns it late.
        let text = format!("{:?}", body.block);
        if text.contains("Assert(Var") || text.contains("SetTruth(") {
            self.line("if n > 1000 { p = x > 1.0e30f32; q = p; }");
        }
        self.agrees();
        let result = returned(&body.result);
        self.line(&result);
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn inside(&mut self, block: &Block) {
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    /// The host's counter and the tensor must be the same where the function returns.
    fn agrees(&mut self) {
        if !self.counting.is_empty() {
            self.line(AGREES);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if self.counting.contains(&self.written) {
            self.line(COUNTS);
        }
        self.written += 1;
        let line = match stmt {
            Stmt::SetScalar(var, x) => format!("{} = {};", NAMES[*var], scalar(x)),
            Stmt::SetVector(var, x) => format!("{} = {};", NAMES[*var], vector(x)),
            Stmt::SetInteger(var, x) => format!("{} = {};", NAMES[*var], integer(x)),
            Stmt::SetTruth(var, x) => format!("{} = {};", NAMES[*var], truth(x)),
            Stmt::SetItem(index, x) => format!("list[{index}] = {};", scalar(x)),
            Stmt::SetPair(index, x) => format!("pair.{index} = {};", scalar(x)),
            Stmt::Push(x) => format!("all.push({});", scalar(x)),
            Stmt::Extend(x, y) => format!("all.extend([{}, {}]);", scalar(x), scalar(y)),
            Stmt::Renew(x) => format!("all = vec![{}];", scalar(x)),
            Stmt::Clear(x) => {
                self.line(&format!("let item = {};", scalar(x)));
                self.line("all.clear();");
                "all.push(item);".to_owned()
            }
            Stmt::PushPart(x) => format!("parts.push({});", vector(x)),
            Stmt::Write(index, x) => {
                let (index, item) = (integer(index), lent(x));
                match item.contains("array") {
                    // Writing moves the array.
                    true => {
                        self.line(&format!("let item = {item};"));
                        format!("array = array.write(&tf::floormod({index}, {ITEMS}), item);")
                    }
                    false => format!("array = array.write(&tf::floormod({index}, {ITEMS}), {item});"),
                }
            }
            Stmt::Print(number, x) => format!("println!(\"p{number} {{}}\", {});", scalar(x)),
            Stmt::Count(label) => format!("c{label} = &c{label} + 1;"),
            Stmt::HostCount(label) => format!("i{label} += 1;"),
            Stmt::Break(label, value) => {
                format!("break 'l{label}{};", value.as_ref().map_or(String::new(), |v| format!(" {}", scalar(v))))
            }
            Stmt::Continue(label) => format!("continue 'l{label};"),
            Stmt::Return(value) => {
                self.agrees();
                format!("return {};", returned(value))
            }
            Stmt::AddToVariable(x) => format!("w.assign_add({});", scalar(x)),
            Stmt::Log(x) => format!("log.assign(log.value() * 0.75 + {});", scalar(x)),
            Stmt::Assert(x) => format!("assert!({});", truth(x)),
            Stmt::Draw(var) => format!("{} = generator.uniform((), -1.0, 1.0);", NAMES[*var]),
            Stmt::Call(var, index, x) => {
                let name = self.name;
                let call = format!("{name}_{index}(training, n, &{}, y, j, w, log, generator)", scalar(x));
                format!("{} = {call}.remove(0);", NAMES[*var])
            }
            Stmt::Taped(node) => return self.taped(node),
            Stmt::Match(node) => return self.matched(node),
            Stmt::Closure(node) => return self.closure(node),
            Stmt::If(_) | Stmt::Loop(_) => return self.construct(stmt),
        };
        self.line(&line);
    }

    fn construct(&mut self, stmt: &Stmt) {
        let before = std::mem::take(&mut self.text);
        match stmt {
            Stmt::If(node) => self.branch(node),
            Stmt::Loop(node) => self.looped(node),
            _ => {}
        }
        let text = std::mem::replace(&mut self.text, before);
        self.text += &borrowed(text, self.depth);
    }

    fn branch(&mut self, node: &If) {
        // Every other value comes by way of a variable that both branches set.
        let goes_on = !jumps(&node.then) || node.other.as_ref().is_some_and(|other| !jumps(other));
        let late = node.value.is_some() && goes_on && node.then.len().is_multiple_of(2);
        let name = format!("late{}", self.depth);
        // Where a branch jumps, the value stands beside an operand that names what the jump takes along.
        // Rust lends only what the branches leave as it is.
        let assigned = format!("{:?}{:?}", node.then, node.other).contains("SetTruth(7");
        let beside =
            node.value.is_some() && !late && !assigned && (jumps(&node.then) || node.other.as_ref().is_some_and(jumps));
        let (open, close) = if beside { ("last(&p, ", "});") } else { ("", "};") };
        let assign = node.value.as_ref().map_or(String::new(), |(var, ..)| format!("{} = {open}", NAMES[*var]));
        let (values, before) = match &node.value {
            None => ([None, None], ""),
            Some((_, x, y)) if late => ([x, y].map(|v| Some(format!("{name} = {};", scalar(v)))), ""),
            Some((_, x, y)) => ([x, y].map(|v| Some(scalar(v))), &assign[..]),
        };
        if late {
            self.line(&format!("let {name};"));
        }
        self.line(&format!("{before}if {} {{", cond(&node.cond)));
        self.inside(&node.then);
        self.value(&node.then, values[0].as_deref());
        if let Some(other) = &node.other {
            self.line("} else {");
            self.inside(other);
            self.value(other, values[1].as_deref());
        }
        self.line(if before.is_empty() { "}" } else { close });
        if late {
            self.line(&format!("{assign}{name};"));
        }
    }

    /// The value of a block, which one that ends in a jump does not come to.
    fn value(&mut self, block: &Block, value: Option<&str>) {
        if let (Some(value), false) = (value, jumps(block)) {
            self.line(&format!("    {value}"));
        }
    }

    fn taped(&mut self, node: &Taped) {
        self.line(&format!("{} = {{", NAMES[node.target]));
        self.depth += 1;
        if let Some(var) = node.source {
            self.line(&format!("{0} = tf::identity(&{0});", NAMES[var]));
            self.line(&format!("let start = {}.clone();", NAMES[var]));
        }
        self.line("let mut tape = tf::GradientTape::new();");
        if node.source.is_some() {
            self.line("tape.watch(&start);");
        }
        self.block(&node.block);
        if !jumps(&node.block) {
            let source = node.source.map_or("w", |_| "&start");
            self.line(&format!("let value = {};", scalar(&node.value)));
            self.line(&format!(
                "tape.gradient_or_none(&value, {source}).unwrap_or_else(|| tf::constant(0.0f32)) + 0.0"
            ));
        }
        self.depth -= 1;
        self.line("};");
    }

    fn matched(&mut self, node: &Match) {
        let on = node.on.map_or("n".to_owned(), |label| format!("i{label}"));
        self.line(&format!("match {on} {{"));
        self.depth += 1;
        for (pattern, arm) in ["0 | 1", "2 if training", "_"].iter().zip(&node.arms) {
            self.line(&format!("{pattern} => {{"));
            self.inside(arm);
            self.line("}");
        }
        self.depth -= 1;
        self.line("}");
    }

    fn closure(&mut self, node: &Closure) {
        let (test, first, second) = (truth(&node.cond), scalar(&node.first), scalar(&node.second));
        self.line(&format!("{} = {{", NAMES[node.target]));
        self.depth += 1;
        self.line("let f = |t: Tensor| {");
        let body = match node.form {
            Form::Choose => format!("    if {test} {{\n{first}\n}} else {{\n{second}\n}}"),
            Form::Return => format!("    if {test} {{\nreturn {first};\n}}\n{second}"),
            Form::Repeat => format!(
                "    let mut t = t;\nlet mut times = tf::constant(0);\nwhile &times < 2 && {test} {{\n\
                 t = {first};\ntimes = times + 1;\n}}\n{second}"
            ),
        };
        body.lines().for_each(|line| self.line(line));
        self.line("};");
        let argument = scalar(&node.argument);
        self.line(&if node.calls > 1 { format!("f(f({argument}))") } else { format!("f({argument})") });
        self.depth -= 1;
        self.line("};");
    }

    fn looped(&mut self, node: &Loop) {
        let l = node.label;
        if node.has_counter() {
            self.line(&format!("let mut c{l} = tf::constant(0);"));
        }
        let head = match &node.kind {
            LoopKind::While { limit, also: None } => format!("while c{l} < {}", integer(limit)),
            LoopKind::While { limit, also: Some(also) } => {
                format!("while c{l} < {} && {}", integer(limit), operand(also))
            }
            LoopKind::HostWhile { limit } => {
                self.line(&format!("let mut i{l} = 0;"));
                format!("while i{l} < {limit}")
            }
            LoopKind::For { limit: Some(limit) } => format!("for i{l} in 0..{limit}"),
            LoopKind::For { limit: None } => format!("for i{l} in 0..n"),
            LoopKind::Rows(x) => format!("for r{l} in &{}", vector(x)),
            LoopKind::Matrix(x, y) => format!("for r{l} in &tf::stack(&[&{}, &{}], 0)", vector(x), vector(y)),
            LoopKind::Range(limit) => format!("for r{l} in tf::range(0, {}, 1)", integer(limit)),
            LoopKind::Endless => "loop".to_owned(),
        };
        let assign = node.target.map_or(String::new(), |var| format!("{} = ", NAMES[var]));
        self.line(&format!("{assign}'l{l}: {head} {{"));
        self.inside(&node.body);
        self.line(if node.target.is_some() { "};" } else { "}" });
    }
}

/// Whether a text jumps to a label that it has not.
pub fn jumps_out(text: &str) -> bool {
    let label = |rest: &str| rest.split([' ', ';']).next().map(|label| format!("{label}:"));
    let jumps = ["break ", "continue "].into_iter().flat_map(|word| text.split(word).skip(1));
    jumps.filter_map(label).any(|label| !text.contains(&label))
}

/// Whether a block ends in a jump, so that nothing comes to its end.
fn jumps(block: &Block) -> bool {
    matches!(block.last(), Some(Stmt::Break(..) | Stmt::Continue(_) | Stmt::Return(_)))
}
