"""The ops of `make_ops.py` on signals: Fourier and cosine transforms, frames, windows and mel spectrograms.

Operands of the transforms of complex numbers are their parts, so that they have float dtypes as all others; `ops_complex.py` has the
transforms themselves. TensorFlow has no kernels of `fftnd` and its kin for a CPU: their numbers are those of NumPy, whose arguments they take.
"""
import numpy as np
import tensorflow as tf

from ops_elementwise import op

S = tf.signal


def floats(x):
    """As TensorFlow's transforms take them."""
    if any(part.dtype not in (tf.float32, tf.float64) for part in x):
        raise TypeError("float32 or float64")


for _name in ["fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"]:
    def _cases(v):
        yield "basic", {}, [v.n(2, 3, 4)]
    op(_name, lambda x, a, f=getattr(S, _name): f(x[0]))(_cases)


def _of_parts(x, a):
    floats(x)
    z = tf.complex(*x)
    f = getattr(S, a["transform"])
    return f(z) if a["fft_length"] is None else f(z, a["fft_length"])


@op("transform_of_parts", _of_parts)
def _transform_of_parts(v):
    def case(of, *shape, length=None):
        name = f"{of}_{'x'.join(map(str, shape))}" + ("" if length is None else "_to_" + "x".join(map(str, length)))
        return name, {"transform": of, "fft_length": length}, [v.n(*shape), v.n(*shape)]

    yield "basic", {"transform": "fft", "fft_length": None}, [v.n(2, 4), v.n(2, 4)]
    if v.main:
        for shape in [(5,), (1,), (3, 0), (0, 3), (2, 12), (2, 17), (2, 64), (1, 60), (1, 61)]:
            yield case("fft", *shape)
            yield case("ifft", *shape)
        for of in ["fft2d", "ifft2d"]:
            yield case(of, 2, 3, 4)
            yield case(of, 7, 1)
            yield case(of, 0, 3, 4)
        for of in ["fft3d", "ifft3d"]:
            yield case(of, 2, 3, 4)
            yield case(of, 2, 2, 1, 5)
        for length in [None, [3], [4], [5], [8], [12]]:
            yield case("irfft", 2, 5, length=length)
        for length in [None, [2, 3], [3, 4], [5, 8], [2, 7]]:
            yield case("irfft2d", 2, 3, 4, length=length)
        for length in [None, [2, 3, 4], [1, 3, 5], [3, 4, 8]]:
            yield case("irfft3d", 2, 3, 4, length=length)
        yield case("fft2d", 3)
        yield case("irfft", 2, 5, length=[3, 4])


def _real(name, axes):
    f = getattr(S, name)

    @op(name, lambda x, a: f(x[0], a["fft_length"]))
    def _cases(v):
        shape = (2, 3, 4)[3 - axes:]
        yield "basic", {"fft_length": None}, [v.n(*shape)]
        if v.main:
            yield "batch", {"fft_length": None}, [v.n(2, *shape)]
            yield "odd", {"fft_length": None}, [v.n(2, *shape[:-1], 7)]
            yield "one", {"fft_length": None}, [v.n(*[1] * axes)]
            yield "cut", {"fft_length": [1, 2, 3][3 - axes:]}, [v.n(2, *shape)]
            yield "filled_up", {"fft_length": [3, 5, 6][3 - axes:]}, [v.n(2, *shape)]
            yield "both", {"fft_length": [3, 2, 9][3 - axes:]}, [v.n(2, 2, 5, 6)]
            yield "prime", {"fft_length": None}, [v.n(*shape[:-1], 31)]
            yield "empty", {"fft_length": None}, [v.n(0, *shape)]
            yield "few_axes", {"fft_length": None}, [v.n(*shape[1:])]


for _name, _axes in [("rfft", 1), ("rfft2d", 2), ("rfft3d", 3)]:
    _real(_name, _axes)


def _by_numpy(x, a):
    floats(x)
    wide = [np.asarray(part).astype(np.float64) for part in x]
    z = wide[0] if a["transform"] == "rfftnd" else wide[0] + 1j * wide[1]
    f = {"fftnd": np.fft.fftn, "ifftnd": np.fft.ifftn, "rfftnd": np.fft.rfftn, "irfftnd": np.fft.irfftn}[a["transform"]]
    axes = a["axes"] if a["axes"] is not None else list(range(z.ndim))
    y = f(z, s=a["fft_length"], axes=axes, norm=a["norm"])
    narrow = x[0].dtype == tf.float32
    kind = (np.complex64 if narrow else np.complex128) if np.iscomplexobj(y) else x[0].dtype.as_numpy_dtype
    return tf.constant(y.astype(kind))


@op("fftnd", _by_numpy)
def _fftnd(v):
    def case(of, name, length, axes, norm, shape=(2, 3, 4)):
        return f"{of}_{name}", {"transform": of, "fft_length": length, "axes": axes, "norm": norm}, [v.n(*shape), v.n(*shape)]

    yield "basic", {"transform": "fftnd", "fft_length": None, "axes": None, "norm": "backward"}, [v.n(2, 3), v.n(2, 3)]
    if v.main:
        for of in ["fftnd", "ifftnd", "rfftnd", "irfftnd"]:
            yield case(of, "all", None, None, "backward")
            yield case(of, "forward", None, None, "forward")
            yield case(of, "ortho", [3, 4, 6], None, "ortho")
            yield case(of, "first", None, [0], "backward")
            yield case(of, "turned", None, [2, 0], "ortho")
            yield case(of, "cut", [2, 2], [1, -1], "forward")
            yield case(of, "apart", [4, 5], [0, 2], "backward")
            yield case(of, "six", None, None, "backward", (2, 1, 2, 3, 2, 3))


def _framed(x, a):
    value = 0 if a["pad_value"] is None else a["pad_value"]
    return S.frame(x[0], a["frame_length"], a["frame_step"], a["pad_end"], value, a["axis"])


@op("frame", _framed)
def _frame(v):
    def attrs(length, step, pad_end=False, pad_value=None, axis=-1):
        return {"frame_length": length, "frame_step": step, "pad_end": pad_end, "pad_value": pad_value, "axis": axis}

    yield "basic", attrs(3, 2), [v.n(2, 8)]
    if v.main or v.dtype == "int32":
        yield "padded", attrs(3, 2, True), [v.n(2, 8)]
        yield "value", attrs(5, 2, True, 7), [v.n(9)]
        yield "first", attrs(2, 1, axis=0), [v.n(4, 3)]
        yield "middle", attrs(4, 3, True, axis=1), [v.n(2, 7, 2)]
        yield "gaps", attrs(2, 5), [v.n(2, 12)]
        yield "gaps_padded", attrs(2, 5, True), [v.n(2, 12)]
        yield "long", attrs(9, 2), [v.n(2, 8)]
        yield "long_padded", attrs(9, 3, True), [v.n(2, 8)]
        yield "whole", attrs(8, 1), [v.n(8)]
        yield "no_step", attrs(3, 0), [v.n(8)]


@op("overlap_and_add", lambda x, a: S.overlap_and_add(x[0], a["frame_step"]))
def _overlap_and_add(v):
    yield "basic", {"frame_step": 2}, [v.n(2, 3, 5)]
    if v.main or v.dtype == "int32":
        yield "apart", {"frame_step": 5}, [v.n(3, 5)]
        yield "one", {"frame_step": 1}, [v.n(4, 3)]
        yield "frame", {"frame_step": 2}, [v.n(1, 5)]
        yield "gaps", {"frame_step": 7}, [v.n(3, 5)]
        yield "batch", {"frame_step": 3}, [v.n(2, 1, 3, 4)]
        yield "vector", {"frame_step": 3}, [v.n(4)]


WINDOWS = {"hann": S.hann_window, "hamming": S.hamming_window, "kaiser": S.kaiser_window, "vorbis": S.vorbis_window,
           "kaiser_bessel_derived": S.kaiser_bessel_derived_window}


def _window(x, a):
    f, dtype = WINDOWS[a["of"]], tf.as_dtype(a["dtype"])
    if a["of"] in ("hann", "hamming"):
        return f(a["length"], a["periodic"], dtype)
    if a["of"] == "vorbis":
        return f(a["length"], dtype)
    return f(a["length"], a["beta"], dtype)


@op("window", _window)
def _windows(v):
    def case(of, length, periodic=True, beta=12.0):
        name = f"{of}_{length}" + ("" if periodic else "_symmetric") + ("" if beta == 12.0 else f"_{beta:g}")
        return name, {"of": of, "length": length, "periodic": periodic, "beta": beta, "dtype": v.dtype}, []

    yield "basic", {"of": "hann", "length": 8, "periodic": True, "beta": 12.0, "dtype": v.dtype}, []
    if v.is_float:
        for length in [1, 2, 7, 16]:
            for of in ["hann", "hamming"]:
                yield case(of, length)
                yield case(of, length, periodic=False)
            yield case("vorbis", length)
            # TensorFlow's Bessel functions are not those of bfloat16.
            if v.dtype != "bfloat16":
                yield case("kaiser", length)
                yield case("kaiser", length, beta=3.5)
                yield case("kaiser_bessel_derived", length)
                yield case("kaiser_bessel_derived", length, beta=4.0)


def _weights(name):
    return None if name == "none" else WINDOWS[name]


@op("stft", lambda x, a: S.stft(x[0], a["frame_length"], a["frame_step"], a["fft_length"], _weights(a["window"]), a["pad_end"]))
def _stft(v):
    def attrs(length, step, fft_length=None, window="hann", pad_end=False):
        return {"frame_length": length, "frame_step": step, "fft_length": fft_length, "window": window, "pad_end": pad_end}

    yield "basic", attrs(4, 2), [v.n(2, 11)]
    if v.main:
        yield "padded", attrs(5, 2, pad_end=True), [v.n(2, 11)]
        yield "longer", attrs(5, 3, 12, "hamming"), [v.n(11)]
        yield "shorter", attrs(8, 3, 6, "none"), [v.n(20)]
        yield "kaiser", attrs(6, 3, None, "kaiser", True), [v.n(20)]


def _inverse_stft(x, a):
    floats(x)
    window = _weights(a["window"])
    if a["undone"]:
        window = S.inverse_stft_window_fn(a["frame_step"], window)
    return S.inverse_stft(tf.complex(*x), a["frame_length"], a["frame_step"], a["fft_length"], window)


@op("inverse_stft", _inverse_stft)
def _inverse(v):
    def attrs(length, step, fft_length=None, window="hann", undone=False):
        return {"frame_length": length, "frame_step": step, "fft_length": fft_length, "window": window, "undone": undone}

    yield "basic", attrs(4, 2), [v.n(2, 3, 3), v.n(2, 3, 3)]
    if v.main:
        yield "undone", attrs(4, 2, undone=True), [v.n(2, 3, 3), v.n(2, 3, 3)]
        yield "undone_unevenly", attrs(7, 3, undone=True, window="hamming"), [v.n(3, 5), v.n(3, 5)]
        yield "longer", attrs(8, 3, 6, "none"), [v.n(3, 4), v.n(3, 4)]
        yield "shorter", attrs(5, 5, 12, "hamming"), [v.n(3, 7), v.n(3, 7)]
        yield "vector", attrs(4, 2), [v.n(3), v.n(3)]


@op("inverse_stft_window_fn", lambda x, a: S.inverse_stft_window_fn(a["frame_step"], WINDOWS[a["window"]])(a["length"], dtype=tf.as_dtype(a["dtype"])))
def _undoing(v):
    yield "basic", {"frame_step": 3, "window": "hann", "length": 8, "dtype": v.dtype}, []
    if v.main:
        yield "even", {"frame_step": 4, "window": "hamming", "length": 8, "dtype": v.dtype}, []
        yield "wide", {"frame_step": 9, "window": "vorbis", "length": 5, "dtype": v.dtype}, []


def _dct_cases(v):
    def attrs(kind, n=None, norm=None):
        return {"type": kind, "n": n, "norm": norm}

    yield "basic", attrs(2), [v.n(2, 5)]
    if v.main:
        for kind in [1, 2, 3, 4]:
            for norm in [None, "ortho"]:
                name = f"type_{kind}" + ("_ortho" if norm else "")
                yield name, attrs(kind, norm=norm), [v.n(2, 6)]
                yield name + "_cut", attrs(kind, 4, norm), [v.n(2, 6)]
                yield name + "_filled_up", attrs(kind, 9, norm), [v.n(2, 6)]
        yield "one", attrs(2), [v.n(2, 1)]
        yield "one_of_type_1", attrs(1), [v.n(2, 1)]
        yield "no_n", attrs(2, 0), [v.n(2, 5)]


op("dct", lambda x, a: S.dct(x[0], a["type"], a["n"], norm=a["norm"]))(_dct_cases)
op("idct", lambda x, a: S.idct(x[0], a["type"], a["n"], norm=a["norm"]))(_dct_cases)


@op("mdct", lambda x, a: S.mdct(x[0], a["frame_length"], _weights(a["window"]), a["pad_end"], a["norm"]))
def _mdct(v):
    yield "basic", {"frame_length": 8, "window": "vorbis", "pad_end": False, "norm": None}, [v.n(2, 19)]
    if v.main:
        yield "ortho", {"frame_length": 4, "window": "kaiser_bessel_derived", "pad_end": True, "norm": "ortho"}, [v.n(2, 19)]
        yield "none", {"frame_length": 12, "window": "none", "pad_end": False, "norm": None}, [v.n(40)]
        yield "uneven", {"frame_length": 6, "window": "vorbis", "pad_end": False, "norm": None}, [v.n(2, 19)]


@op("inverse_mdct", lambda x, a: S.inverse_mdct(x[0], _weights(a["window"]), a["norm"]))
def _inverse_mdct(v):
    yield "basic", {"window": "vorbis", "norm": None}, [v.n(2, 3, 4)]
    if v.main:
        yield "ortho", {"window": "none", "norm": "ortho"}, [v.n(3, 6)]


@op("linear_to_mel_weight_matrix", lambda x, a: S.linear_to_mel_weight_matrix(
    a["bands"], a["bins"], a["rate"], a["lower"], a["upper"], tf.as_dtype(a["dtype"])))
def _mel(v):
    def attrs(bands=20, bins=129, rate=8000.0, lower=125.0, upper=3800.0):
        return {"bands": bands, "bins": bins, "rate": rate, "lower": lower, "upper": upper, "dtype": v.dtype}

    yield "basic", attrs(5, 17), []
    if v.main:
        yield "default", attrs(), []
        yield "wide", attrs(8, 33, 16000.0, 80.0, 7600.0), []
        yield "edges", attrs(lower=4000.0), []
        yield "nyquist", attrs(upper=4100.0), []


@op("mfccs_from_log_mel_spectrograms", lambda x, a: S.mfccs_from_log_mel_spectrograms(x[0]))
def _mfccs(v):
    yield "basic", {}, [v.n(2, 3, 8)]


def _shifted(name):
    f = getattr(S, name)

    @op(name, lambda x, a: f(x[0]) if a["axes"] is None else f(x[0], a["axes"]))
    def _cases(v):
        yield "basic", {"axes": None}, [v.n(4, 5)]
        if v.main or v.dtype == "int32":
            yield "last", {"axes": [1]}, [v.n(4, 5)]
            yield "two", {"axes": [2, 0]}, [v.n(3, 2, 5)]
            yield "odd", {"axes": None}, [v.n(7)]


_shifted("fftshift")
_shifted("ifftshift")
