//! Options out of range, and names that there are not: refused where they are written, with near names.
//! `main.rs` runs the rows.

use super::{Row, rows};
use eagerflow as tf;
use tf::callbacks::EarlyStopping;
use tf::layers::{Activation, Conv2D, Dense, Dropout, Embedding, LSTM, MaxPooling2D, MultiHeadAttention};
use tf::optim::{Adam, SGD, schedules::ExponentialDecay};
use tf::training::{Compile, Fit};
use tf::{Sequential, Tensor};

fn net() -> Sequential {
    Sequential::new((Dense::new(2),))
}

#[rustfmt::skip]
pub fn rows() -> Vec<Row> {
    rows! {
        "no units": { Dense::try_new(0) } => ["Dense", "`units`", "0", "at least 1"];
        "no recurrent units": { LSTM::try_new(0) } => ["LSTM", "`units`", "0", "at least 1"];
        "no filters": { Conv2D::try_new(0, 3) } => ["Conv2D", "`filters`", "0", "at least 1"];
        "a pool of size 0": { MaxPooling2D::try_new(0) } => ["MaxPooling2D", "0", "positive"];
        "no rows in a table": { Embedding::try_new(0, 4) } => ["Embedding", "`input_dim`", "0", "at least 1"];
        "no heads": { MultiHeadAttention::try_new(0, 4) } => ["MultiHeadAttention", "`num_heads`", "0", "at least 1"];
        "a dropout of 1.5": { Dropout::try_new(1.5) } => ["Dropout", "`rate`", "1.5", "from 0"];
        "a negative learning rate": { Adam::try_new(-0.1) } => ["Adam", "learning_rate", "-0.1"];
        "a momentum of 2": { SGD::new(0.1).try_momentum(2.0) } => ["SGD", "`momentum`", "2", "from 0"];
        "a beta of 1": { Adam::new(0.1).try_beta_1(1.0) } => ["Adam", "`beta_1`", "1", "from 0"];
        "a negative norm": { SGD::new(0.1).try_clipnorm(-1.0) } => ["SGD", "`clipnorm`", "-1", "at least 0"];
        "a decay over no steps": { ExponentialDecay::try_new(0.1, 0, 0.5) } => ["ExponentialDecay", "`decay_steps`", "0"];
        "an unknown activation": { Dense::new(2).try_activation("rellu") } => ["Dense::activation", "\"rellu\"", "\"relu\""];
        "an unknown activation by itself": { Activation::try_new("sigmoidd") } => ["activation", "\"sigmoidd\"", "\"sigmoid\""];
        "an unknown initializer": { Dense::new(2).try_kernel_initializer("glorot_unifrom") } => ["Dense::kernel_initializer", "\"glorot_unifrom\"", "\"glorot_uniform\""];
        "an unknown regularizer": { Dense::new(2).try_kernel_regularizer("l3") } => ["Dense::kernel_regularizer", "\"l3\"", "\"l2\""];
        "an unknown constraint": { Dense::new(2).try_kernel_constraint("maxnorm") } => ["Dense::kernel_constraint", "\"maxnorm\"", "\"max_norm\""];
        "an unknown loss": { net().try_compile(SGD::new(0.1), "mean_squared_eror") } => ["mean_squared_eror", "`mean_squared_error`"];
        "a metric for a loss": { net().try_compile(SGD::new(0.1), "accuracy") } => ["`accuracy` is a metric", "metrics([\"accuracy\"])"];
        "an unknown metric": { net().compile(SGD::new(0.1), "mse").try_metrics(["acuracy"]) } => ["`acuracy`", "`accuracy`"];
        "an unknown optimizer": { tf::optim::try_get("adan") } => ["`adan`", "`adam`"];
        "a batch size of 0": { Fit::<Tensor>::new().try_batch_size(0).map(drop) } => ["fit", "`batch_size`", "0", "at least 1"];
        "no epochs": { Fit::<Tensor>::new().try_epochs(0).map(drop) } => ["fit", "`epochs`", "0", "at least 1"];
        "all examples for the validation": { Fit::<Tensor>::new().try_validation_split(1.0).map(drop) } => ["fit", "`validation_split`", "1", "from 0"];
        "a padding that is none": { Conv2D::new(2, 3).try_padding("smae") } => ["Conv2D", "\"smae\"", "\"same\""];
        "a negative delta": { EarlyStopping::new("loss").try_min_delta(-1.0) } => ["EarlyStopping", "`min_delta`", "-1"];
    }
}

#[test]
fn each_message_says_what_it_must() {
    super::check(&rows());
}
