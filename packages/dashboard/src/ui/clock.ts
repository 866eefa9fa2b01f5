/** One timer for every relative time on the page, and the service's clock, by which they are reckoned. */
import { limits } from '@svc/protocol'
import { useSyncExternalStore } from 'react'

/** Milliseconds that the service may be unheard, as long as a live connection is silent until it is given up. */
const unheard = 45_000

let ahead = 0
/** When the service last said something, by this machine's clock. */
let heardAt = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()
const tellAll = () => {
  for (const listener of listeners) listener()
}

/** The service's time in an answer just received, Unix milliseconds: from now on times are reckoned by its clock. */
export function serviceTimeIs(at: number): void {
  ahead = at - Date.now()
  serviceHeard()
}

/** The service answered, or sent a sign of life. */
export function serviceHeard(): void {
  heardAt = Date.now()
}

/** Now, Unix milliseconds, by the service's clock as far as it is known. */
export const serviceNow = (): number => Date.now() + ahead

/**
 * The time up to which this page would know of a report. While the service cannot be reached it stands still: it would be the page that is
 * cut off, and not each agent that fell silent.
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

/** What `read` makes of the present time; drawn again only when that changes. */
export const useClock = <T extends string | number | boolean>(read: (now: number) => T): T =>
  useSyncExternalStore(listen, () => read(serviceNow()))

/** D65: whether a status that was written then is old. Null: nobody said when. */
export const useOld = (statusAt: number | null | undefined): boolean =>
  useClock((now) => statusAt != null && now - statusAt > limits.statusOldSeconds * 1000)

/** Whether an agent that is silent from `silentAt` on is (D20), as far as this page can know. */
export const useSilent = (silentAt: number | null | undefined): boolean =>
  useSyncExternalStore(listen, () => silentAt != null && silentAt <= knownNow())
