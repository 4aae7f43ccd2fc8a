# What the scripts of mutants share: a copy of the sources in which each mutant waits behind a question for its number.
# `mutate.sh` and `mutate_graph.sh` bring their lists, and how to run the tests.

# Copies the sources to $copy and puts in what `mutants` lists, in files below the folders of crates. The first argument is the
# folder below `target` that keeps what was built, the second the flags of the substitution: `g` for all places of a text.
mutate() {
    copy=$(mktemp -d)
    trap 'rm -rf "$copy"' EXIT
    git ls-files -z | grep -zv '^tests/golden/random.json$' | xargs -0 cp --parents -t "$copy"
    # What was built is kept for the next time.
    export CARGO_TARGET_DIR=$PWD/target/$1
    cd "$copy"
    # The lowest crate asks, the others ask it.
    echo '#[doc(hidden)] pub mod mutants;' >> core/kernels/src/lib.rs
    cat > core/kernels/src/mutants.rs << 'RUST'
//! Mutants of the tests.

/// Whether a mutant was asked for.
pub fn mutant(number: u32) -> bool {
    static ASKED: std::sync::LazyLock<Option<u32>> =
        std::sync::LazyLock::new(|| std::env::var("EAGERFLOW_MUTANT").ok()?.parse().ok());
    *ASKED == Some(number)
}
RUST
    stale=0 files=() texts=()
    local line file from to number asked
    while IFS= read -r line; do
        line=${line//\\|/$'\1'}
        IFS='|' read -r file from to <<< "$line"
        number=${#files[@]}
        asked=kernels
        if [[ $file == kernels/* ]]; then asked=crate; fi
        from=${from//$'\1'/|} to=${to//$'\1'/|} to=${to//@/$asked::mutants::mutant($number)}
        cp "core/$file" "$copy/original"
        FROM=$from TO=$to perl -0pi -e 'BEGIN { $f = quotemeta $ENV{FROM} } s/$f/$ENV{TO}/'"$2" "core/$file"
        if cmp -s "core/$file" "$copy/original"; then
            echo "STALE   $file: no line has  $from"
            stale=$((stale + 1))
        fi
        files+=("$file") texts+=("$from")
    done < <(mutants)
}

# Runs the tests on the mutants whose file or text contains one of the arguments, or on all; `run SECONDS` must fail on each.
try_mutants() {
    echo "no mutant"
    run "$1" || { cat "$copy/log"; echo "the tests fail without any mutant"; exit 1; }
    local each=$2 tried=0 missed=$stale number wanted word
    shift 2
    for number in "${!files[@]}"; do
        wanted=$(($# == 0))
        for word in "$@"; do [[ "${files[$number]} ${texts[$number]}" == *"$word"* ]] && wanted=1; done
        if [ "$wanted" -eq 0 ]; then continue; fi
        if EAGERFLOW_MUTANT=$number run "$each"; then
            echo "MISSED  ${files[$number]}: ${texts[$number]}"
            missed=$((missed + 1))
        else
            echo "caught  ${files[$number]}: ${texts[$number]}"
        fi
        tried=$((tried + 1))
    done
    echo "$tried mutants, $missed not caught"
    [ "$missed" -eq 0 ]
}
