"""Windows that real Keras cuts from series, by every argument: `keras_timeseries.json`."""
import keras
import numpy as np
from keras_common import tensor, write

series = np.arange(20, dtype="int32").reshape(10, 2)
line = np.arange(30, dtype="float32")


def of(data, targets=None, **arguments):
    set = keras.utils.timeseries_dataset_from_array(data, targets, **arguments)
    batches = [[tensor(part.numpy()) for part in (batch if isinstance(batch, tuple) else (batch,))] for batch in set]
    return {"batches": batches}


write("timeseries", {
    "plain": of(series, sequence_length=3),
    "batches": of(series, sequence_length=3, batch_size=3),
    "alone": of(series, sequence_length=4, batch_size=None),
    "stride": of(line, sequence_length=4, sequence_stride=5),
    "rate": of(line, sequence_length=4, sampling_rate=6),
    "both": of(line, sequence_length=3, sequence_stride=4, sampling_rate=3, batch_size=2),
    "part": of(line, sequence_length=3, start_index=5, end_index=17),
    "targets": of(series, line[:10], sequence_length=3, batch_size=4),
    "fewer_targets": of(series, line[:4], sequence_length=3),
    "forecast": of(line[:-5], line[5:], sequence_length=5, sequence_stride=7),
    "part_targets": of(line, line * 2, sequence_length=3, start_index=5, end_index=17, sequence_stride=2, batch_size=None),
})
