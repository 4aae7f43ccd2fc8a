//! The same summaries as TensorFlow and TensorBoard write: tags, steps, plugins and their messages, shapes and values.
//! `tests/golden/summaries.py` has written theirs.

use super::{Folder, files};
use eagerflow as tf;
use eagerflow_formats::events::{Event, EventKind, HParamsKind, HParamsPluginData, SummaryValueKind, read_events};
use eagerflow_formats::messages::Message;
use serde_json::{Value, json};
use tf::Tensor;
use tf::summary::{self, Audio, HParams, HParamsConfig, Histogram, Image, PrCurve};

/// Numbers in [-1, 1) that Python makes alike.
fn numbers(count: i64) -> Vec<f32> {
    (0..count).map(|i| ((i * 7919) % 1000) as f32 / 500.0 - 1.0).collect()
}

fn tensor(values: Vec<f32>, shape: &[usize]) -> Tensor {
    Tensor::try_from_vec(values, shape).expect("as many numbers")
}

fn write() {
    summary::scalar("loss", 0.25, 1);
    summary::scalar_described("described", 3, 2, "a *text*");
    {
        let _outer = tf::name_scope("outer");
        let _inner = tf::name_scope("inner");
        summary::scalar("scoped", 1.5, 3);
    }
    let data = tensor(numbers(1000), &[1000]);
    summary::histogram("histogram", &data, 4);
    Histogram::new().buckets(10).write("ten", &data, 4);
    summary::histogram("equal", tf::constant([2.0, 2.0, 2.0]), 4);
    summary::histogram("empty", tf::zeros([0]), 4);
    summary::histogram("integers", Tensor::from(vec![1_i64, 2, 3, 1 << 40]), 4);
    for channels in [1, 2, 3, 4] {
        let pixels = numbers(2 * 3 * 5 * channels).into_iter().map(|x| (x + 1.0) * 0.6).collect();
        let pixels = tensor(pixels, &[2, 3, 5, channels as usize]);
        Image::new().max_outputs(1).write(&format!("image/{channels}"), &pixels, 5);
    }
    let bytes: Vec<u8> = (0..48).map(|i| i * 5).collect();
    summary::image("bytes", Tensor::try_from_vec(bytes, [4, 2, 2, 3]).expect("as many numbers"), 5);
    summary::text("text", "**bold**", 6);
    summary::text("table", tf::constant([["a", "b"], ["c", "é"]]), 6);
    let sound = tensor(numbers(160).into_iter().map(|x| x * 1.1).collect(), &[2, 40, 2]);
    Audio::new().sample_rate(8000).max_outputs(1).write("sound", &sound, 7);
    let hparams = HParams::new().with("rate", 0.5).with("name", "adam").with("augment", true).with("units", 16);
    summary::hparams(hparams.trial_id("trial"));
    let columns = HParamsConfig::new().number("rate", Some((0.0, 1.0))).number("units", Some((1.0, 64.0)));
    summary::hparams_config(columns.metric("epoch_accuracy", "validation", "accuracy"));
    let labels: Vec<bool> = numbers(200).into_iter().map(|x| x > 0.3).collect();
    let labels = Tensor::try_from_vec(labels, [200]).expect("as many numbers");
    let predictions = numbers(407).into_iter().step_by(2).take(200).map(|x| (x + 1.0) / 2.0).collect();
    let predictions = tensor(predictions, &[200]);
    summary::pr_curve("curve", &labels, &predictions, 8);
    let weights = tensor((0..200).map(|i| (i % 3) as f32 / 2.0).collect(), &[200]);
    PrCurve::new().num_thresholds(11).weights(&weights).write("weighted", &labels, &predictions, 8);
}

fn base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut out = Vec::new();
    for chunk in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = chunk.iter().fold(0u32, |all, &c| all << 6 | u32::from(digit(c))) << (6 * (4 - chunk.len()));
        out.extend(&bits.to_be_bytes()[1..chunk.len()]);
    }
    out
}

/// The plugin's message without the times in it.
fn timeless(plugin: &str, content: &[u8]) -> Vec<u8> {
    if plugin != "hparams" {
        return content.to_vec();
    }
    let mut data = HParamsPluginData::decode(content).expect("a message");
    match &mut data.data {
        Some(HParamsKind::SessionStartInfo(start)) => start.start_time_secs = 0.0,
        Some(HParamsKind::Experiment(experiment)) => experiment.time_created_secs = 0.0,
        _ => {}
    }
    data.encode_to_vec()
}

/// A PNG as the script describes it.
fn png(file: &[u8]) -> Value {
    let image = image::load_from_memory(file).expect("a PNG");
    let channels = usize::from(image.color().channel_count());
    json!({ "shape": [image.height() as usize, image.width() as usize, channels], "pixels": image.as_bytes() })
}

fn compare(event: &Event, right: &Value) {
    let Some(EventKind::Summary(summary)) = &event.what else { panic!("a summary for {right}") };
    let value = &summary.value[0];
    let tag = right["tag"].as_str().expect("a tag");
    assert_eq!((value.tag.as_str(), event.step), (tag, right["step"].as_i64().expect("a step")));
    let metadata = value.metadata.as_ref().expect("metadata");
    let plugin = metadata.plugin_data.as_ref().expect("a plugin");
    assert_eq!(right["plugin"], plugin.plugin_name, "{tag}");
    assert_eq!(right["description"], metadata.summary_description, "{tag}");
    assert_eq!(right["display_name"], metadata.display_name, "{tag}");
    let content = base64(right["content"].as_str().expect("bytes"));
    assert_eq!(timeless(&plugin.plugin_name, &plugin.content), timeless(&plugin.plugin_name, &content), "{tag}");
    let Some(SummaryValueKind::Tensor(tensor)) = &value.value else { panic!("a tensor for {tag}") };
    let sizes: Vec<i64> = tensor.tensor_shape.iter().flat_map(|shape| &shape.dim).map(|dim| dim.size).collect();
    assert_eq!((right["dtype"].as_i64(), &right["shape"]), (Some(tensor.dtype.into()), &json!(sizes)), "{tag}");
    let values = right["values"].as_array().expect("values");
    let bytes = &tensor.tensor_content;
    match tensor.dtype {
        7 => {
            assert_eq!(values.len(), tensor.string_val.len(), "{tag}");
            for (i, (own, right)) in tensor.string_val.iter().zip(values).enumerate() {
                let right = base64(right.as_str().expect("bytes"));
                match plugin.plugin_name == "images" && i >= 2 {
                    true => assert_eq!(png(own), serde_json::from_slice::<Value>(&right).expect("JSON"), "{tag}"),
                    false => assert_eq!(*own, right, "{tag}"),
                }
            }
        }
        dtype => {
            let own: Vec<f64> = match dtype {
                1 => bytes.chunks(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("4")))).collect(),
                _ => bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().expect("8"))).collect(),
            };
            assert_eq!(own.len(), values.len(), "{tag}");
            let tolerance = if dtype == 1 { 1e-6 } else { 1e-14 };
            for (own, right) in own.into_iter().zip(values) {
                let right = right.as_f64().expect("a number");
                assert!((own - right).abs() <= tolerance * right.abs().max(1.0), "{tag}: {own} beside {right}");
            }
        }
    }
}

#[test]
fn the_same_summaries_are_the_same_events() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/summaries.json");
    let golden: Value = serde_json::from_str(&std::fs::read_to_string(golden).expect("a file")).expect("JSON");
    let golden = golden["events"].as_array().expect("events");
    let folder = Folder::new("golden");
    let writer = summary::create_file_writer(&folder.0);
    {
        let _default = writer.as_default();
        write();
    }
    writer.close();
    let own: Vec<Event> = read_events(&files(&folder.0)[0]).expect("a file").map(|e| e.expect("an event")).collect();
    assert_eq!(own.len(), golden.len() + 1);
    own[1..].iter().zip(golden).for_each(|(own, right)| compare(own, right));
}
