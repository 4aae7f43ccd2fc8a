#!/usr/bin/env bash
# Makes mutants of gradient rules in a copy of the sources, signs, factors, operands and conventions at kinks, and runs
# the gradient table on each: every one must make it fail. All mutants are built at once, each behind a question for its
# number, so that one build serves for all. Signs alone are tried without any build, for every rule that there is, by the
# test `flips::a_wrong_sign_in_any_rule_is_caught`.
#
# Element-wise operations differentiate by `scalar/derive.rs`, so their rules are lines of that file, but for those with a
# rule of their own. (Its lines for Sqrt and Rsqrt are reached by no operation today: both have guards.)
# With arguments: only the mutants whose file or text contains one of them.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/mutants.sh

# File below core, the text of a rule, and a text that goes wrong where `@` is true; `\|` stands for a bar in a text.
mutants() {
    cat << 'LIST'
kernels/src/scalar/derive.rs|Code::Neg => one_sided(s.neg(adj))|Code::Neg => one_sided(if @ { adj } else { s.neg(adj) })
kernels/src/scalar/derive.rs|one_sided(s.mul(adj, s.sign(x)))|one_sided(if @ { adj } else { s.mul(adj, s.sign(x)) })
kernels/src/scalar/derive.rs|Code::Exp => one_sided(s.mul(adj, out))|Code::Exp => one_sided(s.mul(adj, if @ { x } else { out }))
kernels/src/scalar/derive.rs|Code::Expm1 => one_sided(s.mul(adj, s.exp(x)))|Code::Expm1 => one_sided(s.mul(adj, if @ { out } else { s.exp(x) }))
kernels/src/scalar/derive.rs|Code::Log => one_sided(s.div(adj, x))|Code::Log => one_sided(if @ { s.mul(adj, x) } else { s.div(adj, x) })
kernels/src/scalar/derive.rs|s.div(adj, s.add(number(1.0), x))|s.div(adj, if @ { x } else { s.add(number(1.0), x) })
kernels/src/scalar/derive.rs|Code::Sin => one_sided(s.mul(adj, s.cos(x)))|Code::Sin => one_sided(s.mul(adj, if @ { out } else { s.cos(x) }))
kernels/src/scalar/derive.rs|one_sided(s.neg(s.mul(adj, s.sin(x))))|one_sided(if @ { s.mul(adj, s.sin(x)) } else { s.neg(s.mul(adj, s.sin(x))) })
kernels/src/scalar/derive.rs|s.sub(number(1.0), s.mul(out, out))|s.sub(number(1.0), if @ { out } else { s.mul(out, out) })
kernels/src/scalar/derive.rs|if code == Code::Erf { 1.0 } else { -1.0 }|if code == Code::Erf \|\| @ { 1.0 } else { -1.0 }
kernels/src/scalar/derive.rs|std::f64::consts::FRAC_2_SQRT_PI|if @ { 1.0 } else { std::f64::consts::FRAC_2_SQRT_PI }
kernels/src/scalar/derive.rs|s.mul(out, s.sub(number(1.0), out))|s.mul(out, if @ { out } else { s.sub(number(1.0), out) })
kernels/src/scalar/derive.rs|Code::Add => vec![(0, adj), (1, adj)]|Code::Add => vec![(0, adj), (1, if @ { s.neg(adj) } else { adj })]
kernels/src/scalar/derive.rs|Code::Sub => vec![(0, adj), (1, s.neg(adj))]|Code::Sub => vec![(0, adj), (1, if @ { adj } else { s.neg(adj) })]
kernels/src/scalar/derive.rs|(0, s.mul(y, adj))|(0, s.mul(if @ { x } else { y }, adj))
kernels/src/scalar/derive.rs|(1, s.mul(x, adj))|(1, s.mul(if @ { y } else { x }, adj))
kernels/src/scalar/derive.rs|(0, s.div(adj, y))|(0, s.div(adj, if @ { x } else { y }))
kernels/src/scalar/derive.rs|s.neg(s.div(s.mul(adj, out), y))|s.neg(s.div(s.mul(adj, if @ { x } else { out }), y))
kernels/src/scalar/derive.rs|s.neg(s.mul(adj, truncated))|s.neg(s.mul(adj, if @ { quotient } else { truncated }))
kernels/src/scalar/derive.rs|s.mul(adj, s.floor(s.div(x, y)))|s.mul(adj, if @ { s.div(x, y) } else { s.floor(s.div(x, y)) })
kernels/src/scalar/derive.rs|s.pow(x, s.sub(y, number(1.0)))|s.pow(x, if @ { y } else { s.sub(y, number(1.0)) })
kernels/src/scalar/derive.rs|(1, s.mul(adj, s.mul(out, log)))|(1, s.mul(adj, s.mul(if @ { x } else { out }, log)))
kernels/src/scalar/derive.rs|{ s.ge(x, y) } else { s.le(x, y) }|{ if @ { s.gt(x, y) } else { s.ge(x, y) } } else { s.le(x, y) }
kernels/src/scalar/derive.rs|s.select(left, zero, adj)|if @ { adj } else { s.select(left, zero, adj) }
kernels/src/scalar/derive.rs|(1, s.select(x, adj, zero))|(1, if @ { adj } else { s.select(x, adj, zero) })
kernels/src/scalar/derive.rs|(2, s.select(x, zero, adj))|(2, if @ { s.select(x, adj, zero) } else { s.select(x, zero, adj) })
engine/src/ops/sqrt.rs|s.number(dy, 0.5)|s.number(dy, if @ { 1.0 } else { 0.5 })
engine/src/ops/rsqrt.rs|s.mul(s.mul(y, y), y)|if @ { s.mul(y, y) } else { s.mul(s.mul(y, y), y) }
engine/src/ops/relu.rs|s.gt(y, zero)|if @ { s.ge(y, zero) } else { s.gt(y, zero) }
engine/src/ops/elu.rs|s.add(y, s.number(dy, 1.0))|if @ { y } else { s.add(y, s.number(dy, 1.0)) }
engine/src/ops/softplus.rs|s.sigmoid(x[0]))|if @ { s.tanh(x[0]) } else { s.sigmoid(x[0]) })
engine/src/ops/reduce_sum.rs|g.give(0, dx);|g.give(0, if @ { crate::ops::functions::try_multiply(&dx, -1.0)? } else { dx });
engine/src/ops/reduce_mean.rs|g.give(0, broadcast_back(&share, |g.give(0, broadcast_back(if @ { &dy } else { &share }, 
engine/src/ops/reduce_prod.rs|execute1(&Multiply, &[&before, &after])?|if @ { before } else { execute1(&Multiply, &[&before, &after])? }
engine/src/ops/reduction.rs|execute1(&Divide, &[&dy, &count])?|if @ { dy } else { execute1(&Divide, &[&dy, &count])? }
engine/src/ops/cumsum.rs|reverse: !self.0.reverse, ..self.0|reverse: self.0.reverse == @, ..self.0
engine/src/ops/cumsum.rs|let back = Self(Scan { |let back = Self(Scan { exclusive: self.0.exclusive != @, 
engine/src/ops/cumprod.rs|&[&x, &times(&x, &dy)?]|&[&x, &if @ { dy.clone() } else { times(&x, &dy)? }]
engine/src/ops/softmax.rs|&[g.output(0)?, &g.dy(0)?]|&[g.output(0)?, &if @ { g.dy(0)?.try_square()? } else { g.dy(0)? }]
engine/src/ops/softmax.rs|let first = execute1(|let first = if @ { u.clone() } else { execute1(&Multiply, &[&u, &execute1(&Subtract, &[dy, &along(y, dy)?])?])? }; let _ = execute1(
engine/src/ops/log_softmax.rs|&[&u, &sum_last(&weighted)?]|&[&u, &if @ { weighted.clone() } else { sum_last(&weighted)? }]
engine/src/ops/cross_entropy/sparse.rs|let sum = sum_last(&execute1(&Multiply, &[&u, &slope])?)?;|let sum = sum_last(&if @ { u.clone() } else { execute1(&Multiply, &[&u, &slope])? })?;
engine/src/ops/cross_entropy/dense.rs|s.mul(s.sub(x[0], x[1]), x[2])|s.mul(if @ { x[0] } else { s.sub(x[0], x[1]) }, x[2])
engine/src/ops/transpose.rs|inverse[from as usize] = to as i64;|if @ { inverse[to] = from } else { inverse[from as usize] = to as i64 }
engine/src/ops/reverse.rs|reverse_axes(&g.dy(0)?, self.axes)?|if @ { g.dy(0)? } else { reverse_axes(&g.dy(0)?, self.axes)? }
engine/src/ops/slice.rs|g.give_part(0, &back, smallvec![dy]);|g.give_part(0, &back, smallvec![if @ { dy.try_neg()? } else { dy }]);
engine/src/ops/concat.rs|at = at + size;|at = if @ { at } else { at + size };
engine/src/ops/tensor_scatter.rs|self.write == Write::Sub { dx.try_neg()? }|self.write == Write::Sub && !@ { dx.try_neg()? }
engine/src/ops/matmul.rs|let dx = sum_to(dx, g.input_type(0))?;|let dx = sum_to(if @ { dx.try_neg()? } else { dx }, g.input_type(0))?;
engine/src/ops/matmul.rs|let dx = sum_to(dx, g.input_type(1))?;|let dx = sum_to(if @ { dx.try_neg()? } else { dx }, g.input_type(1))?;
engine/src/ops/conv2d/mod.rs|g.give(0, dx);|g.give(0, if @ { dx.try_neg()? } else { dx });
engine/src/ops/conv2d/mod.rs|g.give(1, dw);|g.give(1, if @ { dw.try_neg()? } else { dw });
LIST
}

mutate mutants ""

# The comparison with differences and that with TensorFlow's numbers, and not again on other paths.
run() {
    timeout "$1" cargo test --quiet -p eagerflow-tests --test grad_table -- \
        first_and_second_order_match_differences gradients_are_tensorflows > "$copy/log" 2>&1
}
try_mutants 7200 600 "$@"
