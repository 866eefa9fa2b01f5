/** One timer for all relative times on the page, and the page's estimate of the service's clock. */
import { limits } from '@svc/protocol'
import { useSyncExternalStore } from 'react'

/**
 * The milliseconds without a message after which the page counts the service as unreachable. The live connection is
 * closed after the same time.
 */
const unheard = 45_000

let ahead = 0
/** When the service last sent something, by the clock of the browser's machine. */
let heardAt = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()
const tellAll = () => {
  for (const listener of listeners) listener()
}

/**
 * Adjusts the page's estimate of the service's clock to `at`, the service's time in a message that just arrived (Unix
 * milliseconds).
 */
export function serviceTimeIs(at: number): void {
  ahead = at - Date.now()
  serviceHeard()
}

/** Remembers that a message or a ping from the service has just arrived. */
export function serviceHeard(): void {
  heardAt = Date.now()
}

/** The service's current time in Unix milliseconds, as the page estimates it. */
export const serviceNow = (): number => Date.now() + ahead

/**
 * The service's time up to which the page would have received reports. While the service cannot be reached, this time
 * stands still. Otherwise all agents would seem to go offline.
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

/**
 * Returns the value that `read` computes from the service's current time. The component is drawn again only when this
 * value changes.
 */
export const useClock = <T extends string | number | boolean>(read: (now: number) => T): T =>
  useSyncExternalStore(listen, () => read(serviceNow()))

/** True if a status file written at `statusAt` (Unix milliseconds) is old (D65); false if the time is unknown. */
export const useOld = (statusAt: number | null | undefined): boolean =>
  useClock((now) => statusAt != null && now - statusAt > limits.statusOldSeconds * 1000)

/**
 * True if an agent counts as offline now (D20), as far as the page can know. `silentAt` is the time at which the agent
 * becomes offline unless it reports before.
 */
export const useSilent = (silentAt: number | null | undefined): boolean =>
  useSyncExternalStore(listen, () => silentAt != null && silentAt <= knownNow())
