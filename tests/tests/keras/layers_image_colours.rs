//! Layers that change the colours of images, against Keras: random ones with a range of one number, where Keras draws what ours do.
//! What is left to chance is held to its laws.

use crate::numbers::{file, near, tensor};
use eagerflow as tf;
use serde_json::Value;
use tf::layers::{
    AutoContrast, Equalization, Layer, RandomGrayscale, RandomHue, RandomInvert, RandomPosterization, RandomSaturation,
    Solarization,
};
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

/// Copies of one image of numbers, one row high.
fn copies(count: usize, image: &[f64]) -> Tensor {
    let row = tf::cast(&Tensor::from(image.to_vec()), tf::float32);
    tf::broadcast_to(&tf::reshape(&row, [1, 1, image.len(), 1]), [count, 1, image.len(), 1])
}

#[test]
fn gray_and_inverted() {
    let rows = file("layers_images");
    let gray = || RandomGrayscale::new().factor(1.0);
    check(&rows, "gray", &gray(), true, 1e-6);
    check(&rows, "gray_one", &gray(), true, 1e-6);
    check(&rows, "gray_first", &gray().data_format(FIRST), true, 1e-6);
    check(&rows, "gray_gray", &gray(), true, 0.0);
    check(&rows, "gray_used", &gray(), false, 0.0);
    check(&rows, "gray_never", &RandomGrayscale::new().factor(0.0), true, 0.0);
    check(&rows, "invert", &RandomInvert::new().factor((1.0, 1.0)), true, 1e-6);
    let range = RandomInvert::new().factor((1.0, 1.0)).value_range((-1.0, 300.0));
    check(&rows, "invert_range", &range, true, 1e-6);
    check(&rows, "invert_never", &RandomInvert::new().factor((0.0, 0.0)), true, 0.0);
    check(&rows, "invert_used", &RandomInvert::new(), false, 0.0);

    // As many as the probability says, each as a whole.
    let x = copies(2000, &[10.0, 20.0]);
    let inverted = RandomInvert::new().factor((0.2, 0.4)).seed(1).call_training(&x, true).to_vec::<f32>();
    let count = inverted.chunks(2).filter(|image| *image == [245.0, 235.0]).count();
    assert!(inverted.chunks(2).all(|image| image == [245.0, 235.0] || image == [10.0, 20.0]));
    assert!((530..670).contains(&count), "{count} of 2000 with a probability of 0.3");
    let red = tf::broadcast_to(&tf::constant([[[[100.0, 0.0, 0.0]]]]), [2000, 1, 1, 3]);
    let grays = RandomGrayscale::new().factor(0.7).seed(2).call_training(&red, true).to_vec::<f32>();
    let count = grays.chunks(3).filter(|pixel| pixel[0] < 50.0 && pixel[0] == pixel[2]).count();
    assert!((1330..1470).contains(&count), "{count} of 2000 with a probability of 0.7");
}

#[test]
fn hue_and_saturation() {
    let rows = file("layers_images");
    check(&rows, "hue_half", &RandomHue::new((1.0, 1.0)), true, 1e-5);
    check(&rows, "hue_unit", &RandomHue::new((1.0, 1.0)).value_range((0.0, 1.0)), true, 1e-5);
    check(&rows, "hue_first", &RandomHue::new((1.0, 1.0)).data_format(FIRST), true, 1e-5);
    check(&rows, "hue_used", &RandomHue::new(0.5), false, 0.0);
    check(&rows, "saturation", &RandomSaturation::new((0.7, 0.7)), true, 1e-5);
    check(&rows, "saturation_less", &RandomSaturation::new((0.2, 0.2)), true, 1e-5);
    check(&rows, "saturation_below", &RandomSaturation::new((-0.5, -0.5)), true, 1e-5);
    let unit = RandomSaturation::new((0.7, 0.7)).value_range((0.0, 1.0));
    check(&rows, "saturation_unit", &unit, true, 1e-5);
    check(&rows, "saturation_one", &RandomSaturation::new((0.4, 0.4)), true, 1e-5);
    check(&rows, "saturation_first", &RandomSaturation::new((0.4, 0.4)).data_format(FIRST), true, 1e-5);
    check(&rows, "saturation_used", &RandomSaturation::new(0.4), false, 0.0);

    // One number turns by half of it, in either direction.
    let (up, down) = (tensor(&rows["hue_up"]["output"]), tensor(&rows["hue_down"]["output"]));
    let x = tensor(&rows["hue_up"]["input"]);
    let layer = RandomHue::new((0.4, 0.4)).seed(3);
    let mut seen = [0; 2];
    for _ in 0..20 {
        let y = layer.call_training(&x, true);
        for image in 0..2 {
            let apart = |right: &Tensor| {
                tf::reduce_max((y.at(tf::s![image]) - right.at(tf::s![image])).abs(), ()).item::<f32>()
            };
            let (from_up, from_down) = (apart(&up), apart(&down));
            assert!(from_up.min(from_down) < 2e-3, "{from_up} from one turn, {from_down} from the other");
            seen[usize::from(from_down < from_up)] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 5), "{seen:?} of 40 turns in each direction");
}

#[test]
fn solarized_and_posterized() {
    let rows = file("layers_images");
    check(&rows, "solar", &Solarization::new(), true, 1e-6);
    check(&rows, "solar_unit", &Solarization::new().value_range((0.0, 1.0)), true, 1e-6);
    let random = Solarization::new().addition_factor(0.3).threshold_factor(0.3);
    check(&rows, "solar_used", &random, false, 0.0);
    check(&rows, "poster", &RandomPosterization::new((3, 3)), true, 0.0);
    check(&rows, "poster_unit", &RandomPosterization::new((2, 2)).value_range((0.0, 1.0)), true, 1e-6);
    check(&rows, "poster_all", &RandomPosterization::new((8, 8)), true, 0.0);
    check(&rows, "poster_first", &RandomPosterization::new((4, 4)).data_format(FIRST), true, 0.0);
    check(&rows, "poster_used", &RandomPosterization::new(3), false, 0.0);

    // What is added lies between the lower number and the upper share of 255.
    let added = Solarization::new().addition_factor((0.2, 0.4)).seed(4).call_training(copies(2000, &[0.0]), true);
    let added = 255.0 - added;
    let ends = [tf::reduce_min(&added, ()).item::<f32>(), tf::reduce_max(&added, ()).item::<f32>()];
    assert!((ends[0] - 0.2).abs() < 0.3 && (ends[1] - 102.0).abs() < 0.3, "{ends:?}");
    // A threshold is between 0 and 51: 60 is always above it, 50 seldom below, 10 often.
    let y = Solarization::new().threshold_factor(0.2).seed(5).call_training(copies(2000, &[10.0, 50.0, 60.0]), true);
    let y = y.to_vec::<f32>();
    let kept = |at: usize, value: f32| y.chunks(3).filter(|image| image[at] == value).count();
    let counts = [kept(0, 10.0), kept(1, 50.0), kept(2, 60.0)];
    assert!((1540..1680).contains(&counts[0]) && (10..80).contains(&counts[1]) && counts[2] == 0, "{counts:?}");
    // One or two bits, and never three.
    let bits = RandomPosterization::new(3).seed(6).call_training(copies(1000, &[255.0]), true).to_vec::<f32>();
    let ones = bits.iter().filter(|&&x| x == 128.0).count();
    assert!(bits.iter().all(|&x| x == 128.0 || x == 192.0) && (430..570).contains(&ones), "{ones} of 1000");
}

#[test]
fn spread_over_the_range() {
    let rows = file("layers_images");
    check(&rows, "auto", &AutoContrast::new(), true, 1e-5);
    check(&rows, "auto_used", &AutoContrast::new(), false, 1e-5);
    check(&rows, "auto_unit", &AutoContrast::new().value_range((0.0, 1.0)), true, 1e-5);
    check(&rows, "auto_flat", &AutoContrast::new(), true, 1e-5);
    check(&rows, "auto_one", &AutoContrast::new(), true, 1e-5);
    // Channels that come first are stretched as those that come last; Keras stretches other parts then.
    let x = tensor(&rows["auto"]["input"]);
    let first = AutoContrast::new().data_format(FIRST).call(tf::transpose(&x, [0, 3, 1, 2]));
    near("auto, channels first", &tf::transpose(&first, [0, 2, 3, 1]), &rows["auto"]["output"], 1e-5);

    check(&rows, "equal", &Equalization::new(), true, 0.0);
    check(&rows, "equal_used", &Equalization::new(), false, 0.0);
    check(&rows, "equal_bins", &Equalization::new().bins(16), true, 0.0);
    check(&rows, "equal_unit", &Equalization::new().value_range((0.0, 1.0)).bins(64), true, 1e-6);
    check(&rows, "equal_flat", &Equalization::new(), true, 0.0);
    check(&rows, "equal_one", &Equalization::new(), true, 0.0);
    check(&rows, "equal_first", &Equalization::new().data_format(FIRST), true, 0.0);
    check(&rows, "equal_whole", &Equalization::new(), true, 0.0);
}

#[test]
fn refusals_of_colours_name_layer_and_option() {
    let words = |text: String, words: &[&str]| {
        let missing: Vec<&&str> = words.iter().filter(|word| !text.contains(**word)).collect();
        assert!(missing.is_empty(), "{missing:?} are missing in: {text}");
    };
    words(RandomGrayscale::new().try_factor(1.5).unwrap_err().to_string(), &["RandomGrayscale", "factor", "1.5"]);
    words(RandomInvert::new().try_factor((-0.5, 0.3)).unwrap_err().to_string(), &["RandomInvert", "factor"]);
    words(RandomHue::try_new(2.0).unwrap_err().to_string(), &["RandomHue", "factor", "from 0 to 1"]);
    words(RandomSaturation::try_new((0.0, 1.5)).unwrap_err().to_string(), &["RandomSaturation", "from -1 to 1"]);
    let solar = Solarization::new().try_threshold_factor(1.5).unwrap_err().to_string();
    words(solar, &["Solarization", "threshold_factor"]);
    words(RandomPosterization::try_new(9).unwrap_err().to_string(), &["RandomPosterization", "from 1 to 8"]);
    words(RandomPosterization::try_new(2.5).unwrap_err().to_string(), &["whole numbers"]);
    words(Equalization::new().try_bins(0).unwrap_err().to_string(), &["Equalization", "bins"]);
    words(AutoContrast::new().try_value_range((1.0, 1.0)).unwrap_err().to_string(), &["AutoContrast", "value_range"]);
    let gray = RandomGrayscale::new().factor(1.0).name("rg");
    words(gray.try_call(tf::ones([2, 2, 2]), true).unwrap_err().to_string(), &["rg", "three channels"]);
}
