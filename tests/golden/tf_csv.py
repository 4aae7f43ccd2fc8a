"""What real TensorFlow reads from comma-separated files: `CsvDataset` record by record, with the errors between, and `make_csv_dataset`'s
batches and dtypes. Writes `tf_csv.json`, which `tests/tests/files` reads."""
import json
import os
import tempfile

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
import tensorflow as tf

I, L, F, D, S = tf.int32, tf.int64, tf.float32, tf.float64, tf.string


def plain(x):
    if isinstance(x, bytes):
        return x.decode()
    x = x.item() if hasattr(x, "item") else x
    return x.decode() if isinstance(x, bytes) else repr(x) if isinstance(x, float) and (x != x or abs(x) == float("inf")) else x


def told(column):
    return {"dtype": column.name} if isinstance(column, tf.DType) else {"dtype": column.dtype.name, "default": plain(column.numpy())}


RECORDS = []


def records(text, columns, **options):
    with open("x.csv", "w", newline="") as file:
        file.write(text)
    iterator, rows = iter(tf.data.experimental.CsvDataset("x.csv", columns, **options)), []
    while True:
        try:
            rows.append([plain(x.numpy()) for x in next(iterator)])
        except StopIteration:
            break
        except tf.errors.InvalidArgumentError:
            rows.append(None)
    RECORDS.append({"text": text, "columns": [told(c) for c in columns], "options": options, "rows": rows})


BATCHES = []


def batches(files, batch_size, **options):
    for name, text in files.items():
        with open(name, "w") as file:
            file.write(text)
    own = dict(options)
    defaults = own.pop("column_defaults", None)
    if defaults is not None:
        own["column_defaults"] = defaults
    data = tf.data.experimental.make_csv_dataset(sorted(files), batch_size, shuffle=False, num_epochs=options.get("num_epochs", 1),
                                                 **{k: v for k, v in own.items() if k != "num_epochs"})
    out = []
    for batch in data.take(4):
        features, label = batch if "label_name" in options else (batch, None)
        columns = {n: {"dtype": v.dtype.name, "values": [plain(x) for x in v.numpy()]} for n, v in features.items()}
        out.append({"columns": columns, "label": None if label is None else [plain(x) for x in label.numpy()]})
    shown = dict(options)
    if defaults is not None:
        shown["column_defaults"] = [told(c) for c in defaults]
    BATCHES.append({"files": files, "batch_size": batch_size, "options": shown, "batches": out})


def main():
    c = tf.constant
    records("1,2\n\n3,4\n", [I, I])
    records("a\n\nb\n", [S])
    records("a\n\nb\n", [c("x")])
    records("1,2\n3\n4,5,6\n7,8", [I, I])
    records('"a,b",1\r\n"c""d",2\re,3\n"multi\nline",4\n', [S, I])
    records('a"b,1\n"open,3\n', [S, I], use_quote_delim=False)
    records(" 1 ,x\n1.5,y\n99999999999,z\n+5,w\n0x10,v\n,u\n", [I, S])
    records("nan\ninf\n-Infinity\n1e400\n1e-400\n 2.5 \n1_0\n0x1p3\n1d5\n.5\n5.\n", [F])
    records('NA,1\n,2\n"NA",3\n"",4\n', [c(7.5), I], na_value="NA")
    records("1,2,3\n4,5\n6,7,8,9\n10,11\n1\n", [I, I], select_cols=[0, 1])
    records("1,2,3\n4,5,6\n", [I], select_cols=[2])
    records("h1,h2\n1,2\n", [I, I], header=True)
    records("1;2\n", [I, I], field_delim=";")
    records("1,2\n,3", [c(9), I])
    records("1,", [I, S])
    records("", [I, S])
    records("9223372036854775807,1e308\n9223372036854775808,1\n", [L, D])
    records("é,ß\n", [S, S])

    people = "name,age,height,big,mixed,empty\nDoe,41,1.8,3000000000,1,\nRoe,,1.75,4,x,\n\"Poe, E.\",40,1e39,5,2,\n"
    batches({"a.csv": people}, 2)
    batches({"a.csv": people, "b.csv": people}, 4)
    batches({"a.csv": people}, 2, label_name="age")
    batches({"a.csv": people}, 3, select_columns=["height", "name"])
    batches({"a.csv": people}, 3, select_columns=[0, 1], label_name="age")
    batches({"a.csv": people}, 3, num_rows_for_inference=1, select_columns=["name", "mixed", "big"], ignore_errors=True)
    batches({"a.csv": people}, 2, num_epochs=2)
    batches({"a.csv": "1;NA\n2;3\n"}, 2, header=False, column_names=["x", "y"], field_delim=";", na_value="NA")
    batches({"a.csv": "x,y\n1,2\n,4\n"}, 2, column_defaults=[c([7.5]), tf.int64])


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        os.chdir(here)
    with open(os.path.join(here, "tf_csv.json"), "w") as out:
        json.dump({"version": tf.__version__, "records": RECORDS, "batches": BATCHES}, out, indent=1)
        out.write("\n")
