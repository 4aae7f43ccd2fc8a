#!/usr/bin/env bash
# Makes mutants of how traced functions are recorded, merged, differentiated, optimised and planned, in a copy of the sources,
# and runs the tests of traced functions and of what their rounds cost on each: every one must make them fail. All mutants
# are built at once, each behind a question for its number, so that one build serves for all. A mutant that runs for ever, or
# out of memory, counts as caught.
#
# With arguments: only the mutants whose file or text contains one of them.
set -euo pipefail
cd "$(dirname "$0")/.."
source tests/mutants.sh

# File below core, the text of a rule, and a text that goes wrong where `@` is true; `\|` stands for a bar in a text.
mutants() {
    cat << 'LIST'
engine/src/autograph/while_stmt.rs|builder.rollback(nodes);|if !@ { builder.rollback(nodes); }
engine/src/autograph/if_stmt.rs|staged.before.restore(state);|if !@ { staged.before.restore(state); }
engine/src/autograph/if_stmt/staged.rs|other_is_then: left_is_then,|other_is_then: left_is_then != @,
engine/src/autograph/while_stmt/meet.rs|Err(error) if reached => return Err(error),|Err(error) if reached && !@ => return Err(error),
engine/src/autograph/while_stmt/meet.rs|Err(_) => first.state.restore_host(place),|Err(_) => if !@ { first.state.restore_host(place) },
engine/src/autograph/while_stmt/meet.rs|first.state.meets(places, &whose)?;|if !@ { first.state.meets(places, &whose)?; }
engine/src/autograph/opaque_state.rs|matches!(place.kind(), Kind::Opaque \| Kind::Cloned)|!@ && matches!(place.kind(), Kind::Opaque \| Kind::Cloned)
engine/src/autograph/state.rs|if self.leads != place.leads() {|if self.leads != place.leads() && !@ {
engine/src/autograph/dispatch/save.rs|if staged && leads(place) != before =>|if staged && leads(place) != before && !@ =>
engine/src/autograph/merge.rs|results[at].push(match pair[at] {|results[at].push(match pair[at].filter(\|_\| i != 1 \|\| !@) {
engine/src/autograph/merge.rs|placeholder(&sides[at].builder, &ty)?|placeholder(&sides[if @ { 1 - at } else { at }].builder, &ty)?
engine/src/autograph/merge.rs|=> Some(Flag::Condition(true)),|=> Some(Flag::Condition(!@)),
engine/src/autograph/regions.rs|other, other_is_then: true, location|other, other_is_then: !@, location
engine/src/autograph/function_body.rs|regions::settle_watched(region, Some(self.target), tensors)?|regions::settle_watched(region, (!@).then_some(self.target), tensors)?
engine/src/structure/referents.rs|for (part, copy) in parts.iter().zip(copies) {|for (part, copy) in parts.iter().zip(copies).skip(usize::from(@)) {
engine/src/autograph/staged_loop.rs|regions::settle(self.region, Some(self.continues), values)?|regions::settle(self.region, (!@).then_some(self.continues), values)?
engine/src/autograph/staged_loop.rs|if growing.found() > self.found {|if growing.found() > self.found && !@ {
engine/src/structure/state_vtable/of.rs|value.replaces(&*at.cast::<T>());|if !@ { value.replaces(&*at.cast::<T>()); }
engine/src/autograph/staged_loop/emit.rs|results.push(jump.round.0.clone());|results.push(if @ { jump.first.0.clone() } else { jump.round.0.clone() });
engine/src/autograph/staged_loop/emit.rs|first.push(jump.first.0.clone());|first.push(if @ { crate::constant::try_constant_of(false, DType::Bool)? } else { jump.first.0.clone() });
engine/src/autograph/staged_loop/emit.rs|self.choose(&self.outer, &self.pending, &mut first)?;|if !@ { self.choose(&self.outer, &self.pending, &mut first)?; }
engine/src/autograph/staged_loop/emit.rs|self.choose(body, &leaving, &mut state)?;|if !@ { self.choose(body, &leaving, &mut state)?; }
engine/src/builder/align.rs|body.graph.params.push(value);|{ let at = if @ { own } else { body.graph.params.len() }; body.graph.params.insert(at, value); }
engine/src/graph/control/cond.rs|then: body(&self.then)?,|then: body(if @ { &self.otherwise } else { &self.then })?,
engine/src/lists.rs|items.pop().ok_or_else|(if @ && !items.is_empty() { Some(items.remove(0)) } else { items.pop() }).ok_or_else
engine/src/graph/control/while_gradient.rs|Some(at) => add(&sum, &given[at])?,|Some(at) => if @ { given[at].clone() } else { add(&sum, &given[at])? },
engine/src/graph/control/while_loop.rs|grown.into_iter().for_each(\|i\| active[i] = true);|if @ { break } grown.into_iter().for_each(\|i\| active[i] = true);
engine/src/graph/differentiate.rs|filter(\|t\| tape::carries(t))|filter(\|t\| tape::carries(t) && !@)
engine/src/graph/passes/dead.rs|self.shown.by(node).into_iter().for_each(\|v\| self.mark(v));|if !@ { self.shown.by(node).into_iter().for_each(\|v\| self.mark(v)); }
engine/src/graph/passes/outline.rs|self.0.extend(ty.shape.iter().filter_map(as_symbol));|if @ { ty.shape.iter().for_each(\|size\| self.0.extend(size.symbols())); } else { self.0.extend(ty.shape.iter().filter_map(as_symbol)); }
engine/src/lists/items.rs|execute(&Set { present: false, grows: false }, &[&dlist, &at])?|(if @ { smallvec![dlist.clone()] } else { execute(&Set { present: false, grows: false }, &[&dlist, &at])? })
engine/src/graph/passes/pure.rs|Kind::Effect \| Kind::Control => true,|Kind::Effect \| Kind::Control => !@,
engine/src/graph/passes/pure.rs|Kind::Read => true,|Kind::Read => !@,
engine/src/graph/views.rs|if a == b { a } else { None }|if a == b \|\| @ { a } else { None }
engine/src/graph/views.rs|param.filter(\|&p\| p == i)|param.filter(\|&p\| p == i \|\| @)
engine/src/graph/views.rs|input.filter(\|&i\| given.insert(i))|input.filter(\|&i\| given.insert(i) \|\| @)
engine/src/graph/views.rs|Some((view, (shown(0)?.0, false)))|Some((view, (shown(0)?.0, @)))
engine/src/graph/views.rs|for (view, shown) in self.of.remove(&old).unwrap_or_default() {|for (view, shown) in self.of.remove(&old).unwrap_or_default().into_iter().filter(\|_\| !@) {
engine/src/graph/plan/overwrite.rs|copies.push((view, apart));|if !@ { copies.push((view, apart)); }
engine/src/graph/plan/overwrite.rs|inputs[k] = apart;|if !@ { inputs[k] = apart; }
engine/src/graph/plan/overwrite.rs|(lies.owned && scope.last_use(v) == at)|(lies.owned && (scope.last_use(v) == at \|\| @))
engine/src/graph/plan/nodes.rs|place.base == inputs[i].base).count() == 1;|place.base == inputs[i].base).count() == 1 \|\| @;
engine/src/graph/plan/control.rs|scope.ty(v) && only[index]|scope.ty(v) && (only[index] \|\| @)
engine/src/graph/passes/sums.rs|if self.uses[value.index()] != 1 {|if self.uses[value.index()] != 1 && !@ {
engine/src/graph/passes/sums.rs|if uses[value.index()] != 1 {|if uses[value.index()] != 1 && !@ {
engine/src/graph/passes/sums.rs|.is_none_or(\|made\| made < start.node)|.is_none_or(\|made\| made < start.node \|\| @)
engine/src/graph/passes/sums.rs|if a == b { a } else { None }|if a == b \|\| @ { a } else { None }
engine/src/graph/passes/loop_invariants.rs|param(0, i) == param(1, i)|param(0, i) == param(1, i) \|\| @
engine/src/graph/run.rs|let last = uses[value.index()] == position|let last = (uses[value.index()] == position \|\| @)
LIST
}

mutate mutants-graph "g"

export EAGERFLOW_PROGRAMS=${EAGERFLOW_PROGRAMS:-2000} EAGERFLOW_FAILURES=1 EAGERFLOW_SHRINK=0
run() {
    # A loop that no longer ends may also grow. The emulated GPU, whose memory is address space, is left out.
    (ulimit -v 8000000 && timeout "$1" cargo test --quiet -p eagerflow-tests --test random_programs --test traced --test growth -- --skip on_a_gpu) > "$copy/log" 2>&1
}
try_mutants 3600 300 "$@"
