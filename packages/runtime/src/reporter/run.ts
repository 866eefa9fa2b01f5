/**
 * Sends reports until it is stopped, in `svc report` or in the runtime (1, rules 1 and 2). A failed report is logged,
 * and the next one is sent after the usual interval.
 */
import { randomUUID } from 'node:crypto'
import type { Manifest } from '@svc/blueprint'
import { clampInterval, cut, type HealthItem, limits, type StoppedBy } from '@svc/protocol'
import { messageOf } from '../machine/base/errors.ts'
import { floorMs, scaledMs, wait } from '../machine/base/time.ts'
import { ownVersion } from '../machine/base/version.ts'
import { sweepTemporary } from '../machine/files/durable.ts'
import { readConnection } from '../machine/files/env.ts'
import type { Folder } from '../machine/files/folder.ts'
import { withTurn } from '../machine/files/lock.ts'
import { readManifestFile } from '../machine/files/read.ts'
import { fillSettings } from '../state/settings.ts'
import { newCommandMemory } from './commands/journal.ts'
import { handledText } from './commands/receive.ts'
import {
  type CurrentFacts,
  type ExchangeResult,
  exchangeReport,
  type OwnFacts,
  type ReporterState,
} from './exchange.ts'
import { manifestNow } from './known.ts'
import { watchWrites } from './status/writes.ts'
import { uploadLogs } from './uploads.ts'

export const createReporter = (folder: Folder): ReporterState => ({
  folder,
  boot: randomUUID(),
  seq: 0,
  kept: { misses: 0 },
  writes: watchWrites(folder),
  memory: newCommandMemory(),
})

/**
 * The seconds that a report in progress gets when the reporter is stopped. The answer to that report may carry
 * commands, and a command is delivered only once.
 */
const graceSeconds = 2

/** Reports until `stop` is aborted. The caller holds the folder's lock meanwhile. */
export async function reportUntil(
  folder: Folder,
  first: Manifest,
  stop: AbortSignal,
  {
    say,
    own = () => ({}),
    heard = () => {},
    ready,
    stoppedBy,
  }: {
    say: (line: string) => void
    own?: (manifest: Manifest) => OwnFacts
    heard?: (result: ExchangeResult) => void
    ready?: Promise<void>
    /** Returns who stopped the agent; undefined if only the reporter is being replaced. Called after `stop`. */
    stoppedBy?: () => StoppedBy | undefined
  },
): Promise<void> {
  const reporter = createReporter(folder)
  const manifestNow = watchManifest(folder, first)
  const cut = new AbortController()
  stop.addEventListener('abort', () => setTimeout(() => cut.abort(), scaledMs(graceSeconds)).unref())
  const news = tell(say)
  say(`svc ${ownVersion} reports for ${folder.root}`)
  tidy(folder, first, say)
  let interval = firstInterval
  let uploading: Promise<void> | undefined
  let due = firstReportAt(performance.now(), Math.random(), scaledMs(1))
  await ready
  while (await wait(due - performance.now(), stop)) {
    const startedAt = performance.now()
    try {
      const connection = readConnection(folder)
      if (!connection.ok) throw new Error(connection.message)
      const now = await manifestNow()
      const result = await exchangeReport(reporter, { ...now, ...own(now.manifest) }, connection.value, cut.signal)
      news(result)
      heard(result)
      if (result.ok) {
        interval = clampInterval(result.answer.interval, interval)
        uploading ??= uploadLogs(reporter, now.manifest, connection.value, { signal: cut.signal, say })
          .catch((error) => say(`log not sent: ${messageOf(error)}`))
          .finally(() => {
            uploading = undefined
          })
      }
    } catch (error) {
      news({ ok: false, why: messageOf(error) })
    }
    due = timeOfNextReport(startedAt, performance.now(), {
      interval: scaledMs(interval),
      chance: Math.random(),
      minWait: minFloors * floorMs(),
    })
  }
  const by = stoppedBy?.()
  if (by) news(await farewell(reporter, { ...(await manifestNow()), ...own(first), stop: by }, cut.signal))
  await uploading
  say('stopped')
}

/** Sends one last report, in what is left of the grace period (D66). It is not retried. */
async function farewell(reporter: ReporterState, facts: CurrentFacts, signal: AbortSignal): Promise<ExchangeResult> {
  const connection = readConnection(reporter.folder)
  if (!connection.ok) return { ok: false, why: connection.message }
  try {
    return await exchangeReport(reporter, facts, connection.value, signal)
  } catch (error) {
    return { ok: false, why: messageOf(error) }
  }
}

/**
 * Removes old temporary files from the runtime's folders, and adds the settings that the manifest describes and the
 * settings file lacks. A failure is only logged.
 */
function tidy(folder: Folder, manifest: Manifest, say: (line: string) => void): void {
  try {
    for (const each of [folder.svc, folder.journal, folder.lock]) sweepTemporary(each, Date.now())
    withTurn(folder, 'svc report', () => fillSettings(folder, manifest))
  } catch (error) {
    say(`the settings file could not be updated: ${messageOf(error)}`)
  }
}

/**
 * Returns a function that logs only what is new: the first success, every command, a failure for a new reason, every
 * hundredth failure in a row, and the first success after failures.
 */
function tell(say: (line: string) => void): (result: ExchangeResult) => void {
  let failures = 0
  let last: string | undefined
  let reached = false
  return (result) => {
    if (!result.ok) {
      failures++
      if (result.why !== last || failures % 100 === 0)
        say(`report failed: ${result.why}; next try at the next interval`)
      last = result.why
      return
    }
    if (!reached || failures > 0) say(failures > 0 ? `reported again after ${failures} failures` : 'reported')
    for (const one of result.handled) say(handledText(one))
    reached = true
    failures = 0
    last = undefined
  }
}

/**
 * The manifest that a reporter uses: the last valid one. If the file has become invalid since, a health item says so.
 */
interface WatchedManifest {
  readonly manifest: Manifest
  readonly health: readonly HealthItem[]
}

function watchManifest(folder: Folder, first: Manifest): () => Promise<WatchedManifest> {
  let good = first
  let lastText = ''
  let health: HealthItem[] = []
  return async () => {
    const read = readManifestFile(folder)
    const source = read.is === 'bytes' ? read.bytes.toString('latin1') : read.is
    if (source !== lastText) {
      lastText = source
      const now = await manifestNow(folder)
      if (now.ok) good = now.value
      health = now.ok
        ? []
        : [
            {
              name: 'Manifest',
              level: 'warn',
              detail: cut(`The previous one stays in force. ${now.message.split('\n')[0]}`, limits.detail),
            },
          ]
    }
    return { manifest: good, health }
  }
}

// Decides when the reporter sends (D18). All times are milliseconds of one monotonic clock; `chance` is a number from 0
// to 1.

/**
 * The time of the first report. It is random, so that reporters which start at the same moment do not report at the
 * same moment.
 */
export const firstReportAt = (now: number, chance: number, second: number): number => now + chance * 5 * second

/**
 * The time of the next report: a whole number of intervals after `last`, the start of the previous report, and not
 * before `now`. Each interval is varied at random and is at least `minWait`.
 */
export function timeOfNextReport(
  last: number,
  now: number,
  { interval, chance, minWait = 0 }: { interval: number; chance: number; minWait?: number },
): number {
  const step = Math.max(interval * (0.85 + 0.3 * chance), minWait)
  return last + step * Math.max(1, Math.ceil((now - last) / step))
}

/**
 * The minimum wait between two reports, as a multiple of `floorMs()`, which is 1000 ms by default. The service accepts
 * 60 reports a minute (7), and a restart of the reporter adds a report.
 */
const minFloors = 1.1

const firstInterval: number = limits.intervalSeconds
