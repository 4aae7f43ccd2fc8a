use eagerflow::Module;

#[derive(Module)]
union Either {
    a: f32,
    b: u32,
}

fn main() {}
