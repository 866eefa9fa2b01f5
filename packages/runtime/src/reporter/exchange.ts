/**
 * Makes one complete report: composes it, sends it, and processes the answer (D4, D17). If the report fails, no ack is
 * dropped and no command is taken.
 */
import { hostname } from 'node:os'
import type { Manifest } from '@svc/blueprint'
import {
  type Ack,
  type AppliedUpdate,
  cut,
  type HealthItem,
  limits,
  type ReceivedAnswer,
  type Report,
  type RuntimeInfo,
  readAnswer,
  type StoppedBy,
  tokenLike,
} from '@svc/protocol'
import { codeOf, messageOf } from '../machine/base/errors.ts'
import { wholeSeconds } from '../machine/base/time.ts'
import { ownVersion } from '../machine/base/version.ts'
import { postJson, refusalOf, type SendResult } from '../machine/client/service-client.ts'
import type { ServiceConnection } from '../machine/files/env.ts'
import type { Folder } from '../machine/files/folder.ts'
import { withTurnOnFullDisk } from '../machine/files/lock.ts'
import { fillReserve } from '../machine/files/reserve.ts'
import { failureReason, isDiskFault } from '../machine/files/space.ts'
import { haltOf } from '../machine/process/identity.ts'
import { readAccount } from '../state/account.ts'
import { readPause } from '../state/controls.ts'
import { machinePathOf } from '../state/paths.ts'
import type { ProcessState } from '../state/process-note.ts'
import { settingsInForce } from '../state/settings.ts'
import { settingsHealth } from '../state/settings-file.ts'
import { readStop } from '../state/stop-note.ts'
import {
  type CommandMemory,
  changeJournal,
  dropAcks,
  forgetOldEntries,
  knownJournal,
  owedAcks,
} from './commands/journal.ts'
import { type HandledCommand, receiveCommands, settleInterrupted } from './commands/receive.ts'
import { composeReport } from './compose.ts'
import { readOutbox, writeOutbox } from './outbox.ts'
import { shrinkReport } from './shrink.ts'
import { ageItem, isStatusOld } from './status/age.ts'
import { diskHealth } from './status/disk.ts'
import { readStatus } from './status/file.ts'
import { type KeptStatus, statusAfterRead } from './status/keep.ts'
import { noRuns, type OpenRuns, withEndedRuns } from './status/open-runs.ts'
import type { StatusWrites } from './status/writes.ts'

/** The state of a reporter between two reports. */
export interface ReporterState {
  readonly folder: Folder
  /** `boot` identifies this start of the reporter, and `seq` counts the reports since (D11). */
  readonly boot: string
  seq: number
  kept: KeptStatus
  /** The runs that the agent's process has open. */
  openRuns?: OpenRuns
  readonly writes: StatusWrites
  /** The clock of the service according to its last successful answer; absent if no answer told it. */
  serviceClock?: ServiceClock | undefined
  /** The entries of the journal of commands that the disk has refused. */
  readonly memory: CommandMemory
  /**
   * The reason why the disk refused the last write of the outbox; absent if the write succeeded, or if only space was
   * lacking.
   */
  refused?: string | undefined
}
/** The result of one report. */
export type ExchangeResult =
  | { readonly ok: true; readonly answer: ReceivedAnswer; readonly handled: readonly HandledCommand[] }
  /**
   * A failed report. `status` is present if the service answered at all, `code` if the answer contains an error code.
   */
  | { readonly ok: false; readonly why: string; readonly status?: number; readonly code?: string }

/** Facts that are known only if the runtime starts the agent itself. */
export interface OwnFacts {
  readonly process?: ProcessState | undefined
  readonly applied?: AppliedUpdate | undefined
  readonly bindings?: readonly HealthItem[] | undefined
  readonly runtime?: RuntimeInfo | undefined
  /** Who stopped the agent; present only in the last report (D66). */
  readonly stop?: StoppedBy | undefined
  /** Health items that the runtime adds, about updates, needed programs and missing secrets. */
  readonly remarks?: readonly HealthItem[] | undefined
}
export interface CurrentFacts extends OwnFacts {
  readonly manifest: Manifest
  readonly health: readonly HealthItem[]
}

export async function exchangeReport(
  reporter: ReporterState,
  { manifest, health, ...own }: CurrentFacts,
  connection: ServiceConnection,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const { folder } = reporter
  fillReserve(folder.svc)
  const broken = brokenJournal(reporter, manifest)
  const report = broken
    ? newReport(
        reporter,
        { ...own, manifest: { ...manifest, controls: [], settings: [] }, health: [broken, ...health] },
        owedAcks(reporter.memory.entries),
      )
    : newReport(reporter, { ...own, manifest, health }, owedAcks(knownJournal(folder, reporter.memory)))
  const body = JSON.stringify(shrinkReport(report, Date.now())).replaceAll(tokenLike, '[masked]')
  const sent = wholeSeconds(Date.now())
  const answered = await postJson(connection, '/api/agent/v1/report', body, { signal })
  const result = judge(answered)
  if (result.ok && answered.is === 'answered') reporter.serviceClock = serviceClock(answered.headers.date, clocks())
  try {
    record(folder, connection, { sent, body, result })
    reporter.refused = undefined
  } catch (error) {
    // No report depends on the outbox, so the answer is processed anyway. The next report tells this fault, except a
    // lack of space, which `diskHealth` reports anyway.
    reporter.refused =
      isDiskFault(error) && codeOf(error) !== 'ENOSPC' ? failureReason(error, folder.outbox) : undefined
  }
  if (!result.ok) return result
  arrived(reporter, report, wholeSeconds(Date.now()))
  const handled = receiveCommands(folder, manifest, result.answer.commands, wholeSeconds(Date.now()), reporter.memory)
  return { ok: true, answer: result.answer, handled }
}

const clocks = () => ({ now: Date.now(), mono: performance.now() })

/**
 * Settles interrupted commands. If the journal of commands cannot be used, the reporter refuses all commands (D4):
 * returns a health item that says so, and the report then offers neither controls nor settings.
 */
function brokenJournal({ folder, memory }: ReporterState, manifest: Manifest): HealthItem | undefined {
  try {
    settleInterrupted(folder, manifest, wholeSeconds(Date.now()), memory)
    return undefined
  } catch (error) {
    const why = messageOf(error)
    return { name: 'Journal', level: 'bad', detail: cut(`No commands are taken: ${why}`, limits.detail) }
  }
}

function newReport(reporter: ReporterState, { manifest, health, ...own }: CurrentFacts, acks: readonly Ack[]): Report {
  const { folder } = reporter
  const file = manifest.status
  const read = file === undefined ? undefined : readStatus(folder, machinePathOf(folder, manifest, file))
  const now =
    file !== undefined && read
      ? statusAfterRead(reporter.kept, read, file, Date.now())
      : { kept: reporter.kept, status: {}, health: [] }
  reporter.kept = now.kept
  const writtenAt = read?.is === 'bytes' ? read.mtimeMs : undefined
  const { status, kept } = withEndedRuns(reporter.openRuns ?? noRuns, {
    ...{ status: now.status, writtenAt, process: own.process, now: Date.now() },
  })
  reporter.openRuns = kept
  reporter.seq++
  const pause = readPause(folder)
  const halt = own.process?.is === 'running' ? haltOf(own.process.pid) : undefined
  const resting = pause !== undefined || (own.process !== undefined && own.process.is !== 'running')
  const facts = { resting, halted: halt !== undefined, started: own.process?.started }
  const writes = read?.is === 'bytes' ? reporter.writes.see({ mtime: read.mtimeMs, ...facts }) : reporter.writes.last()
  const aged = !resting && now.kept.good !== undefined ? writes : undefined
  const age = aged && ageItem(aged, aged.looked)
  return composeReport({
    ...own,
    manifest,
    status,
    health: [
      ...health,
      ...diskHealth(folder, reporter.refused),
      ...settingsHealth(folder, manifest),
      ...(own.remarks ?? []),
      ...now.health,
      ...(age ? [age] : []),
    ],
    values: settingsInForce(folder, manifest),
    pause,
    halt,
    stop: own.stop && { by: own.stop, author: readStop(folder) },
    statusAt: aged && wholeSeconds(inServiceTime(aged.at, reporter.serviceClock, clocks())),
    statusOld: aged && isStatusOld(aged, aged.looked),
    acks,
    account: readAccount(folder),
    host: hostname(),
    runtime: own.runtime ?? { version: ownVersion },
    boot: reporter.boot,
    seq: reporter.seq,
  })
}

type JudgedAnswer =
  | { readonly ok: true; readonly status: number; readonly text: string; readonly answer: ReceivedAnswer }
  | {
      readonly ok: false
      readonly why: string
      readonly status?: number
      readonly text?: string
      readonly code?: string
    }

/** Decides whether a report was successful (D17). */
function judge(sent: SendResult): JudgedAnswer {
  if (sent.is === 'lost') return { ok: false, why: sent.why }
  const { status, body } = sent
  const text = body.toString('utf8')
  if (status < 200 || status > 299) {
    const { code, message } = refusalOf(status, body)
    return { ok: false, why: message, status, text, ...(code !== undefined && { code }) }
  }
  const answer = readAnswer(body)
  return answer.ok
    ? { ok: true, status, text, answer: answer.value }
    : { ok: false, why: `its answer is not one of this protocol: ${answer.message}`, status, text }
}

function record(
  folder: Folder,
  connection: ServiceConnection,
  { sent, body, result }: { sent: number; body: string; result: JudgedAnswer },
): void {
  const reached = result.ok ? sent : readOutbox(folder)?.reached
  const outbox = {
    origin: connection.origin,
    sent,
    report: body,
    ...(result.status !== undefined && { status: result.status }),
    ...(result.text !== undefined && { answer: result.text }),
    ...(!result.ok && { failure: result.why }),
    ...(reached !== undefined && { reached }),
  }
  writeOutbox(folder, outbox, connection.token)
}

/**
 * Drops acks from the journal. This is called only after a report that carried them was successful (D4). If the journal
 * cannot be used, only the acks in memory are dropped; those in the journal are sent again.
 */
function arrived({ folder, memory }: ReporterState, { acks = [] }: Report, now: number): void {
  if (acks.length === 0) return
  try {
    withTurnOnFullDisk(folder, 'svc report', () =>
      changeJournal(folder, memory, (journal) => forgetOldEntries(dropAcks(journal, acks), now)),
    )
  } catch {
    memory.entries = dropAcks(memory.entries, acks)
  }
}

// The rest of this file estimates the clock of the service from its answers. The service judges by its own clock how
// old a status file is, and the clock of this machine may be wrong or be set. All times are in milliseconds.

/** The time of the service in an answer, and both clocks of this machine when the answer came. */
interface ServiceClock {
  readonly at: number
  readonly now: number
  readonly mono: number
}

/** The two clocks of this machine: Unix time, and the monotonic clock. */
type MachineClocks = Pick<ServiceClock, 'now' | 'mono'>

/**
 * Clocks that differ by less than this many milliseconds count as the same, because a header has whole seconds and an
 * answer takes time.
 */
const sameMs = 60_000

/** Reads the header `Date` of an answer; undefined if it is missing or invalid. */
export function serviceClock(date: string | undefined, clocks: MachineClocks): ServiceClock | undefined {
  const at = Date.parse(date ?? '')
  return Number.isNaN(at) ? undefined : { at, ...clocks }
}

/**
 * Converts a time from the clock of this machine to the clock of the service. The clock on which more time has passed
 * since the answer counts: the monotonic one stands still while the machine sleeps, and Unix time may be set back.
 */
export function inServiceTime(time: number, clock: ServiceClock | undefined, { now, mono }: MachineClocks): number {
  if (clock === undefined) return time
  const passed = Math.max(now - clock.now, mono - clock.mono)
  const ahead = clock.at + passed - now
  return Math.abs(ahead) < sameMs ? time : time + ahead
}
