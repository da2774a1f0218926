#!/bin/sh
# Mutation tests of the decisions; what is given is passed on to Stryker (for example --mutate src/guard/state/window.ts).
set -eu
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH"
trap 'rm -rf .stryker-tmp' EXIT
stryker run "$@"
node scripts/mutation.ts
