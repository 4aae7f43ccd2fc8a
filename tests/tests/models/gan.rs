//! A GAN of small images: a generator of transposed convolutions and batch normalisation, a discriminator of convolutions, and two
//! optimizers that take turns, with the batch open.

use super::{seeded, two_traces};
use eagerflow as tf;
use tf::layers::Dense;
use tf::optim::{Adam, Optimizer};
use tf::{FusedBatchNorm, GradientTape, Module, Padding, Tensor, Variable, tf_function};

const NOISE: usize = 8;

/// Images normalised channel by channel; the running moments serve where nothing trains.
#[derive(Module)]
struct BatchNorm {
    scale: Variable,
    offset: Variable,
    #[module(not_trainable)]
    mean: Variable,
    #[module(not_trainable)]
    variance: Variable,
}

impl BatchNorm {
    fn new(channels: usize) -> Self {
        let constant = |value: f32| Variable::with(tf::fill([channels], value), "", false);
        Self {
            scale: Variable::new(tf::ones([channels])),
            offset: Variable::new(tf::zeros([channels])),
            mean: constant(0.0),
            variance: constant(1.0),
        }
    }

    fn call(&self, x: &Tensor, training: bool) -> Tensor {
        let options = FusedBatchNorm {
            mean: Some(self.mean.value()),
            variance: Some(self.variance.value()),
            is_training: training,
            exponential_avg_factor: if training { 0.1 } else { 1.0 },
            ..Default::default()
        };
        let (y, mean, variance) = tf::fused_batch_norm(x, &self.scale, &self.offset, options);
        if training {
            self.mean.assign(&mean);
            self.variance.assign(&variance);
        }
        y
    }
}

#[derive(Module)]
struct Generator {
    start: Dense,
    norms: [BatchNorm; 2],
    filters: [Variable; 2],
}

impl Generator {
    fn new() -> Self {
        let filters = |sizes: [usize; 4]| Variable::new(tf::random::normal(sizes, 0.0, 0.1));
        Self {
            start: Dense::new(4 * 4 * 16),
            norms: [BatchNorm::new(16), BatchNorm::new(8)],
            filters: [filters([4, 4, 8, 16]), filters([4, 4, 1, 8])],
        }
    }

    /// Images of 16 by 16 pixels from -1 to 1.
    fn call(&self, noise: &Tensor, training: bool) -> Tensor {
        let count = noise.dim(0);
        let x = self.start.call(noise).reshape((count, 4, 4, 16));
        let x = tf::relu(self.norms[0].call(&x, training));
        let x = tf::conv2d_transpose(&x, &self.filters[0], (count, 8, 8, 8), 2, Padding::Same);
        let x = tf::relu(self.norms[1].call(&x, training));
        tf::tanh(tf::conv2d_transpose(&x, &self.filters[1], (count, 16, 16, 1), 2, Padding::Same))
    }
}

#[derive(Module)]
struct Discriminator {
    filters: [Variable; 2],
    end: Dense,
}

impl Discriminator {
    fn new() -> Self {
        let filters = |sizes: [usize; 4]| Variable::new(tf::random::normal(sizes, 0.0, 0.1));
        Self { filters: [filters([4, 4, 1, 8]), filters([4, 4, 8, 16])], end: Dense::new(1) }
    }

    fn call(&self, images: &Tensor) -> Tensor {
        let first = tf::leaky_relu(tf::conv2d(images, &self.filters[0], 2, Padding::Same), 0.2);
        let second = tf::leaky_relu(tf::conv2d(&first, &self.filters[1], 2, Padding::Same), 0.2);
        self.end.call(second.reshape((images.dim(0), 4 * 4 * 16)))
    }
}

#[derive(Module)]
struct Gan {
    generator: Generator,
    discriminator: Discriminator,
}

/// The losses of the generator and of the discriminator.
#[tf_function]
fn train_step(gan: &Gan, optimizers: &(Adam, Adam), images: &Tensor) -> (Tensor, Tensor) {
    let noise = tf::random::normal((images.dim(0), NOISE), 0.0, 1.0);
    let tape = GradientTape::persistent();
    let made = gan.generator.call(&noise, true);
    let (real, fake) = (gan.discriminator.call(images), gan.discriminator.call(&made));
    let loss = |of: &Tensor, label: f32| tf::sigmoid_cross_entropy_with_logits(tf::zeros_like(of) + label, of).mean();
    let (generator, discriminator) = (loss(&fake, 1.0), loss(&real, 0.9) + loss(&fake, 0.0));
    let (of_generator, of_discriminator) =
        (gan.generator.trainable_variables(), gan.discriminator.trainable_variables());
    optimizers.0.apply_gradients(&tape.gradient(&generator, &of_generator), &of_generator);
    optimizers.1.apply_gradients(&tape.gradient(&discriminator, &of_discriminator), &of_discriminator);
    (generator, discriminator)
}

/// White squares on black ground, each somewhere else.
fn images(count: usize, seed: i64) -> Tensor {
    let at = tf::random::stateless_uniform_int([2, count], [seed, 1], 2, 9).cast(tf::int32);
    let places = tf::range(0, 16, 1);
    let inside = |from: &Tensor| {
        let from = from.expand_dims(1);
        tf::logical_and(tf::greater_equal(&places, &from), tf::less(&places, &from + 5)).cast(tf::float32)
    };
    (inside(&at.at(0)).expand_dims(2) * inside(&at.at(1)).expand_dims(1) * 2.0 - 1.0).expand_dims(3)
}

#[test]
fn a_gan_learns_the_brightness_of_images_with_any_batch() {
    let _alone = seeded(5);
    let gan = Gan { generator: Generator::new(), discriminator: Discriminator::new() };
    let optimizers = (Adam::new(2e-3).beta_1(0.5), Adam::new(1e-3).beta_1(0.5));
    let noise = tf::random::stateless_normal([64, NOISE], [1, 2], 0.0, 1.0);
    gan.generator.call(&noise, false);
    let brightness = |images: &Tensor| tf::reduce_mean(images, ()).item::<f32>();
    let wanted = brightness(&images(256, 9));
    let before = (brightness(&gan.generator.call(&noise, false)) - wanted).abs();
    for step in 0..150 {
        let (generator, discriminator) = train_step(&gan, &optimizers, &images(12 + step % 20, step as i64));
        let losses = (generator.item::<f32>(), discriminator.item::<f32>());
        assert!(losses.0.is_finite() && losses.1.is_finite(), "{losses:?} in step {step}");
    }
    let after = (brightness(&gan.generator.call(&noise, false)) - wanted).abs();
    assert!(after < 0.5 * before, "{before} before, {after} after");
    two_traces(train_step);
}
