#!/bin/sh
# Compiles src/ to dist/ for the published package (Node does not run .ts under node_modules), and copies what is not
# code. Runs as `prepack`; a checkout needs no build.
set -eu
cd "$(dirname "$0")/.."
rm -rf dist
tsc -p tsconfig.build.json
find src -type f ! -name '*.ts' | while read -r file; do
  target=dist/${file#src/}
  mkdir -p "$(dirname "$target")"
  cp "$file" "$target"
done
