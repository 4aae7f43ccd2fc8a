//! Texts of `#[model]`: what it refuses, and the way out.
//! Its parse stage takes them from here.

pub const NOT_AN_IMPL: &str = "`#[model]` belongs on the `impl` of a struct, in which `call` is";

pub const OF_A_TRAIT: &str = "`#[model]` belongs on the `impl` of the struct itself, not of a trait\nhelp: it writes the `impl` of `Model` from the method `call`";

pub const NO_CALL: &str = "there is no method `call`\nhelp: write `fn call(&self, x: &Tensor) -> Tensor { .. }`";

pub const RECEIVER: &str =
    "`call` takes `&self`: a model is shared while it is trained, and its variables change in place";

pub const GENERIC: &str =
    "`call` has no parameters of its own, so that its inputs are known\nhelp: put them on the `impl`";

pub const ASYNC: &str = "`call` cannot be async: it is recorded as a graph";

pub const BY_REFERENCE: &str = "`call` takes its inputs by reference, as `x: &Tensor`";

pub const NO_INPUT: &str = "`call` has no input\nhelp: write `fn call(&self, x: &Tensor) -> Tensor { .. }`";

pub const NO_OUTPUT: &str = "`call` has no output\nhelp: write `-> Tensor`, or a tuple or struct of tensors";

pub const IMPL_OUTPUT: &str = "the output of `call` must be named, as `-> Tensor`";

pub const PUBLIC_STEP: &str = "this method becomes one of the trait `Model`, which has no `pub`";

pub const OPTIONS: &str = "the options are `layer` and `crate = path`";
