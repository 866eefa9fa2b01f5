/**
 * Sends the deliveries that are due. Channels are served side by side, in the places that places.ts gives them, so a
 * receiver that hangs delays only its own workspace. Deliveries that were not accepted wait in the database, not in
 * memory.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../db/open.ts'
import { type Claimed, claim } from './claiming.ts'
import type { TryResult } from './outbox.ts'
import { chooseChannels, type DueChannel } from './places.ts'
import { disable, endOld, giveBack, settle } from './settling.ts'
import { dueChannels } from './store.ts'
import { openAddress, type Trying, tryOnce } from './trying.ts'
import type { Writer } from './writer.ts'

/** How often due deliveries are looked for, and how soon after a place has become free. */
const [everyMs, soonMs] = [1000, 50]
const endOldEveryMs = 60_000
/** The number of messages that a channel that works gets before others of its workspace have their turn. */
const triesAtOnce = 3
/** The milliseconds until a channel is looked at again whose turn ended with an error, or without a message. */
const restMs = 5000
/** The milliseconds between two tries to store the outcome of a delivery. */
const storeAgainMs = 1000

export interface Dispatching extends Trying {
  store: Store
  log: Pick<Logger, 'warn'>
  now: () => number
  /** The id of this process, which no other process on the same database has. */
  node: string
  // biome-ignore lint/suspicious/noExplicitAny: what is written is of no concern here
  writer: Writer<any>
  /** Returns a random number from 0 up to 1; tests replace it. */
  random?: () => number
}

export interface Dispatcher {
  start(): void
  /** Lets each channel that has due deliveries, and a place, have one turn. Resolves when these turns are over. */
  dispatch(): Promise<void>
  /** When due deliveries were last looked for, in Unix milliseconds; null if they never were. */
  lookedAt(): number | null
  /**
   * Stops sending, and resolves when no request is in progress. Deliveries that were not accepted stay in the database,
   * and any node may send them later.
   */
  stop(): Promise<void>
}

export function newDispatcher(parts: Dispatching): Dispatcher {
  const { store, log, now } = parts
  const ending = new AbortController()
  const busy = new Map<string, { channel: DueChannel; turn: Promise<void> }>()
  const resting = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let lookedAt: number | null = null
  let oldEndedAt = Number.NEGATIVE_INFINITY
  let isStarted = false
  let isFreed = false
  const random = parts.random ?? Math.random
  const claiming = () => ({ node: parts.node, writer: parts.writer, now: now(), random: random() })
  const noteDisabled = (channel: string) =>
    log.warn({ channel }, 'a channel was disabled: its deliveries are not taken')
  return { start, dispatch, lookedAt: () => lookedAt, stop }

  function start(): void {
    isStarted = true
    plan(everyMs)
  }

  function plan(afterMs: number): void {
    clearTimeout(timer)
    if (!isStarted || ending.signal.aborted) return
    timer = setTimeout(() => {
      look()
        .catch((error) => log.warn({ err: error }, 'deliveries could not be looked through; tried again soon'))
        .finally(() => plan(isFreed ? soonMs : everyMs))
    }, afterMs).unref()
  }

  /** Looks for due deliveries again soon, because a place has become free. */
  function freed(): void {
    if (looking) isFreed = true
    else plan(soonMs)
  }

  /** Begins the turns of channels that have due deliveries. Calls that overlap share one look. */
  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = undefined
    })
    return looking
  }

  async function lookOnce(): Promise<void> {
    isFreed = false
    if (now() - oldEndedAt >= endOldEveryMs || now() < oldEndedAt) {
      oldEndedAt = now()
      for (const channel of await endOld(store, now())) noteDisabled(channel)
    }
    const due = await dueChannels(store, { node: parts.node, now: now() })
    lookedAt = now()
    const at = performance.now()
    for (const [id, until] of resting) if (until <= at) resting.delete(id)
    const awake = due.filter(({ id }) => !resting.has(id))
    for (const channel of chooseChannels(
      awake,
      [...busy.values()].map((one) => one.channel),
    ))
      begin(channel)
  }

  function begin(channel: DueChannel): void {
    const { id } = channel
    if (ending.signal.aborted) return
    const turn = serve(channel)
      .then((tried) => tried > 0 || rest(id))
      .catch((error) => {
        rest(id)
        log.warn({ err: error, channel: id }, 'a channel could not be served; tried again soon')
      })
      .finally(() => {
        busy.delete(id)
        freed()
      })
    busy.set(id, { channel, turn: turn.then(() => {}) })
  }

  function rest(id: string): void {
    resting.set(id, performance.now() + restMs)
  }

  /** Sends the next messages of a channel until one is not accepted. Returns the number of tries. */
  async function serve({ id, works }: DueChannel): Promise<number> {
    const max = works ? triesAtOnce : 1
    for (let tried = 0; tried < max; tried++) {
      if (ending.signal.aborted) return max
      const { claimed, unwritable } = await claim(store, { ...claiming(), channelId: id })
      for (const { delivery, reason } of unwritable)
        log.warn({ channel: id, delivery, reason }, 'a message cannot be written; tried again later')
      if (!claimed) return tried + unwritable.length
      if (!(await sendOne(claimed))) return max
    }
    return max
  }

  /** Sends a message that was taken, and stores the outcome. True if the receiver accepted the message. */
  async function sendOne(claimed: Claimed): Promise<boolean> {
    const { channel, row } = claimed
    const address = openAddress(claimed, parts.key)
    if (!address) {
      await disable(store, channel.id, unopened, now())
      return false
    }
    const answer = await tryOnce(claimed, address, { ...parts, stop: ending.signal }, now())
    if (answer.is === 'stopped') {
      await giveBack(store, claimed)
      return false
    }
    const settled = await settleSurely(row.id, answer)
    if (settled?.disabled) noteDisabled(channel.id)
    return settled?.outcome.is === 'sent'
  }

  /**
   * Stores the outcome of a try. While the database takes no writes, the channel keeps its place and gets no other
   * message, so that an accepted one is not sent again.
   */
  async function settleSurely(id: string, answer: Exclude<TryResult, { is: 'stopped' }>) {
    for (let failed = 0; ; failed++) {
      try {
        return await settle(store, id, answer, { now: now(), random: random(), node: parts.node })
      } catch (error) {
        if (failed === 0) log.warn({ err: error, delivery: id }, 'the outcome of a delivery could not be stored')
        if (ending.signal.aborted) return undefined
        await sleep(storeAgainMs, undefined, { signal: ending.signal }).catch(() => {})
      }
    }
  }

  async function dispatch(): Promise<void> {
    await look()
    await Promise.all([...busy.values()].map(({ turn }) => turn))
  }

  async function stop(): Promise<void> {
    isStarted = false
    clearTimeout(timer)
    ending.abort()
    await looking?.catch(() => {})
    await Promise.all([...busy.values()].map(({ turn }) => turn))
  }
}

const unopened =
  'Its secret cannot be opened with the file `secret` of this data folder. Restore that file, or remove the channel and add it again.'

/**
 * Sends one test message from this process, for a command that runs while no service may run. Returns at once if
 * another process serves the channel.
 */
export async function sendTest(parts: Dispatching, channelId: string, delivery: string): Promise<void> {
  const { store, node, writer, now } = parts
  const at = { now: now(), random: Math.random() }
  const { claimed } = await claim(store, { channelId, node, writer, only: delivery, ...at })
  const address = claimed && openAddress(claimed, parts.key)
  if (!claimed) return
  if (!address) return disable(store, channelId, unopened, now())
  const answer = await tryOnce(claimed, address, parts, now())
  if (answer.is !== 'stopped') await settle(store, delivery, answer, { ...at, now: now(), node })
}
