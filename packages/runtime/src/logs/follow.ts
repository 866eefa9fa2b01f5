/** Follows a file that grows, is emptied, rotated or replaced, until the process is ended. */
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { readUpTo } from '../files/read.ts'

/** How often it is looked at, real milliseconds: a person waits. */
const beat = 250
const atOnce = 1024 * 1024

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
  let place = from
  let decoder = new StringDecoder('utf8')
  let rest = ''
  const take = (bytes: Buffer) => {
    const lines = (rest + decoder.write(bytes)).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) added(`${lines.join('\n')}\n`)
  }
  for (;;) {
    const more = opened(file, (fd, size) => {
      if (!continues(fd, size, place)) {
        opened(`${file}.1`, (older, end) => {
          if (continues(older, end, place)) while (place.at < end) place = readOn(older, end, place, take)
        }) // rotated: what was added before that lies beside it
        place = beginning
        decoder = new StringDecoder('utf8')
        if (rest !== '') added(`${rest}\n`)
        rest = ''
      }
      if (size > place.at) place = readOn(fd, size, place, take)
      return size > place.at
    })
    await new Promise((resolve) => setTimeout(resolve, more ? 0 : beat))
  }
}

function readOn(fd: number, size: number, { at }: Place, take: (bytes: Buffer) => void): Place {
  const bytes = readUpTo(fd, Math.min(size - at, atOnce), at)
  take(bytes)
  const next = bytes.length === 0 ? size : at + bytes.length
  return { at: next, before: beforeIn(fd, next) }
}

const continues = (fd: number, size: number, { at, before }: Place): boolean =>
  size >= at && beforeIn(fd, at).equals(before)

const beforeIn = (fd: number, at: number): Buffer => readUpTo(fd, Math.min(at, 64), Math.max(0, at - 64))

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
