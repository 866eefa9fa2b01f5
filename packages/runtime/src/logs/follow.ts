/** Follows a file that grows, is emptied, rotated or replaced, until the process is ended. */
import { StringDecoder } from 'node:string_decoder'
import { readUpTo } from '../files/read.ts'
import type { OpenLog } from './open.ts'

/** How often it is looked at, real milliseconds: a person waits. */
const beat = 250
const atOnce = 1024 * 1024
/** A file is known by so many bytes before a place in it: enough to tell apart logs whose lines are much alike. */
const known = 4096
/** How many older files beside it are looked for: who falls behind finds there what has been rotated meanwhile. */
const older = 3

/** A place in a file: what stands before it says whether a file is still the one that was read. */
export interface FilePosition {
  readonly at: number
  readonly before: Buffer
}

/** A file and what it is opened by, each time it is looked at: it may be exchanged for one that may not be read. */
export interface FollowedFile {
  readonly file: string
  readonly open: OpenLog
}

/** Where a file stands now: what is added later comes after it. */
export const endOfFile = ({ file, open }: FollowedFile): FilePosition =>
  open(file, (fd, { size }) => ({ at: size, before: beforeIn(fd, size) })) ?? beginning
export const beginning: FilePosition = { at: 0, before: Buffer.alloc(0) }

/** From a place that was taken before what is shown was read, so that nothing is missed between. Gives whole lines. Never resolves. */
export async function follow(what: FollowedFile, from: FilePosition, added: (text: string) => void): Promise<never> {
  const look = follower(what, from, added)
  for (;;) {
    const more = look()
    await new Promise((resolve) => setTimeout(resolve, more ? 0 : beat))
  }
}

/** The same step by step: each call gives what was added since, and says whether there may be more at once. */
export function follower(
  { file, open }: FollowedFile,
  from: FilePosition,
  added: (text: string) => void,
): () => boolean {
  let place = from
  let decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) added(`${lines.join('\n')}\n`)
  }
  const toEnd = (fd: number, size: number) => {
    while (place.at < size) place = readOn(fd, size, place, take)
  }
  const startAnew = () => {
    place = beginning
    decoder = new StringDecoder('utf8')
    if (rest !== '') added(`${rest}\n`)
    rest = ''
  }
  /** What was added before it was rotated lies beside it, in several files if that was long ago. */
  const readRotated = () => {
    for (let n = 1; n <= older; n++) {
      const found = open(`${file}.${n}`, (fd, { size }) => {
        if (!continues(fd, size, place)) return false
        toEnd(fd, size)
        return true
      })
      if (!found) continue
      for (let newer = n - 1; newer > 0; newer--) {
        startAnew()
        open(`${file}.${newer}`, (fd, { size }) => toEnd(fd, size))
      }
      return
    }
  }
  return () =>
    open(file, (fd, { size }) => {
      if (!continues(fd, size, place)) {
        readRotated()
        startAnew()
      }
      if (size > place.at) place = readOn(fd, size, place, take)
      return size > place.at
    }) ?? false
}

function readOn(fd: number, size: number, { at }: FilePosition, take: (bytes: Buffer) => void): FilePosition {
  const bytes = readUpTo(fd, Math.min(size - at, atOnce), at)
  take(bytes)
  const next = bytes.length === 0 ? size : at + bytes.length
  return { at: next, before: beforeIn(fd, next) }
}

const continues = (fd: number, size: number, { at, before }: FilePosition): boolean =>
  size >= at && beforeIn(fd, at).equals(before)

const beforeIn = (fd: number, at: number): Buffer => readUpTo(fd, Math.min(at, known), Math.max(0, at - known))
