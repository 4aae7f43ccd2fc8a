#!/usr/bin/env bash
# Edits the sign of one gradient rule at a time in a copy of the sources, builds, and runs the gradient table: each of the
# mutants must make it fail. One build each, so this takes a while; the quick form of the same proof is the test
# `flips::a_wrong_sign_in_any_rule_is_caught`, which needs no rebuild.
#
# Element-wise operations differentiate by `scalar/derive.rs`, so their rules are lines of that file, but for those with a
# guard of their own. (Its lines for Sqrt and Rsqrt are reached by no operation today: both have guards.)
# With arguments: only the mutants whose file or pattern contains one of them.
set -euo pipefail
cd "$(dirname "$0")/.."

# File below core/src, the text of a rule, and the same with the wrong sign.
mutants() {
    cat << 'LIST'
scalar/derive.rs|Code::Neg => one_sided(s.neg(adj))|Code::Neg => one_sided(adj)
scalar/derive.rs|one_sided(s.mul(adj, s.sign(x)))|one_sided(s.neg(s.mul(adj, s.sign(x))))
ops/sqrt.rs|s.number(dy, 0.5)|s.number(dy, -0.5)
ops/rsqrt.rs|s.number(dy, -0.5)|s.number(dy, 0.5)
scalar/derive.rs|Code::Exp => one_sided(s.mul(adj, out))|Code::Exp => one_sided(s.neg(s.mul(adj, out)))
scalar/derive.rs|Code::Expm1 => one_sided(s.mul(adj, s.exp(x)))|Code::Expm1 => one_sided(s.neg(s.mul(adj, s.exp(x))))
scalar/derive.rs|Code::Log => one_sided(s.div(adj, x))|Code::Log => one_sided(s.neg(s.div(adj, x)))
scalar/derive.rs|one_sided(s.div(adj, s.add(number(1.0), x)))|one_sided(s.neg(s.div(adj, s.add(number(1.0), x))))
scalar/derive.rs|Code::Sin => one_sided(s.mul(adj, s.cos(x)))|Code::Sin => one_sided(s.neg(s.mul(adj, s.cos(x))))
scalar/derive.rs|one_sided(s.neg(s.mul(adj, s.sin(x))))|one_sided(s.mul(adj, s.sin(x)))
scalar/derive.rs|s.sub(number(1.0), s.mul(out, out))|s.sub(s.mul(out, out), number(1.0))
scalar/derive.rs|number(std::f64::consts::FRAC_2_SQRT_PI)|number(-std::f64::consts::FRAC_2_SQRT_PI)
scalar/derive.rs|s.sub(number(1.0), out)|s.sub(out, number(1.0))
scalar/derive.rs|Code::Add => vec![(0, adj), (1, adj)]|Code::Add => vec![(0, adj), (1, s.neg(adj))]
scalar/derive.rs|Code::Sub => vec![(0, adj), (1, s.neg(adj))]|Code::Sub => vec![(0, adj), (1, adj)]
scalar/derive.rs|(0, s.mul(y, adj))|(0, s.neg(s.mul(y, adj)))
scalar/derive.rs|(0, s.div(adj, y))|(0, s.neg(s.div(adj, y)))
ops/reduce_sum.rs|g.give(0, dx);|g.give(0, crate::ops::functions::try_multiply(&dx, -1.0)?);
ops/transpose.rs|g.give(0, dx);|g.give(0, crate::ops::functions::try_multiply(&dx, -1.0)?);
ops/slice.rs|g.give(0, dx);|g.give(0, crate::ops::functions::try_multiply(&dx, -1.0)?);
ops/conv2d/mod.rs|g.give(1, dw);|g.give(1, crate::ops::functions::try_multiply(&dw, -1.0)?);
ops/matmul.rs|g.give(0, dx);|g.give(0, crate::ops::functions::try_multiply(&dx, -1.0)?);
ops/matmul.rs|g.give(1, dx);|g.give(1, crate::ops::functions::try_multiply(&dx, -1.0)?);
LIST
}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | grep -zv '^tests/golden/random.json$' | xargs -0 cp --parents -t "$copy"
# What the dependencies were built to is kept for the next time.
export CARGO_TARGET_DIR=$PWD/target/mutants
cd "$copy"
run() { cargo test --quiet -p eagerflow-tests --test grad_table -- --skip every_cpu_path > "$copy/log" 2>&1; }

echo "unchanged sources"
run || { cat "$copy/log"; echo "the table fails without any mutant"; exit 1; }
tried=0 missed=0
while IFS='|' read -r file from to; do
    wanted=$(($# == 0))
    for word in "$@"; do [[ "$file $from" == *"$word"* ]] && wanted=1; done
    if [ "$wanted" -eq 0 ]; then continue; fi
    path=core/src/$file
    cp "$path" "$copy/original"
    FROM=$from TO=$to perl -0pi -e 'BEGIN { $f = quotemeta $ENV{FROM} } s/$f/$ENV{TO}/' "$path"
    if cmp -s "$path" "$copy/original"; then
        echo "STALE   $file: no line has  $from"
        missed=$((missed + 1))
    elif ! cargo build --quiet -p eagerflow > "$copy/log" 2>&1; then
        echo "BROKEN  $file: does not build with  $to"
        missed=$((missed + 1))
    elif run; then
        echo "MISSED  $file: $from"
        missed=$((missed + 1))
    else
        echo "caught  $file: $from"
    fi
    tried=$((tried + 1))
    cp "$copy/original" "$path"
done < <(mutants)
echo "$tried mutants, $missed not caught"
[ "$missed" -eq 0 ]
