//! The networks, from a line to an LSTM. All take the days before, `[batch, hours, features]`, and answer the day to come, `[batch, 24]`.
//! Beside them stands the forecast without a network: tomorrow is like today.

use crate::data::DAY;
use eagerflow as tf;
use tf::layers::{Conv1D, Dense, Flatten, LSTM};
use tf::{Sequential, Tensor};

/// The last day that is seen, once more.
pub fn yesterday(seen: &Tensor) -> Tensor {
    seen.at(tf::s![.., -(DAY as isize).., 0])
}

/// The networks with their names.
pub fn networks() -> Vec<(&'static str, Sequential)> {
    vec![
        ("linear", Sequential::new((Flatten::new(), Dense::new(DAY)))),
        (
            "dense",
            Sequential::new((
                Flatten::new(),
                Dense::new(64).activation("relu"),
                Dense::new(64).activation("relu"),
                Dense::new(DAY),
            )),
        ),
        (
            "convolution",
            Sequential::new((
                Conv1D::new(32, 7).activation("relu"),
                Conv1D::new(32, 7).strides(3).activation("relu"),
                Flatten::new(),
                Dense::new(DAY),
            )),
        ),
        ("lstm", Sequential::new((LSTM::new(48), Dense::new(DAY)))),
    ]
}
