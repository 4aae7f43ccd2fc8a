//! The setting that allows Winograd's convolutions: what it changes, and that a call, its gradients and a traced function keep what was
//! allowed when they began. In a process of its own, since the setting belongs to the process.

use eagerflow as tf;
use tf::config::enable_winograd_convolutions;
use tf::{GradientTape, Padding, Tensor, tf_function};

#[tf_function]
fn convolved(images: &Tensor, filters: &Tensor) -> Tensor {
    tf::conv2d(images, filters, 1, Padding::Same)
}

/// Some numbers between -1 and 1.
fn numbers(shape: [usize; 4], seed: i64) -> Tensor {
    tf::random::stateless_uniform(shape, [seed, 7], -1.0, 1.0)
}

fn bits(x: &Tensor) -> Vec<u32> {
    x.to_vec::<f32>().into_iter().map(f32::to_bits).collect()
}

/// Value and gradients at once; `later` is what is allowed when the gradients are asked for.
fn results(images: &Tensor, filters: &Tensor, later: bool) -> [Tensor; 3] {
    let mut tape = GradientTape::new();
    tape.watch(images);
    tape.watch(filters);
    let y = tf::conv2d(images, filters, 1, Padding::Same);
    let loss = (&y * &y).sum();
    enable_winograd_convolutions(later);
    let [dimages, dfilters] = tape.gradient(&loss, [images, filters]);
    [y, dimages, dfilters]
}

#[test]
fn what_began_keeps_what_was_allowed() {
    let (images, filters) = (numbers([4, 28, 28, 64], 1), numbers([3, 3, 64, 64], 2));
    enable_winograd_convolutions(false);
    let plain = results(&images, &filters, false);
    assert_eq!(bits(&convolved(&images, &filters)), bits(&plain[0]));
    let kept = results(&images, &filters, true);
    let transformed = results(&images, &filters, true);
    for ((plain, kept), transformed) in plain.iter().zip(&kept).zip(&transformed) {
        assert_eq!(bits(plain), bits(kept));
        assert_ne!(bits(plain), bits(transformed), "the transforms add up in another order");
        let size = tf::reduce_max(&plain.abs(), ()).item::<f32>();
        let apart = tf::reduce_max(&(plain - transformed).abs(), ()).item::<f32>();
        assert!(apart <= 1e-5 * size, "{apart:e} apart, of {size:e}");
    }
    // The trace was made while they were forbidden.
    assert_eq!(bits(&convolved(&images, &filters)), bits(&plain[0]));
}
