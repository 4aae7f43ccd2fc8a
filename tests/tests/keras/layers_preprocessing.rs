//! Layers that prepare data against Keras: random ones with a range of one number, where Keras draws what ours do, and by their laws.
//! One test per kind, with a row for each option.

use crate::numbers::{file, near, number, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::layers::{
    Call, CategoryEncoding, CategoryMode, Discretization, FillMode, FlipMode, ImageSampling, Layer, RandomBrightness,
    RandomContrast, RandomCrop, RandomFlip, RandomRotation, RandomTranslation, RandomZoom,
};
use tf::{DataFormat, Module, Tensor, tf_function};

/// The output for the input of a row, at once and traced.
fn check(rows: &Value, name: &str, layer: &dyn Layer, training: bool, tolerance: f64) {
    let x = tensor(&rows[name]["input"]);
    let y = layer.try_call(&x, training).unwrap_or_else(|e| panic!("{name}: {e}"));
    near(name, &y, &rows[name]["output"], tolerance);
    near(&format!("{name}, traced"), &traced(layer, &x, training), &rows[name]["output"], tolerance);
}

#[tf_function]
fn traced(layer: &dyn Layer, x: &Tensor, training: bool) -> Tensor {
    layer.try_call(x, training).unwrap()
}

#[test]
fn turned_zoomed_and_moved() {
    let rows = file("layers_preprocessing");
    let near = 2e-5;
    check(&rows, "rotation", &RandomRotation::new((0.1, 0.1)), true, near);
    check(&rows, "rotation_back", &RandomRotation::new((-0.3, -0.3)), true, near);
    check(&rows, "rotation_one", &RandomRotation::new((0.1, 0.1)), true, near);
    let first = RandomRotation::new((0.1, 0.1)).data_format(DataFormat::ChannelsFirst);
    check(&rows, "rotation_first", &first, true, near);
    check(&rows, "rotation_used", &RandomRotation::new(0.1), false, 0.0);
    check(&rows, "zoom", &RandomZoom::new((0.4, 0.4)), true, near);
    check(&rows, "zoom_width", &RandomZoom::new((-0.3, -0.3)).width_factor((0.6, 0.6)), true, near);
    check(&rows, "translation", &RandomTranslation::new((0.3, 0.3), (-0.2, -0.2)), true, near);
    let far = RandomTranslation::new((-1.0, -1.0), (0.9, 0.9)).fill_mode(FillMode::Wrap);
    check(&rows, "translation_far", &far, true, near);
    for (mode, fill) in [
        ("reflect", FillMode::Reflect),
        ("wrap", FillMode::Wrap),
        ("constant", FillMode::Constant),
        ("nearest", FillMode::Nearest),
    ] {
        for (between, sampling) in [("nearest", ImageSampling::Nearest), ("bilinear", ImageSampling::Bilinear)] {
            let rotation = RandomRotation::new((0.13, 0.13)).fill_mode(fill).interpolation(sampling).fill_value(7.0);
            check(&rows, &format!("rotation_{mode}_{between}"), &rotation, true, near);
            let moved = RandomTranslation::new((0.37, 0.37), (0.81, 0.81));
            let moved = moved.fill_mode(fill).interpolation(sampling).fill_value(7.0);
            check(&rows, &format!("translation_{mode}_{between}"), &moved, true, near);
            let zoom = RandomZoom::new((0.9, 0.9)).width_factor((0.7, 0.7));
            let zoom = zoom.fill_mode(fill).interpolation(sampling).fill_value(7.0);
            check(&rows, &format!("zoom_{mode}_{between}"), &zoom, true, near);
        }
    }
}

#[test]
fn cut_and_mirrored() {
    let rows = file("layers_preprocessing");
    check(&rows, "flip_used", &RandomFlip::new(), false, 0.0);
    check(&rows, "crop_used", &RandomCrop::new(3, 3), false, 0.0);
    check(&rows, "crop_wide", &RandomCrop::new(3, 8), true, 2e-5);
    check(&rows, "crop_high", &RandomCrop::new(8, 4), true, 2e-5);
    check(&rows, "crop_larger", &RandomCrop::new(7, 9), true, 2e-5);

    // Every window comes, and nothing else; one for the whole batch.
    let x = tf::reshape(&tf::range(0.0, 40.0, 1.0), [2, 4, 5, 1]);
    let crop = RandomCrop::new(3, 3).seed(1);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..100 {
        let y = crop.call_training(&x, true).to_vec::<f32>();
        let corner = y[0] as usize;
        let right = |image: usize| (0..9).map(move |at| (image * 20 + corner + at / 3 * 5 + at % 3) as f32);
        assert!(y.iter().copied().eq(right(0).chain(right(1))), "{y:?}");
        seen.insert(corner);
    }
    assert_eq!(Vec::from_iter(seen), [0, 1, 2, 5, 6, 7]);

    for (mode, axes) in
        [(FlipMode::Horizontal, vec![2]), (FlipMode::Vertical, vec![1]), (FlipMode::HorizontalAndVertical, vec![1, 2])]
    {
        let x = tf::random::stateless_normal([200, 2, 3, 1], [1, 2], 0.0, 1.0);
        let y = RandomFlip::new().mode(mode).seed(2).call_training(&x, true);
        let same = tf::reduce_all(tf::equal(&x, &y), [1, 2, 3]);
        let mirrored = tf::reduce_all(tf::equal(x.reverse(axes), &y), [1, 2, 3]);
        assert!(tf::reduce_all(tf::logical_or(&same, &mirrored), ()).item::<bool>(), "{mode:?}");
        let kept = same.to_vec::<bool>().iter().filter(|same| **same).count();
        assert!((70..130).contains(&kept), "{mode:?}: {kept} of 200 are as they were");
    }
}

#[test]
fn coloured() {
    let rows = file("layers_preprocessing");
    check(&rows, "brightness", &RandomBrightness::new((0.2, 0.2)), true, 2e-6);
    let darker = RandomBrightness::new((-0.1, -0.1)).value_range((-20.0, 200.0));
    check(&rows, "brightness_range", &darker, true, 2e-6);
    check(&rows, "contrast", &RandomContrast::new((0.0, 0.0)), true, 2e-6);
    let range = RandomContrast::new((0.0, 0.0)).value_range((50.0, 100.0));
    check(&rows, "contrast_range", &range, true, 2e-6);

    // The factor of each image lies where it should, evenly.
    let image = tf::reshape(&tf::constant([100.0, 150.0]), [1, 1, 2, 1]);
    let x = tf::broadcast_to(&image, [2000, 1, 2, 1]);
    let y = RandomContrast::new((0.2, 0.6)).seed(3).call_training(&x, true);
    let factors = (y.at(tf::s![.., 0, 1, 0]) - 125.0) / 25.0;
    let ends = [tf::reduce_min(&factors, ()).item::<f32>(), tf::reduce_max(&factors, ()).item::<f32>()];
    assert!((ends[0] - 0.8).abs() < 0.01 && (ends[1] - 1.6).abs() < 0.01, "{ends:?}");
    let y = RandomBrightness::new(0.1).seed(4).call_training(&x, true);
    let light = y.at(tf::s![.., 0, 0, 0]) - 100.0;
    let ends = [tf::reduce_min(&light, ()).item::<f32>(), tf::reduce_max(&light, ()).item::<f32>()];
    assert!((ends[0] + 25.5).abs() < 0.3 && (ends[1] - 25.5).abs() < 0.3, "{ends:?}");
    let one = RandomContrast::new(0.3).seed(5).call_training(&x, true).at(tf::s![.., 0, 1, 0]);
    let least = (tf::reduce_min(&one, ()).item::<f32>() - 125.0) / 25.0;
    assert!((least - 1.0).abs() < 0.01, "one factor is for more contrast alone: {least}");
    assert!(RandomFlip::new().trainable_variables().is_empty());
}

#[test]
fn categories() {
    let rows = file("layers_preprocessing");
    let new = || CategoryEncoding::new(4);
    check(&rows, "category", &new(), false, 0.0);
    check(&rows, "category_row", &new(), false, 0.0);
    check(&rows, "category_one_hot", &new().output_mode(CategoryMode::OneHot), false, 0.0);
    check(&rows, "category_one_hot_column", &new().output_mode(CategoryMode::OneHot), false, 0.0);
    check(&rows, "category_count", &new().output_mode(CategoryMode::Count), false, 0.0);
    let weights = tf::constant([[0.5, 2.0, 0.25]]);
    let numbers = tensor(&rows["category_weights"]["input"]);
    let y = new().output_mode(CategoryMode::Count).call_weighted([&numbers, &weights]);
    near("category_weights", &y, &rows["category_weights"]["output"], 0.0);
    let text = new().name("ce").try_call_weighted([&numbers, &weights]).unwrap_err().to_string();
    assert!(text.contains("ce") && text.contains("MultiHot"), "{text}");
}

#[test]
fn bins() {
    let rows = file("layers_preprocessing");
    check(&rows, "bins", &Discretization::new([-1.0, 0.0, 1.5]), false, 0.0);
    let one_hot = Discretization::new([-1.0, 0.0, 1.5]).output_mode(CategoryMode::OneHot);
    check(&rows, "bins_one_hot", &one_hot, false, 0.0);
    let two = || Discretization::new([-1.0, 0.0]);
    check(&rows, "bins_multi_hot", &two().output_mode(CategoryMode::MultiHot), false, 0.0);
    check(&rows, "bins_count", &two().output_mode(CategoryMode::Count), false, 0.0);
    for (name, layer) in [
        ("bins_adapted", Discretization::of_bins(4)),
        ("bins_epsilon", Discretization::of_bins(3).epsilon(0.1)),
        ("bins_batches", Discretization::of_bins(5).epsilon(0.05)),
    ] {
        let batches: Vec<Tensor> = rows[name]["batches"].as_array().expect("batches").iter().map(tensor).collect();
        layer.adapt_batches(batches.clone());
        let right: Vec<f64> = rows[name]["boundaries"].as_array().expect("numbers").iter().map(number).collect();
        let found = layer.bin_boundaries().expect("boundaries");
        let near_all = found.len() == right.len() && found.iter().zip(&right).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(near_all, "{name}: {found:?}, Keras has {right:?}");
        near(name, &layer.call(&batches[0]), &rows[name]["output"], 0.0);
    }
}

#[test]
fn refusals_name_layer_and_option() {
    let words = |text: String, words: &[&str]| {
        let missing: Vec<&&str> = words.iter().filter(|word| !text.contains(**word)).collect();
        assert!(missing.is_empty(), "{missing:?} are missing in: {text}");
    };
    words(RandomRotation::try_new(1.5).unwrap_err().to_string(), &["factor", "from -1.5 to 1.5"]);
    words(RandomZoom::new(0.1).try_width_factor((0.0, 2.0)).unwrap_err().to_string(), &["width_factor"]);
    words(RandomTranslation::try_new(0.1, 3.0).unwrap_err().to_string(), &["width_factor"]);
    words(RandomContrast::try_new((-0.5, 0.2)).unwrap_err().to_string(), &["factor", "from 0 to 1"]);
    words(RandomBrightness::new(0.1).try_value_range((5.0, 1.0)).unwrap_err().to_string(), &["value_range"]);
    words(RandomCrop::try_new(0, 2).unwrap_err().to_string(), &["height"]);
    let flip = RandomFlip::new().name("rf");
    words(flip.try_call(tf::ones([2, 2]), true).unwrap_err().to_string(), &["rf", "float32[2, 2]", "rank 3 or 4"]);
    words(Discretization::try_new([1.0, 0.0]).unwrap_err().to_string(), &["[1.0, 0.0]", "ascend"]);
    words(Discretization::new([1.0]).try_adapt(tf::ones([2])).unwrap_err().to_string(), &["of_bins"]);
    let bins = Discretization::of_bins(3).name("bins");
    words(bins.try_call(tf::ones([2]), false).unwrap_err().to_string(), &["bins", "adapt"]);
    let _ = Call::inference();
}
