/** One timer for all relative times on the page, and the service's clock as far as the page knows it. */
import { limits } from '@svc/protocol'
import { useSyncExternalStore } from 'react'

/**
 * The milliseconds without a message after which the service counts as unreachable. The live connection is given up
 * after the same time.
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

/** Remembers that the service has just answered, or has sent a sign of life. */
export function serviceHeard(): void {
  heardAt = Date.now()
}

/** The current time in Unix milliseconds, by the service's clock as far as it is known. */
export const serviceNow = (): number => Date.now() + ahead

/**
 * The time up to which this page would know about reports, by the service's clock. It stops while the service cannot be
 * reached. Otherwise all agents would seem to be offline.
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
 * Returns a value that `read` computes from the current time, by the service's clock. The component is drawn again only
 * when the value changes.
 */
export const useClock = <T extends string | number | boolean>(read: (now: number) => T): T =>
  useSyncExternalStore(listen, () => read(serviceNow()))

/**
 * True if a status file that was written at this time, in Unix milliseconds, is old (D65); false if the time is
 * unknown.
 */
export const useOld = (statusAt: number | null | undefined): boolean =>
  useClock((now) => statusAt != null && now - statusAt > limits.statusOldSeconds * 1000)

/**
 * True if an agent counts as offline now (D20), as far as this page can know. `silentAt` is the time from which it does
 * unless it reports.
 */
export const useSilent = (silentAt: number | null | undefined): boolean =>
  useSyncExternalStore(listen, () => silentAt != null && silentAt <= knownNow())
