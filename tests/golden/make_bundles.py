"""Makes bundles/ with real TensorFlow: checkpoints that core/formats must read, and write byte by byte.

Run by hand: python tests/golden/make_bundles.py. Made with TensorFlow 2.21.0.
"""

import os
import shutil

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np
import tensorflow as tf

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bundles")
TEMPORARY = HERE + "_temporary"


def crc32c(data):
    """The plain CRC-32C, to compare files that are too large to keep."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def save(prefix, values, slices=None):
    names = [name for name, _ in values]
    slices = slices or [""] * len(names)
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=slices, tensors=[v for _, v in values])


def mixed():
    """Every element type that files hold, and all kinds of shapes and strings."""
    values = [("zz/scalar", tf.constant(1.5)), ("zz/empty", tf.zeros([0, 3])), ("zz/none", tf.zeros([2, 0, 4], tf.int64))]
    for name in "float32 float64 float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128".split():
        values.append((f"types/{name}", tf.cast(tf.reshape(tf.range(6), [2, 3]), tf.as_dtype(name))))
    values.append(("types/bool", tf.constant([True, False, True])))
    values.append(("types/qint8", tf.bitcast(tf.constant([1, -2, 3], tf.int8), tf.qint8)))
    values.append(("types/float8_e4m3fn", tf.cast(tf.constant([1.0, -2.0]), tf.dtypes.experimental.float8_e4m3fn)))
    values.append(("strings/scalar", tf.constant("one")))
    values.append(("strings/empty", tf.constant([], tf.string)))
    values.append(("strings/grid", tf.constant([["", "a", "b" * 127], ["c" * 128, "ü", b"\x00\xff"]])))
    values.append(("strings/long", tf.constant(["x" * 20000, "y"])))
    for i in range(40):
        values.append((f"layer_{i}/bias", tf.fill([i], float(i))))
    save(os.path.join(HERE, "mixed"), values)


def smallest():
    """What a module of two variables needs: the graph of objects is the shortest that TensorFlow takes."""
    def value(name, key):
        attribute = SerializedTensor(name="VARIABLE_VALUE", full_name=name, checkpoint_key=key + "/.ATTRIBUTES/VARIABLE_VALUE")
        return TrackableObject(attributes=[attribute], has_checkpoint_values=BoolValue(value=True))

    def holder(*children):
        references = [TrackableObject.ObjectReference(node_id=node, local_name=name) for node, name in children]
        return TrackableObject(children=references, has_checkpoint_values=BoolValue(value=True))

    from google.protobuf.wrappers_pb2 import BoolValue
    from tensorflow.core.protobuf.trackable_object_graph_pb2 import TrackableObjectGraph

    TrackableObject = TrackableObjectGraph.TrackableObject
    SerializedTensor = TrackableObject.SerializedTensor
    nodes = [holder((1, "model"), (2, "save_counter")), holder((3, "w"), (4, "b")), value("save_counter", "save_counter"),
             value("w", "model/w"), value("b", "model/b")]
    graph = TrackableObjectGraph(nodes=nodes).SerializeToString(deterministic=True)
    keys = [("save_counter", tf.constant(1, tf.int64)), ("model/w", tf.constant([[1.0, 2.0], [3.0, 4.0]])),
            ("model/b", tf.constant([5.0, 6.0]))]
    values = [(key + "/.ATTRIBUTES/VARIABLE_VALUE", value) for key, value in keys]
    save(os.path.join(HERE, "ck-1"), values + [("_CHECKPOINTABLE_OBJECT_GRAPH", tf.constant(graph))])


def objects():
    """As tf.train.Checkpoint saves a module."""
    root = tf.train.Checkpoint(w=tf.Variable([[1.0, 2.0], [3.0, 4.0]]), b=tf.Variable([5.0, 6.0]), step=tf.Variable(7, dtype=tf.int64))
    root.write(os.path.join(HERE, "objects"))


def sliced():
    """Partitioned variables: by rows, by columns, by both, of strings, with a slice that is all."""
    w = np.arange(24, dtype=np.float32).reshape(6, 4)
    big = np.arange(300 * 3, dtype=np.int32).reshape(300, 3)
    text = np.array([[f"{i}{j}" for j in range(3)] for i in range(4)])
    values, slices = [], []

    def part(name, value, spec):
        sizes = " ".join(str(size) for size in value.shape)
        ranges = [slice(None) if s == "-" else slice(int(s.split(",")[0]), sum(map(int, s.split(",")))) for s in spec.split(":")]
        values.append((name, tf.constant(value[tuple(ranges)])))
        slices.append(f"{sizes} {spec}")

    for spec in ("0,2:-", "2,3:-", "5,1:-"):
        part("rows", w, spec)
    for spec in ("-:0,1", "-:1,3"):
        part("columns", w, spec)
    for spec in ("0,2:0,3", "0,2:3,1", "2,4:0,2", "2,4:2,2"):
        part("grid\0\u00fc", w, spec)
    for spec in ("0,70:-", "70,230:-"):
        part("many", big, spec)
    for spec in ("-:0,2", "-:2,1"):
        part("text", text, spec)
    part("whole", w, "-:-")
    values.append(("plain", tf.constant([1, 2])))
    slices.append("")
    save(os.path.join(HERE, "sliced"), values, slices)


def sharded():
    """Three data files, one of them with parts of a variable that lie in another, too."""
    w = np.arange(12, dtype=np.float64).reshape(4, 3)
    prefix = os.path.join(HERE, "sharded")
    shards = []
    for i in range(3):
        shard = tf.raw_ops.ShardedFilename(basename=os.path.join(TEMPORARY, "part"), shard=i, num_shards=3)
        values = [(f"v{i}", np.arange(5 + i)), (f"s{i}", tf.constant(["a" * i, "bc"]))]
        slices = ["", ""]
        if i < 2:
            values.append(("w", w[2 * i : 2 * i + 2]))
            slices.append(f"4 3 {2 * i},2:-")
        save(shard, values, slices)
        shards.append(shard)
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=shards, destination_prefix=prefix)


def large():
    """Indexes of several blocks: only their lengths, checksums and ends are kept."""
    many = [(f"model/layer_{i}/kernel/.ATTRIBUTES/VARIABLE_VALUE", tf.constant(i)) for i in range(9000)]
    long = [("a", tf.constant(1)), ("b" * 600000, tf.constant(2)), ("c" * 1000, tf.constant(3)), ("d" * 524000, tf.constant(4)),
            ("e", tf.constant(5))]
    with open(os.path.join(HERE, "large.txt"), "w") as out:
        for name, values in ("many", many), ("long", long):
            prefix = os.path.join(TEMPORARY, name)
            save(prefix, values)
            for file in (prefix + ".index", prefix + ".data-00000-of-00001"):
                data = open(file, "rb").read()
                out.write(f"{os.path.basename(file)} {len(data)} {crc32c(data):08x} {data[-160:].hex()}\n")


def states():
    """The text file `checkpoint`."""
    def state(name, *paths, **times):
        tf.compat.v1.train.update_checkpoint_state(".", paths[-1], list(paths), **times)
        shutil.move("checkpoint", os.path.join(HERE, name))

    os.chdir(TEMPORARY)
    state("state", "ck-1", "ck-2", all_model_checkpoint_timestamps=[1700000000.0, 1700000060.25], last_preserved_timestamp=1699999999.0)
    odd = "a\"b'c\\d\te\nf\u00fcg\x01h?\x7f\r\u20ac"
    times = [1e16, 1e-5, 123456789.125, 0.0001, 1e300, 5e-324, 9999999999999998.0, 0.0, -1.5]
    state("state_odd", *["x"] * (len(times) - 1), odd, all_model_checkpoint_timestamps=times, last_preserved_timestamp=1e-5)


if __name__ == "__main__":
    for folder in (HERE, TEMPORARY):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    for make in (mixed, smallest, objects, sliced, sharded, large, states):
        make()
    shutil.rmtree(TEMPORARY)
