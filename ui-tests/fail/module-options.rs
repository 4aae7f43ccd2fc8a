use eagerflow::Module;

#[derive(Module)]
#[module(skip)]
struct Dense {
    #[module(ignore)]
    a: f32,
    #[module(skip, value)]
    b: f32,
    #[module]
    c: f32,
    #[module(crate = eagerflow)]
    d: f32,
    #[module(skip = true)]
    e: f32,
    #[module()]
    f: f32,
}

fn main() {}
