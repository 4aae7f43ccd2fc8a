//! Weights alone: safetensors files of ours and of PyTorch, names that are mapped, axes that are turned, and what does not fit.

use super::{Directory, Net, bits, input, values};
use eagerflow as tf;
use tf::layers::{Conv2D, Dense};
use tf::train::{WeightsLoader, load_weights, save_weights};
use tf::{Module, Variable};

#[test]
fn a_models_weights_come_back_built_or_not() {
    let directory = Directory::new();
    let net = Net::new();
    let y = net.call(&input());
    let path = directory.join("net.safetensors");
    save_weights(&net, &path).unwrap();
    let built = Net::new();
    built.call(&input());
    let report = load_weights(&built, &path).unwrap();
    assert!(report.is_complete() && report.loaded.len() == 4, "{report}");
    assert_eq!(values(&built), values(&net));
    let later = Net::new();
    load_weights(&later, &path).unwrap();
    assert_eq!(bits([later.call(&input())]), bits([y]));
    let early = save_weights(&Net::new(), &path).unwrap_err().to_string();
    assert!(early.contains("not built") && early.contains("weights.rs"), "{early}");
    load_weights(&built, &path).unwrap();
}

#[test]
fn names_of_others_are_mapped_and_axes_turned() {
    let directory = Directory::new();
    // As PyTorch saves a convolution and two linear layers.
    let weight = |dims: &[usize]| {
        let all: usize = dims.iter().product();
        let numbers: Vec<f32> = (0..all).map(|i| i as f32 * 0.5 - 3.0).collect();
        Variable::new(tf::Tensor::try_from_vec(numbers, dims).unwrap())
    };
    #[derive(Module)]
    struct Linear {
        weight: Variable,
        bias: Variable,
    }
    #[derive(Module)]
    struct Theirs {
        conv: Linear,
        layer: Vec<Linear>,
    }
    let linear = |dims: &[usize], n: usize| Linear { weight: weight(dims), bias: weight(&[n]) };
    let theirs = Theirs { conv: linear(&[4, 2, 3, 3], 4), layer: vec![linear(&[5, 4], 5), linear(&[2, 5], 2)] };
    let path = directory.join("theirs.safetensors");
    save_weights(&theirs, &path).unwrap();

    #[derive(Module)]
    struct Ours {
        stem: Conv2D,
        blocks: Vec<Dense>,
    }
    let ours = Ours { stem: Conv2D::new(4, 3), blocks: vec![Dense::new(5), Dense::new(2)] };
    ours.stem.build([1, 8, 8, 2]);
    ours.blocks[0].build([1, 4]);
    let loader = WeightsLoader::new()
        .map_transposed("conv/weight", "stem/kernel", [2, 3, 1, 0])
        .map("conv/bias", "stem/bias")
        .map_transposed("layer/{i}/weight", "blocks/{i}/kernel", [1, 0])
        .map("layer/{i}/bias", "blocks/{i}/bias");
    let report = loader.load(&ours, &path).unwrap();
    assert_eq!(report.loaded.len(), 6, "{report}");
    let turned = tf::transpose(theirs.conv.weight.value(), [2, 3, 1, 0]);
    assert_eq!(bits([ours.stem.kernel().unwrap().value()]), bits([turned]));
    // The last layer is built later, and takes its turned value then.
    let x = tf::constant([[1.0, -1.0, 0.5, 2.0]]);
    let y = ours.blocks[1].call(ours.blocks[0].call(&x));
    let by_hand = |x: tf::Tensor, l: &Linear| x.matmul(tf::transpose(l.weight.value(), [1, 0])) + l.bias.value();
    let expected = by_hand(by_hand(x, &theirs.layer[0]), &theirs.layer[1]);
    assert_eq!(bits([y]), bits([expected]));
}

#[test]
fn what_does_not_fit_is_told_and_nothing_changes() {
    let directory = Directory::new();
    let path = directory.join("w.safetensors");
    #[derive(Module)]
    struct A {
        kernel: Variable,
        bais: Variable,
        same: Variable,
    }
    #[derive(Module)]
    struct B {
        kernel: Variable,
        bias: Variable,
        same: Variable,
    }
    let v = |n: usize| Variable::new(tf::ones([n]));
    save_weights(&A { kernel: v(3), bais: v(1), same: v(2) }, &path).unwrap();
    let b = B { kernel: v(4), bias: v(1), same: Variable::new([7.0, 7.0]) };
    let text = load_weights(&b, &path).unwrap_err().to_string();
    for part in [
        "1 missing in the file: `bias`",
        "1 unexpected in the file: `bais`",
        "`kernel` is float32[3] for `kernel`",
        "weights.rs",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(b.same.value().to_vec::<f32>(), [7.0, 7.0]);
    let report = WeightsLoader::new().strict(false).load(&b, &path).unwrap();
    assert_eq!(report.loaded, [("same".to_owned(), "same".to_owned())]);
    assert_eq!((report.missing.len(), report.unexpected.len(), report.misshapen.len()), (1, 1, 1));
    assert_eq!(b.same.value().to_vec::<f32>(), [1.0, 1.0]);
    assert_eq!(b.kernel.value().shape(), [4]);
    let twice = WeightsLoader::new().map("kernel", "same").map("same", "same").strict(false);
    let text = twice.load(&b, &path).unwrap_err().to_string();
    assert!(text.contains("`kernel` and `same` for `same`"), "{text}");
}

#[test]
fn dtypes_are_converted_when_asked_for() {
    let directory = Directory::new();
    let path = directory.join("half.safetensors");
    let half = (Variable::new(tf::constant([1.5, -2.0]).cast(tf::DType::BF16)),);
    save_weights(&half, &path).unwrap();
    let single = (Variable::new([0.0, 0.0]),);
    let text = load_weights(&single, &path).unwrap_err().to_string();
    assert!(text.contains("bfloat16[2]") && text.contains("float32[2]") && text.contains("cast(true)"), "{text}");
    WeightsLoader::new().cast(true).load(&single, &path).unwrap();
    assert_eq!(single.0.value().to_vec::<f32>(), [1.5, -2.0]);
}

#[test]
fn rules_that_are_wrong_are_errors_where_they_are_written() {
    let wrong = WeightsLoader::new().try_map("a.{i}", "b/{j}", None).unwrap_err().to_string();
    assert!(wrong.contains("`{j}`") && wrong.contains("weights.rs"), "{wrong}");
    let axes = WeightsLoader::new().try_map("a", "b", Some(vec![0, 2])).unwrap_err().to_string();
    assert!(axes.contains("[0, 2]"), "{axes}");
}
