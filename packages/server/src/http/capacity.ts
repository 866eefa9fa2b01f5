/** How many connections this process may have: what its limit of open files leaves beside the database, logs and files. */
import { readFileSync } from 'node:fs'

const reserved = 256
const minConnections = 64
/** Where the system sets no limit, or does not say: memory is for more than this. */
const unlimited = 200_000

export function maxConnections(limits: string = ownLimits()): number {
  const files = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return files === undefined ? unlimited : Math.min(unlimited, Math.max(minConnections, Number(files) - reserved))
}

/** The limits of this process, as Linux tells them. Node has raised the soft one to the hard one when it started. */
function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
