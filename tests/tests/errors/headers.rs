//! Panics in whose making the library calls itself, or whose cause lies with a caller: header and message have the user's line.

use crate::caught::panic_of;
use eagerflow as tf;
use tf::{GradientTape, Tensor, Variable, custom_gradient, tf_function};

const BODY: u32 = line!() + 8;

#[tf_function(input_signature = [f32[_, 3], _])]
fn declared(x: &Tensor, by: f32) -> Tensor {
    let first = x.at(0);
    if tf::reduce_sum(x, ()) > 100.0 {
        return first;
    }
    x.at(tf::constant(5)) * by
}

struct Model {
    scale: f32,
}

impl Model {
    #[tf_function(input_signature = [f32[2]])]
    #[track_caller]
    fn method(&self, x: Tensor) -> Tensor {
        let scale = self.scale;
        x * scale
    }
}

impl tf::Module for Model {
    fn visit(&self, fields: &mut tf::Fields<'_>) {
        fields.value(&self.scale.to_bits());
    }
}

#[test]
fn arguments_that_do_not_fit_are_the_calls() {
    let wrong = tf::ones([2, 4]);
    for eager in [false, true] {
        let caught = panic_of(|| match eager {
            true => tf::config::with_eager_functions(|| declared(&wrong, 1.0)),
            false => declared(&wrong, 1.0),
        });
        let line = if eager { line!() - 3 } else { line!() - 2 };
        assert_eq!((caught.file.as_str(), caught.line), (file!(), line), "{}", caught.text);
        assert!(caught.text.contains(&format!("at: {}:{line}:", file!())), "{}", caught.text);
    }
    let model = Model { scale: 3.0 };
    assert_eq!(model.method(tf::ones(2)).to_vec::<f32>(), [3.0, 3.0]);
    let caught = panic_of(|| model.method(tf::ones(3)));
    assert_eq!((caught.file.as_str(), caught.line), (file!(), line!() - 1), "{}", caught.text);
}

/// Every form of a parameter beside a declared one: lent exclusively, given up, taken apart, generic, in lists.
#[tf_function(input_signature = [f32[_], (f32[_], f32[_]), _, (f32[], f32[]), _])]
fn forms<S>(
    total: &mut Tensor,
    (mut a, b): (Tensor, Tensor),
    name: &str,
    list: &[Tensor],
    scale: Option<S>,
) -> Result<(Tensor, usize), String>
where
    S: Into<f32> + Copy + 'static + tf::Nest,
{
    if name.is_empty() {
        return Err("no name".to_owned());
    }
    for item in list {
        a = a * item;
    }
    *total = &*total + &a;
    if tf::reduce_sum(&a, ()) > 100.0 {
        return Ok((b, name.len()));
    }
    let by = scale.map_or(1.0, Into::into);
    Ok((a * b * by, name.len()))
}

#[test]
fn bodies_below_the_call_take_all_that_others_take() {
    let list = [tf::constant(2.0), tf::constant(3.0)];
    let pair = || (tf::ones(2), tf::ones(2) * 5.0);
    let mut total = tf::ones(2);
    let (y, n) = forms(&mut total, pair(), "name", &list, Some(0.5f32)).expect("a name");
    assert_eq!((y.to_vec::<f32>(), n, total.to_vec::<f32>()), (vec![15.0, 15.0], 4, vec![7.0, 7.0]));
    assert_eq!(forms(&mut total, pair(), "", &list, Some(0.5f32)).unwrap_err(), "no name");
    let caught = panic_of(|| forms(&mut total, pair(), "name", &list[..1], None::<f32>));
    assert_eq!((caught.file.as_str(), caught.line), (file!(), line!() - 1), "{}", caught.text);
    assert_eq!(total.to_vec::<f32>(), [7.0, 7.0]);
}

#[test]
fn what_fails_in_the_body_is_the_bodys() {
    assert_eq!(declared(&tf::ones([40, 3]), 1.0).shape(), [3]);
    let line = BODY;
    let text = panic_of(|| declared(&tf::ones([2, 3]), 1.0).cpu()).text;
    assert!(text.contains(&format!("at: {}:{line}:", file!())), "{text}");
}

#[tf_function]
fn endless(x: &Tensor) -> Tensor {
    if tf::reduce_sum(x, ()) > 0.0 { endless(&(x - 1.0)) } else { x.clone() }
}

#[test]
fn endless_recursion() {
    let run = || panic_of(|| endless(&tf::constant(3.0)));
    let caught = std::thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread").join().expect("caught");
    assert_eq!(caught.file, file!(), "{}", caught.text);
    assert!(caught.text.contains("calls itself without end"), "{}", caught.text);
}

#[custom_gradient]
fn hides(v: &Variable, x: &Tensor) -> Tensor {
    let other = Variable::with(2.0, "hidden", true);
    let y = x * v * other.value();
    (y, |dy: &Tensor| (dy.clone(), dy.clone()))
}

#[test]
fn a_variable_without_a_cotangent() {
    let (v, x) = (Variable::new(1.0), tf::constant(1.0));
    let _tape = GradientTape::new();
    let caught = panic_of(|| hides(&v, &x));
    assert_eq!((caught.file.as_str(), caught.line), (file!(), line!() - 1), "{}", caught.text);
    assert!(caught.text.contains("hidden"), "{}", caught.text);
}

#[tf_function]
fn reads_a_size(x: &Tensor) -> Tensor {
    let positive = x.at(tf::greater(x, 0.0));
    let n = positive.shape()[0];
    positive * n as f32
}

#[test]
fn a_size_that_only_a_run_knows() {
    let caught = panic_of(|| reads_a_size(&tf::constant([1.0, -1.0])));
    assert_eq!((caught.file.as_str(), caught.line), (file!(), line!() - 7), "{}", caught.text);
    assert!(caught.text.contains("known only when the graph runs"), "{}", caught.text);
}

#[test]
fn errors_print_as_they_read() {
    let main = || -> tf::Result<()> { tf::ones(2).try_add(tf::ones(3)).map(drop) };
    let error = main().unwrap_err();
    assert_eq!(format!("{error:?}"), error.to_string());
    assert_eq!(format!("{error:#?}"), error.to_string());
    assert_eq!(format!("{:?}", error.report()), error.report().to_string());
    assert!(!format!("{error:?}").contains("Report {"));
    let caught = panic_of(|| main().unwrap());
    assert!(caught.text.contains("InvalidArgument: add: ") && caught.text.contains("\n  got: "), "{}", caught.text);
}
