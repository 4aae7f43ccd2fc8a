//! Tensors parsed from strings of others: every form that TensorFlow writes, and damage, which is an error and never more memory
//! than the string is worth.

use eagerflow as tf;
use tf::{DType, Tensor};

fn text(bytes: &[u8]) -> Tensor {
    Tensor::try_from_byte_strings(&[bytes], [0usize; 0]).unwrap()
}

/// `dtype` 1 (`float32`), a shape of one size, and fields behind.
fn floats(size: u8, fields: &[u8]) -> Tensor {
    text(&[&[0x08, 0x01, 0x12, 0x04, 0x12, 0x02, 0x08, size], fields].concat())
}

#[test]
fn lists_of_values_are_filled_and_cut() {
    let two = [&[0x2a, 0x08][..], &1.0f32.to_le_bytes(), &2.0f32.to_le_bytes()].concat();
    assert_eq!(tf::io::parse_tensor(&floats(3, &two), DType::F32).to_vec::<f32>(), [1.0, 2.0, 2.0]);
    assert_eq!(tf::io::parse_tensor(&floats(1, &two), DType::F32).to_vec::<f32>(), [1.0]);
    assert_eq!(tf::io::parse_tensor(&floats(3, &[]), DType::F32).to_vec::<f32>(), [0.0; 3]);
    // Three strings of which one is there, by TensorFlow.
    let one = [0x08, 0x07, 0x12, 0x04, 0x12, 0x02, 0x08, 0x03, 0x42, 0x01, b'a'];
    assert_eq!(tf::io::parse_tensor(&text(&one), DType::String).to_strings(), ["a"; 3]);
    // One number of as many elements as no memory has.
    let many = [0x08, 0x01, 0x12, 0x08, 0x12, 0x06, 0x08, 0x80, 0x80, 0x80, 0x80, 0x40, 0x2a, 0x04, 0, 0, 0, 0];
    assert_eq!(tf::io::parse_tensor(&text(&many), DType::F32).shape(), [1 << 34]);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let short = floats(3, &[0x22, 0x04, 0, 0, 0, 0]);
    let negative =
        text(&[0x08, 0x01, 0x12, 0x0d, 0x12, 0x0b, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    for (given, word) in
        [(short, "number of bytes"), (negative, "shape"), (text(b"xyz"), "TensorProto"), (text(b""), "dtype")]
    {
        let error = tf::io::try_parse_tensor(&given, DType::F32).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains("parsed.rs"), "{error}");
    }
    assert!(tf::io::try_parse_tensor(tf::constant(["a"]), DType::F32).is_err());
    assert!(tf::io::try_parse_tensor(tf::constant(1.0), DType::F32).is_err());
}

#[test]
fn damage_is_an_error_or_another_tensor() {
    let mut state = 1_u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let given = [
        (tf::io::serialize_tensor(tf::constant([[1.0, 2.0], [3.0, 4.0]])), DType::F32),
        (tf::io::serialize_tensor(tf::constant(["a", "bc", ""])), DType::String),
        (tf::io::serialize_tensor(tf::constant([true, false])), DType::Bool),
    ];
    let mut errors = 0;
    for (whole, dtype) in &given {
        let bytes = whole.to_byte_strings().remove(0);
        for _ in 0..2000 {
            let mut bytes = bytes.clone();
            match next() % 3 {
                0 => bytes.truncate(next() % bytes.len()),
                _ => {
                    let at = next() % bytes.len();
                    bytes[at] = next() as u8;
                }
            }
            match tf::io::try_parse_tensor(&text(&bytes), *dtype) {
                Ok(tensor) if tensor.shape().num_elements() < 1000 => drop(tf::as_string(&tensor).to_byte_strings()),
                Ok(_) => {}
                Err(_) => errors += 1,
            }
        }
    }
    assert!(errors > 1000, "{errors}");
}
