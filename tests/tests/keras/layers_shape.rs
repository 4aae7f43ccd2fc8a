//! Layers that look numbers up, project, mask and give another shape, against Keras; and what they refuse.
//! One test per kind, with a row for each option.

use crate::layer_rows::check;
use crate::mask_rows::check_masks;
use crate::numbers::file;
use eagerflow as tf;
use tf::layers::{EinsumDense, Embedding, Identity, Lambda, Masking, Permute, RepeatVector, Rescaling, Reshape};
use tf::{GradientTape, Module};

#[test]
fn embedding() {
    let rows = file("layers_shape");
    check(&rows["embedding"], "embedding", &Embedding::new(6, 4), 1e-6);
    check(&rows["embedding_mask_zero"], "embedding_mask_zero", &Embedding::new(6, 2).mask_zero(true), 1e-6);
    check(&rows["embedding_mixed"], "embedding_mixed", &Embedding::new(6, 2).dtype("mixed_bfloat16"), 1e-2);
    check(&rows["embedding_floats"], "embedding_floats", &Embedding::new(6, 2), 1e-6);

    let layer = Embedding::new(50, 3);
    layer.build([1, 1]);
    let tape = GradientTape::new();
    let y = layer.call(tf::constant([[4, 4, 1]]));
    let gradients = tape.gradient(&y, &layer.trainable_variables());
    assert_eq!(gradients.rows(0).expect("rows").indices.to_vec::<i32>(), [4, 4, 1]);

    let start = layer.embeddings().unwrap().value().to_vec::<f32>();
    assert!(start.iter().all(|w| w.abs() <= 0.05) && start.iter().any(|w| *w != 0.0));
    let ones = Embedding::new(2, 2).embeddings_initializer("ones").embeddings_regularizer("l2");
    assert_eq!(ones.call(tf::constant([1])).to_vec::<f32>(), [1.0, 1.0]);
    let model = tf::Sequential::new((ones,));
    assert!((tf::Model::weight_losses(&model).unwrap()[0].item::<f32>() - 0.04).abs() < 1e-6);
}

#[test]
fn masking() {
    let rows = file("layers_shape");
    check(&rows["masking"], "masking", &Masking::new(), 0.0);
    check(&rows["masking_value"], "masking_value", &Masking::new().mask_value(0.5), 0.0);
    check_masks(&rows["mask_of_masking"], "mask_of_masking", &Masking::new().mask_value(0.5), 0.0);
}

#[test]
fn einsum_dense() {
    let rows = file("layers_shape");
    let plain = || EinsumDense::new("ab,bc->ac", 4);
    check(&rows["einsum_dense"], "einsum_dense", &plain(), 1e-6);
    check(&rows["einsum_dense_bias"], "einsum_dense_bias", &plain().bias_axes("c").activation("tanh"), 1e-6);
    check(&rows["einsum_dense_left"], "left", &EinsumDense::new("...x,xy->...y", 3).bias_axes("y"), 1e-6);
    check(&rows["einsum_dense_right"], "right", &EinsumDense::new("ab...,bc->ac...", 2).bias_axes("c"), 1e-6);
    let heads = EinsumDense::new("bsf,fhd->bshd", [None, Some(2), Some(3)]).bias_axes("hd");
    check(&rows["einsum_dense_heads"], "heads", &heads, 1e-6);
    let steps = EinsumDense::new("bsf,st->btf", [Some(2), None]).bias_axes("t");
    check(&rows["einsum_dense_steps"], "steps", &steps, 1e-6);
    check(&rows["einsum_dense_mixed"], "mixed", &plain().bias_axes("c").dtype("mixed_bfloat16"), 2e-2);
}

#[test]
fn a_kernel_of_an_einsum_starts_by_its_own_axes() {
    // 300 inputs and 4 · 75 outputs: the limit of the even distribution is √(6 / 600).
    let layer = EinsumDense::new("bsf,fhd->bshd", [None, Some(4), Some(75)]);
    layer.build([1, 2, 300]);
    let largest = tf::reduce_max(layer.kernel().unwrap().value().abs(), ()).item::<f32>();
    assert!(largest <= 0.1 && largest > 0.099, "{largest}");
}

#[test]
fn other_shapes() {
    let rows = file("layers_shape");
    check(&rows["identity"], "identity", &Identity::new(), 0.0);
    check(&rows["lambda"], "lambda", &Lambda::new(|x| x * x + 1.0), 1e-6);
    check(&rows["reshape"], "reshape", &Reshape::new([4, 3]), 0.0);
    check(&rows["reshape_open"], "reshape_open", &Reshape::new([-1, 2]), 0.0);
    check(&rows["reshape_flat"], "reshape_flat", &Reshape::new([-1]), 0.0);
    check(&rows["permute"], "permute", &Permute::new([2, 1]), 0.0);
    check(&rows["repeat_vector"], "repeat_vector", &RepeatVector::new(3), 1e-6);
}

#[test]
fn rescaling() {
    let rows = file("layers_shape");
    check(&rows["rescaling"], "rescaling", &Rescaling::new(0.5), 1e-6);
    check(&rows["rescaling_offset"], "rescaling_offset", &Rescaling::new(2.0).offset(-1.0), 1e-6);
    let channels = Rescaling::new([1.0, 2.0, 3.0, 4.0]).offset([0.1, 0.2, 0.3, 0.4]);
    check(&rows["rescaling_channels"], "rescaling_channels", &channels, 1e-6);
    check(&rows["rescaling_pixels"], "rescaling_pixels", &Rescaling::new(1.0 / 255.0), 1e-6);
}

#[test]
fn refusals_name_layer_and_shapes() {
    let words = |text: String, words: &[&str]| {
        let missing: Vec<&&str> = words.iter().filter(|word| !text.contains(**word)).collect();
        assert!(missing.is_empty(), "{missing:?} are missing in: {text}");
    };
    let x = tf::ones([2, 3, 4]);
    words(Reshape::new([5, 2]).name("r").try_call(&x, false).unwrap_err().to_string(), &["r", "12 elements", "[5, 2]"]);
    words(Reshape::new([5, -1]).try_call(&x, false).unwrap_err().to_string(), &["a multiple of 5", "float32[2, 3, 4]"]);
    words(Reshape::try_new([-1, -1]).unwrap_err().to_string(), &["[-1, -1]", "at most once"]);
    words(Permute::try_new([1, 3]).unwrap_err().to_string(), &["[1, 3]", "the numbers 1 to 2"]);
    words(Permute::new([1]).try_call(&x, false).unwrap_err().to_string(), &["permute", "rank 2", "[2, 3, 4]"]);
    words(RepeatVector::new(2).try_call(&x, false).unwrap_err().to_string(), &["repeat_vector", "[batch, features]"]);
    words(EinsumDense::try_new("ab,bc", 4).unwrap_err().to_string(), &["\"ab,bc\"", "\"ab,bc->ac\""]);
    words(EinsumDense::try_new("ab,bc->ad", 4).unwrap_err().to_string(), &["'d'"]);
    words(EinsumDense::new("ab,bc->ac", 4).try_bias_axes("b").unwrap_err().to_string(), &["no axis 'b'"]);
    let einsum = EinsumDense::new("ab,bc->ac", 4).name("e");
    words(einsum.try_call(&x, false).unwrap_err().to_string(), &["e", "2 dimensions", "[2, 3, 4]"]);
    words(Embedding::try_new(0, 4).unwrap_err().to_string(), &["input_dim", "at least 1"]);
    let table = Embedding::new(3, 2).name("words");
    words(table.try_call(tf::constant([3]), false).unwrap_err().to_string(), &["words", "3"]);
    words(table.try_call(tf::constant([true]), false).unwrap_err().to_string(), &["words", "integers"]);
}
