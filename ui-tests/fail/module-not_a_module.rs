use eagerflow::{Module, Variable};

struct Settings;

#[derive(Module)]
struct Dense {
    kernel: Variable,
    settings: Settings,
    names: Vec<Option<Settings>>,
}

fn main() {}
