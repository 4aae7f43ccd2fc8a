//! Each kind of summary as it lies in the file: plugins, shapes, bytes; and what is refused.
//! The numbers beside TensorFlow's are in `golden.rs`.

use super::{Folder, scalars, written};
use eagerflow as tf;
use formats::events::{GraphDef, HParamsKind, HParamsPluginData};
use formats::messages::Message;
use tf::Tensor;
use tf::summary::{self, HParams, HParamsConfig, ReadEvent, ReadValue};

use eagerflow_formats as formats;

fn tensor(event: &ReadEvent) -> &Tensor {
    match &event.value {
        ReadValue::Value(tensor) => tensor,
        other => panic!("no tensor: {other:?}"),
    }
}

/// What a writer writes while `run` runs.
fn events(name: &str, run: impl FnOnce()) -> Vec<ReadEvent> {
    let folder = Folder::new(name);
    let writer = summary::create_file_writer(&folder.0);
    {
        let _default = writer.as_default();
        run();
    }
    writer.close();
    written(&folder.0)
}

#[test]
fn scalars_of_all_types_and_steps() {
    let step = tf::Variable::new(Tensor::from(7_i64));
    let all = events("scalars", || {
        summary::scalar("a", 0.5, 1);
        summary::scalar("b", 2_i64, 2_usize);
        summary::scalar("c", tf::constant(true), &tf::constant(3));
        summary::scalar("d", Tensor::from(1.5_f64), &step);
        summary::set_step(&step);
        step.assign_add(1);
        summary::scalar("e", &tf::Variable::new(4.0), ());
        summary::set_step(9);
        summary::scalar("f", Tensor::from(2_u8), ());
        summary::set_step(());
        summary::scalar_described("g", 1.0, 10, "a *text*");
        let _outer = tf::name_scope("outer");
        let _inner = tf::name_scope("inner");
        summary::scalar("h", 1, 11);
        summary::scalar("i", &tf::constant(1), &step);
    });
    let right = [
        ("a", 1, 0.5),
        ("b", 2, 2.0),
        ("c", 3, 1.0),
        ("d", 7, 1.5),
        ("e", 8, 4.0),
        ("f", 9, 2.0),
        ("g", 10, 1.0),
        ("outer/inner/h", 11, 1.0),
        ("outer/inner/i", 8, 1.0),
    ];
    assert_eq!(scalars(&all), right);
    assert!(all.iter().all(|event| event.plugin == "scalars" && event.wall_time > 1.7e9));
    assert!(all.windows(2).all(|pair| pair[0].wall_time <= pair[1].wall_time));
}

#[test]
fn histograms_images_texts_and_sounds() {
    let all = events("tensors", || {
        summary::Histogram::new().buckets(2).write("histogram", tf::constant([[0, 1], [2, 4]]), 1);
        summary::histogram("empty", tf::zeros([0]), 1);
        let images = tf::constant([[[[0.0], [0.5]], [[1.0], [2.0]]]]);
        summary::image("image", &images, 2);
        summary::Image::new().max_outputs(2).write("bytes", tf::cast(tf::zeros([5, 3, 2, 4]), tf::uint8), 2);
        summary::text("text", "**one**", 3);
        summary::text("table", tf::constant([["a", "b"], ["c", "é"]]), 3);
        summary::Audio::new().sample_rate(8000).write("sound", tf::constant([[[0.0], [0.5], [-2.0]]]), 4);
    });
    let plugins: Vec<&str> = all.iter().map(|event| event.plugin.as_str()).collect();
    assert_eq!(plugins, ["histograms", "histograms", "images", "images", "text", "text", "audio"]);
    assert_eq!(tensor(&all[0]).to_vec::<f64>(), [0.0, 2.0, 2.0, 2.0, 4.0, 2.0]);
    assert_eq!((tensor(&all[1]).shape().dims(), tensor(&all[1]).to_vec::<f64>()), (&[30, 3][..], vec![0.0; 90]));
    let parts = tensor(&all[2]).to_byte_strings();
    assert_eq!((&*parts[0], &*parts[1], parts.len()), (&b"2"[..], &b"2"[..], 3));
    let decoded = image::load_from_memory(&parts[2]).expect("a PNG").to_luma8();
    assert_eq!(decoded.as_raw(), &[0, 127, 255, 255]);
    let parts = tensor(&all[3]).to_byte_strings();
    assert_eq!((&*parts[0], &*parts[1], parts.len()), (&b"2"[..], &b"3"[..], 4));
    assert_eq!(tensor(&all[4]).item_string(), "**one**");
    assert_eq!((tensor(&all[5]).shape().dims(), &*tensor(&all[5]).to_strings()[3]), (&[2, 2][..], "é"));
    let parts = tensor(&all[6]).to_byte_strings();
    assert!(parts[0].starts_with(b"RIFF") && parts[0].len() == 44 + 6 && parts[1].is_empty());
    let samples: Vec<i16> = parts[0][44..].chunks(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
    assert_eq!(samples, [0, 16384, -32768]);
}

#[tf::tf_function]
fn scoped(x: &Tensor) -> Tensor {
    let _scope = tf::name_scope("block");
    let mut y = x * 2.0;
    while tf::reduce_sum(&y, ()) < 100.0 {
        y = &y + 1.0;
    }
    y
}

#[test]
fn graphs_have_scopes_and_bodies() {
    scoped(&tf::ones([3]));
    let all = events("graph", || {
        summary::graph(tf::function(scoped));
        let error = summary::try_graph(tf::function(tensor)).unwrap_err().to_string();
        assert!(error.contains("no trace"), "{error}");
    });
    let ReadValue::Graph(bytes) = &all[0].value else { panic!("a graph") };
    let graph = GraphDef::decode(&**bytes).expect("a graph");
    let names: Vec<&str> = graph.node.iter().map(|node| node.name.as_str()).collect();
    assert!(names.contains(&"x") && names.contains(&"block/multiply"), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("block/while") && name.matches('/').count() > 2), "{names:?}");
    let unique: std::collections::HashSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len());
    for input in graph.node.iter().flat_map(|node| &node.input) {
        let name = input.split(':').next().expect("a name");
        assert!(unique.contains(name), "{input} is no node of {names:?}");
    }
}

#[test]
fn hyperparameters_and_curves() {
    let all = events("hparams", || {
        let config = HParamsConfig::new().number("rate", Some((0.0, 1.0))).text("name").bool("augment");
        summary::hparams_config(config.metric("epoch_loss", "validation", "loss"));
        summary::hparams(HParams::new().with("rate", 0.5).with("name", "adam").with("augment", true));
        summary::hparams_end(true);
        let labels = tf::constant([true, true, false, false]);
        let predictions = tf::constant([0.9, 0.4, 0.6, 0.1]);
        summary::PrCurve::new().num_thresholds(3).write("curve", &labels, &predictions, 2);
    });
    let tags: Vec<&str> = all.iter().map(|event| event.tag.as_str()).collect();
    let right =
        ["_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info", "curve/pr_curves"];
    assert_eq!(tags, right);
    let curve = tensor(&all[3]);
    assert_eq!(curve.shape().dims(), [6, 3]);
    let rows: Vec<f32> = curve.to_vec();
    // At thresholds 0, 0.5 and 1: two, one and none of the two that are true; two, one and none of the others.
    assert_eq!(rows[..6], [2.0, 1.0, 0.0, 2.0, 1.0, 0.0]);
    assert_eq!(rows[6..12], [0.0, 1.0, 2.0, 0.0, 1.0, 2.0]);
    assert_eq!(rows[12..], [0.5, 0.5, 0.0, 1.0, 0.5, 0.0]);
}

/// The settings lie in the metadata, which the plain reader leaves out.
#[test]
fn hyperparameters_are_tensorboards_message() {
    let folder = Folder::new("hparams-message");
    let writer = summary::create_file_writer(&folder.0);
    {
        let _default = writer.as_default();
        summary::hparams(HParams::new().with("rate", 0.5).trial_id("first"));
    }
    writer.close();
    let path = writer.path().expect("a file");
    let event = formats::events::read_events(path).expect("a file").nth(1).expect("an event").expect("a whole one");
    let Some(formats::events::EventKind::Summary(summary)) = event.what else { panic!("a summary") };
    let plugin = summary.value[0].metadata.clone().expect("metadata").plugin_data.expect("a plugin");
    let data = HParamsPluginData::decode(&*plugin.content).expect("a message");
    let Some(HParamsKind::SessionStartInfo(start)) = data.data else { panic!("the start") };
    assert_eq!((plugin.plugin_name.as_str(), start.group_name.as_str(), start.hparams.len()), ("hparams", "first", 1));
}

#[test]
fn what_cannot_be_shown_is_refused_at_the_users_line() {
    let folder = Folder::new("refused");
    let writer = summary::create_file_writer(&folder.0);
    let _default = writer.as_default();
    let refused = |result: tf::Result<()>, words: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("kinds.rs"), "{error}");
    };
    refused(summary::try_scalar("a", tf::ones([2]), 1), "not one real number");
    refused(summary::try_scalar("a", &tf::constant("x"), 1), "not one real number");
    refused(summary::try_scalar("a", 1.0, ()), "there is no step");
    refused(summary::try_scalar("a", 1.0, &tf::constant(0.5)), "no integer");
    refused(summary::try_histogram("a", "text", 1), "no real numbers");
    refused(summary::try_image("a", tf::ones([3, 3, 1]), 1), "wrong rank");
    refused(summary::try_image("a", tf::ones([1, 3, 3, 5]), 1), "number of channels");
    refused(summary::try_image("a", tf::cast(tf::ones([1, 3, 3, 1]), tf::int32), 1), "wrong dtype");
    refused(summary::try_text("a", tf::ones([1]), 1), "no strings");
    refused(summary::try_audio("a", tf::ones([3]), 8000, 1), "no sounds");
    refused(summary::try_audio("a", tf::ones([1, 2, 1]), 0, 1), "sample_rate");
    refused(summary::try_pr_curve("a", tf::ones([2]), tf::ones([2]), 1), "no truth values");
    let labels = tf::constant([true, false]);
    refused(summary::try_pr_curve("a", &labels, tf::ones([3]), 1), "another shape");
    refused(summary::Histogram::new().try_buckets(0).map(drop), "buckets");
    refused(summary::PrCurve::new().try_num_thresholds(1).map(drop), "num_thresholds");
    refused(summary::FileWriter::new("x").try_max_queue(0).map(drop), "max_queue");
    refused(summary::try_trace_export("../x", 1, &folder.0).map(drop), "no name of a folder");
}

#[test]
fn an_image_without_pixels_is_an_error_of_the_flush() {
    let folder = Folder::new("no-pixels");
    let writer = summary::create_file_writer(&folder.0);
    let _default = writer.as_default();
    summary::image("nothing", tf::zeros([1, 0, 4, 1]), 1);
    summary::scalar("a", 1.0, 1);
    let error = writer.try_flush().unwrap_err().to_string();
    assert!(error.contains("cannot be encoded") && error.contains("missing from the file: 1"), "{error}");
    writer.flush();
    assert_eq!(scalars(&written(&folder.0)), [("a", 1, 1.0)]);
}
