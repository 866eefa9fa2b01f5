#!/bin/sh
# Installs the npm dependencies if any are missing. A fresh clone needs only Node 20, npm and python3. Every npm script
# that needs the dependencies runs this first, and it is quick if nothing is missing. Of several that start together, one
# installs and the others wait: .cache/install.lock has its process ids, .cache/installing exists until a copy is whole.
set -eu
cd "$(dirname "$0")/.."
unset npm_config_workspace npm_config_workspaces || true
lock=.cache/install.lock
mark=.cache/installing

whole() {
  [ ! -e "$mark" ] && [ -f node_modules/.package-lock.json ] && [ -x node_modules/.bin/node ] &&
    ! [ package-lock.json -nt node_modules/.package-lock.json ]
}
modern() {
  node_modules/.bin/node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 24 ? 0 : 1)' 2>/dev/null
}
# True while the process that took the lock, or the npm that it started, runs. A lock without ids is being made.
held() {
  ids=$(cat "$lock/pid" 2>/dev/null) || ids=
  if [ -z "$ids" ]; then
    [ -z "$(find "$lock" -maxdepth 0 -mmin +1 2>/dev/null)" ] && [ -d "$lock" ]
    return
  fi
  for id in $ids; do
    if kill -0 "$id" 2>/dev/null || [ -d "/proc/$id" ]; then return 0; fi
  done
  return 1
}
# Removes the lock of a process that was killed. Only one of several that notice it may do so, after a second look.
break_lock() {
  if mkdir "$lock.breaking" 2>/dev/null; then
    held || rm -rf "$lock"
    rmdir "$lock.breaking"
  elif [ -n "$(find "$lock.breaking" -maxdepth 0 -mmin +1 2>/dev/null)" ]; then
    rmdir "$lock.breaking" 2>/dev/null || true
  fi
}
take_lock() {
  mkdir -p .cache
  said=
  until mkdir "$lock" 2>/dev/null; do
    if held; then
      [ -n "$said" ] || echo "svc: waiting for another start that installs the dependencies ($lock) …" >&2
      said=yes
      sleep 1
    else
      break_lock
    fi
  done
  trap 'rm -rf "$lock"' EXIT
  trap 'kill "$child" 2>/dev/null; exit 130' INT TERM HUP
  echo $$ >"$lock/pid"
}
# Runs npm as a process of its own, whose id the lock has, too: it may live longer than this script.
child=
run_npm() {
  npm "$@" >&2 &
  child=$!
  echo "$child" >>"$lock/pid"
  wait "$child"
}

if whole && modern; then exit 0; fi
take_lock
if ! whole; then
  echo 'svc: installing dependencies (once, about half a minute) …' >&2
  touch "$mark"
  run_npm ci --loglevel=error --no-fund --no-audit || {
    echo 'svc: the dependencies could not be installed; npm says why above. The next start tries again.' >&2
    exit 1
  }
  touch node_modules/.package-lock.json
  rm -f "$mark"
fi
if ! modern; then
  echo 'svc: Node 24 is missing from node_modules (was npm run with --ignore-scripts?); getting it …' >&2
  run_npm rebuild node --loglevel=error || true
  node_modules/.bin/node --version >/dev/null || { echo 'svc: could not get Node 24: run "npm rebuild node" and look at its output.' >&2; exit 1; }
fi
