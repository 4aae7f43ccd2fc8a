"""Rows of layers that bring images to a size or change their colours, shapes and parts: `keras_layers_images.json`.

Random ones have a range of one number, or are told what Keras would draw, so that nothing depends on chance.
"""
from keras_common import numbers, write
from keras_layers import plain
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
images = numbers(1, (2, 5, 7, 3), 0.0, 255.0)
first = np.transpose(images, (0, 3, 1, 2))
unit = np.round(images / 255.0, 3).astype("float32")
whole = images.astype("uint8")


def of(layer, x, training=True):
    given = tf.constant(x)
    y = layer(given, training=training) if layer._call_has_training_arg else layer(given)
    return {"input": plain(x), "output": plain(y)}


def told(layer, x, **drawn):
    """The output where the layer has drawn these numbers."""
    drawn = {name: tf.constant(value, "float32") for name, value in drawn.items()}
    return {"input": plain(x), "output": plain(layer.transform_images(tf.constant(x), drawn, training=True))}


rows = {
    "resizing": of(L.Resizing(4, 5), images),
    "resizing_larger": of(L.Resizing(9, 8), images, training=False),
    "resizing_one": of(L.Resizing(3, 9), images[0]),
    "resizing_first": of(L.Resizing(3, 9, data_format="channels_first"), first),
    "resizing_whole": of(L.Resizing(4, 6), whole),
    "resizing_whole_cubic": of(L.Resizing(7, 9, interpolation="bicubic"), whole),
    "resizing_signed": of(L.Resizing(4, 6), whole.astype("int32")),
    "resizing_cut_wide": of(L.Resizing(2, 6, crop_to_aspect_ratio=True), images),
    "resizing_cut_high": of(L.Resizing(6, 3, crop_to_aspect_ratio=True), images),
    "resizing_padded_wide": of(L.Resizing(3, 9, pad_to_aspect_ratio=True, fill_value=7.0), images),
    "resizing_padded_high": of(L.Resizing(9, 4, pad_to_aspect_ratio=True, fill_mode="constant"), images),
    "resizing_padded_first": of(L.Resizing(9, 4, pad_to_aspect_ratio=True, fill_value=3.0, data_format="channels_first"), first),
    "center": of(L.CenterCrop(2, 4), images),
    "center_odd": of(L.CenterCrop(4, 7), images, training=False),
    "center_one": of(L.CenterCrop(3, 3), images[0]),
    "center_first": of(L.CenterCrop(3, 4, data_format="channels_first"), first),
    "center_larger": of(L.CenterCrop(6, 9), images),
    "center_high": of(L.CenterCrop(7, 3), images),
    "center_high_first": of(L.CenterCrop(7, 3, data_format="channels_first"), first),
    "center_whole": of(L.CenterCrop(4, 8), whole),
    "gray": of(L.RandomGrayscale(1.0), images),
    "gray_one": of(L.RandomGrayscale(1.0), images[0]),
    "gray_first": of(L.RandomGrayscale(1.0, data_format="channels_first"), first),
    "gray_never": of(L.RandomGrayscale(0.0), images),
    "gray_used": of(L.RandomGrayscale(1.0), images, training=False),
    "gray_gray": of(L.RandomGrayscale(1.0), images[..., :1]),
    "invert": of(L.RandomInvert((1.0, 1.0)), images),
    "invert_range": of(L.RandomInvert((1.0, 1.0), value_range=(-1.0, 300.0)), images),
    "invert_never": of(L.RandomInvert((0.0, 0.0)), images),
    "invert_used": of(L.RandomInvert(), images, training=False),
    "hue_half": of(L.RandomHue((1.0, 1.0)), images),
    "hue_unit": of(L.RandomHue((1.0, 1.0), value_range=(0.0, 1.0)), unit),
    "hue_first": of(L.RandomHue((1.0, 1.0), data_format="channels_first"), first),
    "hue_used": of(L.RandomHue(0.5), images, training=False),
    "hue_up": told(L.RandomHue(0.4), images, factor=[0.2, 0.2]),
    "hue_down": told(L.RandomHue(0.4), images, factor=[-0.2, -0.2]),
    "saturation": of(L.RandomSaturation((0.7, 0.7)), images),
    "saturation_less": of(L.RandomSaturation((0.2, 0.2)), images),
    "saturation_below": of(L.RandomSaturation((-0.5, -0.5)), images),
    "saturation_unit": of(L.RandomSaturation((0.7, 0.7), value_range=(0.0, 1.0)), unit),
    "saturation_one": of(L.RandomSaturation((0.4, 0.4)), images[0]),
    "saturation_first": of(L.RandomSaturation((0.4, 0.4), data_format="channels_first"), first),
    "saturation_used": of(L.RandomSaturation(0.4), images, training=False),
    "solar": of(L.Solarization(), images),
    "solar_unit": of(L.Solarization(value_range=(0.0, 1.0)), unit),
    "solar_used": of(L.Solarization(0.3, 0.3), images, training=False),
    "poster": of(L.RandomPosterization((3, 3)), images),
    "poster_unit": of(L.RandomPosterization((2, 2), value_range=(0.0, 1.0)), unit),
    "poster_all": of(L.RandomPosterization((8, 8)), images),
    "poster_first": of(L.RandomPosterization((4, 4), data_format="channels_first"), first),
    "poster_used": of(L.RandomPosterization(3), images, training=False),
    "auto": of(L.AutoContrast(), images),
    "auto_used": of(L.AutoContrast(), images, training=False),
    "auto_unit": of(L.AutoContrast(value_range=(0.0, 1.0)), unit * np.float32(0.5)),
    "auto_flat": of(L.AutoContrast(), np.stack([images[..., 0], np.full((2, 5, 7), 9.0, "float32"), np.zeros((2, 5, 7), "float32")], -1)),
    "auto_one": of(L.AutoContrast(), images[0]),
    "sharp": of(L.RandomSharpness((0.9, 0.9)), images),
    "sharp_blurred": of(L.RandomSharpness((0.1, 0.1)), images),
    "sharp_range": of(L.RandomSharpness((1.0, 1.0), value_range=(50.0, 100.0)), images),
    "sharp_one": of(L.RandomSharpness((0.9, 0.9)), images[0]),
    "sharp_first": of(L.RandomSharpness((0.9, 0.9), data_format="channels_first"), first),
    "sharp_used": of(L.RandomSharpness(0.5), images, training=False),
    "shear_none": of(L.RandomShear(), images),
    "shear_used": of(L.RandomShear(0.5), images, training=False),
    "erasing": of(L.RandomErasing((1.0, 1.0), scale=(1.0, 1.0), fill_value=7.0), images),
    "erasing_channels": of(L.RandomErasing((1.0, 1.0), scale=(1.0, 1.0), fill_value=(7.0, 8.0, 300.0)), images),
    "erasing_range": of(L.RandomErasing((1.0, 1.0), scale=(1.0, 1.0), fill_value=7.0, value_range=(9.0, 20.0)), images),
    "erasing_nothing": of(L.RandomErasing((1.0, 1.0), scale=(0.0, 0.0)), images),
    "erasing_never": of(L.RandomErasing((0.0, 0.0)), images),
    "erasing_used": of(L.RandomErasing(), images, training=False),
    "mix_used": of(L.MixUp(), images, training=False),
    "mix_one": of(L.MixUp(), images[0]),
    "cut_used": of(L.CutMix(), images, training=False),
    "cut_one": of(L.CutMix(), images[0]),
    "equal": of(L.Equalization(), images),
    "equal_used": of(L.Equalization(), images, training=False),
    "equal_bins": of(L.Equalization(bins=16), images),
    "equal_unit": of(L.Equalization(value_range=(0.0, 1.0), bins=64), unit),
    "equal_flat": of(L.Equalization(), np.stack([images[..., 0], np.full((2, 5, 7), 9.0, "float32")], -1)),
    "equal_one": of(L.Equalization(), images[0]),
    "equal_first": of(L.Equalization(data_format="channels_first"), first),
    "equal_whole": of(L.Equalization(), whole),
}
for name, options in [("up", {}), ("fill", {"fill_mode": "constant", "fill_value": 7.0, "interpolation": "nearest"}), ("first", {"data_format": "channels_first"})]:
    for sign, word in [(1.0, ""), (-1.0, "_back")]:
        sheared = np.array([[0.4, 0.15]] * 2) * sign
        rows[f"shear_{name}{word}"] = told(L.RandomShear(0.4, 0.15, **options), first if name == "first" else images, shear_factor=sheared)
for method in ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5"]:
    rows[f"resizing_{method}"] = of(L.Resizing(3, 9, interpolation=method), images)
    rows[f"resizing_{method}_antialias"] = of(L.Resizing(3, 4, interpolation=method, antialias=True), images)
write("layers_images", rows)
