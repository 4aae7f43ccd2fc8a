//! How the functions of boxes are called with the attributes of TensorFlow's record, and what they say to boxes without sense.
//! `calls.rs` hands them on; the facts are tests of their own.

use eagerflow::{self as tf, Tensor, tf_function};
use eagerflow_tests::golden::Attrs;
use tf::Result;
use tf::image::{self, CombinedSuppression, CropMethod, Distortion, Glimpse, GlimpseNoise, PaddedSuppression};

/// A threshold; the record has no infinities.
fn score(a: &Attrs) -> f64 {
    let score = a.float("score");
    if score < -1e29 { f64::NEG_INFINITY } else { score }
}

/// The function of a name, if it is one of boxes.
pub fn call(op: &str, a: &Attrs, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
    let size = |i: usize| a.ints("size").unwrap()[i];
    let one = |y: Result<Tensor>| y.map(|y| vec![y]);
    let two = |y: Result<(Tensor, Tensor)>| y.map(|(a, b)| vec![a, b]);
    Some(match op {
        "crop_and_resize" => {
            let of: Vec<i32> = a.ints("indices").unwrap().iter().map(|&i| i as i32).collect();
            let (of, count) = (of.clone(), of.len());
            let of = Tensor::try_from_vec(of, [count]).unwrap();
            let method = if a.text("method") == "nearest" { CropMethod::Nearest } else { CropMethod::Bilinear };
            one(image::try_crop_and_resize(&x[0], &x[1], &of, (size(0), size(1)), method, a.float("outside")))
        }
        "non_max_suppression" => {
            one(image::try_non_max_suppression(&x[0], &x[1], a.int("most"), a.float("iou"), score(a)))
        }
        "non_max_suppression_overlaps" => {
            one(image::try_non_max_suppression_overlaps(&x[0], &x[1], a.int("most"), a.float("iou"), score(a)))
        }
        "non_max_suppression_with_scores" => {
            let (iou, sigma) = (a.float("iou"), a.float("sigma"));
            two(image::try_non_max_suppression_with_scores(&x[0], &x[1], a.int("most"), iou, score(a), sigma))
        }
        "non_max_suppression_padded" => {
            let how = PaddedSuppression::new().iou_threshold(a.float("iou")).score_threshold(score(a));
            let how = how.pad_to_max_output_size(a.flag("pad"));
            two(image::try_non_max_suppression_padded(&x[0], &x[1], a.int("most"), how))
        }
        "combined_non_max_suppression" => {
            let how = CombinedSuppression::new().iou_threshold(a.float("iou")).score_threshold(score(a));
            let how = how.pad_per_class(a.flag("per_class")).clip_boxes(a.flag("clip"));
            image::try_combined_non_max_suppression(&x[0], &x[1], a.int("most"), a.int("total"), how)
                .map(|(boxes, scores, classes, valid)| vec![boxes, scores, classes, valid])
        }
        "draw_bounding_boxes" => one(image::try_draw_bounding_boxes(&x[0], &x[1], x.get(2))),
        "extract_glimpse" => {
            let how = Glimpse::new().centered(a.flag("centered")).normalized(a.flag("normalized"));
            one(image::try_extract_glimpse(&x[0], (size(0), size(1)), &x[1], how.noise(GlimpseNoise::Zero)))
        }
        "stateless_sample_distorted_bounding_box" => {
            let (seed, area) = (a.ints("seed").unwrap(), a.raw("area"));
            let how = Distortion::new()
                .min_object_covered(a.float("covered"))
                .aspect_ratio_range((0.6, 1.7))
                .area_range((area[0].as_f64().unwrap(), area[1].as_f64().unwrap()))
                .max_attempts(30)
                .use_image_if_no_bounding_boxes(true);
            let seed = [seed[0] as i64, seed[1] as i64];
            image::try_stateless_sample_distorted_bounding_box(&x[0], &x[1], how, seed).map(|(a, b, c)| vec![a, b, c])
        }
        _ => return None,
    })
}

#[tf_function]
fn best(boxes: &Tensor, scores: &Tensor, most: &Tensor, iou: &Tensor) -> Tensor {
    let chosen = tf::image::non_max_suppression(boxes, scores, most, iou, 0.0);
    tf::gather(scores, &chosen, 0) * 2.0
}

#[test]
fn a_graph_goes_on_with_as_many_boxes_as_there_are() {
    let boxes = tf::constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 2.0, 1.0, 3.0]]);
    let scores = tf::constant([0.25, 0.5, 0.125]);
    let call = |most: i32, iou: f32| best(&boxes, &scores, &tf::constant(most), &tf::constant(iou)).to_vec::<f32>();
    assert_eq!(call(3, 0.5), [1.0, 0.25]);
    assert_eq!(call(3, 1.0), [1.0, 0.5, 0.25]);
    assert_eq!(call(1, 1.0), [1.0]);
    assert!(call(0, 1.0).is_empty());
}

#[tf_function]
fn refused(boxes: &Tensor, scores: &Tensor, iou: &Tensor) -> Result<Tensor> {
    tf::image::try_non_max_suppression(boxes, scores, 3, iou, 0.0)
}

#[test]
fn what_only_a_run_refuses_bears_the_name() {
    let (boxes, scores) = (tf::constant([[0.0, 0.0, 1.0, 1.0]]), tf::constant([0.5]));
    assert_eq!(refused(&boxes, &scores, &tf::constant(0.5)).unwrap().to_vec::<i32>(), [0]);
    let call = || refused(&boxes, &scores, &tf::constant(1.5)).map(|y| y.to_vec::<i32>());
    let said = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(result) => result.unwrap_err().to_string(),
        Err(panic) => panic.downcast_ref::<String>().unwrap().clone(),
    };
    assert!(said.contains("non_max_suppression: `iou_threshold`"), "{said}");
}

#[test]
fn boxes_without_sense_are_errors() {
    let x = tf::ones([1, 4, 4, 3]);
    let boxes = tf::constant([[0.0, 0.0, 1.0, 1.0]]);
    let (one, flat, none) = (tf::constant([0.5]), tf::constant([0.0, 0.0]), tf::constant([0]));
    let low = f64::NEG_INFINITY;
    let crop = |x: &Tensor, boxes: &Tensor, of: &Tensor| {
        image::try_crop_and_resize(x, boxes, of, (2, 2), CropMethod::Bilinear, 0.0)
    };
    assert!(crop(&x, &flat, &none).is_err());
    assert!(crop(&x, &boxes, &one).is_err());
    assert!(crop(&flat, &boxes, &none).is_err());
    assert!(crop(&x, &boxes, &tf::constant([1])).is_err());
    assert!(image::try_non_max_suppression(&boxes, &flat, 1, 0.5, low).is_err());
    assert!(image::try_non_max_suppression(&flat, &one, 1, 0.5, low).is_err());
    assert!(image::try_non_max_suppression(&boxes, &one, -1, 0.5, low).is_err());
    assert!(image::try_non_max_suppression(&boxes, &one, 1, f64::NAN, low).is_err());
    assert!(image::try_non_max_suppression(&boxes, &one, 1, tf::constant([0.5, 0.5]), low).is_err());
    assert!(image::try_non_max_suppression_with_scores(&boxes, &one, 1, 0.5, low, -1.0).is_err());
    assert!(image::try_non_max_suppression_overlaps(&boxes, &one, 1, 0.5, low).is_err());
    assert!(PaddedSuppression::new().try_iou_threshold(1.5).is_err());
    assert!(image::try_non_max_suppression_padded(&x, &one, 1, PaddedSuppression::new()).is_err());
    assert!(CombinedSuppression::new().try_score_threshold(f64::NAN).is_err());
    assert!(image::try_combined_non_max_suppression(&x, &one, 1, 1, CombinedSuppression::new()).is_err());
    let many = PaddedSuppression::new().pad_to_max_output_size(true);
    assert!(image::try_non_max_suppression_padded(&boxes, &one, isize::MAX, many).is_err());
    assert!(image::try_non_max_suppression_padded(&boxes, &one, 1_isize << 48, many).is_err());
    let (four, all) = (boxes.reshape([1, 1, 1, 4]), one.reshape([1, 1, 1]));
    for total in [isize::MAX, 1 << 48] {
        let most = image::try_combined_non_max_suppression(&four, &all, 1, total, CombinedSuppression::new());
        assert!(most.is_err());
    }
    assert!(image::try_draw_bounding_boxes(&x, &boxes, None).is_err());
    assert!(image::try_draw_bounding_boxes(&x, boxes.expand_dims(0), Some(&one)).is_err());
    assert!(image::try_extract_glimpse(&x, (0, 2), &boxes, Glimpse::new()).is_err());
    assert!(image::try_extract_glimpse(&x, (2, 2), &boxes, Glimpse::new()).is_err());
    assert!(Distortion::new().try_area_range((0.5, 1.5)).is_err());
    assert!(Distortion::new().try_aspect_ratio_range((0.0, 1.5)).is_err());
    assert!(Distortion::new().try_max_attempts(0).is_err());
    let size = tf::constant([4, 4, 3]);
    let sample = |size: &Tensor, boxes: &Tensor| {
        image::try_stateless_sample_distorted_bounding_box(size, boxes, Distortion::new(), [1, 2])
    };
    assert!(sample(&size, &boxes).is_err());
    assert!(sample(&tf::constant([4, -4, 3]), &boxes.expand_dims(0)).is_err());
    assert!(sample(&size, &(boxes.expand_dims(0) * f32::NAN)).is_err());
    assert!(sample(&size, &tf::zeros([1, 0, 4])).is_err());
    assert!(image::try_sample_distorted_bounding_box(&size, &boxes, Distortion::new(), Some(1)).is_err());
}

#[test]
fn glimpses_have_noise_within_the_range_of_the_image() {
    let x = tf::random::stateless_uniform([2, 4, 4, 2], [1, 2], 3.0, 5.0);
    let places = tf::constant([[1.0, 1.0], [-1.0, 0.5]]);
    let uniform = image::extract_glimpse(&x, (3, 3), &places, Glimpse::new()).to_vec::<f32>();
    assert!(uniform.iter().all(|v| (3.0..5.0).contains(v)));
    let normal = image::extract_glimpse(&x, (3, 3), &places, Glimpse::new().noise(GlimpseNoise::Gaussian));
    assert!(normal.to_vec::<f32>().iter().all(|v| (-5.0..13.0).contains(v)));
}
