/**
 * The pause file (3.6). The agent is paused while it exists; its content says who made it. The agent's own channel may
 * create it, too.
 */
import { statSync } from 'node:fs'
import { removeDurably, writeDurably } from '../files/durable.ts'
import { type Folder, prepare } from '../files/folder.ts'
import { readJsonObject } from '../files/read.ts'
import { seconds } from '../time.ts'
import { type Author, noteChange, readAuthor } from './changes.ts'

/** The file holds the id of a command, which may have 2,000 characters of up to six bytes each. */
const noteBytes = 16 * 1024

export interface Pause {
  /** Unix seconds. */
  readonly since: number
  /** Absent if the file does not say, because somebody made it by hand. */
  readonly author?: Author
}

/** Undefined while the agent is not paused. */
export function readPause(folder: Folder): Pause | undefined {
  const stat = statSync(folder.paused, { throwIfNoEntry: false })
  if (!stat) return undefined
  const author = readAuthor(readJsonObject(folder.paused, noteBytes))
  return { since: author?.at ?? seconds(stat.mtimeMs), ...(author && { author }) }
}

/** Pauses the agent. False if it was already paused; the earlier author stays. */
export function pause(folder: Folder, author: Author): boolean {
  if (readPause(folder)) return false
  prepare(folder)
  writeDurably(folder.paused, `${JSON.stringify(author)}\n`)
  noteChange(folder, { paused: { ...author, to: true } })
  return true
}

/** Resumes the agent. False if it was not paused. */
export function resume(folder: Folder, author: Author): boolean {
  if (!removeDurably(folder.paused)) return false
  noteChange(folder, { paused: { ...author, to: false } })
  return true
}
