/** Serves one channel: takes its next messages, tries them, and stores how each try ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Store } from '../platform/db/open.ts'
import { type SealKey, unseal } from '../platform/seal.ts'
import { type AttemptLimits, attemptCall, errorWords } from './attempt.ts'
import type { ReceiverAddress } from './channels/call.ts'
import { channelTraits } from './channels/kinds.ts'
import { type ClaimedDelivery, claimDeliveries } from './claiming.ts'
import type { DeliveryAnswer, TryResult } from './outbox.ts'
import { shownAddress } from './reading.ts'
import { sendMessage } from './send.ts'
import type { Senders } from './senders.ts'
import { disableReceiver, endOldDeliveries, giveMessageBack, settleDelivery } from './settling.ts'
import type { DueWork } from './slots.ts'
import type { DeliverySource } from './source.ts'
import { dueChannels } from './store.ts'
import type { AllowedNetworks } from './target.ts'
import type { MessageWriter } from './writer.ts'

/** The number of messages that a working channel gets in one turn. */
const triesAtOnce = 3
/** The milliseconds between two times at which old deliveries are ended. */
const endOldEveryMs = 60_000
/** The milliseconds between two tries to store the outcome of a delivery. */
const storeAgainMs = 1000

/** The dependencies of the code that serves channels. */
export interface ServingParts extends TryParts {
  store: Store
  log: Pick<Logger, 'warn'>
  now: () => number
  /** The id of this process, which no other process on the same database has. */
  node: string
  // biome-ignore lint/suspicious/noExplicitAny: channels are served alike, whatever type their changes have
  writer: MessageWriter<any>
  /** Returns a random number from 0 up to 1; tests replace it. */
  random?: () => number
}

/** The channels with due messages as work of the dispatcher. Once a minute, deliveries that are too old are ended. */
export function channelsOf(parts: ServingParts): DeliverySource {
  const { store, log, node } = parts
  let oldEndedAt = Number.NEGATIVE_INFINITY
  return {
    async due(now) {
      if (now - oldEndedAt >= endOldEveryMs || now < oldEndedAt) {
        oldEndedAt = now
        for (const channel of await endOldDeliveries(store, now)) noteDisabled(log, channel)
      }
      return dueChannels(store, { node, now })
    },
    serve: (channel, stop) => serve(channel, parts, stop),
  }
}

/**
 * Sends the next messages of a channel: one, or several if the channel works, until a message is not accepted. Returns
 * 0 if there was no message to try, otherwise a positive number.
 */
async function serve(
  { id, works }: Pick<DueWork, 'id' | 'works'>,
  parts: ServingParts,
  stop: AbortSignal,
): Promise<number> {
  const { store, log, now, node, writer, random = Math.random } = parts
  const max = works ? triesAtOnce : 1
  for (let tried = 0; tried < max && !stop.aborted; tried++) {
    const context = { channelId: id, node, writer, now: now(), random: random() }
    const { claimed, unwritable } = await claimDeliveries(store, context)
    for (const { delivery, reason } of unwritable)
      log.warn({ channel: id, delivery, reason }, 'a message cannot be written; tried again later')
    if (!claimed) return tried + unwritable.length
    if (!(await sendOne(claimed, parts, stop))) break
  }
  return max
}

/** Sends a message that was taken, and stores the outcome. True if the receiver accepted the message. */
async function sendOne(claimed: ClaimedDelivery, parts: ServingParts, stop: AbortSignal): Promise<boolean> {
  const { channel, row } = claimed
  const { store, log, now, key } = parts
  const address = openAddress(claimed, key)
  if (!address) {
    await disableReceiver(store, channel.id, unopened, now())
    return false
  }
  const answer = await tryOnce(claimed, address, { ...parts, stop }, now())
  if (answer.is === 'stopped') {
    await giveMessageBack(store, claimed)
    return false
  }
  const settled = await settleSurely(row.id, answer, parts, stop)
  if (settled?.disabled) noteDisabled(log, channel.id)
  return settled?.outcome.is === 'sent'
}

/**
 * Stores the outcome of a try, and retries that until it succeeds or the service stops. If the outcome were lost, an
 * accepted message would be sent again.
 */
async function settleSurely(id: string, answer: DeliveryAnswer, parts: ServingParts, stop: AbortSignal) {
  const { store, log, now, node, random = Math.random } = parts
  for (let failed = 0; ; failed++) {
    try {
      return await settleDelivery(store, id, answer, { now: now(), random: random(), node })
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
 * Sends one test message from this process, for a command of the operator that also works while the service is stopped.
 * Returns at once if another process serves the channel.
 */
export async function sendTest(parts: ServingParts, channelId: string, delivery: string): Promise<void> {
  const { store, node, writer, now } = parts
  const context = { channelId, node, writer, now: now(), random: Math.random(), only: delivery }
  const { claimed } = await claimDeliveries(store, context)
  if (claimed) await sendOne(claimed, parts, new AbortController().signal)
}

interface TryParts extends AttemptLimits {
  key: SealKey
  allowed: AllowedNetworks
  senders: Senders
}

/** The address of a channel; undefined if it was encrypted with another key, or cannot be read. */
function openAddress({ channel }: Pick<ClaimedDelivery, 'channel'>, key: SealKey): ReceiverAddress | undefined {
  const text = unseal(key, channel.id, channel.sealed)
  try {
    return text === undefined ? undefined : (JSON.parse(text) as ReceiverAddress)
  } catch {
    return undefined
  }
}

/** Tries once to send a message. The secrets of the address are removed from what is kept of the answer. */
async function tryOnce(
  { channel, row, written: message }: ClaimedDelivery,
  address: ReceiverAddress,
  { key, allowed, senders, stop, withinMs, names }: TryParts,
  at: number,
): Promise<TryResult> {
  const delivery = { id: row.id, ...message, at }
  const limits = { stop, withinMs, names, isAwaited: row.kind === 'test' }
  const sender = senders[channel.kind]
  if (sender) return sender(address, delivery, limits)
  const { channel: write, goneAt404 } = channelTraits[channel.kind]
  if (!write) return { is: 'refused', message: `Channels of the kind ${channel.kind} are not sent yet.` }
  const written = await attemptCall(async () => write(address, delivery, key), limits)
  if (written.is === 'stopped') return written
  if (written.is !== 'done')
    return {
      is: 'refused',
      message: written.is === 'late' ? 'It could not be written in time.' : errorWords(written.error),
    }
  const answer = await sendMessage(written.value, { allowed, ...limits })
  if (answer.is !== 'status') return answer
  const { redirect, ...rest } = answer
  return {
    ...rest,
    message: withoutSecrets(answer.message, address),
    ...(answer.status === 404 && goneAt404 && { gone: true }),
    ...(redirect !== undefined && { redirect: shownRedirect(redirect, channel.kind, address) }),
  }
}

/** The minimum length of a secret that is removed from an answer. A shorter one would also be found in other words. */
const minSecret = 8

/** Removes the secrets of an address from what the receiver said, since some receivers repeat a request. */
function withoutSecrets(text: string, { url, secret }: ReceiverAddress): string {
  const secrets = [secret, url && pathOf(url)].filter((one) => one !== undefined && one.length >= minSecret)
  return secrets.reduce<string>((left, one) => left.replaceAll(one ?? '', '…'), text)
}

const pathOf = (url: string): string => {
  const { pathname = '', search = '' } = URL.parse(url) ?? {}
  return pathname + search
}

/** The address to which a receiver redirects, as far as it may be shown. */
function shownRedirect(
  redirect: string,
  kind: ClaimedDelivery['channel']['kind'],
  { secret }: ReceiverAddress,
): string {
  const hasSecret = secret !== undefined && redirect.includes(secret)
  return shownAddress({ urlIsSecret: channelTraits[kind].urlIsSecret || hasSecret }, { url: redirect })
}
