"""Rows of layers that prepare data; random ones with a range of one number, so that Keras draws what ours do: `keras_layers_preprocessing.json`."""
from keras_common import numbers, write
from keras_layers import plain
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
images = numbers(1, (2, 5, 6, 2), 0.0, 255.0)
table = numbers(2, (40, 1), -3.0, 3.0)


def of(layer, x, training=True, call=None):
    given = tf.constant(x)
    if call:
        y = call(layer, given)
    else:
        y = layer(given, training=training) if layer._call_has_training_arg else layer(given)
    return {"input": plain(x), "output": plain(y)}


def adapted(layer, batches):
    for batch in batches:
        layer.update_state(batch)
    layer.finalize_state()
    return {"batches": [plain(batch) for batch in batches], "boundaries": [float(b) for b in layer.bin_boundaries], "output": plain(layer(tf.constant(batches[0])))}


first = np.transpose(images, (0, 3, 1, 2))
rows = {
    "flip_used": of(L.RandomFlip(), images, training=False),
    "crop_used": of(L.RandomCrop(3, 3), images, training=False),
    "crop_wide": of(L.RandomCrop(3, 8), images),
    "crop_high": of(L.RandomCrop(8, 4), images),
    "crop_larger": of(L.RandomCrop(7, 9), images),
    "rotation": of(L.RandomRotation((0.1, 0.1)), images),
    "rotation_back": of(L.RandomRotation((-0.3, -0.3)), images),
    "rotation_one": of(L.RandomRotation((0.1, 0.1)), images[0]),
    "rotation_first": of(L.RandomRotation((0.1, 0.1), data_format="channels_first"), first),
    "rotation_used": of(L.RandomRotation(0.1), images, training=False),
    "zoom": of(L.RandomZoom((0.4, 0.4)), images),
    "zoom_width": of(L.RandomZoom((-0.3, -0.3), (0.6, 0.6)), images),
    "translation": of(L.RandomTranslation((0.3, 0.3), (-0.2, -0.2)), images),
    "translation_far": of(L.RandomTranslation((-1.0, -1.0), (0.9, 0.9), fill_mode="wrap"), images),
    "brightness": of(L.RandomBrightness((0.2, 0.2)), images),
    "brightness_range": of(L.RandomBrightness((-0.1, -0.1), value_range=(-20.0, 200.0)), images),
    "contrast": of(L.RandomContrast((0.0, 0.0)), images),
    "contrast_range": of(L.RandomContrast((0.0, 0.0), value_range=(50.0, 100.0)), images),
    "category": of(L.CategoryEncoding(4), np.array([[0, 1, 1], [3, 2, 0]], "int32")),
    "category_one_hot": of(L.CategoryEncoding(4, output_mode="one_hot"), np.array([[0, 1, 1], [3, 2, 0]], "int32")),
    "category_one_hot_column": of(L.CategoryEncoding(4, output_mode="one_hot"), np.array([[0], [3]], "int32")),
    "category_count": of(L.CategoryEncoding(4, output_mode="count"), np.array([[0, 1, 1], [3, 2, 0]], "int32")),
    "category_row": of(L.CategoryEncoding(4), np.array([0, 2], "int32")),
    "category_weights": of(L.CategoryEncoding(4, output_mode="count"), np.array([[0, 1, 1]], "int32"), call=lambda l, x: l(x, count_weights=np.array([[0.5, 2.0, 0.25]], "float32"))),
    "bins": of(L.Discretization(bin_boundaries=[-1.0, 0.0, 1.5]), table),
    "bins_one_hot": of(L.Discretization(bin_boundaries=[-1.0, 0.0, 1.5], output_mode="one_hot"), table),
    "bins_multi_hot": of(L.Discretization(bin_boundaries=[-1.0, 0.0], output_mode="multi_hot"), table.reshape(10, 4)),
    "bins_count": of(L.Discretization(bin_boundaries=[-1.0, 0.0], output_mode="count"), table.reshape(10, 4)),
    "bins_adapted": adapted(L.Discretization(num_bins=4), [table]),
    "bins_epsilon": adapted(L.Discretization(num_bins=3, epsilon=0.1), [table]),
    "bins_batches": adapted(L.Discretization(num_bins=5, epsilon=0.05), [table[:25], table[25:]]),
}
for mode in ["reflect", "wrap", "constant", "nearest"]:
    for between in ["nearest", "bilinear"]:
        options = {"fill_mode": mode, "interpolation": between, "fill_value": 7.0}
        rows[f"rotation_{mode}_{between}"] = of(L.RandomRotation((0.13, 0.13), **options), images)
        rows[f"translation_{mode}_{between}"] = of(L.RandomTranslation((0.37, 0.37), (0.81, 0.81), **options), images)
        rows[f"zoom_{mode}_{between}"] = of(L.RandomZoom((0.9, 0.9), (0.7, 0.7), **options), images)
write("layers_preprocessing", rows)
