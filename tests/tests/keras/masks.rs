//! Masks and losses on their way through models: layers one by one, `Sequential` and `Functional`, at once and traced.
//! What cannot take a mask is an error that names the layer; regularizers of variables and outputs are counted.

use eagerflow as tf;
use tf::layers::{
    Activation, Add, Call, Dense, Dropout, Embedding, Flatten, GaussianNoise, Identity, LayerNormalization, Masking,
    Permute, Reshape, get_mask, input_of, with_losses,
};
use tf::{DType, Functional, Model, Module, Sequential, Tensor, tf_function};

fn words() -> Tensor {
    tf::constant([[3, 1, 0], [2, 0, 0]])
}

const RIGHT: [bool; 6] = [true, true, false, true, false, false];

fn check(what: &str, y: &Tensor) {
    let mask = get_mask(y).unwrap_or_else(|| panic!("{what}: the mask is lost"));
    assert_eq!(mask.to_vec::<bool>(), RIGHT, "{what}");
}

fn sequential() -> Sequential {
    Sequential::new((
        Embedding::new(5, 4).mask_zero(true),
        Dense::new(3).activation("relu"),
        Dropout::new(0.5),
        LayerNormalization::new(),
        GaussianNoise::new(0.1),
        Identity::new(),
        Activation::new("tanh"),
        Dense::new(2),
    ))
}

fn functional() -> Functional {
    let x = input_of([None], DType::I32);
    let embedded = Embedding::new(5, 4).mask_zero(true).call(&x);
    let hidden = Dense::new(4).call(&embedded);
    let both = Add::new().call([&embedded, &hidden]);
    Functional::new(&x, &Dense::new(2).call(&(both * 0.5)))
}

#[test]
fn layers_hand_masks_on() {
    let embedded = Embedding::new(5, 4).mask_zero(true).call(words());
    let hidden = Dense::new(3).call(&embedded);
    check("dense", &hidden);
    check("dense twice", &Dense::new(2).call(&Dropout::new(0.2).call_training(&hidden, true)));
    check("bfloat16", &Dense::new(2).dtype("mixed_bfloat16").call(&hidden));
    assert!(get_mask(&(&hidden * 2.0)).is_none(), "operations give no masks");
    // A mask of the caller's takes the place of the input's own, and is not left on it.
    let other = tf::constant([[false, true, true], [true, true, true]]);
    let y = Identity::new().call_with(&hidden, &Call::inference().mask(other.clone()));
    assert_eq!(get_mask(&y).unwrap().to_vec::<bool>(), other.to_vec::<bool>());
    check("the input keeps its own", &hidden);
    let none = Dense::new(2).call_with(&hidden, &Call::inference().masks([None]));
    assert!(get_mask(&none).is_none());
}

#[test]
fn models_hand_masks_on() {
    let (a, b) = (sequential(), functional());
    for training in [false, true] {
        let cx = Call::of(training);
        check("sequential", &a.call_with(&words(), &cx));
        check("functional", &Model::call_with(&b, &words(), &cx));
        for (what, (y, mask)) in [
            ("sequential", masked_sequential(&a, &words(), training)),
            ("functional", masked_functional(&b, &words(), training)),
        ] {
            let mask = mask.unwrap_or_else(|| panic!("{what}, traced: the mask is lost"));
            assert_eq!(mask.to_vec::<bool>(), RIGHT, "{what}, traced");
            assert_eq!(y.shape(), [2, 3, 2]);
        }
    }
    let inside = Sequential::new((sequential(), Dense::new(1)));
    check("a model in a model", &inside.call(words()));
    let padded = Sequential::new((Masking::new(), Dense::new(2)));
    let mask = get_mask(&padded.call(tf::constant([[[1.0, 0.0], [0.0, 0.0]]]))).unwrap();
    assert_eq!(mask.to_vec::<bool>(), [true, false]);
}

#[tf_function]
fn masked_sequential(model: &Sequential, x: &Tensor, training: bool) -> (Tensor, Option<Tensor>) {
    let y = model.call_training(x, training);
    let mask = get_mask(&y);
    (y, mask)
}

#[tf_function]
fn masked_functional(model: &Functional, x: &Tensor, training: bool) -> (Tensor, Option<Tensor>) {
    let y = Model::call_with(model, x, &Call::of(training));
    let mask = get_mask(&y);
    (y, mask)
}

#[test]
fn what_cannot_take_a_mask_says_so() {
    let embedded = Embedding::new(5, 4).mask_zero(true).call(words());
    for (name, text) in [
        ("flat", Flatten::new().name("flat").try_call(&embedded, false).unwrap_err().to_string()),
        ("shape", Reshape::new([-1]).name("shape").try_call(&embedded, false).unwrap_err().to_string()),
        ("turn", Permute::new([2, 1]).name("turn").try_call(&embedded, true).unwrap_err().to_string()),
    ] {
        assert!(text.contains(name) && text.contains("mask") && text.contains("masks.rs"), "{text}");
    }
    let model = Sequential::new((Embedding::new(5, 4).mask_zero(true), Flatten::new().name("the_flat_one")));
    let text = model.try_call(words(), false).unwrap_err().to_string();
    assert!(text.contains("the_flat_one"), "{text}");
    let x = input_of([3], DType::I32);
    let embedded = Embedding::new(5, 4).mask_zero(true).call(&x);
    let text = Flatten::new().name("of_nodes").try_call(&embedded, false);
    // A node carries no mask while the model is put together; the model's call says it.
    let text = match text {
        Err(error) => error.to_string(),
        Ok(flat) => Functional::new(&x, &flat).try_call(words()).unwrap_err().to_string(),
    };
    assert!(text.contains("of_nodes"), "{text}");
    // Without masks all of these are taken.
    assert_eq!(Flatten::new().call(Embedding::new(5, 4).call(words())).shape(), [2, 12]);
    let taken =
        Flatten::new().call_with(&Embedding::new(5, 4).mask_zero(true).call(words()), &Call::inference().masks([None]));
    assert_eq!(taken.shape(), [2, 12]);
}

#[test]
fn regularizers_count() {
    let dense = Dense::new(2).kernel_initializer("ones").kernel_regularizer("l2").bias_regularizer("l1");
    let model = Sequential::new((dense.activity_regularizer(tf::regularizers::L1::new(0.5)), Dense::new(1)));
    let x = tf::ones([4, 3]);
    let (_, added) = model.call_with_losses(&x, &Call::training()).unwrap();
    // Eight outputs of 3, by a batch of 4.
    assert_eq!(added.iter().map(|loss| loss.item::<f32>()).collect::<Vec<_>>(), [3.0]);
    let weights: Vec<f32> = model.weight_losses().unwrap().iter().map(|loss| loss.item::<f32>()).collect();
    assert!((weights[0] - 0.06).abs() < 1e-6 && weights[1] == 0.0 && weights.len() == 2, "{weights:?}");
    assert!(with_losses(|| ()).1.is_empty());
    // Frozen variables are not regularized, as in Keras.
    model.set_trainable(false);
    assert!(model.weight_losses().unwrap().is_empty());
}

#[test]
fn models_of_the_same_layers_are_told_apart() {
    let layer = Dense::new(3).use_bias(false).kernel_initializer("ones");
    let x = tf::input([3]);
    let (once, twice) = (Functional::new(&x, &layer.call(&x)), Functional::new(&x, &layer.call(&layer.call(&x))));
    let ones = tf::ones([1, 3]);
    assert_eq!(called(&once, &ones).to_vec::<f32>(), [3.0; 3]);
    assert_eq!(called(&twice, &ones).to_vec::<f32>(), [9.0; 3]);
    let (double, square): (Box<dyn tf::layers::Layer>, Box<dyn tf::layers::Layer>) =
        (Box::new(Add::new()), Box::new(tf::layers::Multiply::new()));
    let three = tf::constant([[3.0]]);
    assert_eq!(joined(&*double, &three).item::<f32>(), 6.0);
    assert_eq!(joined(&*square, &three).item::<f32>(), 9.0);
}

#[tf_function]
fn called(model: &Functional, x: &Tensor) -> Tensor {
    Model::call_with(model, x, &Call::inference())
}

#[tf_function]
fn joined(layer: &dyn tf::layers::Layer, x: &Tensor) -> Tensor {
    layer.try_call_all(&[x.clone(), x.clone()], &Call::inference()).unwrap()[0].clone()
}

/// Each variable's options reach it: how it starts, and what it adds to a loss.
#[test]
fn options_of_variables_reach_them() {
    use tf::initializers::Constant;
    use tf::layers::{BatchNormalization, EinsumDense, GroupNormalization, PReLU};
    let check = |what: &str, layer: &dyn tf::layers::Layer, starts: &[f32]| {
        let model = Sequential::new(vec![layer.shared()]);
        model.call(tf::ones([2, 4]));
        let values: Vec<f32> = model.trainable_variables().iter().map(|v| v.value().to_vec::<f32>()[0]).collect();
        assert_eq!(values, starts, "{what}");
        let losses: Vec<f32> = model.weight_losses().unwrap().iter().map(|loss| loss.item::<f32>()).collect();
        let squares = model
            .trainable_variables()
            .iter()
            .map(|v| 0.01 * v.value().square().sum().item::<f32>())
            .collect::<Vec<_>>();
        assert_eq!(losses.len(), starts.len(), "{what}: each variable has a regularizer");
        assert!(losses.iter().zip(&squares).all(|(a, b)| (a - b).abs() < 1e-5), "{what}: {losses:?}, not {squares:?}");
    };
    let (two, three) = (Constant::new(2.0), Constant::new(3.0));
    /// The options of `gamma` and `beta`, which several layers have.
    macro_rules! scaled {
        ($layer:expr) => {
            $layer
                .gamma_initializer(two)
                .beta_initializer(three)
                .gamma_regularizer("l2")
                .beta_regularizer("l2")
                .gamma_constraint("non_neg")
                .beta_constraint("max_norm")
        };
    }
    check("batch", &scaled!(BatchNormalization::new()), &[2.0, 3.0]);
    check("layer", &scaled!(LayerNormalization::new()), &[2.0, 3.0]);
    check("group", &scaled!(GroupNormalization::new().groups(2)), &[2.0, 3.0]);
    let prelu = PReLU::new().alpha_initializer(two).alpha_regularizer("l2").alpha_constraint("non_neg");
    check("prelu", &prelu, &[2.0]);
    let einsum = EinsumDense::new("ab,bc->ac", 3).bias_axes("c").kernel_initializer(two).bias_initializer(three);
    let einsum = einsum.kernel_regularizer("l2").bias_regularizer("l2").kernel_constraint("non_neg");
    check("einsum", &einsum.bias_constraint("unit_norm"), &[2.0, 3.0]);
    let words = Embedding::new(2, 3).embeddings_initializer(two).embeddings_regularizer("l2");
    check("embedding", &words.embeddings_constraint("unit_norm"), &[2.0]);
    let dense = Dense::new(2).kernel_initializer(two).bias_initializer(three).kernel_regularizer("l2");
    check("dense", &dense.bias_regularizer("l2").kernel_constraint("non_neg").bias_constraint("non_neg"), &[2.0, 3.0]);
    let text = Embedding::new(2, 3).try_embeddings_regularizer("l22").unwrap_err().to_string();
    assert!(text.contains("\"l22\"") && text.contains("\"l2\""), "{text}");
}
