//! Samples of recurrent layers and of attention, with unknown numbers of examples and of steps.
//! `super` records them; their loops are loops of the recorded list.

use super::{Sample, flags, x};
use eagerflow as tf;
use tf::layers::{
    AdditiveAttention, Attend, Attention, Bidirectional, Call, ConvLSTM1D, ConvLSTM2D, Dense, GRU, GroupQueryAttention,
    LSTM, Layer, MultiHeadAttention, RNN, SimpleRNN, StackedRNNCells, TimeDistributed,
};
use tf::layers::{GRUCell, LSTMCell};
use tf::{DType, GradientTape, Module, Result, Tensor};

/// Outputs, and gradients by inputs and variables. A loop of the graph adds gradients in another order, so numbers are compared after
/// rounding.
fn all(module: &dyn Module, inputs: &[Tensor], call: impl Fn() -> Result<Vec<Tensor>>) -> Result<Vec<Tensor>> {
    let mut tape = GradientTape::persistent();
    let floats: Vec<Tensor> = inputs.iter().filter(|x| x.dtype().is_floating()).cloned().collect();
    tape.watch(&floats);
    let mut found = call()?;
    let mut loss = Tensor::from(0.0f64);
    for output in &found {
        loss = loss + tf::reduce_sum(output.square(), ());
    }
    let by_inputs = tape.try_gradient(&loss, &floats)?;
    found.extend((0..floats.len()).filter_map(|i| by_inputs.get(i)));
    let variables = module.trainable_variables();
    if !variables.is_empty() {
        let by_variables = tape.try_gradient(&loss, &variables)?;
        found.extend((0..variables.len()).filter_map(|i| by_variables.get(i)));
    }
    found.iter().map(|y| tf::try_round(&(y * 1e8))).collect()
}

/// A layer over sequences `[batch, steps, 5]`, built beforehand.
fn over_sequences<L: Layer + 'static>(name: &'static str, layer: L) -> Sample {
    let dynamic: &dyn Layer = &layer;
    dynamic.try_call(x(&[1, 1, 5]), false).unwrap();
    Sample::new(
        name,
        |s| vec![x(&[s.a, s.b, 5])],
        move |inputs| {
            let dynamic: &dyn Layer = &layer;
            all(&layer, inputs, || Ok(dynamic.try_call_all(inputs, &Call::inference())?.to_vec()))
        },
    )
}

pub fn samples() -> Vec<Sample> {
    let f64s = DType::F64;
    let masked = LSTM::new(2).return_sequences(true).dtype(f64s);
    masked.call(x(&[1, 1, 5]));
    let images = ConvLSTM2D::new(2, 2).return_sequences(true).dtype(f64s);
    images.call(x(&[1, 1, 3, 3, 2]));
    let sound = ConvLSTM1D::new(2, 3).padding(tf::Padding::Same).strides(2).dtype(f64s);
    sound.call(x(&[1, 1, 3, 2]));
    let heads = MultiHeadAttention::new(2, 4).dtype(f64s);
    heads.build([1, 1, 2], [1, 1, 2]);
    let groups = GroupQueryAttention::new(4, 4, 2).sliding_window(2).dtype(f64s);
    groups.build([1, 1, 5], [1, 1, 5]);
    let additive = AdditiveAttention::new().dtype(f64s);
    additive.call([x(&[1, 1, 2]), x(&[1, 1, 2])]);
    let products = Attention::new().dtype(f64s);
    vec![
        over_sequences("SimpleRNN", SimpleRNN::new(2).dtype(f64s)),
        over_sequences("LSTM", LSTM::new(2).return_sequences(true).return_state(true).dtype(f64s)),
        over_sequences("GRU", GRU::new(2).go_backwards(true).dtype(f64s)),
        over_sequences("Bidirectional", Bidirectional::new(GRU::new(2).dtype(f64s).return_sequences(true)).dtype(f64s)),
        over_sequences("TimeDistributed", TimeDistributed::new(Dense::new(2).dtype(f64s)).dtype(f64s)),
        over_sequences(
            "RNN",
            RNN::new(StackedRNNCells::new((LSTMCell::new(3).dtype(f64s), GRUCell::new(2).dtype(f64s)))).dtype(f64s),
        ),
        Sample::new(
            "LSTM",
            |s| vec![x(&[s.a, s.b, 5]), flags(&[s.a, s.b])],
            move |inputs| {
                let cx = Call::inference().mask(inputs[1].clone());
                all(&masked, &inputs[..1], || Ok(vec![masked.try_call_with_state(&inputs[0], (), &cx)?.0]))
            },
        ),
        Sample::new(
            "ConvLSTM2D",
            |s| vec![x(&[s.a, s.b, s.c, s.a + s.b, 2])],
            move |inputs| all(&images, inputs, || Ok(vec![images.try_call(&inputs[0], false)?])),
        ),
        Sample::new(
            "ConvLSTM1D",
            |s| vec![x(&[s.a, s.b, s.c, 2])],
            move |inputs| all(&sound, inputs, || Ok(vec![sound.try_call(&inputs[0], false)?])),
        ),
        Sample::new(
            "MultiHeadAttention",
            |s| vec![x(&[s.a, s.b, 2]), x(&[s.a, s.c, 2]), flags(&[s.a, s.b, s.c])],
            move |inputs| {
                let attend = || Attend::new(&inputs[0], &inputs[1]).mask(&inputs[2]);
                all(&heads, &inputs[..2], || {
                    let (output, scores) = heads.try_call_with_scores(attend(), &Call::inference())?;
                    Ok(vec![heads.try_call_attention(attend(), &Call::inference())?, output, scores])
                })
            },
        ),
        Sample::new(
            "GroupQueryAttention",
            |s| vec![x(&[s.a, s.b, 5])],
            move |inputs| {
                let attend = || Attend::new(&inputs[0], &inputs[0]).causal(true);
                all(&groups, inputs, || Ok(vec![groups.try_call_attention(attend(), &Call::inference())?]))
            },
        ),
        Sample::new(
            "Attention",
            |s| vec![x(&[s.a, s.b, 2]), x(&[s.a, s.c, 2])],
            move |inputs| {
                all(&(&products, &additive), inputs, || {
                    let causal = || Attend::new(&inputs[0], &inputs[1]).causal(true);
                    let both = [&inputs[0], &inputs[1]];
                    let plain = products.try_call(both, false)?;
                    Ok(vec![
                        plain,
                        products.try_call_attention(causal(), &Call::inference())?,
                        additive.try_call(both, false)?,
                    ])
                })
            },
        ),
    ]
}
