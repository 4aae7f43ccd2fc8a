"""Checkpoints of TensorFlow and Keras 3, written and read by the real thing.

`python checkpoints.py save DIR` writes a checkpoint of each program below, and `values.json`: what its variables held when it was
saved, and what they hold one step of training later. `python checkpoints.py restore DIR` restores checkpoints of the same programs
that eagerflow wrote, with its `values.json`, into objects that are built and into objects that are not; it asserts that all is
consumed, compares every value, takes the next step, and compares again. The programs in Rust stand in
`tests/checkpoints/tensorflow/programs.rs` under the same names, and variables are named as there.

The files of `tests/golden/checkpoints` are those of `save`, with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21; without tf_keras, the
package of Keras 2, its programs are left out.
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import keras
import numpy as np
import tensorflow as tf
from keras import layers

v1 = tf.compat.v1
ROWS = tf.constant([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
IMAGES = tf.reshape(tf.range(72, dtype=tf.float32) / 36.0 - 1.0, [2, 6, 6, 1])
STEPS = 2


class Program:
    """The parts of a checkpoint by name, how to make their variables, one step of training, and the values by their names."""

    def __init__(self, parts, values, build=lambda: None, step=lambda: None):
        self.parts, self.values, self.build, self.step = parts, values, build, step

    def checkpoint(self):
        return tf.train.Checkpoint(**self.parts)


def layer(path, of):
    """The variables of a layer by their names in Rust."""
    return {f"{path}/kernel": of.kernel, f"{path}/bias": of.bias}


def optimizer(path, of):
    """The variables of an optimizer by their names in Rust."""
    values = {f"{path}/iterations": of.iterations, f"{path}/learning_rate": of.learning_rate}
    kinds = {"m": "_momentums", "v": "_velocities"} if type(of).__name__ == "Adam" else {"momentum": "momentums"}
    for slot, name in kinds.items():
        for i, variable in enumerate(getattr(of, name, [])):
            values[f"{path}/slots/{i}/{slot}"] = variable
    return values


def training(model, of, x, named, **parts):
    """A model that an optimizer trains to answer zeros."""

    def build():
        model(x)
        of.build(model.trainable_variables)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x)))
        variables = model.trainable_variables
        of.apply_gradients(zip(tape.gradient(loss, variables), variables))

    values = lambda: {name: v for path, l in named.items() for name, v in layer(f"model/{path}", l()).items()}
    return Program(dict(model=model, optimizer=of, **parts), lambda: values() | optimizer("optimizer", of), build, step)


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(5, activation="tanh")
        self.flat = layers.Flatten()
        self.drop = layers.Dropout(0.5)
        self.output_layer = layers.Dense(2)

    def call(self, x):
        return self.output_layer(self.flat(self.drop(self.hidden(x))))


class Convolutions(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = layers.Conv2D(2, 3, activation="relu")
        self.largest = layers.MaxPooling2D(2)
        self.mean = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(1)

    def call(self, x):
        return self.head(self.mean(self.largest(self.conv(x))))


def subclass():
    net = Net()
    named = {"hidden": lambda: net.hidden, "output_layer": lambda: net.output_layer}
    return training(net, keras.optimizers.Adam(0.05), ROWS, named)


def plain():
    net = Net()
    named = {"hidden": lambda: net.hidden, "output_layer": lambda: net.output_layer}
    return training(net, keras.optimizers.SGD(0.1), ROWS, named)


def convolutions():
    net = Convolutions()
    named = {"conv": lambda: net.conv, "head": lambda: net.head}
    return training(net, keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True), IMAGES, named)


def sequential():
    net = keras.Sequential(
        [layers.Input([3]), layers.Dense(4, activation="tanh"), layers.Dropout(0.5), layers.Dense(1)])
    return training(net, keras.optimizers.SGD(0.1, momentum=0.5), ROWS, {"0": lambda: net.layers[0], "2": lambda: net.layers[2]})


def functional():
    x = keras.Input([3])
    net = keras.Model(x, layers.Dense(1)(layers.Dense(4, activation="tanh")(x)))
    return training(net, keras.optimizers.Adam(0.1), ROWS, {"0": lambda: net.layers[1], "1": lambda: net.layers[2]})


def shared():
    trunk, left, right = layers.Dense(3), layers.Dense(1), layers.Dense(2)
    branch = lambda head: tf.train.Checkpoint(trunk=trunk, head=head)
    parts = dict(trunk=trunk, left=branch(left), right=branch(right))

    def build():
        x = trunk(ROWS)
        left(x), right(x)

    values = lambda: layer("trunk", trunk) | layer("left/head", left) | layer("right/head", right)
    return Program(parts, values, build)


class Line(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable([[1.5], [-2.5]], name="kernel")
        self.bias = tf.Variable([0.25], name="bias")


class Lines(tf.Module):
    def __init__(self):
        super().__init__()
        self.inner = Line()
        self.all = [Line(), Line()]


def modules():
    net = Lines()
    lines = {"model/inner": net.inner, "model/all/0": net.all[0], "model/all/1": net.all[1]}
    values = lambda: {name: v for path, l in lines.items() for name, v in layer(path, l).items()}
    return Program(dict(model=net), values)


DTYPES = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]


def containers():
    """The same values in both languages, so that the files are the same to the byte."""
    one = lambda x, name, **k: tf.Variable(x, name=name, trainable=False, **k)
    numbers = [one(tf.cast([[1, 2], [3, 0]], dtype), f"v_{dtype}") for dtype in DTYPES]
    mapping = {"a/b": one(2.5, "slash"), "c.d": one([0.5, -0.5], "point"), "plain": one(tf.zeros([0, 3]), "empty")}
    inner = [one(1.0, "first"), one(2.0, "second")]
    nested = tf.train.Checkpoint(inner=tf.train.Checkpoint(list=inner))
    steps = one(tf.constant(7, tf.int64), "steps")
    values = {f"dtypes/{i}": v for i, v in enumerate(numbers)} | {f"map/{key}": v for key, v in mapping.items()}
    values |= {f"nested/inner/list/{i}": v for i, v in enumerate(inner)} | {"steps": steps}
    return Program(dict(dtypes=numbers, map=mapping, nested=nested, steps=steps), lambda: values)


def pipelines(iterator=True):
    """Beside an iterator of a data set, which either program only saves, a generator and a variable."""
    generator, v = tf.random.Generator.from_seed(5), tf.Variable([1.0, 2.0], name="v")
    generator.uniform([3])
    parts = dict(generator=generator, v=v)
    if iterator:
        parts["iterator"] = iter(tf.data.Dataset.range(5))
        next(parts["iterator"])
    return Program(parts, lambda: {"generator/_state_var": generator.state, "v": v}, step=lambda: generator.uniform([3]))


def older(of, slots, **names):
    """Two variables under an optimizer of the kind that keeps slots apart from its children."""
    v, w = tf.Variable([1.0, -2.0], name="v"), tf.Variable([[3.0]], name="w")

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v)) + tf.reduce_sum(tf.square(w))
        of.apply_gradients(zip(tape.gradient(loss, [v, w]), [v, w]))

    def values():
        found = {f"optimizer/slots/{i}/{slot}": of.get_slot(x, slot) for i, x in enumerate([v, w]) for slot in slots}
        return {"v": v, "w": w} | found | {f"optimizer/{name}": getattr(of, other) for name, other in names.items()}

    return Program(dict(v=v, w=w, optimizer=of), values, step=step)


def older_adam():
    return older(v1.train.AdamOptimizer(0.1, epsilon=1e-7), ["m", "v"])


def older_momentum():
    return older(v1.train.MomentumOptimizer(0.1, 0.5), ["momentum"])


def keras_2_adam():
    import tf_keras
    of = tf_keras.optimizers.legacy.Adam(0.1)
    return older(of, ["m", "v"], iterations="iterations", learning_rate="learning_rate")


def keras_2_sgd():
    import tf_keras
    of = tf_keras.optimizers.legacy.SGD(0.1, momentum=0.5)
    return older(of, ["momentum"], iterations="iterations", learning_rate="learning_rate")


def keras_2_sequential():
    import tf_keras
    l = tf_keras.layers
    net = tf_keras.Sequential([l.Input([3]), l.Dense(4, activation="tanh"), l.Dropout(0.5), l.Dense(1)])
    named = {"0": lambda: net.layers[0], "2": lambda: net.layers[2]}
    return training(net, tf_keras.optimizers.SGD(0.1, momentum=0.5), ROWS, named)


def keras_2_functional():
    import tf_keras
    l = tf_keras.layers
    x = l.Input([3])
    net = tf_keras.Model(x, l.Dense(1)(l.Dense(4, activation="tanh")(x)))
    return training(net, tf_keras.optimizers.Adam(0.1), ROWS, {"0": lambda: net.layers[1], "1": lambda: net.layers[2]})


BOTH = [subclass, plain, convolutions, sequential, functional, shared, modules, containers, pipelines]
# Of those that are not built, TensorFlow restores no others from files of its own: variables of subclassed models take no value later.
LATE = [sequential, functional, shared, modules, containers, pipelines]
SAVED_ONLY = [older_adam, older_momentum, keras_2_adam, keras_2_sgd, keras_2_sequential, keras_2_functional]


def numbers(values):
    """Values as JSON has them: flat, row by row."""
    flat = lambda x: np.reshape(np.array(x.numpy().tolist()), -1).tolist()
    return {name: [int(n) if isinstance(n, bool) else n for n in flat(tf.convert_to_tensor(x))] for name, x in values.items()}


def names(directory):
    """A file of TensorFlow 1: values by name, one of them in parts."""
    with tf.Graph().as_default(), v1.Session() as session:
        kernel = v1.get_variable("layer/kernel", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]), use_resource=False)
        rows = v1.get_variable("rows", [5, 2], initializer=v1.initializers.random_uniform(seed=1), partitioner=v1.fixed_size_partitioner(2))
        v1.get_variable("step", initializer=tf.constant(9, tf.int64), use_resource=False)
        session.run(v1.global_variables_initializer())
        v1.train.Saver().save(session, os.path.join(directory, "names"), write_meta_graph=False, write_state=False)
        values = {"layer/kernel": kernel, "rows": tf.convert_to_tensor(rows), "step": tf.constant(9, tf.int64)}
        return {name: np.reshape(session.run(x), -1).tolist() for name, x in values.items()}


def save(directory):
    os.makedirs(directory, exist_ok=True)
    found = {}
    for make in BOTH + SAVED_ONLY:
        keras.utils.set_random_seed(3)
        try:
            program = make()
        except ModuleNotFoundError as error:
            print(f"{make.__name__} is left out: {error}")
            continue
        program.build()
        for _ in range(STEPS):
            program.step()
        program.checkpoint().save(os.path.join(directory, make.__name__))
        before = numbers(program.values())
        program.step()
        found[make.__name__] = {"before": before, "after": numbers(program.values())}
    found["names"] = {"before": names(directory)}
    with open(os.path.join(directory, "values.json"), "w") as file:
        head = {"tensorflow": tf.__version__, "keras": keras.__version__}
        json.dump(head | {"programs": found}, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")


def compare(what, program, expected, tolerance):
    got = numbers(program.values())
    assert set(got) == set(expected), f"{what}: {sorted(set(got) ^ set(expected))}"
    for name, numbers_ in expected.items():
        close = np.allclose(got[name], numbers_, rtol=tolerance, atol=tolerance) if tolerance else got[name] == numbers_
        assert close, f"{what}: {name} is {got[name]}, not {numbers_}"


def restored(what, program, path, expected, built):
    """Restores one program, built before or after, and goes on."""
    if built:
        program.build()
        program.step()
    status = program.checkpoint().restore(path)
    program.build()
    compare(what, program, expected["before"], 0)
    status.assert_existing_objects_matched()
    status.assert_consumed()
    program.step()
    compare(f"{what}, one step later", program, expected["after"], 1e-5)


def restore(directory):
    with open(os.path.join(directory, "values.json")) as file:
        programs = json.load(file)["programs"]
    failures = []

    def attempt(what, *arguments):
        try:
            restored(what, *arguments)
            print(f"restored: {what}")
        except Exception as error:
            failures.append(f"{what}: {type(error).__name__}: {str(error)[:600]}")

    for make in BOTH:
        name = make.__name__
        path = os.path.join(directory, f"{name}-1")
        for built in [True, False] if make in LATE else [True]:
            attempt(f"{name}, {'built' if built else 'not built'}", make(), path, programs[name], built)
    newest = tf.train.latest_checkpoint(directory)
    if newest != os.path.join(directory, f"{BOTH[-1].__name__}-1"):
        failures.append(f"the newest checkpoint is {newest}")
    # The rest of a checkpoint is restored where the program has no iterator as well.
    attempt("pipelines, no iterator", pipelines(False), os.path.join(directory, "pipelines-1"), programs["pipelines"], True)
    print("\n".join(failures))
    sys.exit(bool(failures))


if __name__ == "__main__":
    {"save": save, "restore": restore}[sys.argv[1]](sys.argv[2])
