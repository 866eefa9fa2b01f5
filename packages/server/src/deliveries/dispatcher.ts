/**
 * Sends the deliveries that are due. Each channel is served separately, so a slow or unreachable channel does not delay
 * the others. Deliveries that were not accepted wait in the database, not in memory.
 */
import type { Logger } from 'pino'
import type { Store } from '../db/open.ts'
import { messageOf } from '../errors.ts'
import type { Allowed } from './allowed.ts'
import type { Address, Call, Delivery } from './channels/call.ts'
import { kinds } from './channels/kinds.ts'
import type { DeliveryAnswer } from './outbox.ts'
import { type SealKey, unseal } from './seal.ts'
import { send } from './send.ts'
import type { Senders } from './senders.ts'
import { disable, endOld, settle } from './settling.ts'
import { type Claimed, claim, dueChannels, type Writer } from './store.ts'

const everyMs = 1000
const endOldEveryMs = 60_000
const channelsAtOnce = 20

interface Dispatching {
  store: Store
  log: Pick<Logger, 'warn'>
  now: () => number
  key: SealKey
  allowed: Allowed
  senders: Senders
  // biome-ignore lint/suspicious/noExplicitAny: what is written is of no concern here
  writer: Writer<any>
  /** Returns a random number from 0 up to 1; tests replace it. */
  random?: () => number
}

interface Dispatcher {
  start(): void
  /**
   * Tries up to three due deliveries of each channel once: of up to 20 channels that have due deliveries, or only of
   * the given channel. Resolves when these deliveries were tried.
   */
  dispatch(channelId?: string): Promise<void>
  /**
   * Stops sending, and resolves when no request is in progress. Deliveries that were not accepted stay in the database,
   * and any node may send them later.
   */
  stop(): Promise<void>
}

export function newDispatcher(parts: Dispatching): Dispatcher {
  const { store, log, now } = parts
  const ending = new AbortController()
  const busy = new Map<string, Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let oldEndedAt = Number.NEGATIVE_INFINITY
  return { start: plan, dispatch, stop }

  function plan(): void {
    if (ending.signal.aborted) return
    timer = setTimeout(() => {
      begin()
        .catch((error) => log.warn({ err: error }, 'deliveries could not be looked through; tried again soon'))
        .finally(plan)
    }, everyMs).unref()
  }

  /**
   * Starts to serve channels that have due deliveries and are not being served yet, at most 20 channels at a time. Once
   * a minute, deliveries that are too old are given up first.
   */
  async function begin(): Promise<void> {
    if (now() - oldEndedAt >= endOldEveryMs) {
      oldEndedAt = now()
      await endOld(store, now())
    }
    for (const id of await dueChannels(store, now())) {
      if (busy.has(id) || busy.size >= channelsAtOnce || ending.signal.aborted) continue
      const turn = serve(id)
        .catch((error) => log.warn({ err: error, channel: id }, 'a channel could not be served; tried again soon'))
        .finally(() => busy.delete(id))
      busy.set(id, turn)
    }
  }

  async function dispatch(channelId?: string): Promise<void> {
    if (channelId !== undefined) return serve(channelId)
    await begin()
    await Promise.all(busy.values())
  }

  async function serve(id: string): Promise<void> {
    const claimed = await claim(store, id, parts.writer, now())
    if (!claimed) return
    const address = addressOf(claimed, parts.key)
    if (!address) return disable(store, id, unopened, now())
    for (const { row, written } of claimed.deliveries) {
      if (ending.signal.aborted) return
      const answer = await tryOnce(claimed, address, { id: row.id, ...written, at: now() }, parts, ending.signal)
      // The stop of this process may have interrupted the request, so its failure says nothing about the receiver. The
      // delivery stays in the database and is tried again later.
      if (ending.signal.aborted && answer.is !== 'status') return
      const settled = await settle(store, row.id, answer, { now: now(), random: (parts.random ?? Math.random)() })
      if (settled?.disabled) log.warn({ channel: id }, 'a channel was disabled: its deliveries are not taken')
      if (settled?.disabled) return
    }
  }

  async function stop(): Promise<void> {
    clearTimeout(timer)
    ending.abort()
    await Promise.all(busy.values())
  }
}

const unopened =
  'Its secret cannot be opened with the file `secret` of this data folder. Restore that file, or remove the channel and add it again.'

function addressOf({ channel }: Claimed, key: SealKey): Address | undefined {
  const text = unseal(key, channel.id, channel.sealed)
  return text === undefined ? undefined : (JSON.parse(text) as Address)
}

async function tryOnce(
  { channel }: Claimed,
  address: Address,
  delivery: Delivery,
  { allowed, key, senders }: Dispatching,
  signal: AbortSignal,
): Promise<DeliveryAnswer> {
  const sender = senders[channel.kind]
  if (sender) return sender(address, delivery, signal)
  const { channel: write, goneAt404 } = kinds[channel.kind]
  if (!write) return { is: 'refused', message: `Channels of the kind ${channel.kind} are not sent yet.` }
  let call: Call
  try {
    call = await write(address, delivery, key)
  } catch (error) {
    return { is: 'refused', message: messageOf(error) }
  }
  const answer = await send(call, { allowed, signal })
  return answer.is === 'status' && answer.status === 404 && goneAt404 ? { ...answer, gone: true } : answer
}
