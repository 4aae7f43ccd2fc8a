//! Programs that a user of Keras would write, in Rust beside the same ones in Python (`tests/programs/keras`).
//! Each runs small and has to learn; `lines` compares how long they are.

mod dcgan;
mod digits;
mod full;
mod images;
mod lines;
mod lstm;
mod ode_fit;
mod reinforce;
mod transformer;
mod vae;
