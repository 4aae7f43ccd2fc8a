#!/usr/bin/env bash
# Makes one edit at a time in how traced functions are recorded, merged, differentiated and optimised, in a copy of the
# sources, and runs the tests of traced functions: each of the mutants must make them fail. One build each, so this takes
# a while. A mutant that runs for ever counts as caught.
#
# With arguments: only the mutants whose file or pattern contains one of them.
set -euo pipefail
cd "$(dirname "$0")/.."

# File, the text of a rule, and the same gone wrong.
mutants() {
    cat << 'LIST'
core/src/autograph/while_stmt.rs|builder.rollback(nodes);|let _ = nodes;
core/src/autograph/if_stmt.rs|staged.before.restore(state);|let _ = &state;
core/src/autograph/if_stmt.rs|regions::enter_again(on, kind);|regions::enter_again(on, Kind::Body); drop(kind);
core/src/autograph/if_stmt.rs|other_is_then: left_is_then,|other_is_then: !left_is_then,
core/src/autograph/merge.rs|results[at].push(match pair[at] {|results[at].push(match pair[at].filter(\|_\| i != 1) {
core/src/autograph/merge.rs|placeholder(&sides[at].builder, &ty)?|placeholder(&sides[1 - at].builder, &ty)?
core/src/autograph/merge.rs|(true, false) if b.is_none() => Some(Flag::Condition(true)),|(true, false) if b.is_none() => Some(Flag::Condition(false)),
core/src/autograph/merge.rs|select(&flag, &leave.values, &fell)|select(&flag, &fell, &leave.values)
core/src/autograph/regions.rs|other, other_is_then: true, location|other, other_is_then: false, location
core/src/autograph/staged_loop.rs|results.push(jump.round.0.clone());|results.push(jump.first.0.clone());
core/src/autograph/staged_loop.rs|first.push(jump.first.0.clone());|first.push(crate::constant::try_constant_of(false, DType::Bool)?);
core/src/autograph/staged_loop.rs|self.choose(&self.outer, &self.pending, &mut first)?;|
core/src/autograph/staged_loop.rs|self.choose(body, &leaving, &mut state)?;|
core/src/graph/builder.rs|Some(at) => given[at],|Some(at) => given[given.len() - 1 - at],
core/src/graph/control/cond.rs|then: body(&self.then)?, otherwise: body(&self.otherwise)?|then: body(&self.otherwise)?, otherwise: body(&self.then)?
core/src/graph/control/list.rs|Self::Full(items) => items.pop().ok_or_else|Self::Full(items) => (!items.is_empty()).then(\|\| items.remove(0)).ok_or_else
core/src/graph/control/while_gradient.rs|Some(at) => add(&sum, &given[at])?,|Some(at) => given[at].clone(),
core/src/graph/control/while_loop.rs|grown.into_iter().for_each(\|i\| active[i] = true);|break;
core/src/graph/differentiate.rs|targets.extend(kept.iter().filter(\|t\| tape::carries(t)));|let _ = &kept;
core/src/graph/passes/pure.rs|Kind::Effect \| Kind::Control => true,|Kind::Effect \| Kind::Control => false,
core/src/graph/passes/pure.rs|Kind::Read => true,|Kind::Read => false,
core/src/graph/run.rs|let last = uses[value.index()] == position|let last = uses[value.index()] >= position
macros/src/tf_function/lower.rs|lost.extend(written_then.iter()|drop(written_then.iter()
LIST
}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | grep -zv '^tests/golden/random.json$' | xargs -0 cp --parents -t "$copy"
# What the dependencies were built to is kept for the next time. Building takes longer than running here.
export CARGO_TARGET_DIR=$PWD/target/mutants-graph CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0
export EAGERFLOW_PROGRAMS=${EAGERFLOW_PROGRAMS:-300} EAGERFLOW_FAILURES=1 EAGERFLOW_SHRINK=0 EAGERFLOW_SOURCES=20
cd "$copy"
run() {
    timeout 300 cargo test --quiet -p eagerflow-tests --test random_programs --test random_sources --test traced \
        > "$copy/log" 2>&1
}

echo "unchanged sources"
run || { cat "$copy/log"; echo "the tests fail without any mutant"; exit 1; }
tried=0 missed=0
while IFS= read -r line; do
    line=${line//\\|/$'\1'}
    IFS='|' read -r file from to <<< "$line"
    from=${from//$'\1'/|} to=${to//$'\1'/|}
    wanted=$(($# == 0))
    for word in "$@"; do [[ "$file $from" == *"$word"* ]] && wanted=1; done
    if [ "$wanted" -eq 0 ]; then continue; fi
    cp "$file" "$copy/original"
    FROM=$from TO=$to perl -0pi -e 'BEGIN { $f = quotemeta $ENV{FROM} } s/$f/$ENV{TO}/' "$file"
    if cmp -s "$file" "$copy/original"; then
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
    cp "$copy/original" "$file"
done < <(mutants)
echo "$tried mutants, $missed not caught"
[ "$missed" -eq 0 ]
