/**
 * The program `svc-exec`, which a crontab calls: a shell script that starts Node and waits for it. If Node ends or
 * takes too long before it has started the command, the shell becomes the command (D73). Shell variables have long
 * names, since variables of the environment must not be mistaken for them.
 */
import { shellQuoted } from '../../machine/hint.ts'
import { guardScript, notStartedCodes, setAsideVariables } from './guard.ts'
import { hostFolderLine, launcherMark } from './launcher-file.ts'

interface LauncherPaths {
  /** The absolute path of Node. */
  readonly node: string
  /** The absolute path of the installed `svc`. */
  readonly svc: string
  /** The folder of the host agent for the account that installs `svc-exec`. */
  readonly host?: string | undefined
}

/** The seconds that Node may take until it starts the command. */
const limitSeconds = 10

/** Returns the text of `svc-exec`. */
export const launcherScript = ({ node, svc, host = '' }: LauncherPaths): string => `#!/bin/sh
# svc-exec NAME [options] -- COMMAND: runs a command and records how it ended. ${launcherMark}
svc_exec_node=${shellQuoted(node)}
svc_exec_svc=${shellQuoted(svc)}
${hostFolderLine(host)}
svc_exec_limit=${limitSeconds}
svc_exec_in=- svc_exec_out=- svc_exec_err=- svc_exec_mark=
svc_exec_child= svc_exec_timer= svc_exec_got= svc_exec_late= svc_exec_line=
${folder}${plainScript}
# A shell that can open no file or start no process ends, and comes here.
trap 'svc_exec_forkless=1; svc_exec_plainly node-does-not-start "$@"' EXIT
[ -f "$svc_exec_node" ] && [ -x "$svc_exec_node" ] || svc_exec_plainly no-node "$@"
[ -f "$svc_exec_svc" ] || svc_exec_plainly no-svc "$@"
${factsScript}${startScript}${aloneScript}`

/**
 * Finds the folder of the host agent. The folder written in this file counts only for the file's owner. Otherwise it
 * is in XDG_STATE_HOME or in the home folder, for which the list of users takes precedence over HOME.
 */
const folder = `if [ -z "$svc_exec_host" ] || [ ! -O "$0" ]; then
  svc_exec_home=\${HOME-}
  case \${LOGNAME-} in
    '' | *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-]* | [!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_]*) ;;
    *) eval "svc_exec_key=~$LOGNAME"
      case $svc_exec_key in /*) [ ! -O "$svc_exec_key" ] || svc_exec_home=$svc_exec_key ;; esac ;;
  esac
  svc_exec_host=
  case \${XDG_STATE_HOME-} in
    /*) svc_exec_host=$XDG_STATE_HOME/svc/host ;;
    *) [ -z "$svc_exec_home" ] || svc_exec_host=$svc_exec_home/.local/state/svc/host ;;
  esac
fi
svc_exec_account=\${svc_exec_host:+$svc_exec_host/state/jobs}
svc_exec_jobs=\${SVC_JOBS_DIR:-$svc_exec_account}
`

/**
 * The script that runs the command without Node, and notes the reason. If no process can be started, it takes the time
 * of the note from /proc. It ignores XFSZ while it writes, since a file over the size limit would end the shell.
 */
const plainScript = `
# Node has not started the command, so the shell becomes it, without a record. The reason is noted if the folder for that
# is there and belongs to this user. A signal that came meanwhile was for the command.
svc_exec_plainly() {
  svc_exec_reason=$1
  shift
  trap 'svc_exec_bare "$@"' EXIT
  trap - TERM HUP INT QUIT USR1 USR2
  if [ -n "$svc_exec_timer" ]; then
    trap '' ALRM
    kill "$svc_exec_timer" 2>/dev/null
    wait "$svc_exec_timer" 2>/dev/null
    trap - ALRM
  fi
  for svc_exec_key in "$svc_exec_in" "$svc_exec_out" "$svc_exec_err" "$svc_exec_mark"; do
    case $svc_exec_key in [3-9]) eval "exec $svc_exec_key<&-" ;; esac
  done
  [ -z "$svc_exec_got" ] || kill -s "$svc_exec_got" "$$"
  svc_exec_name=\${1-}
  case $svc_exec_name in
    '' | unrecorded | [._-]* | *[!abcdefghijklmnopqrstuvwxyz0123456789._-]*) svc_exec_name=- ;;
  esac
  [ "\${#svc_exec_name}" -le 63 ] || svc_exec_name=-
  # The host agent is there, but no run was recorded yet.
  [ -n "\${svc_exec_forkless-}" ] || [ -d "$svc_exec_account" ] || [ ! -O "$svc_exec_host/state/adopted.json" ] ||
    PATH=/usr/bin:/bin:\${PATH-} mkdir -m 700 "$svc_exec_account" 2>/dev/null
  svc_exec_note "$svc_exec_account" 2>/dev/null
  [ "$svc_exec_jobs" = "$svc_exec_account" ] || svc_exec_note "$svc_exec_jobs" 2>/dev/null
  svc_exec_bare "$@"
}
svc_exec_bare() {
  trap - EXIT
  while [ "$#" -gt 0 ] && [ "x$1" != x-- ]; do shift; done
  if [ "$#" -lt 2 ]; then
    echo 'svc-exec: Nothing was run. The command follows "--": svc-exec backup -- ./backup.sh' >&2
    exit 125
  fi
  shift
  exec "$@"
}

svc_exec_note() {
  [ -n "$1" ] && [ -d "$1" ] && [ -O "$1" ] && [ ! -L "$1/unrecorded" ] || return 0
  [ ! -e "$1/unrecorded" ] || { [ -f "$1/unrecorded" ] && [ -O "$1/unrecorded" ] && [ -w "$1/unrecorded" ]; } || return 0
  if [ -z "\${svc_exec_forkless-}" ]; then svc_exec_time=$(PATH=/usr/bin:/bin:\${PATH-} date +%s)
  else
    while read -r svc_exec_key svc_exec_value svc_exec_rest; do
      [ "$svc_exec_key" != btime ] || svc_exec_time=$svc_exec_value
    done </proc/stat
    read -r svc_exec_value svc_exec_rest </proc/uptime
    svc_exec_time=$((svc_exec_time + \${svc_exec_value%%.*}))
  fi
  trap '' XFSZ
  echo "$svc_exec_time $svc_exec_name $svc_exec_reason" >>"$1/unrecorded"
  trap - XFSZ
}
`

const factsScript = `
# Node changes ignored signals, the limit of open files, and files. They are noted here and restored for the command.
svc_exec_ignored= svc_exec_open= svc_exec_core=
if [ -r "/proc/$$/status" ] && [ -r "/proc/$$/limits" ]; then
  while read -r svc_exec_key svc_exec_value; do
    case $svc_exec_key in SigIgn:) svc_exec_ignored=$svc_exec_value ;; esac
  done <"/proc/$$/status"
  while read -r svc_exec_key svc_exec_what svc_exec_rest svc_exec_value svc_exec_hard; do
    case "$svc_exec_what $svc_exec_rest" in
      'open files') svc_exec_open=$svc_exec_value ;;
      'core file') svc_exec_core=\${svc_exec_hard%% *} ;;
    esac
  done <"/proc/$$/limits"
fi
# Node gets no standard file of the command, so that whatever it says or reads before the command is nobody's. Those of
# the command are in files that are free here.
if [ -e "/proc/$$/fd" ]; then svc_exec_is_open() { [ -e "/proc/$$/fd/$1" ]; }
else svc_exec_is_open() {
    case $1 in 2) true 3>&2 ;; 0 | 1) { true 3<&"$1"; } 2>/dev/null ;; *) { true <&"$1"; } 2>/dev/null ;; esac
  }
fi
svc_exec_files= svc_exec_in= svc_exec_out= svc_exec_err= svc_exec_mark=
for svc_exec_key in 3 4 5 6 7 8 9; do
  if svc_exec_is_open "$svc_exec_key"; then svc_exec_files="$svc_exec_files $svc_exec_key"
  elif [ -z "$svc_exec_in" ]; then svc_exec_in=$svc_exec_key
  elif [ -z "$svc_exec_out" ]; then svc_exec_out=$svc_exec_key
  elif [ -z "$svc_exec_err" ]; then svc_exec_err=$svc_exec_key
  elif [ -z "$svc_exec_mark" ]; then svc_exec_mark=$svc_exec_key
  fi
done
svc_exec_is_open 0 || svc_exec_in=-
svc_exec_is_open 1 || svc_exec_out=-
svc_exec_is_open 2 || svc_exec_err=-
`

/** A small heap and no further threads, which keeps the memory of many jobs at once small. */
const nodeFlags = '--max-semi-space-size=1 --single-threaded'

/**
 * The variables that the launcher leaves to Node on systems with /proc, where svc reads the whole environment of the
 * command.
 */
const keptVariables = ['LD_LIBRARY_PATH', 'SVC_TIME_SCALE'].map((name) => `\${${name}+"${name}=$${name}"}`).join(' ')

/** The words that start Node for the command in `"$@"`. */
const nodeCommand = `"$svc_exec_node" ${nodeFlags} -e "$svc_exec_text" \\
    "i$svc_exec_ignored:$svc_exec_open:$svc_exec_files:$svc_exec_in,$svc_exec_out,$svc_exec_err:$svc_exec_mark:$svc_exec_timer:$$:$svc_exec_core" \\
    "$svc_exec_jobs" "$svc_exec_account" "$svc_exec_svc" exec "$@"`

/**
 * The script that watches Node. The mark is the script itself, opened once for the shell and Node: whichever of the two
 * reads its first bytes runs the command, so the command never runs twice. If Node cannot start the command after all,
 * it reads one byte more, and the shell takes over again.
 */
const startScript = `
svc_exec_text=${shellQuoted(guardScript)}
# Becomes Node. Some shells hand on a file that they opened only if it is named again.
svc_exec_become() {
  svc_exec_named=
  # A Node that crashes leaves no file in the folder of the command.
  case $svc_exec_core in '' | 0) ;; *) ulimit -S -c 0 2>/dev/null ;; esac
  for svc_exec_key in "$svc_exec_in" "$svc_exec_out" "$svc_exec_err" "$svc_exec_mark"; do
    case $svc_exec_key in [3-9]) svc_exec_named="$svc_exec_named $svc_exec_key<&$svc_exec_key" ;; esac
  done
  eval "exec \\"\\$@\\" $svc_exec_named"
}
# Variables that Node obeys are not for it. It reads those of the command from /proc, or gets the known ones set aside.
svc_exec_node() {
  if [ -n "$svc_exec_mark" ] && [ -r "/proc/$$/environ" ] && [ -x /usr/bin/env ]; then
    svc_exec_become /usr/bin/env -i OPENSSL_CONF=/dev/null ${keptVariables} ${nodeCommand}
  fi
  for svc_exec_key in ${setAsideVariables}; do
    eval "[ -z \\"\\\${$svc_exec_key+x}\\" ]" && continue
    eval "SVC_EXEC_$svc_exec_key=\\$$svc_exec_key; export SVC_EXEC_$svc_exec_key; unset $svc_exec_key"
  done
  export OPENSSL_CONF=/dev/null
  svc_exec_become ${nodeCommand}
}

# True if nobody has started the command. It is then for the caller to start.
svc_exec_take() {
  [ -n "$svc_exec_line" ] || eval "read -r svc_exec_line <&$svc_exec_mark"
  [ "$svc_exec_line" = '#!/bin/sh' ]
}
svc_exec_pass() {
  svc_exec_got=$1 svc_exec_woken=1
  [ -z "$svc_exec_child" ] || kill -s "$1" "$svc_exec_child" 2>/dev/null
}
svc_exec_over() {
  svc_exec_woken=1
  svc_exec_take && svc_exec_late=1 && kill -s KILL "$svc_exec_child" 2>/dev/null
}

if [ -n "$svc_exec_mark" ] && [ -f "$0" ] && [ -r "$0" ]; then
  [ "$svc_exec_in" = - ] || eval "exec $svc_exec_in<&0"
  [ "$svc_exec_out" = - ] || eval "exec $svc_exec_out>&1"
  [ "$svc_exec_err" = - ] || eval "exec $svc_exec_err>&2"
  eval "exec $svc_exec_mark<\\"\\$0\\""
  for svc_exec_key in TERM HUP INT QUIT USR1 USR2; do trap "svc_exec_pass $svc_exec_key" "$svc_exec_key"; done
  trap svc_exec_over ALRM
  { (
    trap 'trap - EXIT; kill "$svc_exec_sleep"; exit' TERM
    trap - HUP INT QUIT USR1 USR2 ALRM
    trap 'kill -s ALRM "$$"' EXIT
    PATH=/usr/bin:/bin:\${PATH-} sleep "$svc_exec_limit" &
    svc_exec_sleep=$!
    trap - EXIT
    wait "$svc_exec_sleep" && kill -s ALRM "$$"
  ) </dev/null >/dev/null 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&- & } 2>/dev/null
  svc_exec_timer=$!
  [ -n "$svc_exec_late" ] || { svc_exec_node "$@" </dev/null >/dev/null & } 2>/dev/null
  svc_exec_child=$!
  trap - EXIT
  [ -z "$svc_exec_got" ] || svc_exec_pass "$svc_exec_got"
  [ -z "$svc_exec_late" ] || kill -s KILL "$svc_exec_child" 2>/dev/null
  while :; do
    svc_exec_woken=
    wait "$svc_exec_child" 2>/dev/null
    svc_exec_code=$?
    [ -n "$svc_exec_woken" ] || break
    # A signal ended the wait. Some shells forget a code that they gave once, and say 127.
    kill -0 "$svc_exec_child" 2>/dev/null && continue
    wait "$svc_exec_child" 2>/dev/null
    svc_exec_key=$?
    [ "$svc_exec_key" = 127 ] || svc_exec_code=$svc_exec_key
    break
  done
  [ -n "$svc_exec_late" ] || svc_exec_take || [ "$svc_exec_line" != /bin/sh ] || exit "$svc_exec_code"
  case $svc_exec_code in
    ${notStartedCodes.damaged}) svc_exec_plainly svc-damaged "$@" ;;
    ${notStartedCodes.noRoom}) svc_exec_plainly no-room "$@" ;;
    *) svc_exec_plainly node-does-not-start "$@" ;;
  esac
fi
`

/**
 * The script for the case that nothing can watch Node, since no file number is free or `svc-exec` cannot be read. It
 * first tries whether Node can start and end at all.
 */
const aloneScript = `
svc_exec_is_open 0 && svc_exec_in=0
svc_exec_is_open 1 && svc_exec_out=1
svc_exec_is_open 2 && svc_exec_err=2
svc_exec_mark= svc_exec_timer=
PATH=/usr/bin:/bin:\${PATH-} timeout -s KILL "$svc_exec_limit" /usr/bin/env -i OPENSSL_CONF=/dev/null \\
  "$svc_exec_node" ${nodeFlags} -e 0 </dev/null >/dev/null 2>&1 || svc_exec_plainly node-does-not-start "$@"
trap - EXIT
svc_exec_node "$@"
`
