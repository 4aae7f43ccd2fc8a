//! Windows over images whose sizes are open: a call with images that are smaller is refused at the user's line, and others go on.

use eagerflow as tf;
use tf::layers::{Conv2D, MaxPool2D};
use tf::{Module, Padding, Tensor, Variable, tf_function};

#[tf_function]
fn pooled(x: &Tensor) -> Tensor {
    let y = tf::max_pool2d(x * 1.0, 3, 2, Padding::Valid);
    tf::reduce_sum(y + tf::avg_pool2d(x, 3, 2, Padding::Valid), ())
}

#[tf_function]
fn convolved(x: &Tensor, w: &Variable) -> Tensor {
    let y = tf::conv2d(x, w, 1, Padding::Valid);
    tf::reduce_sum(y, ())
}

/// A loop that goes no round refuses nothing.
#[tf_function]
fn in_rounds(x: &Tensor, n: &Tensor) -> Tensor {
    let mut sum = tf::constant(0.0);
    for _ in tf::range(0, n, 1) {
        sum = sum + tf::reduce_sum(tf::max_pool2d(x, 3, 1, Padding::Valid), ());
    }
    sum
}

#[derive(Module)]
struct Net {
    conv: Conv2D,
    pool: MaxPool2D,
}

#[tf_function]
fn by_layers(net: &Net, x: &Tensor) -> Tensor {
    tf::reduce_sum(net.pool.call(&net.conv.call(x)), ())
}

fn image(size: usize) -> Tensor {
    let side = size as isize;
    tf::reshape(tf::range(0.0, (size * size) as f32, 1.0), [1, side, side, 1]) * 0.125
}

#[test]
fn windows_over_open_sizes() {
    eager_vs_graph!(pooled(x); x in [image(6), image(8), image(2), image(7), image(3)]; traces 2);
    eager_vs_graph!(convolved(x, w); w = Variable::new(tf::ones([3, 3, 1, 1]));
        x in [image(6), image(8), image(2), image(7), image(3)]; traces 2);
    eager_vs_graph!(in_rounds(x, n);
        (x, n) in [(image(6), 2), (image(8), 3), (image(2), 0), (image(2), 1), (image(5), 0)]; traces 2);
}

#[test]
fn layers_over_open_sizes() {
    let net = Net { conv: Conv2D::new(2, 3), pool: MaxPool2D::new(2) };
    for size in [8, 6, 9] {
        by_layers(&net, &image(size));
    }
    let text = |size: usize| {
        let call = std::panic::AssertUnwindSafe(|| by_layers(&net, &image(size)));
        std::panic::catch_unwind(call).unwrap_err().downcast_ref::<String>().cloned().unwrap_or_default()
    };
    let (conv, pool) = (text(2), text(3));
    assert!(conv.contains("conv2d") && conv.contains("2 rows") && conv.contains("small_images.rs:37"), "{conv}");
    assert!(pool.contains("max_pool2d") && pool.contains("1 rows") && pool.contains("small_images.rs:37"), "{pool}");
    assert_eq!(tf::function(by_layers).trace_count(), 2);
}
