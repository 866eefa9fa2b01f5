/**
 * Keeps the data of a tab fresh: by a stream, by loading the data every few seconds, or not at all. Over HTTP/1.1 all
 * tabs of a browser share six connections to a host, and each stream takes one. So at most four tabs hold a stream. A
 * visible tab without a stream tries to take one of the four slots before each loading.
 */
import { followAnswers } from '../../ui/time/service-time.ts'
import type { LiveState } from './connection.ts'

/** The maximum number of tabs of one browser that hold a stream. */
export const maxStreams = 4
/** How often a visible tab without a stream loads its data, in milliseconds. */
const pollMs = 4_000
/** A tab gives up its stream after it was hidden for this many milliseconds. */
export const maxHiddenMs = 180_000

/** The outcome of loading: the service answered, could not be reached, or refused the person. */
export type LoadResult = 'fresh' | 'unreachable' | 'refused'

/** The ways to keep the data of one workspace fresh. */
interface FreshnessTarget {
  /** Opens the stream. Calls `lost` each time a connection or an attempt fails; returns a function that closes it. */
  connect: (lost: () => void) => () => void
  /** Loads what the page shows. */
  load: () => Promise<LoadResult>
  /** Loads only enough to see whether the person may still see the workspace. */
  check: () => Promise<LoadResult>
}

/** The handle on a tab whose data is kept fresh. */
export interface Freshness {
  /** Sets the target, or replaces it. The tab keeps its slot. */
  aim(target: FreshnessTarget): void
  end(): void
}

/**
 * Keeps the data of this tab fresh from the first call of `aim` until `end` is called. While there is no stream,
 * `state` is called after each loading.
 */
export function keepFresh(state: (state: LiveState) => void): Freshness {
  // Undefined over plain HTTP, except on localhost.
  const locks = navigator.locks as LockManager | undefined
  const facts: TabFacts = { signedIn: false, hiddenSince: undefined, locks: locks !== undefined, hasSlot: false }
  let target: FreshnessTarget | undefined
  let way: StreamMode = 'idle'
  let slot: StreamSlot | undefined
  let close: (() => void) | undefined
  let polling = false

  function change(news: Partial<TabFacts>): void {
    Object.assign(facts, news)
    slot?.show(facts.hiddenSince === undefined)
    const before = way
    way = streamModeOf(facts, performance.now())
    if (way === before) return
    followAnswers(way === 'polls')
    reconnect()
    if (way === 'idle') leave()
    if (way === 'polls') void poll()
  }
  function reconnect(): void {
    close?.()
    const to = target
    close = way === 'holds' ? to?.connect(() => void to.check().then((loaded) => hear(to, loaded))) : undefined
  }
  function leave(): void {
    slot?.leave()
    slot = undefined
    facts.hasSlot = false
  }
  function hear(from: FreshnessTarget, loaded: LoadResult): void {
    if (from !== target) return
    if (loaded === 'refused') change({ signedIn: false })
    if (way === 'polls') state(loaded === 'unreachable' ? 'lost' : 'live')
  }
  async function poll(): Promise<void> {
    if (polling) return
    polling = true
    await take()
    if (way === 'polls' && target) hear(target, await target.load())
    polling = false
  }
  async function take(): Promise<void> {
    if (!locks) return
    const lost = () => {
      slot = undefined
      change({ hasSlot: false })
    }
    const taken = await takeStreamSlot(locks, lost).catch(() => undefined)
    if (way !== 'polls') return taken?.leave()
    slot = taken
    change({ hasSlot: taken !== undefined })
  }

  const unwatch = watchTab((hiddenSince) => change({ hiddenSince }))
  const timer = setInterval(() => {
    change({})
    if (way === 'polls') void poll()
  }, pollMs)
  return {
    aim(next) {
      target = next
      reconnect()
      change({ signedIn: true })
    },
    end() {
      clearInterval(timer)
      unwatch()
      target = undefined
      change({ signedIn: false })
    },
  }
}

/** The facts about a tab that decide its `StreamMode`. */
export interface TabFacts {
  /** False after the service has answered that nobody is signed in, or that the workspace is not the person's. */
  signedIn: boolean
  /**
   * When the tab was hidden, by `performance.now`; undefined if the tab is visible, -Infinity if the browser froze it
   * or the person left the page.
   */
  hiddenSince: number | undefined
  /** False if the browser has no Web Locks, for example over plain HTTP on another host than localhost. */
  locks: boolean
  /** True if the tab has one of the slots for tabs with a stream. */
  hasSlot: boolean
}

/**
 * How a tab keeps its data fresh: it holds a stream, loads its data every few seconds, or does nothing, for example if
 * it was hidden for some minutes.
 */
type StreamMode = 'holds' | 'polls' | 'idle'

/** Chooses how a tab keeps its data fresh. */
export function streamModeOf({ signedIn, hiddenSince, locks, hasSlot }: TabFacts, now: number): StreamMode {
  if (!signedIn) return 'idle'
  if (hiddenSince === undefined) return hasSlot || !locks ? 'holds' : 'polls'
  return hasSlot && now - hiddenSince < maxHiddenMs ? 'holds' : 'idle'
}

/**
 * Calls `changed` with `hiddenSince` (see TabFacts) at once, and each time the tab is shown, hidden, frozen or left.
 * Returns a function that ends the calls.
 */
function watchTab(changed: (hiddenSince: number | undefined) => void): () => void {
  let hiddenSince: number | undefined
  const notify = () => {
    hiddenSince = document.visibilityState === 'visible' ? undefined : (hiddenSince ?? performance.now())
    changed(hiddenSince)
  }
  const sleep = () => {
    hiddenSince = Number.NEGATIVE_INFINITY
    changed(hiddenSince)
  }
  const ended = new AbortController()
  const { signal } = ended
  document.addEventListener('visibilitychange', notify, { signal })
  document.addEventListener('resume', notify, { signal })
  document.addEventListener('freeze', sleep, { signal })
  window.addEventListener('pageshow', notify, { signal })
  window.addEventListener('pagehide', sleep, { signal })
  notify()
  return () => ended.abort()
}

// The slots limit how many tabs hold a stream. Each slot is a Web Lock, which the browser frees when the tab closes or
// crashes. A visible tab with a slot also holds the slot's `shownLock`. Other tabs may steal a slot whose `shownLock`
// is free, because the tab that holds it is hidden.

interface StreamSlot {
  /** Notes whether the tab of the slot is visible. */
  show(visible: boolean): void
  leave(): void
}

const names = Array.from({ length: maxStreams }, (_, i) => `svc-stream-${i + 1}`)
const shownLock = (name: string) => `${name}-visible`

/**
 * Takes a slot for a visible tab: a free slot or, if there is none, that of a hidden tab. Resolves with undefined if
 * visible tabs have all slots. `lost` is called if another tab steals the slot later.
 */
export async function takeStreamSlot(locks: LockManager, lost: () => void): Promise<StreamSlot | undefined> {
  const { held = [] } = await locks.query()
  const taken = new Set(held.map(({ name }) => name))
  for (const name of names.filter((each) => !taken.has(each))) {
    const slot = await takeSlot(locks, name, { ifAvailable: true }, lost)
    if (slot) return slot
  }
  const hidden = names.find((name) => taken.has(name) && !taken.has(shownLock(name)))
  return hidden === undefined ? undefined : await takeSlot(locks, hidden, { steal: true }, lost)
}

async function takeSlot(
  locks: LockManager,
  name: string,
  how: LockOptions,
  lost: () => void,
): Promise<StreamSlot | undefined> {
  const showing = () => requestLock(locks, shownLock(name), { mode: 'shared' }, () => {})
  const hide = (shown: ReturnType<typeof requestLock> | undefined) => void shown?.then((release) => release?.())
  // Take the `shownLock` before the slot: without it, another tab would consider this tab hidden, and steal the slot.
  let shown: ReturnType<typeof requestLock> | undefined = showing()
  await shown
  const release = await requestLock(locks, name, how, () => {
    hide(shown)
    lost()
  })
  if (!release) {
    hide(shown)
    return undefined
  }
  return {
    show(visible) {
      if (visible) shown ??= showing()
      else {
        hide(shown)
        shown = undefined
      }
    },
    leave() {
      hide(shown)
      release()
    },
  }
}

/**
 * Holds a lock until the returned function is called. Resolves with undefined if the lock is not available. `lost` is
 * called if another tab steals the lock.
 */
function requestLock(
  locks: LockManager,
  name: string,
  how: LockOptions,
  lost: () => void,
): Promise<(() => void) | undefined> {
  return new Promise((done) => {
    const held = (lock: Lock | null) =>
      lock === null ? done(undefined) : new Promise<void>((release) => done(release))
    locks.request(name, how, held).catch(() => {
      done(undefined)
      lost()
    })
  })
}
