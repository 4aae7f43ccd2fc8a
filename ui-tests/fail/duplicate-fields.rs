use eagerflow::{Duplicate, Module};

struct Log;

#[derive(Module, Duplicate)]
struct Net {
    #[module(skip)]
    log: Log,
    #[duplicate(clone)]
    rate: f32,
    #[duplicate]
    steps: u64,
}

#[derive(Duplicate)]
struct NoCopy {
    log: Log,
    #[module(skip)]
    skipped: Log,
    #[duplicate(default)]
    fresh: Log,
}

#[derive(Duplicate)]
union Both {
    a: u8,
    b: u32,
}

fn main() {}
