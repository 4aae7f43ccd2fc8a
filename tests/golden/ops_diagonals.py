"""The ops of `make_ops.py` on bands of diagonals: `tf.linalg.diag`, `diag_part` and `set_diag` with all their arguments."""
import tensorflow as tf

from ops_elementwise import op

ALIGNS = ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"]
SHAPES = {"square": (3, 3), "wide": (3, 5), "high": (5, 3)}


def how(k, align="RIGHT_LEFT", **more):
    return {"k": k, "align": align, **more}


def diag(x, a):
    return tf.linalg.diag(x[0], k=a["k"], num_rows=a["num_rows"], num_cols=a["num_cols"], padding_value=a["padding"], align=a["align"])


@op("diag_with", diag)
def _diag_with(v):
    def sized(k, rows=-1, cols=-1, padding=0, align="RIGHT_LEFT"):
        return how(k, align, num_rows=rows, num_cols=cols, padding=padding)

    yield "basic", sized([-1, 1]), [v.n(2, 3, 3)]
    yield "one", sized(1, padding=1), [v.n(2, 3)]
    if v.main:
        for align in ALIGNS:
            yield f"band_{align}", sized([-1, 2], 3, 4, 9, align), [v.n(2, 4, 3)]
            yield f"high_{align}", sized([-2, 1], 5, 4, 0, align), [v.n(4, 4)]
            yield f"above_{align}", sized([1, 2], align=align), [v.n(2, 3)]
            yield f"below_{align}", sized([-2, -1], padding=7, align=align), [v.n(2, 3)]
        yield "main", sized(0), [v.n(3)]
        yield "below", sized(-2), [v.n(2, 2)]
        yield "rows", sized(1, rows=5), [v.n(3)]
        yield "cols", sized(-1, cols=5), [v.n(3)]
        yield "both", sized(2, 3, 6, 9), [v.n(3)]
        yield "as_band", sized([1, 1]), [v.n(1, 3)]
        yield "far", sized([-5, -4]), [v.n(2, 2)]
        yield "empty", sized(0), [v.n(0)]
        yield "empty_above", sized(1, padding=9), [v.n(0)]
        yield "empty_band", sized([1, 2], padding=9), [v.n(2, 0)]
        yield "no_columns", sized([0, 1], 2, 0), [v.n(2, 0)]
        yield "no_batch", sized([0, 1]), [v.n(0, 2, 3)]
        yield "scalar", sized(0), [v.n()]
        yield "few_axes", sized([0, 1]), [v.n(3)]
        yield "few_diagonals", sized([-1, 1]), [v.n(2, 3)]
        yield "upside_down", sized([1, 0]), [v.n(2, 3)]
        yield "few_rows", sized(1, rows=2), [v.n(3)]
        yield "few_cols", sized(1, cols=3), [v.n(3)]
        yield "misfit", sized(0, 4, 5), [v.n(3)]


@op("diag_part_with", lambda x, a: tf.linalg.diag_part(x[0], k=a["k"], padding_value=a["padding"], align=a["align"]))
def _diag_part_with(v):
    yield "basic", how([-1, 1], padding=0), [v.n(2, 3, 3)]
    yield "one", how(1, padding=1), [v.n(2, 3, 4)]
    if v.main:
        for align in ALIGNS:
            for name, shape in SHAPES.items():
                yield f"{name}_{align}", how([-2, 2], align, padding=9), [v.n(2, *shape)]
            yield f"above_{align}", how([1, 3], align, padding=0), [v.n(3, 4)]
            yield f"below_{align}", how([-2, -1], align, padding=9), [v.n(3, 4)]
        yield "last", how(3, padding=0), [v.n(3, 4)]
        yield "first", how(-2, padding=0), [v.n(3, 4)]
        yield "as_band", how([1, 1], padding=0), [v.n(3, 4)]
        yield "no_rows", how([0, 2], padding=0), [v.n(0, 3)]
        yield "no_columns", how(-1, padding=0), [v.n(2, 3, 0)]
        yield "nothing", how(0, padding=0), [v.n(0, 0)]
        yield "no_batch", how([-1, 0], padding=0), [v.n(0, 3, 3)]
        yield "above_all", how(4, padding=0), [v.n(3, 4)]
        yield "below_all", how([-3, 0], padding=0), [v.n(3, 4)]
        yield "below_nothing", how(-1, padding=0), [v.n(0, 3)]
        yield "upside_down", how([1, -1], padding=0), [v.n(3, 4)]
        yield "vector", how(0, padding=0), [v.n(3)]


@op("set_diag_with", lambda x, a: tf.linalg.set_diag(x[0], x[1], k=a["k"], align=a["align"]))
def _set_diag_with(v):
    yield "basic", how([-1, 1]), [v.n(2, 3, 3), v.n(2, 3, 3)]
    yield "one", how(1), [v.n(2, 3, 4), v.n(2, 3)]
    if v.main:
        for align in ALIGNS:
            for name, (rows, cols) in SHAPES.items():
                yield f"{name}_{align}", how([-2, 2], align), [v.n(2, rows, cols), v.n(2, 5, 3)]
            yield f"above_{align}", how([1, 3], align), [v.n(3, 4), v.n(3, 3)]
            yield f"below_{align}", how([-2, -1], align), [v.n(3, 4), v.n(2, 2)]
        yield "last", how(3), [v.n(3, 4), v.n(1)]
        yield "as_band", how([1, 1]), [v.n(3, 4), v.n(3)]
        yield "no_rows", how([0, 1]), [v.n(0, 3), v.n(2, 0)]
        yield "no_columns", how(-1), [v.n(3, 0), v.n(0)]
        yield "above_all", how(4), [v.n(3, 4), v.n(0)]
        yield "short", how(1), [v.n(3, 4), v.n(2)]
        yield "long", how([0, 1]), [v.n(3, 4), v.n(2, 4)]
        yield "many", how([0, 1]), [v.n(3, 4), v.n(3, 3)]
        yield "one_with_axis", how([0, 0]), [v.n(3, 4), v.n(1, 3)]
        yield "no_batch", how(0), [v.n(2, 3, 4), v.n(3)]
        yield "few_axes", how([-2, -1]), [v.n(2, 3, 4), v.n(4)]
        yield "vector", how(0), [v.n(4), v.n(4)]
