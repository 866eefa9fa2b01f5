import type { LogEntry } from '@svc/api'
import { useEffect, useState } from 'react'

interface AwaitedLog {
  readonly name: string
  /** The ids of the logs that the service had when this log was requested. */
  readonly before: ReadonlySet<string>
}

/** Finds a requested log in the list of logs: a log of that name that was not listed before the request. */
export const arrivedOf = (waiting: AwaitedLog, logs: readonly LogEntry[]): LogEntry | undefined =>
  logs.find((log) => log.name === waiting.name && !waiting.before.has(log.id))

/**
 * Calls `open` when the log that was requested last arrives. Returns a function that must be called with the name of a
 * log when that log is requested.
 */
export function useArrivals(logs: readonly LogEntry[] | undefined, open: (id: string) => void): (name: string) => void {
  const [waiting, setWaiting] = useState<AwaitedLog | null>(null)
  const came = waiting && logs ? arrivedOf(waiting, logs)?.id : undefined
  useEffect(() => {
    if (came === undefined) return
    setWaiting(null)
    open(came)
  }, [came, open])
  return (name) => setWaiting({ name, before: new Set(logs?.map(({ id }) => id)) })
}
