//! Recurrent layers: cells, which make one step, and layers that go over sequences with them. Keras's `layers.rnn`.
//! Each cell has a file with its layer; the loop, the options and the calls with states are written once.

mod bidirectional;
mod cell;
mod conv_lstm;
mod gated;
mod gates;
mod gru;
mod lstm;
mod one_step;
mod options;
mod recurrence;
mod rnn;
mod simple_rnn;
mod stacked;
mod steps;
mod time_distributed;
mod with_state;

pub use bidirectional::{Bidirectional, IntoMergeMode, MergeMode};
pub use cell::{Begun, Cell, SharedCell, Steps};
pub use conv_lstm::{ConvLSTM1D, ConvLSTM2D, ConvLSTM3D, IntoEach};
pub use gru::{GRU, GRUCell};
pub use lstm::{LSTM, LSTMCell};
pub use recurrence::Recurrence;
pub use rnn::{IntoCell, RNN, Recurrent, SharedRecurrent};
pub use simple_rnn::{SimpleRNN, SimpleRNNCell};
pub use stacked::{IntoCells, StackedRNNCells};
pub use time_distributed::TimeDistributed;
pub use with_state::{Sequence, States};
