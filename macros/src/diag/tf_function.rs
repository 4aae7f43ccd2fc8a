//! Texts of `#[tf_function]`: what each fault is and what to write instead.
//! The checks of that macro take them from here.

pub const NOT_A_FUNCTION: &str = "`#[tf_function]` goes on a function or method with a body\n\
     help: put it on a `fn`; a struct of tensors derives `Nest`, one of variables derives `Module`";
pub const OPTIONS: &str = "the options are `input_signature = [f32[_, 784]]`, `name = \"..\"`, `max_traces = 8`, \
     `relax_shapes = false` and `crate = path::to::eagerflow`";
pub const NO_TRACES: &str =
    "at least one trace must be kept\nhelp: leave the option out for 32 traces, or write `max_traces = 1`";
pub const EMPTY_NAME: &str = "a traced function has a name\nhelp: leave the option out for the function's own name";
pub const SPEC: &str = "an entry of the signature is a dtype with sizes, such as `f32[_, 784]`\n\
     help: write `_` for a parameter of which nothing is declared, `(f32[_], i32[])` for one of several tensors";
pub const SIZE: &str = "a size of the signature is a number, `_` for any, or a name for any that is the same elsewhere\n\
     help: write `f32[n, 784]`; a scalar is `f32[]`";
pub const ASYNC: &str = "a traced function cannot be `async`: a trace is recorded in one go, on one thread\n\
     help: compute what needs waiting for before, and pass it as a parameter";

pub const CONST: &str = "a traced function cannot be `const`: it is traced while the program runs\n\
     help: leave `const` out";
pub const ABI: &str = "a traced function has Rust's own calling convention\n\
     help: call it from an `extern` function";
pub const VARIADIC: &str = "a traced function cannot take C-variadic arguments\nhelp: take a slice, `&[Tensor]`";
pub const MAIN: &str = "`main` is called once, so a trace of it would never be used again\n\
     help: put `#[tf_function]` on the function that does the work, and call it from `main`";
pub const TEST: &str = "a traced function cannot be a test itself\nhelp: call it from a test";
pub const SELF_BY_VALUE: &str = "a traced method takes `&self` or `&mut self`, so that it can be called again\n\
     help: write `&self`, and clone what the method would consume";
pub const REF_PATTERN: &str = "a parameter cannot be bound by `ref`\nhelp: borrow in the body, `let y = &x;`";
pub const IMPL_RESULT: &str = "the result of a traced function is a type with a name, because each trace keeps one\n\
     help: return tensors, or tuples and lists of them";
pub const NEVER: &str = "a traced function returns: a graph has an end\n\
     help: return the state, and write the endless loop around the call";
pub const ASYNC_BLOCK: &str = "an `async` block would run after the trace has ended\n\
     help: wait for what is needed before the call, and pass it as a parameter";
pub const ASYNC_CLOSURE: &str = "an `async` closure would run after the trace has ended\n\
     help: write a plain closure, and wait for what it needs before the call";
pub const AWAIT: &str = "a traced function cannot wait: a trace is recorded in one go\n\
     help: wait before the call, and pass the value as a parameter";
pub const YIELD: &str = "a traced function cannot `yield`: a graph runs from its beginning to its end\n\
     help: collect the values in a `Vec` and return it";
pub const TRY_BLOCK: &str =
    "a `try` block cannot be traced\nhelp: move it into a closure or function that returns `Result`";
pub const UNKNOWN_SYNTAX: &str = "this syntax cannot be traced\nhelp: move it into a function without `#[tf_function]`";
pub const ASM: &str = "assembly cannot be traced\nhelp: move it into a function without `#[tf_function]`";

pub const EXCLUSIVE_OBJECT: &str = "nothing comes out of a graph into an object whose type is not known\n\
     help: take it by `&`; what changes is a `Variable`, or a parameter of its own: `state: &mut Tensor`";
pub const EXCLUSIVE_TEXT: &str = "a text that is borrowed mutably cannot be kept by the branches that change it\n\
     help: take `&mut String`";

pub fn nested_exclusive(ty: &str) -> String {
    format!(
        "`&mut` inside of a parameter's type: what a call writes is a parameter of its own\n\
         help: take it as `name: &mut {ty}`, or take the value and return the new one"
    )
}

pub fn borrowed_result(ty: &str) -> String {
    format!("the result of a traced function is new, so it cannot be borrowed\nhelp: return `{ty}`")
}

pub fn attribute(name: &str) -> String {
    format!(
        "`#[{name}]` on control flow that may become a graph\n\
         help: put it on the function, or on a statement inside the block"
    )
}

pub fn hidden_jump(word: &str) -> String {
    format!(
        "`{word}` in a macro of the function's own: the macro's text is not seen where it is used\n\
         help: write the jump where the macro is called, or define the macro outside and make it a function"
    )
}

pub fn jump_in_macro(word: &str, name: &str) -> String {
    format!(
        "`{word}` inside of `{name}!`: a traced function must see where control flow goes, and other macros pass \
         through as they are\nhelp: compute the value before, `let value = ..;`, and use it in the macro"
    )
}

pub fn control_in_macro(word: &str, name: &str) -> String {
    format!(
        "`{word}` inside of `{name}!` would stay a host's, whatever its condition is\n\
         help: compute the value before, `let value = {word} ..;`, and use it in the macro"
    )
}

pub fn deferred_in_loop(name: &str) -> String {
    format!(
        "`{name}` gets its first value in a loop that may become part of a graph, which may not run once\n\
         help: give it a value here, or let the loop yield it: `let {name} = loop {{ .. break value; }}`"
    )
}

pub fn closure_changes(closure: &str, variable: &str) -> String {
    format!(
        "`{closure}` changes `{variable}`, which it has captured, in a branch or loop that may become part of a graph: \
         both ways of it are recorded, and the change could not be told apart\n\
         help: pass `{variable}` as a parameter and return its new value: `{variable} = {closure}({variable}, ..)`"
    )
}

pub fn jump_out_of_a_borrow(word: &str, name: &str) -> String {
    format!(
        "this `{word}` leaves a `for` that borrows `{name}`, and `{name}` changes in the loop that it leads to: in a \
         graph the `for` goes on where the jump is not taken\n\
         help: go by index, `for k in 0..{name}.len()`, and write `{name}[k]`"
    )
}

pub fn elements_of_a_borrow(name: &str) -> String {
    format!(
        "this `for` changes elements that it borrows from `{name}`, and a branch of the graph may leave a pass before: \
         an element would have two values\n\
         help: go by index, `for k in 0..{name}.len()`, and write `{name}[k]`; or put the change into the branch"
    )
}

pub const JUMP_OUTSIDE: &str = "this leaves nothing: there is no loop around it, or a closure is between them\n\
     help: `return` leaves a closure with its value; a flag that the closure gives can end the loop";

pub fn option_value(name: &str) -> String {
    format!("`{name}` has no value\nhelp: write `{name} = ..`")
}

pub fn option_twice(name: &str) -> String {
    format!("`{name}` is given twice\nhelp: leave one out")
}

pub fn wrong_value(name: &str) -> String {
    let form = match name {
        "name" => "a text, `name = \"train_step\"`",
        "max_traces" => "a number, `max_traces = 8`",
        "relax_shapes" => "`true` or `false`, `relax_shapes = false`",
        _ => "a list with an entry for each parameter, `input_signature = [f32[_, 784], i32[_]]`",
    };
    format!("this is no value for `{name}`\nhelp: write {form}")
}

pub fn unknown_dtype(word: &str) -> String {
    format!(
        "there is no dtype `{word}`\n\
         help: write one of bool, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64, with sizes: `f32[_, 784]`"
    )
}

pub fn spec_without_sizes(word: &str) -> String {
    format!("`{word}` has no sizes\nhelp: write `{word}[]` for a scalar, `{word}[_]` for one axis of any size")
}

pub fn signature_length(got: usize, params: usize) -> String {
    format!(
        "the signature has {}, the function {}\n\
         help: write an entry for each parameter (`self` aside), `_` for one of which nothing is declared",
        if got == 1 { "1 entry".to_owned() } else { format!("{got} entries") },
        if params == 1 { "1 parameter".to_owned() } else { format!("{params} parameters") },
    )
}

pub fn unknown_option(name: &str) -> String {
    format!("there is no option `{name}`\nhelp: {OPTIONS}")
}
