"""Rows of convolutions, poolings, and of what pads, crops and enlarges: `keras_layers_conv.json`, `.._transpose`, `.._pooling`, `.._windows`.

Every layer is there, with each option changed at least once.
"""
from keras_common import numbers, tensor, write
from keras_layers import row
import keras
import numpy as np
import tensorflow as tf

L = keras.layers
s = numbers(1, (2, 5, 2))        # sequences
s4 = numbers(2, (1, 5, 4))
sf = numbers(3, (2, 2, 5))       # channels first
i = numbers(4, (1, 4, 5, 2))     # images
i4 = numbers(5, (1, 3, 3, 4))
jf = numbers(6, (1, 2, 4, 3))
v = numbers(7, (1, 3, 2, 3, 2))  # volumes
vf = numbers(8, (1, 2, 3, 2, 2))
# Where the last of several spatial axes has as many cells as there are channels, Keras 3.15 on TensorFlow adds the bias along that axis:
# `ops.add` takes it for the channels. No row here has such sizes.
first = {"data_format": "channels_first"}


def conv():
    return {
        "conv1d": row(L.Conv1D(3, 2), [s]),
        "conv1d_strides": row(L.Conv1D(2, 3, strides=2, padding="same", activation="tanh"), [s]),
        "conv1d_causal": row(L.Conv1D(2, 3, padding="causal", dilation_rate=2, use_bias=False), [s]),
        "conv1d_causal_strides": row(L.Conv1D(2, 2, strides=2, padding="causal"), [s]),
        "conv1d_first": row(L.Conv1D(2, 2, padding="same", **first), [sf]),
        "conv1d_causal_first": row(L.Conv1D(2, 3, padding="causal", **first), [sf]),
        "conv1d_groups": row(L.Conv1D(2, 2, groups=2), [s4]),
        "conv1d_mixed": row(L.Conv1D(2, 2, dtype="mixed_bfloat16"), [s]),
        "conv2d": row(L.Conv2D(2, 3), [i]),
        "conv2d_strides": row(L.Conv2D(2, (3, 2), strides=(2, 1), padding="same", activation="relu"), [i]),
        "conv2d_dilation": row(L.Conv2D(2, 2, dilation_rate=(1, 3), use_bias=False), [i]),
        "conv2d_first": row(L.Conv2D(3, 2, strides=2, padding="same", **first), [jf]),
        "conv2d_groups": row(L.Conv2D(4, 2, groups=2), [i4]),
        "conv3d": row(L.Conv3D(2, 2), [v]),
        "conv3d_strides": row(L.Conv3D(1, (2, 1, 3), strides=(2, 1, 2), padding="same", activation="sigmoid"), [v]),
        "conv3d_dilation": row(L.Conv3D(1, (2, 2, 1), dilation_rate=(2, 1, 1), use_bias=False), [v]),
        "conv3d_first": row(L.Conv3D(2, 2, **first), [vf]),
        "conv3d_groups": row(L.Conv3D(2, (1, 2, 2), groups=2), [v]),
        "depthwise1d": row(L.DepthwiseConv1D(2), [s]),
        "depthwise1d_all": row(L.DepthwiseConv1D(3, strides=2, padding="same", depth_multiplier=2, activation="tanh"), [s]),
        "depthwise1d_dilation": row(L.DepthwiseConv1D(2, dilation_rate=3, use_bias=False), [s]),
        "depthwise1d_first": row(L.DepthwiseConv1D(3, depth_multiplier=2, **first), [sf]),
        "depthwise2d": row(L.DepthwiseConv2D(2), [i]),
        "depthwise2d_all": row(L.DepthwiseConv2D((3, 2), strides=2, padding="same", depth_multiplier=2, activation="relu"), [i]),
        "depthwise2d_dilation": row(L.DepthwiseConv2D(2, dilation_rate=(2, 3), use_bias=False), [i]),
        "depthwise2d_both": row(L.DepthwiseConv2D(2, strides=2, dilation_rate=2, padding="same"), [i]),
        "depthwise2d_first": row(L.DepthwiseConv2D(2, depth_multiplier=2, **first), [jf]),
        "separable1d": row(L.SeparableConv1D(3, 2), [s]),
        "separable1d_all": row(L.SeparableConv1D(2, 3, strides=2, padding="same", depth_multiplier=2, activation="tanh"), [s]),
        "separable1d_dilation": row(L.SeparableConv1D(2, 2, dilation_rate=2, use_bias=False), [s]),
        "separable1d_first": row(L.SeparableConv1D(3, 2, **first), [sf]),
        "separable2d": row(L.SeparableConv2D(3, 2), [i]),
        "separable2d_all": row(L.SeparableConv2D(2, (3, 2), strides=2, padding="same", depth_multiplier=2, activation="relu"), [i]),
        "separable2d_dilation": row(L.SeparableConv2D(2, 2, dilation_rate=2, use_bias=False), [i]),
        "separable2d_first": row(L.SeparableConv2D(3, 2, **first), [jf]),
    }


def transpose():
    return {
        "1d": row(L.Conv1DTranspose(3, 2), [s]),
        "1d_valid": row(L.Conv1DTranspose(2, 2, strides=3, activation="tanh"), [s]),
        "1d_same": row(L.Conv1DTranspose(2, 3, strides=2, padding="same", use_bias=False), [s]),
        "1d_same_more": row(L.Conv1DTranspose(2, 3, strides=2, padding="same", output_padding=1), [s]),
        "1d_same_none": row(L.Conv1DTranspose(2, 3, strides=2, padding="same", output_padding=0), [s]),
        "1d_valid_more": row(L.Conv1DTranspose(2, 2, strides=3, output_padding=2), [s]),
        "1d_first": row(L.Conv1DTranspose(3, 2, strides=2, **first), [sf]),
        "2d": row(L.Conv2DTranspose(3, 2), [i4]),
        "2d_same": row(L.Conv2DTranspose(1, (3, 2), strides=(2, 1), padding="same", activation="sigmoid"), [i4]),
        "2d_more": row(L.Conv2DTranspose(1, 3, strides=(3, 2), output_padding=(2, 1), use_bias=False), [i4]),
        "2d_dilation": row(L.Conv2DTranspose(2, 2, dilation_rate=2), [i4]),
        "2d_first": row(L.Conv2DTranspose(1, 2, strides=2, **first), [jf]),
        "3d": row(L.Conv3DTranspose(2, 2), [v]),
        "3d_same": row(L.Conv3DTranspose(1, 2, strides=(1, 2, 1), padding="same", activation="relu"), [v]),
        "3d_more": row(L.Conv3DTranspose(1, (1, 2, 2), strides=(1, 2, 2), output_padding=(0, 1, 0), use_bias=False), [v]),
    }


def masked(layer, x, mask):
    """A row of a layer that is given a mask."""
    return row(layer, [x], call=lambda layer, x: layer(x, mask=mask)) | {"mask": tensor(mask)}


def pooling():
    kinds = {"max": (L.MaxPooling1D, L.MaxPooling2D, L.MaxPooling3D), "average": (L.AveragePooling1D, L.AveragePooling2D, L.AveragePooling3D)}
    rows = {}
    for name, (one, two, three) in kinds.items():
        rows |= {
            f"{name}1d": row(one(2), [s]),
            f"{name}1d_all": row(one(3, strides=1, padding="same"), [s]),
            f"{name}1d_first": row(one(2, **first), [sf]),
            f"{name}2d": row(two(2), [i]),
            f"{name}2d_all": row(two((3, 2), strides=(2, 1), padding="same"), [i]),
            f"{name}2d_first": row(two(2, strides=1, **first), [jf]),
            f"{name}3d": row(three(2), [v]),
            f"{name}3d_all": row(three((2, 1, 3), strides=(1, 1, 2), padding="same"), [v]),
            f"{name}3d_first": row(three(2, strides=1, **first), [vf]),
        }
    globals_ = {"global_max": (L.GlobalMaxPooling1D, L.GlobalMaxPooling2D, L.GlobalMaxPooling3D), "global_average": (L.GlobalAveragePooling1D, L.GlobalAveragePooling2D, L.GlobalAveragePooling3D)}
    for name, layers in globals_.items():
        for axes, layer, last, channels_first in zip((1, 2, 3), layers, (s, i, v), (sf, jf, vf)):
            rows[f"{name}{axes}d"] = row(layer(), [last])
            rows[f"{name}{axes}d_keep"] = row(layer(keepdims=True), [last])
            rows[f"{name}{axes}d_first"] = row(layer(**first), [channels_first])
            rows[f"{name}{axes}d_first_keep"] = row(layer(keepdims=True, **first), [channels_first])
    adaptive = {"max": (L.AdaptiveMaxPooling1D, L.AdaptiveMaxPooling2D, L.AdaptiveMaxPooling3D), "average": (L.AdaptiveAveragePooling1D, L.AdaptiveAveragePooling2D, L.AdaptiveAveragePooling3D)}
    for name, (one, two, three) in adaptive.items():
        rows |= {
            f"adaptive_{name}1d": row(one(2), [s]),
            f"adaptive_{name}1d_more": row(one(7), [s]),
            f"adaptive_{name}1d_first": row(one(3, **first), [sf]),
            f"adaptive_{name}2d": row(two(2), [i]),
            f"adaptive_{name}2d_each": row(two((3, 5)), [i]),
            f"adaptive_{name}2d_first": row(two(2, **first), [jf]),
            f"adaptive_{name}3d": row(three(2), [v]),
            f"adaptive_{name}3d_first": row(three((1, 2, 3), **first), [vf]),
        }
    mask = np.array([[True, False, True, True, False], [False, True, False, False, False]])
    rows["masked"] = masked(L.GlobalAveragePooling1D(), s, mask)
    rows["masked_first"] = masked(L.GlobalAveragePooling1D(keepdims=True, **first), sf, mask)
    return rows


def windows():
    rows = {
        "padding1d": row(L.ZeroPadding1D(), [s]),
        "padding1d_pair": row(L.ZeroPadding1D((0, 2)), [s]),
        "padding1d_first": row(L.ZeroPadding1D((2, 1), **first), [sf]),
        "padding2d": row(L.ZeroPadding2D(), [i4]),
        "padding2d_each": row(L.ZeroPadding2D((1, 2)), [i4]),
        "padding2d_pairs": row(L.ZeroPadding2D(((1, 0), (0, 2))), [i4]),
        "padding2d_first": row(L.ZeroPadding2D(((0, 1), (2, 0)), **first), [jf]),
        "padding3d": row(L.ZeroPadding3D(), [vf]),
        "padding3d_each": row(L.ZeroPadding3D((1, 0, 2)), [vf]),
        "padding3d_pairs": row(L.ZeroPadding3D(((1, 0), (0, 0), (0, 2)), **first), [vf]),
        "cropping1d": row(L.Cropping1D(), [s]),
        "cropping1d_pair": row(L.Cropping1D((0, 3)), [s]),
        "cropping2d": row(L.Cropping2D(), [i4]),
        "cropping2d_each": row(L.Cropping2D((1, 0)), [i]),
        "cropping2d_pairs": row(L.Cropping2D(((1, 0), (2, 1))), [i]),
        "cropping2d_first": row(L.Cropping2D(((0, 1), (2, 0)), **first), [jf]),
        "cropping3d": row(L.Cropping3D(), [numbers(9, (1, 3, 4, 3, 2))]),
        "cropping3d_each": row(L.Cropping3D((1, 0, 1)), [v]),
        "cropping3d_pairs": row(L.Cropping3D(((1, 0), (0, 1), (0, 0)), **first), [vf]),
        "up1d": row(L.UpSampling1D(), [s]),
        "up1d_three": row(L.UpSampling1D(3), [s]),
        "up2d": row(L.UpSampling2D(), [i4]),
        "up2d_each": row(L.UpSampling2D((3, 1)), [i4]),
        "up2d_first": row(L.UpSampling2D((1, 2), **first), [jf]),
        "up2d_first_bilinear": row(L.UpSampling2D((2, 3), interpolation="bilinear", **first), [jf]),
        "up3d": row(L.UpSampling3D(), [vf]),
        "up3d_each": row(L.UpSampling3D((1, 3, 2), **first), [vf]),
    }
    image = numbers(10, (1, 4, 3, 1))
    for how in ("bilinear", "bicubic", "lanczos3", "lanczos5"):
        rows[f"up2d_{how}"] = row(L.UpSampling2D((3, 2), interpolation=how), [image])
        rows[f"up2d_{how}_once"] = row(L.UpSampling2D((1, 5), interpolation=how), [image])
    return rows


write("layers_conv", conv())
write("layers_conv_transpose", transpose())
write("layers_pooling", pooling())
write("layers_windows", windows())
