/** Serves one channel: takes its next messages, tries them, and stores how each try ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../platform/db/open.ts'
import { type ClaimedDelivery, claim } from './claiming.ts'
import type { DeliveryAnswer } from './outbox.ts'
import type { DueWork } from './places.ts'
import { disable, endOld, giveBack, settle } from './settling.ts'
import type { Source } from './source.ts'
import { dueChannels } from './store.ts'
import { openAddress, type TryParts, tryOnce } from './trying.ts'
import type { Writer } from './writer.ts'

/** The number of messages that a channel that works gets before others of its workspace have their turn. */
const triesAtOnce = 3
/** The milliseconds between two times at which old deliveries are ended. */
const endOldEveryMs = 60_000
/** The milliseconds between two tries to store the outcome of a delivery. */
const storeAgainMs = 1000

export interface ServingParts extends TryParts {
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

/** The channels with due messages as work of the dispatcher. Once a minute, deliveries that are too old are ended. */
export function channelsOf(serving: ServingParts): Source {
  const { store, log, node } = serving
  let oldEndedAt = Number.NEGATIVE_INFINITY
  return {
    async due(now) {
      if (now - oldEndedAt >= endOldEveryMs || now < oldEndedAt) {
        oldEndedAt = now
        for (const channel of await endOld(store, now)) noteDisabled(log, channel)
      }
      return dueChannels(store, { node, now })
    },
    serve: (channel, stop) => serve(channel, serving, stop),
  }
}

/**
 * Sends the next messages of a channel until one is not accepted. Returns the number of messages that it dealt with.
 */
async function serve(
  { id, works }: Pick<DueWork, 'id' | 'works'>,
  serving: ServingParts,
  stop: AbortSignal,
): Promise<number> {
  const { store, log, now, node, writer, random = Math.random } = serving
  const max = works ? triesAtOnce : 1
  for (let tried = 0; tried < max && !stop.aborted; tried++) {
    const claiming = { channelId: id, node, writer, now: now(), random: random() }
    const { claimed, unwritable } = await claim(store, claiming)
    for (const { delivery, reason } of unwritable)
      log.warn({ channel: id, delivery, reason }, 'a message cannot be written; tried again later')
    if (!claimed) return tried + unwritable.length
    if (!(await sendOne(claimed, serving, stop))) break
  }
  return max
}

/** Sends a message that was taken, and stores the outcome. True if the receiver accepted the message. */
async function sendOne(claimed: ClaimedDelivery, serving: ServingParts, stop: AbortSignal): Promise<boolean> {
  const { channel, row } = claimed
  const { store, log, now, key } = serving
  const address = openAddress(claimed, key)
  if (!address) {
    await disable(store, channel.id, unopened, now())
    return false
  }
  const answer = await tryOnce(claimed, address, { ...serving, stop }, now())
  if (answer.is === 'stopped') {
    await giveBack(store, claimed)
    return false
  }
  const settled = await settleSurely(row.id, answer, serving, stop)
  if (settled?.disabled) noteDisabled(log, channel.id)
  return settled?.outcome.is === 'sent'
}

/**
 * Stores the outcome of a try. While the database takes no writes, the channel keeps its place and gets no other
 * message, so that an accepted one is not sent again.
 */
async function settleSurely(id: string, answer: DeliveryAnswer, serving: ServingParts, stop: AbortSignal) {
  const { store, log, now, node, random = Math.random } = serving
  for (let failed = 0; ; failed++) {
    try {
      return await settle(store, id, answer, { now: now(), random: random(), node })
    } catch (error) {
      if (failed === 0) log.warn({ err: error, delivery: id }, 'the outcome of a delivery could not be stored')
      if (stop.aborted) return undefined
      await sleep(storeAgainMs, undefined, { signal: stop }).catch(() => {})
    }
  }
}

const noteDisabled = (log: Pick<Logger, 'warn'>, channel: string): void =>
  log.warn({ channel }, 'a channel was disabled: its deliveries are not taken')

const unopened =
  'Its secret cannot be opened with the file `secret` of this data folder. Restore that file, or remove the channel and add it again.'

/**
 * Sends one test message from this process, for a command that runs while no service may run. Returns at once if
 * another process serves the channel.
 */
export async function sendTest(serving: ServingParts, channelId: string, delivery: string): Promise<void> {
  const { store, node, writer, now } = serving
  const claiming = { channelId, node, writer, now: now(), random: Math.random(), only: delivery }
  const { claimed } = await claim(store, claiming)
  if (claimed) await sendOne(claimed, serving, new AbortController().signal)
}
