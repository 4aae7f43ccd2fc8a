use eagerflow::{Module, Variable};

struct Settings;

#[derive(Module)]
struct Dense {
    kernel: Variable,
    #[module(value)]
    settings: Settings,
}

fn main() {}
