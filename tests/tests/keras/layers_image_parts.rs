//! Layers that sharpen, shear, overwrite and mix images, against Keras where chance has no say.
//! What is left to chance is held to its laws.

use crate::numbers::{file, near, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::layers::{CutMix, FillMode, ImageSampling, Layer, MixUp, RandomErasing, RandomSharpness, RandomShear};
use tf::{DataFormat, Tensor, tf_function};

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

const FIRST: DataFormat = DataFormat::ChannelsFirst;

#[test]
fn sharpened() {
    let rows = file("layers_images");
    check(&rows, "sharp", &RandomSharpness::new((0.9, 0.9)), true, 1e-5);
    check(&rows, "sharp_blurred", &RandomSharpness::new((0.1, 0.1)), true, 1e-5);
    check(&rows, "sharp_range", &RandomSharpness::new((1.0, 1.0)).value_range((50.0, 100.0)), true, 1e-5);
    check(&rows, "sharp_one", &RandomSharpness::new((0.9, 0.9)), true, 1e-5);
    check(&rows, "sharp_first", &RandomSharpness::new((0.9, 0.9)).data_format(FIRST), true, 1e-5);
    check(&rows, "sharp_used", &RandomSharpness::new(0.5), false, 0.0);
}

#[test]
fn sheared() {
    let rows = file("layers_images");
    check(&rows, "shear_none", &RandomShear::new(), true, 1e-6);
    check(&rows, "shear_used", &RandomShear::new().x_factor(0.5), false, 0.0);
    let new = || RandomShear::new().x_factor((0.4, 0.4)).y_factor((0.15, 0.15)).seed(1);
    let filled = new().fill_mode(FillMode::Constant).fill_value(7.0).interpolation(ImageSampling::Nearest);
    for (name, layer) in [("up", new()), ("fill", filled), ("first", new().data_format(FIRST))] {
        let row = &rows[format!("shear_{name}").as_str()];
        let x = tensor(&row["input"]);
        let ways = [tensor(&row["output"]), tensor(&rows[format!("shear_{name}_back").as_str()]["output"])];
        let mut seen = [0; 2];
        for _ in 0..15 {
            let y = layer.call_training(&x, true);
            for image in 0..2 {
                let apart = |right: &Tensor| {
                    tf::reduce_max((y.at(tf::s![image]) - right.at(tf::s![image])).abs(), ()).item::<f32>()
                };
                let (from, from_back) = (apart(&ways[0]), apart(&ways[1]));
                assert!(from.min(from_back) < 5e-3, "{name}: {from} from one way, {from_back} from the other");
                seen[usize::from(from_back < from)] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 4), "{name}: {seen:?} of 30 each way");
    }
}

#[test]
fn overwritten() {
    let rows = file("layers_images");
    let whole = || RandomErasing::new().factor((1.0, 1.0)).scale((1.0, 1.0));
    check(&rows, "erasing", &whole().fill_value(7.0), true, 0.0);
    check(&rows, "erasing_channels", &whole().fill_value([7.0, 8.0, 300.0]), true, 0.0);
    check(&rows, "erasing_range", &whole().fill_value(7.0).value_range((9.0, 20.0)), true, 0.0);
    check(&rows, "erasing_nothing", &whole().scale((0.0, 0.0)), true, 0.0);
    check(&rows, "erasing_never", &RandomErasing::new().factor((0.0, 0.0)), true, 0.0);
    check(&rows, "erasing_used", &RandomErasing::new(), false, 0.0);

    // Rectangles of a quarter of the area: half of the sides, anywhere, in as many images as the probability says.
    let x = tf::ones([1000, 8, 6, 1]);
    let layer = RandomErasing::new().factor((0.5, 0.5)).scale((0.25, 0.25)).fill_value(9.0).seed(2);
    let y = layer.call_training(&x, true).to_vec::<f32>();
    let (mut erased, mut corners) = (0, std::collections::BTreeSet::new());
    for image in y.chunks(48) {
        let places: Vec<usize> = (0..48).filter(|&at| image[at] == 9.0).collect();
        let Some(&corner) = places.first() else { continue };
        (erased, _) = (erased + 1, corners.insert(corner));
        let right = (0..12).map(|at| corner + at / 3 * 6 + at % 3);
        assert!(places.iter().copied().eq(right), "{places:?}");
    }
    assert!((440..560).contains(&erased) && corners.len() > 8, "{erased} of 1000, from {corners:?}");
    // Noise: about half of it below 0, so at the end of the range, and all within.
    let noise = whole().value_range((0.0, 100.0)).seed(3).call_training(&x, true).to_vec::<f32>();
    let (least, most) = (noise.iter().filter(|x| **x == 0.0).count(), noise.iter().filter(|x| **x == 100.0).count());
    let shares = [least, most].map(|count| count as f64 / noise.len() as f64);
    assert!((shares[0] - 0.5).abs() < 0.02 && (shares[1] - 0.1587).abs() < 0.02, "{shares:?}");
}

/// Images of one value each, 0 to 9 times 10, and their numbers as labels.
fn ten() -> (Tensor, Tensor) {
    let values = tf::cast(tf::range(0, 10, 1), tf::float32);
    let x = tf::broadcast_to(&tf::reshape(&(&values * 10.0), [10, 1, 1, 1]), [10, 8, 6, 1]);
    (x, tf::one_hot(tf::range(0, 10, 1), 10))
}

#[test]
fn mixed() {
    let rows = file("layers_images");
    check(&rows, "mix_used", &MixUp::new(), false, 0.0);
    check(&rows, "mix_one", &MixUp::new(), true, 1e-5);
    check(&rows, "cut_used", &CutMix::new(), false, 0.0);
    check(&rows, "cut_one", &CutMix::new(), true, 0.0);

    let (x, labels) = ten();
    let values = tf::cast(tf::range(0, 10, 1), tf::float32) * 10.0;
    let (up, cut) = (MixUp::new().alpha(0.7).seed(4), CutMix::new().seed(5));
    let mut changed = [0; 2];
    for _ in 0..20 {
        for (which, (y, mixed)) in
            [up.call_labelled(&x, &labels, true), cut.call_labelled(&x, &labels, true)].iter().enumerate()
        {
            // Labels are shares that add up to 1, of at most two classes.
            assert!(mixed.to_vec::<f32>().chunks(10).all(|row| row.iter().filter(|share| **share > 1e-6).count() <= 2));
            assert!(tf::reduce_sum(mixed, -1).to_vec::<f32>().iter().all(|sum| (sum - 1.0).abs() < 1e-5));
            if which == 0 {
                // Images are mixed by the shares of the labels.
                let right = tf::reduce_sum(mixed * &values, -1).to_vec::<f32>();
                let found = y.to_vec::<f32>();
                assert!(
                    found.chunks(48).zip(&right).all(|(image, right)| image.iter().all(|x| (x - right).abs() < 1e-3))
                );
            }
            let y = y.to_vec::<f32>();
            let own = |i: usize, image: &[f32]| image.iter().all(|x| (x - 10.0 * i as f32).abs() < 1e-3);
            let others = y.chunks(48).enumerate().filter(|(i, image)| !own(*i, image)).count();
            changed[which] += others;
        }
    }
    assert!(changed.iter().all(|&count| count > 10), "{changed:?} of 200 images have something of another");
    // What is not trained stays, labels too; integers become shares.
    let (same, labels) = up.call_labelled(&x, tf::cast(&labels, tf::int32), false);
    assert!(tf::reduce_all(tf::equal(&same, &x), ()).item::<bool>() && labels.dtype() == tf::float32);
}

#[test]
fn rectangles_have_the_area_of_the_labels() {
    let (x, labels) = ten();
    let layer = CutMix::new().factor((1.0, 1.0)).seed(6);
    for _ in 0..20 {
        let (y, mixed) = layer.call_labelled(&x, &labels, true);
        let (y, mixed) = (y.to_vec::<f32>(), mixed.to_vec::<f32>());
        for (i, (image, shares)) in y.chunks(48).zip(mixed.chunks(10)).enumerate() {
            let other: Vec<usize> = (0..48).filter(|&at| image[at] != 10.0 * i as f32).collect();
            let Some(&first) = other.first() else { continue };
            let last = other[other.len() - 1];
            let (height, width) = (last / 6 - first / 6 + 1, last % 6 - first % 6 + 1);
            assert_eq!(height * width, other.len(), "no rectangle: {other:?}");
            // Whole pixels differ from the area by less than one row and one column at either side.
            let area = f64::from(1.0 - shares[i]) * 48.0;
            let (height, width) = (height as f64, width as f64);
            assert!(area > (height - 1.0) * (width - 1.0) - 1e-3 && area < (height + 1.0) * (width + 1.0) + 1e-3);
            assert!(shares[(image[first] / 10.0) as usize] > 0.0);
        }
    }
}

#[test]
fn refusals_of_parts_name_layer_and_option() {
    let words = |text: String, words: &[&str]| {
        let missing: Vec<&&str> = words.iter().filter(|word| !text.contains(**word)).collect();
        assert!(missing.is_empty(), "{missing:?} are missing in: {text}");
    };
    words(RandomSharpness::try_new(1.5).unwrap_err().to_string(), &["RandomSharpness", "factor", "from 0 to 1"]);
    words(RandomShear::new().try_y_factor((-0.5, 0.2)).unwrap_err().to_string(), &["RandomShear", "y_factor"]);
    words(RandomErasing::new().try_scale((0.0, 2.0)).unwrap_err().to_string(), &["RandomErasing", "scale"]);
    words(MixUp::new().try_alpha(0.0).unwrap_err().to_string(), &["MixUp", "alpha"]);
    words(CutMix::new().try_factor((0.5, 1.5)).unwrap_err().to_string(), &["CutMix", "factor"]);
    let layer = MixUp::new().name("mu");
    let text = layer.try_call_labelled(tf::ones([2, 2, 2, 1]), tf::ones([3, 4]), true).unwrap_err().to_string();
    words(text, &["mu", "float32[3, 4]", "not as many"]);
}
