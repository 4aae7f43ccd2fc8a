#!/usr/bin/env bash
# The public names of the library as its documentation shows them: items, and methods of types. A name that goes or comes shows here.
# Run after `cargo doc --no-deps`; `.ci/run` does.
#
#   tests/public_names.sh          compares with tests/public_names.txt
#   tests/public_names.sh renew    writes that file anew
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
pages=${CARGO_TARGET_DIR:-target}/doc/eagerflow
list=tests/public_names.txt
[ -f "$pages/all.html" ] || { echo "public_names: no documentation in $pages; run \`cargo doc --workspace --no-deps\` first" >&2; exit 1; }

# Every item has a page, which the list of all items links to.
items() {
    grep -oE 'href="[^"#:]*\.html"' "$pages/all.html" | sed -E 's/^href="//; s/"$//' | grep -E '/|^[a-z]+\.' |
        grep -vE '^(index|help|settings|\.\./)' | sort -u
}

# Methods that a type has by itself; those of traits are in the trait's page.
methods() {
    local page=$1 text
    text=$(tr '\n' ' ' <"$pages/$page")
    case $page in
    *trait.*) ids='(tymethod|method)' ;;
    *)
        ids='method'
        text=${text%%id=\"trait-implementations\"*}
        text=${text%%id=\"deref-methods*}
        ;;
    esac
    grep -oE "id=\"$ids\.[A-Za-z0-9_]+\"" <<<"$text" | sed -E 's/^id="[a-z]+\.//; s/"$//' | sort -u || true
}

name() {
    sed -E 's#/?[a-z]+\.([A-Za-z0-9_]+)\.html$#/\1#; s#^/##; s#/#::#g' <<<"$1"
}

names() {
    local page
    while read -r page; do
        local kind=${page##*/}
        kind=${kind%%.*}
        echo "$kind $(name "$page")"
        case $kind in
        struct | enum | trait) methods "$page" | sed "s#^#method $(name "$page")::#" ;;
        esac
    done < <(items)
}

case ${1:-} in
renew) names | sort -u >"$list" ;;
'') diff -u "$list" <(names | sort -u) || { echo "public_names: the public names differ; if that is meant, run tests/public_names.sh renew" >&2; exit 1; } ;;
*) echo "public_names: unknown argument $1" >&2; exit 1 ;;
esac
echo "$(wc -l <"$list") public names"
