import { randomBytes } from 'node:crypto'

/** A reference to a workspace by its id. */
export interface WorkspaceRef {
  id: string
}
/** A reference to an agent and its workspace by their ids. */
export interface AgentRef {
  id: string
  workspace_id: string
}

let last = 0
let counter = 0

/**
 * Makes a UUIDv7 for this time (Unix milliseconds). Ids that one process makes in one millisecond sort in the order in
 * which they were made; the order of commands relies on that.
 */
export function newId(now: number): string {
  const bytes = randomBytes(16)
  counter = now === last ? counter + 1 : bytes.readUInt16BE(6) & 0x7ff
  last = now
  // In one millisecond the counter has room for at least 2048 ids; further ids get the time of the next millisecond.
  const moment = now + (counter >> 12)
  bytes.writeUIntBE(moment, 0, 6)
  bytes.writeUInt16BE(0x7000 | (counter & 0xfff), 6)
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
