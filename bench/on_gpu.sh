#!/usr/bin/env bash
# Everything that wants a GPU, in order, a time limit for each part; figures and logs go to a folder.
#
# Usage: bench/on_gpu.sh FOLDER [PART ...]
# Parts: tests loops gpu big built build suite; without any, the first four. The first three fit ten
# minutes together, as big does alone, as do built and build; suite ends what it can in that time.
# PYTHON is the interpreter, python3 by default; BENCH_COMMIT is what the figures call the commit
# where there is no git.
# A part that fails or runs out of time leaves the others alone; exits with the number of such parts.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$1
shift
parts=${*:-tests loops gpu big}
python=${PYTHON:-python3}
mkdir -p "$folder"
export PYTHONUNBUFFERED=1 EMV_CACHE=${EMV_CACHE:-$(mktemp -d)}
failed=0

part() { # NAME SECONDS COMMAND...
    local name=$1 limit=$2 started=$SECONDS
    shift 2
    [[ " $parts " == *" $name "* ]] || return 0
    echo "=== $name: at most $limit s"
    timeout --kill-after=10 "$limit" "$@" >"$folder/$name.log" 2>&1
    local status=$?
    ((status == 0)) || failed=$((failed + 1))
    tail -n "${LINES_SHOWN:-45}" "$folder/$name.log" | cut -c 1-180
    echo "=== $name: status $status, $((SECONDS - started)) s"
}

part tests 120 "$python" -m pytest -q -x tests/gpu/test_baselines.py
part loops 70 "$python" -m bench.loops --json "$folder/loops.json"
part gpu 390 "$python" -m bench.gpu --cold --memory --json "$folder/gpu.json"
part built 240 "$python" -m pytest -q tests/gpu/test_build.py
part build 340 "$python" -m bench.build --device cuda --large --json "$folder/build.json"
part big 570 "$python" -m bench.big_graphs --json "$folder/big.json"
part suite 580 "$python" -m bench.suite --target cuda --limit 480 --json "$folder/suite.json"
exit "$failed"
