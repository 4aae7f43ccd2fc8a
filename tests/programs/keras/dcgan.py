"""A generator and a discriminator of handwritten digits, each with an optimizer: after the
page "DCGAN to generate face images" of Keras."""

import keras
import tensorflow as tf
from keras import layers, ops

import digits

LATENT = 16


def build_discriminator():
    return keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(32, 4, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2D(64, 4, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Flatten(),
            layers.Dropout(0.2),
            layers.Dense(1, activation="sigmoid"),
        ],
        name="discriminator",
    )


def build_generator():
    return keras.Sequential(
        [
            keras.Input((LATENT,)),
            layers.Dense(2 * 2 * 64),
            layers.Reshape((2, 2, 64)),
            layers.Conv2DTranspose(64, 4, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2DTranspose(64, 4, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2D(1, 5, padding="same", activation="sigmoid"),
        ],
        name="generator",
    )


class GAN(keras.Model):
    def __init__(self, discriminator, generator, latent_dim):
        super().__init__()
        self.discriminator = discriminator
        self.generator = generator
        self.latent_dim = latent_dim
        self.seed_generator = keras.random.SeedGenerator(1337)

    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super().compile()
        self.d_optimizer = d_optimizer
        self.g_optimizer = g_optimizer
        self.loss_fn = loss_fn
        self.d_loss_metric = keras.metrics.Mean(name="d_loss")
        self.g_loss_metric = keras.metrics.Mean(name="g_loss")

    @property
    def metrics(self):
        return [self.d_loss_metric, self.g_loss_metric]

    def sample(self, count):
        shape = (count, self.latent_dim)
        return keras.random.normal(shape, seed=self.seed_generator)

    def train_step(self, real_images):
        batch_size = ops.shape(real_images)[0]
        generated_images = self.generator(self.sample(batch_size))
        combined_images = ops.concatenate([generated_images, real_images], axis=0)
        labels = ops.concatenate(
            [ops.ones((batch_size, 1)), ops.zeros((batch_size, 1))], axis=0
        )
        labels += 0.05 * keras.random.uniform(
            ops.shape(labels), seed=self.seed_generator
        )
        with tf.GradientTape() as tape:
            predictions = self.discriminator(combined_images, training=True)
            d_loss = self.loss_fn(labels, predictions)
        grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply_gradients(
            zip(grads, self.discriminator.trainable_weights)
        )

        misleading_labels = ops.zeros((batch_size, 1))
        with tf.GradientTape() as tape:
            fakes = self.generator(self.sample(batch_size))
            predictions = self.discriminator(fakes)
            g_loss = self.loss_fn(misleading_labels, predictions)
        grads = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights))

        self.d_loss_metric.update_state(d_loss)
        self.g_loss_metric.update_state(g_loss)
        return {
            "d_loss": self.d_loss_metric.result(),
            "g_loss": self.g_loss_metric.result(),
        }


def run(epochs):
    """The losses of the last epoch, and how far the mean made image is from the mean real
    one, before and behind the training."""
    keras.utils.set_random_seed(1)
    real_images = digits.images()
    gan = GAN(build_discriminator(), build_generator(), LATENT)

    def distance():
        made = gan.generator(gan.sample(256))
        return float(ops.mean(abs(ops.mean(made, 0) - ops.mean(real_images, 0))))

    before = distance()
    gan.compile(
        d_optimizer=keras.optimizers.Adam(3e-4, beta_1=0.5),
        g_optimizer=keras.optimizers.Adam(1e-3, beta_1=0.5),
        loss_fn=keras.losses.BinaryCrossentropy(),
    )
    history = gan.fit(real_images, epochs=epochs, batch_size=64, verbose=0).history
    return history["d_loss"][-1], history["g_loss"][-1], before, distance()
