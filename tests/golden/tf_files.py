"""What real `tf.data` reads from small files: the files themselves, and for each case its elements and the kind of error it ends with.

Writes `tf_files.json`, which `tests/tests/files` reads. Bytes are in base64."""
import base64
import gzip
import json
import os
import tempfile
import zlib

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import tensorflow as tf

RECORDS = [b"", b"x", b"abc" * 50, bytes(range(256)), b"", b"the last"]
FILES = {}
CASES = []


def text(data):
    return base64.b64encode(data).decode()


def written(name, records, compression):
    with tf.io.TFRecordWriter(name, compression) as writer:
        for record in records:
            writer.write(record)
    FILES[name] = open(name, "rb").read()


def put(name, data):
    with open(name, "wb") as file:
        file.write(data)
    FILES[name] = data


def case(source, files, dataset, **options):
    elements, error, iterator = [], None, iter(dataset)
    while True:
        try:
            elements.append(next(iterator).numpy())
        except StopIteration:
            break
        except tf.errors.OpError as e:
            error = type(e).__name__.removesuffix("Error")
            break
    CASES.append({"source": source, "files": files, "options": options, "elements": [text(e) for e in elements], "error": error})


def records(files, compression="", **options):
    case("TFRecord", files, tf.data.TFRecordDataset(files, compression, **options), compression=compression, **options)


def lines(files, compression=""):
    case("TextLine", files, tf.data.TextLineDataset(files, compression), compression=compression)


def fixed(files, record, header=0, footer=0, compression=""):
    dataset = tf.data.FixedLengthRecordDataset(files, record, header, footer, compression_type=compression or None)
    case("FixedLength", files, dataset, record=record, header=header, footer=footer, compression=compression)


def main():
    for compression in ["", "GZIP", "ZLIB"]:
        name = "records" + compression.lower()
        written(name, RECORDS, compression)
        records([name], compression)
        records([name, name], compression)
    written("two", [b"two", b"three"], "")
    written("none", [], "")
    records(["two", "none", "records"])
    records(["two", "records", "two"], num_parallel_reads=2)
    records(["records", "two", "two", "none", "two"], num_parallel_reads=3)
    whole = FILES["records"]
    put("cut", whole[:-1])
    records(["cut", "two"])
    put("damaged", whole[:30] + bytes([whole[30] ^ 4]) + whole[31:])
    records(["damaged"])
    records(["missing"])

    for number, data in enumerate([b"a\rb\r\nc", b"", b"\n", b"a\n\nb\n", b"a\r\r\nb\r", b"\r\n\r", b"one\r\ntwo\r\nlast", "é\nß".encode()]):
        put(f"lines{number}", data)
        lines([f"lines{number}"])
    put("lines.gz", gzip.compress(b"a\nb", mtime=0) + gzip.compress(b"c\nd\n", mtime=0))
    lines(["lines.gz", "lines.gz"], "GZIP")
    put("lines.z", zlib.compress(b"a\nb\n"))
    lines(["lines.z"], "ZLIB")
    put("empty.gz", b"")
    lines(["empty.gz"], "GZIP")
    lines(["lines3"], "GZIP")
    lines(["lines0", "lines3"])

    put("fixed", b"HHaabbccFFF")
    fixed(["fixed"], 2, 2, 3)
    fixed(["fixed", "fixed"], 3, 2)
    fixed(["fixed"], 11)
    fixed(["fixed"], 4)
    put("fixed.gz", gzip.compress(b"HHaabbccFFF", mtime=0))
    fixed(["fixed.gz"], 2, 2, 3, "GZIP")
    put("fixed.z", zlib.compress(b"aabb"))
    fixed(["fixed.z"], 2, 0, 0, "ZLIB")



if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir(here)
    with open(os.path.join(here, "tf_files.json"), "w") as out:
        json.dump({"version": tf.__version__, "files": {n: text(d) for n, d in FILES.items()}, "cases": CASES}, out, indent=1)
        out.write("\n")
