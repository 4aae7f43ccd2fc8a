"""Records what TensorFlow makes of small images of every kind: `images.json`, which `tests/tests/images` compares with.

    python tests/golden/images.py

Files are hexadecimal; of pixels the shape and the 64-bit FNV-1a hash of their bytes are kept."""
import io
import json
import os
import pathlib
import struct
import zlib

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import numpy as np
import tensorflow as tf
from PIL import Image

HERE = pathlib.Path(__file__).parent
files, cases = {}, []


def picture(h, w, c):
    y, x, k = np.mgrid[0:h, 0:w, 0:c]
    return ((x * 11 + y * 7 + k * 60 + (x * y * (k + 1)) % 23 * 3) % 256).astype("u1")


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"{value:016x}"


def case(op, file, call, **options):
    row = {"op": op, "file": file} | options
    try:
        out = call(tf.constant(files[file])).numpy()
        if op == "decode_png" and options["channels"] == 4 and file[4:-2] in ("gray", "palette") and file[-1] in "124":
            # TensorFlow takes the greatest number of the file's depth for full opacity.
            out[..., 3] = np.iinfo(out.dtype).max
        row |= {"shape": list(out.shape), "dtype": out.dtype.name, "hash": fnv(out.tobytes())}
    except tf.errors.OpError:
        row |= {"error": True}
    cases.append(row)


def saved(name, image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    files[name] = out.getvalue()


def pil(array, mode=None):
    return Image.fromarray(array[..., 0] if array.shape[-1] == 1 else array, mode)


# JPEG
h, w = 13, 21
saved("jpeg 4:4:4", pil(picture(h, w, 3)), "JPEG", quality=85, subsampling=0)
saved("jpeg 4:2:2", pil(picture(h, w, 3)), "JPEG", quality=85, subsampling=1)
saved("jpeg 4:2:0", pil(picture(h, w, 3)), "JPEG", quality=85, subsampling=2)
saved("jpeg 4:1:1", pil(picture(h, w, 3)), "JPEG", quality=85, subsampling="4:1:1")
saved("jpeg progressive", pil(picture(h, w, 3)), "JPEG", quality=85, subsampling=2, progressive=True)
saved("jpeg gray", pil(picture(h, w, 1)), "JPEG", quality=85)
saved("jpeg gray progressive", pil(picture(h, w, 1)), "JPEG", quality=90, progressive=True)
saved("jpeg restarts", pil(picture(h, w, 3)), "JPEG", quality=85, subsampling=2, restart_marker_blocks=1)
saved("jpeg progressive restarts", pil(picture(h, w, 3)), "JPEG", quality=85, restart_marker_blocks=2, progressive=True)
saved("jpeg cmyk", pil(picture(h, w, 4), "CMYK"), "JPEG", quality=85)
saved("jpeg rgb", pil(picture(h, w, 3)), "JPEG", quality=85, keep_rgb=True)
saved("jpeg one pixel", pil(picture(1, 1, 3)), "JPEG", quality=85)
files["jpeg noise"] = tf.io.encode_jpeg(np.random.default_rng(0).integers(0, 256, (17, 18, 3), dtype="u1"), quality=100).numpy()
for name in [name for name in files if name.startswith("jpeg")]:
    for channels in (0, 1, 3):
        for ratio in (1, 2, 4, 8):
            for fancy, method in ((True, ""), (False, ""), (True, "INTEGER_ACCURATE")):
                if (channels != 0 or ratio not in (1, 2)) and (not fancy or method):
                    continue
                case("decode_jpeg", name, lambda x: tf.io.decode_jpeg(
                    x, channels, ratio, fancy_upscaling=fancy, dct_method=method),
                    channels=channels, ratio=ratio, fancy=fancy, accurate=bool(method))
    case("extract_jpeg_shape", name, tf.io.extract_jpeg_shape)
files["jpeg large"] = tf.io.encode_jpeg(picture(50, 70, 3), quality=60).numpy()
files["jpeg large 4:4:4"] = tf.io.encode_jpeg(picture(50, 70, 3), quality=50, chroma_downsampling=False).numpy()
# Windows are compared with parts of the whole: TensorFlow's own differ from it in their last column where that ends a block.
for window in ([0, 0, 50, 70], [16, 0, 20, 40], [3, 0, 9, 70], [40, 0, 10, 16], [0, 0, 0, 5], [0, 60, 10, 11], [-1, 0, 4, 4], [5, 7, 30, 50]):
    for name in ("jpeg large", "jpeg large 4:4:4"):
        def part(x):
            y, left, rows, columns = window
            tf.io.decode_and_crop_jpeg(x, window, 3)
            return tf.io.decode_jpeg(x, 3)[y:y + rows, left:left + columns]

        case("decode_and_crop_jpeg", name, part, channels=3, window=window)

# encoders
encoded = []
for shape in ((13, 21, 3), (16, 16, 1), (33, 40, 3), (1, 1, 3), (8, 17, 1)):
    for options in ({}, {"quality": 10}, {"quality": 60, "chroma_downsampling": False}, {"quality": 100}):
        out = tf.io.encode_jpeg(picture(*shape), **options).numpy()
        encoded.append({"shape": shape, "options": options, "length": len(out), "hash": fnv(out)})


# PNG
def png(name, depth, kind, samples, channels, palette=None, transparency=None, interlaced=False):
    """Written by hand: not all of these are written by libraries."""
    height, width = samples.shape[:2]

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    def lines(part):
        out = b""
        for row in part:
            flat = row.reshape(-1)
            if depth == 16:
                out += b"\0" + flat.astype(">u2").tobytes()
            elif depth == 8:
                out += b"\0" + flat.astype("u1").tobytes()
            else:
                bits = "".join(f"{value:0{depth}b}" for value in flat)
                bits += "0" * (-len(bits) % 8)
                out += b"\0" + bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        return out

    if interlaced:
        passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
        data = b"".join(lines(samples[y::dy, x::dx]) for y, x, dy, dx in passes if samples[y::dy, x::dx].size)
    else:
        data = lines(samples)
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, int(interlaced)))
    if palette is not None:
        out += chunk(b"PLTE", palette)
    if transparency is not None:
        out += chunk(b"tRNS", transparency)
    files[name] = out + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")


words = (np.mgrid[0:9, 0:11, 0:4][1].astype("u4") * 5003 + np.mgrid[0:9, 0:11, 0:4][0] * 777 + np.arange(4) * 9001) % 65536
for depth in (1, 2, 4, 8, 16):
    png(f"png gray {depth}", depth, 0, words[..., :1] >> (16 - depth), 1)
for depth in (8, 16):
    png(f"png gray alpha {depth}", depth, 4, words[..., :2] >> (16 - depth), 2)
    png(f"png rgb {depth}", depth, 2, words[..., :3] >> (16 - depth), 3)
    png(f"png rgba {depth}", depth, 6, words >> (16 - depth), 4)
    png(f"png interlaced {depth}", depth, 2, words[..., :3] >> (16 - depth), 3, interlaced=True)
colours = bytes(i * 37 % 256 for i in range(48))
for depth in (1, 2, 4, 8):
    png(f"png palette {depth}", depth, 3, (words[..., :1] >> 8) % min(2**depth, 16), 3, palette=colours[: 3 * min(2**depth, 16)])
png("png palette transparent", 4, 3, (words[..., :1] >> 8) % 16, 4, palette=colours, transparency=bytes(range(0, 160, 16)))
for name in [name for name in files if name.startswith("png")]:
    for dtype in ("uint8", "uint16"):
        for channels in (0, 1, 3, 4):
            case("decode_png", name, lambda x: tf.io.decode_png(x, channels, tf.as_dtype(dtype)), channels=channels, as_dtype=dtype)

# GIF
saved("gif still", pil(picture(9, 11, 3)).quantize(16), "GIF")
frames = [pil(picture(9, 11, 3)).quantize(16), pil(picture(9, 11, 3)[::-1]).quantize(16), pil(picture(9, 11, 3)[:, ::-1]).quantize(16)]
saved("gif animated", frames[0], "GIF", save_all=True, append_images=frames[1:], duration=40, loop=0)
clear = Image.new("RGBA", (9, 11))
clear.paste((200, 20, 60, 255), (2, 3, 6, 8))
other = Image.new("RGBA", (9, 11))
other.paste((20, 220, 60, 255), (4, 1, 9, 5))
for disposal in (1, 2, 3):
    saved(f"gif transparent {disposal}", clear, "GIF", save_all=True, append_images=[other, clear], disposal=disposal, duration=40)
saved("gif interlaced", pil(picture(19, 11, 3)).quantize(200), "GIF", interlace=1)
for name in [name for name in files if name.startswith("gif")]:
    case("decode_gif", name, tf.io.decode_gif)

# BMP
saved("bmp 24", pil(picture(5, 7, 3)), "BMP")
saved("bmp 32", pil(picture(5, 7, 4), "RGBA"), "BMP")
saved("bmp 8", pil(picture(5, 7, 1)), "BMP")
top = bytearray(files["bmp 24"])
top[22:26] = struct.pack("<i", -5)
files["bmp from above"] = bytes(top)
for name in [name for name in files if name.startswith("bmp")]:
    for channels in (0, 1, 3, 4):
        case("decode_bmp", name, lambda x: tf.io.decode_bmp(x, channels), channels=channels)

# any kind
for name in ("jpeg 4:2:0", "png gray 8", "png rgba 16", "png rgb 8", "png palette 4", "gif animated", "bmp 24", "bmp 32"):
    for dtype in ("uint8", "uint16", "float32"):
        for expand in (True, False):
            for channels in (0, 3):
                case("decode_image", name, lambda x: tf.io.decode_image(x, channels, tf.as_dtype(dtype), expand_animations=expand),
                     channels=channels, as_dtype=dtype, expand=expand)
    case("is_jpeg", name, tf.io.is_jpeg)

text = json.dumps({"files": {name: data.hex() for name, data in files.items()}, "cases": cases, "encoded": encoded}, separators=(",", ":"))
(HERE / "images.json").write_text(text.replace('{"op"', '\n{"op"').replace('{"shape"', '\n{"shape"').replace('"jpeg 4:4:4":"', '\n"jpeg 4:4:4":"') + "\n")
print(len(files), "files", len(cases), "cases", sum(map(len, files.values())), "bytes")
