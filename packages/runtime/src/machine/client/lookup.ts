/**
 * Looks up names of hosts, with at most one pending look-up for each name (D17). A look-up cannot be interrupted, and
 * blocks one of Node's four threads until the system's resolver gives up.
 */
import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'

type Callback = Parameters<LookupFunction>[2]
const underWay = new Map<string, Callback[]>()

/** True if a look-up is pending. The look-up may hang, and `process.exit` would wait for it. */
export const lookupHangs = (): boolean => underWay.size > 0

/** The look-up for `http.request`: it waits for a pending look-up of the same name. */
export const lookup: LookupFunction = (hostname, options, callback) => {
  const key = JSON.stringify([hostname, options])
  const waiting = underWay.get(key)
  if (waiting) {
    waiting.push(callback)
    return
  }
  const callbacks = [callback]
  underWay.set(key, callbacks)
  systemLookup(hostname, options, (error, address, family) => {
    underWay.delete(key)
    for (const each of callbacks) each(error, address, family)
  })
}
