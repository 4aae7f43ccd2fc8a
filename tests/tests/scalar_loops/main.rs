//! Loops over numbers: the program over registers gives to the last bit what the loop gives operation by operation, forward
//! and backward, and takes time in proportion to its rounds.

mod by_hand;
mod growth;
mod random;
mod support;
