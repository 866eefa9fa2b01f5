/**
 * `svc run`: runs the agent and its runtime in the foreground until it is stopped. Service units and `svc start` run
 * this command. The main thread stays as long as the agent, so it loads little code: a worker thread reads the manifest
 * and sends the reports.
 */
import { appendFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import type { StoppedBy } from '@svc/protocol'
import { runtimeFile } from '../../launcher/file.ts'
import { launch } from '../../launcher/launch.ts'
import { createFolder } from '../../machine/files/durable.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { holderName, tryLock } from '../../machine/files/lock.ts'
import { isNoRoom } from '../../machine/files/space.ts'
import { noteDir, noteStart } from '../../machine/hint.ts'
import { unfinishedInstallText } from '../../state/install-note.ts'
import { stopperOf } from '../../state/stop-note.ts'
import { type CommonOptions, existingFolder } from '../kit/common.ts'
import { handleOutputErrors, lastingOutput, oneLine, printFailure, Refusal } from '../kit/output.ts'

export async function runAgent({ dir, json }: CommonOptions): Promise<void> {
  const folder = existingFolder(dir)
  const broken = unfinishedInstallText(folder)
  if (broken) throw new Refusal(broken)
  if (!existsSync(folder.manifest)) throw new Refusal(`There is no ${folder.manifest}, so there is no agent to run.`)
  const lock = tryLock(folder, 'runtime', 'svc run')
  if (!lock.ok) throw new Refusal(`${holderName(lock.holder)} is already running this agent; stop it first.`)
  let left = false
  try {
    left = await untilStopped(folder, json)
  } finally {
    lock.held.release()
  }
  // `process.exit` would wait for a thread that is in a system call and does not return, so the process kills itself.
  if (left) process.kill(process.pid, 'SIGTERM')
  process.exit() // Without this call, a name look-up that hangs would keep the process alive.
}

/** Runs the agent until a signal arrives. Returns true if a thread is left that could not be ended. */
async function untilStopped(folder: Folder, json: boolean | undefined): Promise<boolean> {
  const stop = new AbortController()
  const log = openRuntimeLog(folder)
  const print = lastingOutput()
  const say = (message: string) => {
    const at = new Date().toISOString()
    const line = `${at.slice(0, 19)}Z ${oneLine(message)}\n`
    log(line)
    print(json ? `${JSON.stringify({ at, message })}\n` : line)
  }
  let running: ReturnType<typeof launch> | undefined
  let by: StoppedBy | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) running?.kill()
    by ??= stopperOf(folder, signal, Date.now() - process.uptime() * 1000, Date.now())
    stop.abort()
  }
  // If the output goes into a file or a journal, the process goes on when the terminal is closed (SIGHUP).
  const onHangUp = (signal: NodeJS.Signals) => process.stdout.isTTY && onSignal(signal)
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('SIGHUP', onHangUp)
  if (process.pid === 1) say(noInitWarning)
  running = launch(folder, { file: runtimeFile(folder), stop: stop.signal, by: () => by, say })
  const unfit = await running.ended
  if (unfit !== undefined) throw new Refusal(unfit)
  process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('SIGHUP', onHangUp)
  return running.left()
}

const noInitWarning =
  'This is process 1 of its container, and nobody waits for processes that the agent leaves behind, so they stay as zombies. Run the container with an init, such as docker run --init.'

/** Runs `svc run` without loading the code of the other commands. The exit codes are those of the complete program. */
export function runAlone(how: CommonOptions): Promise<void> {
  noteStart()
  handleOutputErrors()
  noteDir(how.dir)
  return runAgent(how).catch((error) => {
    process.exitCode = printFailure(error)
  })
}

const maxLogBytes = 1024 * 1024

/**
 * Opens the runtime's own log in the agent's folder: two files of a megabyte each. If it cannot be written, nothing
 * else is affected. If there is no room for a new line, the older file is removed.
 */
export function openRuntimeLog(folder: Folder): (line: string) => void {
  /** The number of lines that could not be written since the last line that was written. */
  let lost = 0
  const older = `${folder.runtimeLog}.1`
  const append = (text: string): void => appendFileSync(folder.runtimeLog, text, { mode: 0o600 })
  return (line) => {
    try {
      createFolder(folder.log, 0o700)
      if ((statSync(folder.runtimeLog, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes)
        renameSync(folder.runtimeLog, older)
      // a line that failed may be there in part, so the next one begins on a line of its own
      const before = lost === 0 ? '' : `\n${lost} ${lost === 1 ? 'line' : 'lines'} could not be written here\n`
      try {
        append(before + line)
      } catch (error) {
        if (!isNoRoom(error) || !existsSync(older)) throw error
        rmSync(older, { force: true })
        append(`\n${before}${line}`)
      }
      lost = 0
    } catch {
      lost++
    }
  }
}
