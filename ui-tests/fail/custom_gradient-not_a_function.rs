use eagerflow::custom_gradient;

#[custom_gradient]
struct Double;

fn main() {}
