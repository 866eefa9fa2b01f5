/** One timer for every relative time on the page, and the service's clock. */
import { limits } from '@svc/protocol'
import { useSyncExternalStore } from 'react'

/**
 * The milliseconds without a message after which the service counts as unreachable; a live connection gives up after
 * the same time.
 */
const unheard = 45_000

let ahead = 0
/** The last time the service sent something, by this machine's clock. */
let heardAt = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()
const tellAll = () => {
  for (const listener of listeners) listener()
}

/** Sets the service's clock from an answer that was just received (Unix milliseconds). */
export function serviceTimeIs(at: number): void {
  ahead = at - Date.now()
  serviceHeard()
}

/** Notes that the service answered or sent a sign of life. */
export function serviceHeard(): void {
  heardAt = Date.now()
}

/** The current time in Unix milliseconds, by the service's clock as far as it is known. */
export const serviceNow = (): number => Date.now() + ahead

/**
 * The time until which this page would know about reports. It stops while the service is unreachable, since then the
 * page is cut off, and not each agent silent.
 */
const knownNow = (): number => Math.min(Date.now(), heardAt + unheard) + ahead

function listen(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tellAll, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0 && timer !== undefined) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** The value that `read` makes of the current time. The component is drawn again only when it changes. */
export const useClock = <T extends string | number | boolean>(read: (now: number) => T): T =>
  useSyncExternalStore(listen, () => read(serviceNow()))

/** D65: true when a status written at that time is old; false when the time is unknown. */
export const useOld = (statusAt: number | null | undefined): boolean =>
  useClock((now) => statusAt != null && now - statusAt > limits.statusOldSeconds * 1000)

/** True when an agent that becomes silent at `silentAt` is silent (D20), as far as this page can know. */
export const useSilent = (silentAt: number | null | undefined): boolean =>
  useSyncExternalStore(listen, () => silentAt != null && silentAt <= knownNow())
