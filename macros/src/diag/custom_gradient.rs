//! Texts of `#[custom_gradient]`: what each fault is and what to write instead.
//! The checks of that macro take them from here.

pub const NOT_A_FUNCTION: &str = "`#[custom_gradient]` goes on a function or method with a body\n\
     help: put it on the `fn` that computes the value";
pub const OPTIONS: &str =
    "the only option is `crate = path::to::eagerflow`\nhelp: write `#[custom_gradient]`, or name the crate";
pub const ASYNC: &str = "a custom gradient function cannot be `async`: tapes belong to one thread\n\
     help: compute what needs waiting for before, and pass it as a parameter";
pub const CONST: &str = "a custom gradient function cannot be `const`: it runs tensor operations\n\
     help: leave `const` out";
pub const VARIADIC: &str = "a custom gradient function cannot take C-variadic arguments\n\
     help: take a slice, `&[Tensor]`";
pub const SELF_BY_VALUE: &str = "a custom gradient method takes `&self` (or `&mut self`), not `self` by value\n\
     help: the closure gets what it needs by cloning it from `&self`";
pub const NO_PARAMETER: &str = "a custom gradient function needs a differentiable parameter: one whose type names `Tensor` or `Variable`\n\
     help: mark a generic parameter with `#[differentiable]`; pass a variable as `&Variable`";
pub const PATTERN: &str = "a differentiable parameter is a plain name\nhelp: take it apart in the body";
pub const BOTH_MARKS: &str = "a parameter is either `#[differentiable]` or `#[host]`\nhelp: leave one of the marks out";
pub const MARK_OPTIONS: &str = "this mark takes no options\nhelp: write `#[differentiable]` or `#[host]`";
pub const NO_OUTPUT: &str =
    "a custom gradient function returns tensors\nhelp: write `-> Tensor`, the type that callers see";
pub const NO_CLOSURE: &str = "the gradient closure is missing\n\
     help: end the body with a pair `(outputs, move |dy: &Tensor| ...)`";
pub const NO_OUTPUT_VALUE: &str = "the outputs are missing: this is a closure alone\n\
     help: end the body with a pair `(outputs, move |dy: &Tensor| ...)`";
pub const EMPTY: &str = "the body yields nothing\n\
     help: end it, without a semicolon, with a pair `(outputs, move |dy: &Tensor| ...)`";
pub const NOT_OK: &str = "the function returns a `Result`, and its body ends with a pair alone\n\
     help: end it with `Ok((outputs, closure))`";
pub const CLOSURE_SELF: &str = "the gradient closure outlives the call, so it cannot use `self`\n\
     help: clone what it needs before: `let w = self.w.clone();`";
pub const CLOSURE_ASYNC: &str =
    "the gradient closure cannot be `async`\nhelp: compute what needs waiting for before, and let the closure use it";

pub fn not_a_tensor(ty: &str) -> String {
    format!(
        "a custom gradient function returns tensors, not `{ty}`\n\
         help: return a `Tensor`, a tuple or array of them, a `Vec<Tensor>`, or a `Result` of one of these"
    )
}

pub fn pair_length(got: usize) -> String {
    format!(
        "the body yields a pair of outputs and gradient closure, this has {got} parts\n\
         help: several outputs are a tuple of their own: `((a, b), closure)`"
    )
}

pub fn closure_arguments(got: usize, outputs: usize) -> String {
    format!(
        "the gradient closure takes one argument per output: the function has {}, the closure takes {got}\n\
         help: write {}",
        counted(outputs, "output"),
        if outputs == 1 { "`|dy: &Tensor|`" } else { "one `&Tensor` for each: `|da: &Tensor, db: &Tensor|`" },
    )
}

pub fn closure_list_argument(got: usize) -> String {
    format!(
        "the gradient closure of a function that returns a list takes one argument, `dys: &[Tensor]`; \
         it takes {got}\nhelp: write `|dys: &[Tensor]|`"
    )
}

pub fn cotangents(got: usize, names: &[String]) -> String {
    let listed: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    format!(
        "wrong number of cotangents: the function has {} ({}), the closure returns {got}\n\
         help: `()` or `None` stands for no gradient; cotangents of variables are one list after the others",
        counted(names.len(), "differentiable parameter"),
        listed.join(", "),
    )
}

pub fn too_many_outputs(got: usize, most: usize) -> String {
    format!("{got} outputs in a tuple are too many, the most are {most}\nhelp: return a `Vec<Tensor>`")
}

pub fn too_many_parameters(got: usize, most: usize) -> String {
    format!("{got} differentiable parameters are too many, the most are {most}\nhelp: pass some as `&[Tensor]`")
}

pub fn mutable(name: &str) -> String {
    format!(
        "the gradient closure outlives the call, so it cannot use `{name}`, which is borrowed mutably\n\
         help: clone what it needs before the closure"
    )
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
