"""Steps of every optimizer of Keras, with each of its options changed, and its schedules at many steps.

`python keras_optimizers.py` writes `keras_optimizers.json`: the gradients, and where variables and slots are after some of fifty steps.
"""
import inspect
import pathlib
import textwrap

import keras_common as common
import numpy as np
import keras
import tensorflow as tf
from keras import optimizers
from keras.optimizers import schedules

STEPS, SEEN = 50, (3, 50)
SHAPES = {"dense/kernel": (3, 4), "dense/bias": (5,), "embedding/table": (6, 2)}
ROWS = 4

SHARED = [
    {"clipnorm": 0.8}, {"clipvalue": 0.3}, {"global_clipnorm": 0.9}, {"weight_decay": 0.05}, {"use_ema": True},
    {"use_ema": True, "ema_momentum": 0.7, "ema_overwrite_frequency": 4}, {"loss_scale_factor": 8.0},
    {"gradient_accumulation_steps": 3},
]
BETAS = [{"beta_1": 0.8}, {"beta_2": 0.95}, {"epsilon": 1e-3}]
OWN = {
    "SGD": (0.05, [{"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"momentum": 0.5, "weight_decay": 0.1}]),
    "Adam": (0.05, [*BETAS, {"amsgrad": True}]),
    "AdamW": (0.05, [*BETAS, {"amsgrad": True}]),
    "Adamax": (0.05, BETAS),
    "Nadam": (0.05, BETAS),
    "RMSprop": (0.02, [{"rho": 0.8}, {"momentum": 0.9}, {"epsilon": 1e-3}, {"centered": True, "epsilon": 1e-2},
                       {"centered": True, "momentum": 0.6, "epsilon": 1e-2}]),
    "Adagrad": (0.1, [{"initial_accumulator_value": 0.5}, {"epsilon": 1e-2}]),
    "Adadelta": (1.0, [{"rho": 0.9}, {"epsilon": 1e-3}]),
    "Ftrl": (0.1, [{"learning_rate_power": -0.3}, {"initial_accumulator_value": 0.5}, {"l1_regularization_strength": 0.2},
                   {"l2_regularization_strength": 0.3}, {"l2_shrinkage_regularization_strength": 0.1}, {"beta": 0.4}]),
    "Adafactor": (0.1, [{"beta_2_decay": -0.5}, {"epsilon_1": 1e-3}, {"epsilon_2": 0.9}, {"clip_threshold": 0.5},
                        {"relative_step": False}]),
    "Lion": (0.02, [{"beta_1": 0.7}, {"beta_2": 0.8}]),
    "Lamb": (0.05, BETAS),
    "Muon": (0.05, [{"adam_beta_1": 0.8}, {"adam_beta_2": 0.95}, {"adam_weight_decay": 0.1}, {"adam_lr_ratio": 0.5},
                    {"epsilon": 1e-3}, {"muon_a": 3.0}, {"muon_b": -4.5}, {"muon_c": 2.0}, {"momentum": 0.8}, {"ns_steps": 3},
                    {"nesterov": False}, {"rms_rate": 0.4}, {"rms_rate": None}, {"exclude_embeddings": False},
                    {"exclude_layers": ["dense/k"]}]),
    "ScheduleFreeAdamW": (0.05, [{"beta_1": 0.8}, {"beta_2": 0.95}, {"epsilon": 1e-3}, {"warmup_steps": 10}]),
}


def short(x):
    """A tensor with nine digits for each number, which tell a float32 apart."""
    whole = common.tensor(x)
    whole["data"] = [float(f"{v:.9g}") if isinstance(v, float) else v for v in whole["data"]]
    return whole


def as_written(cls):
    """`ScheduleFreeAdamW` with the old momentum kept as a tensor: a variable of TensorFlow is read when it has changed already, and
    the running code then does something else than its text and comments say."""
    source = textwrap.dedent(inspect.getsource(cls.update_step))
    changed = source.replace("momentum_old = momentum.value", "momentum_old = ops.copy(momentum.value)")
    assert changed != source
    scope = {"ops": keras.ops}
    exec(changed, scope)
    cls.update_step = scope["update_step"]


as_written(optimizers.ScheduleFreeAdamW)


def gradients():
    """For each step: two dense gradients, and the numbers and values of rows, some of which come twice."""
    steps = []
    for step in range(STEPS):
        dense = [common.numbers(100 + step, SHAPES["dense/kernel"]), common.numbers(200 + step, SHAPES["dense/bias"])]
        indices = np.random.RandomState(300 + step).randint(0, 6, size=ROWS).astype("int32")
        steps.append((dense, indices, common.numbers(400 + step, (ROWS, 2))))
    return steps


GRADIENTS = gradients()
STARTS = [common.numbers(i, shape) for i, shape in enumerate(SHAPES.values())]


def variables(dtype="float32", constraint=None):
    made = []
    for (path, shape), start in zip(SHAPES.items(), STARTS):
        layer, name = path.split("/")
        with keras.src.backend.name_scope(layer):
            variable = keras.Variable(start, name=name, dtype=dtype)
        variable.constraint = constraint
        made.append(variable)
    return made


def state(optimizer, own):
    """The variables, and what the optimizer keeps, by name and number."""
    return {path: short(v.numpy()) for path, v in zip(SHAPES, own)}


def kept(optimizer):
    """The list of all the optimizer's variables, each as the last part of its path, in Keras's order."""
    return [{"name": v.path.split("/")[-1], "value": short(v.numpy())} for v in optimizer.variables]


def run(make, rows, dtype="float32", constraint=None, before=None):
    """Fifty steps; the table's gradient is rows, or the same as a dense tensor."""
    optimizer, own = make(), variables(dtype, constraint)
    if before:
        before(optimizer, own)
    seen = {}
    for step, (dense, indices, values) in enumerate(GRADIENTS):
        part = tf.IndexedSlices(tf.constant(values, dtype), tf.constant(indices), tf.constant([6, 2], tf.int64))
        part = part if rows else tf.convert_to_tensor(part)
        optimizer.apply([tf.constant(g, dtype) for g in dense] + [part], own)
        if step + 1 in SEEN:
            seen[str(step + 1)] = state(optimizer, own)
    return optimizer, own, seen


def row(kind, config, rows, **more):
    cls = getattr(optimizers, kind)
    try:
        optimizer, own, seen = run(lambda: cls(**config), rows, **more)
    except (TypeError, ValueError, AttributeError, tf.errors.OpError) as error:
        return {"optimizer": kind, "config": config, "rows": rows, "refused": f"{type(error).__name__}"}
    answer = {"optimizer": kind, "config": config, "rows": rows, "seen": seen}
    if not rows and config.keys() <= {"learning_rate", "amsgrad", "centered", "momentum", "epsilon", "use_ema", "gradient_accumulation_steps"}:
        answer["kept"] = kept(optimizer)
    if config.get("use_ema"):
        optimizer.finalize_variable_values(own)
        answer["final"] = state(optimizer, own)
    return answer


def steps():
    answer = []
    for kind, (rate, own) in OWN.items():
        for options in [{}, *own, *SHARED]:
            answer.append(row(kind, {"learning_rate": rate, **options}, False))
        rows = [{}, *own] if kind in ("SGD", "Adam", "RMSprop") else [{}]
        for options in [*rows, *(SHARED if kind in ("SGD", "Adagrad", "Adam") else [])]:
            answer.append(row(kind, {"learning_rate": rate, **options}, True))
    return answer


def checkpoint(rows):
    """A checkpoint of TensorFlow with every optimizer of whose variables the file tells, three steps after the start."""
    parts = {}
    for number, row in enumerate(rows):
        # Keras's graph of objects names no slot of these two: their lists were filled where TensorFlow did not look.
        if "kept" not in row or row["optimizer"] in ("Adafactor", "Muon"):
            continue
        optimizer, own = getattr(optimizers, row["optimizer"])(**row["config"]), variables()
        for dense, indices, values in GRADIENTS[:SEEN[0]]:
            part = tf.IndexedSlices(tf.constant(values), tf.constant(indices), tf.constant([6, 2], tf.int64))
            optimizer.apply([tf.constant(g) for g in dense] + [tf.convert_to_tensor(part)], own)
        parts[f"row{number}"] = tf.train.Checkpoint(optimizer=optimizer, variables=list(own))
    whole = tf.train.Checkpoint(**parts)
    # Asking for the counter makes it, as saving would.
    assert whole.save_counter is not None
    whole.write(str(pathlib.Path(__file__).parent / "checkpoints" / "keras_optimizers"))


def excluded():
    """Weight decay but for a variable by handle, and for variables by name (Keras sees the last part of a path)."""
    answer = {}
    for name, before in {
        "by_handle": lambda o, own: o.exclude_from_weight_decay(var_list=[own[0]]),
        "by_name": lambda o, own: o.exclude_from_weight_decay(var_names=["bia", "tab.e"]),
    }.items():
        config = {"learning_rate": 0.05, "weight_decay": 0.2}
        answer[name] = run(lambda: optimizers.AdamW(**config), False, before=before)[2]
    return answer


def loss_scale():
    """A gradient in seven is not finite."""
    inner = optimizers.SGD(0.05, momentum=0.9)
    optimizer = optimizers.LossScaleOptimizer(inner, initial_scale=64.0, dynamic_growth_steps=4)
    own, seen = variables(), []
    for step, (dense, indices, values) in enumerate(GRADIENTS):
        scale = float(optimizer.scale_loss(1.0))
        part = tf.IndexedSlices(tf.constant(values * scale), tf.constant(indices), tf.constant([6, 2], tf.int64))
        dense = [g * scale for g in dense]
        if step % 7 == 5:
            dense[step % 2].reshape(-1)[1] = [np.inf, np.nan][step % 3 % 2]
        optimizer.apply([tf.constant(g) for g in dense] + [tf.convert_to_tensor(part)], own)
        seen.append([scale, int(optimizer.step_counter.numpy()), int(inner._iterations.numpy())])
    return {"seen": seen, "end": state(optimizer, own)}


def groups():
    body, head = optimizers.Adam(0.05), optimizers.SGD(0.1, momentum=0.5)
    both = optimizers.MultiOptimizer(lambda v: head if "bias" in v.path else body)
    return run(lambda: both, False)[2]


def constrained():
    return run(lambda: optimizers.Adam(0.1), False, constraint=keras.constraints.NonNeg())[2]


def by_schedule():
    """A schedule as the rate, alone and with gradients that are added up, where it goes on with every call."""
    rate = lambda: schedules.CosineDecay(0.0, 30, alpha=0.1, warmup_target=0.1, warmup_steps=8)
    return {
        "alone": run(lambda: optimizers.SGD(rate(), momentum=0.5), False)[2],
        "added_up": run(lambda: optimizers.Nadam(rate(), gradient_accumulation_steps=3), False)[2],
        "adafactor": run(lambda: optimizers.Adafactor(rate()), False)[2],
    }


def dtypes():
    return {
        f"{kind}/{dtype}": run(lambda: getattr(optimizers, kind)(0.05), False, dtype=dtype)[2]
        for kind in ("SGD", "Adam", "Lamb", "Adafactor", "Ftrl") for dtype in ("float64",)
    }


SCHEDULES = [
    ("ExponentialDecay", {"initial_learning_rate": 0.1, "decay_steps": 20, "decay_rate": 0.7}),
    ("ExponentialDecay", {"initial_learning_rate": 0.1, "decay_steps": 20, "decay_rate": 0.7, "staircase": True}),
    ("InverseTimeDecay", {"initial_learning_rate": 0.1, "decay_steps": 20, "decay_rate": 0.7}),
    ("InverseTimeDecay", {"initial_learning_rate": 0.1, "decay_steps": 20, "decay_rate": 0.7, "staircase": True}),
    ("PolynomialDecay", {"initial_learning_rate": 0.1, "decay_steps": 40}),
    ("PolynomialDecay", {"initial_learning_rate": 0.1, "decay_steps": 40, "end_learning_rate": 0.02, "power": 2.5}),
    ("PolynomialDecay", {"initial_learning_rate": 0.1, "decay_steps": 40, "power": 0.5, "cycle": True}),
    ("PiecewiseConstantDecay", {"boundaries": [10, 30, 31], "values": [0.1, 0.05, 0.02, 0.01]}),
    ("CosineDecay", {"initial_learning_rate": 0.1, "decay_steps": 50}),
    ("CosineDecay", {"initial_learning_rate": 0.1, "decay_steps": 50, "alpha": 0.2}),
    ("CosineDecay", {"initial_learning_rate": 0.01, "decay_steps": 50, "alpha": 0.2, "warmup_target": 0.1, "warmup_steps": 25}),
    ("CosineDecay", {"initial_learning_rate": 0.01, "decay_steps": 50, "warmup_target": 0.1}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 12}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 12, "t_mul": 1.0, "m_mul": 0.8, "alpha": 0.1}),
    ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 12, "t_mul": 1.5, "m_mul": 0.9}),
]
AT = [0, 1, 2, 5, 9, 10, 11, 12, 13, 19, 20, 21, 25, 29, 30, 31, 32, 36, 37, 39, 40, 41, 50, 60, 75, 80, 81, 84, 85, 100, 1000]


def one_cycle(step, max_lr, total_steps, pct_start=0.3, anneal_strategy="cos", div_factor=25.0, final_div_factor=1e4,
              three_phase=False):
    """The formula of PyTorch's `OneCycleLR`, as its documentation and source have it."""
    first = max_lr / div_factor
    last = first / final_div_factor
    if three_phase:
        phases = [(pct_start * total_steps - 1, first, max_lr), (2 * pct_start * total_steps - 2, max_lr, first),
                  (total_steps - 1, first, last)]
    else:
        phases = [(pct_start * total_steps - 1, first, max_lr), (total_steps - 1, max_lr, last)]
    start = 0
    for i, (end, a, b) in enumerate(phases):
        if step <= end or i == len(phases) - 1:
            done = (step - start) / (end - start)
            return b + (a - b) / 2 * (1 + np.cos(np.pi * done)) if anneal_strategy == "cos" else (b - a) * done + a
        start = end


ONE_CYCLES = [
    {"max_lr": 0.1, "total_steps": 80}, {"max_lr": 0.1, "total_steps": 80, "pct_start": 0.4, "anneal_strategy": "linear"},
    {"max_lr": 0.1, "total_steps": 80, "three_phase": True},
    {"max_lr": 0.1, "total_steps": 80, "div_factor": 10.0, "final_div_factor": 100.0},
]


def rates():
    answer = []
    for kind, config in SCHEDULES:
        schedule = getattr(schedules, kind)(**config)
        values = [float(schedule(tf.constant(step, tf.int64))) for step in AT]
        answer.append({"schedule": kind, "config": config, "steps": AT, "values": values})
    for config in ONE_CYCLES:
        at = [step for step in AT if step < config["total_steps"]]
        answer.append({"schedule": "OneCycle", "config": config, "steps": at, "values": [float(one_cycle(s, **config)) for s in at]})
    return answer


def signatures():
    """The options that Keras's constructors have."""
    answer = {}
    for kind in [*OWN, "LossScaleOptimizer", "MultiOptimizer"]:
        answer[kind] = [p for p in inspect.signature(getattr(optimizers, kind).__init__).parameters if p not in ("self", "kwargs")]
    for kind in {kind for kind, _ in SCHEDULES}:
        answer[kind] = [p for p in inspect.signature(getattr(schedules, kind).__init__).parameters if p != "self"]
    classes = [n for n in dir(optimizers) if isinstance(getattr(optimizers, n), type)]
    answer["classes"] = classes + [n for n in dir(schedules) if isinstance(getattr(schedules, n), type)]
    return answer


if __name__ == "__main__":
    made = steps()
    checkpoint(made)
    common.write("optimizers", {
        "gradients": [{"dense": [common.tensor(g) for g in dense], "indices": common.tensor(indices), "rows": common.tensor(values)}
                      for dense, indices, values in GRADIENTS],
        "starts": [common.tensor(start) for start in STARTS],
        "steps": made, "excluded": excluded(), "loss_scale": loss_scale(), "groups": groups(), "constrained": constrained(),
        "by_schedule": by_schedule(), "dtypes": dtypes(), "rates": rates(), "signatures": signatures(),
    })
