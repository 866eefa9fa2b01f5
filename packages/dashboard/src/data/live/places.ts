/**
 * Manages the places that limit how many tabs hold a stream. Each place is a Web Lock, so the browser frees it when its
 * tab closes or crashes. A visible holder also has the lock that `shownLock` names, so that a visible tab finds the
 * places of hidden ones and takes one of them over, even if the hidden tab sleeps.
 */
import { maxStreams } from './policy.ts'

export interface Place {
  /** Notes whether the tab of the place is visible. */
  show(visible: boolean): void
  leave(): void
}

const names = Array.from({ length: maxStreams }, (_, i) => `svc-stream-${i + 1}`)
const shownLock = (name: string) => `${name}-visible`

/**
 * Takes a place for a visible tab: a free one, or else one of a hidden tab. Resolves with undefined if visible tabs have
 * all places. `lost` is called if another tab takes the place over.
 */
export async function takePlace(locks: LockManager, lost: () => void): Promise<Place | undefined> {
  const { held = [] } = await locks.query()
  const taken = new Set(held.map(({ name }) => name))
  for (const name of names.filter((each) => !taken.has(each))) {
    const place = await placeAt(locks, name, { ifAvailable: true }, lost)
    if (place) return place
  }
  const hidden = names.find((name) => taken.has(name) && !taken.has(shownLock(name)))
  return hidden === undefined ? undefined : await placeAt(locks, hidden, { steal: true }, lost)
}

async function placeAt(
  locks: LockManager,
  name: string,
  how: LockOptions,
  lost: () => void,
): Promise<Place | undefined> {
  const showing = () => hold(locks, shownLock(name), { mode: 'shared' }, () => {})
  const hide = (shown: ReturnType<typeof hold> | undefined) => void shown?.then((release) => release?.())
  // A place without this lock counts as that of a hidden tab, so the tab shows itself before it takes the place.
  let shown: ReturnType<typeof hold> | undefined = showing()
  await shown
  const release = await hold(locks, name, how, () => {
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
function hold(locks: LockManager, name: string, how: LockOptions, lost: () => void): Promise<(() => void) | undefined> {
  return new Promise((done) => {
    const held = (lock: Lock | null) =>
      lock === null ? done(undefined) : new Promise<void>((release) => done(release))
    locks.request(name, how, held).catch(() => {
      done(undefined)
      lost()
    })
  })
}
