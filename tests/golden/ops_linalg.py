"""The ops of `make_ops.py` on matrices as a whole: factorizations, solvers, eigenvalues, functions and norms of matrices.

Signs (of complex numbers: phases) of singular vectors and eigenvectors are arbitrary, so their absolute values are compared, and the
products in which they cancel; so are those of Q and R. Eigenvalues of matrices that are not Hermitian have no order: they are compared by
the sums of their powers.
"""
import numpy as np
import tensorflow as tf

from golden import i32
from ops_elementwise import op

L = tf.linalg


def near_identity(v, *batch, n=3, far=4.0):
    """Matrices that are far from singular."""
    return (v.n(*batch, n, n, lo=-1.0, hi=1.0) + far * np.eye(n)).astype(v.kind)


def definite(v, *batch, n=3):
    """Hermitian, positive definite matrices."""
    x = near_identity(v, *batch, n=n)
    x = x.astype(np.complex128 if v.is_complex else np.float64)
    return ((x + np.conj(np.swapaxes(x, -1, -2))) / 2).astype(v.kind)


def singular(v):
    return v.v([[1, 2], [2, 4]])


def square_cases(v, make=near_identity, refused=True, **attrs):
    yield "basic", attrs, [make(v, 2)]
    if v.main:
        yield "one", attrs, [make(v, n=1)]
        yield "larger", attrs, [make(v, n=18)]
        yield "empty", attrs, [v.n(2, 0, 0)]
        if refused:
            yield "singular", attrs, [singular(v)]
        yield "wide", attrs, [v.n(2, 3)]
        yield "vector", attrs, [v.n(3)]


@op("cholesky", lambda x, a: L.cholesky(x[0]))
def _cholesky(v):
    yield from square_cases(v, definite, refused=False)
    if v.main:
        # Above the diagonal TensorFlow leaves what lay in its memory there.
        yield "lower", {}, [v.v([[4, 99], [2, 5]])]


@op("cholesky_solve", lambda x, a: L.cholesky_solve(x[0], x[1]))
def _cholesky_solve(v):
    yield "basic", {}, [near_identity(v, 2), v.n(2, 3, 2)]
    if v.main:
        yield "broadcast", {}, [near_identity(v), v.n(2, 3, 2)]


@op("triangular_solve", lambda x, a: L.triangular_solve(x[0], x[1], a["lower"], a["adjoint"]))
def _triangular_solve(v):
    yield "basic", {"lower": True, "adjoint": False}, [near_identity(v, 2), v.n(2, 3, 2)]
    yield "second", {"lower": False, "adjoint": True}, [near_identity(v, 2), v.n(2, 3, 2)]
    if v.main:
        yield "upper", {"lower": False, "adjoint": False}, [near_identity(v, 2), v.n(3, 2)]
        yield "turned", {"lower": True, "adjoint": True}, [near_identity(v), v.n(2, 3, 2)]
        yield "zero", {"lower": True, "adjoint": False}, [v.v([[1, 0], [2, 0]]), v.v([[1], [1]])]
        yield "mismatch", {"lower": True, "adjoint": False}, [near_identity(v), v.n(2, 2)]


@op("solve", lambda x, a: L.solve(x[0], x[1], a["adjoint"]))
def _solve(v):
    yield "basic", {"adjoint": False}, [near_identity(v, 2), v.n(2, 3, 2)]
    yield "second", {"adjoint": True}, [near_identity(v, 2), v.n(2, 3, 2)]
    if v.main:
        yield "larger", {"adjoint": True}, [near_identity(v, n=18), v.n(18, 2)]
        yield "empty", {"adjoint": False}, [v.n(0, 0), v.n(0, 2)]
        yield "singular", {"adjoint": False}, [singular(v), v.v([[1], [1]])]
        yield "ranks", {"adjoint": False}, [near_identity(v, 2), v.n(3, 2)]
        yield "nan", {"adjoint": False}, [v.v([[1, np.nan], [2, 4]]), v.v([[1], [1]])]


@op("inv", lambda x, a: L.inv(x[0], a["adjoint"]))
def _inv(v):
    yield from square_cases(v, adjoint=False)
    yield "second", {"adjoint": True}, [near_identity(v)]


@op("det", lambda x, a: L.det(x[0]))
def _det(v):
    yield from square_cases(v)


@op("slogdet", lambda x, a: L.slogdet(x[0]))
def _slogdet(v):
    yield from square_cases(v)
    if v.main:
        yield "negative", {}, [v.v([[1, 2], [2, 1]])]


@op("logdet", lambda x, a: L.logdet(x[0]))
def _logdet(v):
    yield from square_cases(v, definite, refused=False)
    if v.main:
        yield "not_definite", {}, [v.v([[1, 2], [2, 1]])]


@op("lu", lambda x, a: L.lu(x[0], getattr(tf, a["index"])))
def _lu(v):
    yield "basic", {"index": "int32"}, [v.n(2, 3, 3)]
    if v.main:
        yield "wide_index", {"index": "int64"}, [v.n(3, 3)]
        yield "larger", {"index": "int32"}, [v.n(18, 18)]
        yield "empty", {"index": "int32"}, [v.n(2, 0, 0)]
        yield "singular", {"index": "int32"}, [singular(v)]
        yield "zeros", {"index": "int32"}, [v.v([[0, 0], [0, 0]])]
        yield "wide", {"index": "int32"}, [v.n(2, 3)]


@op("lu_solve", lambda x, a: L.lu_solve(x[0], x[1], x[2]))
def _lu_solve(v):
    yield "basic", {}, [near_identity(v), i32(2, 0, 1), v.n(3, 2)]


@op("lu_reconstruct", lambda x, a: L.lu_reconstruct(x[0], x[1]))
def _lu_reconstruct(v):
    yield "basic", {}, [near_identity(v), i32(2, 0, 1)]


@op("lu_matrix_inverse", lambda x, a: L.lu_matrix_inverse(x[0], x[1]))
def _lu_matrix_inverse(v):
    yield "basic", {}, [near_identity(v), i32(2, 0, 1)]


def _qr_parts(x, full):
    q, r = L.qr(x, full_matrices=full)
    size = min(x.shape[-2:])
    return [tf.abs(q[..., :size]), tf.abs(r), q @ r]


@op("qr", lambda x, a: _qr_parts(x[0], a["full_matrices"]))
def _qr(v):
    yield "basic", {"full_matrices": False}, [v.n(2, 4, 3)]
    if v.main:
        yield "wide", {"full_matrices": False}, [v.n(3, 4)]
        yield "full", {"full_matrices": True}, [v.n(4, 2)]
        yield "wide_full", {"full_matrices": True}, [v.n(2, 4)]
        yield "larger", {"full_matrices": False}, [v.n(20, 18)]
        yield "no_rows", {"full_matrices": True}, [v.n(0, 2)]
        yield "no_columns", {"full_matrices": True}, [v.n(2, 0)]
        yield "vector", {"full_matrices": True}, [v.n(2)]


@op("qr_signs", lambda x, a: L.qr(x[0]))
def _qr_signs(v):
    yield "basic", {}, [v.n(4, 3)]
    if v.main:
        yield "reflected_already", {}, [v.v([[-1, 2], [0, 4], [0, 6]])]
        yield "zeros", {}, [v.v([[0, 0], [0, 0]])]
        yield "square", {}, [v.v([[1, 2], [3, 4]])]


def _svd_parts(x, full):
    s, u, v = L.svd(x, full_matrices=full)
    size = s.shape[-1]
    u, v = u[..., :size], v[..., :size]
    return [s, tf.abs(u), tf.abs(v), L.matmul(u * tf.cast(s, u.dtype)[..., None, :], v, adjoint_b=True)]


@op("svd", lambda x, a: _svd_parts(x[0], a["full_matrices"]))
def _svd(v):
    yield "basic", {"full_matrices": False}, [v.n(2, 4, 3)]
    if v.main:
        yield "wide", {"full_matrices": False}, [v.n(3, 4)]
        yield "full", {"full_matrices": True}, [v.n(4, 2)]
        yield "larger", {"full_matrices": False}, [v.n(20, 18)]
        yield "nan", {"full_matrices": False}, [v.v([[1, np.nan], [2, 4]])]
        yield "infinite", {"full_matrices": False}, [v.v([[np.inf, 0], [0, 1]])]
        yield "no_rows", {"full_matrices": True}, [v.n(0, 2)]
        yield "vector", {"full_matrices": True}, [v.n(2)]


@op("svdvals", lambda x, a: L.svd(x[0], compute_uv=False))
def _svdvals(v):
    yield "basic", {}, [v.n(2, 4, 3)]


def _eigh_parts(x):
    e, v = L.eigh(x)
    return [e, tf.abs(v), L.matmul(v * e[..., None, :], v, adjoint_b=True)]


@op("eigh", lambda x, a: _eigh_parts(x[0]))
def _eigh(v):
    yield from square_cases(v, definite, refused=False)
    if v.main:
        yield "lower", {}, [v.v([[1, 99], [2, 1]])]


@op("eigvalsh", lambda x, a: L.eigvalsh(x[0]))
def _eigvalsh(v):
    yield "basic", {}, [definite(v, 2)]


def _checked(x):
    """What `tf.linalg.eig` says of other dtypes is an error of its own code."""
    if x.dtype not in (tf.float32, tf.float64, tf.complex64, tf.complex128):
        raise TypeError(x.dtype)
    return x


def _powers(e):
    return [tf.reduce_sum(e, -1), tf.reduce_sum(e * e, -1), tf.reduce_sum(e * e * e, -1)]


def _eig_parts(x):
    e, v = L.eig(_checked(x))
    z = tf.cast(x, e.dtype)
    return _powers(e) + [tf.abs(tf.reduce_sum(v * tf.math.conj(v), -2)), z @ v @ L.inv(v)]


@op("eig", lambda x, a: _eig_parts(x[0]))
def _eig(v):
    yield "basic", {}, [v.n(2, 3, 3)]
    if v.main:
        yield "turning", {}, [v.v([[0, 1, 0], [0, 0, 1], [1, 0, 0]])]
        yield "larger", {}, [v.n(8, 8)]
        yield "nan", {}, [v.v([[1, np.nan], [2, 4]])]
        yield "wide", {}, [v.n(2, 3)]


@op("eigvals", lambda x, a: _powers(L.eigvals(_checked(x[0]))))
def _eigvals(v):
    yield "basic", {}, [v.n(2, 3, 3)]


@op("eigvals_order", lambda x, a: L.eigvals(_checked(x[0])))
def _eigvals_order(v):
    yield "basic", {}, [v.v([[1, 2], [-3, 4]])]


@op("lstsq", lambda x, a: L.lstsq(x[0], x[1], a["l2_regularizer"], a["fast"]))
def _lstsq(v):
    yield "basic", {"l2_regularizer": 0.0, "fast": True}, [v.n(2, 4, 2), v.n(2, 4, 2)]
    if v.main:
        yield "regular", {"l2_regularizer": 0.5, "fast": True}, [v.n(4, 2), v.n(4, 2)]
        yield "wide", {"l2_regularizer": 0.0, "fast": True}, [v.n(2, 4), v.n(2, 2)]
        yield "wide_regular", {"l2_regularizer": 0.5, "fast": True}, [v.n(2, 4), v.n(2, 2)]
        yield "slow", {"l2_regularizer": 0.0, "fast": False}, [v.n(4, 2), v.n(4, 2)]
        yield "slow_wide", {"l2_regularizer": 0.5, "fast": False}, [v.n(2, 4), v.n(2, 2)]
        yield "slow_singular", {"l2_regularizer": 0.0, "fast": False}, [singular(v), v.v([[1], [1]])]
        yield "no_rows", {"l2_regularizer": 0.0, "fast": True}, [v.n(0, 2), v.n(0, 1)]
        yield "mismatch", {"l2_regularizer": 0.0, "fast": True}, [v.n(4, 2), v.n(3, 2)]


@op("pinv", lambda x, a: L.pinv(x[0], a["rcond"]))
def _pinv(v):
    yield "basic", {"rcond": None}, [v.n(2, 4, 3)]
    if v.main:
        yield "wide", {"rcond": None}, [v.n(2, 3)]
        yield "singular", {"rcond": None}, [singular(v)]
        yield "cut", {"rcond": 0.1}, [v.v([[1, 0], [0, 0.0625]])]


@op("matrix_rank", lambda x, a: L.matrix_rank(x[0], a["tol"]))
def _matrix_rank(v):
    yield "basic", {"tol": None}, [v.n(2, 4, 3)]
    if v.main:
        yield "singular", {"tol": None}, [singular(v)]
        yield "cut", {"tol": 2.0}, [v.v([[1, 0], [0, 4]])]


@op("expm", lambda x, a: L.expm(x[0]))
def _expm(v):
    yield "basic", {}, [v.n(2, 3, 3, lo=-1.0, hi=1.0)]
    if v.main:
        yield "small", {}, [v.n(3, 3, lo=-0.1, hi=0.1)]
        yield "large", {}, [v.n(3, 3, lo=-4.0, hi=4.0)]
        yield "empty", {}, [v.n(0, 0)]
        yield "wide", {}, [v.n(2, 3)]


@op("sqrtm", lambda x, a: L.sqrtm(x[0]))
def _sqrtm(v):
    yield "basic", {}, [near_identity(v, 2)]
    if v.main:
        yield "not_real", {}, [v.v([[1, 2], [2, 1]])]
        yield "larger", {}, [near_identity(v, n=8)]
        yield "wide", {}, [v.n(2, 3)]


@op("logm", lambda x, a: L.logm(x[0]))
def _logm(v):
    yield "basic", {}, [near_identity(v, 2)]


@op("eigh_tridiagonal", lambda x, a: L.eigh_tridiagonal(x[0], x[1], select=a["select"], select_range=a["range"]))
def _eigh_tridiagonal(v):
    yield "basic", {"select": "a", "range": None}, [np.asarray(v.n(4)).real.astype(v.kind), v.n(3)]
    if v.main:
        yield "numbers", {"select": "i", "range": [1, 2]}, [v.n(4), v.n(3)]
        yield "within", {"select": "v", "range": [1.5, 3.5]}, [v.v([1, 2, 3]), v.v([0, 0])]


@op("tridiagonal_solve", lambda x, a: L.tridiagonal_solve(x[0], x[1], a["format"], partial_pivoting=a["pivoting"]))
def _tridiagonal_solve(v):
    yield "basic", {"format": "compact", "pivoting": True}, [v.n(2, 3, 4), v.n(2, 4, 2)]
    if v.main:
        yield "plain", {"format": "compact", "pivoting": False}, [v.n(2, 3, 4), v.n(2, 4, 2)]
        yield "matrix", {"format": "matrix", "pivoting": True}, [near_identity(v), v.n(3)]
        yield "exchanged", {"format": "compact", "pivoting": True}, [v.v([[1, 1, 0], [0, 3, 4], [0, 1, 1]]), v.v([1, 2, 3])]
        yield "singular", {"format": "compact", "pivoting": True}, [v.v([[0, 0], [0, 0], [0, 0]]), v.v([1, 2])]


@op("tridiagonal_sequence", lambda x, a: L.tridiagonal_solve(x[:3], x[3], "sequence"))
def _tridiagonal_sequence(v):
    yield "basic", {}, [v.n(2, 3), v.n(2, 4), v.n(2, 3), v.n(2, 4, 2)]
    if v.main:
        yield "padded", {}, [v.n(4), v.n(4), v.n(4), v.n(4)]


@op("tridiagonal_matmul", lambda x, a: L.tridiagonal_matmul(x[0], x[1], a["format"]))
def _tridiagonal_matmul(v):
    yield "basic", {"format": "compact"}, [v.n(2, 3, 4), v.n(2, 4, 2)]
    if v.main:
        yield "matrix", {"format": "matrix"}, [v.n(3, 3), v.n(3, 2)]


@op("banded_triangular_solve", lambda x, a: L.banded_triangular_solve(x[0], x[1], lower=a["lower"], adjoint=a["adjoint"]))
def _banded_triangular_solve(v):
    yield "basic", {"lower": True, "adjoint": False}, [v.pos(2, 2, 3, lo=1.0), v.n(2, 3, 2)]
    if v.main:
        yield "upper", {"lower": False, "adjoint": False}, [v.pos(2, 3, lo=1.0), v.n(2, 3, 2)]
        yield "turned", {"lower": True, "adjoint": True}, [v.pos(2, 3, lo=1.0), v.n(3, 2)]
        yield "upper_turned", {"lower": False, "adjoint": True}, [v.pos(2, 3, lo=1.0), v.n(3, 2)]
        yield "zero", {"lower": True, "adjoint": False}, [v.v([[0, 0], [0, 0]]), v.v([[1], [1]])]


def _ord(a):
    return np.inf if a["ord"] == "inf" else a["ord"]


@op("norm", lambda x, a: tf.norm(x[0], _ord(a), a["axis"], keepdims=a["keepdims"]))
def _norm(v):
    yield "basic", {"ord": "euclidean", "axis": None, "keepdims": False}, [v.n(2, 3)]
    if v.main:
        for order in [1, 2, 3, 0.5, "inf"]:
            yield f"vector_{order}", {"ord": order, "axis": None, "keepdims": False}, [v.n(2, 3)]
            yield f"along_{order}", {"ord": order, "axis": 1, "keepdims": True}, [v.n(2, 3)]
        for order in ["fro", 1, 2, "inf", 3]:
            yield f"matrix_{order}", {"ord": order, "axis": [0, 2], "keepdims": False}, [v.n(2, 3, 2)]
            yield f"turned_{order}", {"ord": order, "axis": [2, 0], "keepdims": True}, [v.n(2, 3, 2)]
        yield "negative", {"ord": -1, "axis": None, "keepdims": False}, [v.n(2, 3)]


@op("normalize", lambda x, a: L.normalize(x[0], _ord(a), a["axis"]))
def _normalize(v):
    yield "basic", {"ord": "euclidean", "axis": 1}, [v.n(2, 3)]
    if v.main:
        yield "ones", {"ord": 1, "axis": None}, [v.n(2, 3)]
        yield "zeros", {"ord": "euclidean", "axis": 1}, [v.v([[3, 4], [0, 0]])]


@op("cross", lambda x, a: L.cross(x[0], x[1]))
def _cross(v):
    yield "basic", {}, [v.n(2, 3), v.n(2, 3)]
    if v.main:
        yield "mismatch", {}, [v.n(2, 3), v.n(3)]


@op("matrix_transpose", lambda x, a: L.matrix_transpose(x[0]))
def _matrix_transpose(v):
    yield "basic", {}, [v.n(2, 3, 4)]
    if v.main:
        yield "vector", {}, [v.n(3)]
