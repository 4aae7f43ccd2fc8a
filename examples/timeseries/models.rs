//! The networks, from a line to an LSTM. All take the days before, `[batch, hours, features]`, and answer the day to come, `[batch, 24]`.
//! Beside them stands the forecast without a network: tomorrow is like today.

use crate::data::{DAY, FEATURES};
use eagerflow as tf;
use tf::layers::{Conv1D, Dense, Flatten, LSTM, Lambda};
use tf::{Functional, Sequential, Tensor};

/// The last day that is seen, once more.
pub fn yesterday(seen: &Tensor) -> Tensor {
    seen.at(tf::s![.., -(DAY as isize).., 0])
}

/// The networks with their names.
pub fn networks() -> Vec<(&'static str, Sequential)> {
    vec![
        ("linear", Sequential::new((Flatten::new(), Dense::new(DAY)))),
        ("dense", dense()),
        ("convolution", convolution()),
        ("lstm", Sequential::new((LSTM::new(64), Dense::new(DAY)))),
        ("lstm beside", Sequential::new((lstm_beside_yesterday(),))),
    ]
}

fn dense() -> Sequential {
    Sequential::new((
        Flatten::new(),
        Dense::new(64).activation("relu"),
        Dense::new(64).activation("relu"),
        Dense::new(DAY),
    ))
}

/// Two convolutions over the hours; the second goes on by three hours at a time.
fn convolution() -> Sequential {
    Sequential::new((
        Conv1D::new(32, 7).activation("relu"),
        Conv1D::new(32, 7).strides(3).activation("relu"),
        Flatten::new(),
        Dense::new(DAY),
    ))
}

/// An LSTM that says by how much tomorrow differs from today, at first by nothing: the residual network of the tutorial.
fn lstm_beside_yesterday() -> Functional {
    let seen = tf::input([None, Some(FEATURES)]);
    let change = Dense::new(DAY).kernel_initializer("zeros").call(LSTM::new(64).call(&seen));
    Functional::new(&seen, &(Lambda::new(yesterday).call(&seen) + change))
}
