//! Strings in traced functions: through branches, loops, lists and variables, beside numbers that are planned.
//! What TensorFlow refuses, and gradients that stop, have their words here.

use eagerflow as tf;
use tf::{DType, Tensor, TensorArray, tf_function};

#[tf_function]
fn tagged(text: &Tensor, x: &Tensor) -> (Tensor, Tensor) {
    let mut tag = tf::strings::join(&[text, &tf::as_string(x)], ":");
    let mut sum = x * 2.0;
    for i in tf::range(0, 3, 1) {
        sum = sum + tf::cast(&i, DType::F32);
        tag = tf::strings::join(&[&tag, &tf::as_string(&i)], "/");
    }
    if sum > 10.0 {
        tag = tf::strings::upper(&tag);
    }
    (tag, sum)
}

#[test]
fn branches_and_loops_carry_strings() {
    let (tag, sum) = tagged(&tf::constant("a"), &tf::constant(1.0));
    assert_eq!((tag.item_string().as_str(), sum.item::<f32>()), ("a:1.000000/0/1/2", 5.0));
    let (tag, sum) = tagged(&tf::constant("b"), &tf::constant(6.5));
    assert_eq!((tag.item_string().as_str(), sum.item::<f32>()), ("B:6.500000/0/1/2", 16.0));
    assert_eq!(tf::function(tagged).trace_count(), 1);
}

#[tf_function]
fn collected(words: &Tensor) -> Tensor {
    let count = tf::size(words);
    let mut all = TensorArray::new(DType::String, &count);
    for i in tf::range(0, &count, 1) {
        all = all.write(&i, tf::strings::lower(tf::gather(words, &i, 0)));
    }
    all.stack()
}

#[test]
fn lists_hold_strings() {
    for words in [vec!["A", "B"], vec!["C", "D", "E"], vec!["F", "G", "H", "I"]] {
        let lower: Vec<String> = words.iter().map(|w| w.to_lowercase()).collect();
        assert_eq!(collected(&tf::constant(words)).to_strings(), lower);
    }
}

#[tf_function]
fn by_segment(words: &Tensor, ids: &Tensor, count: &Tensor) -> Tensor {
    let more = tf::strings::unsorted_segment_join(words, ids, words.dim(0), "-");
    tf::concat(&[&more, &tf::strings::unsorted_segment_join(words, ids, count, "+")], 0)
}

#[test]
fn segments_are_as_many_as_the_graph_says() {
    for words in [vec!["a", "b"], vec!["c", "d", "e"]] {
        let n = words.len();
        let ids = tf::fill([n], 1);
        let got = by_segment(&tf::constant(words.clone()), &ids, &tf::constant(2));
        let mut wanted = vec![String::new(); n + 2];
        (wanted[1], wanted[n + 1]) = (words.join("-"), words.join("+"));
        assert_eq!(got.to_strings(), wanted);
    }
    assert_eq!(tf::function(by_segment).trace_count(), 2);
}

#[tf_function]
fn parts_of(text: &Tensor, weight: &Tensor) -> (Tensor, Tensor) {
    let parts = tf::strings::split(text, ",");
    let numbers = tf::strings::to_number(&parts, DType::F32);
    (tf::reduce_sum(&(numbers * weight), ()), parts)
}

#[test]
fn sizes_may_depend_on_strings_and_gradients_go_around_them() {
    let w = tf::Variable::new(2.0);
    for (text, sum) in [("1,2,3", 6.0), ("4", 4.0), ("1,2,3,4,5", 15.0)] {
        let tape = tf::GradientTape::new();
        let (y, parts) = parts_of(&tf::constant(text), &w.value());
        assert_eq!((y.item::<f32>(), parts.to_strings().join(",")), (2.0 * sum, text.to_owned()));
        assert_eq!(tape.gradient(&y, &w).item::<f32>(), sum);
    }
}

#[test]
fn gradients_stop_at_strings_with_a_reason() {
    let x = tf::Variable::new(2.0);
    let tape = tf::GradientTape::new();
    let y = tf::strings::to_number(tf::as_string(x.value()), DType::F32);
    let error = tape.try_gradient(&y, &x).unwrap_err().to_string();
    assert!(error.contains("strings carry no gradient"), "{error}");
}

#[tf_function]
fn relabel(v: &tf::Variable, suffix: &Tensor) -> Tensor {
    let before = v.value();
    v.assign(tf::strings::join(&[&before, suffix], ""));
    before
}

#[test]
fn variables_change_in_traced_functions() {
    let v = tf::Variable::new(["a", "b"]);
    let first = relabel(&v, &tf::constant("1"));
    let second = relabel(&v, &tf::constant("2"));
    assert_eq!(first.to_strings(), ["a", "b"]);
    assert_eq!(second.to_strings(), ["a1", "b1"]);
    assert_eq!(v.value().to_strings(), ["a12", "b12"]);
    let error = v.try_assign(tf::constant(["a"])).unwrap_err().to_string();
    assert!(error.contains("string[1]"), "{error}");
    assert!(v.try_assign_add(tf::constant(["a", "b"])).is_err());
}

#[tf_function]
fn said(x: &Tensor) -> Tensor {
    println!("so: {x}");
    tf::print("and {}", &[x]);
    tf::strings::strip(x)
}

#[test]
fn graphs_print_strings() {
    let (y, text) = tf::__testing::captured(|| said(&tf::constant(" a'b ")));
    assert_eq!((y.item_string().as_str(), text.as_str()), ("a'b", "so: b\" a'b \"\nand b\" a'b \"\n"));
}

#[test]
fn comparisons_decide_branches() {
    let x = tf::constant(["a", "b"]);
    assert_eq!(tf::where_(tf::equal(&x, "a"), &x, "other").to_strings(), ["a", "other"]);
    let words = tf::constant(["b", "b"]);
    let chosen = compared(&x, &words);
    assert_eq!(chosen.to_strings(), ["other", "b"]);
}

#[tf_function]
fn compared(x: &Tensor, y: &Tensor) -> Tensor {
    if tf::reduce_any(tf::equal(x, y), ()) { tf::where_(tf::equal(x, y), x, "other") } else { tf::identity(y) }
}

#[tf_function]
fn greeted(name: &Tensor, other: &Tensor) -> Tensor {
    if name == other { tf::constant("both") } else { tf::strings::join(&[name, other], " and ") }
}

#[test]
fn native_comparisons_are_of_strings_too() {
    let (a, b) = (tf::constant("a"), tf::constant("b"));
    assert!(a == tf::constant("a") && a != b);
    assert_eq!(greeted(&a, &b).item_string(), "a and b");
    assert_eq!(greeted(&b, &b).item_string(), "both");
    let ordered = std::panic::catch_unwind(|| a < b).unwrap_err();
    assert!(ordered.downcast_ref::<String>().unwrap().contains("string"));
}

#[tf_function]
fn checked(x: &Tensor, y: &Tensor) -> Tensor {
    tf::debugging::assert_equal(x, y, "");
    tf::strings::join(&[x, y], "")
}

#[test]
fn assertions_show_strings() {
    let (x, y) = (tf::constant(["a", "b"]), tf::constant(["a", "c"]));
    assert_eq!(checked(&x, &x).to_strings(), ["aa", "bb"]);
    let eager = tf::debugging::try_assert_equal(&x, &y, "").unwrap_err().to_string();
    let traced = std::panic::catch_unwind(|| checked(&x, &y)).unwrap_err();
    let traced = traced.downcast_ref::<String>().unwrap();
    for text in [&eager, traced] {
        assert!(text.contains("x[1] = b'b', y[1] = b'c'"), "{text}");
    }
}

#[test]
fn what_variables_of_strings_refuse() {
    let v = tf::Variable::new(["a", "b"]);
    let error = v.try_scatter_update(tf::constant([0]), tf::constant(["c"])).unwrap_err().to_string();
    assert!(error.contains("string"), "{error}");
    assert_eq!(v.value().to_strings(), ["a", "b"]);
}

#[tf_function]
fn parsed(text: &Tensor) -> Tensor {
    tf::io::parse_tensor_of_rank(text, DType::F32, 1) + 1.0
}

#[test]
fn tensors_are_parsed_in_graphs() {
    for values in [vec![1.0f32, 2.0], vec![3.0], vec![]] {
        let text = tf::io::serialize_tensor(Tensor::from(values.clone()));
        let more: Vec<f32> = values.iter().map(|v| v + 1.0).collect();
        assert_eq!(parsed(&text).to_vec::<f32>(), more);
    }
    let error = std::panic::catch_unwind(|| parsed(&tf::io::serialize_tensor(tf::constant([[1.0]]))));
    assert!(error.is_err(), "two dimensions");
}
