/**
 * The controls of an agent as files. The agent is paused while the pause file exists (3.6); the content of the file
 * says who paused it. The agent may also create the file itself. A request for a run creates the run-now file (2.12),
 * and the agent removes it when it starts the run.
 */
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { wholeSeconds } from '../machine/base/time.ts'
import { removeDurably, writeDurably } from '../machine/files/durable.ts'
import { createFolders, type Folder } from '../machine/files/folder.ts'
import { readJsonObject } from '../machine/files/read.ts'
import { isNoRoom } from '../machine/files/space.ts'
import { type Author, readAuthor, tryNoteChange } from './changes.ts'

/**
 * The maximum size of the pause file. It holds the id of a command, which may have 2,000 characters of up to six bytes
 * each.
 */
const noteBytes = 16 * 1024

/** The pause of an agent. */
export interface Pause {
  /** The time when the agent was paused, in Unix seconds. */
  readonly since: number
  /** Who paused the agent; absent if the file does not say, because somebody created it by hand. */
  readonly author?: Author
}

/** The pause of the agent; undefined while it is not paused. */
export function readPause(folder: Folder): Pause | undefined {
  const stat = statSync(folder.paused, { throwIfNoEntry: false })
  if (!stat) return undefined
  const author = readAuthor(readJsonObject(folder.paused, noteBytes))
  return { since: author?.at ?? wholeSeconds(stat.mtimeMs), ...(author && { author }) }
}

/**
 * Pauses the agent. Returns false if it was already paused; the file then still names the earlier author. If the disk
 * has no room for the content, an empty file is created, which also pauses the agent.
 */
export function pause(folder: Folder, author: Author): boolean {
  if (readPause(folder)) return false
  createFolders(folder)
  try {
    writeDurably(folder.paused, `${JSON.stringify(author)}\n`, undefined, 'stop')
  } catch (error) {
    if (!isNoRoom(error) || !made(folder.paused)) throw error
  }
  tryNoteChange(folder, { paused: { ...author, to: true } })
  return true
}

/** Resumes the agent. Returns false if it was not paused. */
export function resume(folder: Folder, author: Author): boolean {
  if (!removeDurably(folder.paused)) return false
  tryNoteChange(folder, { paused: { ...author, to: false } })
  return true
}

/** Creates an empty file, which needs an inode and no space. */
function made(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'))
    return true
  } catch {
    return false
  }
}

/** True if there is a request for a run that the agent has not taken yet. */
export const isRunRequested = (folder: Folder): boolean => existsSync(folder.runNow)

/** Requests a run. Returns false if an earlier request was not taken yet. */
export function requestRun(folder: Folder, author: Author): boolean {
  if (isRunRequested(folder)) return false
  createFolders(folder)
  writeDurably(folder.runNow, `${JSON.stringify(author)}\n`)
  tryNoteChange(folder, { run_now: author })
  return true
}
