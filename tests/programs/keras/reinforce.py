"""REINFORCE with a baseline on a cart-pole, which is written here: a loop of one's own with
a traced step."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

LIMIT = 200
GAMMA = 0.99


class CartPole:
    """A pole on a cart that is pushed left or right; it ends when either goes too far."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def reset(self):
        self.state = self.random.uniform(-0.05, 0.05, 4)
        return self.state

    def step(self, action):
        x, speed, angle, turn = self.state
        force = 10.0 if action == 1 else -10.0
        sin, cos = np.sin(angle), np.cos(angle)
        push = (force + 0.05 * turn**2 * sin) / 1.1
        turn_speed = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        pull = push - 0.05 * turn_speed * cos / 1.1
        change = np.array([speed, pull, turn, turn_speed])
        self.state = self.state + 0.02 * change
        return self.state, abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.2095


class Agent(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(64, activation="tanh")
        self.logits = layers.Dense(2)
        self.value = layers.Dense(1)

    def call(self, observations):
        x = self.hidden(observations)
        return self.logits(x), self.value(x)[:, 0]


@tf.function
def act(agent, observation):
    logits, _ = agent(observation[None, :])
    return tf.random.categorical(logits, 1)[0, 0]


@tf.function(reduce_retracing=True)
def train_step(agent, optimizer, observations, actions, returns):
    with tf.GradientTape() as tape:
        logits, values = agent(observations)
        chosen = -keras.losses.sparse_categorical_crossentropy(
            actions, logits, from_logits=True
        )
        advantages = tf.stop_gradient(returns - values)
        advantages /= tf.math.reduce_std(advantages) + 1e-6
        policy_loss = -tf.reduce_mean(chosen * advantages)
        loss = policy_loss + 0.5 * tf.reduce_mean((returns - values) ** 2)
    grads = tape.gradient(loss, agent.trainable_variables)
    optimizer.apply_gradients(zip(grads, agent.trainable_variables))


def episode(agent, world):
    """What was seen and done until the pole fell or the time was over."""
    observations, actions = [], []
    observation, fell = world.reset(), False
    while not fell and len(actions) < LIMIT:
        action = int(act(agent, tf.constant(observation, tf.float32)))
        observations.append(observation)
        actions.append(action)
        observation, fell = world.step(action)
    return observations, actions


def discounted(length):
    """The sum of what is to come from each step on, where each gives 1."""
    returns = np.zeros(length, "float32")
    for i in reversed(range(length)):
        returns[i] = 1 + (GAMMA * returns[i + 1] if i + 1 < length else 0)
    return returns


def run(batches, episodes=8):
    """The mean length of the episodes of the first and of the last batches."""
    keras.utils.set_random_seed(1)
    world, agent, lengths = CartPole(1), Agent(), []
    optimizer = keras.optimizers.Adam(1e-2)
    for _ in range(batches):
        played = [episode(agent, world) for _ in range(episodes)]
        observations = np.concatenate([seen for seen, _ in played]).astype("float32")
        actions = np.concatenate([done for _, done in played])
        returns = np.concatenate([discounted(len(done)) for _, done in played])
        train_step(
            agent,
            optimizer,
            tf.constant(observations),
            tf.constant(actions),
            tf.constant(returns / 100),
        )
        lengths.append(len(actions) / episodes)
    return np.mean(lengths[:3]), np.mean(lengths[-3:])
