//! TensorFlow's guide to eager execution, snippet by snippet: `cargo run --release --example guide`.
//! Each function is one section of the guide and prints what its lines compute.

mod basics;
mod custom;
mod gradients;
mod performance;

fn main() {
    basics::hello();
    basics::tensors();
    basics::arrays();
    basics::fizzbuzz(15);
    gradients::tape();
    gradients::linear_model();
    gradients::derivatives();
    custom::line_search();
    custom::clipped_gradients();
    custom::log1pexp();
    performance::matmul_chain();
}

/// The heading of a section.
fn section(title: &str) {
    println!("\n== {title}\n");
}
