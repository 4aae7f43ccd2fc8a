"""Rows of layers that disturb their input, where they do not; activity regularization: `keras_layers_noise.json`."""
from keras_common import numbers, write
from keras_layers import plain, row
import keras
import tensorflow as tf

L = keras.layers
steps, image, volume = numbers(1, (2, 3, 2)), numbers(2, (2, 2, 2, 3)), numbers(3, (1, 2, 2, 2, 2))


def losses(layer, x):
    layer(tf.constant(x))
    return {"input": plain(x), "losses": [plain(loss) for loss in layer.losses]}


rows = {
    "spatial_dropout1d": row(L.SpatialDropout1D(0.4), [steps]),
    "spatial_dropout2d": row(L.SpatialDropout2D(0.4), [image]),
    "spatial_dropout2d_first": row(L.SpatialDropout2D(0.4, data_format="channels_first"), [image]),
    "spatial_dropout3d": row(L.SpatialDropout3D(0.4), [volume]),
    "spatial_dropout3d_first": row(L.SpatialDropout3D(0.4, data_format="channels_first"), [volume]),
    "alpha_dropout": row(L.AlphaDropout(0.4), [steps]),
    "alpha_dropout_none": row(L.AlphaDropout(0.0), [steps], training=True),
    "gaussian_noise": row(L.GaussianNoise(0.4), [steps]),
    "gaussian_noise_none": row(L.GaussianNoise(0.0), [steps], training=True),
    "gaussian_dropout": row(L.GaussianDropout(0.4), [steps]),
    "gaussian_dropout_none": row(L.GaussianDropout(0.0), [steps], training=True),
    "activity_regularization": row(L.ActivityRegularization(0.1, 0.2), [steps]),
    "losses_l1": losses(L.ActivityRegularization(l1=0.3), steps),
    "losses_l2": losses(L.ActivityRegularization(l2=0.3), steps),
    "losses_of_dense": losses(L.Dense(2, kernel_initializer="ones", activity_regularizer="l2"), steps),
}
write("layers_noise", rows)
