"""Records what TensorFlow makes of small images: `ops_image.json`, which `tests/tests/images/ops` compares with.

    python tests/golden/ops_image.py

Each case has an operation, attributes, inputs and outputs, or the fact that TensorFlow refuses it. Where its floats have gradients, those of
the outputs times `upstream` are recorded too: numbers that the tests make by the same formula.
"""
import pathlib

from golden import array_text, arrays_text, compact

import numpy as np
import tensorflow as tf

HERE = pathlib.Path(__file__).parent
I = tf.image
CASES = []


def upstream(shape):
    """Cotangents that differ from place to place."""
    return ((np.arange(int(np.prod(shape))) * 7 % 11 - 4) / 4).reshape(shape)


def rng(name):
    return np.random.RandomState(sum(name.encode()) * 7919 % 2**31)


def floats(*shape, seed="x", lo=0.0, hi=1.0, dtype="float32"):
    return np.round(rng(seed).uniform(lo, hi, shape), 3).astype(np.dtype(dtype) if dtype != "bfloat16" else tf.bfloat16.as_numpy_dtype)


def ints(*shape, seed="x", dtype="uint8"):
    info = np.iinfo(dtype)
    return (rng(seed).uniform(0, 1, shape) * float(info.max)).astype(np.float64).clip(info.min, info.max * 0.999).astype(dtype)


def case(op, call, inputs, gradient=True, **attrs):
    """Calls TensorFlow and keeps what it answers."""
    inputs = [np.asarray(x) for x in inputs]
    tensors = [tf.constant(x) for x in inputs]
    row = f'{{"op":"{op}","attrs":{compact(attrs)},"inputs":{arrays_text(inputs)}'
    try:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([t for t in tensors if t.dtype.is_floating])
            outputs = call(*tensors)
            outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
            total = tf.add_n([tf.reduce_sum(tf.cast(y, tf.float64) * upstream(y.shape)) for y in outputs if y.dtype.is_floating] or [tf.constant(0.0, tf.float64)])
        row += f',"outputs":{arrays_text(outputs)}'
        if gradient and any(y.dtype.is_floating for y in outputs):
            try:
                grads = [tape.gradient(total, t) if t.dtype.is_floating else None for t in tensors]
                if any(g is not None for g in grads):
                    row += f',"gradients":{arrays_text(grads)}'
            except LookupError:
                pass
    except (ValueError, TypeError, AttributeError, tf.errors.OpError):
        row += ',"error":true'
    CASES.append(row + "}")


def colours():
    image, batch = floats(3, 4, 3), floats(2, 3, 4, 3, seed="batch")
    kinds = {"float32": image, "float64": image.astype("f8"), "float16": image.astype("f2"), "uint8": ints(3, 4, 3),
             "int16": ints(3, 4, 3, dtype="int16"), "int32": ints(3, 4, 3, dtype="int32"), "batch": batch}
    for name, x in kinds.items():
        half = name == "float16"
        case("adjust_brightness", lambda x: I.adjust_brightness(x, 0.3), [x], delta=0.3)
        case("adjust_gamma", lambda x: I.adjust_gamma(x, 1.7, 0.9), [x], gamma=1.7, gain=0.9)
        if not half:  # TensorFlow's CPU has no kernel
            case("adjust_contrast", lambda x: I.adjust_contrast(x, 1.6), [x], factor=1.6)
            case("adjust_hue", lambda x: I.adjust_hue(x, 0.2), [x], delta=0.2)
            case("adjust_hue", lambda x: I.adjust_hue(x, -0.7), [x], delta=-0.7)
            case("adjust_saturation", lambda x: I.adjust_saturation(x, 0.6), [x], factor=0.6)
            case("adjust_saturation", lambda x: I.adjust_saturation(x, 1.8), [x], factor=1.8)
        case("per_image_standardization", I.per_image_standardization, [x])
        case("rgb_to_grayscale", I.rgb_to_grayscale, [x])
        case("grayscale_to_rgb", I.grayscale_to_rgb, [x[..., :1]])
        for op in ["rgb_to_hsv", "hsv_to_rgb", "rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb"]:
            if name != "batch" or op == "rgb_to_hsv":
                case(op, getattr(I, op), [x])
    special = np.float32([[[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.2]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0.2, 0.5, 0.5], [-0.5, 0.25, 2], [3, 2, 2.5]]])
    for op in ["rgb_to_hsv", "hsv_to_rgb"]:
        case(op, getattr(I, op), [special], gradient=False)
    case("adjust_hue", lambda x: I.adjust_hue(x, 0.35), [special], delta=0.35)
    case("adjust_saturation", lambda x: I.adjust_saturation(x, 2.5), [special], factor=2.5)
    case("adjust_gamma", lambda x: I.adjust_gamma(x, -1.0, 1.0), [image], gamma=-1.0, gain=1.0)
    case("adjust_hue", lambda x: I.adjust_hue(x, 1.5), [image], delta=1.5)
    case("per_image_standardization", I.per_image_standardization, [np.full([2, 2, 1], 7, "u1")])
    case("grayscale_to_rgb", I.grayscale_to_rgb, [image])
    case("rgb_to_grayscale", I.rgb_to_grayscale, [np.zeros([2, 2, 2], "f4")])
    values = {"float32": np.float32([-0.5, 0, 0.25, 0.5, 0.999, 1, 1.5]), "float16": np.float16([0, 0.25, 0.5, 1]),
              "uint8": np.uint8([0, 1, 100, 127, 128, 255]), "int8": np.int8([-128, -1, 0, 5, 127]), "uint16": np.uint16([0, 300, 32768, 65535]),
              "int16": np.int16([-32768, -300, 0, 300, 32767]), "int32": np.int32([-2**31, -70000, 0, 70000, 2**31 - 1]),
              "int64": np.int64([-2**63, 0, 2**40, 2**63 - 1]), "uint32": np.uint32([0, 70000, 2**32 - 1]), "float64": np.float64([-0.1, 0.3, 0.7])}
    for name, x in values.items():
        for dtype in ["uint8", "int8", "uint16", "int16", "int32", "int64", "uint32", "uint64", "float16", "float32", "float64", "bfloat16"]:
            for saturate in [False, True]:
                # TensorFlow compares no numbers of uint32, and its greatest int64 becomes negative on the way to uint64.
                if saturate and name == "uint32" and dtype not in ("uint32", "float16", "float32", "float64", "bfloat16") or (name, dtype) == ("int64", "uint64"):
                    continue
                beyond = name.startswith("float") and not dtype.startswith(("float", "bfloat"))
                # What a conversion of floats beyond the range gives is nobody's promise.
                if beyond and (not saturate or name == "float16"):
                    if name == "float16" or dtype in ("int32", "int64", "uint32", "uint64"):
                        continue
                    x = x.clip(0, 0.999)
                case("convert_image_dtype", lambda x: I.convert_image_dtype(x, dtype, saturate), [x.reshape(1, -1, 1)], dtype=dtype, saturate=saturate)
    for name in ["float32", "uint8"]:
        for quality in [5, 60, 95]:
            x = kinds[name] if quality != 60 else np.tile(kinds[name], [4, 5, 1])
            case("adjust_jpeg_quality", lambda x: I.adjust_jpeg_quality(x, quality), [x], quality=quality)
    case("adjust_jpeg_quality", lambda x: I.adjust_jpeg_quality(x, 30), [ints(9, 7, 1)], quality=30)


def geometry():
    for x in [floats(3, 4, 2), floats(2, 4, 3, 1, seed="batch"), ints(3, 3, 1), floats(3, 4)]:
        for op in ["flip_left_right", "flip_up_down", "transpose"]:
            case(op, getattr(I, op), [x])
        for k in [-1, 0, 1, 2, 3, 6]:
            case("rot90", lambda x: I.rot90(x, k), [x], k=k)
        for share in [0.2, 0.5, 0.8, 1.0, 0.0, 1.5]:
            case("central_crop", lambda x: I.central_crop(x, share), [x], fraction=share)
        for box in [[0, 0, 2, 2], [1, 1, 2, 2], [0, 0, 0, 1], [2, 0, 2, 1], [-1, 0, 1, 1]]:
            case("crop_to_bounding_box", lambda x: I.crop_to_bounding_box(x, *box), [x], box=box)
        for box in [[0, 0, 4, 4], [2, 1, 7, 5], [0, 0, 2, 9], [-1, 0, 9, 9]]:
            case("pad_to_bounding_box", lambda x: I.pad_to_bounding_box(x, *box), [x], box=box)
        for size in [[2, 6], [7, 1], [3, 4], [5, 5], [0, 3]]:
            case("resize_with_crop_or_pad", lambda x: I.resize_with_crop_or_pad(x, *size), [x], size=size)
    case("flip_left_right", I.flip_left_right, [np.zeros([0, 3, 1], "f4")])


def resizing():
    methods = ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]
    image, batch = floats(7, 5, 2, lo=-1), floats(2, 4, 6, 1, seed="batch", lo=-1)
    for method in methods:
        for antialias in [False, True]:
            for x, sizes in [(image, [[3, 2], [9, 11], [7, 5], [1, 20]]), (batch, [[2, 3], [8, 3], [5, 7]])]:
                for size in sizes:
                    case("resize", lambda x: I.resize(x, size, method, antialias=antialias), [x], size=size, method=method, antialias=antialias)
        for dtype in ["uint8", "float64", "float16"]:
            x = ints(4, 3, 1) if dtype == "uint8" else floats(4, 3, 1, dtype=dtype)
            case("resize", lambda x: I.resize(x, [6, 2], method), [x], gradient=dtype != "float16", size=[6, 2], method=method, antialias=False)
        case("resize", lambda x: I.resize(x, [5, 9], method, preserve_aspect_ratio=True), [image], size=[5, 9], method=method, antialias=False, aspect=True)
        case("resize_with_pad", lambda x: I.resize_with_pad(x, 4, 9, method), [image], size=[4, 9], method=method, antialias=False)
    case("resize", lambda x: I.resize(x, [13, 3], "bilinear", antialias=True, preserve_aspect_ratio=True), [batch], size=[13, 3], method="bilinear", antialias=True, aspect=True)
    for size in [[3, 3], [10, 4], [1, 9]]:
        case("resize_with_pad", lambda x: I.resize_with_pad(x, *size, antialias=True), [batch], size=size, method="bilinear", antialias=True)
    case("resize", lambda x: I.resize(x, [64, 3], "lanczos5", antialias=True), [floats(40, 2, 1)], size=[64, 3], method="lanczos5", antialias=True)
    case("resize", lambda x: I.resize(x, [3, 64], "bicubic", antialias=True), [floats(64, 40, 1)], gradient=False, size=[3, 64], method="bicubic", antialias=True)
    case("resize", lambda x: I.resize(x, [0, 3]), [image], size=[0, 3], method="bilinear", antialias=False)
    case("resize", lambda x: I.resize(x, [2, 3]), [np.zeros([0, 3, 1], "f4")], size=[2, 3], method="bilinear", antialias=False)
    case("resize", lambda x: I.resize(x, [2, 3]), [floats(3, 4)], size=[2, 3], method="bilinear", antialias=False)


def random():
    image, batch = floats(4, 5, 3), floats(6, 2, 3, 3, seed="batch")
    calls = {
        "brightness": (lambda f: lambda x, s: f(x, 0.4, s), [0.4]), "contrast": (lambda f: lambda x, s: f(x, 0.3, 1.8, s), [0.3, 1.8]),
        "hue": (lambda f: lambda x, s: f(x, 0.4, s), [0.4]), "saturation": (lambda f: lambda x, s: f(x, 0.3, 1.8, s), [0.3, 1.8]),
        "jpeg_quality": (lambda f: lambda x, s: f(x, 20, 90, s), [20, 90]), "flip_left_right": (lambda f: f, []), "flip_up_down": (lambda f: f, []),
        "crop": (lambda f: lambda x, s: f(x, [2, 2, 3] if x.shape.rank == 3 else [5, 1, 2, 2], s), []),
    }
    for name, (make, numbers) in calls.items():
        for x in [image, ints(4, 5, 3), batch]:
            if name == "jpeg_quality" and x is batch:
                continue
            for seed in [[1, 2], [7, -3]]:
                case(f"stateless_random_{name}", lambda x: make(getattr(I, f"stateless_random_{name}"))(x, seed), [x], gradient=False, numbers=numbers, seed=seed)
        for seed in [None, 5]:
            tf.random.set_seed(17)
            stateful = make(getattr(I, f"random_{name}"))
            case(f"random_{name}", lambda x: [stateful(x, seed), stateful(x, seed)], [image], gradient=False, numbers=numbers, seed=seed)
    case("stateless_random_hue", lambda x: I.stateless_random_hue(x, 0.6, [1, 2]), [image], numbers=[0.6], seed=[1, 2])
    case("stateless_random_brightness", lambda x: I.stateless_random_brightness(x, -0.1, [1, 2]), [image], numbers=[-0.1], seed=[1, 2])
    case("stateless_random_contrast", lambda x: I.stateless_random_contrast(x, 0.5, 0.5, [1, 2]), [image], numbers=[0.5, 0.5], seed=[1, 2])
    case("stateless_random_jpeg_quality", lambda x: I.stateless_random_jpeg_quality(x, 90, 20, [1, 2]), [image], numbers=[90, 20], seed=[1, 2])


def measures():
    a, b = floats(2, 13, 12, 2), floats(2, 13, 12, 2, seed="other")
    for x, y, most in [(a, b, 1.0), (a[0], b[0], 1.0), (ints(12, 12, 1), ints(12, 12, 1, seed="other"), 255.0), (a[:, :, :, :1], b[:1, :, :, :1], 2.0)]:
        case("psnr", lambda x, y: I.psnr(x, y, most), [x, y], max_val=most)
        case("ssim", lambda x, y: I.ssim(x, y, most), [x, y], max_val=most)
        case("ssim_map", lambda x, y: I.ssim(x, y, most, filter_size=5, filter_sigma=1.1, k1=0.02, k2=0.05, return_index_map=True), [x, y], max_val=most)
    case("ssim", lambda x, y: I.ssim(x, y, 1.0), [a[:, :9], b[:, :9]], max_val=1.0)
    case("psnr", lambda x, y: I.psnr(x, y, 1.0), [a, b[:, :9]], max_val=1.0)
    y = np.clip(a + 0.1 * b, 0, 1).astype("f4")
    case("ssim_multiscale", lambda x, y: I.ssim_multiscale(x, y, 1.0, power_factors=[0.3, 0.5, 0.2], filter_size=3), [a, y], max_val=1.0, powers=[0.3, 0.5, 0.2], size=3)
    case("ssim_multiscale", lambda x, y: I.ssim_multiscale(x, y, 1.0, power_factors=[0.3, 0.7], filter_size=4), [a[0], y[0]], max_val=1.0, powers=[0.3, 0.7], size=4)
    case("ssim_multiscale", lambda x, y: I.ssim_multiscale(x, y, 1.0), [a, y], max_val=1.0, powers=[0.0448, 0.2856, 0.3001, 0.2363, 0.1333], size=11)
    for x in [a[:, :4, :3], a[0, :4, :3], ints(1, 4, 3, 1, dtype="int32"), floats(1, 3, 3, 1, dtype="float64"), np.ones([1, 1, 1, 1], "f4"), floats(3, 4)]:
        case("total_variation", I.total_variation, [x])
        case("image_gradients", I.image_gradients, [x])
        case("sobel_edges", I.sobel_edges, [x])


def boxes():
    images = floats(2, 5, 6, 2)
    regions = np.float32([[0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], [-0.3, 0.5, 0.4, 1.4], [0.9, 0.7, 0.2, 0.1], [0.5, 0.5, 0.5, 0.5]])
    of = np.int32([0, 1, 1, 0, 1])
    for method in ["bilinear", "nearest"]:
        for size in [[3, 4], [1, 1], [1, 5], [8, 2]]:
            case("crop_and_resize", lambda x, b: I.crop_and_resize(x, b, of, size, method, 0.25), [images, regions], gradient=method == "bilinear", indices=of.tolist(), size=size, method=method, outside=0.25)
    case("crop_and_resize", lambda x, b: I.crop_and_resize(x, b, of, [2, 3]), [ints(2, 3, 4, 1), regions], gradient=False, indices=of.tolist(), size=[2, 3], method="bilinear", outside=0.0)
    case("crop_and_resize", lambda x, b: I.crop_and_resize(x, b, [2], [2, 3]), [images, regions[:1]], indices=[2], size=[2, 3], method="bilinear", outside=0.0)
    case("crop_and_resize", lambda x, b: I.crop_and_resize(x, b, [-1], [2, 3]), [images, regions[:1]], indices=[-1], size=[2, 3], method="bilinear", outside=0.0)
    case("crop_and_resize", lambda x, b: I.crop_and_resize(x, b, [0], [0, 3]), [images, regions[:1]], indices=[0], size=[0, 3], method="bilinear", outside=0.0)
    case("crop_and_resize", lambda x, b: I.crop_and_resize(x, b, np.zeros([0], "i4"), [2, 3]), [images, regions[:0]], indices=[], size=[2, 3], method="bilinear", outside=0.0)

    r = rng("boxes")
    corners = r.uniform(0, 0.7, [24, 2])
    many = np.round(np.concatenate([corners, corners + r.uniform(0.1, 0.5, [24, 2])], 1), 2).astype("f4")
    many[3], many[7] = many[3][[2, 1, 0, 3]], many[8]
    scores = np.round(r.uniform(-0.2, 1, [24]), 1).astype("f4")  # some are equal
    for most in [0, 3, 10, 50]:
        for iou, score in [(0.5, float("-inf")), (0.2, 0.3), (0.0, 0.0), (1.0, 0.5)]:
            limits = {"most": most, "iou": iou, "score": max(score, -1e30)}
            case("non_max_suppression", lambda b, s: I.non_max_suppression(b, s, most, iou, score), [many, scores], gradient=False, **limits)
            case("non_max_suppression_with_scores", lambda b, s: I.non_max_suppression_with_scores(b, s, most, iou, score, 0.4), [many, scores], gradient=False, sigma=0.4, **limits)
            overlaps = np.round(r.uniform(0, 1, [24, 24]), 2).astype("f4")
            case("non_max_suppression_overlaps", lambda o, s: I.non_max_suppression_overlaps(o, s, most, iou, score), [overlaps, scores], gradient=False, **limits)
    case("non_max_suppression", lambda b, s: I.non_max_suppression(b, s, 3, 1.5), [many, scores], most=3, iou=1.5, score=-1e30)
    case("non_max_suppression", lambda b, s: I.non_max_suppression(b, s, -1), [many, scores], most=-1, iou=0.5, score=-1e30)
    case("non_max_suppression", lambda b, s: I.non_max_suppression(b, s, 3), [many, scores[:5]], most=3, iou=0.5, score=-1e30)
    case("non_max_suppression", lambda b, s: I.non_max_suppression(b, s, 3), [many[:0], scores[:0]], most=3, iou=0.5, score=-1e30)
    apart = scores + np.arange(24).astype("f4") / 500  # none are equal, and none is 0
    for most in [1, 6, 30]:
        for iou, score in [(0.5, float("-inf")), (0.2, 0.3)]:
            limits = {"most": most, "iou": iou, "score": max(score, -1e30)}
            plain = many.copy()
            plain[3] = plain[3][[2, 1, 0, 3]]
            case("non_max_suppression_padded", lambda b, s: I.non_max_suppression_padded(b, s, most, iou, score), [plain, apart], gradient=False, pad=False, **limits)
            case("non_max_suppression_padded", lambda b, s: I.non_max_suppression_padded(b, s, most, iou, score, pad_to_max_output_size=True), [plain.reshape(2, 3, 4, 4), apart.reshape(2, 3, 4)], gradient=False, pad=True, **limits)
            turned = plain[:, [2, 3, 0, 1]]
            case("non_max_suppression_padded", lambda b, s: I.non_max_suppression_padded(b, s, most, iou, score, pad_to_max_output_size=True), [turned.reshape(2, 12, 4), apart.reshape(2, 12)], gradient=False, pad=True, **limits)
    for most, total in [(2, 5), (4, 12), (30, 30)]:
        for per_class in [False, True]:
            for shares in [1, 3]:
                b = many.reshape(2, 12 // shares, shares, 4)
                s = (np.round(rng("classes").uniform(0, 1, [2, 12 // shares, 3]), 2) + np.arange(72 // shares).reshape(2, -1, 3) / 7000).astype("f4")
                case("combined_non_max_suppression", lambda b, s: tuple(I.combined_non_max_suppression(b, s, most, total, 0.4, 0.2, per_class, per_class)), [b, s], gradient=False, most=most, total=total, iou=0.4, score=0.2, per_class=per_class, clip=per_class)
    frames = np.float32([[[0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1]], [[-0.3, 0.5, 0.4, 1.4], [0.9, 0.1, 0.2, 0.7]]])
    for channels in [1, 3, 4, 2]:
        x = floats(2, 7, 8, channels)
        case("draw_bounding_boxes", lambda x, b: I.draw_bounding_boxes(x, b, None), [x, frames], gradient=False)
        case("draw_bounding_boxes", lambda x, b, c: I.draw_bounding_boxes(x, b, c), [x, frames, np.float32([[0.2, 0.4, 0.6, 0.8]])[:, :channels]], gradient=False)
    case("draw_bounding_boxes", lambda x, b, c: I.draw_bounding_boxes(x, b, c), [floats(2, 7, 8, 3), frames, np.zeros([0, 3], "f4")], gradient=False)
    case("draw_bounding_boxes", lambda x, b: I.draw_bounding_boxes(x, b, None), [floats(1, 4, 5, 3, dtype="float16"), frames[:1]], gradient=False)
    x = floats(3, 6, 7, 2)
    for centered in [False, True]:
        for normalized in [False, True]:
            for size in [[2, 3], [5, 5], [9, 4]]:
                far = np.float32([[0.3, -0.4], [-0.9, 0.95], [0.5, 0.5]]) * (1 if normalized else 5)
                case("extract_glimpse", lambda x, o: I.extract_glimpse(x, size, o, centered, normalized, "zero"), [x, far], gradient=False, size=size, centered=centered, normalized=normalized)
    case("extract_glimpse", lambda x, o: I.extract_glimpse(x, [2, 2], o, noise="zero"), [x, np.zeros([2, 2], "f4")], gradient=False, size=[2, 2], centered=True, normalized=True)
    found = np.float32([[[0.1, 0.2, 0.5, 0.9], [0.6, 0.3, 0.9, 0.4]]])
    for seed in [[1, 2], [3, -4], [5, 6], [2**40, 7]]:
        for size in [[40, 60, 3], [331, 97, 1], [7, 9, 3]]:
            for covered, area, b in [(0.1, [0.05, 1.0], found), (0.7, [0.1, 0.6], found), (0.5, [0.3, 0.9], found[:, :0])]:
                case("stateless_sample_distorted_bounding_box", lambda s, b: tuple(I.stateless_sample_distorted_bounding_box(s, b, seed, covered, [0.6, 1.7], area, 30, True)), [np.int32(size), b], gradient=False, seed=seed, covered=covered, area=area)
    case("stateless_sample_distorted_bounding_box", lambda s, b: tuple(I.stateless_sample_distorted_bounding_box(s, b, [1, 2], 0.1, [0.6, 1.7], [0.1, 1.0], 30, True)), [np.int32([4, 4, 3]), found * 2], seed=[1, 2], covered=0.1, area=[0.1, 1.0])


if __name__ == "__main__":
    for group in [colours, geometry, resizing, random, measures, boxes]:
        group()
    (HERE / "ops_image.json").write_text("\n".join(CASES) + "\n")
    print(len(CASES), "cases")
