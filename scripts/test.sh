#!/bin/sh
# Everything that says whether this checkout is sound: types, style, tests. All of it runs, whatever fails first;
# the last line of the output is `N passed, N failed, N skipped`, and the exit code is 0 only when N failed is 0.
# Arguments go to vitest: scripts/test.sh test/guard. --unit: without the tests that start servers or take long, and
# with one process for many test files, so that each module is loaded once; --real: only the others.
set -u
cd "$(dirname "$0")/.." || exit 70
PATH=$PWD/node_modules/.bin:$PATH
real='test/bench test/checkout test/crash test/daemon test/demo test/engine test/escalate test/http test/journal
test/simulation test/scenario test/collect test/policy_tests test/backtest test/fuzz test/learning
test/guard/laws.test.ts test/detect/patterns/regex_growth.test.ts test/detect/corpus.test.ts test/model/loaded.test.ts
test/model/ollama.test.ts test/model/openai.test.ts test/rulebook/embeddings/servers.test.ts'
case ${1:-} in
  --real)
    shift
    # shellcheck disable=SC2086  # a list of folders
    set -- $real "$@" ;;
  --unit)
    shift
    # shellcheck disable=SC2086  # a list of folders
    set -- $(for path in $real; do printf -- '--exclude=%s --exclude=%s ' "$path" "$path/**"; done) --maxWorkers=100% --no-isolate "$@" ;;
esac
count=$(mktemp) || exit 74
# Every process started from here on carries this mark in its environment, so that what stays behind can be found.
REEVE_TEST_RUN=run-$$-$(date +%s)
export PATH REEVE_TEST_RUN REEVE_COUNT_FILE="$count"
extra=0

marked() { # pids of live processes that carry the mark; this script itself does not, it set the mark too late
  grep -lzxF "REEVE_TEST_RUN=$REEVE_TEST_RUN" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}
name_of() { { tr '\0' ' ' <"/proc/$1/cmdline" | cut -c1-150; } 2>/dev/null; }
left_behind() { # without those that are gone, or going: a zombie has no command line
  for pid in $(marked); do
    [ -z "$(name_of "$pid")" ] || echo "$pid"
  done
}
end_left_behind() {
  for signal in TERM KILL; do
    for pid in $(left_behind); do kill -$signal "$pid" 2>/dev/null; done
    [ -z "$(left_behind)" ] || sleep 2
  done
}
finish() { rm -f "$count"; [ "$1" = 0 ] || end_left_behind; }
trap 'finish 130; exit 130' INT
trap 'finish 143; exit 143' TERM

run() { # run NAME COMMAND…: counts as one failed when it fails
  name=$1
  shift
  "$@" </dev/null || {
    echo "failed: $name ($*)"
    extra=$((extra + 1))
  }
}

run types tsc -p .
run style biome check
vitest run "$@" </dev/null
tests=$?

tries=0
while [ -n "$(left_behind)" ] && [ "$tries" -lt 5 ]; do
  sleep 1
  tries=$((tries + 1))
done
for pid in $(left_behind); do
  echo "failed: left behind: $pid $(name_of "$pid")"
  extra=$((extra + 1))
done
end_left_behind

if [ -s "$count" ]; then
  sed '$d' "$count"
  read -r passed failed skipped <<EOF
$(tail -n 1 "$count" | tr -cd '0-9 ')
EOF
else
  echo "failed: vitest ended without a result (exit $tests)"
  passed=0 failed=1 skipped=0
fi
[ "$tests" != 0 ] && [ "$failed" = 0 ] && failed=1
failed=$((failed + extra))
rm -f "$count"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
