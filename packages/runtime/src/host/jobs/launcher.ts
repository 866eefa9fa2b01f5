/**
 * The program `svc-exec`, which a crontab calls. It is a shell script, so that a job runs even if Node or svc is missing
 * or damaged: it then becomes the command itself. Otherwise it becomes Node, whose text runs the command if the program
 * does not get that far. Shell variables have long names, since one of the same name could be in the environment.
 */
import { quoted } from '../../machine/hint.ts'

interface LauncherPaths {
  /** The absolute path of Node. */
  readonly node: string
  /** The absolute path of the installed `svc`. */
  readonly svc: string
  /** XDG_STATE_HOME of the installation, for an environment without one. */
  readonly state?: string | undefined
}

const written = 'Written by svc; do not edit.'

/** True for a text that this or another version of svc has written. */
export const isLauncher = (text: string): boolean => text.startsWith('#!/bin/sh\n') && text.includes(written)

/** Returns the text of `svc-exec`. */
export const launcher = ({ node, svc, state = '' }: LauncherPaths): string => `#!/bin/sh
# svc-exec NAME [options] -- COMMAND: runs a command and records how it ended. ${written}
svc_exec_node=${quoted(node)}
svc_exec_svc=${quoted(svc)}
svc_exec_state=${quoted(state)}
case \${XDG_STATE_HOME-} in /*) svc_exec_state=$XDG_STATE_HOME ;; esac
if [ -n "\${SVC_JOBS_DIR-}" ]; then svc_exec_jobs=$SVC_JOBS_DIR
elif [ -n "$svc_exec_state" ]; then svc_exec_jobs=$svc_exec_state/svc/host/state/jobs
elif [ -n "\${HOME-}" ]; then svc_exec_jobs=$HOME/.local/state/svc/host/state/jobs
else svc_exec_jobs=
fi

# Becomes the command, without a record: the reason is noted if the folder for that is there.
svc_exec_plainly() {
  svc_exec_reason=$1
  shift
  svc_exec_name=\${1-}
  case $svc_exec_name in
    '' | unrecorded | [._-]* | *[!abcdefghijklmnopqrstuvwxyz0123456789._-]*) svc_exec_name=- ;;
  esac
  [ "\${#svc_exec_name}" -le 63 ] || svc_exec_name=-
  while [ "$#" -gt 0 ] && [ "x$1" != x-- ]; do shift; done
  if [ "$#" -lt 2 ]; then
    echo 'svc-exec: Nothing was run. The command follows "--": svc-exec backup -- ./backup.sh' >&2
    exit 125
  fi
  shift
  if [ -n "$svc_exec_jobs" ] && [ -d "$svc_exec_jobs" ]; then
    { echo "$(date +%s) $svc_exec_name $svc_exec_reason" >>"$svc_exec_jobs/unrecorded"; } 2>/dev/null
  fi
  exec "$@"
}

[ -f "$svc_exec_node" ] && [ -x "$svc_exec_node" ] || svc_exec_plainly no-node "$@"
[ -f "$svc_exec_svc" ] || svc_exec_plainly no-svc "$@"

# Node changes ignored signals, the limit of open files, and files 3 to 9. They are noted here and restored for the command.
svc_exec_ignored= svc_exec_open= svc_exec_memory=unlimited svc_exec_files=
if [ -r "/proc/$$/status" ] && [ -r "/proc/$$/limits" ]; then
  while read -r svc_exec_key svc_exec_value; do
    case $svc_exec_key in SigIgn:) svc_exec_ignored=$svc_exec_value ;; esac
  done <"/proc/$$/status"
  while read -r svc_exec_key svc_exec_what svc_exec_rest svc_exec_value svc_exec_hard; do
    case "$svc_exec_what $svc_exec_rest" in
      'open files') svc_exec_open=$svc_exec_value ;;
      'address space') svc_exec_memory=$svc_exec_value ;;
    esac
  done <"/proc/$$/limits"
  for svc_exec_key in 3 4 5 6 7 8 9; do
    [ -e "/proc/$$/fd/$svc_exec_key" ] && svc_exec_files="$svc_exec_files $svc_exec_key"
  done
fi

# Node must start with its flags. With little memory only a whole start shows that.
svc_exec_try=-v
[ "$svc_exec_memory" = unlimited ] || svc_exec_try='-e 0'
NODE_OPTIONS= NODE_EXTRA_CA_CERTS= "$svc_exec_node" ${nodeFlags} $svc_exec_try </dev/null >/dev/null 2>&1 ||
  svc_exec_plainly node-does-not-start "$@"

# These are for the command: with the first svc could fail, or take a port of it, and reading the second takes long.
if [ -n "\${NODE_OPTIONS+x}" ]; then
  SVC_EXEC_NODE_OPTIONS=$NODE_OPTIONS
  export SVC_EXEC_NODE_OPTIONS
  unset NODE_OPTIONS
fi
if [ -n "\${NODE_EXTRA_CA_CERTS+x}" ]; then
  SVC_EXEC_NODE_EXTRA_CA_CERTS=$NODE_EXTRA_CA_CERTS
  export SVC_EXEC_NODE_EXTRA_CA_CERTS
  unset NODE_EXTRA_CA_CERTS
fi
exec "$svc_exec_node" ${nodeFlags} -e ${quoted(guard)} \\
  "i$svc_exec_ignored:$svc_exec_open:$svc_exec_files" "$svc_exec_jobs" "$svc_exec_svc" exec "$@"
`

/** A small heap and no further threads, which keeps the memory of many jobs at once small. */
const nodeFlags = '--max-semi-space-size=1 --single-threaded'

/**
 * The text that Node runs. It loads the code of `svc exec` from its own line, since reading the whole file would take a
 * megabyte. It runs the command plainly if svc throws, rejects or does nothing before it answers for the command.
 */
const guard = `
const [told, jobs] = process.argv.splice(1, 2), [ignored, openFiles, files] = told.slice(1).split(":"), env = process.env;
for (const name of ["NODE_OPTIONS", "NODE_EXTRA_CA_CERTS"])
  if ("SVC_EXEC_" + name in env) env[name] = env["SVC_EXEC_" + name], delete env["SVC_EXEC_" + name];
const launched = globalThis.svcExec = { taken: false, jobs, ignored, openFiles, files };
function plainly() {
  if (launched.taken) return;
  launched.taken = true;
  const fs = require("node:fs"), args = process.argv.slice(3), at = args.indexOf("--") + 1;
  const [file, ...rest] = at ? args.slice(at) : [];
  if (file === undefined) process.exit(125);
  const name = /^[a-z0-9][a-z0-9._-]{0,62}$/.test(args[0]) && args[0] !== "unrecorded" ? args[0] : "-";
  const line = Math.floor(Date.now() / 1000) + " " + name + " svc-damaged\\n";
  try { if (jobs && fs.existsSync(jobs)) fs.appendFileSync(jobs + "/unrecorded", line) } catch {}
  let child;
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2"])
    process.on(signal, () => child.kill(signal));
  const failed = (error) => {
    try { fs.writeSync(2, "svc-exec: " + file + ": " + error.message + "\\n") } catch {}
    process.exit(error.code === "ENOENT" || file === "" ? 127 : 126);
  };
  try { child = require("node:child_process").spawn(file, rest, { stdio: "inherit" }) } catch (error) { failed(error) }
  child.on("error", failed);
  child.on("exit", (code, signal) => process.exit(code ?? 128 + require("node:os").constants.signals[signal]));
}
process.on("uncaughtException", plainly);
process.on("beforeExit", plainly);
try {
  const fs = require("node:fs"), file = process.argv[1], fd = fs.openSync(file);
  const read = (at, length) => {
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.toString("latin1", 0, fs.readSync(fd, bytes, 0, length, at));
  };
  const direct = /\\n\\/\\/direct (\\d{10}) (\\d{10})\\n/.exec(read(0, 500));
  if (direct) {
    const code = Buffer.from(read(Number(direct[1]), Number(direct[2])), "base64").toString(), module = { exports: {} };
    new Function("module", "exports", "require", "__filename", code)(module, module.exports, require, file);
    module.exports.exec(process.argv.slice(3));
  } else require(file);
} catch { plainly() }
`
