//! Recurrent layers and their cells against Keras: each option, masks, states, both directions, and convolutions.
//! `recurrent_facts` has what no numbers of Keras tell: what is dropped, what is kept from call to call, and mistakes.

use crate::layer_rows::check;
use crate::numbers::{file, near, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::layers::{
    Bidirectional, Call, Cell, Conv2D, ConvLSTM1D, ConvLSTM2D, ConvLSTM3D, Dense, GRU, GRUCell, LSTM, LSTMCell, Layer,
    MergeMode, Outputs, RNN, SimpleRNN, SimpleRNNCell, StackedRNNCells, TimeDistributed,
};
use tf::{DataFormat, Duplicate, Module, Padding, Result, Tensor};

/// Float32 numbers, of which the file has seven digits.
const NEAR: f64 = 4e-6;

/// A layer that is called with a mask.
#[derive(Clone, Module, Duplicate)]
struct Masked<L> {
    layer: L,
    mask: Tensor,
}

impl<L: Layer + Clone + Duplicate + 'static> Layer for Masked<L> {
    fn layer_name(&self) -> &str {
        self.layer.layer_name()
    }

    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let layer: &dyn Layer = &self.layer;
        layer.try_call_all(inputs, &cx.clone().mask(self.mask.clone()))
    }
}

fn masked<L>(layer: L) -> Masked<L> {
    Masked { layer, mask: tf::constant([[true, true, false, true], [false, true, true, false]]) }
}

/// A cell as a layer of its input and states.
#[derive(Clone, Module, Duplicate)]
struct Once<C>(C);

impl<C: Cell + Clone + Duplicate + 'static> Layer for Once<C> {
    fn layer_name(&self) -> &str {
        self.0.cell_name()
    }

    fn forward(&self, inputs: &[Tensor], cx: &Call) -> Result<Outputs> {
        let (output, states) = self.0.step(&inputs[0], &inputs[1..], cx)?;
        Ok(Outputs::many(std::iter::once(output).chain(states)))
    }
}

/// The rows that the three layers with gates have in common.
macro_rules! common {
    ($test:ident, $new:expr, $name:literal) => {
        #[test]
        fn $test() {
            let rows = file("layers_recurrent");
            let row = |end: &str| &rows[format!("{}{end}", $name)];
            let new = || $new;
            let all = || new().return_sequences(true).return_state(true);
            check(row(""), $name, &new(), NEAR);
            check(row("_all"), "all", &all(), NEAR);
            check(row("_relu"), "relu", &new().activation("relu"), NEAR);
            check(row("_bare"), "bare", &new().use_bias(false), NEAR);
            check(row("_backwards"), "backwards", &all().go_backwards(true), NEAR);
            check(row("_unrolled"), "unrolled", &new().unroll(true).return_sequences(true), NEAR);
            check(row("_masked"), "masked", &masked(all()), NEAR);
            check(row("_masked_last"), "masked_last", &masked(new().return_state(true)), NEAR);
            check(row("_masked_unrolled"), "masked_unrolled", &masked(all().unroll(true)), NEAR);
            let backwards = new().go_backwards(true).return_sequences(true);
            check(row("_masked_backwards"), "masked_backwards", &masked(backwards), NEAR);
            check(row("_masked_zeros"), "masked_zeros", &masked(all().zero_output_for_mask(true)), NEAR);
            check(row("_masked_zeros_last"), "masked_zeros_last", &masked(new().zero_output_for_mask(true)), NEAR);
            check(row("_from"), "from", &all(), NEAR);
            check(row("_drops_used"), "drops_used", &new().dropout(0.5).recurrent_dropout(0.5), NEAR);
            check(row("_mixed"), "mixed", &new().dtype("mixed_bfloat16"), 2e-2);
        }
    };
}

common!(simple_rnn, SimpleRNN::new(2), "simple_rnn");
common!(lstm, LSTM::new(2), "lstm");
common!(gru, GRU::new(2), "gru");

#[test]
fn gates() {
    let rows = file("layers_recurrent");
    check(&rows["lstm_hard"], "lstm_hard", &LSTM::new(2).recurrent_activation("hard_sigmoid"), NEAR);
    check(&rows["gru_hard"], "gru_hard", &GRU::new(2).recurrent_activation("hard_sigmoid"), NEAR);
    let before = || GRU::new(2).reset_after(false);
    check(&rows["gru_before"], "gru_before", &before().return_sequences(true), NEAR);
    check(&rows["gru_before_bare"], "gru_before_bare", &before().use_bias(false), NEAR);
    check(&rows["gru_before_drops_used"], "gru_before_drops_used", &before().recurrent_dropout(0.5), NEAR);
}

#[test]
fn cells() {
    let rows = file("layers_recurrent");
    check(&rows["simple_rnn_cell"], "simple_rnn_cell", &Once(SimpleRNNCell::new(2)), NEAR);
    check(&rows["lstm_cell"], "lstm_cell", &Once(LSTMCell::new(2)), NEAR);
    check(&rows["gru_cell"], "gru_cell", &Once(GRUCell::new(2)), NEAR);
    check(&rows["gru_cell_before"], "gru_cell_before", &Once(GRUCell::new(2).reset_after(false)), NEAR);
    check(&rows["rnn"], "rnn", &RNN::new(LSTMCell::new(2)).return_sequences(true), NEAR);
    let stacked = || RNN::new(StackedRNNCells::new((LSTMCell::new(3), GRUCell::new(2))));
    check(&rows["rnn_stacked"], "rnn_stacked", &stacked().return_sequences(true).return_state(true), NEAR);
    check(&rows["rnn_stacked_masked"], "rnn_stacked_masked", &masked(stacked()), NEAR);
}

#[test]
fn bidirectional() {
    let rows = file("layers_recurrent");
    let lstm = || LSTM::new(2);
    for mode in ["concat", "sum", "mul", "ave"] {
        let name = format!("bidirectional_{mode}");
        check(&rows[&name], &name, &Bidirectional::new(lstm().return_sequences(true)).merge_mode(mode), NEAR);
    }
    let apart = Bidirectional::new(lstm().return_sequences(true)).merge_mode(MergeMode::Separate);
    check(&rows["bidirectional_None"], "apart", &apart, NEAR);
    check(&rows["bidirectional_last"], "last", &Bidirectional::new(GRU::new(2)), NEAR);
    let all = Bidirectional::new(lstm().return_sequences(true));
    check(&rows["bidirectional_masked"], "bidirectional_masked", &masked(all), NEAR);
    check(&rows["bidirectional_masked_last"], "bidirectional_masked_last", &masked(Bidirectional::new(lstm())), NEAR);
    check(&rows["bidirectional_states"], "states", &Bidirectional::new(lstm().return_state(true)), NEAR);
    let backwards = GRU::new(2).activation("relu").go_backwards(true);
    let other = Bidirectional::new(lstm()).backward_layer(backwards).merge_mode("sum");
    check(&rows["bidirectional_other"], "other", &other, NEAR);
}

#[test]
fn time_distributed() {
    let rows = file("layers_recurrent");
    check(&rows["time_distributed"], "dense", &TimeDistributed::new(Dense::new(2).activation("tanh")), NEAR);
    check(&rows["time_distributed_conv"], "conv", &TimeDistributed::new(Conv2D::new(2, 2).strides(2)), NEAR);
    let words =
        tf::stack(&[tf::constant([[true, false, true, true]; 3]), tf::constant([[true, true, true, false]; 3])], 0);
    let texts = Masked { layer: TimeDistributed::new(LSTM::new(2)), mask: words };
    check(&rows["time_distributed_lstm"], "time_distributed_lstm", &texts, NEAR);
}

#[test]
fn conv_lstm() {
    let rows = file("layers_recurrent");
    let all = |layer: ConvLSTM2D| layer.return_sequences(true).return_state(true);
    let new = || ConvLSTM2D::new(2, 2);
    let one = ConvLSTM1D::new(2, 3).return_sequences(true).return_state(true);
    check(&rows["conv_lstm1d"], "conv_lstm1d", &one, NEAR);
    check(&rows["conv_lstm1d_dilated"], "dilated", &ConvLSTM1D::new(2, 2).dilation_rate(2), NEAR);
    check(&rows["conv_lstm2d"], "conv_lstm2d", &new(), NEAR);
    check(&rows["conv_lstm2d_all"], "all", &all(ConvLSTM2D::new(2, (2, 3)).padding(Padding::Same)), NEAR);
    let strided = new().strides((2, 1)).activation("relu").recurrent_activation("hard_sigmoid");
    check(&rows["conv_lstm2d_strided"], "strided", &strided, NEAR);
    check(&rows["conv_lstm2d_bare"], "bare", &new().use_bias(false).go_backwards(true), NEAR);
    let first = new().data_format(DataFormat::ChannelsFirst).padding(Padding::Same);
    check(&rows["conv_lstm2d_first"], "first", &all(first), NEAR);
    let mask = tf::constant([[true, false, true], [false, true, true]]);
    check(&rows["conv_lstm2d_masked"], "conv_lstm2d_masked", &Masked { layer: all(new()), mask }, NEAR);
    check(&rows["conv_lstm2d_from"], "from", &new().padding(Padding::Same), NEAR);
    check(&rows["conv_lstm2d_drops_used"], "drops_used", &new().dropout(0.5).recurrent_dropout(0.5), NEAR);
    check(&rows["conv_lstm3d"], "conv_lstm3d", &ConvLSTM3D::new(2, 2).padding(Padding::Same), NEAR);
}

/// Calls that begin where the one before has ended, and one behind a reset.
#[test]
fn stateful() {
    fn held(row: &Value, layer: &dyn Layer, call: impl Fn(&Tensor) -> Tensor, reset: impl Fn()) {
        let x = tensor(&row["inputs"][0]);
        call(&x);
        reset();
        let named = layer.named_variables();
        let ours = |part: &str| -> Vec<tf::Variable> {
            let of = named.iter().filter(|(path, _)| path.contains(part) && !path.contains("seed_generator"));
            of.map(|(_, variable)| variable.clone()).collect()
        };
        let weights = row["weights"].as_array().unwrap();
        assert_eq!((ours("cell").len(), ours("cell")[0].shape()), (weights.len(), *tensor(&weights[0]).shape()));
        ours("cell").iter().zip(weights).for_each(|(variable, value)| variable.assign(tensor(value)));
        for (at, right) in row["outputs"].as_array().unwrap().iter().enumerate() {
            if at == 2 {
                reset();
            }
            near(&format!("output {at}"), &call(&x), right, NEAR);
            for (state, right) in ours("states").iter().zip(row["states"][at].as_array().unwrap()) {
                near(&format!("state behind call {at}"), &state.value(), right, NEAR);
                assert!(!layer.trainable_variables().iter().any(|v| v.id() == state.id()));
            }
        }
    }
    let rows = file("layers_recurrent");
    let lstm = LSTM::new(2).stateful(true).return_sequences(true);
    held(&rows["stateful_lstm"], &lstm, |x| lstm.call(x), || lstm.reset_state());
    let gru = GRU::new(2).stateful(true).return_sequences(true);
    held(&rows["stateful_gru"], &gru, |x| in_a_graph(&gru, x), || gru.reset_state());
}

#[tf::tf_function]
fn in_a_graph(layer: &GRU, x: &Tensor) -> Tensor {
    layer.call(x)
}
