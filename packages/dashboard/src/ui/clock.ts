/** One timer for every relative time on the page, and the service's clock, by which they are reckoned. */
import { useSyncExternalStore } from 'react'

let ahead = 0
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()
const tellAll = () => {
  for (const listener of listeners) listener()
}

/** The service's time in an answer just received, Unix milliseconds: from now on times are reckoned by its clock. */
export function serviceTimeIs(at: number): void {
  ahead = at - Date.now()
}

/** Now, Unix milliseconds, by the service's clock as far as it is known. */
export const serviceNow = (): number => Date.now() + ahead

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
