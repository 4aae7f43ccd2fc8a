//! What layers of attention do beside numbers of Keras: what is dropped, masks that go on, nodes, traces, names and mistakes.
//! `layers_attention` has the numbers.

use eagerflow as tf;
use tf::layers::{
    AdditiveAttention, Attend, Attention, Call, GroupQueryAttention, MultiHeadAttention, get_mask, set_mask_of,
};
use tf::{GradientTape, Module, Tensor, tf_function};

fn x(batch: usize, steps: usize) -> Tensor {
    tf::reshape(tf::sin(tf::range(0.0, (batch * steps * 4) as f32, 1.0)), [batch, steps, 4])
}

fn near(a: &Tensor, b: &Tensor) {
    assert_eq!(a.shape(), b.shape());
    let (a, b) = (a.to_vec::<f32>(), b.to_vec::<f32>());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5), "{a:?} and {b:?}");
}

#[test]
fn weights_are_dropped_while_trained_alone() {
    let x = x(2, 6);
    macro_rules! each {
        ($($new:expr),*) => {$({
            let (layer, all) = ($new.dropout(0.5).seed(5), $new.dropout(1.0));
            let of = |training| layer.try_call([&x, &x], training).unwrap().to_vec::<f32>();
            assert_eq!(of(false), of(false));
            assert_ne!(of(true), of(false));
            assert_ne!(of(true), of(true));
            // Nothing is left of the values.
            let none = all.try_call([&x, &x], true).unwrap().to_vec::<f32>();
            assert!(none.iter().all(|&v| v == 0.0), "{none:?}");
            // With scores, too, a share of the weights is gone.
            let told = layer.try_call_with_scores(Attend::new(&x, &x), &Call::training()).unwrap();
            assert_ne!(told.0.to_vec::<f32>(), of(false));
        })*};
    }
    each!(MultiHeadAttention::new(2, 4), GroupQueryAttention::new(4, 4, 2), Attention::new(), AdditiveAttention::new());
}

#[test]
fn scores_are_asked_for_or_never_held() {
    let x = x(2, 6);
    let layer = MultiHeadAttention::new(2, 4);
    let (y, scores) = layer.call_with_scores(Attend::new(&x, &x).causal(true));
    near(&y, &layer.call_attention(Attend::new(&x, &x).causal(true)));
    near(&tf::reduce_sum(&scores, -1), &tf::ones([2, 2, 6]));
    assert!(scores.at(tf::s![.., .., 0, 1..]).to_vec::<f32>().iter().all(|&s| s == 0.0));
    let refused = layer.clone().flash_attention(true).try_call_with_scores(Attend::new(&x, &x), &Call::inference());
    assert!(refused.unwrap_err().to_string().contains("flash_attention"));
}

#[test]
fn the_mask_of_the_queries_goes_on() {
    let (q, v) = (x(2, 3), x(2, 5));
    set_mask_of(&q, &tf::constant([[true, true, false], [true, false, false]]));
    assert!(get_mask(&MultiHeadAttention::new(2, 4).call([&q, &v])).is_some());
    assert!(get_mask(&GroupQueryAttention::new(4, 4, 2).call([&q, &v])).is_some());
    let y = Attention::new().call([&q, &v]);
    assert!(get_mask(&y).is_some());
    assert_eq!(y.at(tf::s![0, 2, ..]).to_vec::<f32>(), [0.0; 4]);
    assert!(get_mask(&AdditiveAttention::new().call([&v, &q])).is_none());
}

#[test]
fn a_query_that_sees_nothing_has_the_mean() {
    let x = x(1, 3);
    let attend =
        || Attend::new(&x, &x).mask(tf::constant([[[true, false, true], [false, false, false], [true, true, true]]]));
    let mean = tf::reduce_mean(x.at(0), 0);
    near(&Attention::new().call_attention(attend()).at(tf::s![0, 1, ..]), &mean);
    near(&Attention::new().call_with_scores(attend()).0.at(tf::s![0, 1, ..]), &mean);
    near(&AdditiveAttention::new().call_attention(attend()).at(tf::s![0, 1, ..]), &mean);
    let (_, scores) = MultiHeadAttention::new(2, 4).call_with_scores(attend());
    assert_eq!(scores.at(tf::s![0, .., 1, ..]).to_vec::<f32>(), [0.0; 6]);
}

#[tf_function]
fn step(layer: &MultiHeadAttention, shared: &GroupQueryAttention, x: &Tensor, y: &Tensor, seen: &Tensor) -> Tensor {
    let tape = GradientTape::new();
    let first = layer.try_call_attention(Attend::new(x, y).mask(seen), &Call::training()).unwrap();
    let second = shared.call_attention(Attend::new(&first, &first).causal(true));
    let loss = tf::reduce_mean(second.square(), ());
    let variables = (layer, shared).trainable_variables();
    let gradients = tape.gradient(&loss, &variables);
    variables.iter().enumerate().for_each(|(at, v)| v.assign_sub(gradients.get(at).unwrap() * 0.5));
    loss
}

#[test]
fn ten_lengths_take_two_traces() {
    let (layer, shared) = (MultiHeadAttention::new(2, 4).dropout(0.1), GroupQueryAttention::new(4, 4, 2));
    let shared = shared.sliding_window(3);
    let losses: Vec<f32> = (0..10)
        .map(|at| {
            let (batch, queries, keys) = (2 + at % 3, 3 + at, 14 - at);
            let seen = tf::greater(tf::random::uniform([batch, queries, keys], 0.0, 1.0), 0.3);
            step(&layer, &shared, &x(batch, queries), &x(batch, keys), &seen).item::<f32>()
        })
        .collect();
    assert!(losses.iter().all(|loss| loss.is_finite()), "{losses:?}");
    let about = tf::function(step);
    assert!(about.trace_count() <= 2, "{:?}", about.reasons());
    assert!(about.pins().is_empty(), "{:?}", about.pins());
}

#[test]
fn nodes_may_be_attended_to() {
    let (words, image) = (tf::input([None, Some(4)]), tf::input([Some(9), Some(6)]));
    let layer = MultiHeadAttention::new(2, 4);
    let seen = layer.call_attention(Attend::new(&words, &image));
    let (own, scores) = GroupQueryAttention::new(4, 4, 2).call_with_scores(Attend::new(&seen, &seen).causal(true));
    let last = Attention::new().call([&own, &words]);
    let model = tf::Functional::new((&words, &image), (&last, &scores));
    let (last, scores) = model.call(&(x(2, 5), tf::ones([2, 9, 6])));
    assert_eq!(last.shape(), [2, 5, 4]);
    assert_eq!(scores.shape(), [2, 4, 5, 5]);
}

#[test]
fn names_are_those_of_keras() {
    let layer = MultiHeadAttention::new(2, 4).use_gate(true);
    layer.build([1, 3, 4], [1, 5, 6]);
    let names: Vec<String> = layer.named_variables().into_iter().map(|(path, _)| path.replace('.', "/")).collect();
    let parts = ["query", "key", "gate", "value", "output"];
    let right: Vec<String> =
        parts.iter().flat_map(|part| ["kernel", "bias"].map(|end| format!("{part}_dense/{end}"))).collect();
    assert_eq!(names[..10], right[..]);
    assert_eq!(layer.trainable_variables()[2].shape(), [6, 2, 4]);
    let ones = MultiHeadAttention::new(1, 2).kernel_initializer("ones").bias_initializer("ones");
    ones.build([1, 3, 4], [1, 5, 6]);
    assert!(ones.trainable_variables().iter().all(|v| v.value().to_vec::<f32>().iter().all(|&w| w == 1.0)));
}

#[test]
fn mistakes_name_the_layer_and_the_shapes() {
    let has = |text: String, parts: &[&str]| {
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    let layer = MultiHeadAttention::new(2, 4).name("mixer");
    let x = x(2, 6);
    has(layer.try_call([&x], false).unwrap_err().to_string(), &["mixer", "1 inputs", "[query, value]"]);
    has(
        layer.try_call([&tf::ones([2, 3]), &x], false).unwrap_err().to_string(),
        &["mixer", "queries", "float32[2, 3]"],
    );
    layer.call([&x, &x]);
    has(
        layer.try_call([&tf::ones([2, 3, 5]), &x], false).unwrap_err().to_string(),
        &["queries", "[2, 3, 5]", "4 features"],
    );
    let keys = layer.try_call([&x, &x, &tf::ones([2, 5, 4])], false);
    has(keys.unwrap_err().to_string(), &["mixer", "as many keys as values", "[2, 5, 4]"]);
    let mask = Attend::new(&x, &x).mask(tf::constant([true]));
    has(layer.try_call_attention(mask, &Call::inference()).unwrap_err().to_string(), &["attention mask", "bool[1]"]);
    let axes = MultiHeadAttention::new(2, 4).attention_axes([3]).try_call([&x, &x], false);
    has(axes.unwrap_err().to_string(), &["attention_axes", "axis 3"]);
    has(GroupQueryAttention::try_new(4, 4, 3).unwrap_err().to_string(), &["4 and 3", "multiple"]);
    has(MultiHeadAttention::try_new(0, 3).unwrap_err().to_string(), &["num_heads"]);
    has(Attention::new().try_score_mode("product").unwrap_err().to_string(), &["product", "concat"]);
    has(
        Attention::new().try_call([&x, &tf::ones([2, 5, 3])], false).unwrap_err().to_string(),
        &["attention", "[2, 5, 3]"],
    );
}
