#!/bin/sh
# Installs the npm dependencies if any are missing. A fresh clone needs only Node 20, npm and python3. Every npm script
# that needs the dependencies runs this first, and it is quick if nothing is missing.
set -eu
cd "$(dirname "$0")/.."
unset npm_config_workspace npm_config_workspaces || true
if [ ! -x node_modules/.bin/node ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo 'svc: installing dependencies (once, about half a minute) …' >&2
  npm ci --loglevel=error --no-fund --no-audit >&2
  touch node_modules/.package-lock.json
fi
if ! node_modules/.bin/node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 24 ? 0 : 1)' 2>/dev/null; then
  echo 'svc: Node 24 is missing from node_modules (was npm run with --ignore-scripts?); getting it …' >&2
  npm rebuild node --loglevel=error >&2
  node_modules/.bin/node --version >/dev/null || { echo 'svc: could not get Node 24: run "npm rebuild node" and look at its output.' >&2; exit 1; }
fi
