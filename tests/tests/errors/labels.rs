//! What messages call a variable that has no name: its path in a module, or the line that made it.

use crate::caught::panic_of;
use eagerflow as tf;
use tf::optim::{Optimizer, SGD};
use tf::{GradientTape, Module, Variable};

#[derive(Module)]
struct Layer {
    kernel: Variable,
    scale: Option<Variable>,
}

#[derive(Module)]
struct Net {
    hidden: Vec<Layer>,
    output: Variable,
}

fn variable_of(error: &tf::Error) -> String {
    error.report().variable().expect("the variable is named").to_string()
}

#[test]
fn the_line_that_made_it() {
    let (v, line) = (Variable::new([1.0, 2.0]), line!());
    let error = v.try_assign(tf::ones(3)).unwrap_err();
    assert!(variable_of(&error).starts_with(&format!("made at {}:{line}:", file!())), "{error}");
    let text = panic_of(|| v.scatter_add(tf::constant([7]), tf::constant([1.0]))).text;
    assert!(text.contains(&format!("variable: made at {}:{line}:", file!())), "{text}");
    assert!(format!("{v:?}").starts_with(&format!("<Variable made at {}:{line}:", file!())), "{v:?}");
    // Neither by itself nor in a list by itself it is in a module.
    assert_eq!((v.variables().len(), vec![v.clone()].variables().len()), (1, 1));
    assert!(variable_of(&v.try_assign(1).unwrap_err()).starts_with("made at"));
}

#[test]
fn the_path_in_a_module() {
    let layer = || Layer { kernel: Variable::new([1.0, 2.0]), scale: Some(Variable::with(1.0, "scale", true)) };
    let net = Net { hidden: vec![layer(), layer()], output: Variable::new(0.0) };
    let kernel = &net.hidden[1].kernel;
    assert!(variable_of(&kernel.try_assign(tf::ones(3)).unwrap_err()).starts_with("made at"), "nobody has told it");
    assert_eq!(net.trainable_variables().len(), 5);
    assert_eq!(variable_of(&kernel.try_assign(tf::ones(3)).unwrap_err()), "Net.hidden.1.kernel");
    assert_eq!(variable_of(&net.output.try_assign(tf::ones(3)).unwrap_err()), "Net.output");
    assert_eq!(
        variable_of(&net.hidden[0].scale.as_ref().expect("there").try_assign(tf::ones(3)).unwrap_err()),
        "scale"
    );
    assert_eq!((kernel.name(), net.output.name()), ("variable", "variable"));
    // The first place stays.
    let other = (kernel.clone(), 1);
    assert_eq!(other.variables().len(), 1);
    assert_eq!(variable_of(&kernel.try_assign(tf::ones(3)).unwrap_err()), "Net.hidden.1.kernel");
}

#[test]
fn optimizers_and_gradients() {
    let net = Net { hidden: Vec::new(), output: Variable::new([1.0, 2.0]) };
    let variables = net.trainable_variables();
    let gradients = [tf::ones(3)].into_iter().collect();
    let error = SGD::new(0.1).try_apply_gradients(&gradients, &variables).unwrap_err();
    assert_eq!(variable_of(&error), "Net.output");
    let tape = GradientTape::new();
    let loss = tf::constant(1.0);
    let error = tape.try_gradient(&loss, &net.output).unwrap_err().to_string();
    assert!(error.contains("variable 'Net.output'"), "{error}");
}
