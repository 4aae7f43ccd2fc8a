//! Modules within modules, counts, and the building of whole models.
//! `cargo test` runs them.

use super::*;
use crate::Tensor;
use std::sync::Arc;

#[derive(Module)]
struct Block {
    dense: Dense,
    unit: Unit,
    mode: Switch,
}

#[derive(Module, Clone, Copy)]
enum Switch {
    On,
}

type Head = (Option<Box<dyn Module>>, Arc<Block>);

#[derive(Module)]
struct Heads {
    trunk: Arc<Block>,
    heads: Vec<Head>,
    mode: Mode,
}

#[test]
fn submodules_are_listed_once_with_their_variables() {
    let block = || Arc::new(Block { dense: dense(0.5), unit: Unit, mode: Switch::On });
    let trunk = block();
    let net = Heads {
        trunk: trunk.clone(),
        heads: vec![(None, trunk.clone()), (Some(Box::new(dense(0.1))), block())],
        mode: Mode::Learned { by: Variable::new(1.0) },
    };
    let listed = || -> Vec<(String, usize, bool)> {
        net.submodules().into_iter().map(|m| (m.path, m.variables.len(), m.is_built)).collect()
    };
    let all = |kernels: usize| {
        let own = |path: &str, built: bool| (path.to_owned(), if built { kernels } else { 1 }, built && kernels == 2);
        let empty = |path: &str| (path.to_owned(), 0, true);
        [
            own("trunk", true),
            own("trunk/dense", true),
            empty("trunk/unit"),
            own("heads/1/0", false),
            own("heads/1/1", false),
            own("heads/1/1/dense", false),
            empty("heads/1/1/unit"),
            ("mode".to_owned(), 1, true),
        ]
    };
    assert_eq!(listed(), all(1));
    trunk.dense.kernel.get_or_build(|| Ok(Variable::new(1.0))).unwrap();
    assert_eq!(listed(), all(2));
    assert!(net.submodules()[1].type_name.ends_with("Dense"));
    assert!(vec![chain()].submodules().iter().all(|m| m.path == "0") && chain().submodules().is_empty());
}

#[test]
fn parameters_are_counted_with_shared_ones_once() {
    let shared = Variable::with([[0.0; 3]; 2], "shared", true);
    let all = (shared.clone(), vec![shared, Variable::new([0.0; 5])], Variable::with([0i32; 4], "steps", false));
    let count = all.count_params();
    assert_eq!((count.trainable, count.non_trainable, count.total()), (11, 4, 15));
    all.1[1].set_trainable(false);
    assert_eq!(all.count_params().trainable, 6);
    assert!(dense(0.5).try_count_params().unwrap_err().to_string().contains("not built"));
}

#[test]
fn a_recorded_call_builds_and_runs_nothing() {
    let calls = Variable::with(0i32, "calls", false);
    let layer = dense(0.5);
    let call = |layer: &Dense, x: &Tensor| -> Result<Tensor> {
        calls.try_assign_add(1)?;
        let rows = x.shape().dims()[0] as isize;
        let columns = x.shape().dim(1).known_value().unwrap();
        let kernel = layer.kernel.get_or_build(|| Ok(Variable::new(crate::ones([columns, 2]))))?;
        x.try_matmul(kernel)?.try_reshape([rows, 2])
    };
    let tape = crate::GradientTape::new();
    crate::try_build(&layer, [None, Some(3)], call).unwrap();
    drop(tape);
    assert_eq!(layer.kernel.get().unwrap().shape(), [3, 2]);
    assert_eq!(calls.value().item::<i32>(), 0);
    let text = crate::try_build(&layer, [7, 4], call).unwrap_err().to_string();
    assert!(text.contains("[7, 4]") && text.contains("matmul"), "{text}");
    let (one, other) = (dense(0.5), dense(0.5));
    let both = (one, other);
    let text = crate::try_build(&both, [1, 3], |both, x| call(&both.0, x)).unwrap_err().to_string();
    assert!(text.contains("the layer `1` is not built yet") && text.contains(file!()), "{text}");
    let panicked =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| crate::build(&both, [1, 3], |_, _| panic!())));
    assert!(panicked.is_err() && crate::executing_eagerly());
    assert_eq!(call(&layer, &crate::ones([2, 3])).unwrap().to_vec::<f32>(), [3.0; 4]);
}
