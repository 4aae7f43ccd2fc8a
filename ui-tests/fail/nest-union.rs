use eagerflow::Nest;

#[derive(Nest)]
union Bits {
    a: f32,
    b: u32,
}

fn main() {}
