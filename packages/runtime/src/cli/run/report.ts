/** `svc report`: runs the reporter in a process of its own, for an agent that svc does not start. */
import { Command } from 'commander'
import { lookupHangs } from '../../machine/client/lookup.ts'
import { readConnection } from '../../machine/files/env.ts'
import type { Folder } from '../../machine/files/folder.ts'
import { holderName, tryLock, tryLockOnFullDisk } from '../../machine/files/lock.ts'
import { examples, plainHint } from '../../machine/hint.ts'
import { handledText } from '../../reporter/commands/receive.ts'
import { exchangeReport } from '../../reporter/exchange.ts'
import { createReporter, reportUntil } from '../../reporter/run.ts'
import { uploadLogs } from '../../reporter/uploads.ts'
import { readRuntimeNote, writeRuntimeNote } from '../../state/versions/runtime-note.ts'
import { runtimeNow } from '../../updates/runtime/now.ts'
import { type SelfUpdateHost, selfUpdate } from '../../updates/runtime/update.ts'
import { type AgentOnDisk, agentAt, type CommonOptions, withCommonOptions } from '../kit/folder.ts'
import { exits, lastingOutput, oneLine, printResult, Refusal } from '../kit/output.ts'

type ReportOptions = CommonOptions & { readonly once?: boolean }

export const report = (): Command =>
  withCommonOptions(new Command('report'))
    .summary('report this agent until stopped')
    .description(
      'Reports the agent in this folder until it is stopped (Ctrl-C or SIGTERM). Something else starts the agent (cron, systemd, a shell), and the agent never waits for this. Whatever the service does, the agent keeps running.',
    )
    .option('--once', 'send one report, take its answer, and end')
    .addHelpText(
      'after',
      `${examples('report', 'report --dir /srv/mail-triage', 'report --once --json')}\n\nWith --json each line on standard output is one JSON object: {"at": …, "message": …}.`,
    )
    .action(run)

async function run({ dir, json, once }: ReportOptions): Promise<void> {
  const agent = await agentAt(dir)
  const connection = readConnection(agent.folder)
  if (!connection.ok) throw new Refusal(connection.message)
  const lock = (once ? tryLockOnFullDisk : tryLock)(agent.folder, 'runtime', 'svc report')
  if (!lock.ok) throw new Refusal(`${holderName(lock.holder)} is already reporting for this folder; stop it first.`)
  let asked: NodeJS.Signals | undefined
  try {
    asked = await (once ? reportOnce(agent, json) : untilStopped(agent, json))
  } finally {
    lock.held.release()
  }
  // A name look-up that hangs would keep the process alive until the system's resolver gives up (D17). So the process
  // kills itself with the signal that asked it to stop.
  if (asked && lookupHangs()) process.kill(process.pid, asked)
}

async function reportOnce({ folder, manifest }: AgentOnDisk, json: boolean | undefined): Promise<undefined> {
  const connection = readConnection(folder)
  if (!connection.ok) throw new Refusal(connection.message)
  const stop = new AbortController()
  const reporter = createReporter(folder)
  const result = await exchangeReport(reporter, { manifest, health: [] }, connection.value, stop.signal)
  if (!result.ok) {
    const exit = result.status === undefined ? exits.unreached : exits.refused
    throw new Refusal(`The report to ${connection.value.origin} failed: ${result.why}.`, exit)
  }
  await uploadLogs(reporter, manifest, connection.value, { signal: stop.signal, say: () => {} })
  const { answer, handled } = result
  printResult(json, { ok: true, answer, handled }, () => ['Reported.', ...handled.map(handledText)])
  // The second report sends the acks of the commands that came in the answer to the first report.
  if (handled.length > 0) await exchangeReport(reporter, { manifest, health: [] }, connection.value, stop.signal)
}

/**
 * Notes the outcome of an attempt to update svc. Under `svc run` the launcher does this; here this process holds the
 * folder's lock, so that nobody else writes the note.
 */
function noteAttempt(folder: Folder, message: Parameters<SelfUpdateHost['tell']>[0]): void {
  const { hold, ...rest } = readRuntimeNote(folder)
  if (message.is === 'lifted') writeRuntimeNote(folder, rest)
  if (message.is !== 'attempted') return
  const kept = message.hold ?? hold
  writeRuntimeNote(folder, { ...rest, applied: message.applied, ...(kept && { hold: kept }) })
}

/** Sends reports until a signal arrives, and returns the signal. */
async function untilStopped(
  { folder, manifest }: AgentOnDisk,
  json: boolean | undefined,
): Promise<NodeJS.Signals | undefined> {
  const stop = new AbortController()
  let asked: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    // A second signal kills this process, which also frees the lock. Process 1 of a container cannot kill itself, so it
    // exits.
    if (asked) process.kill(process.pid, 'SIGKILL') && process.exit(137)
    asked = signal
    stop.abort()
  }
  // If the output goes into a file or a journal, the process goes on when the terminal is closed (SIGHUP).
  const onHangUp = (signal: NodeJS.Signals) => process.stdout.isTTY && onSignal(signal)
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal).on('SIGHUP', onHangUp)
  const print = lastingOutput()
  const line = (message: string) => {
    const at = new Date().toISOString()
    print(json ? `${JSON.stringify({ at, message })}\n` : `${at.slice(0, 19)}Z ${oneLine(message)}\n`)
  }
  const updates = selfUpdate(folder, stop.signal, {
    tell: (message) => noteAttempt(folder, message),
    say: line,
    note: () => readRuntimeNote(folder),
    cannot: `"${plainHint('report')}" does not replace itself; replace its file by hand, or let "${plainHint('run')}" start the agent`,
  })
  await reportUntil(folder, manifest, stop.signal, {
    say: line,
    stoppedBy: () => (asked === 'SIGINT' ? 'person' : 'signal'),
    own: () => ({ runtime: runtimeNow(folder, readRuntimeNote(folder)) }),
    heard: (result) => {
      if (result.ok) updates.heard(result.answer)
    },
  })
  process.off('SIGTERM', onSignal).off('SIGINT', onSignal).off('SIGHUP', onHangUp)
  return asked
}
