/**
 * Sends what is due: messages to channels, and mails about accounts. Several are sent at a time, and slots.ts limits
 * how many of these belong to one party (a workspace or a person), so a receiver that hangs delays only its party.
 * Messages that were not accepted wait in the database, not in memory.
 */
import type { Logger } from 'pino'
import { createLoop } from '../platform/loop.ts'
import { channelsOf, type ServingParts } from './serving.ts'
import { chooseWork, type DueWork } from './slots.ts'
import type { DeliverySource } from './source.ts'

/** The milliseconds between two checks for due work, and until the next check when a slot has become free. */
const [everyMs, soonMs] = [1000, 50]
/** The milliseconds for which work is not chosen again after `serve` threw, or had nothing to try. */
const restMs = 5000

interface Dispatcher {
  start(): void
  /** Checks for due work once, and starts the work that gets a slot. Resolves when no work is in progress. */
  dispatch(): Promise<void>
  /** The time of the last check for due work that succeeded, in Unix milliseconds; null if none has. */
  lookedAt(): number | null
  /**
   * Stops sending, and resolves when no request is in progress. Messages that were not accepted stay in the database,
   * and any node may send them later.
   */
  stop(): Promise<void>
}

/** A dispatcher for the channels of alerts and for further sources. */
export const createDispatcher = (parts: ServingParts, more: readonly DeliverySource[] = []): Dispatcher =>
  createSourceDispatcher([channelsOf(parts), ...more], parts)

/** Creates a dispatcher that serves these sources. */
export function createSourceDispatcher(
  sources: readonly DeliverySource[],
  { log, now }: { log: Pick<Logger, 'warn'>; now: () => number },
): Dispatcher {
  const ending = new AbortController()
  const busy = new Map<string, { work: DueWork; turn: Promise<void> }>()
  const resting = new Map<string, number>()
  let lookedAt: number | null = null
  const checks = createLoop(
    () => everyMs,
    check,
    (error) => log.warn({ err: error }, 'deliveries could not be looked through; tried again soon'),
  )
  return { start: () => checks.start(everyMs), dispatch, lookedAt: () => lookedAt, stop }

  /** Checks for due work again soon, because a slot has become free. */
  function freed(): void {
    checks.hurry(soonMs)
  }

  /** Reads the due work, and starts the work that gets a slot. */
  async function check(): Promise<void> {
    const at = performance.now()
    for (const [id, until] of resting) if (until <= at) resting.delete(id)
    // A source that cannot be read does not stop the others, but the check then counts as failed.
    const read = await Promise.allSettled(sources.map((source) => source.due(now())))
    const sourceOf = new Map<DueWork, DeliverySource>()
    for (const [i, result] of read.entries()) {
      const [source] = sources.slice(i, i + 1)
      if (result.status === 'fulfilled' && source)
        for (const work of result.value) if (!resting.has(work.id)) sourceOf.set(work, source)
    }
    const held = [...busy.values()].map(({ work }) => work)
    for (const work of chooseWork([...sourceOf.keys()], held)) begin(work, sourceOf.get(work))
    const failed = read.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    lookedAt = now()
  }

  function begin(work: DueWork, source: DeliverySource | undefined): void {
    const { id } = work
    if (!source || ending.signal.aborted) return
    const turn = source
      .serve(work, ending.signal)
      .then((tried) => tried > 0 || rest(id))
      .catch((error) => {
        rest(id)
        log.warn({ err: error, id }, 'a channel or a mail could not be served; tried again soon')
      })
      .finally(() => {
        busy.delete(id)
        freed()
      })
    busy.set(id, { work, turn: turn.then(() => {}) })
  }

  function rest(id: string): void {
    resting.set(id, performance.now() + restMs)
  }

  async function dispatch(): Promise<void> {
    await checks.run()
    await Promise.all([...busy.values()].map(({ turn }) => turn))
  }

  async function stop(): Promise<void> {
    ending.abort()
    await checks.stop()
    await Promise.all([...busy.values()].map(({ turn }) => turn))
  }
}
