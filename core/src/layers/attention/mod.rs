//! Layers of attention: in several heads, in groups of heads, by products and by sums. Keras's `layers.attention`.
//! `scores` has what all of them compute, `attend` how they are called.

mod additive;
mod attend;
mod dot;
mod given;
mod heads;
mod multi_head;
mod projection;
mod scores;

pub use additive::AdditiveAttention;
pub use attend::{Attend, Attended, IntoAttended};
pub use dot::{Attention, IntoScoreMode, ScoreMode};
pub use multi_head::{GroupQueryAttention, MultiHeadAttention};
