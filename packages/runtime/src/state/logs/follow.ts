/** Follows a log file that grows, is emptied, rotated or replaced, for as long as this process runs. */

import { readdirSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { type DeclaredLog, logsBelow, type Manifest } from '@svc/blueprint'
import type { Folder } from '../../machine/files/folder.ts'
import { readUpTo } from '../../machine/files/read.ts'
import { machinePathOf } from '../paths.ts'
import { declaredLog, type OpenLog } from './open.ts'

type DeclaredLogs = Pick<Manifest, 'logs'> & Partial<Pick<Manifest, 'state'>>

interface ListedLog extends DeclaredLog {
  readonly bytes?: number
  /** When the file last changed, in Unix seconds. */
  readonly changed?: number
}

/** Lists the declared logs. A log that stands for many logs (`logsBelow`) is listed once for each readable file. */
export const listDeclaredLogs = (folder: Folder, manifest: DeclaredLogs): ListedLog[] =>
  manifest.logs.flatMap((log): ListedLog[] => {
    const below = logsBelow(log)
    if (!below) return [withFile(folder, manifest, log)]
    const found = entriesOf(machinePathOf(folder, manifest, below.folder))
      .flatMap((entry) => below.logOf(entry) ?? [])
      .map((one) => withFile(folder, manifest, one))
      .filter(({ bytes }) => bytes !== undefined)
    return found.length > 0 ? found : [log]
  })

function withFile(folder: Folder, manifest: DeclaredLogs, log: DeclaredLog): ListedLog {
  const stat = declaredLog(folder)(machinePathOf(folder, manifest, log.path), (_, found) => found)
  return { ...log, ...(stat && { bytes: stat.size, changed: Math.floor(stat.mtimeMs / 1000) }) }
}

/** The names in a folder, sorted; none if it cannot be read. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** The milliseconds between two checks of the file. SVC_TIME_SCALE does not shorten them. */
const pollMs = 250
const readBytes = 1024 * 1024
/** The number of bytes before a position that are compared to recognise a file, even among logs with similar lines. */
const comparedBytes = 4096
/** The number of rotated files that are searched for additions which were rotated away before they were read. */
const maxRotated = 3

/** A position in a file, with the bytes before it. A file with the same bytes there is the one that was read. */
export interface FilePosition {
  readonly at: number
  readonly before: Buffer
}

/**
 * A file and the function that opens it. The function is called at each check, since another file, which may be
 * forbidden, can have taken the place of the first.
 */
export interface FollowedFile {
  readonly file: string
  readonly open: OpenLog
}

/** The current end of a file. Following the file from this position shows what is added later. */
export const endOfFile = ({ file, open }: FollowedFile): FilePosition =>
  open(file, (fd, { size }) => ({ at: size, before: beforeIn(fd, size) })) ?? startOfFile
export const startOfFile: FilePosition = { at: 0, before: Buffer.alloc(0) }

/**
 * Follows a file from the position `from`, and passes only whole lines to `added`. The promise never resolves. A caller
 * that shows the file first takes the position before that, so that no line is missed.
 */
export async function followFile(
  what: FollowedFile,
  from: FilePosition,
  added: (text: string) => void,
): Promise<never> {
  const step = fileFollower(what, from, added)
  for (;;) {
    const more = step()
    await new Promise((resolve) => setTimeout(resolve, more ? 0 : pollMs))
  }
}

/**
 * Creates a function that follows a file step by step. Each call passes the new lines of the file to `added`, and
 * returns true if the file has more to read.
 */
export function fileFollower(
  { file, open }: FollowedFile,
  from: FilePosition,
  added: (text: string) => void,
): () => boolean {
  let position = from
  let decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) added(`${lines.join('\n')}\n`)
  }
  const toEnd = (fd: number, size: number) => {
    while (position.at < size) position = readOn(fd, size, position, take)
  }
  const restart = () => {
    position = startOfFile
    decoder = new StringDecoder('utf8')
    if (rest !== '') added(`${rest}\n`)
    rest = ''
  }
  /** Reads additions that were rotated away before they could be read. They may be in several files. */
  const readRotated = () => {
    for (let n = 1; n <= maxRotated; n++) {
      const found = open(`${file}.${n}`, (fd, { size }) => {
        if (!continues(fd, size, position)) return false
        toEnd(fd, size)
        return true
      })
      if (!found) continue
      for (let newer = n - 1; newer > 0; newer--) {
        restart()
        open(`${file}.${newer}`, (fd, { size }) => toEnd(fd, size))
      }
      return
    }
  }
  return () =>
    open(file, (fd, { size }) => {
      if (!continues(fd, size, position)) {
        readRotated()
        restart()
      }
      if (size > position.at) position = readOn(fd, size, position, take)
      return size > position.at
    }) ?? false
}

function readOn(fd: number, size: number, { at }: FilePosition, take: (bytes: Buffer) => void): FilePosition {
  const bytes = readUpTo(fd, Math.min(size - at, readBytes), { position: at })
  take(bytes)
  const next = bytes.length === 0 ? size : at + bytes.length
  return { at: next, before: beforeIn(fd, next) }
}

const continues = (fd: number, size: number, { at, before }: FilePosition): boolean =>
  size >= at && beforeIn(fd, at).equals(before)

const beforeIn = (fd: number, at: number): Buffer =>
  readUpTo(fd, Math.min(at, comparedBytes), { position: Math.max(0, at - comparedBytes) })
