/**
 * Computes how many connections this process may have: its limit of open files, less those for the database, logs and
 * files.
 */
import { readFileSync } from 'node:fs'

const reserved = 256
const minConnections = 64
/**
 * The maximum number of connections, also used if the system sets no limit of open files or does not tell it. Memory
 * would suffice for more.
 */
const unlimited = 200_000

export function maxConnections(limits: string = ownLimits()): number {
  const files = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return files === undefined ? unlimited : Math.min(unlimited, Math.max(minConnections, Number(files) - reserved))
}

/** The limits of this process as Linux reports them. Node raised the soft limit to the hard one when it started. */
function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
