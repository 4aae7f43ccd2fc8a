"""Rows of activations, initializers, regularizers and constraints: `keras_objects.json`.

A key is `<module>.<type of ours>` with an option after it where one is changed. Random initializers have moments, not numbers.
"""
from keras_common import numbers, tensor, write
import keras
import numpy as np
import tensorflow as tf

A, I, R, C = keras.activations, keras.initializers, keras.regularizers, keras.constraints
x = numbers(1, (4, 6), -3.0, 3.0)
# One value of each row and column lies far above the others: there Keras's running sums are right.
apart = (10.0 * np.eye(4, dtype="float32") + numbers(2, (4, 4))).astype("float32")
w = numbers(3, (4, 3))


def of(function, x):
    """A function's value and the gradient of its sum with fixed factors."""
    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = tf.convert_to_tensor(function(given))
        factors = numbers(200, tuple(y.shape))
        loss = tf.reduce_sum(y * factors)
    gradient = tape.gradient(loss, given)
    return {"input": tensor(x), "factors": tensor(factors), "output": tensor(y.numpy()), "gradient": tensor(gradient.numpy())}


def exactly(initializer, shape):
    return {"shape": list(shape), "output": tensor(np.array(initializer(shape, dtype="float32")))}


def law(initializer, shape, bounded=True):
    """Mean and deviation of many numbers, and between what they lie where that is fixed."""
    drawn = np.array(initializer(shape, dtype="float32")).astype("float64")
    ends = [float(drawn.min()), float(drawn.max())] if bounded else None
    return {"shape": list(shape), "mean": float(drawn.mean()), "deviation": float(drawn.std()), "ends": ends}


rows = {}
for name in """celu elu exponential gelu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu linear log_sigmoid log_softmax mish
    relu relu6 selu sigmoid silu soft_shrink softmax softplus softsign sparse_plus sparse_sigmoid squareplus tanh tanh_shrink glu""".split():
    rows["activations." + "".join(part.title() for part in name.split("_"))] = of(getattr(A, name), x)
rows |= {
    "activations.Sparsemax": of(A.sparsemax, apart),
    "activations.Sparsemax.axis": of(lambda x: A.sparsemax(x, axis=0), apart),
    "activations.Threshold": of(lambda x: A.threshold(x, 0.0, 0.0), x),
    "activations.Threshold.threshold": of(lambda x: A.threshold(x, 0.7, 0.0), x),
    "activations.Threshold.default_value": of(lambda x: A.threshold(x, 0.0, -0.5), x),
    "activations.Relu.negative_slope": of(lambda x: A.relu(x, negative_slope=0.3), x),
    "activations.Relu.max_value": of(lambda x: A.relu(x, max_value=1.5), x),
    "activations.Relu.threshold": of(lambda x: A.relu(x, threshold=0.7), x),
    "activations.LeakyRelu.negative_slope": of(lambda x: A.leaky_relu(x, negative_slope=0.6), x),
    "activations.Elu.alpha": of(lambda x: A.elu(x, alpha=1.7), x),
    "activations.Celu.alpha": of(lambda x: A.celu(x, alpha=1.7), x),
    "activations.SoftShrink.threshold": of(lambda x: A.soft_shrink(x, threshold=0.9), x),
    "activations.HardShrink.threshold": of(lambda x: A.hard_shrink(x, threshold=0.9), x),
    "activations.Squareplus.b": of(lambda x: A.squareplus(x, b=2), x),
    "activations.Gelu.approximate": of(lambda x: A.gelu(x, approximate=True), x),
    "activations.Softmax.axis": of(lambda x: A.softmax(x, axis=0), x),
    "activations.LogSoftmax.axis": of(lambda x: A.log_softmax(x, axis=0), x),
    "activations.Glu.axis": of(lambda x: A.glu(x, axis=0), x),
    "initializers.Zeros": exactly(I.Zeros(), (2, 3)),
    "initializers.Ones": exactly(I.Ones(), (2, 3)),
    "initializers.Constant": exactly(I.Constant(0.3), (2, 3)),
    "initializers.Identity": exactly(I.Identity(), (3, 4)),
    "initializers.Identity.gain": exactly(I.Identity(gain=2.5), (4, 3)),
    "initializers.RandomNormal": law(I.RandomNormal(seed=1), (200, 300), bounded=False),
    "initializers.RandomNormal.mean": law(I.RandomNormal(mean=0.5, seed=1), (200, 300), bounded=False),
    "initializers.RandomNormal.stddev": law(I.RandomNormal(stddev=0.3, seed=1), (200, 300), bounded=False),
    "initializers.TruncatedNormal": law(I.TruncatedNormal(seed=1), (200, 300)),
    "initializers.TruncatedNormal.mean": law(I.TruncatedNormal(mean=0.5, seed=1), (200, 300)),
    "initializers.TruncatedNormal.stddev": law(I.TruncatedNormal(stddev=0.3, seed=1), (200, 300)),
    "initializers.RandomUniform": law(I.RandomUniform(seed=1), (200, 300)),
    "initializers.RandomUniform.minval": law(I.RandomUniform(minval=-0.3, seed=1), (200, 300)),
    "initializers.RandomUniform.maxval": law(I.RandomUniform(maxval=0.7, seed=1), (200, 300)),
    "initializers.VarianceScaling": law(I.VarianceScaling(seed=1), (200, 300)),
    "initializers.VarianceScaling.scale": law(I.VarianceScaling(scale=3.0, seed=1), (200, 300)),
    "initializers.VarianceScaling.mode.out": law(I.VarianceScaling(mode="fan_out", seed=1), (200, 300)),
    "initializers.VarianceScaling.mode.average": law(I.VarianceScaling(mode="fan_avg", seed=1), (200, 300)),
    "initializers.VarianceScaling.distribution.normal": law(I.VarianceScaling(distribution="untruncated_normal", seed=1), (200, 300), bounded=False),
    "initializers.VarianceScaling.distribution.uniform": law(I.VarianceScaling(distribution="uniform", seed=1), (200, 300)),
    "initializers.VarianceScaling.axes": law(I.VarianceScaling(input_axes=[1, 2], output_axes=[0], seed=1), (20, 30, 100)),
    "initializers.GlorotUniform": law(I.GlorotUniform(seed=1), (200, 300)),
    "initializers.GlorotUniform.axes": law(I.GlorotUniform(input_axes=[0], output_axes=[1, 2], seed=1), (20, 30, 100)),
    "initializers.GlorotUniform.window": law(I.GlorotUniform(seed=1), (3, 3, 60, 100)),
    "initializers.GlorotNormal": law(I.GlorotNormal(seed=1), (200, 300)),
    "initializers.HeNormal": law(I.HeNormal(seed=1), (200, 300)),
    "initializers.HeUniform": law(I.HeUniform(seed=1), (200, 300)),
    "initializers.LecunNormal": law(I.LecunNormal(seed=1), (200, 300)),
    "initializers.LecunUniform": law(I.LecunUniform(seed=1), (200, 300)),
    "initializers.Orthogonal": law(I.Orthogonal(seed=1), (200, 300), bounded=False),
    "initializers.Orthogonal.gain": law(I.Orthogonal(gain=2.0, seed=1), (200, 300), bounded=False),
    "regularizers.L1": of(R.L1(0.2), w),
    "regularizers.L2": of(R.L2(0.2), w),
    "regularizers.L1L2.l1": of(R.L1L2(l1=0.2), w),
    "regularizers.L1L2.l2": of(R.L1L2(l2=0.3), w),
    "regularizers.L1L2.both": of(R.L1L2(l1=0.2, l2=0.3), w),
    "regularizers.Orthogonal": of(R.OrthogonalRegularizer(), w),
    "regularizers.Orthogonal.factor": of(R.OrthogonalRegularizer(factor=0.5), w),
    "regularizers.Orthogonal.mode": of(R.OrthogonalRegularizer(factor=0.5, mode="columns"), w),
    "constraints.NonNeg": of(C.NonNeg(), w),
    "constraints.MaxNorm": of(C.MaxNorm(), w * 4.0),
    "constraints.MaxNorm.max_value": of(C.MaxNorm(0.6), w),
    "constraints.MaxNorm.axis": of(C.MaxNorm(0.6, axis=1), w),
    "constraints.UnitNorm": of(C.UnitNorm(), w),
    "constraints.UnitNorm.axis": of(C.UnitNorm(axis=[0, 1]), w),
    "constraints.MinMaxNorm": of(C.MinMaxNorm(), w),
    "constraints.MinMaxNorm.min_value": of(C.MinMaxNorm(min_value=0.9), w),
    "constraints.MinMaxNorm.max_value": of(C.MinMaxNorm(max_value=0.6), w),
    "constraints.MinMaxNorm.rate": of(C.MinMaxNorm(max_value=0.6, rate=0.25), w),
    "constraints.MinMaxNorm.axis": of(C.MinMaxNorm(max_value=0.6, axis=1), w),
}
if __name__ == "__main__":
    write("objects", rows)
