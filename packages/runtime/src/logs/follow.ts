/** Follows a file that grows, is emptied, rotated or replaced, until the process is ended. */
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { readUpTo } from '../files/read.ts'

/** How often it is looked at, real milliseconds: a person waits. */
const beat = 250
const atOnce = 1024 * 1024
/** A file is known by so many bytes before a place in it: enough to tell apart logs whose lines are much alike. */
const known = 4096
/** How many older files beside it are looked for: who falls behind finds there what has been rotated meanwhile. */
const older = 3

/** A place in a file: what stands before it says whether a file is still the one that was read. */
export interface Place {
  readonly at: number
  readonly before: Buffer
}

/** Where a file stands now: what is added later comes after it. */
export const endOfFile = (file: string): Place =>
  opened(file, (fd, size) => ({ at: size, before: beforeIn(fd, size) })) ?? beginning
export const beginning: Place = { at: 0, before: Buffer.alloc(0) }

/** From a place that was taken before what is shown was read, so that nothing is missed between. Gives whole lines. Never resolves. */
export async function follow(file: string, from: Place, added: (text: string) => void): Promise<never> {
  const look = follower(file, from, added)
  for (;;) {
    const more = look()
    await new Promise((resolve) => setTimeout(resolve, more ? 0 : beat))
  }
}

/** The same step by step: each call gives what was added since, and says whether there may be more at once. */
export function follower(file: string, from: Place, added: (text: string) => void): () => boolean {
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
      const found = opened(`${file}.${n}`, (fd, size) => {
        if (!continues(fd, size, place)) return false
        toEnd(fd, size)
        return true
      })
      if (!found) continue
      for (let newer = n - 1; newer > 0; newer--) {
        startAnew()
        opened(`${file}.${newer}`, toEnd)
      }
      return
    }
  }
  return () =>
    opened(file, (fd, size) => {
      if (!continues(fd, size, place)) {
        readRotated()
        startAnew()
      }
      if (size > place.at) place = readOn(fd, size, place, take)
      return size > place.at
    }) ?? false
}

function readOn(fd: number, size: number, { at }: Place, take: (bytes: Buffer) => void): Place {
  const bytes = readUpTo(fd, Math.min(size - at, atOnce), at)
  take(bytes)
  const next = bytes.length === 0 ? size : at + bytes.length
  return { at: next, before: beforeIn(fd, next) }
}

const continues = (fd: number, size: number, { at, before }: Place): boolean =>
  size >= at && beforeIn(fd, at).equals(before)

const beforeIn = (fd: number, at: number): Buffer => readUpTo(fd, Math.min(at, known), Math.max(0, at - known))

/** Undefined when there is no such regular file. */
function opened<T>(file: string, work: (fd: number, size: number) => T): T | undefined {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
  try {
    const stat = fstatSync(fd)
    return stat.isFile() ? work(fd, stat.size) : undefined
  } finally {
    closeSync(fd)
  }
}
