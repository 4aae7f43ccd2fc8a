"""The four rates of Lotka and Volterra's equations, fitted to noisy observations through the
loop of a solver."""

import keras
import numpy as np
import tensorflow as tf

RATES = [1.1, 0.4, 0.4, 0.1]
START = [10.0, 5.0]


def slope(state, rates):
    prey, predators = tf.unstack(state)
    births, eaten, deaths, grown = tf.unstack(rates)
    return tf.stack(
        [
            births * prey - eaten * prey * predators,
            grown * prey * predators - deaths * predators,
        ]
    )


def runge_kutta(state, rates, dt):
    k1 = slope(state, rates)
    k2 = slope(state + dt / 2 * k1, rates)
    k3 = slope(state + dt / 2 * k2, rates)
    k4 = slope(state + dt * k3, rates)
    return state + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@tf.function
def solve(start, rates, steps, dt):
    """The states at so many times."""
    states = tf.TensorArray(tf.float32, size=steps)
    state = start
    for i in tf.range(steps):
        state = runge_kutta(state, rates, dt)
        states = states.write(i, state)
    return states.stack()


class Model(tf.Module):
    """Rates that stay positive."""

    def __init__(self):
        self.logs = tf.Variable(tf.math.log([0.8, 0.3, 0.6, 0.15]))

    def rates(self):
        return tf.exp(self.logs)


@tf.function
def train_step(model, optimizer, observed, dt):
    with tf.GradientTape() as tape:
        states = solve(tf.constant(START), model.rates(), len(observed), dt)
        loss = tf.reduce_mean((tf.math.log(states) - tf.math.log(observed)) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def run(steps):
    """The first and last loss, and the rates that were found."""
    keras.utils.set_random_seed(1)
    dt = tf.constant(0.1)
    exact = solve(tf.constant(START), tf.constant(RATES), tf.constant(60), dt)
    observed = exact * tf.exp(tf.random.normal(exact.shape, 0.0, 0.02))
    model, optimizer, losses = Model(), keras.optimizers.Adam(0.02), []
    for _ in range(steps):
        losses.append(float(train_step(model, optimizer, observed, dt)))
    return losses[0], losses[-1], model.rates().numpy()
