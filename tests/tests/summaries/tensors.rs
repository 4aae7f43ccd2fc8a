//! `tf::summary::write`: tensors of every dtype come back with their tags, steps and metadata, written at once and by traced functions.
//! The project's own reader reads them.

use super::{Folder, written};
use eagerflow as tf;
use eagerflow_formats::events::{EventKind, PluginData, SummaryValue, read_events};
use std::path::Path;
use tf::summary::{self, DataClass, ReadEvent, ReadValue, SummaryMetadata};
use tf::{Complex, DType, Tensor, Variable};

fn tensor(event: &ReadEvent) -> &Tensor {
    match &event.value {
        ReadValue::Value(tensor) => tensor,
        other => panic!("no tensor: {other:?}"),
    }
}

/// Dtype, sizes and elements.
fn whole(tensor: &Tensor) -> (DType, Vec<usize>, Vec<u8>) {
    let text = tf::io::serialize_tensor(tensor).to_byte_strings().remove(0);
    (tensor.dtype(), tensor.shape().dims().to_vec(), text)
}

/// A tensor of each dtype, and some of unusual sizes and layouts.
fn all() -> Vec<Tensor> {
    let numbers = tf::constant([[0.0, 1.0, 2.0], [100.0, 3.0, 5.0]]);
    let mut all: Vec<Tensor> =
        DType::ALL.iter().filter(|dtype| !dtype.is_complex()).map(|&dtype| tf::cast(&numbers, dtype)).collect();
    let complex = vec![Complex { re: 1.5_f32, im: -2.0 }, Complex { re: 0.0, im: 4.0 }];
    all.push(Tensor::try_from_vec(complex, [2, 1]).expect("two numbers"));
    all.push(Tensor::try_from_vec(vec![Complex { re: -0.5_f64, im: 3.0 }], [1]).expect("one number"));
    all.push(Tensor::try_from_byte_strings(&[&b"a"[..], b"", b"\xff\x00", "é".as_bytes()], [2, 2]).expect("four"));
    all.push(tf::constant("one text"));
    all.push(tf::constant(7));
    all.push(tf::zeros([0, 3]));
    all.push(tf::transpose(&numbers, [1, 0]));
    all
}

#[test]
fn tensors_of_every_dtype_come_back() {
    let folder = Folder::new("every-dtype");
    let writer = summary::create_file_writer(&folder.0);
    let given = all();
    {
        let _default = writer.as_default();
        // Whatever scope is open, the tag is taken whole.
        let _scope = tf::name_scope("outer");
        given.iter().enumerate().for_each(|(i, tensor)| summary::write(&format!("tensor/{i}"), tensor, i + 3));
    }
    writer.close();
    let read = written(&folder.0);
    assert_eq!(read.len(), given.len());
    for (i, (event, given)) in read.iter().zip(&given).enumerate() {
        assert_eq!(
            (event.tag.as_str(), event.step, event.plugin.as_str()),
            (&*format!("tensor/{i}"), i as i64 + 3, "")
        );
        assert_eq!(whole(tensor(event)), whole(given), "{i}");
    }
    let complex = read.iter().map(tensor).find(|tensor| tensor.dtype() == tf::complex64).expect("one of them");
    assert_eq!(complex.to_vec::<Complex<f32>>(), [Complex { re: 1.5, im: -2.0 }, Complex { re: 0.0, im: 4.0 }]);
    let strings = read.iter().map(tensor).find(|tensor| tensor.dtype() == tf::string).expect("one of them");
    assert_eq!(strings.to_byte_strings(), [&b"a"[..], b"", b"\xff\x00", "é".as_bytes()]);
}

/// The values of a file with their messages, without the first record.
fn messages(path: &Path) -> Vec<SummaryValue> {
    let events = read_events(path).expect("a file").skip(1).map(|event| event.expect("a whole one").what);
    let of = |what: Option<EventKind>| match what {
        Some(EventKind::Summary(summary)) => summary.value,
        other => panic!("no summary: {other:?}"),
    };
    events.flat_map(of).collect()
}

#[test]
fn metadata_are_what_was_said() {
    let folder = Folder::new("metadata");
    let writer = summary::create_file_writer(&folder.0);
    {
        let _default = writer.as_default();
        let said = SummaryMetadata::new().plugin("boxes", b"\x01\xff").display_name("Boxes");
        let said = said.description("a *text*").data_class(DataClass::BlobSequence);
        said.write("said", tf::constant(["a"]), 1);
        SummaryMetadata::new().data_class(DataClass::Tensors).write("kind", tf::constant([1.0]), 1);
        summary::write("plain", tf::constant([1.0]), 1);
    }
    writer.close();
    let values = messages(writer.path().expect("a file"));
    let said = values[0].metadata.as_ref().expect("metadata");
    let plugin = PluginData { plugin_name: "boxes".to_owned(), content: b"\x01\xff".to_vec() };
    assert_eq!(said.plugin_data, Some(plugin));
    let words = (said.display_name.as_str(), said.summary_description.as_str(), said.data_class);
    assert_eq!(words, ("Boxes", "a *text*", 3));
    let kind = values[1].metadata.as_ref().expect("metadata");
    assert_eq!((&kind.plugin_data, kind.data_class), (&None, 2));
    assert_eq!((values[2].tag.as_str(), &values[2].metadata), ("plain", &None));
    let read = written(&folder.0);
    assert_eq!((read[0].plugin.as_str(), tensor(&read[0]).to_strings()), ("boxes", vec!["a".to_owned()]));
}

#[tf::tf_function]
fn writes(x: &Tensor, z: &Tensor, names: &Tensor, count: &Variable) -> Tensor {
    summary::write("before", x, count);
    count.assign_add(1);
    SummaryMetadata::new().plugin("mine", "content").write("after", tf::stack(&[x, x], 0), count);
    if x > 1.5 {
        summary::write("names", tf::strings::upper(names), count);
    }
    summary::write("complex", z, 9);
    x + 1.0
}

#[test]
fn traced_functions_write_what_each_call_has() {
    let folder = Folder::new("write-traced");
    let writer = summary::create_file_writer(&folder.0);
    let count = Variable::new(Tensor::from(4_i64));
    let z = Tensor::try_from_vec(vec![Complex { re: 1.0_f32, im: 2.0 }], [1]).expect("one number");
    {
        let _default = writer.as_default();
        let mut x = tf::constant(1.0);
        for _ in 0..2 {
            x = writes(&x, &z, &tf::constant(["a", "bc"]), &count);
        }
    }
    writer.close();
    assert_eq!(tf::function(writes).trace_count(), 1);
    let read = written(&folder.0);
    let names: Vec<(&str, i64)> = read.iter().map(|event| (event.tag.as_str(), event.step)).collect();
    let right =
        [("before", 4), ("after", 5), ("complex", 9), ("before", 5), ("after", 6), ("names", 6), ("complex", 9)];
    assert_eq!(names, right);
    let numbers = [0, 1, 3, 4].map(|i| tensor(&read[i]).to_vec::<f32>());
    assert_eq!(numbers, [vec![1.0], vec![1.0, 1.0], vec![2.0], vec![2.0, 2.0]]);
    assert_eq!(tensor(&read[5]).to_strings(), ["A", "BC"]);
    assert_eq!(tensor(&read[6]).to_vec::<Complex<f32>>(), [Complex { re: 1.0, im: 2.0 }]);
    assert_eq!((read[1].plugin.as_str(), read[0].plugin.as_str()), ("mine", ""));
}

#[test]
fn without_a_step_or_a_writer() {
    summary::write("nothing", tf::ones([2]), ());
    let folder = Folder::new("write-refused");
    let writer = summary::create_file_writer(&folder.0);
    let _default = writer.as_default();
    let error = summary::try_write("a", tf::ones([2]), ()).unwrap_err().to_string();
    assert!(error.contains("there is no step") && error.contains("tensors.rs"), "{error}");
    writer.close();
    let error = summary::try_write("a", tf::ones([2]), 1).unwrap_err().to_string();
    assert!(error.contains("the writer is closed") && error.contains("tensors.rs"), "{error}");
}
