/**
 * Sends the deliveries that are due. Channels are served side by side, in the places that places.ts gives them, so a
 * receiver that hangs delays only its own workspace. Deliveries that were not accepted wait in the database, not in
 * memory.
 */
import { chooseChannels, type DueChannel } from './places.ts'
import { noteDisabled, type Serving, serve } from './serving.ts'
import { endOld } from './settling.ts'
import { dueChannels } from './store.ts'

/**
 * The milliseconds between two checks for due deliveries, and from the moment at which a place becomes free until the
 * next check.
 */
const [everyMs, soonMs] = [1000, 50]
const endOldEveryMs = 60_000
/**
 * The milliseconds for which a channel is not served after a turn that ended with an error, or in which no message was
 * tried.
 */
const restMs = 5000

interface Dispatcher {
  start(): void
  /** Lets each channel that has due deliveries, and a place, have one turn. Resolves when these turns are over. */
  dispatch(): Promise<void>
  /** When this node last checked for due deliveries, in Unix milliseconds; null if it never did. */
  lookedAt(): number | null
  /**
   * Stops sending, and resolves when no request is in progress. Deliveries that were not accepted stay in the database,
   * and any node may send them later.
   */
  stop(): Promise<void>
}

export function newDispatcher(parts: Serving): Dispatcher {
  const { store, log, now } = parts
  const ending = new AbortController()
  const busy = new Map<string, { channel: DueChannel; turn: Promise<void> }>()
  const resting = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | undefined
  let lookedAt: number | null = null
  let oldEndedAt = Number.NEGATIVE_INFINITY
  let isStarted = false
  let isFreed = false
  return { start, dispatch, lookedAt: () => lookedAt, stop }

  function start(): void {
    isStarted = true
    plan(everyMs)
  }

  function plan(afterMs: number): void {
    clearTimeout(timer)
    if (!isStarted || ending.signal.aborted) return
    timer = setTimeout(() => {
      check()
        .catch((error) => log.warn({ err: error }, 'deliveries could not be looked through; tried again soon'))
        .finally(() => plan(isFreed ? soonMs : everyMs))
    }, afterMs).unref()
  }

  /** Checks for due deliveries again soon, because a place has become free. */
  function freed(): void {
    if (checking) isFreed = true
    else plan(soonMs)
  }

  /** Starts the turns of channels that have due deliveries. A call during a check waits for that check. */
  function check(): Promise<void> {
    checking ??= checkOnce().finally(() => {
      checking = undefined
    })
    return checking
  }

  async function checkOnce(): Promise<void> {
    isFreed = false
    if (now() - oldEndedAt >= endOldEveryMs || now() < oldEndedAt) {
      oldEndedAt = now()
      for (const channel of await endOld(store, now())) noteDisabled(log, channel)
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
    const turn = serve(channel, parts, ending.signal)
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

  async function dispatch(): Promise<void> {
    await check()
    await Promise.all([...busy.values()].map(({ turn }) => turn))
  }

  async function stop(): Promise<void> {
    isStarted = false
    clearTimeout(timer)
    ending.abort()
    await checking?.catch(() => {})
    await Promise.all([...busy.values()].map(({ turn }) => turn))
  }
}
