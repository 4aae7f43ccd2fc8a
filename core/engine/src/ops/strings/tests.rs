//! Strings through everything that moves elements: eager, in place, in variables, lists and threads.
//! `tests/memcheck.sh` runs these under valgrind, which sees any read of memory that is gone.

use crate as tf;
use kernels::shape::Shape;
use tf::{DType, Tensor};

fn words(from: usize, count: usize) -> Tensor {
    let words: Vec<String> = (from..from + count).map(|i| format!("word {i} of some length")).collect();
    tf::constant(words)
}

#[test]
fn constants_reads_and_text() {
    let x = tf::constant([["a", "bc"], ["", "dé"]]);
    assert_eq!((x.dtype(), x.shape().dims()), (tf::string, &[2, 2][..]));
    assert_eq!(x.to_strings(), ["a", "bc", "", "dé"]);
    assert_eq!(x.to_string(), "[[b'a' b'bc']\n [b'' b'd\\xc3\\xa9']]");
    assert_eq!(format!("{:?}", tf::constant("q'")), "<Tensor: shape=[], dtype=string, value=b\"q'\">");
    assert_eq!(tf::constant(String::from("abc")).item_string(), "abc");
    assert_eq!(String::try_from(&tf::constant("abc")).unwrap(), "abc");
    let bytes = Tensor::try_from_byte_strings(&[b"\xff\\\n\x7f"], Shape::SCALAR).unwrap();
    assert_eq!(bytes.to_string(), "b'\\xff\\\\\\n\\x7f'");
    let error = bytes.try_to_strings().unwrap_err().to_string();
    assert!(error.contains("UTF-8") && error.contains("to_byte_strings"), "{error}");
    assert!(x.try_item_string().is_err() && tf::ones([1]).try_item_string().is_err());
    assert!(x.try_to_vec::<f32>().is_err() && x.try_to_f64().is_err() && x.as_slice::<u64>().is_none());
    assert_eq!(tf::try_zeros([2], DType::String).unwrap().to_strings(), ["", ""]);
    assert_eq!(tf::zeros_like(&x).to_strings(), ["", "", "", ""]);
    assert_eq!(tf::fill([2, 1], "q").to_strings(), ["q", "q"]);
    assert!(tf::try_ones([2], DType::String).is_err() && tf::try_ones_like(&x).is_err());
    assert!(tf::try_constant_of(1, DType::String).is_err() && tf::try_constant_of("1", DType::F32).is_err());
    let many = tf::constant(vec!["w"; 1005]);
    assert_eq!(many.to_string(), "[b'w' b'w' b'w' ... b'w' b'w' b'w']");
}

#[test]
fn movement_shares_arenas_and_outlives_its_operands() {
    let (a, b) = (words(0, 6), words(10, 6));
    let moved = {
        let joined = tf::concat(&[&a.reshape([2, 3]), &b.reshape([2, 3])], 0);
        let turned = joined.transpose([1, 0]);
        tf::gather(&turned, &tf::constant([2, 0]), 0)
    };
    let expected = [2, 5, 12, 15, 0, 3, 10, 13].map(|i| format!("word {i} of some length"));
    let expected = expected.each_ref().map(String::as_str);
    drop((a, b));
    assert_eq!(moved.to_strings(), expected);
    let parts = tf::split(&moved, 2, 1);
    drop(moved);
    assert_eq!(parts[1].to_strings(), [expected[2], expected[3], expected[6], expected[7]]);
    let row = parts[0].at(1);
    drop(parts);
    assert_eq!(row.to_strings(), expected[4..6]);
    let padded = tf::pad(&row, [[1, 0]], tf::PadMode::Constant);
    assert_eq!(padded.to_strings()[0], "");
    let x = tf::stack(&[&row, &row], 0);
    assert_eq!(tf::reverse(&x, [1]).at(0).to_strings(), [expected[5], expected[4]]);
    assert_eq!(tf::tile(&row, &[2]).to_strings()[2..], expected[4..6]);
    assert_eq!(tf::broadcast_to(&row, [3, 2]).to_strings()[4..], expected[4..6]);
    assert_eq!(tf::boolean_mask(&x, &tf::constant([[true, false], [false, true]]), 0).to_strings(), expected[4..6]);
    let changed = tf::tensor_scatter_nd_update(row.clone(), &tf::constant([[1]]), &tf::constant(["new"]));
    assert_eq!((&*changed.to_strings()[1], &*row.to_strings()[1]), ("new", expected[5]));
    assert_eq!(tf::one_hot_with(&tf::constant([1, 0]), 2, "y", "n", -1).to_strings(), ["n", "y", "y", "n"]);
    let chosen = tf::where_(&tf::constant([[true], [false]]), &row, "else");
    assert_eq!(chosen.to_strings(), [expected[4], expected[5], "else", "else"]);
    assert_eq!(tf::gather_nd(&x, &tf::constant([[1, 1]])).to_strings(), [expected[5]]);
    assert_eq!(
        tf::strided_slice(&row, &[1], &[-3], &[-1], Default::default()).to_strings(),
        [expected[5], expected[4]]
    );
    assert_eq!(tf::identity(&row).to_strings(), expected[4..6]);
    let rows = tf::unstack(&x, 1);
    assert_eq!(rows[1].to_strings(), [expected[5], expected[5]]);
}

#[test]
fn comparisons() {
    let (a, b) = (tf::constant(["b", "a", ""]), tf::constant("b"));
    assert_eq!(tf::equal(&a, &b).to_vec::<bool>(), [true, false, false]);
    assert_eq!(tf::not_equal(a.transpose([0]), "b").to_vec::<bool>(), [false, true, true]);
    let grid = tf::equal(&a.reshape([3, 1]), &tf::constant(["", "a"]));
    assert_eq!(grid.to_vec::<bool>(), [false, false, false, true, true, false]);
}

#[test]
fn strings_are_no_numbers() {
    let (x, number) = (tf::constant(["1", "2"]), tf::constant([1.0, 2.0]));
    let errors = [
        x.try_add(&x).unwrap_err(),
        x.try_multiply(2.0).unwrap_err(),
        tf::try_equal(&x, 1.0).unwrap_err(),
        tf::try_equal(&x, &number).unwrap_err(),
        tf::try_less(&x, &x).unwrap_err(),
        tf::try_cast(&x, DType::F32).unwrap_err(),
        tf::try_cast(&number, DType::String).unwrap_err(),
        tf::try_reduce_sum(&x, ()).unwrap_err(),
        tf::try_reduce_max(&x, ()).unwrap_err(),
        tf::try_matmul(x.reshape([1, 2]), x.reshape([2, 1])).unwrap_err(),
        tf::try_argmax(&x, 0).unwrap_err(),
        tf::try_exp(&x).unwrap_err(),
        tf::try_scatter_nd(&tf::constant([[0], [0]]), &x, [2]).unwrap_err(),
        tf::try_where_indices(&x).unwrap_err(),
        tf::try_tensor_scatter_nd_add(x.clone(), &tf::constant([[0]]), &tf::constant(["a"])).unwrap_err(),
        tf::try_cumsum(&x, 0).unwrap_err(),
        tf::try_concat(&[&x, &number], 0).unwrap_err(),
    ];
    for error in errors {
        let error = error.to_string();
        assert!(error.contains("string"), "{error}");
    }
}

#[test]
fn many_arenas_become_one_and_a_few_are_let_go() {
    use crate::tensor::strings::Strings;
    let arenas = |x: &Tensor| Strings::of(x, "test").unwrap().arenas.len();
    let parts: Vec<Tensor> = (0..100).map(|i| words(i, 1)).collect();
    let joined = tf::concat(&parts, 0);
    assert_eq!((arenas(&joined), joined.to_strings()), (1, words(0, 100).to_strings()));
    let few = tf::concat(&parts[..5], 0);
    assert_eq!(arenas(&few), 5);
    assert_eq!(arenas(&tf::gather(&few, &tf::constant([3, 1, 3]), 0)), 2);
    let long = "x".repeat(5000);
    let long: Vec<Tensor> = (0..20).map(|_| tf::constant([long.as_str()])).collect();
    assert_eq!(arenas(&tf::concat(&long, 0)), 20);
    let mut window = words(0, 3);
    for i in 3..500 {
        window = tf::concat(&[&window.at(tf::s![1..]), &words(i, 1)], 0);
        assert!(arenas(&window) <= 3);
    }
    assert_eq!(window.to_strings(), words(497, 3).to_strings());
    assert_eq!(arenas(&tf::constant(["", ""])), 0);
    assert_eq!(tf::concat(&[tf::constant(["", ""]), words(0, 1)], 0).to_strings()[2..], words(0, 1).to_strings());
    assert_eq!(Tensor::of_strings::<&str>(&[], &Shape::new(&[0]).unwrap()).unwrap().to_string(), "[]");
}

#[test]
fn variables_of_strings_keep_what_was_read() {
    let v = tf::Variable::new(["one", "two"]);
    let before = v.value();
    v.assign(tf::constant(["three", "four"]));
    assert_eq!(
        (before.to_strings(), v.value().to_strings()),
        (vec!["one".into(), "two".into()], vec!["three".into(), "four".into()])
    );
    let (a, b) = (tf::Variable::new("a"), v.value());
    a.assign("b");
    assert_eq!(a.value().item_string(), "b");
    assert!(v.try_assign(tf::constant(["one"])).is_err() && v.try_assign(tf::constant([1.0, 2.0])).is_err());
    drop(v);
    assert_eq!(b.to_strings(), ["three", "four"]);
}

#[test]
fn threads_share_strings() {
    let x = words(0, 64);
    std::thread::scope(|scope| {
        for t in 0..4 {
            let x = &x;
            scope.spawn(move || {
                for i in 0..50 {
                    let row = tf::gather(x, &tf::constant([t, i]), 0);
                    let both = tf::concat(&[&row, &words(i as usize, 1)], 0);
                    assert_eq!(both.to_strings()[1], both.to_strings()[2]);
                }
            });
        }
    });
}
