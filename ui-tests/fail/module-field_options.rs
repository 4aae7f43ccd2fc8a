use eagerflow::{Module, Variable};

#[derive(Module)]
struct Names {
    #[module(skip, name = "a")]
    a: Variable,
    #[module(value, renamed_from = "z")]
    b: u8,
    #[module(name = "")]
    c: Variable,
    #[module(name = "/")]
    d: Variable,
    #[module(renamed_from = "e//f")]
    e: Variable,
    #[module(name = "g")]
    f: Variable,
    g: Variable,
    #[module(name = "i", name = "j")]
    h: Variable,
}

#[derive(Module)]
struct Former {
    #[module(renamed_from = "a")]
    a: Variable,
    #[module(renamed_from = "c")]
    b: Variable,
    #[module(renamed_from = "x", renamed_from = "x")]
    c: Variable,
    #[module(renamed_from = "x")]
    d: Variable,
    #[module(renamed_from = "")]
    e: Variable,
    #[module(renamed_from = "f", name = "f")]
    g: Variable,
}

#[derive(Module)]
enum Training {
    One(#[module(value, not_trainable)] u8),
    Two {
        #[module(not_trainable, skip)]
        a: Variable,
        #[module(not_trainable, not_trainable)]
        b: Variable,
    },
    #[module(not_trainable)]
    Three(#[module(name = 3)] Variable, #[module(name)] Variable, #[module(not_trainable = true)] Variable),
    Four(Variable, #[module(name = "0")] Variable),
}

fn main() {}
