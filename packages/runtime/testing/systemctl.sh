#!/bin/sh
# A stand-in for `systemctl --user`: it reads units at daemon-reload, keeps their process alive (`Restart=always`), ends
# that process with SIGTERM, and prints `active` or `inactive`. One keeper process per unit does the work of systemd. The
# folder SVC_TEST_SYSTEMD has `loaded/` for units and `run/` for keepers. With SVC_TEST_SYSTEMD_OFF every command fails,
# as in a container or after `sudo -iu`; SVC_TEST_SYSTEMD_NO names one command that fails, such as "start".
set -eu

home=$SVC_TEST_SYSTEMD
units=$XDG_CONFIG_HOME/systemd/user
loaded=$home/loaded
run=$home/run
mkdir -p "$loaded" "$run"

fails() {
  echo "$1" >&2
  exit 1
}

# Prints the process id of the unit's keeper. Fails if no keeper is running.
keeper() {
  pid=$(cat "$run/$unit.keeper" 2>/dev/null) && kill -0 "$pid" 2>/dev/null && echo "$pid"
}

reload() {
  for file in "$loaded"/*.service; do
    [ -e "$units/${file##*/}" ] || rm -f "$file"
  done
  for file in "$units"/*.service; do
    [ ! -e "$file" ] || cp "$file" "$loaded"
  done
}

start() {
  [ -e "$loaded/$unit" ] || fails "Failed to start $unit: Unit $unit not found."
  ! keeper >/dev/null || return 0
  rm -f "$run/$unit.stop"
  sh "$0" keep "$unit" </dev/null >/dev/null 2>&1 &
  echo $! >"$run/$unit.keeper"
}

stop() {
  pid=$(keeper) || return 0
  : >"$run/$unit.stop"
  kill -TERM "$pid" 2>/dev/null || :
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}

# Prints the value of a key of the unit.
value() {
  sed -n "s/^$1=//p" "$loaded/$unit" | head -n 1
}

# Turns a line of a unit into words of a shell. Each word is in quotes, `\` stands before `\` and `"` in a word, and
# `$$` and `%%` mean `$` and `%`.
words() {
  sed 's/\$\$/\\$/g; s/`/\\`/g; s/%%/%/g'
}

# Does the work of systemd for one unit: starts the process of the unit again whenever it ends, until the unit is
# stopped.
keep() {
  child=
  trap 'kill -TERM "$child" 2>/dev/null || :' TERM
  scale=${SVC_TIME_SCALE+'"SVC_TIME_SCALE=$SVC_TIME_SCALE"'}
  eval "set -- $(value Environment | words) \"HOME=\$HOME\" $scale $(value ExecStart | words)"
  while [ ! -e "$run/$unit.stop" ]; do
    (cd "$(value WorkingDirectory | sed 's/%%/%/g')" && exec env -i "$@") &
    child=$!
    # The signal may have come before the child was known.
    [ ! -e "$run/$unit.stop" ] || kill -TERM "$child" 2>/dev/null || :
    while kill -0 "$child" 2>/dev/null; do wait "$child" || :; done
    echo "$unit" >>"$home/ends"
    [ "$(value Restart)" = always ] || break
    [ -e "$run/$unit.stop" ] || sleep "$(value RestartSec)"
  done
}

if [ "$1" = keep ]; then
  unit=$2
  keep
  exit
fi
echo "$*" >>"$home/calls"
[ "$1" != --user ] || shift
command=$1
unit=${2-}
[ -z "${SVC_TEST_SYSTEMD_OFF-}" ] || fails 'Failed to connect to bus: No medium found'
[ "${SVC_TEST_SYSTEMD_NO-}" != "$command" ] || fails "Job for $unit failed."
case $command in
  daemon-reload) reload ;;
  enable | disable)
    [ -e "$units/$unit" ] || fails "Failed to $command unit, unit $unit does not exist."
    ;;
  is-active)
    ! keeper >/dev/null || { echo active && exit; }
    echo inactive
    exit 3
    ;;
  start) start ;;
  stop) stop ;;
  restart)
    stop
    start
    ;;
  *) fails "Unknown command verb $command." ;;
esac
