//! What recurrent layers do beside numbers of Keras: what is dropped, first values, states, masks, nodes, traces, names and mistakes.
//! `layers_recurrent` has the numbers.

use eagerflow as tf;
use tf::layers::{
    Bidirectional, Call, Cell, ConvLSTM2D, Dense, GRU, LSTM, LSTMCell, Layer, RNN, SimpleRNN, TimeDistributed,
    get_mask, set_mask_of,
};
use tf::{Duplicate, GradientTape, Model, Module, Tensor, tf_function};

fn x(batch: usize, steps: usize) -> Tensor {
    tf::reshape(tf::sin(tf::range(0.0, (batch * steps * 3) as f32, 1.0)), [batch, steps, 3])
}

fn near(a: &Tensor, b: &Tensor) {
    assert_eq!(a.shape(), b.shape());
    let (a, b) = (a.to_vec::<f32>(), b.to_vec::<f32>());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} and {b:?}");
}

#[tf_function]
fn trained(layer: &SimpleRNN, x: &Tensor) -> Tensor {
    layer.call_training(x, true)
}

#[test]
fn the_same_inputs_are_dropped_at_all_steps() {
    let new = || {
        let layer = SimpleRNN::new(64).kernel_initializer("identity").recurrent_initializer("zeros").use_bias(false);
        layer.activation("linear").return_sequences(true).dropout(0.5).seed(7)
    };
    let (layer, ones) = (new(), tf::ones([1, 3, 64]));
    assert_eq!(layer.call(&ones).to_vec::<f32>(), [1.0; 192]);
    let first = layer.call_training(&ones, true).to_vec::<f32>();
    let kept = first[..64].iter().filter(|&&v| v == 2.0).count();
    assert!((10..55).contains(&kept) && first.iter().all(|&v| v == 0.0 || v == 2.0), "{first:?}");
    assert!(first[..64] == first[64..128] && first[..64] == first[128..]);
    assert_ne!(first, layer.call_training(&ones, true).to_vec::<f32>(), "each call drops others");
    assert_eq!(first, new().call_training(&ones, true).to_vec::<f32>(), "a seed says which");
    let traced = new();
    assert_eq!(first, trained(&traced, &ones).to_vec::<f32>());
    assert_ne!(first, trained(&traced, &ones).to_vec::<f32>());
}

#[test]
fn states_are_dropped_in_their_products() {
    let layer = SimpleRNN::new(64).kernel_initializer("zeros").recurrent_initializer("identity").use_bias(false);
    let layer = layer.activation("linear").return_sequences(true).recurrent_dropout(0.5);
    let (y, states) = layer.try_call_with_state(tf::ones([1, 3, 2]), [tf::ones([1, 64])], &Call::training()).unwrap();
    let y = y.to_vec::<f32>();
    // What is kept is raised at each step.
    let right = |(at, &v): (usize, &f32)| v == 0.0 || v == [2.0, 4.0, 8.0][at / 64];
    assert!(y.iter().enumerate().all(right) && y[..64].iter().any(|&v| v > 0.0), "{y:?}");
    assert_eq!(states[0].to_vec::<f32>(), y[128..]);
}

#[test]
fn gates_drop_while_trained_alone() {
    fn held(call: impl Fn(bool) -> Vec<f32>, again: impl Fn(bool) -> Vec<f32>) {
        assert_eq!(call(false), call(false));
        assert_ne!(call(true), call(false));
        // Both have the same seed; the first one has been asked once.
        again(true);
        assert_eq!(call(true), again(true));
    }
    macro_rules! each {
        ($($new:expr),*) => {$({
            let layer = $new.dropout(0.3).recurrent_dropout(0.4).seed(3);
            layer.call(x(2, 5));
            let copy = layer.duplicate();
            let of = |layer: &dyn Layer, training| layer.call_training(x(2, 5), training).to_vec::<f32>();
            held(|training| of(&layer, training), |training| of(&copy, training));
        })*};
    }
    each!(LSTM::new(4), GRU::new(4), GRU::new(4).reset_after(false), SimpleRNN::new(4));
    let images = tf::reshape(x(2, 24), [2, 3, 4, 6, 1].map(|n| n as isize));
    let layer = ConvLSTM2D::new(2, 2).dropout(0.3).recurrent_dropout(0.4);
    assert_ne!(layer.call_training(&images, true).to_vec::<f32>(), layer.call(&images).to_vec::<f32>());
}

#[test]
fn first_values_are_those_of_keras() {
    let layer = LSTM::new(3);
    layer.build([1, 2, 5]);
    let bias = layer.bias().unwrap().value().to_vec::<f32>();
    assert_eq!(bias, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let u = layer.recurrent_kernel().unwrap().value();
    near(&tf::matmul_transposed(&u, false, &u, true), &tf::eye(3));
    let limit = (6.0f32 / (5.0 + 12.0)).sqrt();
    assert!(layer.kernel().unwrap().value().to_vec::<f32>().iter().all(|w| w.abs() <= limit));

    let odd = LSTM::new(2).unit_forget_bias(false).bias_initializer("ones").kernel_initializer("ones");
    odd.build([1, 2, 1]);
    assert_eq!(odd.bias().unwrap().value().to_vec::<f32>(), [1.0; 8]);
    assert_eq!(odd.kernel().unwrap().value().to_vec::<f32>(), [1.0; 8]);
    let forget = LSTM::new(1).bias_initializer(tf::initializers::Constant::new(0.5));
    forget.build([1, 2, 1]);
    assert_eq!(forget.bias().unwrap().value().to_vec::<f32>(), [0.5, 1.0, 0.5, 0.5]);
    let gru = GRU::new(2);
    gru.build([1, 2, 1]);
    assert_eq!(gru.bias().unwrap().shape(), [2, 6]);
}

#[test]
fn regularizers_add_to_the_loss() {
    let l2 = || tf::regularizers::L2::new(0.5);
    let layer = GRU::new(2).kernel_initializer("ones").recurrent_initializer("ones").bias_initializer("ones");
    let layer = layer.kernel_regularizer(l2()).recurrent_regularizer(l2()).bias_regularizer(l2());
    let model = tf::Sequential::new((layer,));
    model.call(x(1, 2));
    let losses: Vec<f32> = model.weight_losses().unwrap().iter().map(Tensor::item::<f32>).collect();
    assert_eq!(losses, [9.0, 6.0, 6.0]);
}

#[test]
fn a_sequence_in_parts_is_the_sequence() {
    let x = x(2, 7);
    let (front, back) = (x.at(tf::s![.., ..3, ..]), x.at(tf::s![.., 3.., ..]));
    let layer = LSTM::new(4).return_sequences(true);
    let (whole, last) = layer.call_with_state(&x, ());
    let (first, states) = layer.call_with_state(&front, ());
    let (second, end) = layer.call_with_state(&back, &states);
    near(&whole, &tf::concat(&[first, second], 1));
    near(&last[1], &end[1]);
    // The states of a stateful layer go on by themselves.
    let kept = layer.clone().stateful(true);
    near(&kept.call(&front), &whole.at(tf::s![.., ..3, ..]));
    near(&kept.call(&back), &whole.at(tf::s![.., 3.., ..]));
    kept.reset_state();
    near(&kept.call(&front), &whole.at(tf::s![.., ..3, ..]));
}

#[test]
fn masks_come_with_inputs_and_go_on() {
    let x = x(2, 4);
    let mask = tf::constant([[true, true, false, false], [true, true, true, false]]);
    set_mask_of(&x, &mask);
    let (all, last) = (GRU::new(3).return_sequences(true), GRU::new(3));
    assert_eq!(get_mask(&all.call(&x)).unwrap().to_vec::<bool>(), mask.to_vec::<bool>());
    assert!(get_mask(&last.call(&x)).is_none());
    let y = all.call(&x);
    near(&y.at(tf::s![0, 1, ..]), &y.at(tf::s![0, 3, ..]));
    assert!(get_mask(&Bidirectional::new(GRU::new(3).return_sequences(true)).call(&x)).is_some());
    assert!(get_mask(&TimeDistributed::new(Dense::new(2)).call(&x)).is_some());
}

#[test]
fn no_steps_give_the_first_state() {
    #[tf_function]
    fn in_a_graph(layer: &LSTM, x: &Tensor) -> Tensor {
        layer.call(x)
    }
    let layer = LSTM::new(4).return_sequences(true);
    layer.build([2, 1, 3]);
    assert_eq!(layer.call(tf::zeros([2, 0, 3])).shape(), [2, 0, 4]);
    assert_eq!(in_a_graph(&layer, &tf::zeros([2, 0, 3])).shape(), [2, 0, 4]);
    let last = LSTM::new(4);
    assert_eq!(last.call(tf::zeros([2, 0, 3])).to_vec::<f32>(), [0.0; 8]);
}

#[tf_function]
fn step(model: &Bidirectional, deep: &RNN, x: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let loss = tf::reduce_mean(deep.call_training(model.call_training(x, true), true).square(), ());
    let variables = (model, deep).trainable_variables();
    let gradients = tape.gradient(&loss, &variables);
    variables.iter().enumerate().for_each(|(at, v)| v.assign_sub(gradients.get(at).unwrap() * 0.5));
    loss
}

#[test]
fn ten_lengths_take_two_traces() {
    let model = Bidirectional::new(LSTM::new(4).return_sequences(true).dropout(0.1));
    let deep = RNN::new(tf::layers::StackedRNNCells::new((LSTMCell::new(3), tf::layers::GRUCell::new(2))));
    let losses: Vec<f32> = (0..10).map(|at| step(&model, &deep, &x(2 + at % 3, 3 + at)).item::<f32>()).collect();
    assert!(losses.iter().all(|loss| loss.is_finite() && *loss > 0.0), "{losses:?}");
    let about = tf::function(step);
    assert!(about.trace_count() <= 2, "{:?}", about.reasons());
    assert!(about.pins().is_empty(), "{:?}", about.pins());
}

#[test]
fn nodes_have_states_too() {
    let input = tf::input([None, Some(3)]);
    let encoder = LSTM::new(4);
    let (_, states) = encoder.call_with_state(&input, ());
    let decoder = LSTM::new(4).return_sequences(true);
    let (y, _) = decoder.call_with_state(&input, states);
    let both = Bidirectional::new(GRU::new(2)).call(&y);
    assert_eq!((y.sizes(), both.sizes()), (vec![None, None, Some(4)], vec![None, Some(4)]));
    let model = tf::Functional::new(&input, (&y, &both));
    for (batch, steps) in [(2, 5), (3, 4)] {
        let (y, both) = model.call(x(batch, steps));
        let (_, states) = encoder.call_with_state(x(batch, steps), ());
        near(&y, &decoder.call_with_state(x(batch, steps), states).0);
        assert_eq!(both.shape(), [batch, 4]);
    }
}

/// One layer may be asked for its output here and for its states there; a trace of one model does not serve the other.
#[test]
fn calls_of_one_layer_may_be_told_different_things() {
    use tf::layers::{Attend, MultiHeadAttention};
    #[tf_function]
    fn run(model: &tf::Functional, x: &Tensor) -> Tensor {
        model.call(x)
    }
    let (input, layer) = (tf::input([None, Some(3)]), LSTM::new(3));
    let (_, states) = layer.call_with_state(&input, ());
    let both = tf::Functional::new(&input, (&layer.call(&input), &states[1]));
    assert_eq!(both.trainable_variables().len(), 3);
    let (y, memory) = both.call(x(2, 5));
    let (own, kept) = layer.call_with_state(x(2, 5), ());
    near(&y, &own);
    near(&memory, &kept[1]);
    near(&both.duplicate().call(x(2, 5)).1, &kept[1]);
    // Two layers are not one for their name alone.
    let named = || Dense::new(3).name("same");
    let refused = tf::Functional::try_new(&input, &named().call(named().call(&input))).unwrap_err().to_string();
    assert!(refused.contains("two layers have one name") && refused.contains("\"same\""), "{refused}");

    let heads = MultiHeadAttention::new(2, 4);
    let hidden = |causal: bool| {
        let first = heads.call([&input, &input]);
        tf::Functional::new(&input, &heads.call_attention(Attend::new(&first, &first).causal(causal)))
    };
    let (open, causal) = (hidden(false), hidden(true));
    let (a, b) = (run(&open, &x(2, 5)), run(&causal, &x(2, 5)));
    assert_ne!(a.to_vec::<f32>(), b.to_vec::<f32>());
    near(&b, &causal.call(x(2, 5)));
}

#[test]
fn names_are_those_of_keras() {
    let layer = Bidirectional::new(LSTM::new(4));
    layer.call(x(1, 2));
    let names: Vec<String> = layer.named_variables().into_iter().map(|(path, _)| path).collect();
    for name in ["forward_layer/cell/kernel", "backward_layer/cell/recurrent_kernel", "forward_layer/cell/bias"] {
        assert!(names.iter().any(|path| path.replace('.', "/") == name), "{name} in {names:?}");
    }
    // Each direction drops other things.
    let dropped = Bidirectional::new(SimpleRNN::new(64).dropout(0.5).use_bias(false).activation("linear"));
    dropped.call(tf::ones([1, 1, 64]));
    for (path, variable) in dropped.named_variables() {
        if path.ends_with("cell/kernel") || path.ends_with("cell.kernel") {
            variable.assign(tf::eye(64));
        }
    }
    let y = dropped.call_training(tf::ones([1, 1, 64]), true).to_vec::<f32>();
    assert_ne!(y[..64], y[64..]);
}

#[test]
fn mistakes_name_the_layer_and_the_shapes() {
    let layer = LSTM::new(4).name("reader");
    let text = |x: &Tensor| layer.try_call(x, false).unwrap_err().to_string();
    let has = |text: String, parts: &[&str]| {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    has(text(&tf::ones([2, 3])), &["reader", "float32[2, 3]", "[batch, steps, features]", "recurrent_facts.rs"]);
    layer.build([2, 5, 3]);
    has(text(&tf::ones([2, 5, 7])), &["reader", "[2, 7]", "3 features"]);
    let refused =
        |states: Vec<Tensor>| layer.try_call_with_state(x(2, 5), states, &Call::inference()).unwrap_err().to_string();
    has(refused(vec![tf::zeros([2, 4])]), &["reader", "1 states", "2 states"]);
    has(refused(vec![tf::zeros([2, 4]), tf::zeros([2, 5])]), &["float32[2, 5]", "float32[2, 4]"]);
    let masked = layer.try_call_with_state(x(2, 5), (), &Call::inference().mask(tf::constant([[true; 3]; 2])));
    has(masked.unwrap_err().to_string(), &["reader", "bool[2, 3]", "bool[batch, steps]"]);

    let kept = GRU::new(4).stateful(true);
    kept.call(x(2, 5));
    has(kept.try_call(x(3, 5), false).unwrap_err().to_string(), &["gru", "a batch of 2", "[3, 3]"]);
    let open = tf::input([None, Some(3)]);
    has(GRU::new(4).stateful(true).try_call(&open, false).unwrap_err().to_string(), &["number of examples", "build("]);
    has(GRU::new(4).unroll(true).try_call(&open, false).unwrap_err().to_string(), &["unrolled", "leave `unroll` off"]);
    has(GRU::try_new(0).unwrap_err().to_string(), &["GRU", "units"]);
    has(GRU::new(1).try_dropout(1.5).unwrap_err().to_string(), &["dropout", "1.5"]);

    let same_way = Bidirectional::new(LSTM::new(2)).try_backward_layer(LSTM::new(2));
    has(same_way.unwrap_err().to_string(), &["Bidirectional", "the same way"]);
    let other_kind = LSTM::new(2).go_backwards(true).return_sequences(true);
    has(
        Bidirectional::new(LSTM::new(2)).try_backward_layer(other_kind).unwrap_err().to_string(),
        &["return_sequences"],
    );
    has(Bidirectional::new(LSTM::new(2)).try_merge_mode("max").unwrap_err().to_string(), &["max", "concat"]);
    let conv = ConvLSTM2D::new(2, 2).strides(2).try_dilation_rate(2);
    has(conv.unwrap_err().to_string(), &["strides", "dilation"]);
    let cell = LSTMCell::new(4);
    has(
        cell.try_call(tf::ones([2, 3]), &[tf::zeros([2, 4])], false).unwrap_err().to_string(),
        &["lstm_cell", "2 states"],
    );
    assert_eq!(cell.state_sizes(), [4, 4]);
}

/// A checkpoint that real Keras wrote, of layers whose answers it told too.
#[test]
fn checkpoints_of_keras_are_read() {
    use tf::layers::{GroupQueryAttention, MultiHeadAttention, SimpleRNNCell};
    let answers = crate::numbers::file("checkpoint_sequences");
    let x = crate::numbers::tensor(&answers["x"]);
    let (lstm, gru) = (LSTM::new(2), GRU::new(2));
    let rnn = RNN::new(SimpleRNNCell::new(3));
    let both = Bidirectional::new(LSTM::new(2).return_sequences(true));
    let steps = TimeDistributed::new(Dense::new(2));
    let heads = MultiHeadAttention::new(2, 3).use_gate(true);
    let groups = GroupQueryAttention::new(3, 4, 2);
    let checkpoint = tf::train::Checkpoint::new()
        .with("lstm", &lstm)
        .with("gru", &gru)
        .with("rnn", &rnn)
        .with("both", &both)
        .with("steps", &steps)
        .with("heads", &heads)
        .with("groups", &groups);
    checkpoint.read(concat!(env!("CARGO_MANIFEST_DIR"), "/golden/keras_checkpoints/sequences")).unwrap();
    // Variables that are made later take their values from the file.
    let near = |name: &str, y: Tensor| crate::numbers::near(name, &y, &answers[name], 4e-6);
    near("lstm", lstm.call(&x));
    near("gru", gru.call(&x));
    near("rnn", rnn.call(&x));
    near("both", both.call(&x));
    near("steps", steps.call(&x));
    near("heads", heads.call([&x, &x]));
    near("groups", groups.call([&x, &x]));
}
