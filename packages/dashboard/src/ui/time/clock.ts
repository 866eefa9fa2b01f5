/** One timer for all relative times on the page. */
import { useSyncExternalStore } from 'react'
import { knownNow, serviceNow } from './service-time.ts'

let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()
const tellAll = () => {
  for (const listener of listeners) listener()
}

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

/**
 * True if an agent counts as offline now (D20). `silentAt` is the time at which the agent becomes offline unless it
 * reports before. While the service is out of reach, no further agents become offline.
 */
export const useReportOverdue = (silentAt: number | null | undefined): boolean =>
  useSyncExternalStore(listen, () => isReportOverdue(silentAt, knownNow()))

/** True if an agent counts as offline at `now`, a time by the service's clock (D20). */
export const isReportOverdue = (silentAt: number | null | undefined, now: number): boolean =>
  silentAt != null && silentAt <= now
