"""The sums of products of `make_ops.py` whose axes are named in an equation."""
import tensorflow as tf

from ops_elementwise import op


@op("einsum", lambda x, a: tf.einsum(a["equation"], *x))
def _einsum(v):
    yield "basic", {"equation": "ij,jk->ik"}, [v.n(2, 3), v.n(3, 2)]
    if v.main:
        yield "implied", {"equation": "ba"}, [v.n(2, 3)]
        yield "trace", {"equation": "ii"}, [v.n(3, 3)]
        yield "diagonal", {"equation": "iij->ij"}, [v.n(2, 2, 3)]
        yield "outer", {"equation": "i,j->ji"}, [v.n(2), v.n(3)]
        yield "batch", {"equation": "bij,bkj->bik"}, [v.n(2, 2, 3), v.n(2, 4, 3)]
        yield "several", {"equation": "abcd,bed->ace"}, [v.n(2, 2, 2, 3), v.n(2, 3, 3)]
        yield "ellipsis", {"equation": "...ij,...jk->...ik"}, [v.n(2, 2, 3), v.n(1, 3, 2)]
        yield "ellipsis_last", {"equation": "...a,...b->ab..."}, [v.n(3, 2), v.n(3, 2)]
        yield "three", {"equation": "ij,jk,kl->il"}, [v.n(2, 3), v.n(3, 4), v.n(4, 2)]
        yield "scalars", {"equation": "i,->i"}, [v.n(2), v.n()]
        yield "total", {"equation": "ij->"}, [v.n(2, 3)]
        yield "empty", {"equation": "ij,jk->ik"}, [v.n(2, 0), v.n(0, 3)]
        yield "sizes", {"equation": "ij,jk->ik"}, [v.n(2, 3), v.n(2, 2)]
        yield "unknown", {"equation": "ij->ik"}, [v.n(2, 3)]
        yield "twice", {"equation": "i->ii"}, [v.n(3)]
        yield "rank", {"equation": "ij->ij"}, [v.n(3)]
        yield "no_ellipsis", {"equation": "...ij->ij"}, [v.n(2, 2, 3)]
