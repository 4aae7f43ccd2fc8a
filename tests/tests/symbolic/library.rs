//! Samples of what is built from operations: layers, losses, metrics, optimizers, checks, random numbers.
//! `super` records them with all sizes unknown. Layers and optimizers are built before: variables are no part of a list.

use super::{Sample, one, positive, small, x};
use eagerflow as tf;
use eagerflow::Result;
use eagerflow::Tensor;
use eagerflow::layers::{Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, MaxPool2D};
use eagerflow::losses::{self, FromLogits};
use eagerflow::metrics::{Accuracy, CategoricalAccuracy, Mean, SparseCategoricalAccuracy};
use eagerflow::optim::{Adam, Optimizer, SGD};
use eagerflow::{DType, GradientTape, Module, Variable};
use tf::Padding;

pub fn samples() -> Vec<Sample> {
    let mut list = layers();
    list.extend(losses());
    list.extend(metrics());
    list.extend(optimizers());
    list.extend(others());
    list
}

/// The output with the gradients of all variables.
fn trained(module: &dyn Module, call: impl Fn() -> Result<Tensor>) -> Result<Vec<Tensor>> {
    let tape = GradientTape::new();
    let mut all = vec![call()?];
    let variables = module.trainable_variables();
    let gradients = tape.try_gradient(&all[0], &variables)?;
    all.extend((0..variables.len()).filter_map(|i| gradients.get(i)));
    Ok(all)
}

fn layers() -> Vec<Sample> {
    let dense = Dense::new(2).activation("tanh").dtype(DType::F64);
    dense.call(x(&[1, 5]));
    let wide = Dense::new(2).dtype(DType::F64);
    wide.call(x(&[1, 1, 5]));
    let conv = Conv2D::new(2, 2).strides(2).padding(Padding::Same).activation("relu").dtype(DType::F64);
    conv.call(x(&[1, 3, 3, 5]));
    let groups = Conv2D::new(4, (2, 1)).groups(2).dtype(DType::F64);
    groups.call(x(&[1, 3, 3, 4]));
    vec![
        Sample::new("Dense", |s| vec![x(&[s.a, 5])], move |x| trained(&dense, || dense.try_call(&x[0], true))),
        Sample::new("Dense", |s| vec![x(&[s.b, s.a, 5])], move |x| trained(&wide, || wide.try_call(&x[0], true))),
        Sample::new(
            "Conv2D",
            |s| vec![x(&[s.a, s.b, s.c + s.a, 5])],
            move |x| trained(&conv, || conv.try_call(&x[0], true)),
        ),
        Sample::new(
            "Conv2D",
            |s| vec![x(&[s.b, s.b, s.c + s.a, 4])],
            move |x| trained(&groups, || groups.try_call(&x[0], true)),
        ),
        Sample::new(
            "MaxPool2D",
            |s| vec![x(&[s.a, s.b, s.c, s.a])],
            |x| {
                Ok(vec![
                    MaxPool2D::new(2).try_call(&x[0], false)?,
                    MaxPool2D::new(3).strides(2).padding(Padding::Same).try_call(&x[0], false)?,
                ])
            },
        ),
        Sample::new(
            "GlobalAveragePooling2D",
            |s| vec![x(&[s.a, s.b, s.c, s.a])],
            |x| {
                let layer = GlobalAveragePooling2D::new;
                Ok(vec![layer().try_call(&x[0], false)?, layer().keepdims(true).try_call(&x[0], false)?])
            },
        ),
        Sample::new("Flatten", |s| vec![x(&[s.a, s.b, s.c])], |x| one(Flatten::new().try_call(&x[0], false))),
        Sample::new(
            "Dropout",
            |s| vec![x(&[s.a, s.b])],
            |x| {
                tf::random::set_seed(5);
                let dropped = Dropout::new(0.5).try_call(&x[0], true)?;
                // The numbers go on from call to call: only the shape and what is kept of it can be compared.
                one(tf::try_equal(tf::try_abs(&dropped)?, &dropped)?.try_cast(DType::F64)?.try_multiply(0.0))
            },
        ),
        Sample::new(
            "activations",
            |s| vec![x(&[s.a, s.b])],
            |x| {
                let all = ["relu", "sigmoid", "tanh", "softmax", "gelu"];
                Ok(all.iter().map(|a| tf::layers::Activation::new(*a).call(&x[0])).collect())
            },
        ),
    ]
}

fn losses() -> Vec<Sample> {
    vec![
        Sample::new(
            "sparse_categorical_crossentropy",
            |s| vec![small(&[s.a]), positive(&[s.a, s.b])],
            |x| {
                Ok(vec![
                    losses::try_sparse_categorical_crossentropy(&x[0], &x[1], FromLogits::Yes)?,
                    losses::try_sparse_categorical_crossentropy(&x[0], &x[1], FromLogits::No)?,
                ])
            },
        ),
        Sample::new(
            "sparse_categorical_crossentropy",
            |s| vec![small(&[s.a, 1]), x(&[s.a, s.b])],
            |x| one(losses::try_sparse_categorical_crossentropy(&x[0], &x[1], FromLogits::Yes)),
        ),
        Sample::new(
            "categorical_crossentropy",
            |s| vec![positive(&[s.a, s.b]), positive(&[s.a, s.b])],
            |x| {
                Ok(vec![
                    losses::try_categorical_crossentropy(&x[0], &x[1], FromLogits::Yes)?,
                    losses::try_categorical_crossentropy(&x[0], &x[1], FromLogits::No)?,
                ])
            },
        ),
        Sample::new(
            "mean_errors",
            |s| vec![x(&[s.a, s.b]), x(&[s.a, s.b]) * 2.0],
            |x| Ok(vec![losses::try_mean_squared_error(&x[0], &x[1])?, losses::try_mean_absolute_error(&x[0], &x[1])?]),
        ),
    ]
}

/// A metric made for one call, as its state would go on.
fn metrics() -> Vec<Sample> {
    let mean = Mean::new("mean");
    let (equal, sparse, best) = (Accuracy::new(), SparseCategoricalAccuracy::new(), CategoricalAccuracy::new());
    vec![
        Sample::new(
            "Mean",
            |s| vec![x(&[s.a, s.b])],
            move |x| {
                mean.reset();
                mean.try_update(&x[0])?;
                Ok(vec![mean.result()])
            },
        ),
        Sample::new(
            "Accuracy",
            |s| vec![small(&[s.a, s.b]), small(&[s.a, s.b])],
            move |x| {
                equal.reset();
                equal.try_update(&x[0], &x[1])?;
                Ok(vec![equal.result()])
            },
        ),
        Sample::new(
            "SparseCategoricalAccuracy",
            |s| vec![small(&[s.a, 1]), x(&[s.a, s.b])],
            move |x| {
                sparse.reset();
                sparse.try_update(&x[0], &x[1])?;
                Ok(vec![sparse.result()])
            },
        ),
        Sample::new(
            "CategoricalAccuracy",
            |s| vec![x(&[s.a, s.b]) * 2.0, x(&[s.a, s.b])],
            move |x| {
                best.reset();
                best.try_update(&x[0], &x[1])?;
                Ok(vec![best.result()])
            },
        ),
    ]
}

/// One step of an optimizer, from the same start each time, over a batch of unknown size.
fn step(optimizer: impl Optimizer + 'static, rows: bool) -> Sample {
    let start = x(&[5, 2]);
    let w = Variable::new(start.clone());
    let variables = [w.clone()];
    // Its slots are made by a first step, before anything is recorded.
    let first = [Some(x(&[5, 2]) * 0.0)].into_iter().collect();
    optimizer.apply_gradients(&first, &variables);
    let body = move |x: &[Tensor]| {
        w.try_assign(&start)?;
        for slot in optimizer.variables().iter().filter(|v| v.shape() == *start.shape()) {
            slot.try_assign(&start)?;
        }
        optimizer.iterations().try_assign(Tensor::from(1i64))?;
        let tape = GradientTape::new();
        let y = match rows {
            true => tf::try_embedding_lookup(&w, &x[1])?.try_square()?,
            false => tf::try_matmul(&x[0], &w)?.try_square()?,
        };
        let gradients = tape.try_gradient(&y, &variables[..])?;
        optimizer.try_apply_gradients(&gradients, &variables)?;
        Ok(vec![w.value()])
    };
    Sample::new("optimizer", |s| vec![x(&[s.a, 5]), small(&[s.b])], body)
}

fn optimizers() -> Vec<Sample> {
    let mut list = Vec::new();
    for rows in [false, true] {
        list.push(step(SGD::new(0.1), rows));
        list.push(step(SGD::new(0.1).momentum(0.9), rows));
        list.push(step(SGD::new(0.1).momentum(0.9).nesterov(true), rows));
        list.push(step(Adam::new(0.01), rows));
    }
    list
}

fn others() -> Vec<Sample> {
    vec![
        Sample::new(
            "debugging",
            |s| vec![positive(&[s.a, s.b])],
            |x| {
                tf::debugging::try_assert_positive(&x[0], "positive")?;
                tf::debugging::try_assert_equal(&x[0], &x[0], "equal")?;
                tf::debugging::try_assert_near(&x[0], &x[0], "near")?;
                tf::debugging::try_assert_all_finite(&x[0], "finite")?;
                tf::debugging::try_assert_rank(&x[0], 2, "rank")?;
                tf::debugging::try_assert_shapes(&[(&x[0], "n m"), (&tf::try_transpose(&x[0], [])?, "m n")], "shapes")?;
                one(tf::try_identity(&x[0]))
            },
        ),
        Sample::new(
            "random",
            |s| vec![x(&[s.a, s.b])],
            |x| one(tf::random::try_stateless_uniform(x[0].shape(), [1, 2], 0.0, 1.0, DType::F64)),
        ),
    ]
}
