//! Text from a trained network, character by character. One graph draws the next character whatever the length of the text is:
//! it takes a window of fixed size, and the causal mask hides what lies behind the last character.

use crate::model::Gpt;
use eagerflow as tf;
use tf::{Tensor, tf_function};

/// How characters are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// Below 1 the likely ones are drawn more often, above 1 less often.
    pub temperature: f32,
    /// How many of the likeliest are drawn from.
    pub top_k: usize,
}

/// A code drawn from those that are likely behind the place `last` of a window `[1, context]`.
#[tf_function]
pub fn next(model: &Gpt, window: &Tensor, last: &Tensor, temperature: &Tensor, top_k: usize) -> Tensor {
    let logits = model.call(window).at(tf::s![0, ..]).at(last) / temperature;
    let (likeliest, codes) = tf::top_k(&logits, top_k, true);
    let drawn = tf::random::categorical(likeliest.expand_dims(0), 1);
    tf::gather(&codes, drawn.squeeze(()), 0)
}

/// Goes on from a prompt for `length` characters and tells each.
pub fn sample(model: &Gpt, context: usize, prompt: &[i32], length: usize, how: Drawing, mut tell: impl FnMut(i32)) {
    let (mut codes, temperature) = (prompt.to_vec(), tf::constant(how.temperature));
    for _ in 0..length {
        let seen = codes.len().min(context);
        let mut window = codes[codes.len() - seen..].to_vec();
        window.resize(context, 0);
        let window = tf::constant(window).expand_dims(0);
        let code = next(model, &window, &tf::constant(seen as i32 - 1), &temperature, how.top_k).item::<i32>();
        codes.push(code);
        tell(code);
    }
}
