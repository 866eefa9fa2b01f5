/**
 * Limits how long requests hold a connection, and lets only one tab upload at a time: a browser opens six connections
 * to a host over HTTP/1.1, for all its tabs together. Streams have their limit in data/live/policy.ts.
 */

/** After this many milliseconds without an answer a request is given up. */
const answerWithin = 60_000
/** After this many milliseconds an upload is given up. The service itself ends it after 300 s. */
export const uploadWithin = 310_000

/** Returns a signal that ends a request when `signal` does, or when it has no answer in time. */
export function inTime(signal: AbortSignal | undefined): AbortSignal {
  const late = AbortSignal.timeout(answerWithin)
  return signal ? AbortSignal.any([signal, late]) : late
}

/**
 * Runs `upload` when no other tab of this browser uploads. Without Web Locks, which browsers do not have over plain HTTP
 * on another host than localhost, it runs at once.
 */
export async function inTurn<T>(upload: () => Promise<T>): Promise<T> {
  const locks = navigator.locks as LockManager | undefined
  return await (locks ? locks.request('svc-upload', upload) : upload())
}
