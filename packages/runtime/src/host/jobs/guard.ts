/**
 * The text that Node runs for `svc-exec`. It loads the code of `svc exec` from its own line of `svc.pyz`, since reading
 * the whole file would take a megabyte. If this fails while the shell waits (`isWatched`), Node ends with an exit code,
 * and the shell runs the command. If it fails and no shell waits, this text runs the command without a record.
 */

/** The exit codes of a Node that has not started the command. The shell then runs it, and notes the reason. */
export const notStartedCodes = { damaged: 70, noRoom: 71, late: 72 } as const

/**
 * Variables that control Node. If the launcher cannot start Node with another environment, it hides these under other
 * names, and `guardScript` restores them for the command.
 */
export const setAsideVariables =
  'NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE NODE_DEBUG NODE_DEBUG_NATIVE NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_ICU_DATA NODE_PATH NODE_PENDING_DEPRECATION NODE_REDIRECT_WARNINGS NODE_UNIQUE_ID NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSL_CERT_FILE SSL_CERT_DIR UV_THREADPOOL_SIZE UV_USE_IO_URING'

export const guardScript = `
const [told, jobs, account] = process.argv.splice(1, 3), fs = require("node:fs"), env = process.env;
const [ignored, openFiles, files, stdio, mark, timer, shell, core] = told.slice(1).split(":"), isWatched = mark !== "";
for (const name of "${setAsideVariables}".split(" "))
  if ("SVC_EXEC_" + name in env) env[name] = env["SVC_EXEC_" + name], delete env["SVC_EXEC_" + name];
  else delete env[name];
const readMark = (length) => {
  const bytes = Buffer.alloc(length);
  return bytes.toString("latin1", 0, fs.readSync(Number(mark), bytes, 0, length, null));
};
let taken = false;
const launched = globalThis.svcExec = {
  jobs, account, ignored, openFiles, files, core,
  stdio: stdio.split(",").map((fd) => fd === "-" ? undefined : Number(fd)),
  get taken() { return taken },
  set taken(_) {
    if (!taken && isWatched) {
      if (readMark(2) !== "#!") process.exit(${notStartedCodes.late});
      try { process.kill(Number(timer), "SIGTERM") } catch {}
    }
    taken = true;
  },
};
if (isWatched) {
  launched.shell = Number(shell);
  launched.giveBack = () => { readMark(1); process.exit(${notStartedCodes.noRoom}) };
  try { launched.environment = fs.readFileSync("/proc/" + shell + "/environ") } catch {}
}
function plainly(error) {
  if (taken) return;
  const isRoom = /^(EMFILE|ENFILE|ENOMEM|EAGAIN)$/.test(error && error.code);
  if (isWatched) process.exit(isRoom ? ${notStartedCodes.noRoom} : ${notStartedCodes.damaged});
  taken = true;
  const args = process.argv.slice(3), at = args.indexOf("--") + 1;
  const [file, ...rest] = at ? args.slice(at) : [];
  if (file === undefined) process.exit(125);
  const name = /^[a-z0-9][a-z0-9._-]{0,62}$/.test(args[0]) && args[0] !== "unrecorded" ? args[0] : "-";
  const line = Math.floor(Date.now() / 1000) + " " + name + " svc-damaged\\n";
  for (const folder of new Set([jobs, account])) try { note(folder, line) } catch {}
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
function note(folder, line) {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants, uid = process.geteuid();
  if (!folder || fs.statSync(folder).uid !== uid) return;
  const fd = fs.openSync(folder + "/unrecorded", O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const stat = fs.fstatSync(fd);
  if (stat.isFile() && stat.uid === uid) fs.writeSync(fd, line);
  fs.closeSync(fd);
}
process.on("uncaughtException", plainly);
process.on("beforeExit", plainly);
try {
  const file = process.argv[1], fd = fs.openSync(file);
  const read = (at, length) => {
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.toString("latin1", 0, fs.readSync(fd, bytes, 0, length, at));
  };
  const direct = /\\n\\/\\/direct (\\d{10}) (\\d{10})\\n/.exec(read(0, 500));
  if (direct) {
    const code = Buffer.from(read(Number(direct[1]), Number(direct[2])), "base64").toString(), module = { exports: {} };
    new Function("module", "exports", "require", "__filename", code)(module, module.exports, require, file);
    const exec = module.exports.exec;
    if (exec.length !== 2) throw 0; // an older svc would take the standard files and the variables of Node
    exec(process.argv.slice(3), launched);
  } else throw 0;
} catch (error) { plainly(error) }
`
