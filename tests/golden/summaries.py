"""What TensorFlow and TensorBoard write for the same summaries as `tests/tests/summaries/golden.rs`: tags, steps, plugins, tensors.

    python tests/golden/summaries.py        # writes summaries.json beside it
"""
import base64
import json
import os
import shutil
import tempfile

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import numpy as np
import tensorflow as tf
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto import event_pb2
from tensorboard.plugins.hparams import api as hp
from tensorboard.plugins.pr_curve import summary as pr_curve


def numbers(count):
    """Numbers in [-1, 1) that any language makes alike."""
    return (((np.arange(count, dtype=np.int64) * 7919) % 1000).astype(np.float32) / np.float32(500)) - np.float32(1)


def write(folder):
    with tf.summary.create_file_writer(folder).as_default():
        tf.summary.scalar("loss", 0.25, step=1)
        tf.summary.scalar("described", 3, step=2, description="a *text*")
        with tf.name_scope("outer"), tf.name_scope("inner"):
            tf.summary.scalar("scoped", 1.5, step=3)
        data = tf.constant(numbers(1000))
        tf.summary.histogram("histogram", data, step=4)
        tf.summary.histogram("ten", data, step=4, buckets=10)
        tf.summary.histogram("equal", [2.0, 2.0, 2.0], step=4)
        tf.summary.histogram("empty", tf.zeros([0]), step=4)
        tf.summary.histogram("integers", tf.constant([[1, 2], [3, 1 << 40]], tf.int64), step=4)
        for channels in [1, 2, 3, 4]:
            pixels = (numbers(2 * 3 * 5 * channels).reshape(2, 3, 5, channels) + 1) * 0.6
            tf.summary.image(f"image/{channels}", pixels, step=5, max_outputs=1)
        tf.summary.image("bytes", np.arange(4 * 2 * 2 * 3, dtype=np.uint8).reshape(4, 2, 2, 3) * 5, step=5)
        tf.summary.text("text", "**bold**", step=6)
        tf.summary.text("table", tf.constant([["a", "b"], ["c", "é"]]), step=6)
        tf.summary.audio("sound", (numbers(2 * 40 * 2) * 1.1).reshape(2, 40, 2), 8000, step=7, max_outputs=1)
        hp.hparams({"rate": 0.5, "name": "adam", "augment": True, "units": 16}, trial_id="trial", start_time_secs=1.0)
        columns = [hp.HParam("rate", hp.RealInterval(0.0, 1.0)), hp.HParam("units", hp.IntInterval(1, 64))]
        hp.hparams_config(hparams=columns, metrics=[hp.Metric("epoch_accuracy", group="validation", display_name="accuracy")])
        labels, predictions = numbers(200) > 0.3, (numbers(407)[::2][:200] + 1) / 2
        for name, thresholds, weights in [("curve", 201, None), ("weighted", 11, np.arange(200) % 3 / 2)]:
            proto = pr_curve.pb(name, labels, predictions.astype(np.float64), thresholds, weights)
            tf.summary.experimental.write_raw_pb(proto.SerializeToString(), step=8)


def png(data):
    """PNG files differ by how hard the encoder tries; what counts are their pixels."""
    pixels = tf.io.decode_png(data).numpy()
    return {"shape": pixels.shape, "pixels": pixels.flatten().tolist()}


def read(folder):
    events = []
    [name] = os.listdir(folder)
    for record in RawEventFileLoader(os.path.join(folder, name)).Load():
        event = event_pb2.Event.FromString(record)
        for value in event.summary.value:
            metadata = value.metadata
            plugin = metadata.plugin_data.plugin_name
            content = metadata.plugin_data.content
            tensor = tf.make_ndarray(value.tensor)
            strings = tensor.dtype == object
            flat = tensor.flatten().tolist()
            if strings and plugin == "images":
                flat = flat[:2] + [json.dumps(png(image)).encode() for image in flat[2:]]
            events.append({
                "tag": value.tag, "step": event.step, "plugin": plugin,
                "description": metadata.summary_description, "display_name": metadata.display_name,
                "content": base64.b64encode(hparams(content) if plugin == "hparams" else content).decode(),
                "dtype": value.tensor.dtype, "shape": tensor.shape,
                "values": [base64.b64encode(s).decode() for s in flat] if strings else flat,
            })
    return events


def hparams(content):
    from tensorboard.plugins.hparams import plugin_data_pb2
    data = plugin_data_pb2.HParamsPluginData.FromString(content)
    if data.HasField("experiment"):
        data.experiment.ClearField("time_created_secs")
    return data.SerializeToString(deterministic=True)


if __name__ == "__main__":
    folder = tempfile.mkdtemp()
    write(folder)
    with open(os.path.join(os.path.dirname(__file__), "summaries.json"), "w") as file:
        json.dump({"tensorflow": tf.__version__, "events": read(folder)}, file, indent=None, separators=(",", ":"))
        file.write("\n")
    shutil.rmtree(folder)
