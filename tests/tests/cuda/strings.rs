//! Strings where a GPU computes: they stay in the host's memory, as TensorFlow keeps them, and what is asked otherwise is an error.
//! Functions on a GPU go on with numbers there, and run what concerns strings on the host.

use eagerflow as tf;
use eagerflow_tests::cuda::gpu;
use tf::{DType, Tensor, tf_function};

#[tf_function]
fn labelled(names: &Tensor, x: &Tensor) -> (Tensor, Tensor) {
    let y = tf::reduce_sum(&(x * x + 1.0), 1);
    let labels = tf::strings::join(&[names, &tf::as_string(&y)], "=");
    (labels, y * 2.0)
}

#[test]
fn strings_stay_on_the_host() {
    let Some(_gpu) = gpu() else { return };
    let names = tf::constant(["a", "b"]);
    let error = names.to_device("/gpu:0").unwrap_err().to_string();
    assert!(error.contains("strings lie in the host's memory") && error.contains("string[2]"), "{error}");
    let x = tf::constant([[1.0, 2.0], [3.0, 4.0]]).gpu();
    for _ in 0..3 {
        let (labels, y) = labelled(&names, &x);
        assert_eq!(labels.to_strings(), ["a=7.000000", "b=27.000000"]);
        assert_eq!((y.device().to_string().as_str(), y.to_vec::<f32>()), ("/device:GPU:0", vec![14.0, 54.0]));
    }
    let picked = tf::gather(&names, &tf::constant([1, 0]), 0);
    assert_eq!(tf::where_(&x.at(0).greater(1.5), &picked, "none").to_strings(), ["none", "a"]);
    let _there = tf::device("/gpu:0");
    assert_eq!(tf::strings::upper(tf::concat(&[&names, &names], 0)).to_strings(), ["A", "B", "A", "B"]);
    assert_eq!(tf::strings::to_number("1.5", DType::F32).to_vec::<f32>(), [1.5]);
    assert_eq!(tf::constant(["c"]).device().to_string(), "/device:CPU:0");
}
