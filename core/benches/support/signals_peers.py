"""What TensorFlow and PyTorch take for a round of `benches/signals.rs`: a row's name comes in, a line with the microseconds per call of
both goes out, `inf` where one has no such function. TensorFlow's calls are eager; PyTorch's images are planar, as its functions take them."""
import os
import sys
import time

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import numpy as np
import tensorflow as tf
import torch
import torch.nn.functional as F

rng = np.random.default_rng(1)


def numbers(*shape):
    return rng.uniform(-1, 1, shape).astype("f")


def images():
    return rng.uniform(0, 1, (8, 256, 256, 3)).astype("f")


def both(x, ours, theirs, planar=False):
    """Two calls over the same array."""
    a, b = tf.constant(x), torch.from_numpy(x)
    b = b.permute(0, 3, 1, 2).contiguous() if planar else b
    return (lambda: ours(a)), (lambda: theirs(b)) if theirs else None


def complexes(*shape):
    return numbers(*shape) + 1j * numbers(*shape)


def spectrum():
    return np.fft.rfft(numbers(256, 4096)).astype("complex64")


def resize(to, method, antialias=False, **theirs):
    known = "mode" in theirs
    scaled = (lambda b: F.interpolate(b, size=(to, to), antialias=antialias, **theirs)) if known else None
    return both(images(), lambda a: tf.image.resize(a, (to, to), method, antialias=antialias), scaled, planar=True)


def boxes():
    places = rng.uniform(0, 0.5, (64, 2)).astype("f")
    return tf.constant(np.concatenate([places, places + 0.4], 1)), tf.constant(np.arange(64, dtype="i4") % 8)


window = torch.hann_window(400)
gray = torch.tensor([0.2989, 0.587, 0.114])[:, None, None]
where, of = boxes()
other = tf.constant(images())
ROWS = {
    "fft_64": lambda: both(complexes(64), tf.signal.fft, torch.fft.fft),
    "fft_1024x1024": lambda: both(complexes(1024, 1024), tf.signal.fft, torch.fft.fft),
    "fft_1024x1000": lambda: both(complexes(1024, 1000), tf.signal.fft, torch.fft.fft),
    "fft_1024x1009": lambda: both(complexes(1024, 1009), tf.signal.fft, torch.fft.fft),
    "fft2d_1024x1024": lambda: both(complexes(1024, 1024), tf.signal.fft2d, torch.fft.fft2),
    "rfft_256x4096": lambda: both(numbers(256, 4096), tf.signal.rfft, torch.fft.rfft),
    "irfft_256x4096": lambda: both(spectrum(), tf.signal.irfft, torch.fft.irfft),
    "stft_16x16000": lambda: both(
        numbers(16, 16000),
        lambda a: tf.signal.stft(a, 400, 160),
        lambda b: torch.stft(b, 512, 160, 400, window, center=False, return_complex=True),
    ),
    "dct_1024x256": lambda: both(numbers(1024, 256), tf.signal.dct, None),
    "resize_bilinear_256_224": lambda: resize(224, "bilinear", mode="bilinear"),
    "resize_bilinear_256_512": lambda: resize(512, "bilinear", mode="bilinear"),
    "resize_nearest_256_224": lambda: resize(224, "nearest", mode="nearest-exact"),
    "resize_bicubic_256_224": lambda: resize(224, "bicubic", mode="bicubic"),
    "resize_area_256_64": lambda: resize(64, "area", mode="area"),
    "resize_antialias_256_64": lambda: resize(64, "bilinear", True, mode="bilinear"),
    "resize_lanczos3_256_64": lambda: resize(64, "lanczos3", True),
    "rgb_to_hsv": lambda: both(images(), tf.image.rgb_to_hsv, None),
    "adjust_hue": lambda: both(images(), lambda a: tf.image.adjust_hue(a, 0.1), None),
    "adjust_contrast": lambda: both(images(), lambda a: tf.image.adjust_contrast(a, 1.5), None),
    "rgb_to_grayscale": lambda: both(images(), tf.image.rgb_to_grayscale, lambda b: (b * gray).sum(1, keepdim=True), planar=True),
    "flip_left_right": lambda: both(images(), tf.image.flip_left_right, lambda b: b.flip(3), planar=True),
    "ssim": lambda: both(images(), lambda a: tf.image.ssim(a, other, 1.0), None),
    "crop_and_resize": lambda: both(images(), lambda a: tf.image.crop_and_resize(a, where, of, (64, 64)), None),
}


def round_of(f):
    if f is None:
        return float("inf")
    start, calls = time.perf_counter(), 0
    while calls == 0 or time.perf_counter() - start < 0.03:
        f()
        calls += 1
    return (time.perf_counter() - start) * 1e6 / calls


made = {}
for line in sys.stdin:
    name = line.strip()
    if name not in made:
        made[name] = ROWS[name]()
    print(*(round_of(f) for f in made[name]), flush=True)
